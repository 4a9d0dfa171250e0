from django.apps import AppConfig
from django.conf import settings

from games import messages


class GamesConfig(AppConfig):
    """Rules, matches, agents."""

    name = "games"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        messages.strict = settings.TICHU_STRICT_MESSAGES
