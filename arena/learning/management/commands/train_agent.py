"""``manage.py train_agent``: trains networks that play. Each way to train is a module of its own.

Standard output gets what has come of it; progress and all else that is said go to standard error. PyTorch is imported
only when one of them begins.
"""

from argparse import RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import CommandParser

from arena.console import LongCommand
from arena.learning.management import distill, export, imitate, selfplay

WAYS = {"selfplay": selfplay, "imitate": imitate, "distill": distill, "export": export}


class Command(LongCommand):
    help = "Trains networks that play."
    epilog = "manage.py train_agent selfplay --help tells more, also how long it takes and what comes of it."

    def add_arguments(self, parser: CommandParser) -> None:
        ways = parser.add_subparsers(metavar="WAY", required=True)
        for name, way in WAYS.items():
            sub = ways.add_parser(
                name,
                help=way.HELP,
                description=way.HELP,
                epilog=way.EPILOG,
                formatter_class=RawDescriptionHelpFormatter,
            )
            way.add_arguments(sub)
            sub.set_defaults(run=way.run)

    def handle(self, *, run: Any, **options: Any) -> None:
        run(self, **options)
