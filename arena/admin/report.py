"""What the admin says about a run, in the list and on its page.

What is said about a run that is being played renews itself (``static/arena/live.js``). Figures come from
:mod:`arena.reporting`, as in the terminal; charts are documents of their own (:mod:`arena.charts`).
"""

from heapq import nlargest, nsmallest
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from arena import charts
from arena.models import ArenaRun
from arena.reporting import ABOUT_FIGURES, ABOUT_HABITS, Report, figures, habits, number, report
from arena.statistics import interval_of
from arena.tally import Ratio, Tally


def report_of(run: ArenaRun) -> Report:
    return report(run.job, *run.sums, run.seconds, run.verdict or None)


# --- in the list ------------------------------------------------------------------------------------------------------


def progress(run: ArenaRun, tally: Tally) -> SafeString:
    played, pairs = run.pairs_played, run.pairs
    text = f"{played:,} of {pairs:,} pairs, {played / pairs:.0%}"
    speed = f", {tally.rounds / run.seconds:,.0f} per second" if run.seconds else ""
    return format_html(
        '<progress value="{}" max="{}" aria-label="Progress of {}">{}</progress> '
        '<span class="arena-small">{}</span> <span class="arena-small">{} rounds{}</span>',
        played, pairs, run.name, text, text, f"{tally.rounds:,}", speed,
    )  # fmt: skip


def state(run: ArenaRun, tally: Tally) -> SafeString:
    faults = format_html(' <strong class="arena-bad">{} faults</strong>', f"{tally.faults:,}") if tally.faults else ""
    if run.is_silent:
        return format_html('<strong class="arena-bad">{}</strong>{}', "no sign of life", faults)
    if run.is_alive:
        return format_html("{}{}", "stopping" if run.stop_requested else "running", faults)
    if run.state == ArenaRun.State.FAILED:
        return format_html(
            '<strong class="arena-bad">failed</strong>{} <span class="arena-small">{}</span>', faults, why_failed(run)
        )
    return format_html('{}{} <span class="arena-small">{}</span>', run.state, faults, run.verdict)


def why_failed(run: ArenaRun) -> str:
    """The last line of its traceback."""
    return run.error.strip().rpartition("\n")[2]


def cells(run: ArenaRun) -> dict[str, SafeString | str]:
    """What the list says about a run, and what changes while it is played."""
    tally, _ = run.sums
    return {
        "state": state(run, tally),
        "progress": progress(run, tally),
        "points": charts.plus_minus(interval_of(tally.points)),
    }


# --- on its page ------------------------------------------------------------------------------------------------------


def narrowed(run: ArenaRun) -> list[charts.Point]:
    points = run.batches.order_by("number").values_list("tally__points", flat=True)
    return charts.narrowed(msgspec.convert(point, Ratio) for point in points.iterator())


def chart(run: ArenaRun, name: str, size: charts.Size) -> bytes | None:
    """
    :result: None if there is no such chart.
    """
    if name == "narrowing":
        return charts.narrowing(narrowed(run), size)
    if name == "results":
        return charts.results(run.sums[0].results, (run.team_20, run.team_31), size)
    if name == "calls":
        return charts.calls(report_of(run).agents, size)
    if name == "behaviour":
        return charts.behaviour(report_of(run).agents, size)
    return None


def run_report(run: ArenaRun) -> dict[str, Any]:
    """What the template of the report shows."""
    found = report_of(run)
    points = charts.plus_minus(found.points_per_round)
    tally, _ = run.sums
    bins, outcomes = charts.binned(tally.results), tally.round_outcomes
    calls = "; ".join(
        f"{agent.agent} called {kind} with {number(calls.per_seat, '{:.1%}')} of its hands and made "
        f"{number(calls.made, '{:.0%}')}"
        for agent in found.agents
        for kind, calls in (("Tichu", agent.tichu), ("grand Tichu", agent.grand_tichu))
    )
    first, second = found.teams
    return {
        "run": run,
        "cells": cells(run),
        "report": found,
        "figures": figures(found),
        "about_figures": ABOUT_FIGURES,
        "habits": habits(found.agents),
        "about_habits": ABOUT_HABITS,
        "points": [
            (f"{point.rounds:,}", *(f"{value:+.1f}" for value in msgspec.structs.astuple(point.interval)))
            for point in narrowed(run)
        ],
        "bins": [(f"{middle:+}", f"{count:,}", f"{count / found.rounds:.1%}") for middle, count in bins.items()],
        "wide": charts.WIDE,
        "narrow": charts.NARROW,
        "charts": [
            {
                "name": name,
                "title": title,
                "alt": alt,
                "url": f"{reverse('admin:arena_arenarun_chart', args=[run.pk, name])}?batches={run.batches_played}",
            }
            for name, title, alt in (
                (
                    "narrowing",
                    "Points per round as the interval narrowed",
                    f"The mean with its 95% interval over {found.rounds:,} rounds; at the end {points}.",
                ),
                (
                    "results",
                    "Results of the rounds",
                    f"Rounds by the points of {first} less those of {second}: {outcomes.wins:,} won, "
                    f"{outcomes.draws:,} drawn, {outcomes.losses:,} lost.",
                ),
                ("calls", "Calls made and lost", f"{calls}."),
                (
                    "behaviour",
                    "Behaviour beside people",
                    f"How often {' and '.join(agent.agent for agent in found.agents)} and people do what the table "
                    "of behaviour lists.",
                ),
            )
        ],
    }


# --- recorded rounds --------------------------------------------------------------------------------------------------


class Recorded(NamedTuple):
    """A recorded round.

    :ivar points: the first team's less the second's.
    """

    pair: int
    half: int
    number: int
    points: int

    @property
    def place(self) -> tuple[int, int, int]:
        return self.pair, self.half, self.number


def largest(run: ArenaRun, most: int = 5) -> list[tuple[Recorded, Recorded | None]]:
    """The recorded rounds with the largest differences, the first team's best to its worst, and each with the round of
    the same deal from the other side.

    The sums of the batches say in which of them they are, so only those are read.

    :param most: so many that the first team has won, and so many that it has lost.
    :raises OSError, RecordingError: the recording cannot be read.
    """
    from arena.trajectories import read_batches  # needs numpy, which whoever looks at no recording does not

    results = run.batches.order_by("number").values_list("number", "tally__results")
    spans = [(number, [int(points) for points in found]) for number, found in results.iterator() if found]
    highest = nlargest(most, spans, key=lambda span: max(span[1]))
    lowest = nsmallest(most, spans, key=lambda span: min(span[1]))
    rounds: dict[tuple[int, int, int], Recorded] = {}
    with Path(run.recording).open("rb") as file:
        for frame in read_batches(file, {number for number, _ in highest + lowest}):
            columns = (frame.rounds[name].tolist() for name in ("pair", "half", "number", "result"))
            for pair, half, number, result in zip(*columns, strict=True):
                rounds[pair, half, number] = Recorded(pair, half, number, result[half] - result[1 - half])
    ordered = sorted(rounds.values(), key=lambda each: (-each.points, each.place))
    won = [each for each in ordered if each.points > 0][:most]
    lost = [each for each in ordered if each.points < 0][-most:]
    return [(each, rounds.get((each.pair, 1 - each.half, each.number))) for each in won + lost]


def recorded(run: ArenaRun) -> dict[str, Any]:
    """What the page shows of a recording: links to its most remarkable rounds, or why there are none."""
    from arena.trajectories import RecordingError

    def link(round: Recorded | None) -> dict[str, str] | None:
        if round is None:
            return None
        where = f"pair {round.pair}, half {round.half}" + (f", round {round.number + 1}" if run.unit == "games" else "")
        url = f"{reverse('replay-run', args=[run.pk, round.pair, round.half])}#r{round.number + 1}.0"
        return {"where": where, "points": f"{round.points:+}" if round.points else "0", "url": url}

    try:
        return {"recorded": [(link(one), link(other)) for one, other in largest(run)]}
    except (OSError, RecordingError) as error:
        return {"unreadable": f"{run.recording}, {getattr(error, 'strerror', error)}"}
