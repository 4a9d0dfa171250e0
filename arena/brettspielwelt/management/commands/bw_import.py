"""``manage.py bw_import``: reads logs of the Brettspielwelt into the database.

Standard output gets the summary; progress and all else that is said go to standard error.
"""

import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any

from django.core.management.base import CommandError
from msgspec import json

from arena.brettspielwelt import archive, statistics
from arena.brettspielwelt.importing import Summary, import_logs
from arena.brettspielwelt.models import Game
from arena.console import LongCommand, Progress, clear_database_errors, interrupted_once

EPILOG = """
A path is a log (<number>.tch), a file with many of them, a zip, or a folder with any of these. The month of a game is
that of its folder, <YYYYMM>, or of the index.html beside it.

It may be interrupted and started again: what is stored is passed by, what has changed takes the place of the old.

examples:
  manage.py bw_import data/brettspielwelt --workers 2
  manage.py bw_import 2007.zip 2008.zip
  manage.py bw_import 900001.tch --json | jq .findings

exit status:
  0    all was read; files that hold no game are named, and do no harm
  1    it could not go on; one line says why, and what was stored stays
  130  interrupted (143: by SIGTERM); what was stored is whole games
"""
NAMED = 20  # broken files


class Command(LongCommand):
    epilog = EPILOG
    help = (
        "Reads logs of the Brettspielwelt into the database: replayed by the rules, with all that is wrong with them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("paths", metavar="PATH", nargs="+", type=Path)
        add(
            "--workers",
            metavar="N",
            type=int,
            default=1,
            help="processes that read and replay; 0: this one (default: 1)",
        )
        add("--json", action="store_true", help="print the summary as JSON (arena/brettspielwelt/importing.py)")

    def handle(self, *, paths: list[Path], workers: int, **options: Any) -> None:
        if absent := [str(path) for path in paths if not path.exists()]:
            raise CommandError(f"There is no {', no '.join(absent)}.")
        if workers < 0:
            raise CommandError(f"--workers must be at least 0, not {workers}.")
        status = 0
        failure: CommandError | None = None
        summary = Summary()
        try:
            with interrupted_once(), _terminating(), clear_database_errors(Game):
                with Progress("files", self.say) as progress:
                    self._import(paths, workers, progress, summary)
                with Progress("rounds", self.say, title="counting") as progress:
                    statistics.refresh(progress)
        except _Terminated:
            status = 143
        except KeyboardInterrupt:
            status = 130
        except BrokenProcessPool:
            failure = CommandError("A worker was ended from outside. What is stored stays; the same command goes on.")
        except CommandError as error:
            failure = error
        if options["json"]:
            self.stdout.write(json.format(json.encode(summary)).decode())
        else:
            self.stdout.write("\n".join(text(summary)))
        if failure:
            raise failure
        if not summary.files and not status:
            self.say(f"No log was found in {', '.join(map(str, paths))}.")
        if status:
            self.say("Interrupted. The same command goes on; the figures of players are made at its end.")
            sys.exit(status)

    def _import(self, paths: list[Path], workers: int, progress: Progress, summary: Summary) -> None:
        files, begin = archive.count(paths), monotonic()

        def show(summary: Summary) -> None:
            done = summary.games + summary.skipped + len(summary.broken)
            progress(done, files, f"{summary.games / max(monotonic() - begin, 1e-9):,.0f} games/s")

        progress(0, files)
        import_logs(paths, workers, show, summary)


def text(summary: Summary) -> Iterator[str]:
    """The summary for a terminal, line by line."""
    yield (
        f"{summary.files:,} files: {summary.games:,} games stored ({summary.replaced:,} replaced) with "
        f"{summary.rounds:,} rounds, {summary.usable_rounds:,} usable; {summary.skipped:,} were there already; "
        f"{len(summary.broken):,} broken"
    )
    if summary.findings:
        yield ""
        yield f"{'finding':<24}{'rounds':>12}{'corrected':>12}{'games':>12}{'corrected':>12}"
        for code, count in sorted(summary.findings.items(), key=lambda item: (-item[1].games, item[0])):
            yield (
                f"{code:<24}{count.rounds:>12,}{count.rounds_corrected:>12,}"
                f"{count.games:>12,}{count.games_corrected:>12,}"
            )
    if summary.broken:
        yield ""
        yield "broken:"
        for name, why in summary.broken[:NAMED]:
            yield f"  {name}: {why}"
        if len(summary.broken) > NAMED:
            yield f"  and {len(summary.broken) - NAMED:,} more (--json names all)"


class _Terminated(BaseException):
    """SIGTERM."""


@contextmanager
def _terminating() -> Iterator[None]:
    """Lets SIGTERM end an import as Ctrl-C does: the transaction is rolled back, the workers end."""

    def raise_it(number: int, frame: FrameType | None) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, raise_it)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
