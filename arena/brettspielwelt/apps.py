from django.apps import AppConfig


class BrettspielweltConfig(AppConfig):
    """Logs of games between people."""

    name = "arena.brettspielwelt"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Brettspielwelt"
