"""Lists of what may be millions, and what stands in their cells."""

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, Prefetch, QuerySet
from django.urls import reverse
from django.utils.functional import cached_property

from arena.brettspielwelt.models import Game, GameSeat, SeatChange
from games.admin import ReadOnly

MOST_LISTED = 10_000  # rows of a list that can be turned to
SEATS = (  # that :func:`players_of` reads
    Prefetch("seats", GameSeat.objects.select_related("player")),
    Prefetch("seat_changes", SeatChange.objects.select_related("player")),
)


class BoundedPaginator(Paginator):
    """Counts no further than it lists."""

    most = MOST_LISTED

    @cached_property
    def count(self) -> int:
        rows: QuerySet[Model] = self.object_list  # type: ignore[assignment]
        return rows.order_by()[: self.most].count()


class Listed(ReadOnly, admin.ModelAdmin):
    """A long list of what nobody changes."""

    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    class Media:
        css = {"all": ["arena/admin.css", "arena/brettspielwelt.css"]}


# --- cells ------------------------------------------------------------------------------------------------------------


def score(team_20: int | None, team_31: int | None) -> str:
    """
    >>> score(1035, -35), score(None, None)
    ('1035 : -35', '–')
    """
    return "–" if team_20 is None or team_31 is None else f"{team_20} : {team_31}"


def words(code: str) -> str:
    """
    >>> words("played_on"), words("")
    ('played on', '–')
    """
    return code.replace("_", " ") or "–"


def made(made: int, calls: int) -> str:
    """
    >>> made(1, 3), made(0, 0)
    ('3, 33% made', '–')
    """
    return f"{calls:,}, {made / calls:.0%} made" if calls else "–"


def players_of(game: Game) -> str:
    """Team 20 – team 31; later whoever took over a seat."""
    names = {seat.seat: str(seat.player) for seat in game.seats.all()}
    teams = " – ".join(", ".join(names.get(seat, "?") for seat in team) for team in ((0, 2), (1, 3)))
    later = dict.fromkeys(str(change.player) for change in game.seat_changes.all())
    return f"{teams}; later {', '.join(later)}" if later else teams


def replay_url(game: Game, number: int) -> str:
    """
    :param number: of the round, from 1.
    """
    return f"{reverse('replay-log', args=[game.key])}#r{number}.0"
