"""A training in the database, as its command keeps it there.

The files count: if the database fails while it trains, that is said once, and the training goes on without.
"""

import socket
from collections.abc import Callable, Sequence
from time import monotonic
from traceback import format_exception
from typing import Any, Self

from django.db import Error, IntegrityError, connection, transaction
from django.utils import timezone

from arena.learning.folder import Folder, Line, Stored, TrainingError
from arena.learning.models import TrainingRun

State = TrainingRun.State

SIGN_S = 10.0  # between two signs of life
MOST_LINES = 600  # of each kind in a curve
CURVE = ("progress", "strength")


class Record:
    """Hears what a training says, and keeps it nowhere: that of ``--no-save``."""

    def hear(self, line: Line) -> None:
        """A line of the log."""

    def sign(self) -> None:
        """It lives; may be called often."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        pass

    def keep(self, files: Sequence[Stored]) -> None:
        """These are its files, as they stand."""

    def end(self, *, is_interrupted: bool) -> None:
        """It is over."""


class StoredRecord(Record):
    """Keeps a training in the database; entered, it also keeps how it failed.

    :param lines: of the log of what goes on.
    :param say: tells that the database has failed.
    """

    def __init__(self, row: TrainingRun, lines: Sequence[Line], say: Callable[[str], object]) -> None:
        self.row = row
        self._say = say
        self._lines = [line for line in lines if line["kind"] in CURVE]
        self._has_failed = False
        self._signed = monotonic()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        if isinstance(error, Exception):
            self._end(State.FAILED, error="".join(format_exception(error)))
        elif error is not None:
            self._end(State.INTERRUPTED)

    def hear(self, line: Line) -> None:
        if line["kind"] in CURVE:
            self._lines.append(line)
            self._write(curve=thinned(self._lines), minutes=line["minutes"], rounds=line.get("rounds", 0))
        elif "sheet" in line:
            self._write(sheet=line["sheet"])

    def sign(self) -> None:
        if monotonic() - self._signed >= SIGN_S:
            self._write()

    def keep(self, files: Sequence[Stored]) -> None:
        self._write(files=[file._asdict() for file in files])

    def end(self, *, is_interrupted: bool) -> None:
        self._end(State.INTERRUPTED if is_interrupted else State.FINISHED)

    def _end(self, state: State, **values: str) -> None:
        """If the database has failed before, it has a last chance to take all that is known."""
        connection.close_if_unusable_or_obsolete()
        self._has_failed = False
        row = self.row
        known = {"curve": row.curve, "minutes": row.minutes, "rounds": row.rounds, "sheet": row.sheet}
        self._write(**known, files=row.files, state=state, finished=timezone.now(), **values)

    def _write(self, **values: Any) -> None:
        """Writes to the row, with a sign of life."""
        self._signed = monotonic()
        for field, value in values.items():
            setattr(self.row, field, value)
        if self._has_failed:
            return
        try:
            TrainingRun.objects.filter(pk=self.row.pk).update(updated=timezone.now(), **values)
        except Error as error:
            self._has_failed = True
            self._say(f"The database says: {error}. The training goes on without it, and its files are saved.")


def opened(folder: Folder, row: TrainingRun, say: Callable[[str], object]) -> StoredRecord:
    """Begins the record of a training.

    :param row: with what was asked; it is completed and saved.
    :raises TrainingError: its name is taken.
    """
    row.host = socket.gethostname()
    row.folder = str(folder.path.resolve())
    row.updated = timezone.now()
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError as error:
        raise TrainingError(f"There is a training {row.name} already: take another --name.") from error
    return StoredRecord(row, folder.lines(), say)


def thinned(lines: Sequence[Line]) -> list[Line]:
    """Of each kind so many at most, evenly spread, the last one among them; in their order."""
    kept: set[int] = set()
    for kind in CURVE:
        places = [place for place, line in enumerate(lines) if line["kind"] == kind]
        kept.update(places[:: -max(1, -(-len(places) // MOST_LINES))])
    return [lines[place] for place in sorted(kept)]
