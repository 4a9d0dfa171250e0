"""Runs of the arena as they are stored: what was asked, who played, the sums of each batch, the ladder.

Batches are stored in the order of their numbers, so what is there is always a beginning of the run, and a run that was
cut off goes on with the next number. ``tally`` and ``timing`` are :class:`arena.tally.Tally` and
:class:`arena.tally.Timing` as JSON.
"""

from datetime import datetime, timedelta
from typing import cast

import msgspec
from django.db import models
from django.utils import timezone

from arena.jobs import Job, Rules, Unit
from arena.tally import Tally, Timing


class AgentVersion(models.Model):
    """An agent as it played: with other options or other code it is another version.

    :ivar options: what the team's text said behind the name.
    :ivar checksum: of the agent's code and of the files that its options name.
    """

    name = models.CharField(max_length=200)
    options = models.CharField(max_length=400, blank=True)  # "key=value,key=value", sorted
    checksum = models.CharField(max_length=64)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "options", "-created"]
        constraints = [models.UniqueConstraint(fields=["name", "options", "checksum"], name="one_row_per_version")]

    def __str__(self) -> str:
        return f"{self.text} {self.checksum[:7]}"

    @property
    def text(self) -> str:
        """As a team names it."""
        return f"{self.name}:{self.options}" if self.options else self.name


class ArenaRun(models.Model):
    """What was asked, and what has come of it so far.

    :ivar stop: the stop rule, as the command line has it.
    :ivar stop_requested: somebody in the admin wants it to end; the command that plays it looks after every batch.
    :ivar verdict: what the stop rule found, if it ended the run.
    :ivar code: a digest of the rules and of the arena that play it (:func:`arena.executors.code_of`).
    :ivar updated: the last sign of life of the command that plays it.
    :ivar seconds: on the wall, all sittings together.
    :ivar tally, timing: the sums of its batches (``sums``).
    """

    SILENT_S = 30.0  # without a sign of life for so long, whoever played it is dead

    class State(models.TextChoices):
        RUNNING = "running", "running"
        FINISHED = "finished", "finished"
        STOPPED = "stopped", "stopped"  # by Ctrl-C or in the admin; goes on when it is run again
        FAILED = "failed", "failed"

    name = models.CharField(max_length=200, unique=True)
    team_20 = models.CharField(max_length=400)
    team_31 = models.CharField(max_length=400)
    unit = models.CharField(max_length=10)
    pairs = models.PositiveBigIntegerField()
    batch_pairs = models.PositiveIntegerField()
    seed = models.BigIntegerField()
    rules = models.CharField(max_length=20)
    target_score = models.PositiveIntegerField()
    stop = models.CharField(max_length=40, default="none")
    recording = models.CharField(max_length=400, blank=True)  # the file, as given
    code = models.CharField(max_length=64)

    state = models.CharField(max_length=10, choices=State, default=State.RUNNING)
    stop_requested = models.BooleanField(default=False)
    verdict = models.CharField(max_length=200, blank=True)
    error = models.TextField(blank=True)
    executor = models.CharField(max_length=40)
    workers = models.PositiveIntegerField(default=1)
    host = models.CharField(max_length=200)
    revision = models.CharField(max_length=60, blank=True)  # of the git repository
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField()
    finished = models.DateTimeField(null=True, blank=True)

    seconds = models.FloatField(default=0)
    batches_played = models.PositiveIntegerField(default=0)
    pairs_played = models.PositiveBigIntegerField(default=0)
    tally = models.JSONField(null=True, blank=True)
    timing = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state"], name="run_state")]

    def __str__(self) -> str:
        return self.name

    @property
    def job(self) -> Job:
        return Job(
            teams=(self.team_20, self.team_31),
            unit=cast(Unit, self.unit),
            pairs=self.pairs,
            batch_pairs=self.batch_pairs,
            seed=self.seed,
            rules=cast(Rules, self.rules),
            target_score=self.target_score,
            record=bool(self.recording),
        )

    @property
    def sums(self) -> tuple[Tally, Timing]:
        """Of its batches; those of nothing before the first."""
        return (
            msgspec.convert(self.tally or {}, Tally, str_keys=True),
            msgspec.convert(self.timing or {}, Timing, str_keys=True),
        )

    @property
    def is_silent(self) -> bool:
        """Whether it should be running, but gives no sign of life: it can be taken over."""
        return self.state == self.State.RUNNING and self.updated < self.silent_since()

    @property
    def is_alive(self) -> bool:
        """Whether a command plays it."""
        return self.state == self.State.RUNNING and not self.is_silent

    @classmethod
    def silent_since(cls) -> datetime:
        """Whoever has given no sign of life since then is dead."""
        return timezone.now() - timedelta(seconds=cls.SILENT_S)


class ArenaSeat(models.Model):
    """Who had a slot (:mod:`arena.tally`): 0 and 2 of the first team, 1 and 3 of the second."""

    run = models.ForeignKey(ArenaRun, on_delete=models.CASCADE, related_name="seats")
    slot = models.PositiveSmallIntegerField()
    version = models.ForeignKey(AgentVersion, on_delete=models.PROTECT, related_name="seats")

    class Meta:
        ordering = ["run", "slot"]
        constraints = [models.UniqueConstraint(fields=["run", "slot"], name="one_row_per_slot")]

    def __str__(self) -> str:
        return f"{self.slot}: {self.version}"


class ArenaBatch(models.Model):
    """The sums of a batch. Its number is taken once: nobody can store it a second time."""

    run = models.ForeignKey(ArenaRun, on_delete=models.CASCADE, related_name="batches")
    number = models.PositiveIntegerField()
    tally = models.JSONField()
    timing = models.JSONField()
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["run", "number"]
        verbose_name_plural = "arena batches"
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_row_per_batch")]

    def __str__(self) -> str:
        return f"{self.run_id}:{self.number}"


class Rating(models.Model):
    """A rung of the ladder: Elo by rounds won, ``random`` being 0; refreshed as a whole.

    :ivar low, high: the 95 % interval.
    :ivar rounds: that it rests on.
    """

    version = models.OneToOneField(AgentVersion, on_delete=models.CASCADE, related_name="rating")
    elo = models.FloatField()
    low = models.FloatField()
    high = models.FloatField()
    rounds = models.PositiveBigIntegerField()
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-elo"]

    def __str__(self) -> str:
        return f"{self.version}: {self.elo:.0f}"
