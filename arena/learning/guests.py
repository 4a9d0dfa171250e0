"""Agents of another kind at the tables of self-play: the policy learns to play with and against them, too."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from arena.batch import Batch
from games.tichu._core import Round
from games.tichu.agents.actions import (
    ASK_BOMB,
    ASK_GRAND,
    ASK_LEFT,
    ASK_PLAY,
    ASK_RIGHT,
    ASK_TICHU,
    ASK_WISH,
    CARD_KINDS,
    DRAGONS,
    GIFTS,
    GRANDS,
    NO_BOMB,
    TICHUS,
    WISHES,
    id_of,
)
from games.tichu.agents.agent import TichuAgent
from games.tichu.cards import PHOENIX, CardSet
from games.tichu.states import PrivateState, PublicState, Triple


class Guest:
    """An agent that answers for seats of a batch."""

    def __init__(self, agent: TichuAgent) -> None:
        self._agent = agent
        self._gifts: dict[int, Triple] = {}  # by table: what the seat gives that is asked there for one card by one

    def answers(self, batch: Batch, tables: Iterable[int]) -> NDArray[np.int64]:
        """
        :result: int64[n], an action id for each of these tables.
        """
        rows, seats, asks = batch.rows, batch.seats, batch.asks
        ids = [
            self._answer(table, Round.from_row(rows[table]), int(seats[table]), int(asks[table])) for table in tables
        ]
        return np.array(ids, dtype=np.int64)

    def _answer(self, table: int, round: Round, seat: int, ask: int) -> int:
        public, private, agent = PublicState(round), PrivateState(round, seat), self._agent
        if ask == ASK_PLAY:
            return id_of(*agent.play(public, private))
        if ask == ASK_BOMB:
            bomb = agent.bomb(public, private)
            return id_of(*bomb) if bomb else NO_BOMB
        if ask in (ASK_GRAND, ASK_TICHU):
            return (GRANDS if ask == ASK_GRAND else TICHUS) + agent.announce(public, private, ask == ASK_GRAND)
        if ask <= ASK_LEFT:
            if ask == ASK_RIGHT:
                self._gifts[table] = agent.schupf(public, private)
            gift = ask - ASK_RIGHT
            return GIFTS + CARD_KINDS * gift + kind_of_card(self._gifts[table][gift])
        if ask == ASK_WISH:
            rank = agent.wish(public, private)
            return WISHES + rank - 1 if rank else WISHES
        return DRAGONS + (agent.choose_dragon_recipient(public, private) - seat & 3) // 2


def kind_of_card(card: CardSet) -> int:
    """0 the dog to 15 the dragon, 16 the phoenix."""
    return 16 if card == PHOENIX else (card.bit_length() - 1) // 4
