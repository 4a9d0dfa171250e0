# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, annotation_typing=False, auto_pickle=False
"""What a seat sees, as bits: what networks look at.

An observation is ``PIECES`` one after the other, bit ``i % 64`` of word ``i // 64``, in ``WORDS`` words of 64 bits. It
is made from the row of a round and what a seat is asked, so a live table and a batch of thousands give the same bits.
Seats are relative: 0 the seat itself, 1 its right neighbour, 2 its partner, 3 its left neighbour. Nothing depends on
a card that the seat cannot see. What critics may know besides, when they train, is apart: ``HIDDEN_PIECES``.

Three forms come again and again::

    cards    56 bits: dog, Mah Jong, dragon, phoenix, then four of each rank from the two to the ace
    counts   the same, but the four bits say: at least one, two, three, four cards of the rank
    level    so many bits are set as there are steps in a number

The seats that have passed on the top of a trick are those between its owner and who is to move. What a match is about
is in what both teams miss: at 900 of 1000 points it is played as at 400 of 500. Not among it, because the row does not
hold it: when, and in which combinations, the cards that are gone were played.

This file runs interpreted as it stands; Cython compiles it with the types of ``observations.pxd``.
"""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from games.tichu._core import Round
from games.tichu.agents.actions import blank, with_gifts
from games.tichu.cards import CardSet
from games.tichu.states import PrivateState, PublicState

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # only the compiler needs it
    from types import SimpleNamespace

    cython = SimpleNamespace(compiled=False)

if not cython.compiled:  # the compiled module has these as C constants and C functions
    from games.tichu._core import (
        CALL,
        EXCHANGE,
        FOURTEEN,
        GIVEN,
        GRAND,
        HAND,
        OPENED,
        OUT,
        OUT_COUNT,
        OWNER,
        PASSED,
        PHASE,
        PLAY,
        PLAYED_BY,
        POINTS,
        TOP,
        TOP_CARDS,
        TRICK,
        TURN,
        WISHED,
        all_played,
        count_bits,
        kind_of,
        length_of,
        lowest_bit,
        points,
    )
    from games.tichu.agents.actions import CARD_KINDS, at
    from games.tichu.cards import DECK, NATURALS, PHOENIX

    ONE, FOUR_BITS, RANKS = 1, 0xF, 0x1111_1111_1111_1111
    ALL_BITS = 0xFFFF_FFFF_FFFF_FFFF
    WITHOUT_SPECIALS = 0x00FF_FFFF_FFFF_FFF0

    ASKS = 9
    BITS = 1099
    WORDS = 18
    HIDDEN_BITS = 224
    HIDDEN_WORDS = 4
    POINT_LEVELS = 25  # of 5 points, from -25
    SCORE_LEVELS = 24  # of 50 points
    PASSED_BITS = 54

PIECES = (
    ("ask", 9),  # what is asked, one of them; none if the seat only looks on
    ("hand", 56),  # cards
    ("hand_counts", 56),
    ("hidden", 56),  # cards that are neither in the hand nor played
    ("hidden_counts", 56),
    ("top_type", 7),  # of the combination to beat: SINGLE .. BOMB, one of them; none in an empty trick
    ("top_length", 14),  # 1..14
    ("top_rank", 31),  # twice the rank: 0..30
    ("top_counts", 56),
    ("owner", 4),  # of the trick, by relative seat
    ("turn", 4),
    ("trick_points", 25),  # level: steps of 5 points from -25
    ("wish", 13),  # the open one, 2..14
    ("hand_sizes", 56),  # four times 1..14; none before the first trick, and of who is out
    ("tichu", 4),  # who has called
    ("grand_tichu", 4),
    ("opened", 4),  # who has played its first cards, and may not call; see hush()
    ("first_out", 4),
    ("second_out", 4),
    ("points", 100),  # four times a level: steps of 5 points from -25
    ("given", 51),  # three times a kind of card: given to right, partner, left, if it still lies there
    ("received", 51),  # from right, partner, left
    ("played_by", 224),  # four times counts: what each has played
    ("passed", 162),  # by right, partner, left, on a trick of their opponents: singles of the ranks 1..15, pairs 2..14,
    #                   triples and full houses 2..14, stairs and streets 2..14 by their highest
    ("missing", 48),  # twice a level: steps of 50 points from the score of the own team, of the others, to the target
)

FIRST_BITS = dict(
    zip([name for name, _ in PIECES], accumulate([width for _, width in PIECES], initial=0), strict=False)
)  # where pieces begin

HIDDEN_PIECES = (
    ("will_hold", 224),  # four times counts: the hand with all that is dealt and given to it already
)


def put(words: list[int], first: int, width: int, value: int) -> int:
    """Writes some bits, at most 63.

    :result: where the next ones go.
    """
    shift = first & 63
    words[first >> 6] |= value << shift & ALL_BITS
    if shift + width > 64:
        words[(first >> 6) + 1] |= value >> (64 - shift)
    return first + width


def cards_bits(cards: int) -> int:
    """A set of cards without the holes: 56 bits.

    >>> bin(cards_bits(0x3000_0000_0000_0111))
    '0b11111'
    """
    return cards & 1 | cards >> 3 & 2 | cards >> 58 & 12 | cards >> 4 & WITHOUT_SPECIALS


def counts_of(cards: int) -> int:
    """The same number of cards of each rank, from the lowest suit on.

    >>> hex(counts_of(0xA8F000))
    '0x31f000'
    """
    naturals = cards & NATURALS
    a = naturals & RANKS
    b = naturals >> 1 & RANKS
    c = naturals >> 2 & RANKS
    d = naturals >> 3 & RANKS
    ab, both_ab, cd, both_cd = a | b, a & b, c | d, c & d  # a network that sorts four bits
    most, some, few, least = ab | cd, ab & cd, both_ab | both_cd, both_ab & both_cd
    return cards & ~NATURALS | most | (some | few) << 1 | (some & few) << 2 | least << 3


def level(steps: int, width: int) -> int:
    """So many bits as there are steps, none if there are less.

    >>> bin(level(3, 24)), level(-2, 24)
    ('0b111', 0)
    """
    return (ONE << max(0, min(steps, width))) - 1


def around(seats: int, seat: int) -> int:
    """A mask of seats as one of relative seats.

    >>> bin(around(0b1001, 3))
    '0b11'
    """
    return (seats >> seat | seats << (4 - seat)) & FOUR_BITS


def kind_bit(card: int) -> int:
    """One of 17 bits for the kind of a card; 0 for no card."""
    if not card:
        return 0
    return ONE << (16 if card == PHOENIX else lowest_bit(card) >> 2)


def observe(row: list[int], seat: int, ask: int, own: int, others: int, words: list[int]) -> None:
    """Writes what a seat sees.

    :param own: points that its team misses to the target score; ``others``: that the other team misses.
    :param words: ``WORDS`` that are written anew.
    """
    for i in range(WORDS):
        words[i] = 0
    phase = row[PHASE]
    hand = row[HAND + seat]
    played = all_played(row)
    top = row[TOP]
    hidden = DECK & ~(hand | played)
    to = put(words, 0, ASKS, ONE << ask if ask >= 0 else 0)
    to = put(words, to, 56, cards_bits(hand))
    to = put(words, to, 56, cards_bits(counts_of(hand)))
    to = put(words, to, 56, cards_bits(hidden))
    to = put(words, to, 56, cards_bits(counts_of(hidden)))
    to = put(words, to, 7, ONE << (kind_of(top) - 1) if top else 0)
    to = put(words, to, 14, ONE << (length_of(top) - 1) if top else 0)
    to = put(words, to, 31, ONE << (top & 0xFF) if top else 0)
    to = put(words, to, 56, cards_bits(counts_of(row[TOP_CARDS])))
    to = put(words, to, 4, ONE << (row[OWNER] - seat & 3) if row[OWNER] >= 0 else 0)
    to = put(words, to, 4, ONE << (row[TURN] - seat & 3) if row[TURN] >= 0 else 0)
    to = put(words, to, POINT_LEVELS, level((points(row[TRICK]) + 25) // 5, POINT_LEVELS))
    to = put(words, to, 13, ONE << (row[WISHED] - 2) if row[WISHED] > 0 else 0)
    for away in range(4):
        size = count_bits(row[HAND + (seat + away & 3)]) if phase >= PLAY else 0
        to = put(words, to, 14, ONE << (size - 1) if size else 0)
    small = 0
    grand = 0
    for other in range(4):
        if row[CALL + other] == 1:
            small |= ONE << other
        elif row[CALL + other] == 2:
            grand |= ONE << other
    to = put(words, to, 4, around(small, seat))
    to = put(words, to, 4, around(grand, seat))
    to = put(words, to, 4, around(row[OPENED], seat))
    to = put(words, to, 4, ONE << (row[OUT] - seat & 3) if row[OUT_COUNT] >= 1 else 0)
    to = put(words, to, 4, ONE << (row[OUT + 1] - seat & 3) if row[OUT_COUNT] >= 2 else 0)
    for away in range(4):
        to = put(words, to, POINT_LEVELS, level((row[POINTS + (seat + away & 3)] + 25) // 5, POINT_LEVELS))
    for i in range(3):
        to = put(words, to, CARD_KINDS, kind_bit(row[GIVEN + 3 * seat + i] & ~played))
    for away in range(1, 4):
        received = row[GIVEN + 3 * (seat + away & 3) + 3 - away] if phase > EXCHANGE else 0
        to = put(words, to, CARD_KINDS, kind_bit(received))
    for away in range(4):
        to = put(words, to, 56, cards_bits(counts_of(row[PLAYED_BY + (seat + away & 3)])))
    for away in range(1, 4):
        to = put(words, to, PASSED_BITS, row[PASSED + (seat + away & 3)])
    to = put(words, to, SCORE_LEVELS, level((max(own, 0) + 49) // 50, SCORE_LEVELS))
    put(words, to, SCORE_LEVELS, level((max(others, 0) + 49) // 50, SCORE_LEVELS))


def observe_hidden(row: list[int], seat: int, words: list[int]) -> None:
    """Writes what only a critic may know.

    :param words: ``HIDDEN_WORDS`` that are written anew.
    """
    for i in range(HIDDEN_WORDS):
        words[i] = 0
    to = 0
    for away in range(4):
        other = seat + away & 3
        cards = row[HAND + other]
        if row[PHASE] == GRAND:
            cards = row[FOURTEEN + other]
        elif row[PHASE] == EXCHANGE:
            for giver in range(1, 4):
                cards |= row[GIVEN + 3 * (other + giver & 3) + 3 - giver]
        to = put(words, to, 56, cards_bits(counts_of(cards)))


# --- for Python -------------------------------------------------------------------------------------------------------


def observation(
    public: PublicState, private: PrivateState, ask: int, gifts: Sequence[CardSet] = ()
) -> NDArray[np.uint64]:
    """What a seat sees that is asked something: ``uint64[WORDS]``.

    :param gifts: the cards that it has chosen for the exchange so far.
    """
    seat = private.player_index
    teams = [sum(points) for points in public.game_score]
    missing = [public.target_score - teams[(seat + team) % 2] for team in range(2)]
    words = blank(1, WORDS)
    see(with_gifts(private._round, seat, gifts), seat, ask, missing[0], missing[1], at(words, 0))
    packed: NDArray[np.uint64] = np.array(words, dtype=np.uint64)[0]
    return packed


def hush(words: NDArray[np.uint64], quiet: NDArray[np.bool_] | bool = True) -> None:
    """Tells seats that nobody calls in their round: they see what is seen otherwise once all have played.

    :param words: ``uint64[..., WORDS]``, of observations, which are changed; ``quiet``: ``bool[...]``, of which.
    """
    first = FIRST_BITS["opened"]
    word = words[..., first // 64]
    np.bitwise_or(word, np.uint64(0b1111 << first % 64), out=word, where=quiet)


def see(round: Round, seat: int, ask: int, own: int, others: int, words: list[int]) -> None:
    """The same from a round."""
    observe(round._row, seat, ask, own, others, words)
