"""What commands that play share: they show how far they are, and end cleanly when they are asked to.

Standard output is left to the report; everything else goes to standard error, also what agents print.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from random import Random
from time import monotonic

from django.core.management.base import CommandError
from msgspec.structs import asdict

from arena.console import Progress, clear_database_errors
from arena.executors import ExecutorError
from arena.models import ArenaRun
from arena.reporting import Report
from arena.runs import Run, RunError
from arena.statistics import interval_of
from arena.teams import UnknownAgent, parse_team
from arena.trajectories import RecordingError
from arena.watching import Alarm, Watched, made, ticking

FAULTY = 3  # exit status: it was played, but decisions had to be replaced


@contextmanager
def clear_errors() -> Iterator[None]:
    """What can go wrong without anything being wrong with the program is said in a line."""
    try:
        with clear_database_errors(ArenaRun, ", --no-save does without them"):
            yield
    except (RunError, UnknownAgent, ExecutorError, RecordingError, OSError) as error:
        raise CommandError(str(error)) from error


def checked_team(team: str) -> str:
    """Its text as runs keep it.

    :raises UnknownAgent: if it is none, or one of its agents cannot be made.
    """
    parsed = parse_team(team)
    for agent in parsed.agents:
        alarm = Alarm()
        checked = Watched(made(agent, Random(0)), agent.limit, alarm)
        with ticking(alarm, max(0.01, agent.limit / 10), agent.limit):
            checked.cleanup()
    return parsed.text


def faults_in(result: Report) -> str:
    """How often the decisions of which agent had to be replaced; "" if none."""
    counts = [
        (panel.agent, {kind: number for kind, number in asdict(panel.faults).items() if number})
        for panel in result.agents
    ]
    return "; ".join(
        f"{agent} {', '.join(f'{number:,} {kind}' for kind, number in found.items())}"
        for agent, found in counts
        if found
    )


class RunProgress:
    """Shows how far a run is, and what it has found so far.

    :param say: writes a line.
    """

    def __init__(self, run: Run, say: Callable[[str], object]) -> None:
        self._progress = Progress(run.job.unit, say)
        self._begin = monotonic()
        self._first_rounds = run.tally.rounds
        self(run)

    def __enter__(self) -> "RunProgress":
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.__exit__(*error)

    def __call__(self, run: Run) -> None:
        speed = (run.tally.rounds - self._first_rounds) / max(monotonic() - self._begin, 1e-9)
        points = interval_of(run.tally.points)
        half = (points.high - points.low) / 2
        found = f"{points.mean:+.1f} ± {half:.1f} points" if isfinite(half) else "? points"
        # A bar of rounds tells their speed itself, and all must fit into 80 columns.
        is_told = sys.stderr.isatty() and run.job.unit == "rounds"
        self._progress(2 * run.tally.pairs, 2 * run.job.pairs, found if is_told else f"{speed:,.0f} rounds/s, {found}")
