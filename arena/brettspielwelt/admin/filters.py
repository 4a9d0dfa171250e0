"""What lists are filtered by: each filter has choices, and takes no others."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.http import HttpRequest

from arena.brettspielwelt.admin.lists import words
from arena.brettspielwelt.findings import Code
from arena.brettspielwelt.models import Game, GameSeat, Player, RoundSeat, SeatChange

FEW_PLAYERS = 200  # whose games can all be looked up


# --- who played -------------------------------------------------------------------------------------------------------


def named(word: str) -> QuerySet[Player]:
    """Whose names have this in them."""
    return Player.objects.filter(name__icontains=word).order_by()


def are_few(players: QuerySet[Player]) -> bool:
    return players[: FEW_PLAYERS + 1].count() <= FEW_PLAYERS


def games_of(players: QuerySet[Player]) -> Q:
    """Games in which one of them played, if only some rounds. Of many players each game is asked in turn: soon there
    are enough to list."""
    if are_few(players):
        return Q(pk__in=_of(GameSeat, players)) | Q(pk__in=_of(SeatChange, players))
    return Q(Exists(_seats(GameSeat, players))) | Q(Exists(_seats(SeatChange, players)))


def rounds_of(players: QuerySet[Player]) -> Q:
    """Rounds that one of them played. There is no index from players to rounds: the games of few lead there."""
    seats = RoundSeat.objects.filter(round=OuterRef("pk"), player__in=players.values("pk"))
    if are_few(players):
        return Q(Exists(seats), game__in=Game.objects.filter(games_of(players)).order_by().values("pk"))
    return Q(Exists(seats))


def _of(seats: type[GameSeat | SeatChange], players: QuerySet[Player]) -> QuerySet[Any, Any]:
    return seats._default_manager.filter(player__in=players.values("pk")).order_by().values("game")


def _seats(seats: type[GameSeat | SeatChange], players: QuerySet[Player]) -> QuerySet[Any]:
    return seats._default_manager.filter(game=OuterRef("pk"), player__in=players.values("pk")).order_by()


# --- filters ----------------------------------------------------------------------------------------------------------


class Filter(admin.SimpleListFilter):
    """Takes none but what it offers."""

    def has_output(self) -> bool:
        """Also if nothing is offered but something asked for: else that would be passed over."""
        return self.value() is not None or super().has_output()

    def queryset(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        if value is None:
            return rows
        if value not in [choice for choice, _ in self.lookup_choices]:
            raise IncorrectLookupParameters(f"{self.parameter_name}={value}")
        return rows.filter(self.condition(value))

    def condition(self, value: str) -> Q:
        raise NotImplementedError


class MonthFilter(Filter):
    """The years; of that which is chosen the months, too."""

    title = "month"
    parameter_name = "month"
    field = "month"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        # Two queries: for one that asks for both ends SQLite would read all of the index.
        months = Game.objects.filter(month__isnull=False).values_list("month", flat=True)
        first, last = months.order_by("month").first(), months.order_by("-month").first()
        choices = []
        for year in range(last.year, first.year - 1, -1) if first and last else ():
            choices.append((str(year), str(year)))
            if (self.value() or "").startswith(str(year)):
                choices += [(f"{year}-{month:02}", f"{date(year, month, 1):%B %Y}") for month in range(1, 13)]
        return choices

    def condition(self, value: str) -> Q:
        year, _, month = value.partition("-")
        if month:
            return Q(**{self.field: date(int(year), int(month), 1)})
        return Q(**{f"{self.field}__year": int(year)})


class RoundMonthFilter(MonthFilter):
    field = "game__month"


class PlayerFilter(Filter):
    """Set by links from players; else it is not shown."""

    title = "player"
    parameter_name = "player"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        value = self.value() or ""
        players = Player.objects.filter(pk=int(value)) if value.isdecimal() and len(value) < 19 else ()
        return [(str(player.pk), str(player)) for player in players]

    def condition(self, value: str) -> Q:
        return games_of(Player.objects.filter(pk=int(value)))


class FindingFilter(Filter):
    """By the first finding: the only one for which the row itself has an index."""

    title = "first finding"
    parameter_name = "finding"
    field = "finding"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [("none", "none"), ("any", "any"), *((code.value, words(code)) for code in Code)]

    def condition(self, value: str) -> Q:
        if value == "any":
            return ~Q(**{self.field: ""})
        return Q(**{self.field: "" if value == "none" else value})


class StateFilter(FindingFilter):
    field = "state"


class ScoreFilter(Filter):
    """By the computed score.

    :cvar leads: points.
    """

    title = parameter_name = "score"
    leads: Sequence[int]

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [("equal", "equal"), *((str(lead), f"{lead:,} or more apart") for lead in self.leads)]

    def condition(self, value: str) -> Q:
        if value == "equal":
            return Q(score_20=F("score_31"))
        return Q(score_20__gte=F("score_31") + int(value)) | Q(score_31__gte=F("score_20") + int(value))


class GameScoreFilter(ScoreFilter):
    leads = (500, 1000, 1500, 2000)


class RoundScoreFilter(ScoreFilter):
    leads = (100, 200, 300, 400)

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [*super().lookups(request, model_admin), ("other", "not as logged")]

    def condition(self, value: str) -> Q:
        if value != "other":
            return super().condition(value)
        # Such a round has a finding, and by findings there is an index.
        return Q(state__gt="", is_usable=True) & ~Q(logged_20=F("score_20"), logged_31=F("score_31"))


class CountFilter(Filter):
    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin) -> list[tuple[str, str]]:
        return [("0", "none"), *((str(least), f"{least} or more") for least in range(1, 5))]

    def condition(self, value: str) -> Q:
        lookup = "gte" if int(value) else "exact"
        return Q(**{f"{self.parameter_name}__{lookup}": int(value)})


class CallsFilter(CountFilter):
    title = parameter_name = "calls"


class BombsFilter(CountFilter):
    title = parameter_name = "bombs"
