"""``manage.py bw_download``: fetches the logs of the Brettspielwelt, month by month, into one zip a year.

1. Skips what is there.
2. Fetches the index of a month, then its games, one after the other.
3. Packs each month that is over into the zip of its year (:mod:`arena.brettspielwelt.download`).

Progress goes to standard error, a summary to standard output.
"""

import logging
import sys
from argparse import ArgumentParser, ArgumentTypeError
from datetime import date, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from arena.brettspielwelt.download import URL, Downloader, DownloadError, Month, months
from arena.brettspielwelt.reading import printable
from arena.console import LongCommand, Progress, interrupted_once


class Command(LongCommand):
    help = (
        "Fetches the logs of games of the Brettspielwelt into one zip a year. After Ctrl-C, or whatever else ended it, "
        "the same command goes on. Exit status 3: not everything could be had; the same command asks for it again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--from", dest="first", type=month_of, required=True, metavar="YYYY-MM", help="the games begin in 2007-01")
        add("--to", dest="last", type=month_of, required=True, metavar="YYYY-MM", help="the last month")
        add("--into", type=Path, required=True, metavar="DIR", help="the folder for the zips")
        add("--url", default=URL, metavar="BASE", help="default: %(default)s")
        add("--rate", type=float, default=4, metavar="PER_SECOND", help="requests at most (default: %(default)s)")

    def handle(self, *, first: date, last: date, into: Path, url: str, rate: float, **options: Any) -> None:
        if first > last:
            raise CommandError(f"--from {first:%Y-%m} is later than --to {last:%Y-%m}.")
        if not rate > 0:
            raise CommandError(f"--rate must be more than 0, not {rate:g}.")
        fetched = faults = 0
        logging.getLogger("urllib3").setLevel(logging.ERROR)  # each retry is a warning, across the bar
        try:
            with interrupted_once(), Downloader(into, url, rate=rate) as downloader:
                for day in months(first, last):
                    with Progress("games", self.say, title=f"{day:%Y-%m}", pause=60, leave=False) as progress:
                        month = downloader.fetch(day, lambda month: progress(month.there, month.listed))
                    self.say(told(month))
                    fetched += month.fetched
                    faults += len(month.faults)
        except (DownloadError, OSError) as error:
            raise CommandError(
                f"{printable(str(error))}\nWhat was fetched is kept; the same command goes on."
            ) from error
        except KeyboardInterrupt:
            self.say("Interrupted. What was fetched is kept; the same command goes on.")
            sys.exit(130)
        self.stdout.write(f"{fetched:,} games fetched into {into}")
        if faults:
            self.say(f"{faults:,} could not be had; the same command asks for them again.")
            sys.exit(3)


def month_of(text: str) -> date:
    """The first day of a month such as 2007-01."""
    try:
        return datetime.strptime(text, "%Y-%m").date()
    except ValueError as error:
        raise ArgumentTypeError(f"{text} is no month such as 2007-01") from error


def told(month: Month) -> str:
    """What became of a month."""
    games = f"{month.there:,} of {month.listed:,} games, {month.fetched:,} of them new"
    if not month.listed:
        games = "not fetched"
    elif not month.is_packed:
        games += "; the month is not over, and is not packed yet"
    return "\n  ".join([f"{month.first:%Y-%m}: {games}", *map(printable, month.faults)])
