# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, annotation_typing=False, auto_pickle=False
"""What was decided in rounds that have been played, seen by who decided: what imitation learns from.

A recorded round is a deal and its moves (:mod:`arena.trajectories`). It is played again, and at each place where
:class:`arena.batch.Batch` would ask somebody, the answer is read off the moves: whoever could call, bomb or wish and
did not, answered no. Where only one answer is legal nobody is asked.

People call when they like, not when they are asked. So a call before the turn of who made it is seen by all others from
then on, but the caller is asked for it when he is to move, and then sees the table as if he had not called yet.

A network sees no suits but where they matter, so another card of the same rank is the same answer. This file runs
interpreted as it stands; Cython compiles it with the types of ``decisions.pxd``. Both do the same.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.batch import Batch
from arena.trajectories import Rows
from games.tichu.agents.actions import blank, unsigned

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # only the compiler needs it
    from contextlib import nullcontext
    from types import SimpleNamespace

    cython = SimpleNamespace(compiled=False, nogil=nullcontext())

if not cython.compiled:  # the compiled module has these as C constants and C functions
    from arena.batch import ASK, ASKED, SEAT, TABLE_SIZE, TICHU_ASKED
    from games.tichu._core import (
        CALL,
        DONE,
        FIRST_EIGHT,
        FOURTEEN,
        GIVEN,
        HAND,
        OPENED,
        OWNER,
        PHASE,
        ROW_SIZE,
        TURN,
        announce,
        decide_grand,
        give,
        give_dragon,
        kind_of,
        length_of,
        lowest_bit,
        make_wish,
        may_call,
        play,
        rank_of,
        set_hand,
        start_round,
        take,
    )
    from games.tichu.agents.actions import (
        ACTIONS,
        ASK_BOMB,
        ASK_DRAGON,
        ASK_GRAND,
        ASK_LEFT,
        ASK_PARTNER,
        ASK_PLAY,
        ASK_RIGHT,
        ASK_TICHU,
        ASK_WISH,
        CARD_KINDS,
        DRAGONS,
        GIFTS,
        GRANDS,
        MASK_WORDS,
        NO_BOMB,
        TICHUS,
        WISHES,
        at,
        id_of,
        mark_answers,
    )
    from games.tichu.agents.observations import WORDS, kind_bit, observe

    ONE = 1

    # Places in arena.trajectories.DECISIONS.
    GRAND_MOVE, SCHUPF_MOVE, ANNOUNCE_MOVE, PLAY_MOVE, BOMB_MOVE, WISH_MOVE, DRAGON_MOVE = range(7)
    NO_MOVE = -1

    # The columns of a round, of a move, and of what is told of a decision besides what is seen.
    ROUND_RULES = 0
    ROUND_TARGET = 1
    ROUND_SCORE = 2  #  [2]
    ROUND_EIGHT = 4  #  [4]
    ROUND_FOURTEEN = 8  #  [4]
    ROUND_MOVES = 12  #  where they begin
    ROUND_END = 13
    ROUND_LEARNED = 14  #  mask of the seats whose decisions are told
    ROUND_SIZE = 15
    MOVE_SEAT, MOVE_KIND, MOVE_ANSWER, MOVE_CARDS = range(4)
    TOLD_ROUND, TOLD_SEAT, TOLD_ASK, TOLD_ID = range(4)
    TOLD_SIZE = 4
    ILLEGAL = -1

ALL_SEATS = 15
MOST_ANSWERS = 8  # to a move; there are at most four about bombs, one about a Tichu, one play, or three cards


class Decisions(NamedTuple):
    """Decisions in the order in which they were made.

    :ivar observations: uint64[N, WORDS] (:mod:`games.tichu.agents.observations`).
    :ivar legal: uint64[N, MASK_WORDS], bit ``id % 64`` of word ``id // 64`` is set if the answer is legal.
    :ivar ids: int64[N], what was answered; ``asks``: what was asked; ``seats``: who was asked
        (:mod:`games.tichu.agents.actions`).
    :ivar rounds: int64[N], in which of the rounds, ascending.
    """

    observations: NDArray[np.uint64]
    legal: NDArray[np.uint64]
    ids: NDArray[np.int64]
    asks: NDArray[np.int64]
    seats: NDArray[np.int64]
    rounds: NDArray[np.int64]

    def at(self, places: NDArray[np.int64] | slice) -> "Decisions":
        """Some of them."""
        columns: list[Any] = [column[places] for column in self]
        return Decisions(*columns)


def decisions(rounds: Rows, moves: Rows, learned: NDArray[Any] | None = None) -> tuple[Decisions, NDArray[np.bool_]]:
    """All real decisions of some rounds.

    :param rounds: ROUND[n]; ``moves``: MOVE[m], of one round after the other (:mod:`arena.trajectories`).
    :param learned: [n], masks of the seats whose decisions are told; all of them.
    :result: the decisions; bool[n], which rounds are whole and within the rules. Of the others there is nothing.
    """
    ends = np.cumsum(rounds["moves"], dtype=np.int64)
    masks = np.full(len(rounds), ALL_SEATS) if learned is None else learned
    known = [rounds["rules"], rounds["target_score"], rounds["score"], rounds["first_eight"], rounds["fourteen"]]
    of_moves = [moves[name] for name in ("seat", "decision", "answer", "cards")]
    return Reader(_table([*known, ends - rounds["moves"], ends, masks]), _table(of_moves)).read()


def _table(columns: list[NDArray[Any]]) -> NDArray[np.int64]:
    return np.ascontiguousarray(np.column_stack(columns), dtype=np.int64)


class Reader:
    """Plays rounds again.

    :param rounds: int64[n, 15]; ``moves``: int64[m, 4]: the columns above.
    """

    def __init__(self, rounds: NDArray[np.int64], moves: NDArray[np.int64]) -> None:
        capacity = MOST_ANSWERS * (len(moves) + len(rounds)) + 1  # pages that are never written to cost nothing
        self._count = len(rounds)
        self._rounds = rounds if cython.compiled else rounds.tolist()
        self._moves = moves if cython.compiled else moves.tolist()
        self._batch = Batch(1, 0)  # knows who is asked
        self._row = blank(1, ROW_SIZE)
        self._table = blank(1, TABLE_SIZE)
        self._observations = blank(capacity, WORDS)
        self._legal = blank(capacity, MASK_WORDS)
        self._told = blank(capacity, TOLD_SIZE)
        self._fits = blank(1, len(rounds))
        self._to = 0

    def read(self) -> tuple[Decisions, NDArray[np.bool_]]:
        with cython.nogil:
            for i in range(self._count):
                first = self._to
                if self.follow(i):
                    at(self._fits, 0)[i] = 1
                else:
                    self._to = first
        told = np.asarray(self._told)[: self._to]
        facts = [told[:, column].copy() for column in (TOLD_ID, TOLD_ASK, TOLD_SEAT, TOLD_ROUND)]
        observations = unsigned(self._observations)[: self._to].copy()
        legal = unsigned(self._legal)[: self._to].copy()
        return Decisions(observations, legal, *facts), np.asarray(self._fits)[0].astype(np.bool_)

    def follow(self, i: int) -> bool:
        """Plays a round from its deal to its end.

        :result: whether its moves are a whole round within the rules.
        """
        round = at(self._rounds, i)
        row = at(self._row, 0)
        table = at(self._table, 0)
        start_round(row, round[ROUND_RULES])
        for seat in range(4):
            row[FIRST_EIGHT + seat] = round[ROUND_EIGHT + seat]
            row[FOURTEEN + seat] = round[ROUND_FOURTEEN + seat]
            set_hand(row, seat, round[ROUND_EIGHT + seat])
        table[ASKED] = 0
        move = round[ROUND_MOVES]
        end = round[ROUND_END]
        called = 0  # seats that have called before they were asked
        while row[PHASE] != DONE:
            is_asked = self._batch.asks_somebody(row, table)
            if not is_asked and row[TURN] == row[OWNER]:
                take(row)
                table[ASKED] = 0
                continue
            seat = table[SEAT]
            ask = table[ASK]
            kind = at(self._moves, move)[MOVE_KIND] if move < end else NO_MOVE
            if kind == ANNOUNCE_MOVE:
                caller = at(self._moves, move)[MOVE_SEAT]
                is_answer = ask == ASK_TICHU and caller == seat
                if not is_answer and not (ask == ASK_BOMB and not self.is_bombed(move, end)):
                    if caller > 3 or not may_call(row, caller):
                        return False
                    announce(row, caller)
                    called |= ONE << caller
                    move += 1
                    continue
            if ask == ASK_PLAY and called >> seat & 1:
                called &= ~(ONE << seat)
                if not row[OPENED] >> seat & 1:
                    row[CALL + seat] = 0
                    mark_answers(row, seat, ASK_TICHU, self._batch._plays, at(self._legal, self._to))
                    self.tell(i, seat, ASK_TICHU, TICHUS + 1)
                    row[CALL + seat] = 1
            choices = mark_answers(row, seat, ask, self._batch._plays, at(self._legal, self._to))
            id = self.answered(row, seat, ask, kind, move)
            if id < 0 or id >= ACTIONS or not at(self._legal, self._to)[id >> 6] >> (id & 63) & 1:
                return False
            if choices > 1:
                self.tell(i, seat, ask, id)
            if ask == ASK_TICHU:
                table[ASKED] |= TICHU_ASKED
                if id == TICHUS:
                    continue
            elif ask == ASK_BOMB and id == NO_BOMB:
                table[ASKED] |= ONE << seat
                continue
            self.do(row, seat, ask, move)
            if ask != ASK_TICHU:
                table[ASKED] = 0
            if ask not in (ASK_RIGHT, ASK_PARTNER):  # with the third card the move is done
                move += 1
        return bool(move == end)

    def is_bombed(self, move: int, end: int) -> bool:
        """Whether the next that happens with cards is a bomb out of turn; calls may come before."""
        while move < end and at(self._moves, move)[MOVE_KIND] == ANNOUNCE_MOVE:
            move += 1
        return move < end and at(self._moves, move)[MOVE_KIND] == BOMB_MOVE

    def answered(self, row: list[int], seat: int, ask: int, kind: int, move: int) -> int:
        """What the next move says to a question.

        :param kind: of the move, or NO_MOVE.
        :result: an id, which may be illegal; ILLEGAL if the move is no answer to it.
        """
        if ask == ASK_TICHU and kind != ANNOUNCE_MOVE:
            return TICHUS
        if ask == ASK_BOMB and (kind != BOMB_MOVE or at(self._moves, move)[MOVE_SEAT] != seat):
            return NO_BOMB
        if kind == NO_MOVE or at(self._moves, move)[MOVE_SEAT] != seat:
            return ILLEGAL
        answer = at(self._moves, move)[MOVE_ANSWER]
        cards = at(self._moves, move)[MOVE_CARDS]
        if ask == ASK_TICHU:
            return TICHUS + 1
        if ask == ASK_GRAND:
            return GRANDS + (1 if answer else 0) if kind == GRAND_MOVE else ILLEGAL
        if ask in (ASK_PLAY, ASK_BOMB):
            if kind not in (PLAY_MOVE, BOMB_MOVE) or cards & ~row[HAND + seat] or answer < 0 or answer >> 29:
                return ILLEGAL
            if kind_of(answer) > 7 or length_of(answer) > 15 or rank_of(answer) > 15 or (cards and not answer):
                return ILLEGAL
            return id_of(cards, answer)
        if ask == ASK_WISH:
            if kind != WISH_MOVE or not (answer == 0 or 2 <= answer <= 14):
                return ILLEGAL
            return WISHES + answer - 1 if answer else WISHES
        if ask == ASK_DRAGON:
            away = answer - seat & 3
            return DRAGONS + (away >> 1) if kind == DRAGON_MOVE and 0 <= answer <= 3 and away & 1 else ILLEGAL
        card = self.gift(move, ask)
        if kind != SCHUPF_MOVE or not card & row[HAND + seat]:
            return ILLEGAL
        return GIFTS + CARD_KINDS * (ask - ASK_RIGHT) + lowest_bit(kind_bit(card))

    def gift(self, move: int, ask: int) -> int:
        """A card of the exchange."""
        answer: int = at(self._moves, move)[MOVE_ANSWER]
        return ONE << (answer >> 8 * (ask - ASK_RIGHT) & 63)

    def do(self, row: list[int], seat: int, ask: int, move: int) -> None:
        """What a move changes that was legal; of the exchange one card (:func:`games.tichu.agents.actions.answer`)."""
        answer = at(self._moves, move)[MOVE_ANSWER]
        if ask in (ASK_PLAY, ASK_BOMB):
            play(row, seat, at(self._moves, move)[MOVE_CARDS], answer)
        elif ask == ASK_TICHU:
            announce(row, seat)
        elif ask == ASK_GRAND:
            decide_grand(row, seat, answer)
        elif ask == ASK_WISH:
            make_wish(row, answer)
        elif ask == ASK_DRAGON:
            give_dragon(row, answer)
        else:
            given = GIVEN + 3 * seat
            row[given + ask - ASK_RIGHT] = self.gift(move, ask)
            set_hand(row, seat, row[HAND + seat] & ~row[given + ask - ASK_RIGHT])
            if ask == ASK_LEFT:
                give(row, seat, row[given], row[given + 1], row[given + 2])

    def tell(self, i: int, seat: int, ask: int, id: int) -> None:
        """Writes a decision down, whose mask stands there already."""
        round = at(self._rounds, i)
        if not round[ROUND_LEARNED] >> seat & 1:
            return
        own = round[ROUND_TARGET] - round[ROUND_SCORE + (seat & 1)]
        others = round[ROUND_TARGET] - round[ROUND_SCORE + 1 - (seat & 1)]
        observe(at(self._row, 0), seat, ask, own, others, at(self._observations, self._to))
        told = at(self._told, self._to)
        told[TOLD_ROUND] = i
        told[TOLD_SEAT] = seat
        told[TOLD_ASK] = ask
        told[TOLD_ID] = id
        self._to += 1
