# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, annotation_typing=False, auto_pickle=False
"""Every decision of a round as a number: what networks choose from.

A seat is asked something, and each answer that the rules may allow has an **action id**, the same in every round::

    ask            who is asked                                  ids of the answers
    ASK_GRAND      each seat, with its first eight cards         GRANDS: no, yes
    ASK_RIGHT      each seat, in the exchange: a card for the    GIFTS: 17 kinds of cards for the right neighbour,
    ASK_PARTNER    right neighbour, then for the partner,        17 for the partner,
    ASK_LEFT       then for the left neighbour                   17 for the left neighbour
    ASK_TICHU      the seat to move, before its first play       TICHUS: no, yes
    ASK_PLAY       the seat to move                              0 the pass, then the plays
    ASK_BOMB       who can bomb out of turn                      the bombs among the plays, and NO_BOMB
    ASK_WISH       who has played the Mah Jong                   WISHES: none, 2..14
    ASK_DRAGON     who has won a trick with the dragon           DRAGONS: to the right, to the left neighbour

The id of a play says its pattern: type, length, rank, what the phoenix stands for, the pair of a full house, the suit
of a street that is a bomb. All else about suits is left to the kernel, so ids are one to one with what it lists for any
hand. A kind of card is its rank, 0 the dog to 15 the dragon, and 16 the phoenix; of several cards of a kind the one is
given that breaks no bomb.

This file runs interpreted as it stands; Cython compiles it with the types of ``actions.pxd``. Both do the same.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from games.tichu._core import Round
from games.tichu.cards import CardSet

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # only the compiler needs it
    from types import SimpleNamespace

    cython = SimpleNamespace(compiled=False)

if not cython.compiled:  # the compiled module has these as C constants and C functions
    from games.tichu._core import (
        BOMB,
        FULLHOUSE,
        GIVEN,
        HAND,
        PAIR,
        PASS,
        RULES,
        SINGLE,
        STAIR,
        STREET,
        TOP,
        TRIPLE,
        WISH_REQUIRED,
        Plays,
        announce,
        decide_grand,
        find_plays,
        find_seat_bombs,
        find_turn_plays,
        give,
        give_dragon,
        kind_of,
        length_of,
        lowest_bit,
        make_wish,
        meta_of,
        one_of_each_rank,
        play,
        rank_of,
        ranks_of,
        set_hand,
        suited_fives,
    )
    from games.tichu.cards import DOG, MAH_JONG, NATURALS, PHOENIX
    from games.tichu.cards import DRAGON as DRAGON_CARD

    ONE, FOUR_BITS = 1, 0xF

    ASK_NOTHING = -1
    ASK_GRAND, ASK_RIGHT, ASK_PARTNER, ASK_LEFT, ASK_TICHU, ASK_PLAY, ASK_BOMB, ASK_WISH, ASK_DRAGON = range(9)

    PASS_ID = 0
    PHOENIX_ID = 17  # as a single, behind the 16 others
    NO_BOMB = 1512
    WISHES = 1513
    DRAGONS = 1527
    TICHUS = 1529
    GRANDS = 1531
    GIFTS = 1533
    ACTIONS = 1584  # ids are 0..1583
    MASK_WORDS = 25  # 64 ids a word
    CARD_KINDS = 17

    FIRST_IDS = [0] * 2048  # the id of the first play of a type, length and rank, at type << 8 | length << 4 | rank

    METAS = [0] * NO_BOMB  # by id: of the plays, without the phoenix

    def at(array: Any, row: int) -> Any:
        """A row of an array."""
        return array[row]


# --- the table --------------------------------------------------------------------------------------------------------


class Pattern(NamedTuple):
    """What the id of a play says.

    :ivar kind: the type, as on the wire.
    :ivar rank: 0 of the dog, and of the phoenix as a single, whose rank is that of what it beats.
    :ivar phoenix: the rank that the phoenix stands for, 16 as a single; 0 without it.
    :ivar pair: the rank of the pair of a full house; else 0.
    :ivar suit: 0..3 of a street that is a bomb; else -1.
    """

    kind: int
    length: int
    rank: int
    phoenix: int = 0
    pair: int = 0
    suit: int = -1

    def count(self, rank: int) -> int:
        """How many cards of a rank, 0 the dog to 15 the dragon, it is made of, the phoenix aside."""
        if self.kind == PASS or self.phoenix == 16:
            return 0
        if self.kind == FULLHOUSE:
            count = 3 * (rank == self.rank) + 2 * (rank == self.pair)
        elif self.kind == STAIR:
            count = 2 * (self.rank - self.length // 2 < rank <= self.rank)
        elif self.kind == STREET or self.suit >= 0:
            count = int(self.rank - self.length < rank <= self.rank)
        else:
            count = self.length * (rank == self.rank)
        return count - (rank == self.phoenix > 0)


def _patterns() -> Iterator[Pattern]:
    """All plays in the order of their ids: by type, length, rank, and then as :func:`id_of` counts."""
    yield Pattern(PASS, 0, 0)
    for rank in range(16):
        yield Pattern(SINGLE, 1, rank)
    yield Pattern(SINGLE, 1, 0, 16)
    for kind in (PAIR, TRIPLE):
        for rank in range(2, 15):
            for phoenix in (0, rank):
                yield Pattern(kind, kind, rank, phoenix)
    for rank in range(2, 15):
        pairs = [pair for pair in range(2, 15) if pair != rank]
        yield from [Pattern(FULLHOUSE, 5, rank, 0, pair) for pair in pairs]
        yield from [Pattern(FULLHOUSE, 5, rank, pair, pair) for pair in pairs]
        yield from [Pattern(FULLHOUSE, 5, rank, rank, pair) for pair in pairs]
    for ranks in range(2, 8):
        for rank in range(ranks + 1, 15):
            for phoenix in (0, *range(rank - ranks + 1, rank + 1)):
                yield Pattern(STAIR, 2 * ranks, rank, phoenix)
    for length in range(5, 15):
        for rank in range(length, 15):
            for phoenix in (0, *range(max(rank - length + 1, 2), rank + 1)):  # the Mah Jong is not replaced (rules 4.8)
                yield Pattern(STREET, length, rank, phoenix)
    for rank in range(2, 15):
        yield Pattern(BOMB, 4, rank)
    for length in range(5, 14):
        for rank in range(length + 1, 15):
            for suit in range(4):
                yield Pattern(BOMB, length, rank, suit=suit)


def _number() -> None:
    """Fills ``METAS`` and ``FIRST_IDS``."""
    for number in range(len(PATTERNS) - 1, 0, -1):
        pattern = PATTERNS[number]
        METAS[number] = pattern.kind << 16 | pattern.length << 8 | pattern.rank << 1
        if number != PHOENIX_ID:
            FIRST_IDS[pattern.kind << 8 | pattern.length << 4 | pattern.rank] = number


PATTERNS = tuple(_patterns())  # by id: of all plays
_number()


# --- numbers and plays ------------------------------------------------------------------------------------------------


def id_of(cards: int, meta: int) -> int:
    """The id of a play.

    >>> id_of(0, 0), id_of(0x3000, 2 << 16 | 2 << 8 | 6)  # the pass, two threes
    (0, 20)
    """
    if not cards:
        return PASS_ID
    if cards == PHOENIX:
        return PHOENIX_ID
    kind = kind_of(meta)
    length = length_of(meta)
    rank = rank_of(meta)
    phoenix = meta >> 24
    first = FIRST_IDS[kind << 8 | length << 4 | rank]
    if kind == SINGLE:
        return first
    if kind <= TRIPLE:
        return first + (1 if phoenix else 0)
    if kind == FULLHOUSE:
        if phoenix and phoenix != rank:
            return first + 12 + place_of(phoenix, rank)
        pair = lowest_bit(cards & NATURALS & ~(FOUR_BITS << 4 * rank)) >> 2
        return first + (24 if phoenix else 0) + place_of(pair, rank)
    if kind == BOMB:
        return first if length == 4 else first + (lowest_bit(cards) & 3)
    if not phoenix:
        return first
    low = rank + 1 - (length >> 1 if kind == STAIR else length)
    return first + phoenix - low + (0 if low == 1 else 1)


def place_of(pair: int, triple: int) -> int:
    """0..11: of a pair's rank among all but the triple's."""
    return pair - 3 if pair > triple else pair - 2


def find_play(plays: Plays, hand: int, top: int, id: int) -> None:
    """Makes a legal play the only one of a list.

    :param top: meta of the combination to beat; 0 leads.
    """
    plays.count = 0
    if id == PASS_ID:
        plays.add(0, 0)
    elif id <= PHOENIX_ID:
        meta = METAS[id]
        if id == PHOENIX_ID:
            meta = (top or meta_of(SINGLE, 1, 1, 0)) + 1
        plays.add(card_of(hand, id - 1), meta)
    else:
        find_plays(plays, hand, METAS[id] - 2, 0, 0)  # of the same type and length, from the same rank on
        for i in range(plays.count):
            if id_of(plays.cards[i], plays.metas[i]) == id:
                plays.cards[0] = plays.cards[i]
                plays.metas[0] = plays.metas[i]
                plays.count = 1
                break


def card_of(hand: int, kind: int) -> int:
    """The card of a kind that a seat would rather give: one that belongs to no bomb; 0 if it has none of the kind."""
    if kind == 0:
        return hand & DOG
    if kind == 1:
        return hand & MAH_JONG
    if kind == 15:
        return hand & DRAGON_CARD
    if kind == 16:
        return hand & PHOENIX
    naturals = hand & NATURALS
    fives = suited_fives(naturals)
    suited = fives | fives << 4 | fives << 8 | fives << 12 | fives << 16
    return one_of_each_rank(naturals, suited) & FOUR_BITS << 4 * kind


# --- what is legal ----------------------------------------------------------------------------------------------------


def find_answers(row: list[int], seat: int, ask: int, plays: Plays) -> None:
    """The plays among which a seat may choose; none where it is not asked for a play."""
    if ask == ASK_PLAY:
        find_turn_plays(row, plays)
    elif ask == ASK_BOMB:
        find_seat_bombs(row, seat, plays)
    else:
        plays.count = 0


def mark(mask: list[int], first: int, count: int) -> None:
    """Sets the bits of ids in a row."""
    for id in range(first, first + count):
        mask[id >> 6] |= ONE << (id & 63)


def mark_answers(row: list[int], seat: int, ask: int, plays: Plays, mask: list[int]) -> int:
    """Sets the bits of all that a seat may answer.

    :param plays: from :func:`find_answers`.
    :param mask: words that are written anew.
    :result: how many there are.
    """
    for i in range(MASK_WORDS):
        mask[i] = 0
    if ask in (ASK_PLAY, ASK_BOMB):
        for i in range(plays.count):
            id = id_of(plays.cards[i], plays.metas[i])
            mask[id >> 6] |= ONE << (id & 63)
        if ask == ASK_PLAY:
            return plays.count
        mark(mask, NO_BOMB, 1)
        return plays.count + 1
    if ask == ASK_GRAND:
        mark(mask, GRANDS, 2)
        return 2
    if ask == ASK_TICHU:
        mark(mask, TICHUS, 2)
        return 2
    if ask == ASK_DRAGON:
        mark(mask, DRAGONS, 2)
        return 2
    if ask == ASK_WISH:
        if row[RULES] & WISH_REQUIRED:
            mark(mask, WISHES + 1, 13)
            return 13
        mark(mask, WISHES, 14)
        return 14
    count = 0
    if ask >= ASK_RIGHT:
        hand = row[HAND + seat]
        first = GIFTS + CARD_KINDS * (ask - ASK_RIGHT)
        ranks = ranks_of(hand & ~PHOENIX)
        while ranks:
            mark(mask, first + (lowest_bit(ranks) >> 2), 1)
            ranks &= ranks - 1
            count += 1
        if hand & PHOENIX:
            mark(mask, first + 16, 1)
            count += 1
    return count


def answer(row: list[int], seat: int, ask: int, id: int, plays: Plays) -> None:
    """Does what a seat answers, which must be legal.

    A card of the exchange leaves the hand at once, and is handed over with the third one.

    :param plays: is overwritten.
    """
    if ask == ASK_PLAY or (ask == ASK_BOMB and id != NO_BOMB):
        find_play(plays, row[HAND + seat], row[TOP], id)
        play(row, seat, plays.cards[0], plays.metas[0])
    elif ask == ASK_GRAND:
        decide_grand(row, seat, id - GRANDS)
    elif ask == ASK_TICHU:
        if id != TICHUS:
            announce(row, seat)
    elif ask == ASK_WISH:
        make_wish(row, id - WISHES + 1 if id > WISHES else 0)
    elif ask == ASK_DRAGON:
        give_dragon(row, seat + 1 + 2 * (id - DRAGONS) & 3)
    elif ask != ASK_BOMB:
        at = GIVEN + 3 * seat
        card = card_of(row[HAND + seat], id - GIFTS - CARD_KINDS * (ask - ASK_RIGHT))
        row[at + ask - ASK_RIGHT] = card
        set_hand(row, seat, row[HAND + seat] & ~card)
        if ask == ASK_LEFT:
            give(row, seat, row[at], row[at + 1], row[at + 2])


# --- for Python -------------------------------------------------------------------------------------------------------


def legal_mask(round: Round, seat: int, ask: int) -> NDArray[np.uint64]:
    """What a seat may answer: ``uint64[MASK_WORDS]``, bit ``id % 64`` of word ``id // 64``."""
    plays = Plays()
    find_answers(round._row, seat, ask, plays)
    words = blank(1, MASK_WORDS)
    mark_answers(round._row, seat, ask, plays, at(words, 0))
    mask: NDArray[np.uint64] = np.array(words, dtype=np.uint64)[0]
    return mask


def do(round: Round, seat: int, ask: int, id: int) -> None:
    """Changes the round by a legal answer; the first two cards of the exchange only leave the hand."""
    answer(round._row, seat, ask, id, Plays())


def decision(round: Round, seat: int, ask: int, id: int) -> Any:
    """A legal answer as :class:`games.tichu.agents.agent.TichuAgent` gives it.

    :result: a play, or None instead of a bomb; a bool for a call; the rank of a wish; the seat that gets the dragon; of
        the exchange, one card.
    """
    if ask in (ASK_PLAY, ASK_BOMB):
        if id == NO_BOMB:
            return None
        plays = Plays()
        find_play(plays, round._row[HAND + seat], round._row[TOP], id)
        return plays.cards[0], plays.metas[0]
    if ask == ASK_GRAND:
        return id != GRANDS
    if ask == ASK_TICHU:
        return id != TICHUS
    if ask == ASK_WISH:
        return id - WISHES + 1 if id > WISHES else 0
    if ask == ASK_DRAGON:
        return (seat + 1 + 2 * (id - DRAGONS)) % 4
    return card_of(round.hand(seat), id - GIFTS - CARD_KINDS * (ask - ASK_RIGHT))


def with_gifts(round: Round, seat: int, gifts: Sequence[CardSet]) -> Round:
    """The round as a seat sees it that has chosen some cards of the exchange: for the right neighbour, the partner."""
    changed = round.copy()
    for i in range(len(gifts)):
        changed._row[GIVEN + 3 * seat + i] = gifts[i]
        set_hand(changed._row, seat, changed._row[HAND + seat] & ~gifts[i])
    return changed


def blank(rows: int, words: int) -> Any:
    """An array of zeros that compiled and interpreted functions can fill, row by row (:func:`at`)."""
    if not cython.compiled:
        return [[0] * words for _ in range(rows)]
    return np.zeros((rows, words), dtype=np.int64)


def unsigned(words: Any) -> NDArray[np.uint64]:
    """Words of a mask or an observation for numpy: the same memory where it is compiled."""
    if not cython.compiled:
        return np.array(words, dtype=np.uint64)
    return np.asarray(words).view(np.uint64)


def unpacked(words: NDArray[np.uint64], bits: int) -> NDArray[np.uint8]:
    """Packed bits one by one, along the last axis.

    >>> unpacked(np.array([5], dtype=np.uint64), 4)
    array([1, 0, 1, 0], dtype=uint8)
    """
    return np.unpackbits(words.astype("<u8").view(np.uint8), axis=-1, bitorder="little", count=bits)


# --- descriptors ------------------------------------------------------------------------------------------------------

# The columns of DESCRIPTORS; lengths, ranks and suits have a column for each value.
DESCRIPTOR_PIECES = (
    ("type", 8),  # of a play, 0 the pass, as on the wire
    ("other", 8),  # what else it answers: no bomb, wish, dragon, Tichu, grand Tichu, card to right, partner, left
    ("yes", 1),  # to a call
    ("to_left", 1),  # of the dragon
    ("length", 14),  # 1..14
    ("rank", 16),  # 0 the dog .. 15 the dragon; of a wish too
    ("phoenix", 13),  # the rank 2..14 that it stands for
    ("suit", 4),  # of a street that is a bomb
    ("cards", 56),  # as in an observation: dog, Mah Jong, dragon, phoenix, at least 1, 2, 3, 4 of 2..14
)


def _descriptors() -> NDArray[np.uint8]:
    """What the ids mean, so that a network can share what it learns between those that are alike."""
    pieces = {name: np.zeros((ACTIONS, width), dtype=np.uint8) for name, width in DESCRIPTOR_PIECES}
    cards = pieces["cards"]
    for id, pattern in enumerate(PATTERNS):
        pieces["type"][id, pattern.kind] = 1
        if id != PASS_ID:
            pieces["length"][id, pattern.length - 1] = 1
            if id != PHOENIX_ID:
                pieces["rank"][id, pattern.rank] = 1
                if pattern.phoenix:
                    pieces["phoenix"][id, pattern.phoenix - 2] = 1
        if pattern.suit >= 0:
            pieces["suit"][id, pattern.suit] = 1
        for rank in range(2, 15):
            cards[id, 4 * rank - 4 : 4 * rank - 4 + pattern.count(rank)] = 1
        cards[id, 0], cards[id, 1], cards[id, 2] = pattern.count(0), pattern.count(1), pattern.count(15)
        cards[id, 3] = pattern.phoenix > 0
    pieces["other"][NO_BOMB, 0] = 1
    pieces["other"][WISHES:DRAGONS, 1] = 1
    for rank in range(2, 15):
        pieces["rank"][WISHES + rank - 1, rank] = 1
    pieces["other"][DRAGONS:TICHUS, 2] = 1
    pieces["to_left"][DRAGONS + 1] = 1
    pieces["other"][TICHUS:GRANDS, 3] = 1
    pieces["other"][GRANDS:GIFTS, 4] = 1
    pieces["yes"][[TICHUS + 1, GRANDS + 1]] = 1
    for to in range(3):
        first = GIFTS + CARD_KINDS * to
        pieces["other"][first : first + CARD_KINDS, 5 + to] = 1
        pieces["rank"][first : first + 16] = np.eye(16)
        cards[first : first + CARD_KINDS] = cards[1 : 1 + CARD_KINDS]  # as the singles
    return np.concatenate(list(pieces.values()), axis=1)


DESCRIPTORS = _descriptors()  # uint8[ACTIONS, 121]: by id, of 0 and 1
