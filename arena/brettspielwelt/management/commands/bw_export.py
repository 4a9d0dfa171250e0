"""``manage.py bw_export``: writes imported games for training, or as logs again (arena/brettspielwelt/exporting.py)."""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from time import monotonic
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from arena.brettspielwelt.download import replacing
from arena.brettspielwelt.exporting import count, games, write_json, write_npz, write_tch
from arena.brettspielwelt.management.commands.bw_download import month_of

EPILOG = """
json   a line for each round: deal and moves as text, score, what is wrong with it
npz    arrays, some thousand rounds in each, of usable rounds: numpy.load(FILE)["rounds_00000"], ["moves_00000"], ...
tch    the logs, <YYYYMM>/<number>.tch, into the folder FILE, or into a zip if it is called so

examples:
  manage.py bw_export --format json --out rounds.jsonl --clean
  manage.py bw_export --format npz --out 2012.npz --from 2012-01 --to 2012-12
  manage.py bw_export --format tch --out logs.zip
"""
LINE_S = 10.0  # between two lines where no terminal is


class Command(BaseCommand):
    help = "Writes imported games of the Brettspielwelt for training, or as logs again."
    requires_system_checks = []  # they load all pages

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:
        formatter = RawDescriptionHelpFormatter  # keeps the lines of the epilog
        return super().create_parser(prog_name, subcommand, epilog=EPILOG, formatter_class=formatter, **options)

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--format", choices=["json", "npz", "tch"], required=True)
        add(
            "--out", type=Path, required=True, metavar="FILE", help="takes the place of what was there when it is whole"
        )
        add("--from", dest="first", type=month_of, metavar="YYYY-MM", help="the first month")
        add("--to", dest="last", type=month_of, metavar="YYYY-MM", help="the last month")
        add("--clean", action="store_true", help="only rounds that the rules replay to a score")

    def handle(
        self, *, format: str, out: Path, first: date | None, last: date | None, clean: bool, **options: Any
    ) -> None:
        chosen = games(first, last, clean=clean)
        try:
            with Progress(count(first, last), self._say) as progress:
                if format == "tch":
                    with _logs(out) as write:
                        write_tch(write, chosen, progress)
                else:
                    with replacing(out) as file:
                        (write_json if format == "json" else write_npz)(file, chosen, progress)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error}") from error
        except DatabaseError as error:
            raise CommandError(
                f"The database keeps no games ({error}): `manage.py prepare` makes its tables."
            ) from error
        except KeyboardInterrupt:
            self._say("Interrupted.")
            sys.exit(130)
        self.stdout.write(f"{progress.done:,} games in {out}")

    def _say(self, line: str) -> None:
        self.stderr.write(line, str)  # not in the red of errors


@contextmanager
def _logs(out: Path) -> Iterator[Callable[[str, bytes], object]]:
    """What writes into a zip, or else into a folder."""
    if out.suffix.lower() == ".zip":
        with replacing(out) as file, ZipFile(file, "w", ZIP_DEFLATED) as members:
            yield members.writestr
        return

    def write(name: str, data: bytes) -> None:
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    yield write


class Progress:
    """Shows how far an export is: a bar on a terminal, a line now and then elsewhere.

    :param games: that there are at most.
    :param say: writes a line.
    :ivar done: games that have been written.
    """

    def __init__(self, games: int, say: Callable[[str], Any]) -> None:
        self.done = 0
        self._games = games
        self._say = say
        self._begin = self._said = monotonic()
        self._bar = None
        if sys.stderr.isatty():
            from tqdm import tqdm  # not needed elsewhere, and it takes its time

            self._bar = tqdm(total=games, unit=" games", dynamic_ncols=True)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, games: int) -> None:
        self.done += games
        now = monotonic()
        if self._bar is not None:
            self._bar.update(games)
        elif now - self._said >= LINE_S:
            self._said = now
            self._say(f"{self.done:,} of {self._games:,} games, {self.done / (now - self._begin):,.0f} games/s")
