from django.apps import AppConfig


class LearningConfig(AppConfig):
    """Training of networks."""

    name = "arena.learning"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Learning"
