"""Agents play the same way in the arena and at the table."""

from collections.abc import Sequence
from random import Random

import pytest

from games.engine import GameEngine
from games.players import Agent
from games.tichu import _core, simulate
from games.tichu._core import Round
from games.tichu.agents import AGENTS
from games.tichu.agents.random import RandomAgent
from games.tichu.agents.rule import RuleAgent
from games.tichu.cards import each, label
from games.tichu.game import Options, Tichu
from games.tichu.simulate import play_round
from games.tichu.states import Play, PrivateState, PublicState
from tests.games.tichu.interpreted import without_compiler


def step(engine: GameEngine, agents: Sequence[Agent], rng: Random) -> None:
    """What comes next at a table: somebody acts unasked, answers, or the table goes on."""
    for seat, agent in enumerate(agents):
        choices = tuple(engine.game.spontaneous(engine.state, seat))
        action = choices and agent.interrupt(engine.state, seat, choices)
        if action:
            engine.commit(engine.prepare(seat, action))
            return
    if engine.pause is not None:
        engine.commit(engine.proceed(rng))
        return
    seat, opened = next(iter(engine.requests.items()))
    engine.commit(engine.prepare(seat, agents[seat].decide(engine.state, seat, opened.request.action)))


@pytest.mark.parametrize("rules", ["house", "pocket", "brettspielwelt"])
@pytest.mark.parametrize("name", AGENTS)
def test_agents_play_a_match_at_the_table(name: str, rules: str) -> None:
    """Their decisions become actions that the match accepts."""
    engine = GameEngine(Tichu(), Options(rules=rules, target_score=300))
    agents = [AGENTS[name](str(seat), Random(seat)) for seat in range(4)]
    while engine.result is None:
        step(engine, agents, Random(1))
    assert max(engine.result.scores) >= 300


@pytest.mark.parametrize("seed", range(10))
def test_a_round_in_the_arena_goes_as_at_the_table(seed: int) -> None:
    agents = [RuleAgent(str(seat)) for seat in range(4)]
    deal = Round.random(seed)
    hands = [[*each(deal.first_eight(seat)), *each(deal.fourteen(seat) & ~deal.first_eight(seat))] for seat in range(4)]
    engine = GameEngine(Tichu(), Options())
    engine.commit(engine.prepare(None, {"action": "deal", "hands": [" ".join(map(label, hand)) for hand in hands]}))
    while engine.state.round.phase != _core.DONE:
        step(engine, agents, Random(1))
    assert engine.state.round.row == play_round(deal, agents).row


def test_compiled_and_interpreted_rounds_go_the_same_way() -> None:
    interpreted = without_compiler(simulate)
    for seed in range(40):
        one, other = (
            play(Round.random(seed), [RandomAgent(str(seat), Random(seat)) for seat in range(4)])
            for play in (play_round, interpreted.play_round)
        )
        assert one.row == other.row


class Asked(RandomAgent):
    """Throws every bomb at once, never calls, and remembers what it was asked."""

    def __init__(self, name: str, rng: Random) -> None:
        super().__init__(name, rng)
        self.questions: list[str] = []

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        self.questions.append("grand" if grand else "tichu")
        if not grand:
            assert public.current_turn_index == private.player_index
            assert private.can_announce
        return False

    def play(self, public: PublicState, private: PrivateState) -> Play:
        self.questions.append("play")
        return super().play(public, private)

    def bomb(self, public: PublicState, private: PrivateState) -> Play | None:
        self.questions.append("bomb")
        return private.bombs[0]


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    """One agent per seat and round, afterwards."""
    agents = [[Asked(str(seat), Random(seat)) for seat in range(4)] for _ in range(40)]
    for seed, four in enumerate(agents):
        play_round(Round.random(seed), four)
    return [agent for four in agents for agent in four]


def test_a_seat_is_asked_once_for_a_grand_tichu(asked: list[Asked]) -> None:
    assert all(agent.questions[0] == "grand" and agent.questions.count("grand") == 1 for agent in asked)


def test_a_seat_is_asked_for_a_tichu_before_its_first_play(asked: list[Asked]) -> None:
    assert all(agent.questions[1] in ("tichu", "bomb") for agent in asked if len(agent.questions) > 1)


def test_a_seat_is_asked_for_a_bomb_only_if_it_has_one(asked: list[Asked]) -> None:
    """One without would have failed with an IndexError."""
    assert sum(agent.questions.count("bomb") for agent in asked) > 5
