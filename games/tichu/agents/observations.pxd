# The C types of observations.py.

cimport cython

from games.tichu._core cimport (
    CALL, DECK, EXCHANGE, FOUR_BITS, FOURTEEN, GIVEN, GRAND, HAND, NATURALS, ONE, OPENED, OUT, OUT_COUNT, OWNER, PASSED,
    PHASE, PHOENIX, PLAY, PLAYED_BY, POINTS, RANKS, TOP, TOP_CARDS, TRICK, TURN, WISHED,
    Round, all_played, count_bits, kind_of, length_of, lowest_bit, points,
)
from games.tichu.agents.actions cimport CARD_KINDS, at

cdef extern from *:
    """
    #define ALL_BITS -1LL
    #define WITHOUT_SPECIALS 0x00FFFFFFFFFFFFF0LL
    """
    const long long ALL_BITS, WITHOUT_SPECIALS

cpdef enum:
    ASKS = 9
    BITS = 1099
    WORDS = 18
    HIDDEN_BITS = 224
    HIDDEN_WORDS = 4
    POINT_LEVELS = 25
    SCORE_LEVELS = 24
    PASSED_BITS = 54

cdef long long put(long long* words, long long first, long long width, long long value) noexcept nogil
cdef long long cards_bits(long long cards) noexcept nogil
cdef long long counts_of(long long cards) noexcept nogil
cdef long long level(long long steps, long long width) noexcept nogil
cdef long long around(long long seats, long long seat) noexcept nogil
cdef long long kind_bit(long long card) noexcept nogil
cdef void observe(long long* row, long long seat, long long ask, long long own, long long others, long long* words) noexcept nogil
cdef void observe_hidden(long long* row, long long seat, long long* words) noexcept nogil
cdef void see(Round round, long long seat, long long ask, long long own, long long others, long long* words) noexcept nogil

@cython.locals(words="long long[:, ::1]")
cpdef observation(public, private, long long ask, gifts=*)
