"""One match: actions in, numbered events out, replayable.

The order for each action is: ``prepare`` (validates, changes nothing), append it to the journal, ``commit``, tell.
So what anybody was told is in the database.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from msgspec import Struct

from games.game import Action, AnyGame, Event, Request, Result, Seat


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A decision that is being waited for. :ivar id: unique in the match, the same after a replay."""

    id: str
    request: Request


@dataclass(frozen=True, slots=True)
class Step:
    """One accepted action and what comes of it.

    :ivar number: of the action in its match, from 1.
    :ivar seat: who acted; None is the table itself.
    """

    number: int
    seat: Seat | None
    action: Action
    events: list[Event]
    state: Any
    requests: dict[Seat, OpenRequest]


class GameEngine:
    """A match in progress.

    :ivar state: of the game; treat it as frozen.
    :ivar number: how many actions have been committed.
    :ivar requests: the open request of each seat that is asked.
    """

    def __init__(self, game: AnyGame, options: Struct) -> None:
        self.game = game
        self.options = options
        self.state = game.start(options)
        self.number = 0
        self.requests: dict[Seat, OpenRequest] = {}

    @classmethod
    def replay(cls, game: AnyGame, options: Struct, actions: Iterable[tuple[Seat | None, Action]]) -> "GameEngine":
        """The match that these actions make."""
        engine = cls(game, options)
        for seat, action in actions:
            engine.commit(engine.prepare(seat, action))
        return engine

    def prepare(self, seat: Seat | None, action: Action) -> Step:
        """What this action would do.

        :raises IllegalAction: the rules forbid it.
        """
        state = self.game.copy(self.state)
        events = self.game.apply(state, seat, action)
        number = self.number + 1
        requests = {}
        for asked, request in self.game.pending(state).items():
            before = self.requests.get(asked)
            unchanged = before is not None and before.request == request
            requests[asked] = before if unchanged and before else OpenRequest(f"{number}-{asked}", request)
        return Step(number, seat, action, events, state, requests)

    def commit(self, step: Step) -> None:
        """Makes the step true."""
        if step.number != self.number + 1:
            raise ValueError(f"step {step.number} does not follow {self.number}")
        self.state = step.state
        self.number = step.number
        self.requests = step.requests

    def proceed(self, rng: Random) -> Step:
        """The table's own next action; only while :attr:`pause` is not None."""
        return self.prepare(None, self.game.proceed(self.state, rng))

    @property
    def pause(self) -> float | None:
        """Seconds until :meth:`proceed` is due; None while seats are asked."""
        return self.game.pause(self.state)

    @property
    def result(self) -> Result | None:
        """The result, once the match is over."""
        return self.game.result(self.state)
