# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, annotation_typing=False, auto_pickle=False
"""What an answer makes of a hand, as bits: what networks are told beside an observation.

That a hand falls apart into few combinations is hard to see in its cards. So a network need not learn it: it is told in
how many turns (:mod:`games.tichu.agents.outlook`) the hand could be played out, now and after each answer. All of it
follows from the observation, so nothing is told that the seat does not see, and no file holds it.

The **hints** of an answer are ``HINT_PIECES`` one after the other in a word of 64 bits. A bit for each step that a
number has reached, as in an observation; what does not apply has no bits. The suits of a play are the lowest ones.

This file runs interpreted as it stands; Cython compiles it with the types of ``hints.pxd``. Both find the same.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from games.tichu.agents.actions import PATTERNS, blank, unsigned
from games.tichu.agents.outlook import Outlook

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # only the compiler needs it
    from contextlib import nullcontext
    from types import SimpleNamespace

    cython = SimpleNamespace(compiled=False, nogil=nullcontext())

if not cython.compiled:  # the compiled module has these as C constants and C functions
    from games.tichu._core import SINGLE, count_bits, lowest_bit, meta_of
    from games.tichu.agents.actions import (
        ACTIONS,
        CARD_KINDS,
        GIFTS,
        GRANDS,
        METAS,
        NO_BOMB,
        PASS_ID,
        PHOENIX_ID,
        TICHUS,
        WISHES,
        at,
        card_of,
    )
    from games.tichu.agents.observations import put
    from games.tichu.agents.outlook import RANKS, at_least, counts_of
    from games.tichu.cards import NATURALS

    ONE, FOUR_BITS = 1, 0xF
    ODD_RANKS = 0xF0F0_F0F0_F0F0_F0F0

    # Where pieces of an observation begin.
    SEES_HAND = 9
    SEES_HIDDEN = 121
    SEES_TOP_TYPE = 233
    SEES_TOP_LENGTH = 240
    SEES_TOP_RANK = 254
    SEES_HAND_SIZES = 387

    # Where the pieces of a hint begin.
    SAVED_AT = 20
    STANDS_AT = 42
    TOP_STANDS_AT = 50
    OUT_AT = 58

    TURNS_BITS = 20
    HANDS_BITS = 80
    HANDS_WORDS = 2
    HINT_BITS = 59

    NEEDS = [0] * ACTIONS  # by id of a play: how many of each rank, four bits for each
    ALONE = [0] * ACTIONS  # its cards that there are once: specials, and all of a street that is a bomb

Numbers: TypeAlias = Sequence[int] | NDArray[np.integer[Any]]

HINT_PIECES = (
    ("turns", 20),  # of what is left: -0.75 .. 1 by quarters, 1.5 .. 7 by halves
    ("saved", 22),  # turns that are saved: -2.5 .. -1 by halves, -0.875 .. 1.25 by eighths
    ("stands", 8),  # the chance that no opponent beats the play, by eighths
    ("top_stands", 8),  # of the pass: the same of what lies there
    ("out", 1),  # nothing is left
)


def _fill() -> None:
    for id, pattern in enumerate(PATTERNS):
        if pattern.suit >= 0:
            ranks = range(pattern.rank - pattern.length + 1, pattern.rank + 1)
            ALONE[id] = sum(1 << 4 * rank + pattern.suit for rank in ranks)
        else:
            NEEDS[id] = sum(pattern.count(rank) << 4 * rank for rank in range(2, 15))
            specials = [rank for rank in (0, 1) if pattern.count(rank)]
            ALONE[id] = (
                sum(1 << 4 * rank for rank in specials) + (pattern.count(15) << 60) + ((pattern.phoenix > 0) << 61)
            )


_fill()


def read(words: list[int], first: int, width: int) -> int:
    """Some bits, at most 63."""
    shift = first & 63
    value = words[first >> 6] >> shift & (ONE << (64 - shift)) - 1 if shift else words[first >> 6]
    if shift + width > 64:
        value |= words[(first >> 6) + 1] << (64 - shift)
    return value & (ONE << width) - 1


def cards_of(bits: int) -> int:
    """The set of cards whose :func:`games.tichu.agents.observations.cards_bits` these are."""
    return bits & 1 | (bits & 2) << 3 | (bits & 12) << 58 | (bits >> 4) << 8


def steps(value: float, first: float, size: float, width: int) -> int:
    """A bit for each step that a number has reached: ``first``, ``first + size``, ..."""
    count = 0
    while count < width and value >= first + size * count:
        count += 1
    return (ONE << count) - 1


def turns_bits(turns: float) -> int:
    return steps(turns, -0.75, 0.25, 8) | steps(turns, 1.5, 0.5, 12) << 8


def saved_bits(turns: float) -> int:
    return steps(turns, -2.5, 0.5, 4) | steps(turns, -0.875, 0.125, 18) << 4


def eighths(chance: float) -> int:
    return steps(chance, 0.125, 0.125, 8)


def outlook_on(words: list[int], outlook: Outlook) -> None:
    """What the seat of an observation expects of the cards that it does not see."""
    own = read(words, SEES_HAND_SIZES, 14)
    if own:
        right = size_of(read(words, SEES_HAND_SIZES + 14, 14))
        partner = size_of(read(words, SEES_HAND_SIZES + 28, 14))
        left = size_of(read(words, SEES_HAND_SIZES + 42, 14))
    else:  # before the first trick
        right = partner = left = 14
    outlook.begin(cards_of(read(words, SEES_HIDDEN, 56)), right, left, partner)


def together(right: int, partner: int, left: int) -> int:
    """All cards of three hands, of each of which only the counts are known: all are of the lowest suits."""
    counts = counts_of(right & NATURALS) + counts_of(partner & NATURALS) + counts_of(left & NATURALS)
    naturals = at_least(1, counts) | at_least(2, counts) << 1 | at_least(3, counts) << 2 | (counts >> 2 & RANKS) << 3
    return (right | partner | left) & ~NATURALS | naturals


def of_mixed_suits(hand: int) -> int:
    """A hand of which only the counts are known, with no street of one suit unless there must be one.

    Every second rank has the highest suits instead of the lowest ones.
    """
    counts = counts_of(hand & NATURALS)
    highest = at_least(1, counts) << 3 | at_least(2, counts) << 2 | at_least(3, counts) << 1 | counts >> 2 & RANKS
    return hand & ~(NATURALS & ODD_RANKS) | highest & NATURALS & ODD_RANKS


def size_of(bit: int) -> int:
    """How many cards a hand has, of which an observation has this bit."""
    return lowest_bit(bit) + 1 if bit else 0


def left_of(hand: int, id: int) -> int:
    """What a play leaves of a hand."""
    hand &= ~ALONE[id]
    needs = NEEDS[id]
    while needs:
        rank = lowest_bit(needs) & ~3
        for _ in range(needs >> rank & FOUR_BITS):
            same = hand & FOUR_BITS << rank
            hand ^= same & -same
        needs &= ~(FOUR_BITS << rank)
    return hand


def top_of(words: list[int]) -> int:
    """The meta of what is to be beaten; 0 if there is nothing."""
    kind = read(words, SEES_TOP_TYPE, 7)
    if not kind:
        return 0
    length = read(words, SEES_TOP_LENGTH, 14)
    rank = read(words, SEES_TOP_RANK, 31)
    return lowest_bit(kind) + 1 << 16 | lowest_bit(length) + 1 << 8 | lowest_bit(rank)


def hint(words: list[int], id: int, outlook: Outlook) -> int:
    """The hints of an answer.

    :param outlook: of :func:`outlook_on`.
    """
    hand = cards_of(read(words, SEES_HAND, 56))
    if WISHES <= id < TICHUS or id in (TICHUS, GRANDS):
        return 0
    if id in (TICHUS + 1, GRANDS + 1):
        return turns_bits(outlook.turns(hand))
    top = top_of(words)
    if id in (PASS_ID, NO_BOMB):
        turns = turns_bits(outlook.turns(hand)) | saved_bits(0) << SAVED_AT
        return turns | eighths(outlook.stands(top)) << TOP_STANDS_AT
    stands = 0
    if id >= GIFTS:
        left = hand & ~card_of(hand, (id - GIFTS) % CARD_KINDS)
    else:
        left = left_of(hand, id)
        meta = METAS[id]
        if id == PHOENIX_ID:
            meta = (top or meta_of(SINGLE, 1, 1, 0)) + 1
        stands = eighths(outlook.stands(meta))
    after = outlook.turns(left)
    saved = outlook.turns(hand) - after
    out = 0 if left else ONE << OUT_AT
    return turns_bits(after) | saved_bits(saved) << SAVED_AT | stands << STANDS_AT | out


# --- for Python -------------------------------------------------------------------------------------------------------


def hints(observations: NDArray[np.uint64], rows: Numbers, ids: Numbers) -> NDArray[np.uint64]:
    """The hints of answers.

    :param observations: uint64[N, WORDS].
    :param rows: int64[K], to which of them an answer belongs, ascending; ``ids``: int64[K], its action id.
    :result: uint64[K, 1].
    """
    seen = table(observations)
    of = table(np.asarray(rows, dtype=np.int64).reshape(1, -1))
    answers = table(np.asarray(ids, dtype=np.int64).reshape(1, -1))
    count = len(ids)
    found = blank(count, 1)
    outlook = Outlook(0)
    last = -1
    with cython.nogil:
        for k in range(count):
            row = at(of, 0)[k]
            if row != last:
                outlook_on(at(seen, row), outlook)
                last = row
            at(found, k)[0] = hint(at(seen, row), at(answers, 0)[k], outlook)
    return unsigned(found)


def own_turns(observations: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The turns of the hand that an observation shows: uint64[N, 1], TURNS_BITS of them."""
    seen = table(observations)
    count = len(observations)
    found = blank(count, 1)
    outlook = Outlook(0)
    with cython.nogil:
        for i in range(count):
            words = at(seen, i)
            outlook_on(words, outlook)
            at(found, i)[0] = turns_bits(outlook.turns(cards_of(read(words, SEES_HAND, 56))))
    return unsigned(found)


def all_turns(hidden: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The turns of all hands, when all know all of them: uint64[N, 2], HANDS_BITS of them.

    :param hidden: uint64[N, HIDDEN_WORDS].
    """
    seen = table(hidden)
    count = len(hidden)
    found = blank(count, HANDS_WORDS)
    outlook = Outlook(0)
    with cython.nogil:
        for i in range(count):
            words = at(seen, i)
            to = 0
            for away in range(4):
                right = cards_of(read(words, 56 * (away + 1 & 3), 56))
                partner = cards_of(read(words, 56 * (away + 2 & 3), 56))
                left = cards_of(read(words, 56 * (away + 3 & 3), 56))
                others = together(right, partner, left)
                outlook.begin(others, count_bits(right), count_bits(left), count_bits(partner))
                turns = outlook.turns(of_mixed_suits(cards_of(read(words, 56 * away, 56))))
                to = put(at(found, i), to, TURNS_BITS, turns_bits(turns))
    return unsigned(found)


def table(words: NDArray[Any]) -> Any:
    """Rows of 64 bits as :func:`at` takes them."""
    rows = np.ascontiguousarray(words)
    return rows.view(np.int64) if cython.compiled else rows.tolist()
