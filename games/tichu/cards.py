"""The 56 cards and sets of them.

A set of cards is one signed 64-bit integer with four bits for each rank, bit ``4 * rank + suit``::

    0 dog   4 Mah Jong   8..11 two   12..15 three   ...   56..59 ace   60 dragon   61 phoenix

So one card is a power of two, the union of sets is ``|``, and "the next rank of the same suit" is a shift by four.
Inside a rank the suits are sword, pagoda, jade, star. On the wire a card is ``[value, suit]``, in text a label like
``S7`` or ``Ph`` (rules 1.3).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from games.game import IllegalAction
from games.messages import ErrorCode

CardSet: TypeAlias = int
WireCard: TypeAlias = list[int]

DOG: CardSet = 1 << 0
MAH_JONG: CardSet = 1 << 4
DRAGON: CardSet = 1 << 60
PHOENIX: CardSet = 1 << 61
NATURALS: CardSet = 0x0FFF_FFFF_FFFF_FF00
DECK: CardSet = NATURALS | DOG | MAH_JONG | DRAGON | PHOENIX

FIVES: CardSet = 0xF << 4 * 5
TENS_AND_KINGS: CardSet = 0xF << 4 * 10 | 0xF << 4 * 13

_SUITS = "SBGR"
_RANKS = {2: "2", 3: "3", 4: "4", 5: "5", 6: "6", 7: "7", 8: "8", 9: "9", 10: "Z", 11: "B", 12: "D", 13: "K", 14: "A"}
_LABELS: dict[CardSet, str] = {
    DOG: "Hu",
    MAH_JONG: "Ma",
    **{1 << 4 * rank + suit: _SUITS[suit] + _RANKS[rank] for rank in _RANKS for suit in range(4)},
    DRAGON: "Dr",
    PHOENIX: "Ph",
}
_CARDS = {label: card for card, label in _LABELS.items()}


def points(cards: CardSet) -> int:
    """What a pile of cards counts (rules 1.2).

    >>> points(DECK)
    100
    """
    specials = (25 if cards & DRAGON else 0) - (25 if cards & PHOENIX else 0)
    return 5 * (cards & FIVES).bit_count() + 10 * (cards & TENS_AND_KINGS).bit_count() + specials


def each(cards: CardSet) -> Iterator[CardSet]:
    """The cards of a set one by one, lowest first.

    >>> [label(card) for card in each(parse("Ph S7 Hu"))]
    ['Hu', 'S7', 'Ph']
    """
    while cards:
        card = cards & -cards
        yield card
        cards ^= card


def value(card: CardSet) -> int:
    """The value of one card on the wire: its rank, and 16 for the phoenix.

    >>> value(parse("BB")), value(PHOENIX)
    (11, 16)
    """
    return 16 if card == PHOENIX else (card.bit_length() - 1) // 4


def ranks(cards: CardSet) -> tuple[int, ...]:
    """The values of a set, descending, the phoenix as 16: what is left of the cards when suits do not matter.

    >>> ranks(parse("S7 R7 Ph"))
    (16, 7, 7)
    """
    return tuple(value(card) for card in each(cards))[::-1]


# --- labels -----------------------------------------------------------------------------------------------------------


def label(card: CardSet) -> str:
    """The label of one card (rules 1.3).

    >>> label(1 << 4 * 11 + 1)
    'BB'
    """
    return _LABELS[card]


def from_labels(text: str) -> list[CardSet]:
    """The cards of a text, in the same order; their set is the sum.

    :raises ValueError: a label is unknown, or stands there twice.
    """
    words = text.split()
    unknown = [word for word in words if word not in _CARDS]
    if unknown or len(set(words)) < len(words):
        raise ValueError(f"unknown or repeated cards: {text!r}")
    return [_CARDS[word] for word in words]


def parse(text: str) -> CardSet:
    """The set of the cards of a text.

    >>> parse("Hu Ma") == DOG | MAH_JONG
    True

    :raises ValueError: a label is unknown, or stands there twice.
    """
    return sum(from_labels(text))


def hand_order(cards: CardSet) -> list[CardSet]:
    """The cards of a hand, descending by value, then suit.

    >>> text(parse("SA Hu RA GA"))
    'RA GA SA Hu'
    """
    return list(each(cards))[::-1]


def played_order(cards: CardSet, phoenix_rank: int = 0) -> list[CardSet]:
    """Played cards, descending by the rank each stands for, the phoenix after the natural cards of its rank.

    >>> " ".join(map(label, played_order(parse("RK GK BK Ph SA"), phoenix_rank=14)))
    'SA Ph RK GK BK'
    """
    naturals = hand_order(cards & ~PHOENIX)
    if not cards & PHOENIX:
        return naturals
    before = sum(value(card) >= phoenix_rank for card in naturals)
    return [*naturals[:before], PHOENIX, *naturals[before:]]


def text(cards: CardSet | Sequence[CardSet]) -> str:
    """Labels of a set in the order of a hand, or of a sequence of cards in its own order."""
    return " ".join(map(label, hand_order(cards) if isinstance(cards, int) else cards))


# --- wire -------------------------------------------------------------------------------------------------------------


def to_wire(cards: Iterable[CardSet]) -> list[WireCard]:
    """Cards as ``[value, suit]``, in the same order.

    >>> to_wire(hand_order(parse("S7 R7 Ph")))
    [[16, 0], [7, 4], [7, 1]]
    """
    return [list(_WIRE[card]) for card in cards]


def from_wire(pairs: Sequence[Any]) -> list[CardSet]:
    """The cards that a client names, in the same order; their set is the sum.

    >>> text(from_wire([[7, 4], [16, 0]]))
    'R7 Ph'

    :raises IllegalAction: 102, something is no card; 302, a card stands there twice.
    """
    cards = [_FROM_WIRE.get(_key(pair), 0) for pair in pairs]
    if 0 in cards:
        raise IllegalAction(ErrorCode.UNKNOWN_CARD, "1.1", cards=list(pairs))
    if len(set(cards)) < len(cards):
        raise IllegalAction(ErrorCode.NOT_UNIQUE_CARDS, "1.1", cards=list(pairs))
    return cards


def _key(pair: Any) -> tuple[int, int] | None:
    """A card as a client names it; JSON booleans are not ints."""
    if isinstance(pair, (list, tuple)) and len(pair) == 2 and type(pair[0]) is type(pair[1]) is int:
        return pair[0], pair[1]
    return None


_WIRE = {card: (value(card), _SUITS.index(name[0]) + 1 if card & NATURALS else 0) for card, name in _LABELS.items()}
_FROM_WIRE: dict[tuple[int, int] | None, CardSet] = {pair: card for card, pair in _WIRE.items()}
