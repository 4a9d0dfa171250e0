from django.apps import AppConfig


class GamesConfig(AppConfig):
    """Rules, matches, agents."""

    name = "games"
    default_auto_field = "django.db.models.BigAutoField"
