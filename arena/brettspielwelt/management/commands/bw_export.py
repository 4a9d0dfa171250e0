"""``manage.py bw_export``: writes imported games for training, or as logs again (arena/brettspielwelt/exporting.py)."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.core.management.base import CommandError

from arena.brettspielwelt.download import replacing, save
from arena.brettspielwelt.exporting import count, games, write_json, write_npz, write_tch
from arena.brettspielwelt.management.commands.bw_download import month_of
from arena.brettspielwelt.models import Game
from arena.console import LongCommand, Progress, clear_database_errors, interrupted_once

EPILOG = """
json   a line for each round: deal and moves as text, score, what is wrong with it
npz    arrays, some thousand rounds in each, of usable rounds: numpy.load(FILE)["rounds_00000"], ["moves_00000"], ...
tch    the logs, <YYYYMM>/<number>.tch, into the folder FILE, or into a zip if it is called so

examples:
  manage.py bw_export --format json --out rounds.jsonl --clean
  manage.py bw_export --format npz --out 2012.npz --from 2012-01 --to 2012-12
  manage.py bw_export --format tch --out logs.zip
"""


class Command(LongCommand):
    epilog = EPILOG
    help = "Writes imported games of the Brettspielwelt for training, or as logs again."

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
        if first and last and first > last:
            raise CommandError(f"--from {first:%Y-%m} is later than --to {last:%Y-%m}.")
        chosen = games(first, last, clean=clean)
        done = 0
        try:
            with interrupted_once(), clear_database_errors(Game), Progress("games", self.say) as progress:
                total = count(first, last)

                def show(games: int) -> None:
                    nonlocal done
                    done += games
                    progress(done, total)

                show(0)
                if format == "tch":
                    with _logs(out) as write:
                        write_tch(write, chosen, show)
                else:
                    with replacing(out) as file:
                        (write_json if format == "json" else write_npz)(file, chosen, show)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error}") from error
        except KeyboardInterrupt:
            self.say("Interrupted.")
            sys.exit(130)
        self.stdout.write(f"{done:,} games in {out}")


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
        save(path, data)

    yield write
