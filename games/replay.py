"""A match as rows of positions to step through. The rules compute them here, so that a page needs none.

    journal of a match --rounds--> actions of each round --steps--> Step, Step, ...
    moves of a round ---notation---^                                what was done, and the position after it

A :class:`Replay` is one round and what its page says around it; as JSON it is what the page gets.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal
from unicodedata import bidirectional

from msgspec import Struct

from games.game import Action
from games.tichu import cards as deck
from games.tichu import wire
from games.tichu._core import DONE, EXCHANGE, PLAY, Round
from games.tichu.cards import CardSet
from games.tichu.combinations import Combination
from games.tichu.game import MatchState, Options, Tichu
from games.tichu.notation import Acted
from games.tichu.states import PublicState

SEATS = range(4)
TICHU = Tichu()

Did = Literal[
    "deal", "grand", "no_grand", "schupf", "tichu", "play", "pass", "bomb", "wish", "no_wish", "dragon", "take"
]
Cards = str  # labels with nothing between them: "S7R7"
Score = tuple[int, int]  # team 20, team 31


class Note(Struct, omit_defaults=True):
    """Something to be said at a step.

    :ivar code: what it is (:mod:`arena.brettspielwelt.findings`); ``abandoned``: nobody played on.
    :ivar detail: for a person.
    """

    code: str
    detail: str = ""
    corrected: bool = False


class Step(Struct, omit_defaults=True):
    """What was done, and the position after it.

    :ivar seat: who did it; of a trick that is taken its owner.
    :ivar cards: that were played; of an exchange those for the right neighbour, the partner, the left neighbour.
    :ivar combination: of a play its type, length and rank, as on the wire.
    :ivar value: rank of a wish, receiver of the dragon's trick, points of the trick that is taken.
    :ivar hands: per seat, in the order of a hand.
    :ivar gifts: per seat, what lies out for exchange or has been exchanged, until somebody has played.
    :ivar trick: the steps that put what lies on the table, passes included.
    :ivar turn: the seat to move; -1 if there is none.
    :ivar calls: per seat: 0 none, 1 Tichu, 2 grand Tichu.
    :ivar wish: 2..14 while it is open.
    :ivar points: per seat, of its tricks; after the last play what the round brings.
    :ivar out: the seats that are out, in the order they went out.
    :ivar result: what the round brings to the teams, once it is over.
    """

    did: Did
    hands: tuple[Cards, ...]
    seat: int = -1
    cards: Cards = ""
    combination: tuple[int, int, int] | None = None
    value: int = 0
    gifts: tuple[Cards, ...] = ()
    trick: tuple[int, ...] = ()
    turn: int = -1
    calls: tuple[int, ...] = (0, 0, 0, 0)
    wish: int = 0
    points: tuple[int, ...] = (0, 0, 0, 0)
    out: tuple[int, ...] = ()
    result: Score | None = None
    notes: Sequence[Note] = ()


class Unplayed(Struct, omit_defaults=True):
    """A line of a log that the rules could not follow any more."""

    text: str
    notes: Sequence[Note] = ()


class Replay(Struct):
    """A round of a match.

    :ivar source: where it comes from, ``match``, ``run``, ``log`` or ``file``, and what names it there.
    :ivar teams: who played this round, per team.
    :ivar seats: who played it, per seat, each under a name of its own.
    :ivar results: what each round of the match brought; None where that is unknown.
    :ivar number: of this round, from 1.
    :ivar rest: lines of the log behind the last step.
    :ivar home: address of the match in the admin.
    :ivar before, after: addresses of its neighbours, the other half or another pair; blank without one.
    """

    source: tuple[str | int, ...]
    teams: tuple[str, str]
    seats: Sequence[str]
    results: Sequence[Score | None]
    number: int
    steps: Sequence[Step]
    rest: Sequence[Unplayed] = ()
    home: str = ""
    before: str = ""
    after: str = ""


def teams(names: Sequence[str]) -> tuple[str, str]:
    """
    >>> teams(["Ada", "rule", "Cleo", "rule"])
    ('Ada & Cleo', 'rule')
    """
    names = [*map(_isolated, names)]
    return _team(names[0], names[2]), _team(names[1], names[3])


def _team(one: str, other: str) -> str:
    return one if one == other else f"{one} & {other}"


def told_apart(names: Sequence[str]) -> list[str]:
    """Names that several seats share get their seat before them, where no short column cuts it off.

    >>> told_apart(["Ada", "rule", "Cleo", "rule"])
    ['Ada', '(1) rule', 'Cleo', '(3) rule']
    """
    isolated = [*map(_isolated, names)]
    return [f"({seat}) {name}" if isolated.count(name) > 1 else name for seat, name in enumerate(isolated)]


def _isolated(name: str) -> str:
    """A name that is read from right to left turns nothing around it, and none turns itself (UAX 9, 2.4)."""
    kinds = [bidirectional(letter) for letter in name]
    plain = "".join(letter for letter, kind in zip(name, kinds, strict=True) if kind not in _TURNING)
    return f"\u2068{plain}\u2069" if _LEFTWARD.intersection(kinds) else plain


_LEFTWARD = {"R", "AL", "AN"}
_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def rounds(actions: Iterable[Acted]) -> Iterator[list[Acted]]:
    """The actions of a match from one deal to the next; the end of the match is no part of a round."""
    round: list[Acted] = []
    for seat, action in actions:
        if action["action"] == "deal" and round:
            yield round
            round = []
        if action["action"] != "finish":
            round.append((seat, action))
    if round:
        yield round


def result(actions: Iterable[Acted], options: Options) -> Score | None:
    """What a round brought; None if it did not come to its end."""
    state = TICHU.start(options)
    for seat, action in actions:
        TICHU.apply(state, seat, action)
    return _result(_round(state))


def steps(actions: Iterable[Acted], options: Options, notes: Mapping[int, Sequence[Note]] | None = None) -> list[Step]:
    """A step for each action of a round.

    :param notes: what is to be said, by the index of the action.
    :raises IllegalAction: the rules forbid an action.
    """
    state = TICHU.start(options)
    done: list[Step] = []
    trick: list[int] = []
    for at, (seat, action) in enumerate(actions):
        before = state.round and state.round.copy()
        TICHU.apply(state, seat, action)
        round = _round(state)
        if action["action"] in ("play", "bomb"):
            if before is None or not wire.top(before):
                trick = []
            trick.append(at)
        elif round.phase == PLAY and not wire.top(round):
            trick = []
        step = _position(round)
        step.trick = tuple(trick)
        _say(step, state, before, seat, action)
        if notes and at in notes:
            step.notes = notes[at]
        done.append(step)
    return done


def _say(step: Step, state: MatchState, before: Round | None, seat: int | None, action: Action) -> None:
    """Says in the step who did what."""
    if seat is not None:
        step.seat = seat
    match action:
        case {"action": "announce_grand_tichu", "announced": announced}:
            step.did = "grand" if announced else "no_grand"
        case {"action": "schupf", "given_schupf_cards": given}:
            step.did, step.cards = "schupf", _labels(deck.from_wire(given))
        case {"action": "announce"}:
            step.did = "tichu"
        case {"action": "play" | "bomb"}:
            _, cards, meta = state.tricks[-1][-1]
            step.did = "pass" if not cards else "bomb" if wire.is_bomb(meta) else "play"
            step.cards = _labels(deck.hand_order(cards))
            step.combination = Combination.of_meta(meta) if cards else None
        case {"action": "wish", "wish_value": int(value)}:
            step.did, step.value = "wish" if value else "no_wish", value
        case {"action": "give_dragon_away", "dragon_recipient": int(recipient)}:
            step.did, step.value = "dragon", recipient
        case {"action": "take"} if before is not None:
            step.did, step.seat, step.value = "take", before.owner, deck.points(before.trick_cards)


def _position(round: Round) -> Step:
    is_over = round.phase == DONE
    step = Step("deal", tuple(_labels(deck.hand_order(round.hand(seat))) for seat in SEATS))
    step.turn = -1 if is_over else round.turn
    step.calls = PublicState(round).announcements
    step.wish = max(round.wish, 0)
    step.points = tuple(round.final_points()) if is_over else PublicState(round).points
    step.out = round.finished
    step.result = _result(round)
    if round.phase == EXCHANGE or (round.phase == PLAY and not round.played):
        step.gifts = tuple(_labels(round.given(seat) or ()) for seat in SEATS)
    return step


def _round(state: MatchState) -> Round:
    if state.round is None:
        raise ValueError("a round begins with its deal")
    return state.round


def _result(round: Round) -> Score | None:
    return round.score() if round.phase == DONE else None


def _labels(cards: Iterable[CardSet]) -> Cards:
    return "".join(map(deck.label, cards))
