"""The figures of each player: ratings, games, calls."""

from collections import defaultdict
from collections.abc import Iterator

from django.db import transaction
from django.db.models import Count, F, Max, Min, Q

from arena.brettspielwelt.elo import Elo
from arena.brettspielwelt.models import GameSeat, Player, Round, RoundSeat

PIECE = 100_000  # rounds whose seats one query adds up
BATCH = 5_000  # players that one statement writes


def refresh_players() -> Elo[int]:
    """Makes all figures of all players anew.

    Games are those that were finished, and belong to whom their seats belonged to when they began; rounds are those
    that the rules can replay, and belong to who played them. Nothing is locked while this reads; then all players are
    written in one transaction. Memory grows with the number of players, not with that of rounds.

    :result: the ratings, by the keys of players.
    """
    elo, won = _play_games()
    calls = _count_calls()
    with transaction.atomic():
        for players in _chunks():
            for player in players:
                player.elo = elo.ratings.get(player.pk, player._meta.get_field("elo").default)
                player.games = elo.games.get(player.pk, 0)
                player.games_won = won.get(player.pk, 0)
                for name, count in zip(_FIGURES, calls.get(player.pk, _NOTHING), strict=True):
                    setattr(player, name, count)
            Player.objects.bulk_create(
                players,
                update_conflicts=True,
                unique_fields=["id"],
                update_fields=["elo", "games", "games_won", *_FIGURES],
            )
    return elo


_FIGURES = {
    "rounds": Count("pk"),
    "tichu": Count("pk", filter=Q(call=1)),
    "tichu_made": Count("pk", filter=Q(call=1, place=1)),
    "grand": Count("pk", filter=Q(call=2)),
    "grand_made": Count("pk", filter=Q(call=2, place=1)),
}
_NOTHING = [0] * len(_FIGURES)


def _play_games() -> tuple[Elo[int], dict[int, int]]:
    """The ratings after all finished games in the order of their numbers, and how many games each has won.

    Games without a number come last.
    """
    elo: Elo[int] = Elo()
    won: dict[int, int] = defaultdict(int)
    seats = (
        GameSeat.objects.filter(game__is_finished=True)
        .order_by(F("game__number").asc(nulls_last=True), "game_id", "seat")
        .values_list("player_id", F("game__score_20") - F("game__score_31"))
        .iterator()
    )
    for (zero, difference), (one, _), (two, _), (three, _) in zip(seats, seats, seats, seats, strict=True):
        elo.update((zero, two), (one, three), float(difference > 0))
        for player in (zero, two) if difference > 0 else (one, three):
            won[player] += 1
    return elo, won


def _count_calls() -> dict[int, list[int]]:
    """The figures of ``_FIGURES`` for each player.

    The database adds up piece by piece: for all at once it would have to sort all seats of rounds.
    """
    figures: dict[int, list[int]] = {}
    for first, last in _ranges(PIECE):
        rows = (
            RoundSeat.objects.filter(round__gte=first, round__lte=last, round__is_usable=True)
            .order_by()
            .values("player_id")
            .annotate(**{f"number_of_{name}": count for name, count in _FIGURES.items()})
            .values_list("player_id", *(f"number_of_{name}" for name in _FIGURES))
        )
        for player, *counts in rows:
            sums = figures.setdefault(player, _NOTHING)
            figures[player] = [one + other for one, other in zip(sums, counts, strict=True)]
    return figures


def _ranges(size: int) -> Iterator[tuple[int, int]]:
    """The first and the last key of pieces of all rounds."""
    ends = Round.objects.aggregate(first=Min("pk"), last=Max("pk"))
    if ends["first"] is not None:
        for first in range(ends["first"], ends["last"] + 1, size):
            yield first, min(first + size - 1, ends["last"])


def _chunks() -> Iterator[list[Player]]:
    """All players, some at a time."""
    last = 0
    while players := list(Player.objects.filter(pk__gt=last).order_by("pk")[:BATCH]):
        last = players[-1].pk
        yield players
