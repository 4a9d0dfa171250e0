"""Tables as they are stored: who sits where, and which worker has them.

Everything that was confirmed to somebody stands here or in the journal of the match. Times are the database's own.
"""

from django.db import models

from games.models import Match
from lobby.seating import Place


class LobbyTable(models.Model):
    """A table, from its first guest to its last. Open ones have different keys."""

    key = models.CharField(max_length=400)  # case-folded a name can be longer
    name = models.CharField(max_length=200)
    game = models.CharField(max_length=40)
    options = models.JSONField(default=dict)  # of the game
    turn_limit_s = models.PositiveSmallIntegerField(null=True, blank=True)  # null: as many people play
    strengths = models.JSONField(default=list)  # the kind of agent of each seat
    host = models.SmallIntegerField(default=-1)
    number = models.PositiveIntegerField(default=0)  # of the last notification to all
    match = models.ForeignKey(Match, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    idle_since = models.DateTimeField(null=True, blank=True)  # nobody is connected
    closed = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["key"], condition=models.Q(closed__isnull=True), name="one_open_table_per_key"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Session(models.Model):
    """A person's right to a seat. The session id itself is stored nowhere."""

    digest = models.CharField(max_length=64, unique=True, editable=False)
    table = models.ForeignKey(LobbyTable, on_delete=models.CASCADE, related_name="sessions")
    name = models.CharField(max_length=200)
    seat = models.PositiveSmallIntegerField()
    place = models.CharField(max_length=10, choices=[(place.value, place.value) for place in Place])
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["table", "seat"]

    def __str__(self) -> str:
        return self.name


class Command(models.Model):
    """An accepted message that had an id: repeated, it is confirmed again and not executed."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="commands")
    command = models.CharField(max_length=64)
    number = models.PositiveIntegerField()  # of the table, after it

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "command"], name="once_per_session")]

    def __str__(self) -> str:
        return f"{self.session_id}:{self.command}"


class EngineNode(models.Model):
    """A worker that is alive."""

    name = models.CharField(max_length=100, primary_key=True)
    expires = models.DateTimeField()

    def __str__(self) -> str:
        return self.name


class EngineLease(models.Model):
    """The tables of one shard belong to one worker until the lease expires."""

    shard = models.PositiveIntegerField(primary_key=True)
    owner = models.CharField(max_length=100, blank=True)
    epoch = models.PositiveIntegerField(default=0)  # rises with each owner
    renewed = models.DateTimeField()
    lost = models.DateTimeField(null=True, blank=True)  # the last sign of life of the owner before
    expires = models.DateTimeField()

    class Meta:
        ordering = ["shard"]

    def __str__(self) -> str:
        return f"{self.shard}: {self.owner}"
