# The C types of decisions.py.

cimport cython

from arena.batch cimport ASK, ASKED, SEAT, TABLE_SIZE, TICHU_ASKED, Batch
from games.tichu._core cimport (
    CALL, DONE, FIRST_EIGHT, FOURTEEN, GIVEN, HAND, ONE, OPENED, OWNER, PHASE, PLAY, ROW_SIZE, TURN,
    announce, decide_grand, give, give_dragon, kind_of, length_of, lowest_bit, make_wish, may_call, play, rank_of,
    set_hand, start_round, take,
)
from games.tichu.agents.actions cimport (
    ACTIONS, ASK_BOMB, ASK_DRAGON, ASK_GRAND, ASK_LEFT, ASK_PARTNER, ASK_PLAY, ASK_RIGHT, ASK_TICHU, ASK_WISH,
    CARD_KINDS, DRAGONS, GIFTS, GRANDS, MASK_WORDS, NO_BOMB, TICHUS, WISHES,
    at, id_of, mark_answers,
)
from games.tichu.agents.observations cimport WORDS, kind_bit, observe

cdef enum:
    GRAND_MOVE = 0
    SCHUPF_MOVE = 1
    ANNOUNCE_MOVE = 2
    PLAY_MOVE = 3
    BOMB_MOVE = 4
    WISH_MOVE = 5
    DRAGON_MOVE = 6
    NO_MOVE = -1

cdef enum:
    ROUND_RULES = 0
    ROUND_TARGET = 1
    ROUND_SCORE = 2
    ROUND_EIGHT = 4
    ROUND_FOURTEEN = 8
    ROUND_MOVES = 12
    ROUND_END = 13
    ROUND_LEARNED = 14
    ROUND_SIZE = 15

cdef enum:
    MOVE_SEAT = 0
    MOVE_KIND = 1
    MOVE_ANSWER = 2
    MOVE_CARDS = 3

cdef enum:
    TOLD_ROUND = 0
    TOLD_SEAT = 1
    TOLD_ASK = 2
    TOLD_ID = 3
    TOLD_SIZE = 4
    ILLEGAL = -1

@cython.final
cdef class Reader:
    cdef long long _count
    cdef long long _to
    cdef Batch _batch
    cdef long long[:, ::1] _rounds
    cdef long long[:, ::1] _moves
    cdef long long[:, ::1] _row
    cdef long long[:, ::1] _table
    cdef long long[:, ::1] _observations
    cdef long long[:, ::1] _legal
    cdef long long[:, ::1] _told
    cdef long long[:, ::1] _fits
    @cython.locals(i="long long", first="long long")
    cpdef read(self)
    @cython.locals(seat="long long", move="long long", called="long long", is_asked=bint, is_answer=bint, kind="long long")
    cdef bint follow(self, long long i) noexcept nogil
    cdef bint is_bombed(self, long long move, long long end) noexcept nogil
    cdef long long answered(self, long long* row, long long seat, long long ask, long long kind, long long move) noexcept nogil
    cdef long long gift(self, long long move, long long ask) noexcept nogil
    cdef void do(self, long long* row, long long seat, long long ask, long long move) noexcept nogil
    cdef void tell(self, long long i, long long seat, long long ask, long long id) noexcept nogil
