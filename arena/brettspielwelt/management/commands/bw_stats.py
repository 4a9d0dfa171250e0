"""``manage.py bw_stats``: what people do, in all imported games, beside the figures that others have published.

Standard output gets the tables; progress goes to standard error.
"""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from msgspec import json

from arena.brettspielwelt.models import Game
from arena.brettspielwelt.statistics import statistics, text
from arena.console import LongCommand, Progress, clear_database_errors

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


class Command(LongCommand):
    epilog = EPILOG
    help = (
        "Shows what people do in the imported games of the Brettspielwelt: calls, bombs, exchange, results, findings."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        help = "print the statistics as JSON (arena/brettspielwelt/statistics.py)"
        parser.add_argument("--json", action="store_true", help=help)

    def handle(self, **options: Any) -> None:
        try:
            with clear_database_errors(Game), Progress("rounds", self.say) as progress:
                if not Game.objects.exists():
                    raise CommandError("No game is imported: `manage.py bw_import PATH` reads logs.")
                found = statistics(progress)
        except KeyboardInterrupt:
            sys.exit(130)
        if options["json"]:
            self.stdout.write(json.format(json.encode(found)).decode())
        else:
            self.stdout.write("\n".join(text(found)))
