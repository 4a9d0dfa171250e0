# The C types of actions.py.

cimport cython

from games.tichu._core cimport (
    BOMB, DOG, DRAGON_CARD, FOUR_BITS, FULLHOUSE, GIVEN, HAND, MAH_JONG, NATURALS, ONE, PAIR, PASS, PHOENIX, RULES,
    SINGLE, STAIR, STREET, TOP, TRIPLE, WISH_REQUIRED,
    Plays, Round, announce, decide_grand, find_plays, find_seat_bombs, find_turn_plays, give, give_dragon, kind_of, length_of,
    lowest_bit, make_wish, meta_of, one_of_each_rank, play, rank_of, ranks_of, set_hand, suited_fives,
)

cpdef enum:
    ASK_NOTHING = -1
    ASK_GRAND = 0
    ASK_RIGHT = 1
    ASK_PARTNER = 2
    ASK_LEFT = 3
    ASK_TICHU = 4
    ASK_PLAY = 5
    ASK_BOMB = 6
    ASK_WISH = 7
    ASK_DRAGON = 8

cpdef enum:
    PASS_ID = 0
    PHOENIX_ID = 17
    NO_BOMB = 1512
    WISHES = 1513
    DRAGONS = 1527
    TICHUS = 1529
    GRANDS = 1531
    GIFTS = 1533
    ACTIONS = 1584
    MASK_WORDS = 25
    CARD_KINDS = 17

cdef short[2048] FIRST_IDS
cdef long long[1512] METAS

cpdef long long id_of(long long cards, long long meta) noexcept nogil
cdef long long place_of(long long pair, long long triple) noexcept nogil
cdef void find_play(Plays plays, long long hand, long long top, long long id) noexcept nogil
cpdef long long card_of(long long hand, long long kind) noexcept nogil

cdef void find_answers(long long* row, long long seat, long long ask, Plays plays) noexcept nogil
cdef void mark(long long* mask, long long first, long long count) noexcept nogil
cdef long long mark_answers(long long* row, long long seat, long long ask, Plays plays, long long* mask) noexcept nogil
cdef void answer(long long* row, long long seat, long long ask, long long id, Plays plays) noexcept nogil

cdef inline long long* at(long long[:, ::1] array, long long row) noexcept nogil:
    """A row of an array."""
    return &array[row, 0]

@cython.locals(plays=Plays, words="long long[:, ::1]")
cpdef legal_mask(Round round, long long seat, long long ask)
cpdef do(Round round, long long seat, long long ask, long long id)
@cython.locals(plays=Plays)
cpdef decision(Round round, long long seat, long long ask, long long id)
@cython.locals(changed=Round)
cpdef Round with_gifts(Round round, long long seat, gifts)
