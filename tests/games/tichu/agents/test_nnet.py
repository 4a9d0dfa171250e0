"""Agents that decide by a network, whatever it has learned."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from time import process_time, thread_time
from typing import Any

import numpy as np
import pytest

from arena.batch import Batch
from games.engine import GameEngine
from games.tichu import _core
from games.tichu._core import Round
from games.tichu.agents import AGENTS
from games.tichu.agents.actions import ACTIONS, ASK_BOMB, ASK_PLAY, ASK_TICHU, DRAGONS, WISHES, unpacked
from games.tichu.agents.nnet import SHIPPED_POLICY, BehaviorAgent, NNetAgent, PolicyAgent
from games.tichu.agents.observations import WORDS
from games.tichu.agents.weights import Weights
from games.tichu.cards import CardSet
from games.tichu.game import Options, Tichu
from games.tichu.rules import RuleSet
from games.tichu.simulate import play_round
from games.tichu.states import PrivateState, PublicState
from tests.games.tichu.agents.nets import random_weights
from tests.games.tichu.agents.test_agents import RULE_SETS, Judged
from tests.games.tichu.agents.test_simulate import step
from tests.games.tichu.agents.test_states import with_other_hidden_cards
from tests.games.tichu.tables import act, exchanged, random_round, table


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Weights of no use."""
    path = tmp_path_factory.mktemp("nets") / "net.npz"
    random_weights().save(path)
    return str(path)


def four(file: str, temperature: float = 0.0, seed: int = 0) -> list[NNetAgent]:
    return [NNetAgent(str(seat), Random(seed + seat), file=file, temperature=temperature) for seat in range(4)]


# --- asked as in a batch ----------------------------------------------------------------------------------------------


class Asked(NNetAgent):
    """Notes what it is asked and insists that a batch would have asked it, too (:mod:`arena.batch`)."""

    asks: Counter[int]

    def _answer(self, public: PublicState, private: PrivateState, ask: int, gifts: Sequence[CardSet] = ()) -> Any:
        self.asks[ask] += 1
        seat, turn, owner = private.player_index, public.current_turn_index, public.trick_owner_index
        if ask == ASK_PLAY:
            assert turn == seat != owner
        elif ask == ASK_BOMB:
            assert seat != turn or seat == owner
            assert private.bombs
        elif ask == ASK_TICHU:
            assert turn == seat
            assert private.can_announce
        return super()._answer(public, private, ask, gifts)


def four_asked(file: str) -> tuple[list[Asked], Counter[int]]:
    agents = [Asked(str(seat), Random(seat), file=file, temperature=1) for seat in range(4)]
    asks = Counter[int]()
    for agent in agents:
        agent.asks = asks
    return agents, asks


def test_the_arena_asks_as_a_batch_does(file: str) -> None:
    agents, asks = four_asked(file)
    for seed in range(40):
        play_round(Round.random(seed), agents)
    assert set(asks) == set(range(9))


def test_a_table_asks_as_a_batch_does(file: str) -> None:
    agents, asks = four_asked(file)
    rng = Random(1)
    engine = GameEngine(Tichu(), Options())
    while engine.result is None and engine.number < 3000:
        step(engine, agents, rng)
    assert set(asks) == set(range(9))


def test_a_batch_goes_as_the_arena(file: str) -> None:
    """The best answers of the same network, over the rounds of matches."""
    weights, batch, agents = Weights.load(file), Batch(3, 5), four(file)
    rounds = 0
    deals, scores = batch.deals.tolist(), batch.scores.tolist()
    while rounds < 30:
        batch.observe()
        ids = []
        for observation, mask in zip(batch.observations, batch.legal, strict=True):
            legal = np.flatnonzero(unpacked(mask, ACTIONS))
            ids.append(legal[weights.logits(observation, legal).argmax()])
        batch.step(ids)
        for i in np.flatnonzero(batch.done):
            score = [scores[i][0]], [scores[i][1]]
            assert play_round(Round.random(deals[i]), agents, score).row == tuple(batch.finished[i].tolist())
            rounds += 1
            deals[i], scores[i] = int(batch.deals[i]), batch.scores[i].tolist()


# --- what every agent keeps to ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS.keys())
@pytest.mark.parametrize("temperature", [0, 1, 100])
def test_networks_decide_legally(file: str, rules: RuleSet, temperature: float) -> None:
    agents = [Judged(agent) for agent in four(file, temperature)]
    for seed in range(20):
        play_round(Round.random(seed, rules.flags), agents)
    assert sum(agent.decisions for agent in agents) > 1000


@pytest.mark.parametrize("rules", ["house", "pocket", "brettspielwelt"])
@pytest.mark.parametrize("temperature", [0, 1])
def test_networks_play_a_match_at_the_table(file: str, rules: str, temperature: float) -> None:
    engine = GameEngine(Tichu(), Options(rules=rules, target_score=300))
    agents = four(file, temperature)
    rng = Random(1)
    while engine.result is None:
        step(engine, agents, rng)
        assert engine.number < 10_000
    assert max(engine.result.scores) >= 300


def test_hidden_cards_change_no_decision(file: str) -> None:
    rng = Random(3)
    decisions = 0
    for seed in range(6):
        for round in random_round(seed, RuleSet.house()):
            seat = round.turn
            if round.phase == _core.PLAY and seat != round.owner:
                twin = with_other_hidden_cards(round, seat, rng)
                assert decided(file, round, seat) == decided(file, twin, seat)
                decisions += 1
    assert decisions > 300


def decided(file: str, round: Round, seat: int) -> tuple[object, ...]:
    """What the network would do in each respect."""
    agent, public, private = NNetAgent("n", file=file), PublicState(round), PrivateState(round, seat)
    return (
        agent.announce(public, private),
        agent.play(public, private),
        agent.wish(public, private),
        agent.choose_dragon_recipient(public, private),
    )


# --- the choice -------------------------------------------------------------------------------------------------------


def just_these(file: Path, **logits: float) -> str:
    """Weights that say the same of everything: "id_1514=3.0"; 0 of all other answers."""
    weights = random_weights()
    weights.outputs[:] = 0
    weights.outputs_bias[:] = 0
    for name, logit in logits.items():
        weights.outputs_bias[int(name.removeprefix("id_"))] = logit
    weights.save(file)
    return str(file)


def wishes(agent: NNetAgent, count: int) -> Counter[int]:
    round = exchanged("Ma S2 S3")
    act(round, "0: plays Ma")
    return Counter(agent.wish(PublicState(round), PrivateState(round, 0)) for _ in range(count))


def test_without_temperature_the_best_answer_is_taken(tmp_path: Path) -> None:
    file = just_these(tmp_path / "net.npz", id_1514=0.5, id_1519=1.0, id_1520=0.75)
    assert wishes(NNetAgent("n", file=file), 20) == {1519 - WISHES + 1: 20}


def test_the_temperature_spreads_the_answers_as_softmax_does(tmp_path: Path) -> None:
    file = just_these(tmp_path / "net.npz", id_1514=2.0, id_1519=3.0, id_1520=-4.0)
    taken = wishes(NNetAgent("n", Random(1), file=file, temperature=2.0), 4000)
    odds = np.ones(13)
    odds[[0, 5, 6]] = np.exp([1.0, 1.5, -2.0])
    expected = 4000 * odds / odds.sum()
    counts = np.array([taken[rank] for rank in range(2, 15)])
    assert sum((counts - expected) ** 2 / expected) < 32.9  # chi squared with 12 degrees of freedom: one in 1000


@pytest.mark.parametrize("temperature", [1e-320, 1e-9])
def test_next_to_no_temperature_is_as_none(file: str, temperature: float) -> None:
    for seed in range(3):
        rows = [play_round(Round.random(seed), four(file, t)).row for t in (0, temperature)]
        assert rows[0] == rows[1]


def test_chance_is_the_agents_own(file: str) -> None:
    def row(seed: int) -> tuple[int, ...]:
        return play_round(Round.random(1), four(file, 1.0, seed)).row

    assert row(7) == row(7) != row(70)


def test_a_temperature_of_zero_leaves_chance_alone(file: str) -> None:
    agents = four(file)
    play_round(Round.random(1), agents)
    assert [agent.rng.getstate() for agent in agents] == [Random(seat).getstate() for seat in range(4)]


def test_the_only_answer_needs_no_thought(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    round = table("S2", "S3 R3", "S4", "S5")
    agent = NNetAgent("n", file=file, temperature=1)
    state = agent.rng.getstate()
    monkeypatch.setattr(Weights, "logits", None)
    assert agent.play(PublicState(round), PrivateState(round, 0)) == round.legal_plays()[0]
    assert agent.rng.getstate() == state


def test_the_dragon_goes_to_the_seat_that_the_answer_means(tmp_path: Path) -> None:
    round = table("S2", "S3 R3", "S4", "S5", turn=2)
    public, private = PublicState(round), PrivateState(round, 2)
    for id, seat in ((DRAGONS, 3), (DRAGONS + 1, 1)):
        agent = NNetAgent("n", file=just_these(tmp_path / f"{id}.npz", **{f"id_{id}": 1.0}))
        assert agent.choose_dragon_recipient(public, private) == seat


# --- files and options ------------------------------------------------------------------------------------------------


def test_agents_share_the_weights_of_a_file(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agents = four(file)
    monkeypatch.chdir(Path(file).parent)
    agents.append(PolicyAgent("p", file="net.npz"))
    assert len({id(agent.weights) for agent in agents}) == 1


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "net.npz"
    nets = []
    for seed in (1, 2):
        random_weights(seed=seed).save(path)
        nets.append(NNetAgent("n", file=str(path)).weights.sheet["seed"])
    assert nets == [1, 2]


@pytest.mark.parametrize("temperature", [-0.1, float("nan"), float("inf"), "warm", True])
def test_a_temperature_is_a_number_from_0_on(file: str, temperature: Any) -> None:
    with pytest.raises(ValueError, match=f"temperature is a number from 0 on, not {temperature!r}"):
        NNetAgent("n", file=file, temperature=temperature)


def test_a_network_needs_a_file() -> None:
    with pytest.raises(ValueError, match="it needs the weights of a network: file=FILE"):
        BehaviorAgent("b")


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.npz"):
        PolicyAgent("p", file=str(tmp_path / "missing.npz"))


def test_a_table_offers_the_policy_that_is_shipped() -> None:
    shipped = Path(SHIPPED_POLICY).is_file()
    assert ("PolicyAgent" in AGENTS) == shipped
    if not shipped:
        with pytest.raises(FileNotFoundError, match=r"policy\.npz"):
            PolicyAgent("p")


# --- speed ------------------------------------------------------------------------------------------------------------


def test_no_other_thread_computes() -> None:
    """The BLAS would wake its own, which then wait for more by spinning."""
    weights = random_weights(1024, 1)
    observation, legal = np.full(WORDS, 0x1234_5678, np.uint64), np.arange(300)
    weights.logits(observation, legal)
    of_all, of_this = process_time(), thread_time()
    while thread_time() < of_this + 0.2:
        weights.logits(observation, legal)
    assert process_time() - of_all < 1.1 * (thread_time() - of_this)
