# The C types of simulate.py.

cimport cython
from games.tichu._core cimport DONE, DRAGON, OWNER, PHASE, PLAY, TURN, Round

@cython.locals(phase=cython.longlong, seat=cython.longlong, armed=cython.longlong)
cpdef Round play_round(Round round, object agents, object game_score=*, object target_score=*)
@cython.locals(away=cython.longlong, seat=cython.longlong)
cdef bint _is_bombed(Round round, object agents, object public, list privates, long long armed) except -1
