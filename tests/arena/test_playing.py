"""Batches: pairs from both sides, counted, and the same wherever they are played."""

import os
import subprocess
import sys
from random import Random
from typing import Any

import msgspec
import pytest

from arena import playing
from arena.jobs import Job
from arena.playing import play_batch
from arena.tally import BatchResult, Tally
from arena.teams import UnknownAgent
from arena.trajectories import Trajectory
from games.tichu import _core
from games.tichu._core import Round
from games.tichu.agents.random import RandomAgent
from games.tichu.agents.rule import RuleAgent
from games.tichu.notation import actions_of
from games.tichu.rules import RuleSet
from games.tichu.states import Play, PrivateState, PublicState

HERE = "tests.arena.test_playing"


class Highest(RuleAgent):
    """Plays the last legal play: no chance in it."""

    def play(self, public: PublicState, private: PrivateState) -> Play:
        return private.legal_plays[-1]


class AlwaysGrand(RandomAgent):
    """Loses more by its calls than there is to win."""

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        return grand


class Broken(RandomAgent):
    """Raises whenever it is to play."""

    def play(self, public: PublicState, private: PrivateState) -> Play:
        raise ValueError

    def bomb(self, public: PublicState, private: PrivateState) -> None:
        """None out of turn."""


class Unmakeable(RandomAgent):
    def __init__(self, name: str, rng: Random) -> None:
        raise OSError("no such weights")


class Witness(RandomAgent):
    """Remembers what it saw of the match."""

    seen: list[tuple[Any, int]] = []
    cleaned = 0

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        if grand and private.player_index == 0:
            self.seen.append((public.game_score, public.target_score))
        return False

    def cleanup(self) -> None:
        Witness.cleaned += 1


def job(one: str = "random", other: str = "random", **asked: Any) -> Job:
    return Job(teams=(one, other), **{"unit": "rounds", "pairs": 10, "batch_pairs": 10, "seed": 7, **asked})


def recorded(one: str = "random", other: str = "random", **asked: Any) -> tuple[Tally, list[Trajectory]]:
    """A batch and its rounds as they were played."""
    kept: list[Trajectory] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(playing.trajectories, "encode", lambda trajectories: kept.extend(trajectories) or b"")
        return play_batch(job(one, other, record=True, **asked), 0).tally, kept


def difference(trajectory: Trajectory) -> int:
    """Points of the first team less those of the second."""
    team_20, team_31 = trajectory.result
    return team_31 - team_20 if trajectory.half else team_20 - team_31


# --- pairs ------------------------------------------------------------------------------------------------------------


def test_both_halves_of_a_pair_have_the_same_deals() -> None:
    _, rounds = recorded(unit="games", pairs=2, target_score=300)
    halves: list[dict[Any, Any]] = [
        {(r.pair, r.number): (r.first_eight, r.fourteen) for r in rounds if r.half == half} for half in range(2)
    ]
    both = halves[0].keys() & halves[1].keys()
    assert len(both) >= 2
    assert all(halves[0][key] == halves[1][key] for key in both)


def test_each_pair_and_each_round_has_a_deal_of_its_own() -> None:
    _, rounds = recorded(unit="games", pairs=3)
    deals = {r.fourteen for r in rounds}
    assert len(deals) == len({(r.pair, r.number) for r in rounds}) > 10


def test_partnerships_are_exchanged() -> None:
    """Agents without chance against themselves: what the first team wins on one side it loses on the other."""
    tally = play_batch(job("rule", "rule", pairs=5), 0).tally
    assert (tally.points.x, tally.points.xx) == (0, 0)
    assert tally.round_score.mean == 0.5
    assert any(points != 0 for points in tally.results)


def test_a_slot_sits_on_the_seat_beside_it_in_the_second_half() -> None:
    """Only slot 2 calls."""
    tally, rounds = recorded("random:calls=false+" + f"{HERE}.AlwaysGrand", "random:calls=false")
    assert [slot.grand for slot in tally.behaviour] == [0, 0, 20, 0]
    callers = {(r.half, seat) for r in rounds for seat, decision, answer in r.moves if decision == "grand" and answer}
    assert callers == {(0, 2), (1, 3)}


def test_how_pairs_are_cut_into_batches_makes_no_difference_to_agents_without_chance() -> None:
    whole = play_batch(job("rule", f"{HERE}.Highest", pairs=6, batch_pairs=6), 0).tally
    parts = [play_batch(job("rule", f"{HERE}.Highest", pairs=6, batch_pairs=4), number).tally for number in (0, 1)]
    assert parts[0] + parts[1] == whole


# --- matches ----------------------------------------------------------------------------------------------------------


def test_a_match_ends_when_a_team_has_enough_points_and_more_than_the_other() -> None:
    """Rules 8.6."""
    tally, rounds = recorded("rule", unit="games", pairs=3, target_score=500)
    matches: dict[tuple[int, int], list[Trajectory]] = {}
    for one in rounds:
        matches.setdefault((one.pair, one.half), []).append(one)
    for match in matches.values():
        totals = [(0, 0)]
        for number, one in enumerate(match):
            assert (one.number, one.score, one.target_score) == (number, totals[-1], 500)
            totals.append((totals[-1][0] + one.result[0], totals[-1][1] + one.result[1]))
        is_over = [max(total) >= 500 and total[0] != total[1] for total in totals]
        assert is_over == [False] * len(match) + [True]
    assert tally.matches == len(matches) == 6


def test_agents_see_the_score_and_the_target_of_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Witness, "seen", [])
    _, rounds = recorded(f"{HERE}.Witness", f"{HERE}.Witness", unit="games", pairs=1, target_score=300)
    seen = [(tuple(map(sum, score)), target) for score, target in Witness.seen]
    assert seen == [(one.score, 300) for one in rounds]
    assert [len(score[0]) for score, _ in Witness.seen] == [one.number for one in rounds]


def test_a_match_that_nobody_wins_ends_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "MOST_ROUNDS", 7)
    tally = play_batch(job(f"{HERE}.AlwaysGrand", f"{HERE}.AlwaysGrand", unit="games", pairs=2), 0).tally
    assert (tally.matches, tally.rounds) == (4, 28)


def test_rounds_count_no_matches() -> None:
    tally = play_batch(job(), 0).tally
    assert (tally.matches, tally.match_score.pairs, tally.rounds) == (0, 0, 20)


# --- what is counted --------------------------------------------------------------------------------------------------


def test_points_results_and_outcomes_are_those_of_the_rounds() -> None:
    tally, rounds = recorded("rule", "random", unit="games", pairs=3)
    differences = [difference(one) for one in rounds]
    pairs = [[difference(one) for one in rounds if one.pair == pair] for pair in range(3)]
    assert tally.rounds == len(rounds)
    assert (tally.points.pairs, tally.points.x, tally.points.n) == (3, sum(differences), len(rounds))
    assert (tally.points.xx, tally.points.xn) == (
        sum(sum(pair) ** 2 for pair in pairs),
        sum(sum(pair) * len(pair) for pair in pairs),
    )
    assert tally.results == {points: differences.count(points) for points in differences}
    assert (tally.round_outcomes.wins, tally.round_outcomes.losses) == (
        sum(points > 0 for points in differences),
        sum(points < 0 for points in differences),
    )
    assert tally.match_outcomes.wins + tally.match_outcomes.draws + tally.match_outcomes.losses == tally.matches == 6


def replayed(one: Trajectory) -> Round:
    """The round of a trajectory after its last move."""
    round = Round(one.first_eight, one.fourteen, one.rules)
    actions_of(round, one.moves)
    return round


def test_calls_double_victories_and_first_out_are_those_of_the_rounds() -> None:
    tally, rounds = recorded("rule", "random", pairs=60, batch_pairs=60)
    for slot, behaviour in enumerate(tally.behaviour):
        sat = [(replayed(one), slot ^ one.half) for one in rounds]
        assert behaviour.rounds == 120
        assert behaviour.first_out == sum(round.finished[0] == seat for round, seat in sat)
        doubles = [seat in round.finished for round, seat in sat if round.double_victory]
        assert behaviour.double_victories == sum(doubles)
        for call, called, made in (
            (1, behaviour.tichu, behaviour.tichu_made),
            (2, behaviour.grand, behaviour.grand_made),
        ):
            callers = [round.finished[0] == seat for round, seat in sat if round.call(seat) == call]
            assert (called, made) == (len(callers), sum(callers))
    assert tally.behaviour[0].double_victories == tally.behaviour[2].double_victories > 0
    assert tally.behaviour[0].tichu_made > 0


def test_recorded_rounds_replay_to_their_result() -> None:
    _, rounds = recorded(pairs=30)
    for one in rounds:
        round = replayed(one)
        assert round.phase == _core.DONE
        assert round.score() == one.result


@pytest.mark.parametrize("rules", ["house", "pocket", "brettspielwelt"])
def test_the_rules_are_those_of_the_job(rules: str) -> None:
    tally, rounds = recorded(rules=rules, pairs=60, batch_pairs=60)
    assert {one.rules for one in rounds} == {getattr(RuleSet, rules)().flags}
    assert (sum(slot.wishes[0] for slot in tally.behaviour) > 0) == (rules != "house")


def test_every_decision_has_a_time() -> None:
    result = play_batch(job(), 0)
    counted = [sum(buckets.values()) for buckets in result.timing.decisions]
    assert counted == [slot.decisions for slot in result.tally.behaviour]
    assert result.timing.cpu_seconds > 0
    assert result.timing.seconds > 0


def test_an_agent_that_fails_loses_nothing_for_the_run() -> None:
    tally = play_batch(job(f"{HERE}.Broken+random", "random"), 0).tally
    assert tally.rounds == 20
    assert [slot.faults for slot in tally.behaviour] == [tally.behaviour[0].raised, 0, 0, 0]
    assert tally.behaviour[0].raised == tally.behaviour[0].plays + tally.behaviour[0].passes > 0


@pytest.mark.parametrize("text", ["nobody", "random:depth=3", f"{HERE}.Unmakeable"])
def test_an_agent_that_cannot_be_made_plays_nothing(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing.Batch, "play", lambda _: pytest.fail("played"))
    with pytest.raises(UnknownAgent):
        play_batch(job("rule", text), 0)


def test_agents_clean_up_when_the_batch_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Witness, "cleaned", 0)
    play_batch(job(f"{HERE}.Witness", "rule", pairs=1), 0)
    assert Witness.cleaned == 2


# --- the same everywhere ----------------------------------------------------------------------------------------------


def bare(result: BatchResult) -> bytes:
    """Everything but the time it took."""
    return msgspec.json.encode([result.number, result.tally, result.trajectories])


@pytest.mark.parametrize("unit", ["rounds", "games"])
def test_the_same_batch_is_the_same_again(unit: str) -> None:
    asked = job("rule+random", "random", unit=unit, pairs=4, batch_pairs=2, record=True)
    assert bare(play_batch(asked, 1)) == bare(play_batch(asked, 1))
    assert bare(play_batch(asked, 1)) != bare(play_batch(asked, 0))


def test_another_seed_deals_and_plays_otherwise() -> None:
    assert play_batch(job(seed=1), 0).tally != play_batch(job(seed=2), 0).tally


SCRIPT = f"""
import sys
from arena.playing import play_batch
from {HERE} import bare, job
sys.stdout.buffer.write(bare(play_batch(job("rule+random", "random", unit="games", pairs=2, record=True), 0)))
"""


@pytest.mark.slow
def test_the_same_batch_is_the_same_in_any_process() -> None:
    """Also where strings hash otherwise."""
    here = bare(play_batch(job("rule+random", "random", unit="games", pairs=2, record=True), 0))
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        there = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, check=True)
        assert there.stdout == here
