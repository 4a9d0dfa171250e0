"""The PettingZoo environment: PettingZoo's own tests, and that it is the same game."""

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from arena import env as tichu_v0
from arena.env import ILLEGAL_REWARD, SLICES, TichuEnv
from games.tichu.agents.actions import ACTIONS, ASK_GRAND, GRANDS, NO_BOMB
from games.tichu.agents.observations import BITS
from games.tichu.rules import RuleSet


def random_episode(env: Any, seed: int) -> dict[str, float]:
    """Plays by chance.

    :result: what each agent was given in the end.
    """
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    rewards = {}
    for agent in env.agent_iter():
        seen, reward, termination, truncation, _ = env.last()
        if termination or truncation:
            rewards[agent] = reward
            env.step(None)
        else:
            env.step(rng.choice(np.flatnonzero(seen["action_mask"])))
    return rewards


@pytest.mark.parametrize("rules", [RuleSet.house(), RuleSet.pocket()], ids=["house", "pocket"])
def test_pettingzoo_finds_nothing_wrong_with_the_interface(rules: RuleSet) -> None:
    with warnings.catch_warnings():
        # Of these it warns with every dictionary and every mask of an agent that is not asked.
        for text in ("Observation is not a NumPy array", "Observation space for each agent", "Action mask numpy array"):
            warnings.filterwarnings("ignore", text)
        api_test(tichu_v0.env(rules=rules), num_cycles=1000)


def test_pettingzoo_finds_episodes_of_a_seed_equal() -> None:
    seed_test(tichu_v0.env, num_cycles=500)


def test_both_partners_get_what_the_other_team_loses() -> None:
    """Rules 8."""
    rewards = random_episode(tichu_v0.env(), 1)
    assert rewards["seat_0"] == rewards["seat_2"] == -rewards["seat_1"] == -rewards["seat_3"]


def test_the_reward_is_the_difference_of_the_round() -> None:
    env = TichuEnv()
    rewards = random_episode(env, 2)
    score = env._round.score()
    assert rewards["seat_0"] == score[0] - score[1]


def test_an_illegal_action_ends_the_round_and_is_punished() -> None:
    """PettingZoo's convention."""
    env = tichu_v0.env()
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(NO_BOMB)
    assert env.terminations[agent]
    assert env.rewards[agent] == ILLEGAL_REWARD


def test_the_bare_environment_refuses_an_illegal_action() -> None:
    env = TichuEnv()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="is not legal"):
        env.step(NO_BOMB)
    env.step(GRANDS)


def test_the_pieces_of_an_observation_have_names() -> None:
    env = TichuEnv()
    env.reset(seed=3)
    seen = env.observe("seat_0")
    assert (seen["observation"].shape, seen["action_mask"].shape) == ((BITS,), (ACTIONS,))
    assert np.flatnonzero(seen["observation"][SLICES["ask"]]).tolist() == [ASK_GRAND]
    assert seen["observation"][SLICES["hand"]].sum() == 8


def test_an_agent_that_is_not_asked_sees_its_own_hand_and_may_do_nothing() -> None:
    env = TichuEnv()
    env.reset(seed=3)
    hands = [env.observe(agent)["observation"][SLICES["hand"]] for agent in env.agents]
    assert sum(hands).max() == 1
    assert env.observe("seat_1")["action_mask"].sum() == 0


def test_the_last_observation_is_of_the_round_that_is_over() -> None:
    env = TichuEnv()
    env.reset(seed=4)
    rng = np.random.default_rng(4)
    while not env.terminations[env.agent_selection]:
        env.step(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))
    hands = [env.observe(agent)["observation"][SLICES["hand"]].sum() for agent in env.agents]
    assert hands == [env._round.count(seat) for seat in range(4)]
    assert hands.count(0) >= 2


def test_the_table_is_rendered_with_all_hands() -> None:
    env = TichuEnv(render_mode="ansi")
    env.reset(seed=5)
    shown = env.render()
    assert shown
    assert len(shown.split()) == 4 * 9 + 4
    assert shown.endswith("trick -, asked seat_0")


def test_without_the_extra_the_error_says_what_to_install() -> None:
    code = "import sys; sys.modules['pettingzoo'] = None; import arena.env"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install -e '.[rl]'" in done.stderr
