"""The agent that makes each decision by rule or by chance."""

from random import Random
from statistics import mean

import pytest

from games.tichu._core import Round
from games.tichu.agents.agent import TichuAgent
from games.tichu.agents.mixed import MixedAgent
from games.tichu.agents.random import RandomAgent
from games.tichu.agents.rule import RuleAgent
from games.tichu.simulate import play_round


def points(ours: list[TichuAgent], theirs: list[TichuAgent], deals: int = 150) -> float:
    """What a team wins from another one in a round, on average; each deal is played from both sides."""
    wins = []
    for seed in range(deals):
        us, them = play_round(Round.random(seed), [ours[0], theirs[0], ours[1], theirs[1]]).score()
        others, we = play_round(Round.random(seed), [theirs[0], ours[0], theirs[1], ours[1]]).score()
        wins.append((us - them + we - others) / 2)
    return mean(wins)


def mixed() -> list[TichuAgent]:
    return [MixedAgent(str(seed), Random(seed)) for seed in range(2)]


def test_a_beginner_can_beat_it() -> None:
    """About 100 points a round behind the rules, and far from pure chance."""
    rule: list[TichuAgent] = [RuleAgent("rule")] * 2
    chance: list[TichuAgent] = [RandomAgent("random", Random(seed)) for seed in range(2)]
    assert -150 < points(mixed(), rule) < -60
    assert points(mixed(), chance) > 180


def test_without_chance_it_plays_by_the_rules() -> None:
    same = [MixedAgent("mixed", Random(1), by_rule=1)] * 4
    for seed in range(5):
        assert play_round(Round.random(seed), same).row == play_round(Round.random(seed), [RuleAgent("rule")] * 4).row


def test_by_chance_it_never_calls() -> None:
    agents = [MixedAgent(str(seat), Random(seat), by_rule=0) for seat in range(4)]
    rounds = [play_round(Round.random(seed), agents) for seed in range(40)]
    assert not any(round.call(seat) for round in rounds for seat in range(4))


@pytest.mark.parametrize("by_rule", [-0.1, 1.1, float("nan"), True, "often"])
def test_what_is_no_probability_is_refused(by_rule: float) -> None:
    with pytest.raises(ValueError, match="by_rule is a probability"):
        MixedAgent("mixed", by_rule=by_rule)
