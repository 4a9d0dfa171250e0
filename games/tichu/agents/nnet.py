"""Agents that decide by a network: what they see goes in, and out comes how much speaks for each legal answer."""

from collections.abc import Sequence
from functools import lru_cache
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    decision,
    legal_mask,
    unpacked,
    with_gifts,
)
from games.tichu.agents.agent import TichuAgent
from games.tichu.agents.observations import observation
from games.tichu.agents.weights import Weights
from games.tichu.cards import CardSet
from games.tichu.states import Play, PrivateState, PublicState, Triple

SHIPPED_POLICY = str(Path(__file__).with_name("policy.npz"))


class NNetAgent(TichuAgent):
    """Decides everything by one network.

    :ivar weights: shared with all agents of the process that have the same file.
    :ivar temperature: 0 takes the answer for which most speaks. Otherwise each is taken with the probability that the
        softmax of ``logits / temperature`` gives it: the higher, the more human, and the weaker.

    :raises OSError, ValueError: the file cannot be read, or holds no weights that fit.
    """

    def __init__(self, name: str, rng: Random | None = None, *, file: str = "", temperature: float = 0.0) -> None:
        super().__init__(name, rng)
        if not file:
            raise ValueError("it needs the weights of a network: file=FILE")
        if isinstance(temperature, str | bool) or not 0 <= temperature < inf:
            raise ValueError(f"temperature is a number from 0 on, not {temperature!r}")
        self.weights = weights_in(file)
        self.temperature = float(temperature)

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        called: bool = self._answer(public, private, ASK_GRAND if grand else ASK_TICHU)
        return called

    def schupf(self, public: PublicState, private: PrivateState) -> Triple:
        right: CardSet = self._answer(public, private, ASK_RIGHT)
        partner: CardSet = self._answer(public, private, ASK_PARTNER, (right,))
        left: CardSet = self._answer(public, private, ASK_LEFT, (right, partner))
        return right, partner, left

    def play(self, public: PublicState, private: PrivateState) -> Play:
        play: Play = self._answer(public, private, ASK_PLAY)
        return play

    def bomb(self, public: PublicState, private: PrivateState) -> Play | None:
        bomb: Play | None = self._answer(public, private, ASK_BOMB)
        return bomb

    def wish(self, public: PublicState, private: PrivateState) -> int:
        rank: int = self._answer(public, private, ASK_WISH)
        return rank

    def choose_dragon_recipient(self, public: PublicState, private: PrivateState) -> int:
        recipient: int = self._answer(public, private, ASK_DRAGON)
        return recipient

    def _answer(self, public: PublicState, private: PrivateState, ask: int, gifts: Sequence[CardSet] = ()) -> Any:
        """One of the legal answers (:func:`games.tichu.agents.actions.decision`); the only one without a thought.

        :param gifts: the cards that it has chosen for the exchange so far.
        """
        seat = private.player_index
        round = with_gifts(private._round, seat, gifts) if gifts else private._round
        legal = np.flatnonzero(unpacked(legal_mask(round, seat, ask), ACTIONS))
        choice = 0
        if len(legal) > 1:
            logits = self.weights.logits(self.seen(public, private, ask, gifts), legal).astype(np.float64)
            if self.temperature:
                with np.errstate(over="ignore"):  # of the quotient, where the temperature is next to nothing
                    odds = np.exp((logits - logits.max()) / self.temperature)
                choice = self.rng.choices(range(len(legal)), odds.tolist())[0]
            else:
                choice = int(logits.argmax())
        return decision(round, seat, ask, int(legal[choice]))

    def seen(
        self, public: PublicState, private: PrivateState, ask: int, gifts: Sequence[CardSet]
    ) -> NDArray[np.uint64]:
        """What its network sees: ``uint64[WORDS]``. Subclasses may tell it more."""
        return observation(public, private, ask, gifts)


class PolicyAgent(NNetAgent):
    """Has learned by playing against itself."""

    def __init__(
        self, name: str, rng: Random | None = None, *, file: str = SHIPPED_POLICY, temperature: float = 0.0
    ) -> None:
        super().__init__(name, rng, file=file, temperature=temperature)


class BehaviorAgent(NNetAgent):
    """Has learned from the logs of games between people."""


def weights_in(file: str) -> Weights:
    """The weights that a file holds now, read once per process."""
    path = Path(file).resolve()
    state = path.stat()
    return _read(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=4)  # one for each seat of a table
def _read(path: Path, changed: int, size: int) -> Weights:
    return Weights.load(path)
