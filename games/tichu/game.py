"""A match of Tichu: rounds until a team has enough points.

The rules are in :mod:`games.tichu.round`. Here their outcome becomes events, in the order of docs/protocol.md 4::

    deal -> grand Tichu (4 seats) -> exchange (4 seats) -> play, pass, bomb ... take -> deal | finish
            seats that are asked: pending()                    the table itself: pause(), proceed()
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from games.game import Action, Event, IllegalAction, Request, Result, Seat
from games.messages import Context, ErrorCode, Json
from games.players import Agent
from games.tichu import cards as deck
from games.tichu import notation, wire
from games.tichu import round as rules
from games.tichu._core import DONE, EXCHANGE, GRAND, PLAY, WISH, Round
from games.tichu.agents import AGENTS, DEFAULT_AGENT
from games.tichu.rules import RuleSet
from games.tichu.states import PublicState

SEATS = range(4)
Turn: TypeAlias = tuple[Seat, int, int]  # seat, cards, meta; (seat, 0, 0) is a pass


class Options(Struct, frozen=True):
    """What the host chooses before the start."""

    rules: Literal["house", "pocket", "brettspielwelt"] = "house"
    target_score: Annotated[int, Meta(ge=100, le=10000)] = 1000

    @property
    def rule_set(self) -> RuleSet:
        column: RuleSet = getattr(RuleSet, self.rules)(self.target_score)
        return column


@dataclass(slots=True)
class MatchState:
    """A match between two actions.

    :ivar round: the round that is played, or the last one while it is shown; None before the first deal.
    :ivar game_score: the rounds that are over: team 20, team 31.
    :ivar tricks: of this round; the last one may be open. The dog is the first turn of the trick that follows it.
    :ivar trick_counter: how many tricks have been taken in the match.
    """

    options: Options
    round: Round | None = None
    game_score: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    tricks: tuple[tuple[Turn, ...], ...] = ()
    trick_counter: int = 0
    is_over: bool = False

    @property
    def totals(self) -> tuple[int, int]:
        return sum(self.game_score[0]), sum(self.game_score[1])

    @property
    def is_decided(self) -> bool:
        """A team has enough points, and more than the other (rules 8.6)."""
        team_20, team_31 = self.totals
        return team_20 != team_31 and max(team_20, team_31) >= self.options.target_score

    @property
    def waits_to_be_taken(self) -> bool:
        """All others have passed. Until the pause is over a bomb still counts (rules 5.1)."""
        return self.round is not None and self.round.phase == PLAY and self.round.turn == self.round.owner


class Tichu:
    """Implements :class:`games.game.Game`."""

    name = "tichu"
    seats = range(4, 5)
    options: type[Struct] = Options
    agents: Mapping[str, type[Agent]] = AGENTS
    default_agent = DEFAULT_AGENT
    vocabulary = wire.VOCABULARY

    def start(self, options: Options) -> MatchState:
        return MatchState(options)

    def copy(self, state: MatchState) -> MatchState:
        return replace(state, round=state.round and state.round.copy())

    def text(self, actions: Iterable[tuple[Seat | None, Action]]) -> str:
        return notation.text(actions)

    # --- what comes next ----------------------------------------------------------------------------------------------

    def pause(self, state: MatchState) -> float | None:
        if state.round is None:
            return 0.0
        if state.is_over:
            return None
        return 1.0 if state.round.phase == DONE or state.waits_to_be_taken else None

    def proceed(self, state: MatchState, rng: Random) -> Action:
        if state.waits_to_be_taken:
            return {"action": "take"}
        if state.is_decided:
            return {"action": "finish"}
        labels = [deck.label(card) for card in deck.each(deck.DECK)]
        rng.shuffle(labels)
        return {"action": "deal", "hands": [" ".join(labels[seat::4]) for seat in SEATS]}

    def pending(self, state: MatchState) -> Mapping[Seat, Request]:
        return {seat: Request(action, self._context(state, seat, action)) for seat, action in _asked(state).items()}

    def _context(self, state: MatchState, seat: Seat, action: str) -> Context:
        match action:
            case "schupf":
                return {"hand_cards": wire.hand(_round(state).hand(seat))}
            case "play":
                return wire.play_request(_round(state))
        return {}

    def spontaneous(self, state: MatchState, seat: Seat) -> Sequence[str]:
        if state.round is None:
            return ()
        choices = {"announce": state.round.can_call(seat), "bomb": bool(state.round.bombs(seat))}
        return tuple(name for name, possible in choices.items() if possible)

    def fallback(self, state: MatchState, seat: Seat) -> Action:
        round = _round(state)
        match _asked(state)[seat]:
            case "announce_grand_tichu":
                return {"action": "announce_grand_tichu", "announced": False}
            case "schupf":
                return {"action": "schupf", "given_schupf_cards": wire.hand(round.hand(seat))[-3:]}
            case "play":
                cards, _ = round.legal_plays()[0]  # the pass where it is allowed
                return {"action": "play", "cards": wire.hand(cards)}
            case "wish":
                return {"action": "wish", "wish_value": 2}
        return {"action": "give_dragon_away", "dragon_recipient": (seat + 1) % 4}

    def result(self, state: MatchState) -> Result | None:
        if not state.is_over:
            return None
        team_20, team_31 = state.totals
        return Result((team_20, team_31), (0, 2) if team_20 > team_31 else (1, 3))

    # --- actions ------------------------------------------------------------------------------------------------------

    def parse(self, name: str, data: Mapping[str, Json]) -> Action:
        if name not in wire.ACTIONS:
            raise IllegalAction(ErrorCode.INVALID_RESPONSE, action=name)
        try:
            action = msgspec.convert(data, wire.ACTIONS[name])
        except msgspec.ValidationError as error:
            raise IllegalAction(ErrorCode.INVALID_MESSAGE, message=str(error)[:200]) from error
        return {"action": name, **msgspec.to_builtins(action)}

    def apply(self, state: MatchState, seat: Seat | None, action: Action) -> list[Event]:
        name = action["action"]
        if seat is None:
            return {"deal": _deal, "take": _take, "finish": _finish}[name](state, action)
        if name in wire.REQUESTS and _asked(state).get(seat) != name:
            raise _not_asked(state, name)
        return _BY_SEAT[name](state, seat, action)

    # --- what a seat sees ---------------------------------------------------------------------------------------------

    def observe(self, state: MatchState, seat: Seat) -> dict[str, Context]:
        public = {
            **wire.public_round(state.round),
            "tricks": [[wire.turn(*turn) for turn in trick] for trick in state.tricks],
            "game_score": [list(team) for team in state.game_score],
            "trick_counter": state.trick_counter,
        }
        return {"public_state": public, "private_state": wire.private_state(state.round, seat)}

    def private(self, state: MatchState, seat: Seat) -> Mapping[str, Context]:
        events = {"chances": wire.chances(state.round, seat)}
        if state.round is not None and self.sees_hands(state, seat):
            events["hands_shown"] = wire.hands_shown(state.round)
        return events

    def sees_hands(self, state: MatchState, seat: Seat) -> bool:
        """Rules 3.7."""
        round = state.round
        return (
            round is not None
            and state.options.rule_set.finished_seats_see_hands
            and round.phase != DONE
            and seat in round.finished
        )

    def knows_cards(self, state: MatchState, seat: Seat) -> bool:
        return state.round is not None and state.round.phase != DONE


def _asked(state: MatchState) -> dict[Seat, str]:
    """Who is asked for what now."""
    round = state.round
    if round is None or round.phase == DONE or state.waits_to_be_taken:
        return {}
    if round.phase in (GRAND, EXCHANGE):
        question = "announce_grand_tichu" if round.phase == GRAND else "schupf"
        return {seat: question for seat in SEATS if not round.decided(seat)}
    return {round.turn: {PLAY: "play", WISH: "wish"}.get(round.phase, "give_dragon_away")}


def _not_asked(state: MatchState, name: str) -> IllegalAction:
    playing = state.round is not None and state.round.phase == PLAY
    code = ErrorCode.NOT_YOUR_TURN if name == "play" and playing else ErrorCode.INVALID_RESPONSE
    return IllegalAction(code, action=name)


# --- actions of the table ---------------------------------------------------------------------------------------------


def _deal(state: MatchState, action: Action) -> list[Event]:
    """``hands``: per seat its fourteen labels, the first eight first."""
    hands = [[deck.parse(label) for label in labels.split()] for labels in action["hands"]]
    events = [Event("round_started")] if state.round else [Event("game_started"), Event("round_started")]
    state.round = Round([sum(hand[:8]) for hand in hands], [sum(hand) for hand in hands], state.options.rule_set.flags)
    state.tricks = ()
    return events + _dealt(state.round)


def _dealt(round: Round) -> list[Event]:
    return [
        Event(
            "hand_cards_dealt",
            {"player_index": seat, "count": round.count(seat)},
            own={seat: {"hand_cards": wire.hand(round.hand(seat))}},
        )
        for seat in SEATS
    ]


def _take(state: MatchState, action: Action) -> list[Event]:
    round = _round(state)
    owner = round.owner
    rules.take(round)
    if round.phase != PLAY:  # a dragon is given away first
        return []
    return _taken(state, receiver=owner, owner=owner)


def _finish(state: MatchState, action: Action) -> list[Event]:
    state.is_over = True
    return [Event("game_over", {"game_score": [list(team) for team in state.game_score]})]


# --- actions of a seat ------------------------------------------------------------------------------------------------


def _announce_grand(state: MatchState, seat: Seat, action: Action) -> list[Event]:
    round = _round(state)
    rules.grand(round, seat, action["announced"])
    events = [Event("player_announced", {"player_index": seat, "grand": True})] if action["announced"] else []
    return events if round.phase == GRAND else events + _dealt(round)


def _schupf(state: MatchState, seat: Seat, action: Action) -> list[Event]:
    round = _round(state)
    right, partner, left = deck.from_wire(action["given_schupf_cards"])
    rules.schupf(round, seat, (right, partner, left))
    given = {"given_schupf_cards": wire.triple((right, partner, left))}
    events = [Event("player_schupfed", {"player_index": seat}, own={seat: given})]
    if round.phase == PLAY:
        start = {"start_player_index": round.starter}
        received = {seat: {**start, "received_schupf_cards": wire.triple(round.received(seat))} for seat in SEATS}
        events.append(Event("start_playing", start, own=received))
    return events


def _announce(state: MatchState, seat: Seat, action: Action) -> list[Event]:
    if state.round is None:
        raise IllegalAction(ErrorCode.INVALID_ANNOUNCE, "7.2")
    rules.announce(state.round, seat)
    return [Event("player_announced", {"player_index": seat, "grand": False})]


def _bomb(state: MatchState, seat: Seat, action: Action) -> list[Event]:
    cards = sum(deck.from_wire(action["cards"]))
    if state.round is None:
        raise IllegalAction(ErrorCode.INTERRUPT_DENIED, "5.1", reason="not_playing", action="bomb")
    return _put(state, seat, cards, lambda round: rules.bomb(round, seat, cards))


def _play(state: MatchState, seat: Seat, action: Action) -> list[Event]:
    cards = sum(deck.from_wire(action["cards"]))
    return _put(state, seat, cards, lambda round: rules.play(round, seat, cards, action.get("rank")))


def _put(state: MatchState, seat: Seat, cards: int, put: Callable[[Round], int]) -> list[Event]:
    """A play, a pass or a bomb, and everything that follows from it."""
    round = _round(state)
    wish, worth = round.wish, deck.points(round.trick_cards | cards)
    on_the_table = wire.top(round) != 0
    meta = put(round)
    turn = (seat, cards, meta)
    last = state.tricks[-1] if on_the_table else ()
    state.tricks = (*(state.tricks[:-1] if on_the_table else state.tricks), (*last, turn))
    if cards:
        winner = round.finished[0] if round.finished else -1
        played = {"turn": wire.turn(*turn), "trick_points": worth, "winner_index": winner}
        events = [Event("player_played", played)]
    else:
        events = [Event("player_passed", {"player_index": seat})]
    if wish > 0 == round.wish:
        events.append(Event("wish_fulfilled"))
    if round.phase == DONE:
        events += _taken(state, receiver=seat, owner=seat)
    elif round.phase == PLAY:
        events += _turns(seat + 2 if cards == deck.DOG else seat + 1, round.turn)
    return events


def _wish(state: MatchState, seat: Seat, action: Action) -> list[Event]:
    round = _round(state)
    rules.wish(round, seat, action["wish_value"])
    events = [Event("wish_made", {"wish_value": round.wish})] if round.wish else []
    return events + _turns(seat + 1, round.turn)


def _give_dragon(state: MatchState, seat: Seat, action: Action) -> list[Event]:
    rules.give_dragon(_round(state), seat, action["dragon_recipient"])
    return _taken(state, receiver=action["dragon_recipient"], owner=seat)


_BY_SEAT = {
    "announce_grand_tichu": _announce_grand,
    "schupf": _schupf,
    "announce": _announce,
    "play": _play,
    "bomb": _bomb,
    "wish": _wish,
    "give_dragon_away": _give_dragon,
}

# --- what follows from them -------------------------------------------------------------------------------------------


def _taken(state: MatchState, receiver: Seat, owner: Seat) -> list[Event]:
    """The trick has been collected; its owner leads, unless he is out or the round is over."""
    round = _round(state)
    state.trick_counter += 1
    taken = {"player_index": receiver, "points": round.points(receiver), "dragon_recipient": round.recipient}
    events = [Event("trick_taken", taken)]
    if round.phase == DONE:
        return [*events, _round_over(state)]
    return events if round.turn == owner else events + _turns(owner + 1, round.turn)


def _turns(first: int, last: Seat) -> list[Event]:
    """The turn goes from seat to seat; seats that are out have it for a moment."""
    passing = range(first, first + (last - first) % 4 + 1)
    return [Event("player_turn_changed", {"current_turn_index": seat % 4}) for seat in passing]


def _round_over(state: MatchState) -> Event:
    round = _round(state)
    team_20, team_31 = round.score()
    state.game_score = (*state.game_score[0], team_20), (*state.game_score[1], team_31)
    public = PublicState(round)
    return Event(
        "round_over",
        {
            "points": list(round.final_points()),
            "loser_index": public.loser_index,
            "is_double_victory": public.is_double_victory,
        },
    )


def _round(state: MatchState) -> Round:
    if state.round is None:
        raise LookupError("nothing has been dealt")
    return state.round
