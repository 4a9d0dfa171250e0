# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, annotation_typing=False, auto_pickle=False
"""The rules of a round of Tichu, as arithmetic on card sets. Nothing else in the project decides what is legal.

Cards are the sets of :mod:`games.tichu.cards`: one integer, four bits for each rank. A *rank mask* has one bit for each
rank, the lowest of its four. So "ranks that I hold twice" is a mask, and "three pairs in a row" is that mask and two of
its shifts.

A play is a pair ``(cards, meta)``; ``(0, 0)`` is the pass::

    meta    phoenix rank << 24  |  type << 16  |  length << 8  |  twice the rank

Twice the rank, so that the phoenix as a single, half a rank above the card it beats, is an integer too: 17 on an eight,
3 when it is led. The dog has 0, the Mah Jong 2, the dragon 30.

A round is one flat row of 64-bit integers (see the names below), so a copy is a memcpy. This file runs interpreted as
it stands; Cython compiles it with the types of ``_core.pxd``. Both do the same to the last bit.

* card sets: masks of ranks, one card of each rank
* plays: what a hand can play on a trick
* a round: deal, exchange, play, score, in its row
* :class:`Round`: the same for Python
* chance: dealing, and whole rounds of random play
"""

from collections.abc import Sequence

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # only the compiler needs it
    from types import SimpleNamespace

    cython = SimpleNamespace(compiled=False)

if not cython.compiled:  # the compiled module has these as C constants
    from games.tichu.cards import DECK, DOG, FIVES, MAH_JONG, NATURALS, PHOENIX, TENS_AND_KINGS
    from games.tichu.cards import DRAGON as DRAGON_CARD

    RANKS = 0x1111_1111_1111_1111
    STREET_STARTS = 0x0000_0111_1111_1100  # two to ten
    ONE, FOUR_BITS, LOW_32_BITS = 1, 0xF, 0xFFFF_FFFF

    PASS, SINGLE, PAIR, TRIPLE, STAIR, FULLHOUSE, STREET, BOMB = range(8)  # types, as on the wire
    GRAND, EXCHANGE, PLAY, WISH, DRAGON, DONE = range(6)  # phases: what is being waited for
    WISH_REQUIRED, BOMB_INSTEAD_OF_WISH, CALL_IN_EXCHANGE, CALL_RESTARTS_EXCHANGE = 1, 2, 4, 8  # rules 9
    HOUSE = WISH_REQUIRED | BOMB_INSTEAD_OF_WISH

    # The row of a round. Seats are 0..3, a mask of seats has bit ``1 << seat``.
    HAND = 0  #         [4] card set per seat; the first eight cards until all have decided about a grand Tichu
    POINTS = 4  #       [4] in the tricks of each seat
    CALL = 8  #         [4] 0 none, 1 Tichu, 2 grand Tichu
    FIRST_EIGHT = 12  # [4] card set per seat
    FOURTEEN = 16  #    [4] card set per seat, as dealt
    GIVEN = 20  #       [12] the cards each seat gives to right, partner, left; 0 before
    PHASE = 32
    TURN = 33  #        seat to move, to wish, or to give the dragon away; -1 before the first trick
    OWNER = 34  #       seat that played the top of the trick; -1 in an empty trick
    TOP = 35  #         meta of the top; 0 in an empty trick
    TOP_CARDS = 36
    TRICK = 37  #       all cards of the open trick
    DOG_PLAYER = 38  #  seat whose dog gave the lead, until the lead is played; -1
    WISHED = 39  #      open wish 2..14; 0 none or fulfilled; -1 before the Mah Jong
    RECIPIENT = 40  #   seat that got the dragon; -1
    STARTER = 41  #     seat that led the first trick; -1 before
    OUT_COUNT = 42
    OUT = 43  #         [3] seats in the order they went out
    DECIDED = 46  #     mask of seats that have answered in this phase (grand Tichu, exchange)
    OPENED = 47  #      mask of seats that have played their first cards
    ARMED = 48  #       mask of seats with a bomb in hand
    RULES = 49
    PLAYED_BY = 50  #   [4] card set per seat: what it has played in this round
    PASSED = 54  #      [4] per seat, on what of its opponents it has passed: bits of ranks, see passed_bit; at the end
    #                       of the row, for nothing that follows depends on it
    ROW_SIZE = 58
    MOST_PLAYS = 1735  # of the whole deck; no hand of fourteen has more than 417

    def lowest_bit(cards: int) -> int:
        return (cards & -cards).bit_length() - 1

    def count_bits(cards: int) -> int:
        return cards.bit_count()


# --- card sets --------------------------------------------------------------------------------------------------------


def points(cards: int) -> int:
    """What a pile of cards counts (rules 1.2)."""
    total = 5 * count_bits(cards & FIVES) + 10 * count_bits(cards & TENS_AND_KINGS)
    if cards & DRAGON_CARD:
        total += 25
    if cards & PHOENIX:
        total -= 25
    return total


def ranks_of(cards: int) -> int:
    """The rank mask of a set.

    >>> hex(ranks_of(0xA03000))  # two fives, two threes
    '0x101000'
    """
    return (cards | cards >> 1 | cards >> 2 | cards >> 3) & RANKS


def lowest_of_each_rank(cards: int) -> int:
    """One card of each rank: the one of the lowest suit.

    >>> hex(lowest_of_each_rank(0xA03000))
    '0x201000'
    """
    first = cards & RANKS
    second = cards >> 1 & RANKS & ~first
    third = cards >> 2 & RANKS & ~(first | second)
    fourth = cards >> 3 & RANKS & ~(first | second | third)
    return first | second << 1 | third << 2 | fourth << 3


def one_of_each_rank(cards: int, spared: int) -> int:
    """One card of each rank, a spared one only where there is no other."""
    if not spared:
        return lowest_of_each_rank(cards)
    free = cards & ~spared
    return lowest_of_each_rank(free) | lowest_of_each_rank(cards & ~(ranks_of(free) * FOUR_BITS))


def above(cards: int, rank: int) -> int:
    """What of a set or a rank mask is above a rank.

    >>> hex(above(0xA03000, 3))
    '0xa00000'
    """
    shift = 4 * (rank + 1)
    return cards >> shift << shift


def window(low: int, high: int) -> int:
    """All bits of the ranks low to high.

    >>> hex(window(3, 5))
    '0xfff000'
    """
    return ((ONE << 4 * (high - low + 1)) - 1) << 4 * low


# --- plays ------------------------------------------------------------------------------------------------------------


class Plays:
    """A list of plays, filled again and again."""

    def __init__(self) -> None:
        self.count = 0
        if not cython.compiled:
            self.cards = [0] * MOST_PLAYS
            self.metas = [0] * MOST_PLAYS

    def add(self, cards: int, meta: int) -> None:
        self.cards[self.count] = cards
        self.metas[self.count] = meta
        self.count += 1


unused: list[Plays] = []


def borrow() -> Plays:
    """A list that nobody else fills: agents think in threads."""
    try:
        plays = unused.pop()
    except IndexError:
        plays = Plays()
    return plays


def give_back(plays: Plays) -> list[tuple[int, int]]:
    """The plays of a borrowed list, which is free again."""
    pairs = [(plays.cards[i], plays.metas[i]) for i in range(plays.count)]
    unused.append(plays)
    return pairs


def meta_of(kind: int, length: int, rank: int, phoenix_rank: int) -> int:
    """The meta of a combination; of a whole rank."""
    return phoenix_rank << 24 | kind << 16 | length << 8 | rank << 1


def kind_of(meta: int) -> int:
    return meta >> 16 & 0xFF


def length_of(meta: int) -> int:
    return meta >> 8 & 0xFF


def rank_of(meta: int) -> int:
    """The rank; of the phoenix as a single that of the card below it."""
    return (meta & 0xFF) >> 1


def fours(naturals: int) -> int:
    """The rank mask of what is there four times."""
    twos = naturals & naturals >> 1
    return twos & twos >> 2 & RANKS


def suited_fives(naturals: int) -> int:
    """The lowest card of every five in a row of one suit.

    >>> hex(suited_fives(0x22222200))  # six: two to seven
    '0x2200'
    """
    twos = naturals & naturals >> 4
    return twos & twos >> 8 & naturals >> 16


def find_bombs(plays: Plays, naturals: int, fives: int, top: int) -> None:
    """Every bomb that beats the top (rules 4.3, 4.4)."""
    length = 0
    rank = 0
    if kind_of(top) == BOMB:
        length = length_of(top)
        rank = rank_of(top)
    if length <= 4:
        quads = above(fours(naturals), rank) if length == 4 else fours(naturals)
        while quads:
            bit = lowest_bit(quads)
            quads &= quads - 1
            plays.add(FOUR_BITS << bit, meta_of(BOMB, 4, bit >> 2, 0))
    size = 5
    while fives:  # the starts of suited streets of this size
        if size >= length:
            starts = fives
            while starts:
                bit = lowest_bit(starts)
                starts &= starts - 1
                low = bit >> 2
                high = low + size - 1
                if size > length or high > rank:
                    plays.add(window(low, high) & RANKS << (bit & 3), meta_of(BOMB, size, high, 0))
        fives &= naturals >> 4 * size
        size += 1


def find_singles(plays: Plays, hand: int, first: int, top: int) -> None:
    """All singles above a top, which is not the dragon; led, also the dog and the Mah Jong (rules 4.9 to 4.11)."""
    cards = above(first, rank_of(top))
    while cards:
        bit = lowest_bit(cards)
        cards &= cards - 1
        plays.add(ONE << bit, meta_of(SINGLE, 1, bit >> 2, 0))
    if not top:
        if hand & DOG:
            plays.add(DOG, meta_of(SINGLE, 1, 0, 0))
        if hand & MAH_JONG:
            plays.add(MAH_JONG, meta_of(SINGLE, 1, 1, 0))
    if hand & DRAGON_CARD:
        plays.add(DRAGON_CARD, meta_of(SINGLE, 1, 15, 0))
    if hand & PHOENIX:
        if not top:
            plays.add(PHOENIX, meta_of(SINGLE, 1, 1, 0) + 1)
        else:
            plays.add(PHOENIX, top + 1)


def find_same(plays: Plays, kind: int, cards: int, have: int, phoenix_cards: int, phoenix_have: int, rank: int) -> None:
    """Pairs or triples above a rank: the natural ones, from their cards and rank mask, then those with the phoenix."""
    have = above(have, rank)
    while have:
        bit = lowest_bit(have)
        have &= have - 1
        plays.add(cards & FOUR_BITS << bit, meta_of(kind, kind, bit >> 2, 0))
    phoenix_have = above(phoenix_have, rank)
    while phoenix_have:
        bit = lowest_bit(phoenix_have)
        phoenix_have &= phoenix_have - 1
        plays.add(phoenix_cards & FOUR_BITS << bit | PHOENIX, meta_of(kind, kind, bit >> 2, bit >> 2))


def find_full_houses(plays: Plays, one: int, two: int, three: int, phoenix: int, rank: int) -> None:
    """Triples above a rank with a pair of another rank (rules 4.5 to 4.7). The sets hold 1, 2, 3 cards of each rank."""
    have_one = ranks_of(one)
    have_two = ranks_of(two & ~one)
    triples = above(ranks_of(three & ~two), rank)
    while triples:
        bit = lowest_bit(triples)
        triples &= triples - 1
        others = ~(FOUR_BITS << bit)
        triple = three & FOUR_BITS << bit
        meta = meta_of(FULLHOUSE, 5, bit >> 2, 0)
        pairs = have_two & others
        while pairs:
            low = lowest_bit(pairs)
            pairs &= pairs - 1
            plays.add(triple | two & FOUR_BITS << low, meta)
        if phoenix:
            singles = have_one & others
            while singles:
                low = lowest_bit(singles)
                singles &= singles - 1
                plays.add(triple | one & FOUR_BITS << low | PHOENIX, meta | low >> 2 << 24)
    if phoenix:
        triples = above(have_two, rank)
        while triples:
            bit = lowest_bit(triples)
            triples &= triples - 1
            triple = two & FOUR_BITS << bit | PHOENIX
            meta = meta_of(FULLHOUSE, 5, bit >> 2, bit >> 2)
            pairs = have_two & ~(FOUR_BITS << bit)
            while pairs:
                low = lowest_bit(pairs)
                pairs &= pairs - 1
                plays.add(triple | two & FOUR_BITS << low, meta)


def find_stairs(plays: Plays, one: int, two: int, phoenix: int, length: int, rank: int) -> None:
    """Stairs of a length (0: of any) above a rank. The sets hold one card and two cards of each rank."""
    have_one = ranks_of(one)
    have_two = ranks_of(two & ~one)
    have = have_one if phoenix else have_two
    starts = have & have >> 4 & (have_two | have_two >> 4)
    while starts:
        bit = lowest_bit(starts)
        starts &= starts - 1
        low = bit >> 2
        high = low
        single = 0  # the rank that needs the phoenix
        while have >> 4 * high & 1:
            if not have_two >> 4 * high & 1:
                if single:
                    break
                single = high
            size = 2 * (high - low + 1)
            if (size == length and high > rank) or (not length and size >= 4):
                stair = two & window(low, high)
                if single:
                    plays.add(stair | PHOENIX, meta_of(STAIR, size, high, single))
                else:
                    plays.add(stair, meta_of(STAIR, size, high, 0))
                    if phoenix:
                        for replaced in range(low, high + 1):
                            four = FOUR_BITS << 4 * replaced
                            plays.add(stair & ~four | one & four | PHOENIX, meta_of(STAIR, size, high, replaced))
            if size == length:
                break
            high += 1


def find_streets(plays: Plays, one: int, rest: int, phoenix: int, fives: int, length: int, rank: int) -> None:
    """Streets of a length (0: of any) above a rank.

    :param one: one card of each rank, the Mah Jong included.
    :param rest: the other natural cards, for a street that must not be of one suit.
    :param fives: the suited fives of the hand.
    """
    have = ranks_of(one)
    b, c, d, e = have >> 4, have >> 8, have >> 12, have >> 16
    starts = have & b & c & d & e
    if phoenix:  # four of five will do
        starts |= have & b & (c & (d | e) | d & e) | (have | b) & c & d & e
    starts &= STREET_STARTS | have & MAH_JONG
    while starts:
        low = lowest_bit(starts) >> 2
        starts &= starts - 1
        high = low
        gap = 0  # the rank that needs the phoenix
        while high <= 14:
            if not have >> 4 * high & 1:
                if gap or not phoenix:
                    break
                gap = high
            size = high - low + 1
            if (size == length and high > rank) or (not length and size >= 5):
                street = one & window(low, high)
                if gap:
                    plays.add(street | PHOENIX, meta_of(STREET, size, high, gap))
                else:
                    natural = mixed_suits(street, rest & window(low, high)) if fives else street
                    if natural:
                        plays.add(natural, meta_of(STREET, size, high, 0))
                    if phoenix:
                        for replaced in range(max(low, 2), high + 1):
                            four = FOUR_BITS << 4 * replaced
                            plays.add(street & ~four | PHOENIX, meta_of(STREET, size, high, replaced))
            if size == length:
                break
            high += 1


def mixed_suits(street: int, spare: int) -> int:
    """The street, with a spare card for one of its own if it is of one suit and so a bomb; 0 if there is none.

    >>> hex(mixed_suits(0x1111100, spare=0x20000))
    '0x1121100'
    """
    if street & MAH_JONG or street & ~(RANKS << (lowest_bit(street) & 3)):
        return street
    if not spare:
        return 0
    bit = lowest_bit(spare)
    return street & ~(FOUR_BITS << (bit & ~3)) | ONE << bit


def find_combinations(plays: Plays, hand: int, fives: int, top: int) -> None:
    """All plays but bombs on a top that they can beat: one for each pattern of ranks and reading.

    Where that is possible its cards break no bomb: those of suited streets are spared.
    """
    kind = kind_of(top)
    length = length_of(top)
    rank = rank_of(top)
    naturals = hand & NATURALS
    phoenix = hand & PHOENIX
    suited = fives | fives << 4 | fives << 8 | fives << 12 | fives << 16
    one = one_of_each_rank(naturals, suited)
    if kind <= SINGLE:
        find_singles(plays, hand, one, top)
        if kind == SINGLE:
            return
    rest = naturals & ~one
    second = one_of_each_rank(rest, suited)
    two = one | second
    have_one = ranks_of(one) if phoenix else 0
    have_two = ranks_of(second)
    if kind in (PASS, PAIR):
        find_same(plays, PAIR, two, have_two, one, have_one, rank)
    if kind in (PASS, TRIPLE, FULLHOUSE):
        third = one_of_each_rank(rest & ~second, suited)
        three = two | third
        if kind != FULLHOUSE:
            find_same(plays, TRIPLE, three, ranks_of(third), two, have_two if phoenix else 0, rank)
        if kind != TRIPLE:
            find_full_houses(plays, one, two, three, phoenix, rank)
    if kind in (PASS, STAIR):
        find_stairs(plays, one, two, phoenix, length, rank)
    if kind in (PASS, STREET):
        find_streets(plays, one | hand & MAH_JONG, rest, phoenix, fives, length, rank)


def keep_wish(plays: Plays, hand: int, wish: int, rules: int) -> None:
    """Leaves what an open wish allows (rules 6.2, 6.3)."""
    wished = FOUR_BITS << 4 * wish
    if not hand & wished:
        return
    can_fulfil = False
    for i in range(plays.count):
        if plays.cards[i] & wished:
            can_fulfil = True
            break
    if not can_fulfil:
        return
    kept = 0
    for i in range(plays.count):
        cards = plays.cards[i]
        meta = plays.metas[i]
        if cards & wished or (rules & BOMB_INSTEAD_OF_WISH and kind_of(meta) == BOMB):
            plays.cards[kept] = cards
            plays.metas[kept] = meta
            kept += 1
    plays.count = kept


def find_plays(plays: Plays, hand: int, top: int, wish: int, rules: int) -> None:
    """Everything a seat may play on a top (0: it leads), the pass first."""
    naturals = hand & NATURALS
    fives = suited_fives(naturals)
    plays.count = 0
    if top:
        plays.add(0, 0)
    if kind_of(top) != BOMB and rank_of(top) < 15:  # only bombs beat a bomb and the dragon
        find_combinations(plays, hand, fives, top)
    find_bombs(plays, naturals, fives, top)
    if wish > 0:
        keep_wish(plays, hand, wish, rules)


def legal_plays(hand: int, trick_meta: int, wish: int, rules: int) -> list[tuple[int, int]]:
    """Everything that a hand may play: one play for each pattern of ranks and reading, and every bomb.

    >>> legal_plays(0x3000, 0, 0, HOUSE)  # two threes
    [(4096, 65798), (12288, 131590)]

    :param trick_meta: of the combination to beat; 0 leads.
    :param wish: the open wish, 0 or -1 for none.
    """
    plays = borrow()
    find_plays(plays, hand, trick_meta, wish, rules)
    return give_back(plays)


# --- a round in its row -----------------------------------------------------------------------------------------------


def set_hand(row: list[int], seat: int, cards: int) -> None:
    """The only way to change a hand."""
    row[HAND + seat] = cards
    naturals = cards & NATURALS
    if fours(naturals) | suited_fives(naturals):
        row[ARMED] |= ONE << seat
    else:
        row[ARMED] &= ~(ONE << seat)


def start_round(row: list[int], rules: int) -> None:
    """Everything but the cards: rules 3.1."""
    for i in range(ROW_SIZE):
        row[i] = 0
    row[TURN] = row[OWNER] = row[DOG_PLAYER] = row[WISHED] = row[RECIPIENT] = row[STARTER] = -1
    row[RULES] = rules


def decide_grand(row: list[int], seat: int, announced: int) -> None:
    """Rules 3.1, 3.2, 7.1."""
    if announced:
        row[CALL + seat] = 2
    row[DECIDED] |= ONE << seat
    if row[DECIDED] == FOUR_BITS:
        row[DECIDED] = 0
        row[PHASE] = EXCHANGE
        for seat in range(4):
            set_hand(row, seat, row[FOURTEEN + seat])


def give(row: list[int], seat: int, right: int, partner: int, left: int) -> None:
    """Rules 3.3."""
    row[GIVEN + 3 * seat] = right
    row[GIVEN + 3 * seat + 1] = partner
    row[GIVEN + 3 * seat + 2] = left
    set_hand(row, seat, row[HAND + seat] & ~(right | partner | left))
    row[DECIDED] |= ONE << seat
    if row[DECIDED] == FOUR_BITS:
        hand_over(row)


def take_back(row: list[int]) -> None:
    """Every seat takes its exchange cards back and chooses anew (rules 9, ``restart``)."""
    row[DECIDED] = 0
    for seat in range(4):
        set_hand(row, seat, row[FOURTEEN + seat])
    for i in range(12):
        row[GIVEN + i] = 0


def hand_over(row: list[int]) -> None:
    """Everybody gets its three cards, and the Mah Jong leads (rules 3.3, 3.4)."""
    for seat in range(4):
        cards = row[HAND + seat]
        for away in range(1, 4):  # the seat so far to the right gave its card to the left by as much
            cards |= row[GIVEN + 3 * (seat + away & 3) + 3 - away]
        set_hand(row, seat, cards)
        if cards & MAH_JONG:
            row[STARTER] = row[TURN] = seat
    row[PHASE] = PLAY


def all_played(row: list[int]) -> int:
    """All cards played in this round."""
    return row[PLAYED_BY] | row[PLAYED_BY + 1] | row[PLAYED_BY + 2] | row[PLAYED_BY + 3]


def may_call(row: list[int], seat: int) -> bool:
    """Rules 7.2."""
    phase = row[PHASE]
    if phase in (GRAND, DONE) or (phase == EXCHANGE and not row[RULES] & CALL_IN_EXCHANGE):
        return False
    return not row[CALL + seat] and not row[OPENED] >> seat & 1


def announce(row: list[int], seat: int) -> None:
    """A small Tichu."""
    row[CALL + seat] = 1
    if row[PHASE] == EXCHANGE and row[RULES] & CALL_RESTARTS_EXCHANGE:
        take_back(row)


def is_to_move(row: list[int], seat: int) -> bool:
    """A seat is to move, unless the trick has come back to its owner and waits to be taken."""
    return row[PHASE] == PLAY and seat == row[TURN] and seat != row[OWNER]


def find_turn_plays(row: list[int], plays: Plays) -> None:
    """What the seat to move may play; nothing while the trick waits to be taken."""
    plays.count = 0
    if is_to_move(row, row[TURN]):
        find_plays(plays, row[HAND + row[TURN]], row[TOP], row[WISHED], row[RULES])


def find_seat_bombs(row: list[int], seat: int, plays: Plays) -> None:
    """The bombs a seat may throw now (rules 5). A wish counts only in its own turn (rules 6.3, 6.4)."""
    plays.count = 0
    if row[PHASE] != PLAY or not row[ARMED] >> seat & 1:
        return
    if is_to_move(row, seat) and row[WISHED] > 0:
        find_turn_plays(row, plays)
        kept = 0
        for i in range(plays.count):
            if kind_of(plays.metas[i]) == BOMB:
                plays.cards[kept] = plays.cards[i]
                plays.metas[kept] = plays.metas[i]
                kept += 1
        plays.count = kept
    elif row[TOP] or seat == row[TURN]:
        naturals = row[HAND + seat] & NATURALS
        find_bombs(plays, naturals, suited_fives(naturals), row[TOP])


def bombers(row: list[int], plays: Plays) -> int:
    """The mask of seats that may throw a bomb now."""
    mask = 0
    if row[ARMED]:
        for seat in range(4):
            find_seat_bombs(row, seat, plays)
            if plays.count:
                mask |= ONE << seat
    return mask


def play(row: list[int], seat: int, cards: int, meta: int) -> None:
    """A play of the seat to move, its pass, or a bomb of any seat."""
    if not cards:
        if row[OWNER] - seat & 1:  # not its partner's
            row[PASSED + seat] |= passed_bit(row[TOP])
        next_turn(row, seat)
        return
    hand = row[HAND + seat] & ~cards
    set_hand(row, seat, hand)
    row[OPENED] |= ONE << seat
    row[PLAYED_BY + seat] |= cards
    row[TRICK] |= cards
    row[TOP] = meta
    row[TOP_CARDS] = cards
    row[OWNER] = seat
    row[DOG_PLAYER] = -1
    wish = row[WISHED]
    if cards & MAH_JONG or (wish > 0 and cards & FOUR_BITS << 4 * wish):
        row[WISHED] = 0
    if not hand:
        row[OUT + row[OUT_COUNT]] = seat
        row[OUT_COUNT] += 1
        if is_over(row):
            if cards == DRAGON_CARD and not is_double_victory(row):
                row[PHASE] = DRAGON
            else:
                collect(row, seat)
                row[PHASE] = DONE
            return
    if cards == DOG:
        new_trick(row, seat ^ 2)
        row[DOG_PLAYER] = seat
    elif cards & MAH_JONG:
        row[PHASE] = WISH
    else:
        next_turn(row, seat)


def passed_bit(top: int) -> int:
    """The bit that keeps, in ``PASSED``, that a seat passed on a combination; 0 for a bomb.

    Bits 0..14 are singles of the ranks 1..15, bits 15..27 pairs of the ranks 2..14, bits 28..40 triples and full
    houses, bits 41..53 stairs and streets.

    >>> passed_bit(meta_of(SINGLE, 1, 15, 0)) == 1 << 14, passed_bit(meta_of(STREET, 5, 6, 0)) == 1 << 45
    (True, True)
    """
    kind = kind_of(top)
    if kind == BOMB:
        return 0
    if kind == SINGLE:
        first = -1
    elif kind == PAIR:
        first = 13
    elif kind in (TRIPLE, FULLHOUSE):
        first = 26
    else:
        first = 39
    return ONE << (first + rank_of(top))


def next_turn(row: list[int], seat: int) -> None:
    """The next seat with cards is to move (rules 3.5, 3.7), or the trick has come back to its owner."""
    seat = seat + 1 & 3
    while not row[HAND + seat] and seat != row[OWNER]:
        seat = seat + 1 & 3
    row[TURN] = seat


def new_trick(row: list[int], leader: int) -> None:
    """An empty trick for the leader, or the next seat with cards (rules 3.6)."""
    row[TOP] = row[TOP_CARDS] = row[TRICK] = 0
    row[OWNER] = -1
    while not row[HAND + leader]:
        leader = leader + 1 & 3
    row[TURN] = leader
    row[PHASE] = PLAY


def is_double_victory(row: list[int]) -> bool:
    """Rules 8.4."""
    return row[OUT_COUNT] == 2 and row[OUT] == row[OUT + 1] ^ 2


def is_over(row: list[int]) -> bool:
    """Rules 3.8."""
    return row[OUT_COUNT] == 3 or is_double_victory(row)


def collect(row: list[int], receiver: int) -> None:
    """The trick goes to a seat."""
    row[POINTS + receiver] += points(row[TRICK])
    row[TOP] = row[TOP_CARDS] = row[TRICK] = 0
    row[OWNER] = -1


def take(row: list[int]) -> None:
    """The owner takes the trick and leads; a dragon he must give away first (rules 3.6, 8.1)."""
    owner = row[OWNER]
    if row[TOP_CARDS] == DRAGON_CARD:
        row[PHASE] = DRAGON
    else:
        collect(row, owner)
        new_trick(row, owner)


def make_wish(row: list[int], value: int) -> None:
    """Rules 6.1; 0 omits it."""
    row[WISHED] = value
    row[PHASE] = PLAY
    next_turn(row, row[OWNER])


def give_dragon(row: list[int], recipient: int) -> None:
    """Rules 8.1."""
    owner = row[OWNER]
    row[RECIPIENT] = recipient
    collect(row, recipient)
    if is_over(row):
        row[PHASE] = DONE
    else:
        new_trick(row, owner)


def final_points(row: list[int], seat: int) -> int:
    """What the round brings to a seat: the points of a team stand where protocol 4 (``round_over``) puts them."""
    first = row[OUT]
    total = 0
    if is_double_victory(row):
        if seat == first:
            total = 200
    else:
        last = 6 - first - row[OUT + 1] - row[OUT + 2]
        if seat != last:
            total = row[POINTS + seat]
        if seat == first:
            total += row[POINTS + last]
        if seat == last + 1 & 3:
            total += points(row[HAND + last])
    call = 100 * row[CALL + seat]
    return total + call if seat == first else total - call


# --- a round for Python -----------------------------------------------------------------------------------------------


class Round:
    """A round, from the first eight cards to the score.

    Its methods do what they are told: :mod:`games.tichu.round` checks. While ``phase`` is ``PLAY`` and ``turn`` is
    ``owner``, all others have passed and the trick waits: any seat may still bomb it, otherwise :meth:`take` it.

    >>> round = Round.random(seed=1)
    >>> for seat in range(4):
    ...     round.decide_grand(seat, announced=False)
    >>> round.phase == EXCHANGE, round.count(0)
    (True, 14)

    :param first8: the first eight cards, per seat.
    :param hands: all fourteen, per seat.
    :param rules: flags of the rule set.
    """

    def __init__(self, first8: Sequence[int], hands: Sequence[int], rules: int = HOUSE) -> None:
        if not cython.compiled:
            self._row = [0] * ROW_SIZE
        start_round(self._row, rules)
        for seat in range(4):
            self._row[FIRST_EIGHT + seat] = first8[seat]
            self._row[FOURTEEN + seat] = hands[seat]
            set_hand(self._row, seat, first8[seat])

    @staticmethod
    def random(seed: int, rules: int = HOUSE) -> "Round":
        """A round with a random deal, the same for the same seed."""
        new = Round((0, 0, 0, 0), (0, 0, 0, 0))
        Dealer(seed).deal(new._row, rules)
        return new

    @staticmethod
    def from_row(row: Sequence[int]) -> "Round":
        """The round of a row: one that was kept, or a position that nobody has dealt."""
        new = Round((0, 0, 0, 0), (0, 0, 0, 0))
        for i in range(ROW_SIZE):
            new._row[i] = row[i]
        for seat in range(4):
            set_hand(new._row, seat, row[HAND + seat])
        return new

    def copy(self) -> "Round":
        """A round that changes independently."""
        new = Round.__new__(Round)
        if not cython.compiled:
            new._row = []
        new._row[:] = self._row
        return new

    @property
    def row(self) -> tuple[int, ...]:
        """All of it: equal rows are equal rounds."""
        return tuple([self._row[i] for i in range(ROW_SIZE)])

    @property
    def phase(self) -> int:
        """``GRAND``, ``EXCHANGE``, ``PLAY``, ``WISH``, ``DRAGON`` or ``DONE``."""
        return self._row[PHASE]

    @property
    def turn(self) -> int:
        """The seat to move; -1 before the first trick."""
        return self._row[TURN]

    @property
    def owner(self) -> int:
        """The seat that played the top of the trick; -1 in an empty trick."""
        return self._row[OWNER]

    @property
    def trick_meta(self) -> int:
        """The meta of the combination to beat; 0 in an empty trick."""
        return self._row[TOP]

    @property
    def top_cards(self) -> int:
        """The cards of the combination to beat."""
        return self._row[TOP_CARDS]

    @property
    def trick_cards(self) -> int:
        """All cards of the open trick."""
        return self._row[TRICK]

    @property
    def played(self) -> int:
        """All cards played in this round."""
        return all_played(self._row)

    @property
    def dog_player(self) -> int:
        """The seat whose dog gave the lead, until the lead is played; -1 otherwise. The trick counts as empty."""
        return self._row[DOG_PLAYER]

    @property
    def wish(self) -> int:
        """The open wish 2..14; 0 none or fulfilled; -1 before the Mah Jong was played."""
        return self._row[WISHED]

    @property
    def recipient(self) -> int:
        """The seat that got the dragon; -1."""
        return self._row[RECIPIENT]

    @property
    def starter(self) -> int:
        """The seat that leads the first trick; -1 before the exchange is over."""
        return self._row[STARTER]

    @property
    def rules(self) -> int:
        """The flags of the rule set."""
        return self._row[RULES]

    @property
    def finished(self) -> tuple[int, ...]:
        """The seats that are out, in the order they went out."""
        return tuple([self._row[OUT + i] for i in range(self._row[OUT_COUNT])])

    @property
    def double_victory(self) -> bool:
        """Both partners of a team were the first two out."""
        return is_double_victory(self._row)

    def hand(self, seat: int) -> int:
        """The cards in hand: eight, fourteen, eleven after giving, fourteen, then fewer."""
        return self._row[HAND + seat]

    def count(self, seat: int) -> int:
        return count_bits(self._row[HAND + seat])

    def points(self, seat: int) -> int:
        """The points in the tricks of a seat."""
        return self._row[POINTS + seat]

    def call(self, seat: int) -> int:
        """0 none, 1 Tichu, 2 grand Tichu."""
        return self._row[CALL + seat]

    def decided(self, seat: int) -> bool:
        """Whether the seat has answered what all seats are asked: the grand Tichu, then the exchange."""
        return self._row[DECIDED] >> seat & 1 != 0 or self._row[PHASE] > EXCHANGE

    def first_eight(self, seat: int) -> int:
        return self._row[FIRST_EIGHT + seat]

    def fourteen(self, seat: int) -> int:
        """The cards as dealt."""
        return self._row[FOURTEEN + seat]

    def given(self, seat: int) -> "tuple[int, int, int] | None":
        """The cards a seat has given to right, partner, left; None before."""
        at = GIVEN + 3 * seat
        return (self._row[at], self._row[at + 1], self._row[at + 2]) if self._row[at] else None

    def received(self, seat: int) -> "tuple[int, int, int] | None":
        """The cards a seat has got from right, partner, left; None before."""
        if self._row[PHASE] <= EXCHANGE:
            return None
        right, partner, left = seat + 1 & 3, seat + 2 & 3, seat + 3 & 3
        return self._row[GIVEN + 3 * right + 2], self._row[GIVEN + 3 * partner + 1], self._row[GIVEN + 3 * left]

    def legal_plays(self) -> list[tuple[int, int]]:
        """What the seat to move may play, the pass ``(0, 0)`` first; [] while the trick waits to be taken."""
        plays = borrow()
        find_turn_plays(self._row, plays)
        return give_back(plays)

    def bombs(self, seat: int) -> list[tuple[int, int]]:
        """The bombs a seat may throw now, in its turn or out of turn."""
        plays = borrow()
        find_seat_bombs(self._row, seat, plays)
        return give_back(plays)

    def bombers(self) -> int:
        """The mask of seats that may throw a bomb now, the seat to move included."""
        plays = borrow()
        seats = bombers(self._row, plays)
        unused.append(plays)
        return seats

    def can_call(self, seat: int) -> bool:
        """Whether a seat may call a small Tichu now."""
        return may_call(self._row, seat)

    def decide_grand(self, seat: int, announced: bool) -> None:
        decide_grand(self._row, seat, announced)

    def give(self, seat: int, right: int, partner: int, left: int) -> None:
        give(self._row, seat, right, partner, left)

    def announce(self, seat: int) -> None:
        announce(self._row, seat)

    def play(self, seat: int, cards: int, meta: int) -> None:
        """A play or the pass ``(0, 0)`` of the seat to move, or a bomb of any seat."""
        play(self._row, seat, cards, meta)

    def take(self) -> None:
        take(self._row)

    def make_wish(self, value: int) -> None:
        """2..14; 0 omits the wish."""
        make_wish(self._row, value)

    def give_dragon(self, recipient: int) -> None:
        give_dragon(self._row, recipient)

    def final_points(self) -> tuple[int, ...]:
        """What the round brought, per seat, calls included; once it is over."""
        return tuple([final_points(self._row, seat) for seat in range(4)])

    def score(self) -> tuple[int, int]:
        """What the round brought to team 20 and team 31 (rules 8); once it is over."""
        return (
            final_points(self._row, 0) + final_points(self._row, 2),
            final_points(self._row, 1) + final_points(self._row, 3),
        )


# --- chance and random play -------------------------------------------------------------------------------------------


class Dealer:
    """A deck of cards, and random numbers to shuffle it and to play by.

    The numbers come from a multiply-with-carry generator, whose state never leaves 63 bits, so that interpreted and
    compiled runs agree.

    :ivar choices: how many decisions have been made by chance.
    """

    def __init__(self, seed: int) -> None:
        if not cython.compiled:
            self.deck = [0] * 56
        self.begin(seed)

    def begin(self, seed: int) -> None:
        """From here on a dealer is as good as a new one of this seed."""
        self.choices = 0
        self.state = ~seed & LOW_32_BITS ^ 0x61C8_8646 | ONE + (seed >> 32 & 0x3FFF_FFFF) << 32
        for _ in range(6):
            self.below(2)
        left = DECK
        for i in range(56):
            self.deck[i] = left & -left
            left &= left - 1

    def below(self, limit: int) -> int:
        """A random number from 0 to limit - 1."""
        self.state = (self.state & LOW_32_BITS) * 698_769_069 + (self.state >> 32)
        return (self.state & LOW_32_BITS) * limit >> 32

    def choose(self, choices: int) -> int:
        """The number of one of so many choices."""
        self.choices += 1
        return self.below(choices)

    def deal(self, row: list[int], rules: int) -> None:
        """A round with a random deal."""
        for i in range(55, 0, -1):
            other = self.below(i + 1)
            card = self.deck[i]
            self.deck[i] = self.deck[other]
            self.deck[other] = card
        start_round(row, rules)
        for seat in range(4):
            for i in range(14):
                row[FOURTEEN + seat] |= self.deck[14 * seat + i]
                if i < 8:
                    row[FIRST_EIGHT + seat] |= self.deck[14 * seat + i]
            set_hand(row, seat, row[FIRST_EIGHT + seat])


def draw(cards: int, count: int, dealer: Dealer) -> int:
    """One of so many cards."""
    for _ in range(dealer.below(count)):
        cards &= cards - 1
    return cards & -cards


def random_start(row: list[int], dealer: Dealer) -> None:
    """Grand Tichus and the exchange."""
    for seat in range(4):
        decide_grand(row, seat, dealer.below(20) == 0)
    for seat in range(4):
        hand = row[HAND + seat]
        right = draw(hand, 14, dealer)
        partner = draw(hand ^ right, 13, dealer)
        left = draw(hand ^ right ^ partner, 12, dealer)
        give(row, seat, right, partner, left)


def random_bomb(row: list[int], dealer: Dealer, plays: Plays) -> bool:
    """Asks the seats that may bomb out of turn; whether one did."""
    asked = bombers(row, plays)
    for seat in range(4):
        if asked >> seat & 1 and not is_to_move(row, seat):
            find_seat_bombs(row, seat, plays)
            choice = dealer.choose(3 * plays.count + 3)
            if choice < plays.count:
                play(row, seat, plays.cards[choice], plays.metas[choice])
                return True
    return False


def random_turn(row: list[int], dealer: Dealer, plays: Plays) -> None:
    """One play or pass of the seat to move, maybe a call before it."""
    seat = row[TURN]
    if may_call(row, seat) and dealer.below(10) == 0:
        announce(row, seat)
    find_turn_plays(row, plays)
    choice = dealer.choose(plays.count)
    play(row, seat, plays.cards[choice], plays.metas[choice])


def random_round(row: list[int], dealer: Dealer, plays: Plays) -> None:
    """Plays a dealt round to its end. After every play and pass the bombs are asked for."""
    random_start(row, dealer)
    while row[PHASE] != DONE:
        if row[PHASE] == WISH:
            make_wish(row, 2 + dealer.below(13))
        elif row[PHASE] == DRAGON:
            give_dragon(row, row[OWNER] + 1 + 2 * dealer.below(2) & 3)
        elif not random_bomb(row, dealer, plays):
            if row[TURN] == row[OWNER]:
                take(row)
            else:
                random_turn(row, dealer, plays)


def mixed(checksum: int, value: int) -> int:
    """A checksum of 32 bits with one more value in it."""
    return (checksum * 31 + value + (value >> 32)) & LOW_32_BITS


def random_rounds(seed: int, rounds: int, rules: int = HOUSE) -> tuple[int, int]:
    """Random play of many rounds.

    :result: a checksum over all that happened, and the number of decisions.
    """
    table = Round((0, 0, 0, 0), (0, 0, 0, 0))
    dealer = Dealer(seed)
    checksum = 0
    plays = Plays()
    for _ in range(rounds):
        dealer.deal(table._row, rules)
        random_round(table._row, dealer, plays)
        for i in range(ROW_SIZE):
            checksum = mixed(checksum, table._row[i])
        for seat in range(4):
            checksum = mixed(checksum, final_points(table._row, seat))
    return mixed(checksum, dealer.state), dealer.choices
