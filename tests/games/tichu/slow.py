"""The combinations of rules 4, written down once more: slowly, one card at a time, and without the kernel."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from games.tichu.cards import CardSet

SINGLE, PAIR, TRIPLE, STAIR, FULLHOUSE, STREET, BOMB = range(1, 8)


class Reading(NamedTuple):
    """What a set of cards can be. The rank counts double; the phoenix led as a single has 3, on a card one more."""

    type: int
    length: int
    rank: int
    phoenix: int = 0


def rank(card: CardSet) -> int:
    """0 dog, 1 Mah Jong, 2..14, 15 dragon, 16 phoenix."""
    bit = card.bit_length() - 1
    return 16 if bit == 61 else bit // 4


def suit(card: CardSet) -> int:
    return (card.bit_length() - 1) % 4


def readings(cards: list[CardSet]) -> set[Reading]:
    """All that some cards can be."""
    ranks = [rank(card) for card in cards]
    if len(cards) == 1:
        return {Reading(SINGLE, 1, 3 if ranks == [16] else 2 * ranks[0])}
    if 0 in ranks or 15 in ranks:
        return set()
    if 16 not in ranks:
        one_suit = len({suit(card) for card in cards}) == 1 and 1 not in ranks
        return set(_shapes(ranks, 0, one_suit))
    naturals = [r for r in ranks if r != 16]
    return {reading for phoenix in range(2, 15) for reading in _shapes([*naturals, phoenix], phoenix, False)}


def _shapes(ranks: list[int], phoenix: int, one_suit: bool) -> Iterable[Reading]:
    size = len(ranks)
    counts = Counter(ranks)
    in_a_row = max(ranks) - min(ranks) == len(counts) - 1
    top = 2 * max(ranks)
    if size >= 5 and len(counts) == size and in_a_row:
        yield Reading(BOMB if one_suit else STREET, size, top, phoenix)
    if 1 in ranks:
        return
    if len(counts) == 1 and size == 2:
        yield Reading(PAIR, 2, top, phoenix)
    if len(counts) == 1 and size == 3:
        yield Reading(TRIPLE, 3, top, phoenix)
    if len(counts) == 1 and size == 4 and not phoenix:
        yield Reading(BOMB, 4, top)
    if size == 5 and sorted(counts.values()) == [2, 3]:
        yield Reading(FULLHOUSE, 5, 2 * counts.most_common(1)[0][0], phoenix)
    if size >= 4 and set(counts.values()) == {2} and in_a_row:
        yield Reading(STAIR, size, top, phoenix)


def follows(reading: Reading, top: Reading | None, cards: list[CardSet]) -> Reading | None:
    """The reading as a play on a top (None: it is led), or None where it does not beat it (rules 3.5, 4.4, 4.9)."""
    if top is None:
        return reading
    if reading.type == BOMB:
        beats = top.type != BOMB or (reading.length, reading.rank) > (top.length, top.rank)
        return reading if beats else None
    if (reading.type, reading.length) != (top.type, top.length):
        return None
    if reading.type == SINGLE and rank(cards[0]) == 16:
        return reading._replace(rank=top.rank + 1) if top.rank < 30 else None
    return reading if reading.rank > top.rank else None
