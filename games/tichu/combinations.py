"""Combinations: what a set of cards is, and what it beats.

There is no second classifier: a set is a combination exactly if the kernel finds a play with all of its cards when they
are the whole hand.
"""

from enum import IntEnum
from typing import NamedTuple

from games.tichu import _core
from games.tichu.cards import CardSet


class CombinationType(IntEnum):
    """Numbered as on the wire."""

    PASS = _core.PASS
    SINGLE = _core.SINGLE
    PAIR = _core.PAIR
    TRIPLE = _core.TRIPLE
    STAIR = _core.STAIR
    FULLHOUSE = _core.FULLHOUSE
    STREET = _core.STREET
    BOMB = _core.BOMB

    def label(self, length: int | None = None) -> str:
        """Its name, with the length where the type has several.

        >>> CombinationType.STREET.label(7), CombinationType.STREET.label(), CombinationType.PAIR.label(2)
        ('street07', 'street', 'pair')
        """
        several = self in (CombinationType.STAIR, CombinationType.STREET, CombinationType.BOMB)
        return self.name.lower() + (f"{length:02}" if several and length else "")


class Combination(NamedTuple):
    """A combination as the wire names it, in which the phoenix as a single has the rank of the card it beats."""

    type: CombinationType
    length: int
    rank: int

    @classmethod
    def of_meta(cls, meta: int) -> "Combination":
        """What a play's meta says.

        >>> Combination.of_meta(0)
        Combination(type=<CombinationType.PASS: 0>, length=0, rank=0)
        """
        return cls(CombinationType(meta >> 16 & 0xFF), meta >> 8 & 0xFF, (meta & 0xFF) >> 1)


def phoenix_rank(meta: int) -> int:
    """The rank that the phoenix stands for in a play; 0 without it, or as a single."""
    return meta >> 24


def readings(cards: CardSet, top: int = 0) -> list[int]:
    """The metas that a set of cards can have as a play on a top, the highest rank first.

    >>> from games.tichu.cards import parse
    >>> [Combination.of_meta(meta).rank for meta in readings(parse("Ph S5 R6 S7 S8"))]
    [9, 8]

    :param top: meta of the combination to beat; 0 leads, so all that the cards can be is found.
    """
    metas = [meta for used, meta in _core.legal_plays(cards, top, 0, 0) if used == cards]
    return sorted(metas, key=lambda meta: -(meta & 0xFF))


def recognise(cards: CardSet, top: int = 0) -> int | None:
    """The meta of a set of cards as a play on a top, in the reading with the highest rank (rules 4.8), or None."""
    return next(iter(readings(cards, top)), None)
