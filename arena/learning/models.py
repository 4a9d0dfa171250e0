"""Trainings as they are stored: what was asked, how it went, what came of it."""

from datetime import datetime, timedelta

from django.db import models
from django.utils import timezone


class TrainingRun(models.Model):
    """One sitting of a training. What goes on another time is another run, whose curve begins with that of before.

    :ivar command: as it was typed.
    :ivar folder: where the files are, on the machine ``host``.
    :ivar device: the processor or GPU by name.
    :ivar updated: the last sign of life of the command that trains.
    :ivar minutes, rounds: of all sittings. Imitation has no rounds.
    :ivar curve: lines of the log in the folder (:mod:`arena.learning.training`), "progress" and "strength"; of a long
        training not all.
    :ivar sheet: what the files say about themselves.
    :ivar files: ``{"name", "bytes", "sha256"}`` of each.
    :ivar error: the traceback of what went wrong.
    """

    SILENT_S = 120.0  # without a sign of life for so long, the command is dead; a step of a large network takes a while

    class Kind(models.TextChoices):
        SELFPLAY = "selfplay", "self-play"
        IMITATE = "imitate", "imitation"
        DISTILL = "distill", "distillation"

    class State(models.TextChoices):
        RUNNING = "running", "running"
        FINISHED = "finished", "finished"
        INTERRUPTED = "interrupted", "interrupted"  # by Ctrl-C or SIGTERM; what was learned is saved
        FAILED = "failed", "failed"

    name = models.CharField(max_length=200, unique=True)
    kind = models.CharField(max_length=10, choices=Kind)
    command = models.TextField()
    state = models.CharField(max_length=12, choices=State, default=State.RUNNING)
    folder = models.CharField(max_length=400)
    device = models.CharField(max_length=200)
    threads = models.PositiveIntegerField(default=1)
    seed = models.BigIntegerField()
    host = models.CharField(max_length=200)
    revision = models.CharField(max_length=60, blank=True)  # of the git repository
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField()
    finished = models.DateTimeField(null=True, blank=True)
    minutes = models.FloatField(default=0)
    rounds = models.PositiveBigIntegerField(default=0)
    curve = models.JSONField(default=list, blank=True)
    sheet = models.JSONField(default=dict, blank=True)
    files = models.JSONField(default=list, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_silent(self) -> bool:
        """Whether it should be running, but gives no sign of life."""
        return self.state == self.State.RUNNING and self.updated < self.silent_since()

    @property
    def is_alive(self) -> bool:
        """Whether a command trains."""
        return self.state == self.State.RUNNING and not self.is_silent

    @classmethod
    def silent_since(cls) -> datetime:
        """Whoever has given no sign of life since then is dead."""
        return timezone.now() - timedelta(seconds=cls.SILENT_S)
