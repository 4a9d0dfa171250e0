"""Charts of runs as SVG documents, laid out by pygal.

What pygal adds for its script (scripts, tooltips, style attributes) is taken out again, and its style sheet is replaced
by :data:`STYLE`, which knows the light and the dark theme. :data:`POLICY` allows this one sheet by its hash and nothing
else (docs/decisions/0014-charts.md).

Each chart comes in two sizes, since text in a picture that is scaled down to a phone cannot be read. The first team is
blue, the second orange, people are grey.
"""

import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from math import ceil, floor, isfinite, log10
from typing import Any, NamedTuple

import pygal
from pygal.etree import etree
from pygal.style import Style

from arena.reporting import HABITS, HUMAN, Calls, Habits, Panel
from arena.statistics import Interval, interval_of
from arena.tally import Ratio

# pygal looks for its map plugins in every import of the process, in a way that Python warns of (and 3.12 ignores).
sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, pygal.PluginImportFixer)]

STYLE = """
svg { --ink: #222; --quiet: #666; --hair: #ddd; --first: #1868a8; --second: #b8500a; --people: #6b6b6b }
@media (prefers-color-scheme: dark) {
  svg { --ink: #eee; --quiet: #b8b8b8; --hair: #383838; --first: #6cb2ee; --second: #f0984e; --people: #b0b0b0 }
}
.first { --mark: var(--first) } .second { --mark: var(--second) } .people { --mark: var(--people) }
rect, circle { fill: var(--mark) }
.pale { fill-opacity: .4 }
.background { fill: none }
text { font: 13px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: var(--quiet); fill-opacity: 1 }
.axis.x text, .title { text-anchor: middle }
.axis.y text { text-anchor: end }
.label, .legend text, .calls .axis text, .behaviour .axis.y text { fill: var(--ink) }
.line { fill: none; stroke: var(--hair) }
.axis.x .guide, .calls .guide { stroke: none }
.axis > .line, .axis .axis.line { stroke: var(--quiet) }
.series .line { stroke: var(--mark); stroke-width: 2 }
:is(.narrowing, .standings, .strength) .pale .line { fill: var(--mark); fill-opacity: .2; stroke: none }
:is(.narrowing, .standings, .strength) .label { text-anchor: end; font-weight: 600; transform: translate(-13px, -30px) }
.made .pale .line { stroke-dasharray: 5 4 }
.behaviour .axis.x .guide { stroke: var(--hair) }
.behaviour .people, .behaviour .pale { fill-opacity: 0; stroke: var(--mark); stroke-width: 2 }
"""
POLICY = f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'"

FONT = Style(label_font_size=13, major_label_font_size=13, value_font_size=13, legend_font_size=13, title_font_size=13)
BIN = 50  # points


class Size(NamedTuple):
    """In CSS pixels."""

    width: int
    height: int


WIDE, NARROW = Size(640, 320), Size(340, 300)


class Point(NamedTuple):
    """What was known after some rounds: points per round."""

    rounds: int
    interval: Interval


def narrowed(batches: Iterable[Ratio], most: int = 60) -> list[Point]:
    """How the interval of the points per round narrowed.

    :param batches: the sums of each, in their order.
    :param most: so many points at most, evenly spread over the batches.
    """
    sums: list[Ratio] = []
    total = Ratio()
    for batch in batches:
        total += batch
        sums.append(total)
    step = max(1, ceil(len(sums) / most))
    return [Point(round(total.n), interval_of(total)) for total in sums[::-step][::-1] if total.pairs > 1]


def binned(results: Mapping[int, int]) -> dict[int, int]:
    """How many rounds by the middle of their bin; bins without rounds between others are there with 0.

    >>> binned({0: 5, 20: 1, -30: 2, 100: 3})
    {-50: 2, 0: 6, 50: 0, 100: 3}
    """
    counts: dict[int, int] = {}
    for difference, rounds in results.items():
        middle = round(difference / BIN) * BIN
        counts[middle] = counts.get(middle, 0) + rounds
    return {middle: counts.get(middle, 0) for middle in range(min(counts), max(counts) + BIN, BIN)} if counts else {}


# --- the charts -------------------------------------------------------------------------------------------------------


def narrowing(points: Sequence[Point], size: Size) -> bytes:
    """Points per round with the 95 % interval as a band, over the rounds played.

    The scale is that of the band after the first tenth of the rounds; what is wider before is cut off.
    """
    last = points[-1] if points else Point(4, Interval(0, 0, 0))
    bottom, top = _scale([point.interval for point in points if point.rounds >= last.rounds / 10] or [last.interval])
    chart = blank(pygal.XY, "narrowing", size, ["first pale", "first", "first"], show_dots=False, print_labels=True)
    chart.x_title = "rounds"
    chart.xrange = (0, last.rounds)
    chart.x_labels = ticks(0, last.rounds, 3 if size is NARROW else 6)
    chart.x_value_formatter = "{:,.0f}".format
    chart.range = (bottom, top)
    chart.y_labels = ticks(bottom, top, 6)
    decimals = 0 if all(label == round(label) for label in chart.y_labels) else 1
    chart.value_formatter = lambda value: f"{value:+.{decimals}f}" if value else "0"

    def line(of: Callable[[Interval], float]) -> list[tuple[int, float]]:
        return [(rounds, min(max(of(interval), bottom), top)) for rounds, interval in points]

    chart.add("interval", line(lambda interval: interval.low) + line(lambda interval: interval.high)[::-1])
    chart.add("mean", line(lambda interval: interval.mean))
    end = {"value": (last.rounds, last.interval.mean), "label": plus_minus(last.interval)}
    chart.add("end", [end], show_dots=True, dots_size=4)
    return render(chart)


def _scale(intervals: Sequence[Interval]) -> tuple[float, float]:
    """From where to where: the intervals with room for a label above, a point each way at least, and 0 if it is near.

    >>> _scale([Interval(20, 10, 30)])
    (0, 36.0)
    >>> _scale([Interval(60, 50, 70), Interval(60, 59, 61)])
    (50, 74.0)
    >>> _scale([Interval(0, -0.2, 0.2)])
    (-1, 1.4)
    """
    low = min(min(interval.low, interval.mean - 1) for interval in intervals)
    high = max(max(interval.high, interval.mean + 1) for interval in intervals)
    height = high - low
    if 0 < low <= height:
        low, height = 0, high
    elif 0 > high >= -height:
        high, height = 0, -low
    return low, high + height / 5


def results(rounds: Mapping[int, int], teams: tuple[str, str], size: Size) -> bytes:
    """How the results of the rounds spread: a histogram, in percent of the rounds."""
    bins = binned(rounds) or {0: 0}
    total = sum(bins.values()) or 1
    chart = blank(pygal.Histogram, "results", size, ["second", "people", "first"])
    first, second = (_short(team, 12 if size is NARROW else 30) for team in teams)
    chart.x_title = f"←\N{NO-BREAK SPACE}{second} · {first}\N{NO-BREAK SPACE}→"  # points for whom
    chart.x_labels = [x for x in range(-1000, 1001, 200) if min(bins) <= x <= max(bins)]
    chart.x_value_formatter = _signed
    chart.value_formatter = "{:.0f}%".format
    for sign in (-1, 0, 1):
        bars = [(x, count) for x, count in bins.items() if (x > 0) - (x < 0) == sign]
        chart.add(str(sign), [(100 * count / total, x - 0.46 * BIN, x + 0.46 * BIN) for x, count in bars])
    return render(chart)


def calls(agents: Sequence[Panel], size: Size) -> bytes:
    """Calls of each agent, and of people."""
    who = [(_short(agent.agent, 12), _look(agents, agent).partition(" ")[0], agent) for agent in agents]
    rows: list[tuple[str, str, Habits]] = [*who, ("people", "people", HUMAN)]
    return call_bars([(name, look, habits.tichu, habits.grand_tichu) for name, look, habits in rows], size)


def call_bars(who: Iterable[tuple[str, str, Calls, Calls]], size: Size) -> bytes:
    """Bars of calls per hand, cut into made and lost.

    :param who: name, look ("first", "second" or "people"), small and grand calls of each.
    """
    bars = [
        (f"{name}, {kind}", look, calls)
        for name, look, tichu, grand in who
        for kind, calls in (("Tichu", tichu), ("grand", grand))
    ][::-1]  # pygal begins at the bottom
    looks = ["first", "second", "people"]
    chart = blank(
        pygal.HorizontalStackedBar, "calls", size, [f"{look}{shade}" for look in looks for shade in ("", " pale")]
    )
    chart.print_labels = True
    chart.print_values_position = "top"
    chart.x_labels = [name for name, _, _ in bars]
    chart.y_labels = [0]
    chart.value_formatter = lambda value: ""
    longest = max(calls.per_seat or 0 for _, _, calls in bars)
    chart.range = (0, longest * (3 if size is NARROW else 1.6))  # with room for the label
    for look in looks:
        made: list[Any] = []
        lost: list[Any] = []
        for _, its_look, calls in bars:
            called, share = calls.per_seat or 0, calls.made or 0
            made.append(called * share if its_look == look else None)
            lost.append({"value": called * (1 - share), "label": _calls(calls)} if its_look == look else None)
        chart.add("made", made)
        chart.add("lost", lost)
    return render(chart)


def behaviour(agents: Sequence[Panel], size: Size) -> bytes:
    """A row of dots for each habit: the agents beside people."""
    looks = ["people", *(_look(agents, agent) for agent in agents)]
    chart = blank(pygal.XY, "behaviour", size, looks, stroke=False, dots_size=5, show_x_guides=True)
    chart.show_legend = chart.legend_at_bottom = True
    chart.legend_at_bottom_columns = 1 if size is NARROW or len(looks) > 3 else len(looks)
    chart.y_labels = [{"label": label, "value": -row} for row, (label, _) in enumerate(HABITS)]
    chart.range = (0.5 - len(HABITS), 0.5)
    chart.xrange = (0, 1)
    chart.x_labels = [0, 0.5, 1] if size is NARROW else [0, 0.25, 0.5, 0.75, 1]
    chart.x_value_formatter = "{:.0%}".format
    habits: list[tuple[str, Habits]] = [("people", HUMAN), *((_short(agent.agent, 16), agent) for agent in agents)]
    for name, who in habits:
        chart.add(name, [(of(who), -row) for row, (_, of) in enumerate(HABITS) if of(who) is not None])
    return render(chart)


def _look(agents: Sequence[Panel], agent: Panel) -> str:
    """Its team's colour; the second one of unlike partners is only outlined."""
    is_second = any(other.team == agent.team for other in agents[: agents.index(agent)])
    return ("first", "second")[agent.team] + (" pale" if is_second else "")


# --- pygal ------------------------------------------------------------------------------------------------------------


def blank(kind: Any, name: str, size: Size, looks: Sequence[str], **options: Any) -> Any:
    """An empty chart.

    :param name: its class in the style sheet.
    :param looks: classes of the style sheet for each series.
    """
    chart = kind(
        width=size.width,
        height=size.height,
        explicit_size=True,
        classes=(name,),
        style=FONT,
        css=[],
        js=[],
        no_prefix=True,
        show_legend=False,
        margin=8,
        margin_right=20,
        spacing=6,
        max_scale=6,
        truncate_label=-1,
        truncate_legend=-1,
        **options,
    )
    chart.add_xml_filter(lambda svg: _plain(svg, looks))
    return chart


def _plain(svg: Any, looks: Sequence[str]) -> Any:
    """Leaves nothing but marks and texts, with our classes and our style sheet."""
    for parent in list(svg.iter()):
        for child in list(parent):
            name, classes = child.tag, child.get("class", "").split()
            if not isinstance(name, str) or name in ("defs", "desc", "title") or "tooltip" in classes:
                parent.remove(child)
            for color in (part for part in classes if part.startswith("color-")):
                child.set("class", f"{child.get('class')} {looks[int(color.removeprefix('color-'))]}")
    del svg.attrib["id"]
    etree.SubElement(svg, "style").text = STYLE
    return svg


def render(chart: Any) -> bytes:
    svg: bytes = chart.render()
    return svg


def _signed(value: float) -> str:
    return f"{value:+.0f}" if round(value) else "0"


def plus_minus(interval: Interval) -> str:
    """
    >>> plus_minus(Interval(12.34, 10.0, 14.68))
    '+12.3 ± 2.3'
    """
    if not isfinite(interval.mean):
        return "–"
    return f"{interval.mean:+.1f} ± {(interval.high - interval.low) / 2:.1f}".replace("inf", "∞")


def _short(team: str, most: int) -> str:
    """
    >>> _short("my.module.MyAgent:depth=3", 14), _short("rule+my.module.MyAgent:depth=3", 14)
    ('MyAgent:depth…', 'rule+MyAgent:…')
    """
    parts = (agent.partition(":") for agent in team.split("+"))
    text = "+".join(path.rpartition(".")[2] + colon + options for path, colon, options in parts)
    return text if len(text) <= most else text[: most - 1] + "…"


def _calls(calls: Calls) -> str:
    return f"{calls.per_seat:.1%}, {calls.made:.0%} made" if calls.per_seat else "none"


def ticks(low: float, high: float, most: int) -> list[float]:
    """So many round numbers at most.

    >>> ticks(0, 20_000, 5)
    [0, 5000, 10000, 15000, 20000]
    >>> ticks(-1, 1.4, 6)
    [-1.0, -0.5, 0.0, 0.5, 1.0]
    """
    least = (high - low) / (most - 1)
    power = floor(log10(least))
    step = next(step for step in (1, 2, 5, 10) if step * 10.0**power >= least) * 10**power
    return [count * step for count in range(ceil(low / step), floor(high / step) + 1)]
