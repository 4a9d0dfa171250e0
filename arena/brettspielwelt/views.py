"""The page of the statistics in the admin.

    Figures (what was counted last) ──▶ figures beside the published ones, charts, and what they show as tables

Nothing is counted for a page: ``statistics.refresh`` does that, after imports and in ``manage.py bw_stats``.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from arena.brettspielwelt import charts
from arena.brettspielwelt.elo import NEWCOMER_GAMES
from arena.brettspielwelt.models import Game
from arena.brettspielwelt.statistics import FIGURES, Number, Statistics, is_current, percent, share, stored
from arena.charts import POLICY, binned
from games.admin import ReadOnly

Row = Sequence[str]
COUNTS = ("games", "finished_games", "rounds", "usable_rounds")


class Section(NamedTuple):
    """A chart with its words and its table.

    :ivar name: of the chart; ``says`` what one sees, ``alt`` what it says to those who do not.
    :ivar rows: the first cell of each is its head.
    """

    name: str
    title: str
    says: str
    alt: str
    head: Row
    rows: list[Row]


def number(value: Number, written: Callable[[float], str] = "{:,.0f}".format) -> str:
    """
    >>> number(1234.5), number(None)
    ('1,234', '–')
    """
    return "–" if value is None else written(value)


def beside(all: Statistics) -> list[Row]:
    """The figures for which others have published theirs: label, own one, that of 169 rounds, that of the archives."""
    rows: list[Row] = []
    title = ""
    for figure in FIGURES:
        if figure.label.startswith(" "):
            label = f"{title}, {figure.label.strip()}"
        else:
            label = title = figure.label
        rows.append(
            [label, *(number(value, figure.written) for value in (figure.of(all), figure.sample, figure.archive))]
        )
    return rows


# --- sections ---------------------------------------------------------------------------------------------------------


def sections(all: Statistics) -> list[Section]:
    """What there is something of."""
    made = (stock, differences, cumulated, calls, wishes, bombs, ratings, calibration, findings)
    return [section for section in (make(all) for make in made) if section.rows]


def stock(all: Statistics) -> Section:
    flagged = sum(stock.flagged_games for stock in all.stock)
    return Section(
        "stock",
        "Games by year",
        "The pale part of a bar: games with at least one finding.",
        f"{all.games:,} games by year, {flagged:,} of them with a finding.",
        ["year", "games", "finished", "with a finding", "rounds"],
        [
            [_year(stock.year), *map(number, (stock.games, stock.finished_games, stock.flagged_games, stock.rounds))]
            for stock in all.stock
        ],
    )


def differences(all: Statistics) -> Section:
    return Section(
        "differences",
        "Score of a round",
        "Points of seats 0 and 2 less those of seats 1 and 3. A double victory makes 200, a call 100 or 200 more.",
        f"Rounds by their difference: {number(all.mean_difference, '{:+.1f}'.format)} on average, standard deviation "
        f"{number(all.standard_deviation, '{:.1f}'.format)}.",
        ["points, ± 25", "rounds", "share"],
        [
            [f"{points:+}" if points else "0", f"{rounds:,}", percent(rounds / all.usable_rounds)]
            for points, rounds in binned(all.results).items()
        ],
    )


def cumulated(all: Statistics) -> Section:
    ends = [f"after {one.round} rounds {one.winners.mean:.0f} to {one.losers.mean:.0f}" for one in all.cumulated]
    return Section(
        "cumulated",
        "Score of a game",
        "How the teams that win and lose in the end stand after each round: the mean, and as a band the middle eight "
        "tenths of the games. Only finished games count, each as long as it lasted; what fewer than one in a hundred "
        "reached is not drawn.",
        f"Mean scores of winners and losers: {', '.join(ends[1:10:3])}.",
        [
            "rounds",
            "games",
            *(f"{team}, {what}" for team in ("winners", "losers") for what in ("mean", "10%", "50%", "90%")),
        ],
        [
            [
                str(one.round),
                f"{one.games:,}",
                *(
                    number(value)
                    for team in (one.winners, one.losers)
                    for value in (team.mean, team.low, team.median, team.high)
                ),
            ]
            for one in all.cumulated
        ],
    )


def calls(all: Statistics) -> Section:
    says = [f"seat {seat}: {number(one.tichu.per_seat, percent)}" for seat, one in enumerate(all.seats)]
    return Section(
        "calls",
        "Calls by seat",
        "Which share of the hands called Tichu and grand Tichu. Pale: lost.",
        f"Tichu calls per hand: {', '.join(says)}. Grand Tichu calls and how many were made stand in the table.",
        ["seat", "Tichu", "made", "grand Tichu", "made", "first out"],
        [
            [
                str(number_of),
                *(
                    number(value, percent)
                    for value in (
                        seat.tichu.per_seat,
                        seat.tichu.made,
                        seat.grand_tichu.per_seat,
                        seat.grand_tichu.made,
                        seat.first_out,
                    )
                ),
            ]
            for number_of, seat in enumerate(all.seats)
            if all.usable_rounds
        ],
    )


def wishes(all: Statistics) -> Section:
    times = charts.wished(all)
    most = max(times, key=lambda rank: times[rank])
    wish = f"with a wish for {charts.rank(most)}" if most else "without a wish"
    return Section(
        "wishes",
        "Wishes",
        "Which share of the Mah Jongs was played with which wish; the first bar is without one.",
        f"The Mah Jong is most often played {wish}: {number(share(times[most], all.mah_jongs), percent)}; "
        f"without a wish {number(all.without_wish, percent)}.",
        ["wish", "times", "share"],
        [
            [charts.rank(rank) if rank else "none", f"{count:,}", percent(count / all.mah_jongs)]
            for rank, count in times.items()
            if all.mah_jongs
        ],
    )


def bombs(all: Statistics) -> Section:
    kinds = f"{all.bombs.four_of_a_kind:,} of four cards and {all.bombs.straight_flush:,} straight flushes"
    return Section(
        "bombs",
        "Bombs",
        f"In which share of the rounds so many bombs were played. There were {kinds}; in "
        f"{number(all.bomb_held, percent)} of the rounds somebody had one in the hand.",
        f"Rounds by bombs: {number(share(all.rounds_by_bombs.get(0, 0), all.usable_rounds), percent)} without one.",
        ["bombs", "rounds", "share"],
        [
            [str(bombs), f"{rounds:,}", percent(rounds / all.usable_rounds)]
            for bombs, rounds in all.rounds_by_bombs.items()
        ],
    )


def ratings(all: Statistics) -> Section:
    rated = all.elo.ratings.values()
    players, experienced = sum(row.players for row in rated), sum(row.experienced for row in rated)
    return Section(
        "ratings",
        "Elo",
        f"Players with a finished game. The pale part of a bar: those with fewer than {NEWCOMER_GAMES} games.",
        f"{players:,} players by Elo, {experienced:,} of them with {NEWCOMER_GAMES} games or more.",
        ["Elo, ± 25", "players", f"of {NEWCOMER_GAMES} games or more"],
        [[str(rating), f"{row.players:,}", f"{row.experienced:,}"] for rating, row in all.elo.ratings.items()],
    )


def calibration(all: Statistics) -> Section:
    error = number(all.elo.mean_squared_error, "{:.3f}".format)
    games = sum(bin.games for bin in all.elo.calibration)
    return Section(
        "calibration",
        "What Elo foretells",
        "Games by what the ratings before them promised seats 0 and 2. The dot is what they scored, with its 95% "
        "interval; a won game is 100%. On the line both are the same. The mean squared error is "
        f"{error}; published for the archive: 0.238; knowing nothing makes 0.25.",
        f"Scored over expected in {games:,} games; mean squared error {error}.",
        ["expected", "scored", "from", "to", "games"],
        [
            [
                percent(bin.expected),
                percent(bin.scored),
                *map(percent, charts.interval(bin.scored, bin.games)),
                f"{bin.games:,}",
            ]
            for bin in all.elo.calibration
        ],
    )


def findings(all: Statistics) -> Section:
    years = [stock.year for stock in all.stock]
    games = {(found.code, found.year): found.games for found in all.findings}
    found = charts.found(all)
    most = f"; the most frequent one is {_words(found[0][0])}, in {found[0][1]:,}" if found else ""
    return Section(
        "findings",
        "Findings",
        "How many games have something wrong, and which share of all that is. The table has the games of each year.",
        f"{len(found)} kinds of findings by the number of games{most}.",
        ["finding", "rounds", "games", *map(_year, years)],
        [
            [_words(code), number(rounds), number(total), *(number(games.get((code, year), 0)) for year in years)]
            for code, total, rounds in found
        ],
    )


def _year(year: int | None) -> str:
    return "unknown" if year is None else str(year)


def _words(code: str) -> str:
    return code.replace("_", " ")


# --- the page ---------------------------------------------------------------------------------------------------------


class StatisticsPage(ReadOnly, admin.ModelAdmin):
    """Stands in the index like a list."""

    class Media:
        css = {"all": ["arena/admin.css", "arena/brettspielwelt.css"]}

    def get_urls(self) -> list[URLPattern]:
        def view(route: str, function: Any, name: str) -> Any:
            view = self.admin_site.admin_view(function, cacheable=True)
            return path(route, view, name=f"brettspielwelt_figures_{name}")

        return [view("", self.changelist_view, "changelist"), view("<slug:name>.svg", self.chart_view, "chart")]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        counted = stored()
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": "Statistics",
            "media": self.media,
            "is_empty": not Game.objects.exists(),
        }
        if counted and not context["is_empty"]:
            all, when = counted
            context |= {
                "all": all,
                "when": when,
                "counts": {name: f"{getattr(all, name):,}" for name in COUNTS},
                "is_current": is_current(),
                "figures": beside(all),
                "sections": list(_drawn(sections(all), all, f"{when:%Y%m%d%H%M%S%f}")),
            }
        return TemplateResponse(request, "admin/brettspielwelt/figures/change_list.html", context)

    def chart_view(self, request: HttpRequest, name: str) -> HttpResponse:
        """``?size=narrow`` for phones; ``counted`` makes the address of other figures another one."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        counted, draw = stored(), charts.CHARTS.get(name)
        if not counted or not draw or name not in {section.name for section in sections(counted[0])}:
            raise Http404
        size = charts.size_of(name, counted[0], narrow=request.GET.get("size") == "narrow")
        headers = {"Content-Security-Policy": POLICY, "Cache-Control": "private, max-age=600"}
        return HttpResponse(draw(counted[0], size), content_type="image/svg+xml", headers=headers)


def _drawn(sections: Iterable[Section], all: Statistics, counted: str) -> Iterable[dict[str, Any]]:
    """With what a picture needs."""
    for section in sections:
        url = reverse("admin:brettspielwelt_figures_chart", args=[section.name])
        yield section._asdict() | {
            "url": f"{url}?counted={counted}",
            "wide": charts.size_of(section.name, all, narrow=False),
            "narrow": charts.size_of(section.name, all, narrow=True),
        }
