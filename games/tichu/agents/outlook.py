"""How a hand can be played out: the arithmetic behind "do not break your combinations".

The unit is the **turn**. A combination takes one turn to get rid of, and one that nobody beats gives that turn back,
because its player leads again. So a hand of low singles needs as many turns as it has cards, a hand of unbeatable
combinations none at all.
"""

from collections.abc import Iterator

from games.tichu._core import BOMB, FULLHOUSE, PAIR, SINGLE, STAIR, STREET, TRIPLE, legal_plays
from games.tichu.cards import DOG, DRAGON, MAH_JONG, NATURALS, PHOENIX, CardSet
from games.tichu.states import Meta

# How likely a combination stands: this factor once for each higher rank that the hidden cards may have of it.
STANDS = {SINGLE: 0.85, PAIR: 0.78, TRIPLE: 0.7, STAIR: 0.7, FULLHOUSE: 0.82, STREET: 0.6}

GIVEN_BACK = 1.15  # turns, by what stands for sure; more than the one it takes, because it stops others as well
DOG_TURNS = 0.6  # it wins nothing, but the partner leads
MAH_JONG_TURNS = 1.0
DRAGON_TURNS = -0.2
PHOENIX_TURNS = -0.15  # while it is free to go anywhere
BOMB_TURNS = -0.75

LOWEST = 0x1111_1111_1111_1111  # the lowest bit of each rank
STREET_STARTS = 0x0000_0111_1111_1100  # two to ten


# Metas without their rank.
ONE, TWO, THREE, FIVE = SINGLE << 16 | 1 << 8, PAIR << 16 | 2 << 8, TRIPLE << 16 | 3 << 8, FULLHOUSE << 16 | 5 << 8


class Outlook:
    """What combinations and hands are worth against the cards that are hidden.

    :param hidden: all cards in the other hands.
    :param opponents: how many cards each opponent holds.
    :param partner: how many the partner holds.
    """

    def __init__(self, hidden: CardSet, opponents: tuple[int, int] = (14, 14), partner: int = 14) -> None:
        self._takes = _Takes(hidden, opponents, partner)
        self._turns: dict[CardSet, float] = {}
        self._home: dict[CardSet, bool] = {}

    def stands(self, meta: Meta) -> float:
        """The chance that no opponent beats a combination with a higher one of its kind."""
        return (1 - self._takes[meta]) / GIVEN_BACK

    def turns(self, cards: CardSet) -> float:
        """How many turns it takes to play these cards out, in the best split into combinations."""
        turns = self._turns.get(cards)
        if turns is None:
            turns = self._without_streets(cards)
            for street, take in self._streets(cards):
                turns = min(turns, take + self.turns(cards & ~street))
            self._turns[cards] = turns
        return turns

    def is_home(self, cards: CardSet) -> bool:
        """Whether the seat, leading, can play these cards out before an opponent gets in, bombs apart."""
        home = self._home.get(cards)
        if home is None:
            home = self._home[cards] = self._is_home(cards)
        return home

    def _is_home(self, cards: CardSet) -> bool:
        plays = legal_plays(cards, 0, 0, 0)
        if not cards or any(play == cards for play, _ in plays):
            return True
        return self.turns(cards) < 1 and any(
            self.stands(meta) > 0.99 and self.is_home(cards & ~play) for play, meta in plays
        )

    def _without_streets(self, cards: CardSet) -> float:
        """The turns of a hand in bombs, stairs, full houses, triples, pairs and singles."""
        takes = self._takes
        turns = _specials(cards) if cards & ~NATURALS else 0.0
        pairs, triples = [], []
        counts = _counts(cards & NATURALS)
        while counts:
            rank = (counts.bit_length() - 1) // 4
            count = counts >> 4 * rank
            counts ^= count << 4 * rank
            if count == 1:
                turns += takes[ONE | rank << 1]
            elif count == 2:
                pairs.append(rank)
            elif count == 3:
                triples.append(rank)
            else:
                turns += BOMB_TURNS
        if len(pairs) > 1:
            turns += self._stairs(pairs)
        for rank in triples:
            triple = takes[THREE | rank << 1]
            if pairs and takes[FIVE | rank << 1] < triple + takes[TWO | pairs[-1] << 1]:
                turns += takes[FIVE | rank << 1]
                pairs.pop()
            else:
                turns += triple
        for rank in pairs:
            turns += takes[TWO | rank << 1]
        return turns

    def _stairs(self, pairs: list[int]) -> float:
        """The turns of the stairs among descending pairs, which are taken out of the list."""
        turns = 0.0
        for run in _runs(pairs):
            stair = self._takes[STAIR << 16 | 2 * len(run) << 8 | run[0] << 1]
            if stair < sum([self._takes[TWO | rank << 1] for rank in run]):
                turns += stair
                pairs[:] = [rank for rank in pairs if rank not in run]
        return turns

    def _streets(self, cards: CardSet) -> Iterator[tuple[CardSet, float]]:
        """Streets that a hand may be played out with, and the turns each takes; the phoenix fills one gap."""
        naturals = cards & (NATURALS | MAH_JONG)
        counts = _counts(naturals)
        have = _at_least(1, counts)
        starts = _starts(have, cards & PHOENIX != 0)
        one_of_each = _one_of_each(naturals) if starts else 0
        while starts:
            low = (starts & -starts).bit_length() // 4
            starts &= starts - 1
            phoenix = cards & PHOENIX
            for high in range(low, 15):
                if not have >> 4 * high & 1:
                    if not phoenix:
                        break
                    phoenix = 0
                length = high - low + 1
                if length >= 5 and counts >> 4 * high + 4 & 0xF != 1:  # no card is left behind alone
                    street = one_of_each & _window(low, high) | cards & PHOENIX ^ phoenix
                    yield (
                        street,
                        BOMB_TURNS if _is_suited(street) else self._takes[STREET << 16 | length << 8 | high << 1],
                    )


class _Takes(dict[Meta, float]):
    """The turns that each combination takes, found when asked for."""

    def __init__(self, hidden: CardSet, opponents: tuple[int, int], partner: int) -> None:
        self._hidden = hidden
        self._phoenix = hidden & PHOENIX != 0
        self._counts = _counts(hidden & NATURALS)
        self._most = max(opponents)  # nobody beats a longer combination
        self._share = 1.5 * sum(opponents) / (sum(opponents) + partner)  # of the hidden cards; 1 while all hold as many

    def __missing__(self, meta: Meta) -> float:
        kind, length, rank = meta >> 16 & 0xFF, meta >> 8 & 0xFF, (meta & 0xFF) >> 1
        if not rank:  # the dog
            stands = 0.0
        elif kind == BOMB or length > self._most:
            stands = 1.0
        else:
            stands = STANDS[kind] ** (self._share * self._higher(kind, length, rank))
        turns = self[meta] = 1 - GIVEN_BACK * stands
        return turns

    def _higher(self, kind: int, length: int, rank: int) -> int:
        """Of how many higher ranks there may be such a combination among the hidden cards."""
        above = 4 * (rank + 1)
        if kind == SINGLE:
            return (self._hidden >> above).bit_count()
        size = 2 if kind in (PAIR, STAIR) else 1 if kind == STREET else 3
        have = _at_least(size, self._counts)
        if kind in (STAIR, STREET):
            ranks = length // size
            missing = LOWEST & ~have
            tops = range(rank + 1, 15)
            return sum((missing & _window(top - ranks + 1, top)).bit_count() <= self._phoenix for top in tops)
        with_phoenix = self._phoenix and _at_least(size - 1, self._counts) >> above != 0
        return (have >> above).bit_count() + with_phoenix


def _starts(have: int, phoenix: bool) -> int:
    """Where a street can begin, from what is there of each rank: one bit for each rank."""
    second, third, fourth, fifth = have >> 4, have >> 8, have >> 12, have >> 16
    starts = have & second & third & fourth & fifth
    if phoenix:  # four of five will do
        starts |= have & second & (third & (fourth | fifth) | fourth & fifth) | (have | second) & third & fourth & fifth
    return starts & (STREET_STARTS | have & MAH_JONG)


def _specials(cards: CardSet) -> float:
    """The turns of the dog, the Mah Jong, the dragon and the phoenix by themselves."""
    return (
        (DOG_TURNS if cards & DOG else 0.0)
        + (MAH_JONG_TURNS if cards & MAH_JONG else 0.0)
        + (DRAGON_TURNS if cards & DRAGON else 0.0)
        + (PHOENIX_TURNS if cards & PHOENIX else 0.0)
    )


def _runs(ranks: list[int]) -> list[list[int]]:
    """The runs of two and more consecutive ranks among descending ones."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and runs[-1][-1] == rank + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return [run for run in runs if len(run) > 1]


def _is_suited(street: CardSet) -> bool:
    """Whether a street is a bomb (rules 4.3)."""
    return any(street == street & LOWEST << suit for suit in range(4)) and not street & (MAH_JONG | PHOENIX)


# --- how many cards of each rank: a number of four bits for each ------------------------------------------------------


def _counts(naturals: CardSet) -> int:
    pairs = naturals - (naturals >> 1 & 0x7777_7777_7777_7777) - (naturals >> 2 & 0x3333_3333_3333_3333)
    return pairs - (naturals >> 3 & LOWEST)


def _at_least(number: int, counts: int) -> int:
    """One bit for each rank of which there are so many: one, two or three."""
    if number == 1:
        return (counts | counts >> 1 | counts >> 2) & LOWEST
    if number == 2:
        return (counts >> 1 | counts >> 2) & LOWEST
    return (counts & counts >> 1 | counts >> 2) & LOWEST


def _one_of_each(naturals: CardSet) -> CardSet:
    """One card of each rank."""
    lower = naturals << 1 & 0xEEEE_EEEE_EEEE_EEEE | naturals << 2 & 0xCCCC_CCCC_CCCC_CCCC
    return naturals & ~(lower | naturals << 3 & 0x8888_8888_8888_8888)


def _window(low: int, high: int) -> int:
    """All bits of the ranks low to high."""
    return (1 << 4 * (high + 1)) - (1 << 4 * low)
