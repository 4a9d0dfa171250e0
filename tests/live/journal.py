"""What the database of a server says about its matches, read beside the server, and what a seat may know of it."""

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from games.engine import GameEngine
from games.game import Event
from games.tichu.game import Options, Tichu

Message = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One action of a journal."""

    number: int
    seat: int | None
    action: Message
    command: str | None
    table_number: int


def matches(database: Path) -> dict[int, tuple[str, list[Row]]]:
    """Options and actions of every match, by its key."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        found = dict(connection.execute("SELECT id, options FROM games_match ORDER BY id"))
        return {match: (options, _rows(connection, match)) for match, options in found.items()}


def _rows(connection: sqlite3.Connection, match: int) -> list[Row]:
    rows = connection.execute(
        "SELECT number, seat, action, command, table_number FROM games_matchevent WHERE match_id = ? ORDER BY number",
        (match,),
    )
    return [Row(number, seat, json.loads(action), *rest) for number, seat, action, *rest in rows]


def replay(options: str, rows: list[Row]) -> Iterator[tuple[Row, GameEngine, list[tuple[int, Event]]]]:
    """The match again, action by action, with the numbers that its events had at the table."""
    engine = GameEngine(Tichu(), msgspec.convert(json.loads(options), Options))
    for row in rows:
        step = engine.prepare(row.seat, row.action)
        engine.commit(step)
        first = row.table_number - len(step.events) + 1
        yield row, engine, list(enumerate(step.events, first))


def as_json(value: Any) -> Any:
    """A value as a client reads it."""
    return json.loads(msgspec.json.encode(value))
