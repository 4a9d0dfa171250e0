"""The batch driver: the same rounds as at a table, thousands at a time."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.batch import Batch
from games.tichu._core import FIRST_EIGHT, GIVEN, PASSED, PLAYED_BY, ROW_SIZE, Round
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
    GRANDS,
    MASK_WORDS,
    NO_BOMB,
    PASS_ID,
    TICHUS,
    decision,
    legal_mask,
    unpacked,
    with_gifts,
)
from games.tichu.agents.agent import TichuAgent
from games.tichu.agents.observations import HIDDEN_WORDS, WORDS, observation
from games.tichu.cards import DECK
from games.tichu.rules import RuleSet
from games.tichu.simulate import play_round
from games.tichu.states import Play, PrivateState, PublicState, Triple
from tests.games.tichu.agents.uncompiled import uncompiled

RULE_SETS = [RuleSet.house(), RuleSet.pocket(), RuleSet.brettspielwelt()]


def play(batch: Batch, steps: int) -> None:
    for _ in range(steps):
        batch.step(batch.random_ids())


# --- the same as at a table -------------------------------------------------------------------------------------------


class Decision(NamedTuple):
    """What a batch asked, showed and was answered."""

    seat: int
    ask: int
    id: int
    legal: NDArray[np.uint64]
    seen: NDArray[np.uint64]


class Scripted(TichuAgent):
    """Answers at a table what was answered in a batch, and sees whether it is asked and shown the same."""

    def __init__(self, script: list[Decision]) -> None:
        super().__init__("scripted")
        self.script = script

    def ask(self, public: PublicState, private: PrivateState, ask: int, gifts: tuple[int, ...] = ()) -> Any:
        seat = private.player_index
        expected = self.script.pop(0)
        assert (expected.seat, expected.ask) == (seat, ask)
        assert np.array_equal(observation(public, private, ask, gifts), expected.seen)
        round = with_gifts(private._round, seat, gifts)
        assert np.array_equal(legal_mask(round, seat, ask), expected.legal)
        return decision(round, seat, ask, expected.id)

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        return bool(self.ask(public, private, ASK_GRAND if grand else ASK_TICHU))

    def schupf(self, public: PublicState, private: PrivateState) -> Triple:
        gifts: tuple[int, ...] = ()
        for ask in (ASK_RIGHT, ASK_PARTNER, ASK_LEFT):
            gifts += (self.ask(public, private, ask, gifts),)
        return gifts[0], gifts[1], gifts[2]

    def play(self, public: PublicState, private: PrivateState) -> Play:
        if len(private.legal_plays) == 1:
            return private.legal_plays[0]  # a batch does not ask then
        answer: Play = self.ask(public, private, ASK_PLAY)
        return answer

    def bomb(self, public: PublicState, private: PrivateState) -> Play | None:
        answer: Play | None = self.ask(public, private, ASK_BOMB)
        return answer

    def wish(self, public: PublicState, private: PrivateState) -> int:
        return int(self.ask(public, private, ASK_WISH))

    def choose_dragon_recipient(self, public: PublicState, private: PrivateState) -> int:
        return int(self.ask(public, private, ASK_DRAGON))


@pytest.mark.parametrize("rules", RULE_SETS)
def test_a_batch_asks_and_shows_what_a_table_asks_and_shows(rules: RuleSet) -> None:
    """Bit for bit, over whole rounds of a match."""
    batch = Batch(1, 11, rules)
    asked = set()
    for _ in range(60):
        deal, score = int(batch.deals[0]), batch.scores[0].tolist()
        script = []
        done = False
        while not done:
            batch.observe()
            ids = batch.random_ids()
            seat, ask = int(batch.seats[0]), int(batch.asks[0])
            script.append(Decision(seat, ask, int(ids[0]), batch.legal[0].copy(), batch.observations[0].copy()))
            asked.add(ask)
            batch.step(ids)
            done = bool(batch.done[0])
        round = Round.random(deal, rules.flags)
        play_round(round, [Scripted(script)] * 4, game_score=([score[0]], [score[1]]), target_score=rules.target_score)
        assert script == []
        assert round.row == tuple(batch.finished[0].tolist())
        assert round.score()[0] - round.score()[1] == batch.rewards[0]
    assert asked == set(range(9))


# --- many tables ------------------------------------------------------------------------------------------------------


def test_the_arrays_have_the_shapes_that_are_promised() -> None:
    batch = Batch(5, 1)
    assert batch.rows.shape == batch.finished.shape == (5, ROW_SIZE)
    assert (batch.legal.shape, batch.legal.dtype) == ((5, MASK_WORDS), np.uint64)
    assert (batch.observations.shape, batch.observations.dtype) == ((5, WORDS), np.uint64)
    assert (batch.hidden.shape, batch.hidden.dtype) == ((5, HIDDEN_WORDS), np.uint64)
    assert batch.seats.shape == batch.asks.shape == batch.rewards.shape == batch.done.shape == (5,)


def test_nobody_is_asked_without_a_choice() -> None:
    batch = Batch(200, 2)
    for _ in range(200):
        masks = unpacked(batch.legal, ACTIONS)
        assert masks.sum(axis=1).tolist() == batch.choices.tolist()
        assert batch.choices.min() >= 2
        batch.step(batch.random_ids())


def test_a_deal_is_that_of_its_seed() -> None:
    batch = Batch(30, 3)
    play(batch, 200)
    for row, deal in zip(batch.rows.tolist(), batch.deals.tolist(), strict=True):
        dealt = Round.random(deal).row
        assert row[FIRST_EIGHT:GIVEN] == list(dealt[FIRST_EIGHT:GIVEN])


def test_the_deals_of_a_table_depend_on_no_answer() -> None:
    deals = []
    for skipped in range(2):
        batch = Batch(2, 3)
        for _ in range(skipped):
            batch.random_ids()
        seen: list[list[int]] = [[], []]
        while min(map(len, seen)) < 5:
            for table in range(2):
                if batch.deals[table] not in seen[table]:
                    seen[table].append(int(batch.deals[table]))
            batch.step(batch.random_ids())
        deals.append([table[:5] for table in seen])
    assert deals[0] == deals[1]


def test_no_deal_comes_twice() -> None:
    batch = Batch(20, 4)
    deals = Counter(batch.deals.tolist())
    while batch.rounds < 200:
        batch.step(batch.random_ids())
        deals.update(batch.deals[batch.done].tolist())
    assert set(deals.values()) == {1}


def test_rewards_are_the_difference_of_the_teams_when_a_round_ends() -> None:
    """Rules 8."""
    batch = Batch(50, 5)
    ends = 0
    for _ in range(300):
        batch.step(batch.random_ids())
        for i, done in enumerate(batch.done.tolist()):
            if done:
                ends += 1
                score = Round.from_row(batch.finished[i].tolist()).score()
                assert batch.rewards[i] == score[0] - score[1]
            else:
                assert batch.rewards[i] == 0
    assert ends == batch.rounds > 100


def test_rounds_add_up_to_matches() -> None:
    """Rules 8.6."""
    batch = Batch(1, 6, RuleSet.house(target_score=300))
    score = [0, 0]
    ended = 0
    while batch.rounds < 60:
        uncalled = {ASK_GRAND: GRANDS, ASK_TICHU: TICHUS}.get(int(batch.asks[0]))
        batch.step(batch.random_ids() if uncalled is None else [uncalled])
        if batch.done[0]:
            brought = Round.from_row(batch.finished[0].tolist()).score()
            score = [score[0] + brought[0], score[1] + brought[1]]
            if score[0] != score[1] and max(score) >= 300:
                score = [0, 0]
                ended += 1
        assert batch.scores[0].tolist() == score
    assert batch.matches == ended > 5


def test_a_critic_sees_where_all_cards_will_be() -> None:
    batch = Batch(100, 7)
    for _ in range(150):
        batch.observe()
        held = unpacked(batch.hidden, 224).reshape(100, 4, 56).sum(axis=(1, 2))
        assert held.tolist() == [(DECK - sum(row[PLAYED_BY:PASSED])).bit_count() for row in batch.rows.tolist()]
        batch.step(batch.random_ids())


def test_an_illegal_id_is_refused_and_changes_nothing() -> None:
    batch = Batch(3, 8)
    before = batch.rows.copy()
    for wrong in (NO_BOMB, PASS_ID, -1, ACTIONS, 10**12):
        with pytest.raises(ValueError, match=r"table 1: action id .* is not legal"):
            batch.step([GRANDS, wrong, GRANDS])
    with pytest.raises(ValueError, match="2 ids for 3 tables"):
        batch.step([GRANDS, GRANDS])
    assert np.array_equal(batch.rows, before)


def test_a_seed_that_would_repeat_another_ones_deals_is_refused() -> None:
    with pytest.raises(ValueError, match="the seed of a batch"):
        Batch(1, 1 << 30)


def test_chance_takes_every_legal_id_equally_often() -> None:
    batch = Batch(4000, 9)
    for _ in range(4):
        batch.step(np.full(4000, GRANDS))
    assert set(batch.asks.tolist()) == {ASK_RIGHT}
    expected = (unpacked(batch.legal, ACTIONS) / batch.choices[:, None]).sum(axis=0)
    taken = np.bincount(batch.random_ids(), minlength=ACTIONS)
    assert taken[expected == 0].sum() == 0
    deviation = (taken - expected)[expected > 0] / np.sqrt(expected[expected > 0])
    assert np.abs(deviation).max() < 4.5


def test_batches_in_threads_play_as_they_do_alone() -> None:
    alone = [Batch(64, seed) for seed in range(4)]
    together = [Batch(64, seed) for seed in range(4)]
    for batch in alone:
        play(batch, 100)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda batch: play(batch, 100), together))
    for one, other in zip(alone, together, strict=True):
        assert np.array_equal(one.rows, other.rows)


def test_compiled_and_interpreted_batches_are_the_same() -> None:
    *_, plain = uncompiled(
        "games.tichu._core", "games.tichu.agents.actions", "games.tichu.agents.observations", "arena.batch"
    )
    assert plain.Batch is not Batch
    for rules in RULE_SETS[:2]:
        compiled, interpreted = Batch(4, 10, rules), plain.Batch(4, 10, rules)
        for _ in range(150):
            compiled.observe()
            interpreted.observe()
            for name in ("rows", "legal", "observations", "hidden", "seats", "asks", "rewards", "done", "scores"):
                assert np.array_equal(getattr(compiled, name), getattr(interpreted, name)), name
            ids = compiled.random_ids()
            assert np.array_equal(ids, interpreted.random_ids())
            compiled.step(ids)
            interpreted.step(ids)
        assert compiled.rounds == interpreted.rounds > 0
