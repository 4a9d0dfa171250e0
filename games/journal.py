"""The journal of a match: every accepted action is a row before anybody is told, and the rows rebuild the engine.

    create -> append, append, ... -> finish | abandon
                       load: the engine as after the last append

All functions are synchronous; the caller runs them in its own thread and transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from django.utils import timezone
from msgspec import Struct

from games import registry
from games.engine import GameEngine, Step
from games.game import AnyGame, Result, Seat
from games.models import Match, MatchEvent, MatchSeat


def create(table_name: str, game: AnyGame, options: Struct, seats: Sequence[tuple[str, str]]) -> Match:
    """A new match before its first action.

    :param seats: name and kind of agent of each seat; the kind of a human is "".
    """
    match = Match.objects.create(table_name=table_name, game=game.name, options=msgspec.to_builtins(options))
    MatchSeat.objects.bulk_create(
        MatchSeat(match=match, seat=seat, name=name, agent=agent) for seat, (name, agent) in enumerate(seats)
    )
    return match


def append(match_id: int, step: Step, table_number: int, command: str | None = None) -> None:
    """Adds an action that the engine has prepared.

    :param table_number: of the table's last notification after it.
    :param command: "<session>:<id>" of the message that it came with, where that had an id.
    :raises IntegrityError: somebody else has appended this number, or the command has been executed already.
    """
    MatchEvent.objects.create(
        match_id=match_id,
        number=step.number,
        seat=step.seat,
        action=step.action,
        command=command,
        table_number=table_number,
    )


@dataclass(frozen=True, slots=True)
class Loaded:
    """A match as the journal knows it.

    :ivar table_number: of the last notification that its actions gave; 0 before the first.
    """

    engine: GameEngine
    table_number: int


def load(match_id: int) -> Loaded:
    """Rebuilds a match by replaying its actions."""
    match = Match.objects.get(pk=match_id)
    game = registry.get(match.game)
    rows = list(match.events.order_by("number").values_list("seat", "action", "table_number"))
    engine = GameEngine.replay(
        game, msgspec.convert(match.options, game.options), ((seat, action) for seat, action, _ in rows)
    )
    return Loaded(engine, rows[-1][2] if rows else 0)


def change_seat(match_id: int, seat: Seat, name: str, agent: str = "") -> None:
    """Somebody else sits there from now on; ``agent`` is its kind, "" for a human."""
    MatchSeat.objects.filter(match_id=match_id, seat=seat).update(name=name, agent=agent)


def finish(match_id: int, result: Result) -> None:
    """The match is over."""
    _end(match_id, outcome=Match.Outcome.FINISHED, scores=list(result.scores))


def abandon(match_id: int) -> None:
    """The table closes in the middle of the match."""
    _end(match_id, outcome=Match.Outcome.ABANDONED)


def _end(match_id: int, **fields: object) -> None:
    running = Match.objects.filter(pk=match_id, outcome=Match.Outcome.RUNNING)
    running.update(finished=timezone.now(), **fields)
