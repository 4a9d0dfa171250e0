"""The agent that plays by chance: the baseline that every other one must beat, and a tireless tester of the rules."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from games.tichu.agents.agent import TichuAgent
from games.tichu.cards import hand_order
from games.tichu.states import Play, PrivateState, PublicState, Triple

Choice = TypeVar("Choice")

RANKS = tuple(range(2, 15))


class RandomAgent(TichuAgent):
    """Takes each legal action with the same probability, and calls now and then.

    :ivar calls: whether it calls at all.
    """

    GRAND = 0.02
    TICHU = 0.05  # each time it is asked

    def __init__(self, name: str, rng: Random | None = None, *, calls: bool = True) -> None:
        super().__init__(name, rng)
        self.calls = calls

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        return self.calls and self.rng.random() < (self.GRAND if grand else self.TICHU)

    def schupf(self, public: PublicState, private: PrivateState) -> Triple:
        right, partner, left = self.rng.sample(hand_order(private.hand_cards), 3)
        return right, partner, left

    def play(self, public: PublicState, private: PrivateState) -> Play:
        return self._one_of(private.legal_plays)

    def bomb(self, public: PublicState, private: PrivateState) -> Play | None:
        return self._one_of([None, *private.bombs])

    def wish(self, public: PublicState, private: PrivateState) -> int:
        return self._one_of(RANKS if public.wish_required else (0, *RANKS))

    def choose_dragon_recipient(self, public: PublicState, private: PrivateState) -> int:
        seat = private.player_index
        return self._one_of(((seat + 1) % 4, (seat + 3) % 4))

    def _one_of(self, choices: Sequence[Choice]) -> Choice:
        # Twice as fast as rng.choice.
        return choices[int(self.rng.random() * len(choices))]
