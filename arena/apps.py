from django.apps import AppConfig


class ArenaConfig(AppConfig):
    """Measuring and training agents."""

    name = "arena"
    default_auto_field = "django.db.models.BigAutoField"
