# The C types of watching.py.

cimport cython
from games.tichu._core cimport BOMB, DOG, Plays, Round, find_turn_plays
from libc.math cimport log2

cdef enum:
    BUCKETS = 512

cdef double PER_OCTAVE

@cython.final
cdef class Alarm:
    cdef public long long deadline, rings, waits_until
    cdef public double longest

@cython.final
cdef class Watched:
    cdef readonly object agent
    cdef long long limit
    cdef Alarm alarm
    cdef long long[BUCKETS] durations
    cdef readonly long long tricks, plays, passes, bombs, dragon_right, dragon_left, raised, illegal, late
    cdef readonly list wishes
    cdef Plays legal_plays
    cdef Round round
    cdef long long seat
    cdef list moves
    cdef str where
    @cython.locals(failed=bint, started=cython.longlong, took=cython.longlong)
    cdef object ask(self, object decide, object public, object private)
    cdef bint is_legal(self, long long cards, long long meta) noexcept
    cdef object choice(self, object answer, object choices)
    cdef reject(self, object answer)

cpdef tuple three_of(object hand, object answer)
cdef long long bucket_of(long long nanoseconds) noexcept
