# The C types of _core.py. Masks are macros and small numbers are enums, so that the C compiler sees constants: as
# globals of the module they would cost a fifth of the speed. Local variables get their types by inference.

cimport cython

cdef extern from *:
    """
    #define RANKS 0x1111111111111111LL
    #define DOG 1LL
    #define MAH_JONG 0x10LL
    #define DRAGON_CARD 0x1000000000000000LL
    #define PHOENIX 0x2000000000000000LL
    #define NATURALS 0x0FFFFFFFFFFFFF00LL
    #define DECK 0x3FFFFFFFFFFFFF11LL
    #define FIVES 0x0000000000F00000LL
    #define TENS_AND_KINGS 0x00F00F0000000000LL
    #define STREET_STARTS 0x0000011111111100LL
    #define ONE 1LL
    #define FOUR_BITS 15LL
    #define LOW_32_BITS 0xFFFFFFFFLL
    #define lowest_bit(cards) ((long long)__builtin_ctzll(cards))
    #define count_bits(cards) ((long long)__builtin_popcountll(cards))
    """
    const long long RANKS, DOG, MAH_JONG, DRAGON_CARD, PHOENIX, NATURALS, DECK, FIVES, TENS_AND_KINGS, STREET_STARTS
    const long long ONE, FOUR_BITS, LOW_32_BITS
    long long lowest_bit(long long cards) noexcept nogil
    long long count_bits(long long cards) noexcept nogil

cpdef enum:
    PASS = 0
    SINGLE = 1
    PAIR = 2
    TRIPLE = 3
    STAIR = 4
    FULLHOUSE = 5
    STREET = 6
    BOMB = 7

cpdef enum:
    GRAND = 0
    EXCHANGE = 1
    PLAY = 2
    WISH = 3
    DRAGON = 4
    DONE = 5

cpdef enum:
    WISH_REQUIRED = 1
    BOMB_INSTEAD_OF_WISH = 2
    CALL_IN_EXCHANGE = 4
    CALL_RESTARTS_EXCHANGE = 8
    HOUSE = 3

cpdef enum:
    HAND = 0
    POINTS = 4
    CALL = 8
    FIRST_EIGHT = 12
    FOURTEEN = 16
    GIVEN = 20
    PHASE = 32
    TURN = 33
    OWNER = 34
    TOP = 35
    TOP_CARDS = 36
    TRICK = 37
    DOG_PLAYER = 38
    WISHED = 39
    RECIPIENT = 40
    STARTER = 41
    OUT_COUNT = 42
    OUT = 43
    DECIDED = 46
    OPENED = 47
    ARMED = 48
    RULES = 49
    PLAYED_BY = 50
    PASSED = 54
    ROW_SIZE = 58
    MOST_PLAYS = 1735

# Card sets.
cpdef long long points(long long cards) noexcept nogil
cdef long long ranks_of(long long cards) noexcept nogil
cdef long long lowest_of_each_rank(long long cards) noexcept nogil
cdef long long one_of_each_rank(long long cards, long long spared) noexcept nogil
cdef long long above(long long cards, long long rank) noexcept nogil
cdef long long window(long long low, long long high) noexcept nogil

# Plays.
@cython.final
cdef class Plays:
    cdef long long count
    cdef long long[MOST_PLAYS] cards
    cdef long long[MOST_PLAYS] metas
    cdef void add(self, long long cards, long long meta) noexcept nogil

cdef list unused
cdef Plays borrow()
cdef list give_back(Plays plays)
cdef long long meta_of(long long kind, long long length, long long rank, long long phoenix_rank) noexcept nogil
cdef long long kind_of(long long meta) noexcept nogil
cdef long long length_of(long long meta) noexcept nogil
cdef long long rank_of(long long meta) noexcept nogil
cdef long long fours(long long naturals) noexcept nogil
cdef long long suited_fives(long long naturals) noexcept nogil
cdef void find_bombs(Plays plays, long long naturals, long long fives, long long top) noexcept nogil
cdef void find_singles(Plays plays, long long hand, long long first, long long top) noexcept nogil
cdef void find_same(Plays plays, long long kind, long long cards, long long have, long long phoenix_cards, long long phoenix_have, long long rank) noexcept nogil
cdef void find_full_houses(Plays plays, long long one, long long two, long long three, long long phoenix, long long rank) noexcept nogil
cdef void find_stairs(Plays plays, long long one, long long two, long long phoenix, long long length, long long rank) noexcept nogil
cdef void find_streets(Plays plays, long long one, long long rest, long long phoenix, long long fives, long long length, long long rank) noexcept nogil
cdef long long mixed_suits(long long street, long long spare) noexcept nogil
cdef void find_combinations(Plays plays, long long hand, long long fives, long long top) noexcept nogil
cdef void keep_wish(Plays plays, long long hand, long long wish, long long rules) noexcept nogil
cdef void find_plays(Plays plays, long long hand, long long top, long long wish, long long rules) noexcept nogil
cpdef list legal_plays(long long hand, long long trick_meta, long long wish, long long rules)

# A round in its row.
cdef void set_hand(long long* row, long long seat, long long cards) noexcept nogil
cdef void start_round(long long* row, long long rules) noexcept nogil
cdef void decide_grand(long long* row, long long seat, long long announced) noexcept nogil
cdef void give(long long* row, long long seat, long long right, long long partner, long long left) noexcept nogil
cdef void take_back(long long* row) noexcept nogil
cdef void hand_over(long long* row) noexcept nogil
cdef long long all_played(long long* row) noexcept nogil
cdef bint may_call(long long* row, long long seat) noexcept nogil
cdef void announce(long long* row, long long seat) noexcept nogil
cdef bint is_to_move(long long* row, long long seat) noexcept nogil
cdef void find_turn_plays(long long* row, Plays plays) noexcept nogil
cdef void find_seat_bombs(long long* row, long long seat, Plays plays) noexcept nogil
cdef long long bombers(long long* row, Plays plays) noexcept nogil
cdef void play(long long* row, long long seat, long long cards, long long meta) noexcept nogil
cdef long long passed_bit(long long top) noexcept nogil
cdef void next_turn(long long* row, long long seat) noexcept nogil
cdef void new_trick(long long* row, long long leader) noexcept nogil
cdef bint is_double_victory(long long* row) noexcept nogil
cdef bint is_over(long long* row) noexcept nogil
cdef void take(long long* row) noexcept nogil
cdef void collect(long long* row, long long receiver) noexcept nogil
cdef void make_wish(long long* row, long long value) noexcept nogil
cdef void give_dragon(long long* row, long long recipient) noexcept nogil
cdef long long final_points(long long* row, long long seat) noexcept nogil

cdef class Round:
    cdef long long[ROW_SIZE] _row
    @cython.locals(new=Round)
    cpdef Round copy(self)
    cpdef long long hand(self, long long seat)
    cpdef long long count(self, long long seat)
    cpdef long long points(self, long long seat)
    cpdef long long call(self, long long seat)
    cpdef bint decided(self, long long seat)
    cpdef long long first_eight(self, long long seat)
    cpdef long long fourteen(self, long long seat)
    cpdef tuple given(self, long long seat)
    cpdef tuple received(self, long long seat)
    cpdef list legal_plays(self)
    cpdef list bombs(self, long long seat)
    cpdef long long bombers(self)
    cpdef bint can_call(self, long long seat)
    cpdef decide_grand(self, long long seat, bint announced)
    cpdef give(self, long long seat, long long right, long long partner, long long left)
    cpdef announce(self, long long seat)
    cpdef play(self, long long seat, long long cards, long long meta)
    cpdef take(self)
    cpdef make_wish(self, long long value)
    cpdef give_dragon(self, long long recipient)
    cpdef tuple final_points(self)
    cpdef tuple score(self)


# Chance and random play.
@cython.final
cdef class Dealer:
    cdef long long state
    cdef long long choices
    cdef long long[56] deck
    cdef void begin(self, long long seed) noexcept nogil
    cdef long long below(self, long long limit) noexcept nogil
    cdef long long choose(self, long long choices) noexcept nogil
    cdef void deal(self, long long* row, long long rules) noexcept nogil

cdef long long draw(long long cards, long long count, Dealer dealer) noexcept nogil
cdef void random_start(long long* row, Dealer dealer) noexcept nogil
cdef bint random_bomb(long long* row, Dealer dealer, Plays plays) noexcept nogil
cdef void random_turn(long long* row, Dealer dealer, Plays plays) noexcept nogil
cdef void random_round(long long* row, Dealer dealer, Plays plays) noexcept nogil
cdef long long mixed(long long checksum, long long value) noexcept nogil
cpdef tuple random_rounds(long long seed, long long rounds, long long rules=*)
