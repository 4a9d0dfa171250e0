"""Charts of trainings, drawn like those of the arena (:mod:`arena.charts`), over the minutes of training.

They show what the lines of a log have; what none of them has is not drawn.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pygal

from arena.charts import NARROW, Size, blank, plus_minus, render, ticks
from arena.learning.folder import Line
from arena.statistics import Interval

LOOKS = ("first", "second", "people")


class Series(NamedTuple):
    """A line of a chart.

    :ivar look: its class in the style sheet.
    :ivar of: its value, of a line of progress that has it.
    """

    name: str
    look: str
    of: Callable[[Line], float | None]


class Curves(NamedTuple):
    """A chart of what lines of progress say.

    :ivar keys: that a line must have.
    :ivar form: of the values.
    """

    title: str
    keys: tuple[str, ...]
    form: str
    series: tuple[Series, ...]

    def points(self, series: Series, lines: Sequence[Line]) -> list[tuple[float, float]]:
        """What is drawn: minutes and values."""
        found = (
            (line["minutes"], series.of(line))
            for line in lines
            if line["kind"] == "progress" and all(key in line for key in self.keys)
        )
        return [(minutes, value) for minutes, value in found if value is not None]


def share(of: str, what: str) -> Callable[[Line], float | None]:
    """Calls that are made, or that the critic expects to be: a share of those of a kind."""
    return lambda line: line[of][what] / line[of]["count"] if line[of]["count"] else None


def per_seat(of: str) -> Callable[[Line], float | None]:
    return lambda line: line[of]["count"] / line["seats"] if line["seats"] else None


CURVES = {
    "explained": Curves(
        "Variance of the results that the critic explains",
        ("explained",),
        "{:.0%}",
        (Series("explained", "first", lambda line: line["explained"]),),
    ),
    "foretold": Curves(
        "Answers that are foretold, in training",
        ("top1",),
        "{:.0%}",
        (Series("foretold", "first", lambda line: line["top1"]),),
    ),
    "same": Curves(
        "Answers that are those of the teacher",
        ("same", "same_calls"),
        "{:.0%}",
        (
            Series("all answers", "first", lambda line: line["same"]),
            Series("calls", "second", lambda line: line["same_calls"]),
        ),
    ),
    "entropy": Curves(
        "Entropy of a choice",
        ("entropy",),
        "{:.2f}",
        (Series("entropy", "first", lambda line: line["entropy"]),),
    ),
    "called": Curves(
        "Calls per hand, in training",
        ("tichu", "grand", "seats"),
        "{:.0%}",
        (Series("Tichu called", "first", per_seat("tichu")), Series("grand called", "second", per_seat("grand"))),
    ),
    "made": Curves(
        "Calls made, and those that the critic expects to be (dashed)",
        ("tichu", "grand"),
        "{:.0%}",
        (
            Series("Tichu made", "first", share("tichu", "made")),
            Series("Tichu expected", "first pale", share("tichu", "expected")),
            Series("grand made", "second", share("grand", "made")),
            Series("grand expected", "second pale", share("grand", "expected")),
        ),
    ),
}


def measured(lines: Sequence[Line]) -> dict[str, list[tuple[float, Interval]]]:
    """By opponent: the minutes, and the points a round."""
    found: dict[str, list[tuple[float, Interval]]] = {}
    for line in lines:
        if line["kind"] == "strength":
            points = line["points"]
            if None not in points.values():  # without an end
                found.setdefault(line["opponent"], []).append((line["minutes"], Interval(**points)))
    return found


def strength(lines: Sequence[Line], size: Size) -> bytes:
    """Points a round over each agent, with the 95 % interval as a band."""
    found = list(measured(lines).items())[: len(LOOKS)]
    looks = [look for who in range(len(found)) for look in (f"{LOOKS[who]} pale", LOOKS[who], LOOKS[who])]
    chart = blank(pygal.XY, "strength", size, looks, show_dots=False, print_labels=True)
    intervals = [interval for _, points in found for _, interval in points]
    low = min([0.0, *(interval.low for interval in intervals)])
    high = max([1.0, *(interval.high for interval in intervals)])
    high += (high - low) / 5  # room for a label
    _scales(chart, size, max(minutes for _, points in found for minutes, _ in points), low, high)
    chart.value_formatter = lambda value: f"{value:+.0f}" if round(value) else "0"
    for opponent, points in found:
        band = [(minutes, interval.low) for minutes, interval in points]
        band += [(minutes, interval.high) for minutes, interval in points[::-1]]
        chart.add("interval", band)
        chart.add("mean", [(minutes, interval.mean) for minutes, interval in points])
        minutes, last = points[-1]
        label = f"over {opponent} {plus_minus(last)}"
        chart.add("end", [{"value": (minutes, last.mean), "label": label}], show_dots=True, dots_size=4)
    return render(chart)


def curves(name: str, lines: Sequence[Line], size: Size) -> bytes:
    """A chart of ``CURVES``."""
    one = CURVES[name]
    chart = blank(pygal.XY, name, size, [series.look for series in one.series], show_dots=False)
    if len(one.series) > 1:
        chart.show_legend = chart.legend_at_bottom = True
        chart.legend_at_bottom_columns = 2
    drawn = [(series.name, one.points(series, lines)) for series in one.series]
    values = [point for _, points in drawn for point in points]
    top = max(value for _, value in values)
    _scales(
        chart, size, max(minutes for minutes, _ in values), min(0.0, *(value for _, value in values)), top * 1.05 or 1.0
    )
    # The scale has round numbers: each with the decimals that it needs.
    chart.value_formatter = (lambda value: f"{100 * value:.3g}%") if "%" in one.form else "{:.3g}".format
    for series, points in drawn:
        chart.add(series, points, show_dots=len(points) == 1)  # there is no line through one point
    return render(chart)


def _scales(chart: Any, size: Size, minutes: float, low: float, high: float) -> None:
    minutes = max(minutes, 0.1)
    chart.x_title = "minutes"
    chart.xrange = (0, minutes)
    chart.x_labels = ticks(0, minutes, 4 if size is NARROW else 8)
    chart.x_value_formatter = "{:g}".format
    chart.range = (low, high)
    chart.y_labels = ticks(low, high, 6)
