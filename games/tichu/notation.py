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
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from games.game import Action, Seat
from games.tichu import cards as deck

Acted: TypeAlias = tuple[Seat | None, Action]  # who, and what; None is the table


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


# --- one line ---------------------------------------------------------------------------------------------------------


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
