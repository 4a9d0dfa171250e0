# The C types of outlook.py; _core.pxd says why masks are macros.

cimport cython

cdef extern from *:
    """
    #define RANKS 0x1111111111111111LL
    #define DOG 1LL
    #define MAH_JONG 0x10LL
    #define DRAGON 0x1000000000000000LL
    #define PHOENIX 0x2000000000000000LL
    #define NATURALS 0x0FFFFFFFFFFFFF00LL
    #define STREET_STARTS 0x0000011111111100LL
    #define ONE 1LL
    #define place_of(cards) ((cards) * 0x9E3779B97F4A7C15ULL >> 56)
    #define highest_bit(cards) (63 - (long long)__builtin_clzll(cards))
    #define count_bits(cards) ((long long)__builtin_popcountll(cards))
    """
    const long long RANKS, DOG, MAH_JONG, DRAGON, PHOENIX, NATURALS, STREET_STARTS, ONE
    long long highest_bit(long long cards) noexcept nogil
    long long place_of(long long cards) noexcept nogil
    long long count_bits(long long cards) noexcept nogil

cdef enum:
    SINGLE = 1
    PAIR = 2
    TRIPLE = 3
    STAIR = 4
    FULLHOUSE = 5
    STREET = 6
    BOMB = 7
    PLACES = 256

cdef double[7] STANDS
cdef double GIVEN_BACK, DOG_TURNS, MAH_JONG_TURNS, DRAGON_TURNS, PHOENIX_TURNS, BOMB_TURNS

@cython.final
cdef class Outlook:
    cdef long long _hidden
    cdef long long _counts
    cdef long long _phoenix
    cdef long long _longest
    cdef double _share
    cdef dict _home
    cdef long long[PLACES] _known
    cdef double[PLACES] _turns
    cdef void begin(self, long long hidden, long long right, long long left, long long partner) noexcept nogil
    cpdef double stands(self, long long meta) noexcept nogil
    cpdef double turns(self, long long cards) noexcept nogil
    cpdef bint is_home(self, long long cards)
    @cython.locals(play=cython.longlong, meta=cython.longlong)
    cdef bint _can_run_home(self, long long cards)
    cdef double _takes(self, long long kind, long long length, long long rank) noexcept nogil
    cdef double _stands(self, long long kind, long long length, long long rank) noexcept nogil
    cdef long long _higher(self, long long kind, long long length, long long rank) noexcept nogil
    cdef double _best_split(self, long long cards) noexcept nogil
    cdef double _without_streets(self, long long cards) noexcept nogil
    cdef double _with_sets(self, double turns, long long pairs, long long triples) noexcept nogil

cdef double specials(long long cards) noexcept nogil
cdef long long street_starts(long long have, bint phoenix) noexcept nogil
cdef bint is_suited(long long street) noexcept nogil
cdef long long counts_of(long long naturals) noexcept nogil
cdef long long at_least(long long number, long long counts) noexcept nogil
cdef long long lowest_of_each_rank(long long naturals) noexcept nogil
cdef long long window(long long low, long long high) noexcept nogil
