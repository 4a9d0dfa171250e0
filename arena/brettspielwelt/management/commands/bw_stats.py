"""``manage.py bw_stats``: what people do, in all imported games, beside the figures that others have published.

Standard output gets the tables; progress goes to standard error.
"""

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from msgspec import json

from arena.brettspielwelt.models import Game
from arena.brettspielwelt.statistics import statistics, text

EPILOG = """
The logs of all rounds are read once: some ten thousand rounds a second.

examples:
  manage.py bw_stats
  manage.py bw_stats --json | jq .gifts.dog

exit status:
  0    all is counted
  1    there is nothing to count; one line says why
  130  interrupted
"""
LINE_S = 10.0  # between two lines where no terminal is


class Command(BaseCommand):
    help = (
        "Shows what people do in the imported games of the Brettspielwelt: calls, bombs, exchange, results, findings."
    )
    requires_system_checks = []  # they load all pages

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:
        formatter = RawDescriptionHelpFormatter  # keeps the lines of the epilog
        return super().create_parser(prog_name, subcommand, epilog=EPILOG, formatter_class=formatter, **options)

    def add_arguments(self, parser: ArgumentParser) -> None:
        help = "print the statistics as JSON (arena/brettspielwelt/statistics.py)"
        parser.add_argument("--json", action="store_true", help=help)

    def handle(self, **options: Any) -> None:
        try:
            if not Game.objects.exists():
                raise CommandError("No game is imported: `manage.py bw_import PATH` reads logs.")
            with self._progress() as show:
                found = statistics(show)
        except DatabaseError as error:
            raise CommandError(
                f"The database keeps no games ({error}): `manage.py prepare` makes its tables."
            ) from error
        except KeyboardInterrupt:
            sys.exit(130)
        if options["json"]:
            self.stdout.write(json.format(json.encode(found)).decode())
        else:
            self.stdout.write("\n".join(text(found)))

    @contextmanager
    def _progress(self) -> Iterator[Callable[[int, int], object]]:
        """A bar on a terminal, a line now and then elsewhere."""
        if sys.stderr.isatty():
            from tqdm import tqdm  # not needed elsewhere, and it takes its time

            with tqdm(unit=" rounds", dynamic_ncols=True) as bar:

                def move(done: int, rounds: int) -> None:
                    bar.total = rounds
                    bar.update(done - bar.n)

                yield move
            return
        said = monotonic()

        def say(done: int, rounds: int) -> None:
            nonlocal said
            if monotonic() - said >= LINE_S:
                said = monotonic()
                self.stderr.write(f"{done:,} of {rounds:,} rounds", str)  # not in the red of errors

        yield say
