"""A deal, a round, a match as text and back.

One line is one action as it stands in the journal, ``seat: what it does``; the table's own actions have no seat. A deal
takes four lines more, a hand each, the first eight cards before the ``+``. So the text of a deal is one action, that of
a round goes from one deal to the next, and that of a match is all of it. Empty lines and ``#`` comments mean nothing::

    deal
      S2 B3 G4 R5 S6 B7 G8 R9 + SZ BB GD RK SA Hu
      ...
    2: grand Tichu
    0: gives Hu S2 G4
    1: plays Ma S2 B3 G4 R5 S6
    1: wishes 8
    2: passes
    3: plays Ph S7 G8 R9 SZ BB as 12
    0: bombs S9 B9 G9 R9
    taken

A *move* is what a seat decided in a round, in the words of agents and kernel: ``(seat, decision, answer)``. A deal and
its moves are a round, too: what the table does follows from them::

    decision            answer
    grand, announce     bool; True
    schupf              the cards for right, partner, left
    play, bomb          cards and meta; the pass is a play of (0, 0), a bomb is one out of turn
    wish, dragon        rank; seat of the recipient
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from games.game import Action, Seat
from games.tichu import cards as deck
from games.tichu import round as checked
from games.tichu._core import DONE, PLAY, Round
from games.tichu.combinations import Combination

Acted: TypeAlias = tuple[Seat | None, Action]  # who, and what; None is the table
Move: TypeAlias = tuple[Seat, str, Any]


def text(actions: Iterable[Acted]) -> str:
    """The actions as text.

    >>> print(text([(1, {"action": "play", "cards": [[7, 1], [7, 4]]}), (2, {"action": "play", "cards": []})]), end="")
    1: plays S7 R7
    2: passes
    """
    return "".join(f"{'' if seat is None else f'{seat}: '}{_describe(action)}\n" for seat, action in actions)


def parse(text: str) -> list[Acted]:
    """The actions of a text.

    >>> parse("3: wishes 14")
    [(3, {'action': 'wish', 'wish_value': 14})]

    :raises ValueError: a line is none of the above.
    """
    lines = iter([line for raw in text.splitlines() if (line := raw.partition("#")[0].strip())])
    return [_act(line, lines) for line in lines]


# --- a round ----------------------------------------------------------------------------------------------------------


def actions_of(round: Round, moves: Sequence[Move]) -> list[Acted]:
    """A round as a journal has it: the deal, the moves, and the tricks that the table took.

    A trick is taken when it has come back to its owner, unless the next that anybody does with cards is a bomb.

    :param round: dealt; it is played to its end, and each move is checked.
    :raises IllegalAction: the rules forbid a move.
    :raises ValueError: a move is none, or they are not a whole round.
    """
    actions = begun(round, moves)
    _require_end(round)
    return actions


def begun(round: Round, moves: Sequence[Move]) -> list[Acted]:
    """As :func:`actions_of`, but the round need not come to its end."""
    actions: list[Acted] = [(None, _deal(round))]
    for at, (seat, decision, answer) in enumerate(moves):
        if _is_taken(round, moves, at):
            checked.take(round)
            actions.append((None, {"action": "take"}))
        action = _action(decision, answer)
        if (done := _do(round, seat, action)) != (seat, decision, answer):
            raise ValueError(f"the rules make {done} of {(seat, decision, answer)}")
        actions.append((seat, action))
    return actions


def text_of(round: Round, moves: Sequence[Move]) -> str:
    """The text of :func:`begun`, ten times as fast: moves that the kernel has played are not checked again.

    :param round: dealt; the moves are played on it.
    """
    lines = [f"{_describe(_deal(round))}\n"]
    for at, (seat, decision, answer) in enumerate(moves):
        if _is_taken(round, moves, at):
            round.take()
            lines.append("taken\n")
        match decision:
            case "play" | "bomb":
                round.play(seat, *answer)
            case "grand":
                round.decide_grand(seat, answer)
            case "schupf":
                round.give(seat, *answer)
            case "announce":
                round.announce(seat)
            case "wish":
                round.make_wish(answer)
            case "dragon":
                round.give_dragon(answer)
        lines.append(f"{seat}: {_described(decision, answer)}\n")
    return "".join(lines)


def moves_of(actions: Sequence[Acted], rules: int) -> tuple[Round, list[Move]]:
    """A round of a journal, from its deal to its last play; the end of the match may follow.

    :param rules: flags of the rule set.
    :result: the round, played to its end, and the moves.
    :raises IllegalAction: the rules forbid an action.
    :raises ValueError: they are not a whole round.
    """
    if not actions or actions[0][1]["action"] != "deal":
        raise ValueError("a round begins with its deal")
    hands = [deck.from_labels(labels) for labels in actions[0][1]["hands"]]
    if sum(map(sum, hands)) != deck.DECK:
        raise ValueError("these hands are not the deck")
    round = Round([sum(hand[:8]) for hand in hands], [sum(hand) for hand in hands], rules)
    played = actions[1:-1] if actions[-1] == (None, {"action": "finish"}) else actions[1:]
    moves = [_do(round, seat, action) for seat, action in played]
    _require_end(round)
    return round, [move for move in moves if move is not None]


def _is_taken(round: Round, moves: Sequence[Move], at: int) -> bool:
    """Whether the trick is taken before a move: unless the next that happens is a bomb; a call may come before."""
    if round.phase != PLAY or round.turn != round.owner:
        return False
    return next((decision for _, decision, _ in moves[at:] if decision != "announce"), "") != "bomb"


def _deal(round: Round) -> Action:
    return {"action": "deal", "hands": [_dealt(round.first_eight(seat), round.fourteen(seat)) for seat in range(4)]}


def _dealt(eight: deck.CardSet, fourteen: deck.CardSet) -> str:
    return f"{deck.text(eight)} {deck.text(fourteen ^ eight)}"


def _require_end(round: Round) -> None:
    if round.phase != DONE:
        raise ValueError("this round is not over")


def _action(decision: str, answer: Any) -> Action:
    """A move as an action."""
    match decision:
        case "grand":
            return {"action": "announce_grand_tichu", "announced": answer}
        case "schupf":
            return {"action": "schupf", "given_schupf_cards": deck.to_wire(answer)}
        case "announce":
            return {"action": "announce"}
        case "play":
            cards, meta = answer
            rank = {"rank": Combination.of_meta(meta).rank} if cards & deck.PHOENIX else {}
            return {"action": "play", "cards": deck.to_wire(deck.hand_order(cards)), **rank}
        case "bomb":
            return {"action": "bomb", "cards": deck.to_wire(deck.hand_order(answer[0]))}
        case "wish":
            return {"action": "wish", "wish_value": answer}
        case "dragon":
            return {"action": "give_dragon_away", "dragon_recipient": answer}
    raise ValueError(f"no decision of Tichu: {decision!r}")


def _do(round: Round, seat: Seat | None, action: Action) -> Move | None:
    """Does an action, and says which move that was; taking a trick is none."""
    if seat is None:
        if action["action"] != "take":
            raise ValueError(f"no action of a round: {action['action']!r}")
        checked.take(round)
        return None
    match action:
        case {"action": "announce_grand_tichu", "announced": announced}:
            checked.grand(round, seat, announced)
            return seat, "grand", announced
        case {"action": "schupf", "given_schupf_cards": given}:
            right, partner, left = deck.from_wire(given)
            checked.schupf(round, seat, (right, partner, left))
            return seat, "schupf", (right, partner, left)
        case {"action": "announce"}:
            checked.announce(round, seat)
            return seat, "announce", True
        case {"action": "play", "cards": labels}:
            cards = sum(deck.from_wire(labels))
            return seat, "play", (cards, checked.play(round, seat, cards, action.get("rank")))
        case {"action": "bomb", "cards": labels}:
            cards = sum(deck.from_wire(labels))
            decision = "play" if round.turn == seat != round.owner else "bomb"
            return seat, decision, (cards, checked.bomb(round, seat, cards))
        case {"action": "wish", "wish_value": value}:
            checked.wish(round, seat, value)
            return seat, "wish", value
        case {"action": "give_dragon_away", "dragon_recipient": recipient}:
            checked.give_dragon(round, seat, recipient)
            return seat, "dragon", recipient
    raise ValueError(f"no action of a round: {action!r}")


# --- one line ---------------------------------------------------------------------------------------------------------


@lru_cache(2**14)
def _described(decision: str, answer: Any) -> str:
    """A move in words. Half of them are passes and single cards."""
    return _describe(_action(decision, answer))


def _describe(action: Action) -> str:
    match action:
        case {"action": "deal", "hands": hands}:
            return "\n  ".join(["deal", *(" ".join([*hand.split()[:8], "+", *hand.split()[8:]]) for hand in hands)])
        case {"action": "take"}:
            return "taken"
        case {"action": "finish"}:
            return "end"
        case {"action": "announce_grand_tichu", "announced": announced}:
            return "grand Tichu" if announced else "no grand Tichu"
        case {"action": "schupf", "given_schupf_cards": cards}:
            return f"gives {_labels(cards)}"
        case {"action": "announce"}:
            return "Tichu"
        case {"action": "play", "cards": []}:
            return "passes"
        case {"action": "play", "cards": cards, "rank": int(rank)}:
            return f"plays {_labels(cards)} as {rank}"
        case {"action": "play", "cards": cards}:
            return f"plays {_labels(cards)}"
        case {"action": "bomb", "cards": cards}:
            return f"bombs {_labels(cards)}"
        case {"action": "wish", "wish_value": value}:
            return f"wishes {value}"
        case {"action": "give_dragon_away", "dragon_recipient": recipient}:
            return f"gives the dragon to {recipient}"
    raise ValueError(f"no action of Tichu: {action!r}")


_LINES: dict[str, Callable[..., Action]] = {
    "taken": lambda: {"action": "take"},
    "end": lambda: {"action": "finish"},
    "(no )?grand Tichu": lambda no: {"action": "announce_grand_tichu", "announced": not no},
    "gives the dragon to ([0-3])": lambda seat: {"action": "give_dragon_away", "dragon_recipient": int(seat)},
    "gives (.+)": lambda cards: {"action": "schupf", "given_schupf_cards": _wire(cards)},
    "Tichu": lambda: {"action": "announce"},
    "passes": lambda: {"action": "play", "cards": []},
    "plays (.+) as ([0-9]+)": lambda cards, rank: {"action": "play", "cards": _wire(cards), "rank": int(rank)},
    "plays (.+)": lambda cards: {"action": "play", "cards": _wire(cards)},
    "bombs (.+)": lambda cards: {"action": "bomb", "cards": _wire(cards)},
    "wishes ([0-9]+)": lambda value: {"action": "wish", "wish_value": int(value)},
}
_TABLE = {"deal", "taken", "end"}


def _act(line: str, following: Iterator[str]) -> Acted:
    """One action; a deal takes the hands from the lines that follow."""
    seat, _, done = line.rpartition(": ")
    if (done in _TABLE) != (seat == "") or seat not in ("", "0", "1", "2", "3"):
        raise ValueError(f"who does this? {line!r}")
    if done == "deal":
        return None, {"action": "deal", "hands": [_hand(next(following, "")) for _ in range(4)]}
    for pattern, action in _LINES.items():
        if match := re.fullmatch(pattern, done):
            return (int(seat) if seat else None), action(*match.groups())
    raise ValueError(f"no action of Tichu: {line!r}")


def _hand(line: str) -> str:
    first, _, then = line.partition(" + ")
    if (len(deck.from_labels(first)), len(deck.from_labels(then))) != (8, 6):
        raise ValueError(f"a hand is eight cards and six: {line!r}")
    return f"{first} {then}"


def _labels(cards: list[deck.WireCard]) -> str:
    return deck.text(deck.from_wire(cards))


def _wire(labels: str) -> list[deck.WireCard]:
    return deck.to_wire(deck.from_labels(labels))
