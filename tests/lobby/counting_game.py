"""A small game: it shows that a table knows nothing of Tichu.

Three seats get a secret number each. First all bid at the same time; then they count in turn, each saying the next
number. After a shout (``bomb``) out of turn the seat behind the shouter goes on. Who says the last number has won.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Annotated, Any

from msgspec import Meta, Struct

from games.game import Action, Event, IllegalAction, Request, Result, Seat
from games.messages import Context, ErrorCode, Json, Nothing, Shape, TableState, Vocabulary
from games.players import Agent

SEATS = 3


class Options(Struct, frozen=True):
    target: Annotated[int, Meta(ge=1, le=1000)] = 6


@dataclass(frozen=True)
class State:
    """:ivar counted: the last number said; :ivar shouts: who may still shout."""

    options: Options
    secrets: tuple[int, ...] = ()
    bids: tuple[int | None, ...] = (None,) * SEATS
    turn: int = 0
    counted: int = 0
    shouts: frozenset[int] = frozenset()
    winner: int | None = None
    is_over: bool = False


class Holder:
    """A state that ``apply`` can change in place."""

    def __init__(self, state: State) -> None:
        self.now = state


class CountingAgent(Agent):
    """Counts on and never shouts."""

    def decide(self, state: Any, seat: int, request: str) -> dict[str, Any]:
        if request == "bid":
            return {"action": "bid", "bid": state.now.secrets[seat]}
        return {"action": "play", "number": state.now.counted + 1}

    def interrupt(self, state: Any, seat: int, choices: tuple[str, ...]) -> dict[str, Any] | None:
        return None


class CrashingAgent(CountingAgent):
    """Raises whenever it is asked."""

    def decide(self, state: Any, seat: int, request: str) -> dict[str, Any]:
        raise ZeroDivisionError

    def interrupt(self, state: Any, seat: int, choices: tuple[str, ...]) -> dict[str, Any] | None:
        raise ZeroDivisionError


class CheatingAgent(CountingAgent):
    """Says the wrong number."""

    def decide(self, state: Any, seat: int, request: str) -> dict[str, Any]:
        return {"action": request, "number": -1, "bid": "high"}


class BrokenAgent(CountingAgent):
    """Cannot be made."""

    def __init__(self, name: str, rng: Random | None = None) -> None:
        raise FileNotFoundError(name)


class SleepingAgent(CountingAgent):
    """Takes its time."""

    seconds = 0.3

    def decide(self, state: Any, seat: int, request: str) -> dict[str, Any]:
        time.sleep(self.seconds)
        return super().decide(state, seat, request)


class ShoutingAgent(CountingAgent):
    """Shouts as soon as it may."""

    def interrupt(self, state: Any, seat: int, choices: tuple[str, ...]) -> dict[str, Any] | None:
        return {"action": "bomb"} if "bomb" in choices and state.now.turn != seat else None


class BoastingAgent(CountingAgent):
    """Shouts in its own turn."""

    def interrupt(self, state: Any, seat: int, choices: tuple[str, ...]) -> dict[str, Any] | None:
        return {"action": "bomb"} if "bomb" in choices and state.now.turn == seat else None


AGENTS = (CountingAgent, CrashingAgent, CheatingAgent, BrokenAgent, SleepingAgent, ShoutingAgent, BoastingAgent)


class Counting:
    """Implements :class:`games.game.Game`."""

    name = "counting"
    seats = range(SEATS, SEATS + 1)
    options: type[Struct] = Options
    agents: Mapping[str, type[Agent]] = {kind.__name__: kind for kind in AGENTS}
    default_agent = "CountingAgent"

    def start(self, options: Options) -> Holder:
        return Holder(State(options))

    def copy(self, state: Holder) -> Holder:
        return Holder(state.now)

    def text(self, actions: Any) -> str:
        return "\n".join(str(action) for _, action in actions)

    def pause(self, state: Holder) -> float | None:
        now = state.now
        if now.is_over or (now.secrets and now.winner is None):
            return None
        return 1.0 if now.secrets else 0.0

    def proceed(self, state: Holder, rng: Random) -> Action:
        if state.now.secrets:
            return {"action": "finish"}
        return {"action": "deal", "secrets": [rng.randint(1, 1000) for _ in range(SEATS)]}

    def pending(self, state: Holder) -> Mapping[Seat, Request]:
        now = state.now
        if not now.secrets or now.winner is not None:
            return {}
        bidding = {seat: Request("bid", {}) for seat, bid in enumerate(now.bids) if bid is None}
        return bidding or {now.turn: Request("play", {"counted": now.counted})}

    def spontaneous(self, state: Holder, seat: Seat) -> Sequence[str]:
        now = state.now
        return ("bomb",) if seat in now.shouts and None not in now.bids and not now.is_over else ()

    def parse(self, name: str, data: Mapping[str, Json]) -> Action:
        keys = {"bid": "bid", "play": "number"}
        action: Action = {"action": name}
        if name in keys:
            if type(data.get(keys[name])) is not int:
                raise IllegalAction(ErrorCode.INVALID_MESSAGE, message="")
            action[keys[name]] = data[keys[name]]
        return action

    def apply(self, state: Holder, seat: Seat | None, action: Action) -> list[Event]:
        now, name = state.now, action["action"]
        match name:
            case "deal":
                state.now = replace(now, secrets=tuple(action["secrets"]), shouts=frozenset(range(SEATS)))
                own = {seat: {"secret": secret} for seat, secret in enumerate(action["secrets"])}
                return [Event("game_started"), Event("dealt", {}, own)]
            case "finish":
                state.now = replace(now, is_over=True)
                return [Event("game_over", {"winner": now.winner})]
            case "bomb":
                if "bomb" not in self.spontaneous(state, seat or 0):
                    raise IllegalAction(ErrorCode.INTERRUPT_DENIED, reason="not_now", action="bomb")
                state.now = replace(now, shouts=now.shouts - {seat}, turn=((seat or 0) + 1) % SEATS, winner=None)
                shouted = Event("player_played", {"player_index": seat, "number": now.counted})
                return [shouted, Event("player_turn_changed", {"current_turn_index": state.now.turn})]
        if seat not in self.pending(state):
            raise IllegalAction(ErrorCode.NOT_YOUR_TURN if name == "play" else ErrorCode.INVALID_RESPONSE, action=name)
        if self.pending(state)[seat].action != name:
            raise IllegalAction(ErrorCode.INVALID_RESPONSE, action=name)
        if name == "bid":
            if type(action["bid"]) is not int:
                raise IllegalAction(ErrorCode.INVALID_MESSAGE, message="")
            bids = tuple(action["bid"] if other == seat else bid for other, bid in enumerate(now.bids))
            state.now = replace(now, bids=bids)
            return [] if None in bids else [Event("player_turn_changed", {"current_turn_index": 0})]
        if action["number"] != now.counted + 1:
            raise IllegalAction(ErrorCode.INVALID_COMBINATION, "1.1", cards=[], reason="count")
        is_last = action["number"] == now.options.target
        turn = (seat + 1) % SEATS
        state.now = replace(now, counted=action["number"], turn=turn, winner=seat if is_last else None)
        played = Event("player_played", {"player_index": seat, "number": action["number"]})
        return [played] if is_last else [played, Event("player_turn_changed", {"current_turn_index": turn})]

    def fallback(self, state: Holder, seat: Seat) -> Action:
        return CountingAgent("").decide(state, seat, self.pending(state)[seat].action)

    def observe(self, state: Holder, seat: Seat) -> dict[str, Context]:
        now = state.now
        secret = now.secrets[seat] if now.secrets else None
        return {"public_state": {"counted": now.counted}, "private_state": {"player_index": seat, "secret": secret}}

    def private(self, state: Holder, seat: Seat) -> Mapping[str, Context]:
        return {"chances": {"may_shout": "bomb" in self.spontaneous(state, seat)}}

    def sees_hands(self, state: Holder, seat: Seat) -> bool:
        """Who has shouted sees the others' secrets, in this game."""
        return self.knows_cards(state, seat) and seat not in state.now.shouts

    def knows_cards(self, state: Holder, seat: Seat) -> bool:
        return bool(state.now.secrets) and not state.now.is_over

    def result(self, state: Holder) -> Result | None:
        now = state.now
        if not now.is_over or now.winner is None:
            return None
        return Result(tuple(int(seat == now.winner) for seat in range(SEATS)), (now.winner,))


class Dealt(Shape):
    pass


class OwnDealt(Shape):
    secret: int


class Played(Shape):
    player_index: int
    number: int


class Turned(Shape):
    current_turn_index: int


class Won(Shape):
    winner: int


class Chances(Shape):
    may_shout: bool


class PublicState(TableState):
    counted: int


class PrivateState(Shape):
    player_index: int
    secret: int | None


class Counted(Shape):
    counted: int


Counting.vocabulary = Vocabulary(  # type: ignore[attr-defined]
    events={
        "game_started": (Nothing,),
        "dealt": (Dealt, OwnDealt),
        "player_turn_changed": (Turned,),
        "player_played": (Played,),
        "game_over": (Won,),
        "chances": (Chances,),
    },
    requests={"bid": Nothing, "play": Counted},
    public_state=PublicState,
    private_state=PrivateState,
)
