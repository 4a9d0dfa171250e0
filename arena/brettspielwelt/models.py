"""Games of the Brettspielwelt as they are stored.

A round keeps what its log says (:class:`Record`), so the log can be written again; what the rules made of it stands in
columns, for lists and statistics. These are apart from each other, so that whoever counts reads a tenth.

The archive has 22 million rounds with four seats each. So an index is only where a list needs it, and none of the seats
of rounds is in the order of players: there each row would go to another page.
"""

from collections.abc import Iterable
from datetime import date
from pathlib import PurePosixPath
from secrets import token_hex
from typing import Any

from django.db import models
from django.db.models.signals import post_delete
from django.dispatch import receiver


class Player(models.Model):
    """A name. Its figures are refreshed as a whole after an import.

    :ivar elo: of teams, by the order of games (docs/brettspielwelt.md).
    """

    name = models.CharField(max_length=100, unique=True)
    elo = models.FloatField(default=1500)
    games = models.PositiveIntegerField(default=0)
    games_won = models.PositiveIntegerField(default=0)
    rounds = models.PositiveIntegerField(default=0)
    tichu = models.PositiveIntegerField(default=0)
    tichu_made = models.PositiveIntegerField(default=0)
    grand = models.PositiveIntegerField(default=0)
    grand_made = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["name"]
        indexes = [
            models.Index(fields=["-elo"], name="player_elo"),
            models.Index(fields=["-games"], name="player_games"),
        ]

    def __str__(self) -> str:
        return self.name or "(no name)"


class Game(models.Model):
    """A game: rounds until a team has a thousand points.

    :ivar key: the number in the file's name, with ``#2`` and so on for further games in a file; without a number a
        checksum of the game as it is written again, wherever it stands.
    :ivar month: the first day of the month that its folder or the index names.
    :ivar source: the file, or the zip and its member.
    :ivar checksum: of the file that was read, so that reading it again changes nothing.
    :ivar finding: the code of the first finding; blank if there is none.
    :ivar score_20, score_31: when a team had won, as the server counted; at the end if none has.
    """

    key = models.CharField(max_length=80, unique=True)
    number = models.PositiveIntegerField(null=True, blank=True)
    month = models.DateField(null=True, blank=True)
    source = models.CharField(max_length=400)
    checksum = models.CharField(max_length=64)
    rounds_count = models.PositiveSmallIntegerField()
    is_finished = models.BooleanField()
    finding = models.CharField(max_length=30, blank=True)
    score_20 = models.IntegerField()
    score_31 = models.IntegerField()
    players = models.ManyToManyField(Player, through="GameSeat", related_name="+")

    class Meta:
        ordering = ["-number", "-pk"]
        indexes = [
            models.Index(fields=["-number", "-id"], name="game_order"),
            models.Index(fields=["month", "-number", "-id"], name="game_month"),
            models.Index(fields=["finding", "-number", "-id"], name="game_finding"),
        ]

    def __str__(self) -> str:
        """The key; without a number, where that would be a checksum, the name of the file."""
        return PurePosixPath(self.source).name if self.number is None else self.key


class GameSeat(models.Model):
    """Who sat where at the beginning of a game."""

    # The constraints' indexes are those of the foreign keys, too.
    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="seats", db_index=False)
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="game_seats")

    class Meta:
        ordering = ["game_id", "seat"]
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="one_player_per_game_seat")]

    def __str__(self) -> str:
        return f"{self.seat}: {self.player_id}"


class SeatChange(models.Model):
    """Somebody took over a seat in the course of a game. So whoever played in a game is found without a look at the
    seats of all rounds.

    :ivar since: the number of the first round.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="seat_changes", db_index=False)
    seat = models.PositiveSmallIntegerField()
    since = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="seat_changes")

    class Meta:
        ordering = ["game_id", "since", "seat"]
        constraints = [models.UniqueConstraint(fields=["game", "since", "seat"], name="one_player_takes_a_seat_over")]

    def __str__(self) -> str:
        return f"{self.seat}, from round {self.since}: {self.player_id}"


class Round(models.Model):
    """A round.

    :ivar number: in its game, from 1.
    :ivar state: the code of its first finding; blank if the rules accept the log as it is.
    :ivar is_usable: whether the rules can replay it to a score.
    :ivar score_20, score_31: the computed score; null if there is none. ``logged_20``, ``logged_31`` as printed.
    :ivar calls: how many of both kinds; ``bombs`` that were played; ``wish``: 2..14, 0 none, null if the Mah Jong was
        not played; ``dragon``: how far the receiver sits from the giver, 1 or 3.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="rounds", db_index=False)
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=30, blank=True)
    is_usable = models.BooleanField()
    score_20 = models.SmallIntegerField(null=True, blank=True)
    score_31 = models.SmallIntegerField(null=True, blank=True)
    logged_20 = models.IntegerField(null=True, blank=True)
    logged_31 = models.IntegerField(null=True, blank=True)
    calls = models.PositiveSmallIntegerField(default=0)
    bombs = models.PositiveSmallIntegerField(default=0)
    bombs_held = models.PositiveSmallIntegerField(default=0)  # seats with a bomb after the exchange
    double_victory = models.BooleanField(default=False)
    tricks = models.PositiveSmallIntegerField(default=0)
    moves = models.PositiveSmallIntegerField(default=0)
    wish = models.PositiveSmallIntegerField(null=True, blank=True)
    dragon = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["game_id", "number"]
        constraints = [models.UniqueConstraint(fields=["game", "number"], name="one_round_per_number")]
        indexes = [
            models.Index(fields=["state"], name="round_state"),
            models.Index(fields=["bombs"], name="round_bombs"),
            models.Index(fields=["calls"], name="round_calls"),
        ]

    def __str__(self) -> str:
        return f"{self.game_id}.{self.number}"


class Record(models.Model):
    """What the log says of a round.

    :ivar data: for :func:`arena.brettspielwelt.log.unpack`.
    """

    round = models.OneToOneField(Round, on_delete=models.CASCADE, primary_key=True, related_name="record")
    data = models.BinaryField()

    def __str__(self) -> str:
        return str(self.round_id)


class RoundSeat(models.Model):
    """What a seat did in a round.

    :ivar call: 0 none, 1 Tichu, 2 grand Tichu; made if it went out first.
    :ivar place: 1 for the first that went out, 2, 3; 4 for the others.
    """

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="seats", db_index=False)
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="round_seats", db_index=False)
    call = models.PositiveSmallIntegerField()
    place = models.PositiveSmallIntegerField()
    bombs = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "seat"], name="one_player_per_round_seat")]

    def __str__(self) -> str:
        return f"{self.seat}: {self.player_id}"


class RoundFinding(models.Model):
    """Something wrong in a log (:mod:`arena.brettspielwelt.findings`); without a round it is the game's."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="findings")
    round = models.ForeignKey(Round, on_delete=models.CASCADE, null=True, blank=True, related_name="findings")
    code = models.CharField(max_length=30)
    move = models.SmallIntegerField()
    detail = models.CharField(max_length=200, blank=True)
    corrected = models.BooleanField()

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["code"], name="finding_code")]

    def __str__(self) -> str:
        return self.code


class Figures(models.Model):
    """What was counted: of each month, and under :data:`TOTAL` of all (:mod:`arena.brettspielwelt.statistics`).

    :ivar key: "2007-01"; blank for games whose month is not known.
    :ivar version: another one whenever games of the month have come or gone.
    :ivar counted: what the figures were counted from; blank before.
    :ivar data: JSON. A text, because PostgreSQL's own would forget the order of keys.
    """

    TOTAL = "total"

    key = models.CharField(max_length=7, primary_key=True)
    version = models.CharField(max_length=64, blank=True)
    counted = models.CharField(max_length=80, blank=True)
    data = models.TextField(blank=True)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "statistics"

    def __str__(self) -> str:
        return self.key or "unknown month"

    @staticmethod
    def change(months: Iterable[date | None]) -> None:
        """Notes that games of these months come or go, in the same transaction."""
        keys = sorted({key_of(month) for month in months})
        Figures.objects.bulk_create(
            [Figures(key=key, version=token_hex(8)) for key in keys],
            update_conflicts=True,
            unique_fields=["key"],
            update_fields=["version"],
        )


def key_of(month: date | None) -> str:
    return f"{month:%Y-%m}" if month else ""


@receiver(post_delete, sender=Game)
def _note_deletion(instance: Game, **_: Any) -> None:
    Figures.change([instance.month])
