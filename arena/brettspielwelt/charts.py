"""Charts of the statistics, drawn like those of the arena (:mod:`arena.charts`)."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, sqrt
from typing import Any

import pygal

from arena.brettspielwelt.statistics import RATING_BIN, Spread, Statistics
from arena.charts import NARROW, WIDE, Size, blank, call_bars, render, results, ticks
from arena.reporting import HUMAN

RARE = 0.01  # share of the games; what fewer have is not drawn
LETTER, GAP = 8.3, 6  # pixels that one of a label takes, and that stand between two labels

Draw = Callable[[Statistics, Size], bytes]


def rank(value: int) -> str:
    """
    >>> rank(10), rank(14), rank(0)
    ('10', 'A', '–')
    """
    return {0: "–", 11: "J", 12: "Q", 13: "K", 14: "A"}.get(value, str(value))


def wished(all: Statistics) -> dict[int, int]:
    """How many Mah Jongs were played with which wish; [0] without one."""
    return {0: all.mah_jongs - sum(all.wishes.values())} | all.wishes


def found(all: Statistics) -> list[tuple[str, int, int]]:
    """Codes with the games and rounds that have them, the most frequent ones first."""
    sums: dict[str, tuple[int, int]] = {}
    for row in all.findings:
        games, rounds = sums.get(row.code, (0, 0))
        sums[row.code] = games + row.games, rounds + row.rounds
    return sorted(((code, *counts) for code, counts in sums.items()), key=lambda row: (-row[1], row[0]))


def size_of(name: str, all: Statistics, *, narrow: bool) -> Size:
    """Most charts have one of two sizes; that of the findings has a line for each."""
    size = NARROW if narrow else WIDE
    return size._replace(height=24 * len(found(all)) + 56) if name == "findings" else size


# --- the charts -------------------------------------------------------------------------------------------------------


def stock(all: Statistics, size: Size) -> bytes:
    """Games by year, those with a finding pale."""
    years = [str(stock.year or "?") for stock in all.stock]
    bars = [(stock.games - stock.flagged_games, stock.flagged_games) for stock in all.stock]
    return _columns("stock", size, years, bars, "{:,.0f}".format)


def differences(all: Statistics, size: Size) -> bytes:
    """Results of the rounds."""
    return results(all.results, ("seats 0, 2", "seats 1, 3"), size)


def cumulated(all: Statistics, size: Size) -> bytes:
    """How those who win and those who lose stand after each round: the mean, and the middle eight tenths as a band."""
    shown = [standing for standing in all.cumulated if standing.games >= RARE * all.finished_games]
    looks = ["second pale", "first pale", "second", "first", "second", "first"]
    chart = blank(pygal.XY, "standings", size, looks, show_dots=False, print_labels=True)
    chart.x_title = "rounds"
    chart.xrange = (0, len(shown))
    chart.x_labels = ticks(0, len(shown), 5 if _is_narrow(size) else 10)
    chart.x_value_formatter = chart.value_formatter = "{:,.0f}".format
    teams = [("losers", [one.losers for one in shown]), ("winners", [one.winners for one in shown])]
    bottom = min(0, *(spread.low for _, spreads in teams for spread in spreads))
    top = max(1000, *(spread.high for _, spreads in teams for spread in spreads))
    chart.range = (bottom, top)
    chart.y_labels = ticks(bottom, top, 8)

    def line(spreads: Sequence[Spread], of: Callable[[Spread], float]) -> list[tuple[int, float]]:
        return [(0, 0), *((rounds, of(spread)) for rounds, spread in enumerate(spreads, 1))]

    for name, spreads in teams:
        chart.add(name, line(spreads, lambda spread: spread.low) + line(spreads, lambda spread: spread.high)[::-1])
    for name, spreads in teams:
        chart.add(name, line(spreads, lambda spread: spread.mean))
    for name, spreads in teams:
        end = {"value": (len(shown), spreads[-1].mean), "label": name}
        chart.add(name, [end], show_dots=True, dots_size=4)
    return render(chart)


def calls(all: Statistics, size: Size) -> bytes:
    """Calls by seat, beside those of the archives."""
    seats = [
        (f"seat {number}", "second" if number & 1 else "first", seat.tichu, seat.grand_tichu)
        for number, seat in enumerate(all.seats)
    ]
    return call_bars([*seats, ("archives", "people", HUMAN.tichu, HUMAN.grand_tichu)], size)


def wishes(all: Statistics, size: Size) -> bytes:
    """Mah Jongs by wish, in percent."""
    times = wished(all)
    bars = [(100 * count / all.mah_jongs,) for count in times.values()]
    return _columns("wishes", size, list(map(rank, times)), bars, _percent)


def bombs(all: Statistics, size: Size) -> bytes:
    """Rounds by the number of bombs that were played, in percent."""
    bars = [(100 * rounds / all.usable_rounds,) for rounds in all.rounds_by_bombs.values()]
    return _columns("bombs", size, [str(number or "none") for number in all.rounds_by_bombs], bars, _percent)


def ratings(all: Statistics, size: Size) -> bytes:
    """Players by Elo; those with few games pale."""
    bins = filled(all.elo.ratings, RATING_BIN)
    bars = [(row.experienced, row.players - row.experienced) if row else (0, 0) for row in bins.values()]
    return _columns("ratings", size, list(map(str, bins)), bars, "{:,.0f}".format)


def calibration(all: Statistics, size: Size) -> bytes:
    """What team 20 has scored over what was expected of it, with 95 % intervals; right forecasts lie on the line."""
    chart = blank(pygal.XY, "calibration", size, ["people", "first pale", "first"], show_dots=False)
    chart.x_title = "expected"
    chart.xrange = chart.range = (0, 1)
    chart.x_labels = chart.y_labels = [0, 0.25, 0.5, 0.75, 1]
    chart.x_value_formatter = chart.value_formatter = "{:.0%}".format
    chart.add("right", [(0, 0), (1, 1)])
    intervals: list[Any] = []
    for bin in all.elo.calibration:
        low, high = interval(bin.scored, bin.games)
        intervals += [(bin.expected, low), (bin.expected, high), (None, None)]
    chart.add("interval", intervals, allow_interruptions=True)
    dots = [(bin.expected, bin.scored) for bin in all.elo.calibration]
    chart.add("scored", dots, show_dots=True, dots_size=4, stroke=False)
    return render(chart)


def findings(all: Statistics, size: Size) -> bytes:
    """Games by finding."""
    rows = found(all)[::-1]  # pygal begins at the bottom
    chart = blank(pygal.HorizontalBar, "findings", size, ["first"], print_labels=True, print_values_position="top")
    chart.x_labels = [code.replace("_", " ") for code, _, _ in rows]
    chart.y_labels = [0]
    chart.value_formatter = lambda value: ""
    chart.range = (0, max(games for _, games, _ in rows) * (3 if _is_narrow(size) else 1.4))  # with room for the label
    chart.add("games", [{"value": games, "label": f"{games:,}, {games / all.games:.2%}"} for _, games, _ in rows])
    return render(chart)


CHARTS: dict[str, Draw] = {
    draw.__name__: draw
    for draw in (stock, differences, cumulated, calls, wishes, bombs, ratings, calibration, findings)
}


# --- parts ------------------------------------------------------------------------------------------------------------


def filled(bins: Mapping[int, Any], width: int) -> dict[int, Any]:
    """With the empty bins between others, as None.

    >>> filled({100: 1, 200: 2}, 50)
    {100: 1, 150: None, 200: 2}
    """
    return {at: bins.get(at) for at in range(min(bins), max(bins) + 1, width)} if bins else {}


def interval(share: float, games: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson).

    >>> [round(end, 3) for end in interval(0.5, 100)]
    [0.404, 0.596]
    """
    square = 1.96**2 / games
    middle = (share + square / 2) / (1 + square)
    half = sqrt(share * (1 - share) * square + square * square / 4) / (1 + square)
    return middle - half, middle + half


def _columns(
    name: str, size: Size, labels: Sequence[str], bars: Sequence[tuple[float, ...]], written: Callable[[float], str]
) -> bytes:
    """
    :param bars: of each label its parts: the second pale.
    """
    chart = blank(pygal.StackedBar, name, size, ["first", "first pale"])
    room = sum(LETTER * len(label) + GAP for label in labels)
    step = ceil(room / (size.width - 70))  # so many bars share a label
    chart.x_labels = [label if at % step == 0 else "" for at, label in enumerate(labels)]
    chart.value_formatter = written
    for part in range(len(bars[0])):
        chart.add(str(part), [bar[part] for bar in bars])
    return render(chart)


def _percent(value: float) -> str:
    return f"{value:.0f}%"


def _is_narrow(size: Size) -> bool:
    return size.width == NARROW.width
