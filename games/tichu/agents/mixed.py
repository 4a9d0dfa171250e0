"""The agent for beginners: it knows the rules of thumb, and forgets them now and then."""

from random import Random

from games.tichu.agents.agent import TichuAgent
from games.tichu.agents.random import RandomAgent
from games.tichu.agents.rule import RuleAgent
from games.tichu.states import Play, PrivateState, PublicState, Triple


class MixedAgent(TichuAgent):
    """Makes each decision as ``RuleAgent`` would, or else by chance; by chance it never calls.

    :ivar by_rule: the probability of the former.

    :raises ValueError: it is none.
    """

    def __init__(self, name: str, rng: Random | None = None, *, by_rule: float = 0.8) -> None:
        super().__init__(name, rng)
        if isinstance(by_rule, str | bool) or not 0 <= by_rule <= 1:
            raise ValueError(f"by_rule is a probability, not {by_rule!r}")
        self.by_rule = by_rule
        self._rule = RuleAgent(name)
        self._random = RandomAgent(name, self.rng, calls=False)

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        return self._one().announce(public, private, grand)

    def schupf(self, public: PublicState, private: PrivateState) -> Triple:
        return self._one().schupf(public, private)

    def play(self, public: PublicState, private: PrivateState) -> Play:
        return self._one().play(public, private)

    def bomb(self, public: PublicState, private: PrivateState) -> Play | None:
        return self._one().bomb(public, private)

    def wish(self, public: PublicState, private: PrivateState) -> int:
        return self._one().wish(public, private)

    def choose_dragon_recipient(self, public: PublicState, private: PrivateState) -> int:
        return self._one().choose_dragon_recipient(public, private)

    def _one(self) -> TichuAgent:
        return self._rule if self.rng.random() < self.by_rule else self._random
