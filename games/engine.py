"""One match: actions in, numbered events out, replayable.

The order for each action is: ``prepare`` (validates, changes nothing), append it to the journal, ``commit``, tell.
So what anybody was told is in the database.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from msgspec import Struct

from games.game import Action, AnyGame, Event, IllegalAction, Request, Result, Seat
from games.messages import Context, ErrorCode


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A decision that is being waited for.

    :ivar id: unique in the match, the same after a replay.
    :ivar is_alone: whether no other seat was asked when this one was; so all know who is asked.
    """

    id: str
    request: Request
    is_alone: bool


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
        self._asked: set[tuple[Seat, str]] = set()  # every request id there ever was

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
        pending = self.game.pending(state)
        for asked, request in pending.items():
            before = self.requests.get(asked)
            if before is None or before.request != request:
                before = OpenRequest(f"{number}-{asked}", request, is_alone=len(pending) == 1)
            requests[asked] = before
        return Step(number, seat, action, events, state, requests)

    def commit(self, step: Step) -> None:
        """Makes the step true."""
        if step.number != self.number + 1:
            raise ValueError(f"step {step.number} does not follow {self.number}")
        self.state = step.state
        self.number = step.number
        self.requests = step.requests
        self._asked.update((seat, opened.id) for seat, opened in step.requests.items())

    def answer(self, seat: Seat, name: str, data: Context, request_id: str | None = None) -> Step:
        """What a seat's answer to its open request of that name would do.

        :param data: as the client sent it.
        :param request_id: of the request that it answers, where the client says so.
        :raises IllegalAction: 301, nothing of that name can be asked; 101, wrong shape; 310, that request is no longer
            open; or the rules forbid it (301 and 304 if the seat is not asked now).
        """
        if name not in self.game.vocabulary.requests:
            raise IllegalAction(ErrorCode.INVALID_RESPONSE, action=name)
        action = self.game.parse(name, data)
        opened = self.requests.get(seat)
        if request_id is not None and (opened is None or opened.id != request_id):
            known = (seat, request_id) in self._asked
            raise IllegalAction(ErrorCode.REQUEST_OBSOLETE if known else ErrorCode.INVALID_RESPONSE, action=name)
        return self.prepare(seat, action)

    def act(self, seat: Seat, name: str, data: Context) -> Step:
        """What something would do that a seat does unasked.

        :raises IllegalAction: 101, wrong shape; or the rules forbid it.
        """
        return self.prepare(seat, self.game.parse(name, data))

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
