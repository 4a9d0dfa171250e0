"""What a game is: one small protocol between the rules of a game and everything that runs them.

A match is *deal + actions*. All chance is in the deals, so the same record serves the live table, the replay page,
the arena and a bug report. Actions and events are plain JSON values: they stand in the journal and on the wire.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from games.messages import Context, ErrorCode, Json, Refusal, Vocabulary
from games.players import Agent

Seat: TypeAlias = int
Action: TypeAlias = dict[str, Json]  # {"action": name, ...}
State = TypeVar("State")


class IllegalAction(Refusal):
    """The rules forbid this action now; the state has not changed.

    :ivar rule: the paragraph of docs/rules.md that forbids it, or "" where none does (a malformed action).
    """

    def __init__(self, code: ErrorCode, rule: str = "", **context: Json) -> None:
        super().__init__(code, **context)
        self.rule = rule


@dataclass(frozen=True, slots=True)
class Request:
    """A decision that a seat is asked for.

    :ivar action: its name on the wire.
    :ivar context: what the seat needs to decide; nothing that it must not see.
    """

    action: str
    context: Context


@dataclass(frozen=True, slots=True)
class Event:
    """What happened, as everyone may know it.

    :ivar own: the context for the seats that may know more, instead of ``context``.
    """

    name: str
    context: Context = field(default_factory=dict)
    own: Mapping[Seat, Context] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended.

    :ivar scores: one total per team, in the order of the game's teams.
    :ivar winners: the seats that have won.
    """

    scores: tuple[int, ...]
    winners: tuple[Seat, ...]


class Game(Protocol[State]):
    """The rules of a game, without any state of their own."""

    name: str
    seats: range  # how many may play
    options: type[Struct]  # its fields are the options of the game, its defaults the default
    agents: Mapping[str, type[Agent]]
    default_agent: str
    vocabulary: Vocabulary  # everything that may be said at a table of this game

    def start(self, options: Any) -> State:
        """A match before its first deal; the options are of the game's own type."""

    def copy(self, state: State) -> State:
        """A state that changes independently."""

    def pause(self, state: State) -> float | None:
        """Seconds until the table itself goes on (deals, takes a trick, ends the match); None: it waits for seats."""

    def proceed(self, state: State, rng: Random) -> Action:
        """The table's own next action. All chance of the game is in it."""

    def pending(self, state: State) -> Mapping[Seat, Request]:
        """The decisions asked for now, several at once where all choose at the same time."""

    def spontaneous(self, state: State, seat: Seat) -> Sequence[str]:
        """The names of what a seat may do unasked now."""

    def fallback(self, state: State, seat: Seat) -> Action:
        """The dullest legal answer to what the seat is asked, for a player that gives none."""

    def parse(self, name: str, data: Mapping[str, Json]) -> Action:
        """An action as a client sent it, reduced to its declared shape.

        :raises IllegalAction: 301, seats cannot do that; 101, it has not that shape.
        """

    def apply(self, state: State, seat: Seat | None, action: Action) -> list[Event]:
        """Changes ``state``; ``seat`` is None for the table's own actions.

        :raises IllegalAction: the rules forbid it; the state is as before.
        """

    def observe(self, state: State, seat: Seat) -> dict[str, Context]:
        """``public_state`` and ``private_state`` as that seat may see them. Never a hidden card."""

    def private(self, state: State, seat: Seat) -> Mapping[str, Context]:
        """Events that only this seat is told, with their present context; sent whenever they change."""

    def sees_hands(self, state: State, seat: Seat) -> bool:
        """Whether the seat sees cards of others now; it may not write then."""

    def knows_cards(self, state: State, seat: Seat) -> bool:
        """Whether the seat knows cards now that others do not; who leaves it may not sit elsewhere then."""

    def result(self, state: State) -> Result | None:
        """The result, once the match is over."""

    def text(self, actions: Iterable[tuple[Seat | None, Action]]) -> str:
        """Actions for people to read, one a line."""


AnyGame: TypeAlias = Game[Any]


def change_options(options: Struct, changes: Mapping[str, Json]) -> Struct:
    """The options of a game with some of them changed; keys that are none of them are ignored.

    :raises IllegalAction: 101, an option cannot have that value.
    """
    try:
        return msgspec.convert({**msgspec.structs.asdict(options), **changes}, type(options))
    except msgspec.ValidationError as error:
        raise IllegalAction(ErrorCode.INVALID_MESSAGE, message=str(error)[:200]) from error
