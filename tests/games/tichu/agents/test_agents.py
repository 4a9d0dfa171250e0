"""What holds for every agent: legal with all rules, the same again with the same seed, and blind to hidden cards."""

from random import Random

import pytest

from games.tichu import _core
from games.tichu._core import Round
from games.tichu.agents import AGENTS, DEFAULT_AGENT
from games.tichu.agents.agent import TichuAgent
from games.tichu.agents.random import RandomAgent
from games.tichu.rules import RuleSet
from games.tichu.simulate import play_round
from games.tichu.states import Play, PrivateState, PublicState, Triple
from tests.games.tichu.agents.test_states import with_other_hidden_cards
from tests.games.tichu.tables import random_round

RULE_SETS = {
    "house": RuleSet.house(),
    "pocket": RuleSet.pocket(),
    "brettspielwelt": RuleSet.brettspielwelt(),
    "restart": RuleSet(tichu_during_exchange="restart"),
}


class Judged(TichuAgent):
    """Lets an agent decide and insists that it is legal."""

    def __init__(self, agent: TichuAgent) -> None:
        super().__init__(agent.name)
        self.agent = agent
        self.decisions = 0

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        assert grand or private.can_announce
        return self.agent.announce(public, private, grand)

    def schupf(self, public: PublicState, private: PrivateState) -> Triple:
        cards = self.agent.schupf(public, private)
        assert [card.bit_count() for card in cards] == [1, 1, 1]
        assert sum(cards).bit_count() == 3
        assert sum(cards) & ~private.hand_cards == 0
        return cards

    def play(self, public: PublicState, private: PrivateState) -> Play:
        play = self.agent.play(public, private)
        assert play in private.legal_plays
        self.decisions += 1
        return play

    def bomb(self, public: PublicState, private: PrivateState) -> Play | None:
        bomb = self.agent.bomb(public, private)
        assert bomb is None or bomb in private.bombs
        return bomb

    def wish(self, public: PublicState, private: PrivateState) -> int:
        rank = self.agent.wish(public, private)
        assert rank in range(2, 15) or (rank == 0 and not public.wish_required)
        return rank

    def choose_dragon_recipient(self, public: PublicState, private: PrivateState) -> int:
        recipient = self.agent.choose_dragon_recipient(public, private)
        assert recipient in ((private.player_index + 1) % 4, (private.player_index + 3) % 4)
        return recipient


def four(name: str) -> list[TichuAgent]:
    return [AGENTS[name](str(seat), Random(seat)) for seat in range(4)]


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS.keys())
@pytest.mark.parametrize("name", AGENTS)
def test_agents_decide_legally(name: str, rules: RuleSet) -> None:
    agents = [Judged(agent) for agent in four(name)]
    for seed in range(40):
        play_round(Round.random(seed, rules.flags), agents)
    assert sum(agent.decisions for agent in agents) > 2000


@pytest.mark.parametrize("name", AGENTS)
def test_the_same_seed_plays_the_same_round(name: str) -> None:
    for seed in range(5):
        assert play_round(Round.random(seed), four(name)).row == play_round(Round.random(seed), four(name)).row


@pytest.mark.parametrize("name", AGENTS)
def test_hidden_cards_change_no_decision(name: str) -> None:
    rng = Random(3)
    decisions = 0
    for seed in range(6):
        for round in random_round(seed, RuleSet.house()):
            seat = round.turn
            if round.phase == _core.PLAY and seat != round.owner:
                twin = with_other_hidden_cards(round, seat, rng)
                assert decided(name, round, seat) == decided(name, twin, seat)
                decisions += 1
    assert decisions > 300


def decided(name: str, round: Round, seat: int) -> tuple[object, ...]:
    """What the agent would do in each respect."""
    agent, public, private = AGENTS[name]("a", Random(1)), PublicState(round), PrivateState(round, seat)
    return (
        agent.announce(public, private),
        agent.play(public, private),
        agent.wish(public, private),
        agent.choose_dragon_recipient(public, private),
    )


def test_a_random_agent_calls_now_and_then_or_never() -> None:
    def calls(*, allowed: bool) -> int:
        agents = [RandomAgent(str(seat), Random(seat), calls=allowed) for seat in range(4)]
        rounds = [play_round(Round.random(seed), agents) for seed in range(40)]
        return sum(round.call(seat) > 0 for round in rounds for seat in range(4))

    assert calls(allowed=False) == 0
    assert 1 <= calls(allowed=True) <= 80


def test_the_default_agent_is_one_of_them() -> None:
    assert DEFAULT_AGENT in AGENTS
