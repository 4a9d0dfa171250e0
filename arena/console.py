"""What long commands share: how they are told about, show progress and are interrupted; what they say when the
database fails.

Standard output is left to what a command was asked for; everything else goes to standard error.
"""

import signal
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection
from django.db.models import Model

ONE_PRESS_S = 0.5  # signals within such a time are one: `timeout` signals the command and its process group


class LongCommand(BaseCommand):
    """
    :ivar epilog: stands below the options in ``--help``, line by line.
    """

    epilog = ""
    requires_system_checks = []  # they load all pages

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:
        if self.epilog:
            options |= {"epilog": self.epilog, "formatter_class": RawDescriptionHelpFormatter}
        return super().create_parser(prog_name, subcommand, **options)

    def say(self, line: str) -> None:
        self.stderr.write(line, str)  # not in the red of errors


@contextmanager
def clear_database_errors(model: type[Model], otherwise: str = "") -> Iterator[None]:
    """Says in a line what the database said.

    :param model: whose table may be missing: then the advice is to make it, ``otherwise`` being what else would help.
    """
    try:
        yield
    except DatabaseError as error:
        advice = f" `manage.py prepare` makes its tables{otherwise}." if _lacks(model) else ""
        raise CommandError(f"The database says: {error}.{advice}") from error


def _lacks(model: type[Model]) -> bool:
    with suppress(DatabaseError):
        return model._meta.db_table not in connection.introspection.table_names()
    return False


@contextmanager
def interrupted_once() -> Iterator[None]:
    """Lets the first Ctrl-C end a command, and all others pass while it is ending."""

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, end)
    try:
        yield
    except KeyboardInterrupt:
        raise  # and stay deaf
    except BaseException:
        signal.signal(signal.SIGINT, before)
        raise
    else:
        signal.signal(signal.SIGINT, before)


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
    """Shows how far something is: a bar on a terminal, a line now and then elsewhere.

    The first call says what was done before; the time left is estimated from what has been done since.

    :param unit: what is counted, in the plural.
    :param say: writes a line.
    :param title: leads the bar and each line.
    :param pause: seconds between two lines.
    :param leave: whether the bar stays when it is over.
    """

    def __init__(
        self, unit: str, say: Callable[[str], object], *, title: str = "", pause: float = 10, leave: bool = True
    ) -> None:
        self._unit = unit
        self._say = say
        self._title = title
        self._pause = pause
        self._leave = leave
        self._before: int | None = None
        self._begun = self._said = monotonic()
        self._bar: Any = None

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, done: int, total: int, remark: str = "") -> None:
        if self._before is None:
            self._begin(done, total)
        if self._bar is not None:
            self._bar.total = total
            self._bar.set_postfix_str(remark, refresh=False)
            self._bar.update(done - self._bar.n)
        elif (now := monotonic()) - self._said >= self._pause:
            self._said = now
            title = f"{self._title}: " if self._title else ""
            left = self._seconds_left(done, total, now)
            self._say(f"{title}{done:,} of {total:,} {self._unit}, {left} s left{f'; {remark}' if remark else ''}")

    def say(self, line: str) -> None:
        """Writes a line, above the bar if there is one."""
        if self._bar is not None:
            self._bar.clear()
        self._say(line)
        if self._bar is not None:
            self._bar.refresh()

    def _begin(self, done: int, total: int) -> None:
        self._before = done
        self._begun = self._said = monotonic()
        if sys.stderr.isatty():
            from tqdm import tqdm  # not needed elsewhere, and it takes its time

            self._bar = tqdm(
                desc=self._title or None,
                total=total,
                initial=done,
                unit=f" {self._unit}",
                dynamic_ncols=True,
                miniters=1,  # else it waits for as many as it has seen between two looks
                leave=self._leave,
            )

    def _seconds_left(self, done: int, total: int, now: float) -> str:
        since = done - (self._before or 0)
        return f"{max(0, total - done) * (now - self._begun) / since:,.0f}" if since else "?"
