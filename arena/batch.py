# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: infer_types=True, annotation_typing=False, auto_pickle=False
"""Thousands of rounds in lock-step: what training plays on.

A batch is a number of tables, each in the middle of a match of its own. All of them wait at a real decision, one with
more than one answer; :meth:`Batch.step` takes an answer for each and plays on to the next one::

    batch = Batch(4096, seed=1)
    while training:
        batch.observe()
        ids = choose(batch.observations, batch.legal)     # uint64 words in, one action id per table out
        batch.step(ids)
        learn(batch.rewards, batch.done)                  # of the rounds that ended in this step

Who is asked when is as in :func:`games.tichu.simulate.play_round`: grand Tichus and the exchange seat by seat, the card
of the exchange one by one; the small Tichu each time that a seat is to move before its first play; after each play and
pass the bombs out of turn, from the right neighbour of the trick's owner on. The only answer there is is given unasked.
A round that is over is scored, and the next one dealt; when a match is over (rules 8.6) another one begins.

A step releases the GIL, so batches in threads of their own run side by side. This file runs interpreted as it stands;
Cython compiles it with the types of ``batch.pxd``. Both do the same.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from games.tichu.agents.actions import blank, unsigned
from games.tichu.rules import RuleSet

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # only the compiler needs it
    from contextlib import nullcontext
    from types import SimpleNamespace

    cython = SimpleNamespace(compiled=False, nogil=nullcontext())

if not cython.compiled:  # the compiled module has these as C constants and C functions
    from games.tichu._core import (
        ARMED,
        DECIDED,
        DONE,
        DRAGON,
        EXCHANGE,
        GIVEN,
        HAND,
        OWNER,
        PHASE,
        ROW_SIZE,
        TURN,
        WISH,
        Dealer,
        Plays,
        final_points,
        find_seat_bombs,
        find_turn_plays,
        lowest_bit,
        may_call,
        play,
        take,
    )
    from games.tichu.agents.actions import (
        ASK_BOMB,
        ASK_DRAGON,
        ASK_GRAND,
        ASK_PLAY,
        ASK_RIGHT,
        ASK_TICHU,
        ASK_WISH,
        MASK_WORDS,
        answer,
        at,
        mark_answers,
    )
    from games.tichu.agents.observations import HIDDEN_WORDS, WORDS, observe, observe_hidden

    ONE, FOUR_BITS, LOW_32_BITS = 1, 0xF, 0xFFFF_FFFF

    # What a table knows besides the row of its round.
    SEAT = 0  #      that is asked
    ASK = 1
    CHOICES = 2  #   how many answers there are
    ASKED = 3  #     mask of seats asked for a bomb since the last play or pass; TICHU_ASKED
    REWARD = 4
    OVER = 5  #      1 if a round ended in the last step
    SCORE = 6  #     [2] of team 20 and team 31 before this round
    DEAL = 8  #      seed of the deal
    ROUNDS = 9  #    how many are over; MATCHES likewise
    MATCHES = 10
    DECISIONS = 11
    TABLE_SIZE = 12
    TICHU_ASKED = 16


class Batch:
    """Tables in lock-step. Its arrays are written anew by each step.

    :ivar rows: int64[size, ROW_SIZE], the rounds as the kernel keeps them.
    :ivar seats: int64[size], who is asked; ``asks``: what (:mod:`games.tichu.agents.actions`); ``choices``: how many
        answers there are.
    :ivar legal: uint64[size, MASK_WORDS], bit ``id % 64`` of word ``id // 64`` is set if the answer is legal.
    :ivar observations: uint64[size, WORDS], after :meth:`observe`: what the seat sees
        (:mod:`games.tichu.agents.observations`); ``hidden``: uint64[size, HIDDEN_WORDS], what only a critic may know.
    :ivar done: bool[size], whether a round ended in the last step; ``rewards``: int64[size], then the points of team 20
        less those of team 31, else 0; ``finished``: int64[size, ROW_SIZE], the last round that ended.
    :ivar scores: int64[size, 2], of team 20 and team 31 in the match, before this round.
    :ivar deals: int64[size], ``Round.random(deal, rules)`` is the deal that is played.

    :param seed: 0 .. 2**30 - 1, of all deals and of :meth:`random_ids`. The n-th deal of a table depends on nothing
        else but the size.
    """

    def __init__(self, size: int, seed: int, rules: RuleSet | None = None) -> None:
        if not 0 <= seed < 1 << 30:
            raise ValueError(f"the seed of a batch is 0 .. 2**30 - 1, not {seed}")
        rules = rules or RuleSet.house()
        self.size = size
        self._flags = rules.flags
        self._target = rules.target_score
        self._seed = seed
        self._dealer = Dealer(seed)
        self._chance = Dealer(~seed)
        self._plays = Plays()
        self._rows = blank(size, ROW_SIZE)
        self._finished = blank(size, ROW_SIZE)
        self._tables = blank(size, TABLE_SIZE)
        self._legal = blank(size, MASK_WORDS)
        self._observations = blank(size, WORDS)
        self._hidden = blank(size, HIDDEN_WORDS)
        self._ids = blank(1, size)
        with cython.nogil:
            for i in range(self.size):
                self.deal(i)
                self.advance(i)

    # --- for Python ---------------------------------------------------------------------------------------------------

    @property
    def rows(self) -> NDArray[np.int64]:
        return np.asarray(self._rows)

    @property
    def finished(self) -> NDArray[np.int64]:
        return np.asarray(self._finished)

    @property
    def seats(self) -> NDArray[np.int64]:
        return self._column(SEAT)

    @property
    def asks(self) -> NDArray[np.int64]:
        return self._column(ASK)

    @property
    def choices(self) -> NDArray[np.int64]:
        return self._column(CHOICES)

    @property
    def legal(self) -> NDArray[np.uint64]:
        return unsigned(self._legal)

    @property
    def observations(self) -> NDArray[np.uint64]:
        return unsigned(self._observations)

    @property
    def hidden(self) -> NDArray[np.uint64]:
        return unsigned(self._hidden)

    @property
    def rewards(self) -> NDArray[np.int64]:
        return self._column(REWARD)

    @property
    def done(self) -> NDArray[np.bool_]:
        return self._column(OVER).astype(np.bool_)

    @property
    def scores(self) -> NDArray[np.int64]:
        return np.asarray(self._tables)[:, SCORE : SCORE + 2]

    @property
    def deals(self) -> NDArray[np.int64]:
        return self._column(DEAL)

    @property
    def rounds(self) -> int:
        """How many rounds are over; :attr:`matches` likewise."""
        return int(self._column(ROUNDS).sum())

    @property
    def matches(self) -> int:
        return int(self._column(MATCHES).sum())

    @property
    def decisions(self) -> int:
        """How many answers were taken."""
        return int(self._column(DECISIONS).sum())

    def _column(self, column: int) -> NDArray[np.int64]:
        return np.asarray(self._tables)[:, column]

    def step(self, ids: ArrayLike) -> None:
        """Takes an answer for each table, and plays on to the next decision of each.

        :param ids: int64[size], legal action ids.
        :raises ValueError: an id is not legal, or there are not as many as tables; nothing has changed.
        """
        given = np.ascontiguousarray(ids, dtype=np.int64).reshape(1, -1)
        if given.shape[1] != self.size:
            raise ValueError(f"{given.shape[1]} ids for {self.size} tables")
        self._ids = given if cython.compiled else given.tolist()
        with cython.nogil:
            wrong = self.first_illegal()
            if wrong < 0:
                for i in range(self.size):
                    self.do(i, at(self._ids, 0)[i])
                    self.advance(i)
        if wrong >= 0:
            raise ValueError(f"table {wrong}: action id {given[0, wrong]} is not legal here")

    def observe(self) -> None:
        """Fills ``observations`` and ``hidden``."""
        with cython.nogil:
            for i in range(self.size):
                self.look(i)

    def random_ids(self) -> NDArray[np.int64]:
        """One legal answer for each table, all with the same probability."""
        self._ids = blank(1, self.size)
        with cython.nogil:
            for i in range(self.size):
                at(self._ids, 0)[i] = self.random_id(i)
        ids: NDArray[np.int64] = np.array(self._ids, dtype=np.int64)[0]
        return ids

    # --- one table ----------------------------------------------------------------------------------------------------

    def deal(self, i: int) -> None:
        """The next round of a table."""
        table = at(self._tables, i)
        table[DEAL] = (self._seed << 32) + (i + self.size * table[ROUNDS] & LOW_32_BITS)
        table[ASKED] = 0
        self._dealer.begin(table[DEAL])
        self._dealer.deal(at(self._rows, i), self._flags)

    def do(self, i: int, id: int) -> None:
        """What a legal answer changes."""
        row = at(self._rows, i)
        table = at(self._tables, i)
        seat = table[SEAT]
        ask = table[ASK]
        if ask == ASK_TICHU:
            table[ASKED] |= TICHU_ASKED
        elif ask == ASK_BOMB:
            table[ASKED] |= ONE << seat
        cards = row[HAND + seat]
        answer(row, seat, ask, id, self._plays)
        if ask == ASK_PLAY or cards != row[HAND + seat]:
            table[ASKED] = 0
        table[DECISIONS] += 1
        table[REWARD] = 0
        table[OVER] = 0

    def advance(self, i: int) -> None:
        """Plays a table on to its next decision."""
        row = at(self._rows, i)
        table = at(self._tables, i)
        while not self.asks_somebody(row, table):
            if row[PHASE] == DONE:
                self.score(i)
                self.deal(i)
            elif row[TURN] == row[OWNER]:
                take(row)
                table[ASKED] = 0
            else:
                play(row, row[TURN], self._plays.cards[0], self._plays.metas[0])
                table[ASKED] = 0
        table[CHOICES] = mark_answers(row, table[SEAT], table[ASK], self._plays, at(self._legal, i))

    def asks_somebody(self, row: list[int], table: list[int]) -> bool:
        """Finds who is to decide what, and the plays it can choose among; False if nobody has a choice."""
        phase = row[PHASE]
        if phase <= EXCHANGE:
            table[SEAT] = lowest_bit(~row[DECIDED] & FOUR_BITS)
            table[ASK] = ASK_GRAND
            if phase == EXCHANGE:
                table[ASK] = ASK_RIGHT
                while row[GIVEN + 3 * table[SEAT] + table[ASK] - ASK_RIGHT]:
                    table[ASK] += 1
            return True
        if phase == DONE:
            return False
        if phase in (WISH, DRAGON):
            table[SEAT] = row[OWNER]
            table[ASK] = ASK_WISH if phase == WISH else ASK_DRAGON
            return True
        turn = row[TURN]
        owner = row[OWNER]
        if row[ARMED] and owner >= 0:
            for away in range(1, 5):
                seat = owner + away & 3
                if not table[ASKED] >> seat & 1 and (seat != turn or seat == owner):
                    find_seat_bombs(row, seat, self._plays)
                    if self._plays.count:
                        table[SEAT] = seat
                        table[ASK] = ASK_BOMB
                        return True
        if turn == owner:
            return False
        table[SEAT] = turn
        if not table[ASKED] & TICHU_ASKED and may_call(row, turn):
            table[ASK] = ASK_TICHU
            return True
        table[ASK] = ASK_PLAY
        find_turn_plays(row, self._plays)
        return self._plays.count > 1

    def score(self, i: int) -> None:
        """What the round of a table that is over brings."""
        row = at(self._rows, i)
        table = at(self._tables, i)
        kept = at(self._finished, i)
        for column in range(ROW_SIZE):
            kept[column] = row[column]
        team_20 = final_points(row, 0) + final_points(row, 2)
        team_31 = final_points(row, 1) + final_points(row, 3)
        table[REWARD] = team_20 - team_31
        table[OVER] = 1
        table[ROUNDS] += 1
        table[SCORE] += team_20
        table[SCORE + 1] += team_31
        if table[SCORE] != table[SCORE + 1] and max(table[SCORE], table[SCORE + 1]) >= self._target:
            table[MATCHES] += 1
            table[SCORE] = 0
            table[SCORE + 1] = 0

    def look(self, i: int) -> None:
        """Writes what the seat that is asked sees, and what a critic may know."""
        row = at(self._rows, i)
        table = at(self._tables, i)
        seat = table[SEAT]
        own = self._target - table[SCORE + (seat & 1)]
        others = self._target - table[SCORE + 1 - (seat & 1)]
        observe(row, seat, table[ASK], own, others, at(self._observations, i))
        observe_hidden(row, seat, at(self._hidden, i))

    def first_illegal(self) -> int:
        """The first table whose id is not legal; -1."""
        for i in range(self.size):
            id = at(self._ids, 0)[i]
            if id < 0 or id >= 64 * MASK_WORDS or not at(self._legal, i)[id >> 6] >> (id & 63) & 1:
                return i
        return -1

    def random_id(self, i: int) -> int:
        """One of the legal answers of a table."""
        mask = at(self._legal, i)
        left = self._chance.below(at(self._tables, i)[CHOICES])
        for word in range(MASK_WORDS):
            bits = mask[word]
            while bits:
                if not left:
                    return 64 * word + lowest_bit(bits)
                bits &= bits - 1
                left -= 1
        return -1
