"""What commands that play share: they show how far they are, and end cleanly when they are asked to.

Standard output is left to the report; everything else goes to standard error, also what agents print.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import isfinite
from random import Random
from time import monotonic
from types import FrameType
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError, connection
from msgspec.structs import asdict

from arena.executors import ExecutorError
from arena.models import ArenaRun
from arena.reporting import Report
from arena.runs import Run, RunError
from arena.statistics import interval_of
from arena.teams import UnknownAgent, parse_team
from arena.trajectories import RecordingError

LINE_S = 10.0  # between two lines where no terminal is
ONE_PRESS_S = 0.5  # signals within such a time are one: `timeout` signals the command and its process group
FAULTY = 3  # exit status: it was played, but decisions had to be replaced


@contextmanager
def clear_errors() -> Iterator[None]:
    """What can go wrong without anything being wrong with the program is said in a line."""
    try:
        yield
    except (RunError, UnknownAgent, ExecutorError, RecordingError, OSError) as error:
        raise CommandError(str(error)) from error
    except DatabaseError as error:
        advice = " `manage.py prepare` makes its tables, --no-save does without them." if _lacks_tables() else ""
        raise CommandError(f"The database says: {error}.{advice}") from error


def _lacks_tables() -> bool:
    with suppress(DatabaseError):
        return ArenaRun._meta.db_table not in connection.introspection.table_names()
    return False


def checked_team(team: str) -> str:
    """Its text as runs keep it.

    :raises UnknownAgent: if it is none, or one of its agents cannot be made.
    """
    parsed = parse_team(team)
    for agent in parsed.agents:
        made = agent.create(Random(0))
        with suppress(Exception, SystemExit):  # where it plays, this is counted
            made.cleanup()
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


class Interruption:
    """Ctrl-C and SIGTERM: while a run is played the first is noted, so that it ends between two batches; the second
    ends it at once, and so does any before.

    :ivar status: what to exit with; 0 while nobody has interrupted.
    :ivar is_playing: set by whoever asks it now and then.
    """

    def __init__(self) -> None:
        self.status = 0
        self.is_playing = False
        self._noted = 0.0

    def __enter__(self) -> "Interruption":
        self._before = {number: signal.signal(number, self._note) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if kind is KeyboardInterrupt:
            sys.exit(self.status)

    def __call__(self) -> bool:
        return self.status != 0

    def _note(self, number: int, frame: FrameType | None) -> None:
        is_first, now = not self.status, monotonic()
        if is_first:
            self.status, self._noted = 128 + number, now
        if not self.is_playing or (not is_first and now - self._noted > ONE_PRESS_S):
            raise KeyboardInterrupt


class Progress:
    """Shows how far a run is: a bar on a terminal, a line now and then elsewhere.

    :param say: writes a line.
    """

    def __init__(self, run: Run, say: Callable[[str], Any]) -> None:
        self._say = say
        self._begin = self._said = monotonic()
        self._first_rounds, self._first_pairs = run.tally.rounds, run.tally.pairs
        self._bar = None
        if sys.stderr.isatty():
            from tqdm import tqdm  # not needed elsewhere, and it takes its time

            unit = f" {run.job.unit}"
            self._bar = tqdm(total=2 * run.job.pairs, initial=2 * run.tally.pairs, unit=unit, dynamic_ncols=True)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, run: Run) -> None:
        now = monotonic()
        if self._bar is not None:
            self._bar.set_postfix_str(self._findings(run, now), refresh=False)
            self._bar.update(2 * run.tally.pairs - self._bar.n)
        elif now - self._said >= LINE_S:
            self._said = now
            played = run.tally.pairs - self._first_pairs
            left = (run.job.pairs - run.tally.pairs) * (now - self._begin) / played if played else None
            self._say(
                f"{2 * run.tally.pairs:,} of {2 * run.job.pairs:,} {run.job.unit}, "
                f"{'?' if left is None else f'{left:,.0f}'} s left; {self._findings(run, now)}"
            )

    def _findings(self, run: Run, now: float) -> str:
        speed = (run.tally.rounds - self._first_rounds) / max(now - self._begin, 1e-9)
        points = interval_of(run.tally.points)
        half = (points.high - points.low) / 2
        found = f"{points.mean:+.1f} ± {half:.1f} points" if isfinite(half) else "? points"
        # The bar itself tells how many of its units it gets done, and must fit into 80 columns.
        return found if self._bar is not None and run.job.unit == "rounds" else f"{speed:,.0f} rounds/s, {found}"
