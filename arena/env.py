"""The rules as a PettingZoo environment, for whoever brings a learner of his own (extra ``rl``).

An episode is one round of four agents, ``seat_0`` to ``seat_3``, from the grand Tichus to the score. The environment is
a :class:`arena.batch.Batch` of one table, so it asks for the same decisions, in the same order, and shows the same::

    env = tichu_v0.env()  # from arena import env as tichu_v0
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        env.step(None if termination else env.action_space(agent).sample(observation["action_mask"]))

An observation is ``{"observation": int8[BITS], "action_mask": int8[ACTIONS]}``; ``SLICES`` says where its pieces are,
:mod:`games.tichu.agents.observations` what they mean, :mod:`games.tichu.agents.actions` what the actions are. The mask
of an agent that is not asked is empty. The reward comes when the round is over: points of the own team less those of
the others, calls included.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.batch import Batch
from games.tichu._core import Round
from games.tichu.agents.actions import ACTIONS, ASK_NOTHING, unpacked
from games.tichu.agents.observations import BITS, PIECES, observation
from games.tichu.cards import text
from games.tichu.rules import RuleSet
from games.tichu.states import PrivateState, PublicState

try:
    from gymnasium.spaces import Box, Dict, Discrete
    from gymnasium.utils.seeding import np_random
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    raise ImportError("arena.env needs PettingZoo: pip install -e '.[rl]'") from error

ILLEGAL_REWARD = -1000.0  # worse than any round

_ends = np.cumsum([width for _, width in PIECES]).tolist()
SLICES = {name: slice(end - width, end) for (name, width), end in zip(PIECES, _ends, strict=True)}


def env(render_mode: str | None = None, rules: RuleSet | None = None) -> AECEnv[str, Any, Any]:
    """The environment as PettingZoo's are: an illegal action ends the round and costs ``ILLEGAL_REWARD``."""
    gentle = wrappers.TerminateIllegalWrapper(TichuEnv(render_mode, rules), illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(gentle))


class TichuEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]
    """The environment without the usual wrappers: an illegal action is a ValueError.

    :param render_mode: ``ansi`` for a text of the table, with all hands; None.
    """

    metadata = {"name": "tichu_v0", "render_modes": ["ansi"], "is_parallelizable": False, "render_fps": 1}

    def __init__(self, render_mode: str | None = None, rules: RuleSet | None = None) -> None:
        super().__init__()
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(4)]
        self.observation_spaces = {agent: _observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(ACTIONS) for agent in self.possible_agents}
        self._rules = rules or RuleSet.house()
        self._rng, _ = np_random()

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deals.

        :param seed: of this deal and those after it; without one they go on by chance.
        """
        if seed is not None:
            self._rng, _ = np_random(seed)
        self._batch = Batch(1, int(self._rng.integers(1 << 30)), self._rules)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        seat = self.possible_agents.index(agent)
        if agent == self.agent_selection and not self._is_over:
            self._batch.observe()
            seen, legal = self._batch.observations[0], unpacked(self._batch.legal[0], ACTIONS)
        else:
            seen = observation(PublicState(self._round), PrivateState(self._round, seat), ASK_NOTHING)
            legal = np.zeros(ACTIONS, dtype=np.uint8)
        return {"observation": unpacked(seen, BITS).view(np.int8), "action_mask": legal.view(np.int8)}

    def step(self, action: Any) -> None:
        """Takes the answer of the agent that is asked.

        :raises ValueError: it is not legal; nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._batch.step([action])
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self._is_over:
            difference = float(self._batch.rewards[0])
            self.rewards = {
                agent: -difference if agent in ("seat_1", "seat_3") else difference for agent in self.agents
            }
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self._select()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The table with all hands."""
        if self.render_mode is None:
            return None
        round = self._round
        hands = [f"{seat}: {text(round.hand(seat))}" for seat in range(4)]
        top = f"{round.owner}: {text(round.top_cards)}" if round.trick_meta else "-"
        return "\n".join([*hands, f"trick {top}, asked {self.agent_selection}"])

    def close(self) -> None:
        """There is nothing to close."""

    @property
    def _is_over(self) -> bool:
        return bool(self._batch.done[0])

    @property
    def _round(self) -> Round:
        """The round; when it is over, the batch has dealt another one already."""
        rows = self._batch.finished if self._is_over else self._batch.rows
        return Round.from_row(rows[0].tolist())

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[self._batch.seats[0]]


def _observation_space() -> Dict:
    bits = Box(0, 1, (BITS,), np.int8)
    return Dict({"observation": bits, "action_mask": Box(0, 1, (ACTIONS,), np.int8)})
