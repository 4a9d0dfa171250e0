# The C types of batch.py.

cimport cython

from games.tichu._core cimport (
    ARMED, DECIDED, DONE, DRAGON, EXCHANGE, FOUR_BITS, GIVEN, HAND, LOW_32_BITS, ONE, OWNER, PHASE, ROW_SIZE, TURN,
    WISH,
    Dealer, Plays, final_points, find_seat_bombs, find_turn_plays, lowest_bit, may_call, play, take,
)
from games.tichu.agents.actions cimport (
    ASK_BOMB, ASK_DRAGON, ASK_GRAND, ASK_PLAY, ASK_RIGHT, ASK_TICHU, ASK_WISH, MASK_WORDS,
    answer, at, mark_answers,
)
from games.tichu.agents.observations cimport HIDDEN_WORDS, WORDS, observe, observe_hidden

cdef enum:
    SEAT = 0
    ASK = 1
    CHOICES = 2
    ASKED = 3
    REWARD = 4
    OVER = 5
    SCORE = 6
    DEAL = 8
    ROUNDS = 9
    MATCHES = 10
    DECISIONS = 11
    TABLE_SIZE = 12
    TICHU_ASKED = 16

cdef class Batch:
    cdef readonly long long size
    cdef long long _flags
    cdef long long _target
    cdef long long _seed
    cdef Dealer _dealer
    cdef Dealer _chance
    cdef Plays _plays
    cdef long long[:, ::1] _rows
    cdef long long[:, ::1] _finished
    cdef long long[:, ::1] _tables
    cdef long long[:, ::1] _legal
    cdef long long[:, ::1] _observations
    cdef long long[:, ::1] _hidden
    cdef long long[:, ::1] _ids
    @cython.locals(wrong="long long", i="long long")
    cpdef step(self, ids)
    @cython.locals(i="long long")
    cpdef observe(self)
    @cython.locals(i="long long")
    cpdef random_ids(self)
    cdef void deal(self, long long i) noexcept nogil
    cdef void do(self, long long i, long long id) noexcept nogil
    cdef void advance(self, long long i) noexcept nogil
    cdef bint asks_somebody(self, long long* row, long long* table) noexcept nogil
    cdef void score(self, long long i) noexcept nogil
    cdef void look(self, long long i) noexcept nogil
    cdef long long first_illegal(self) noexcept nogil
    cdef long long random_id(self, long long i) noexcept nogil
