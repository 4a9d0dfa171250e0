"""``manage.py bw_stats``: what people do, in all imported games, beside the figures that others have published.

Standard output gets the tables; progress goes to standard error.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from typing import Any

from django.core.management.base import CommandError
from msgspec import json

from arena.brettspielwelt.elo import NEWCOMER_GAMES
from arena.brettspielwelt.models import Game
from arena.brettspielwelt.statistics import FIGURES, Number, Statistics, percent, refresh, share
from arena.console import LongCommand, Progress, clear_database_errors, interrupted_once

EPILOG = """
Of the months whose games have come, gone or changed since the last time all logs are read, some ten thousand rounds a
second; bw_import does so at its end.

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
            with interrupted_once(), clear_database_errors(Game), Progress("rounds", self.say) as progress:
                if not Game.objects.exists():
                    raise CommandError("No game is imported: `manage.py bw_import PATH` reads logs.")
                found = refresh(progress)
        except KeyboardInterrupt:
            sys.exit(130)
        if options["json"]:
            self.stdout.write(json.format(json.encode(found)).decode())
        else:
            self.stdout.write("\n".join(text(found)))


def text(all: Statistics) -> Iterator[str]:
    """The statistics for a terminal, line by line."""
    yield f"{all.games:,} games, {all.finished_games:,} finished; {all.rounds:,} rounds, {all.usable_rounds:,} usable"
    yield ""
    yield _line("", "imported", "169 rounds", "archives")
    for figure in FIGURES:
        values = (figure.of(all), figure.sample, figure.archive)
        yield _line(figure.label, *(_number(value, figure.written) for value in values))
    yield ""
    yield _line("by seat", *"0123")
    yield _line("Tichu calls", *(_number(seat.tichu.per_seat, percent) for seat in all.seats))
    yield _line("  made", *(_number(seat.tichu.made, percent) for seat in all.seats))
    yield _line("grand Tichu calls", *(_number(seat.grand_tichu.per_seat, percent) for seat in all.seats))
    yield _line("  made", *(_number(seat.grand_tichu.made, percent) for seat in all.seats))
    yield _line("first out", *(_number(seat.first_out, percent) for seat in all.seats))
    yield ""
    yield _line("given away, mean result", "right", "partner", "left")
    for name, gifts in all.gifts.items():
        ways = (gifts.right, gifts.partner, gifts.left)
        yield _line(
            name.replace("_", " "),
            *(f"{way.count:,}: {_number(way.mean_result, '{:+.1f}'.format)}" for way in ways),
        )
    for title, table in (("Tichu", all.tichu_by_strength), ("grand Tichu", all.grand_tichu_by_strength)):
        yield ""
        yield _line(f"{title} by high cards and bombs", "hands", "called", "made")
        for number, hands in table.items():
            calls, made = share(hands.calls, hands.count), share(hands.made, hands.calls)
            yield _line(str(number), f"{hands.count:,}", _number(calls, percent), _number(made, percent))
    yield ""
    yield _line("bombs of four", f"{all.bombs.four_of_a_kind:,}")
    yield _line("bombs of a straight flush", f"{all.bombs.straight_flush:,}")
    yield ""
    yield _line("wish", "times")
    for rank, count in all.wishes.items():
        yield _line(str(rank), f"{count:,}")
    yield ""
    yield _line("team 20 less team 31", "rounds")
    for points, count in all.results.items():
        yield _line(f"{points:+}", f"{count:,}")
    yield ""
    yield _line("mean points after rounds", "games", "winners", "losers")
    for standing in all.cumulated:
        means = (f"{spread.mean:,.0f}" for spread in (standing.winners, standing.losers))
        yield _line(str(standing.round), f"{standing.games:,}", *means)
    yield ""
    yield _line("Elo", "players", f"of {NEWCOMER_GAMES} games")
    for rating, rated in all.elo.ratings.items():
        yield _line(str(rating), f"{rated.players:,}", f"{rated.experienced:,}")
    yield _line("mean squared error", _number(all.elo.mean_squared_error, "{:.3f}".format))
    yield ""
    yield _line("expected of team 20", "scored", "games")
    for bin in all.elo.calibration:
        yield _line(percent(bin.expected), percent(bin.scored), f"{bin.games:,}")
    yield ""
    yield _line("year", "games", "finished", "rounds")
    for stock in all.stock:
        numbers = (stock.games, stock.finished_games, stock.rounds)
        yield _line(_year(stock.year), *(f"{number:,}" for number in numbers))
    if all.findings:
        yield ""
        yield _line("year, finding", "games", "rounds")
        for found in all.findings:
            yield _line(f"{_year(found.year)} {found.code}", f"{found.games:,}", f"{found.rounds:,}")


def _line(label: str, *cells: str) -> str:
    return f"{label:{_LABEL}}{''.join(f'{cell:>{_COLUMN}}' for cell in cells)}"


_LABEL, _COLUMN = 34, 16


def _year(year: int | None) -> str:
    return "unknown" if year is None else str(year)


def _number(value: Number, written: Callable[[float], str]) -> str:
    return "–" if value is None else written(value)
