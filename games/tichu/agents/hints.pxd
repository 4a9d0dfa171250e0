# The C types of hints.py.

cimport cython

from games.tichu._core cimport FOUR_BITS, NATURALS, ONE, RANKS, SINGLE, count_bits, lowest_bit, meta_of
from games.tichu.agents.actions cimport (
    ACTIONS, CARD_KINDS, GIFTS, GRANDS, METAS, NO_BOMB, PASS_ID, PHOENIX_ID, TICHUS, WISHES,
    at, card_of,
)
from games.tichu.agents.observations cimport put
from games.tichu.agents.outlook cimport Outlook, at_least, counts_of

cdef extern from *:
    """
    #define ODD_RANKS 0x70F0F0F0F0F0F0F0LL
    """
    const long long ODD_RANKS

cpdef enum:
    SEES_HAND = 9
    SEES_HIDDEN = 121
    SEES_TOP_TYPE = 233
    SEES_TOP_LENGTH = 240
    SEES_TOP_RANK = 254
    SEES_HAND_SIZES = 387
    SAVED_AT = 20
    STANDS_AT = 42
    TOP_STANDS_AT = 50
    OUT_AT = 58
    TURNS_BITS = 20
    HANDS_BITS = 80
    HANDS_WORDS = 2
    HINT_BITS = 59

cdef long long[1584] NEEDS
cdef long long[1584] ALONE

cdef long long read(long long* words, long long first, long long width) noexcept nogil
cdef long long cards_of(long long bits) noexcept nogil
cdef long long steps(double value, double first, double size, long long width) noexcept nogil
cdef long long turns_bits(double turns) noexcept nogil
cdef long long saved_bits(double turns) noexcept nogil
cdef long long eighths(double chance) noexcept nogil
cdef void outlook_on(long long* words, Outlook outlook) noexcept nogil
cdef long long together(long long right, long long partner, long long left) noexcept nogil
cdef long long of_mixed_suits(long long hand) noexcept nogil
cdef long long size_of(long long bit) noexcept nogil
cdef long long left_of(long long hand, long long id) noexcept nogil
cdef long long top_of(long long* words) noexcept nogil
cdef long long hint(long long* words, long long id, Outlook outlook) noexcept nogil

@cython.locals(seen="long long[:, ::1]", of="long long[:, ::1]", answers="long long[:, ::1]", found="long long[:, ::1]", outlook=Outlook, row="long long", last="long long", k="long long", count="long long")
cpdef hints(observations, rows, ids)
@cython.locals(seen="long long[:, ::1]", found="long long[:, ::1]", outlook=Outlook, i="long long", count="long long")
cpdef own_turns(observations)
@cython.locals(seen="long long[:, ::1]", found="long long[:, ::1]", outlook=Outlook, i="long long", count="long long", away="long long", to="long long")
cpdef all_turns(hidden)
