# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, cpow=True
# cython: infer_types=True, annotation_typing=False, auto_pickle=False
"""How a hand can be played out: the arithmetic behind "do not break your combinations".

The unit is the **turn**. A combination takes one turn to get rid of, and one that nobody beats gives that turn back,
because its player leads again. So a hand of low singles needs as many turns as it has cards, a hand of unbeatable
combinations none at all.

Like the rules, this file runs interpreted as it stands, and Cython compiles it with the types of ``outlook.pxd``. Both
find the same, to the last bit.
"""

from games.tichu._core import legal_plays
from games.tichu.cards import CardSet
from games.tichu.states import Meta

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # only the compiler needs it
    from types import SimpleNamespace

    cython = SimpleNamespace(compiled=False)

if not cython.compiled:  # the compiled module has these as C constants
    from games.tichu._core import BOMB, FULLHOUSE, PAIR, SINGLE, STAIR, STREET, TRIPLE
    from games.tichu.cards import DOG, DRAGON, MAH_JONG, NATURALS, PHOENIX

    RANKS = 0x1111_1111_1111_1111  # the lowest bit of each rank
    STREET_STARTS = 0x0000_0111_1111_1100  # two to ten
    ONE = 1
    ALL_BITS = 0xFFFF_FFFF_FFFF_FFFF
    PLACES = 256

    def highest_bit(cards: int) -> int:
        return cards.bit_length() - 1

    def count_bits(cards: int) -> int:
        return cards.bit_count()

    def place_of(cards: int) -> int:
        """Where the turns of a hand are kept, until those of another one take its place."""
        return (cards * 0x9E37_79B9_7F4A_7C15 & ALL_BITS) >> 56


# How likely a combination stands: this factor once for each higher rank that the hidden cards may have of it. By type:
#        none, single, pair, triple, stair, full house, street
STANDS = [1.0, 0.85, 0.78, 0.7, 0.7, 0.82, 0.6]

GIVEN_BACK = 1.15  # turns, by what stands for sure; more than the one it takes, because it stops others as well
DOG_TURNS = 0.6  # it wins nothing, but the partner leads
MAH_JONG_TURNS = 1.0
DRAGON_TURNS = -0.2
PHOENIX_TURNS = -0.15  # while it is free to go anywhere
BOMB_TURNS = -0.75


class Outlook:
    """What combinations and hands are worth against the cards that are hidden.

    :param hidden: all cards in the other hands.
    :param opponents: how many cards each opponent holds.
    :param partner: how many the partner holds.
    """

    def __init__(self, hidden: CardSet, opponents: tuple[int, int] = (14, 14), partner: int = 14) -> None:
        self._home: dict[CardSet, bool] = {}
        if not cython.compiled:
            self._known = [0] * PLACES
            self._turns = [0.0] * PLACES
        self.begin(hidden, opponents[0], opponents[1], partner)

    def begin(self, hidden: CardSet, right: int, left: int, partner: int) -> None:
        """Looks at other cards, and forgets the turns of all hands.

        :param right, left, partner: how many cards they hold.
        """
        self._hidden = hidden
        self._counts = counts_of(hidden & NATURALS)
        self._phoenix = count_bits(hidden & PHOENIX)
        self._longest = max(right, left)  # nobody beats a longer combination
        self._share = 1.5 * (right + left) / (right + left + partner)  # of the hidden cards; 1 while all hold as many
        for place in range(PLACES):
            self._known[place] = 0  # the empty hand, which takes no turns
            self._turns[place] = 0.0

    def stands(self, meta: Meta) -> float:
        """The chance that no opponent beats a combination with a higher one of its kind."""
        return self._stands(meta >> 16 & 0xFF, meta >> 8 & 0xFF, (meta & 0xFF) >> 1)

    def turns(self, cards: CardSet) -> float:
        """How many turns it takes to play these cards out, in the best split into combinations."""
        place = place_of(cards)
        if self._known[place] != cards:
            turns = self._best_split(cards)
            self._known[place] = cards
            self._turns[place] = turns
        return self._turns[place]

    def is_home(self, cards: CardSet) -> bool:
        """Whether the seat, leading, can play these cards out before an opponent gets in, bombs apart."""
        known = self._home.get(cards)
        if known is not None:
            return known
        home = self._home[cards] = self._can_run_home(cards)
        return home

    def _can_run_home(self, cards: CardSet) -> bool:
        turns = self.turns(cards)
        if turns > 1 and not cards & PHOENIX:  # more than one combination: most hands end here
            return False
        plays = legal_plays(cards, 0, 0, 0)
        for play, _ in plays:
            if play == cards:
                return True
        if turns < 1:
            for play, meta in plays:
                if self.stands(meta) > 0.99 and self.is_home(cards & ~play):
                    return True
        return not cards

    # --- a combination, by its type, length and rank ------------------------------------------------------------------

    def _takes(self, kind: int, length: int, rank: int) -> float:
        """The turns that it takes."""
        return 1 - GIVEN_BACK * self._stands(kind, length, rank)

    def _stands(self, kind: int, length: int, rank: int) -> float:
        if not rank:  # the dog
            return 0.0
        if kind == BOMB or length > self._longest:
            return 1.0
        chance: float = STANDS[kind] ** (self._share * self._higher(kind, length, rank))
        return chance

    def _higher(self, kind: int, length: int, rank: int) -> int:
        """Of how many higher ranks there may be such a combination among the hidden cards."""
        if kind == SINGLE:
            return count_bits(self._hidden >> 4 * rank >> 4)  # no shift by 64, which C does not know
        size = 1 if kind == STREET else 2 if kind in (PAIR, STAIR) else 3
        have = at_least(size, self._counts)
        if kind in (STAIR, STREET):
            higher = 0
            for top in range(rank + 1, 15):
                missing = RANKS & window(top - length // size + 1, top) & ~have
                if count_bits(missing) <= self._phoenix:
                    higher += 1
            return higher
        above = 4 * (rank + 1)
        with_phoenix = 1 if self._phoenix and at_least(size - 1, self._counts) >> above else 0
        return count_bits(have >> above) + with_phoenix

    # --- a hand -------------------------------------------------------------------------------------------------------

    def _best_split(self, cards: CardSet) -> float:
        """The turns of a hand: without streets, or with the street that saves most; the phoenix fills one gap."""
        turns = self._without_streets(cards)
        naturals = cards & (NATURALS | MAH_JONG)
        phoenix = cards & PHOENIX
        counts = counts_of(naturals)
        have = at_least(1, counts)
        one_of_each = lowest_of_each_rank(naturals)
        starts = street_starts(have, phoenix != 0)
        while starts:
            low = highest_bit(starts) >> 2
            starts ^= ONE << 4 * low
            spare = phoenix
            for high in range(low, 15):
                if not have >> 4 * high & 1:
                    if not spare:
                        break
                    spare = 0
                length = high - low + 1
                if length >= 5 and counts >> 4 * high + 4 & 0xF != 1:  # no card is left behind alone
                    street = one_of_each & window(low, high) | phoenix ^ spare
                    takes = BOMB_TURNS if is_suited(street) else self._takes(STREET, length, high)
                    turns = min(turns, takes + self.turns(cards & ~street))
        return turns

    def _without_streets(self, cards: CardSet) -> float:
        """The turns of a hand in bombs, stairs, full houses, triples, pairs and singles."""
        turns = specials(cards)
        counts = counts_of(cards & NATURALS)
        left = at_least(1, counts)
        pairs = triples = 0
        while left:
            bit = highest_bit(left)
            left ^= ONE << bit
            count = counts >> bit & 0xF
            if count == 1:
                turns += self._takes(SINGLE, 1, bit >> 2)
            elif count == 2:
                pairs |= ONE << bit
            elif count == 3:
                triples |= ONE << bit
            else:
                turns += BOMB_TURNS
        return self._with_sets(turns, pairs, triples)

    def _with_sets(self, turns: float, pairs: int, triples: int) -> float:
        """The turns of a hand with the ranks of its pairs and triples, in stairs and full houses where these save some.

        :param turns: of all its other cards.
        """
        in_stairs = 0.0
        joined = pairs & (pairs << 4 | pairs >> 4)
        while joined:
            high = low = highest_bit(joined) >> 2
            one_by_one = 0.0
            while joined >> 4 * low & 1:
                one_by_one += self._takes(PAIR, 2, low)
                low -= 1
            run = RANKS & window(low + 1, high)
            joined ^= run
            stair = self._takes(STAIR, 2 * (high - low), high)
            if stair < one_by_one:
                in_stairs += stair
                pairs ^= run
        turns += in_stairs
        while triples:
            bit = highest_bit(triples)
            triples ^= ONE << bit
            triple = self._takes(TRIPLE, 3, bit >> 2)
            full_house = self._takes(FULLHOUSE, 5, bit >> 2)
            lowest = pairs & -pairs
            if pairs and full_house < triple + self._takes(PAIR, 2, highest_bit(lowest) >> 2):
                turns += full_house
                pairs ^= lowest
            else:
                turns += triple
        while pairs:
            bit = highest_bit(pairs)
            pairs ^= ONE << bit
            turns += self._takes(PAIR, 2, bit >> 2)
        return turns


def specials(cards: CardSet) -> float:
    """The turns of the dog, the Mah Jong, the dragon and the phoenix by themselves."""
    return (
        (DOG_TURNS if cards & DOG else 0.0)
        + (MAH_JONG_TURNS if cards & MAH_JONG else 0.0)
        + (DRAGON_TURNS if cards & DRAGON else 0.0)
        + (PHOENIX_TURNS if cards & PHOENIX else 0.0)
    )


def street_starts(have: int, phoenix: bool) -> int:
    """Where a street can begin, from what is there of each rank: one bit for each rank."""
    second, third, fourth, fifth = have >> 4, have >> 8, have >> 12, have >> 16
    starts = have & second & third & fourth & fifth
    if phoenix:  # four of five will do
        starts |= have & second & (third & (fourth | fifth) | fourth & fifth) | (have | second) & third & fourth & fifth
    return starts & (STREET_STARTS | have & MAH_JONG)


def is_suited(street: CardSet) -> bool:
    """Whether a street is a bomb (rules 4.3)."""
    return not street & (MAH_JONG | PHOENIX) and not street & ~(RANKS << (highest_bit(street) & 3))


# --- how many cards of each rank: a number of four bits for each ------------------------------------------------------


def counts_of(naturals: CardSet) -> int:
    """
    >>> hex(counts_of(0xA03000))  # two fives, two threes
    '0x202000'
    """
    return (naturals & RANKS) + (naturals >> 1 & RANKS) + (naturals >> 2 & RANKS) + (naturals >> 3 & RANKS)


def at_least(number: int, counts: int) -> int:
    """One bit for each rank of which there are so many: one, two or three."""
    if number == 1:
        return (counts | counts >> 1 | counts >> 2) & RANKS
    if number == 2:
        return (counts >> 1 | counts >> 2) & RANKS
    return (counts & counts >> 1 | counts >> 2) & RANKS


def lowest_of_each_rank(naturals: CardSet) -> CardSet:
    """One card of each rank: the one of the lowest suit.

    >>> hex(lowest_of_each_rank(0xA03000))
    '0x201000'
    """
    first, second, third = naturals & RANKS, naturals >> 1 & RANKS, naturals >> 2 & RANKS
    return naturals & ~(first * 0b1110 | second * 0b1100 | third * 0b1000)


def window(low: int, high: int) -> int:
    """All bits of the ranks low to high."""
    return ((ONE << 4 * (high - low + 1)) - 1) << 4 * low
