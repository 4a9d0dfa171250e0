"""What a table keeps in the database, as plain values, and the store that keeps it.

The order for everything that happens: validate, :meth:`Store.save`, change memory, tell. One :class:`Change` is one
transaction; it names the number that the table had before, so that of two workers only one can go on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from msgspec import Struct

from games.engine import GameEngine, Step
from games.game import AnyGame, Result
from games.messages import Json
from lobby.seating import Place


@dataclass
class SessionRecord:
    """A person's right to a seat. :ivar digest: of the secret session id, which is stored nowhere."""

    digest: str
    name: str
    seat: int
    place: Place = Place.SEATED
    pk: int | None = None


@dataclass(frozen=True)
class TableRecord:
    """A table as it stands in the database.

    :ivar engine: of the current or last match.
    :ivar commands: the number that confirmed each accepted message, by session and id.
    :ivar asked_for: seconds between the last action of the match and the end of the worker that had the table.
    """

    pk: int
    name: str
    game: str
    options: Mapping[str, Json]
    turn_limit_s: int | None
    strengths: Sequence[str]
    host: int
    number: int
    match: int | None = None
    engine: GameEngine | None = None
    sessions: Sequence[SessionRecord] = ()
    commands: Mapping[tuple[int, str], int] = field(default_factory=dict)
    asked_for: float = 0.0


@dataclass(frozen=True)
class NewMatch:
    """A match that starts. :ivar seats: name and kind of agent of each seat; the kind of a person is ""."""

    table_name: str
    game: AnyGame
    options: Struct
    seats: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Change:
    """What one transaction does.

    :ivar before: the table's number until now.
    :ivar number: and from now on.
    :ivar command: session and id of the message that it came with, where that had an id.
    :ivar columns: of the table's row.
    :ivar sessions: new or changed ones; a new one gets its ``pk``.
    :ivar seats: changes in the seats of the running match: name and kind of agent.
    """

    table: int
    before: int
    number: int
    command: tuple[int, str] | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    sessions: Sequence[SessionRecord] = ()
    match: int | None = None
    seats: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    start: NewMatch | None = None
    step: Step | None = None
    finish: Result | None = None
    closes: bool = False


class TableLost(Exception):  # noqa: N818 - the name says what happened
    """Another worker has the table now; what this one remembers is worth nothing any more."""


class Store(Protocol):
    """The database, as a table sees it."""

    async def load(self, key: str) -> TableRecord | None:
        """The open table with that key."""

    async def open(self, key: str, name: str, game: str, options: Struct, strengths: Sequence[str]) -> TableRecord:
        """A new table."""

    async def save(self, change: Change) -> int | None:
        """Makes a change true.

        :result: the match that it started.
        :raises TableLost: the table is not as this worker thinks.
        """
