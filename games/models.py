"""Matches as they are stored: who sat where, and every accepted action in order.

A match is its deal and its actions; its state is nowhere but in the engine that replays them (:mod:`games.journal`).
"""

from django.db import models


class Match(models.Model):
    """A match at a table, running or over."""

    class Outcome(models.TextChoices):
        RUNNING = "running", "running"
        FINISHED = "finished", "finished"
        ABANDONED = "abandoned", "abandoned"  # the table closed before the end

    table_name = models.CharField(max_length=200)  # 30 graphemes can be many code points
    game = models.CharField(max_length=40)
    options = models.JSONField(default=dict)
    outcome = models.CharField(max_length=20, choices=Outcome, default=Outcome.RUNNING)
    scores = models.JSONField(null=True, blank=True)  # one total per team, once finished
    started = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "matches"
        ordering = ["-pk"]
        indexes = [models.Index(fields=["outcome"], name="match_outcome")]

    def __str__(self) -> str:
        return f"{self.table_name} #{self.pk}"

    @property
    def is_running(self) -> bool:
        return self.outcome == self.Outcome.RUNNING


class MatchSeat(models.Model):
    """Who sits on a seat now, or sat there last."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    seat = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=200)
    agent = models.CharField(max_length=40, blank=True)  # its kind; blank for a human

    class Meta:
        ordering = ["match", "seat"]
        constraints = [models.UniqueConstraint(fields=["match", "seat"], name="one_row_per_seat")]

    def __str__(self) -> str:
        return f"{self.seat}: {self.name}"


class MatchEvent(models.Model):
    """An accepted action. Nobody has been told of it before it stood here."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="events")
    number = models.PositiveIntegerField()  # from 1; a second worker cannot append the same one
    seat = models.PositiveSmallIntegerField(null=True, blank=True)  # null: the table itself
    action = models.JSONField()
    command = models.CharField(max_length=100, null=True, blank=True)  # noqa: DJ001 - unique only where there is one
    table_number = models.PositiveIntegerField()  # of the table's last notification after it
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["match", "number"]
        constraints = [
            models.UniqueConstraint(fields=["match", "number"], name="one_action_per_number"),
            models.UniqueConstraint(fields=["match", "command"], name="one_action_per_command"),
        ]

    def __str__(self) -> str:
        return f"{self.match_id}:{self.number}"
