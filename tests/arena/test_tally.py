"""Sums of batches."""

import msgspec
import pytest

from arena.jobs import Job
from arena.playing import play_batch
from arena.tally import Outcomes, Ratio, Tally, Timing

JOB = Job(teams=("rule", "random"), unit="games", pairs=3, batch_pairs=1, seed=1)


def test_sums_of_batches_are_those_of_one_batch() -> None:
    """Agents that take no chances play the same, however a job is cut."""
    cut = Job(teams=("rule", "rule"), unit="rounds", pairs=6, batch_pairs=2, seed=1)
    whole = Job(teams=("rule", "rule"), unit="rounds", pairs=6, batch_pairs=6, seed=1)
    tallies = [play_batch(cut, number).tally for number in range(3)]
    assert tallies[0] + tallies[1] + tallies[2] == play_batch(whole, 0).tally


@pytest.mark.parametrize("kind", [Tally, Timing])
def test_sums_come_back_from_json(kind: type[Tally] | type[Timing]) -> None:
    result = play_batch(JOB, 0)
    sums = result.tally if kind is Tally else result.timing
    assert msgspec.json.decode(msgspec.json.encode(sums + sums), type=kind) == sums + sums


def test_times_are_added_bucket_by_bucket() -> None:
    one = Timing(1.0, 0.5, [{80: 2}, {}, {}, {81: 1}])
    other = Timing(2.0, 1.0, [{80: 1, 90: 1}, {}, {}, {}])
    assert one + other == Timing(3.0, 1.5, [{80: 3, 90: 1}, {}, {}, {81: 1}])


def test_the_mean_is_per_round_not_per_pair() -> None:
    ratio = Ratio()
    ratio.add(100, 1)
    ratio.add(-100, 3)
    assert ratio.mean == 0
    ratio.add(300, 2)
    assert ratio.mean == 50


def test_a_draw_counts_a_half() -> None:
    outcomes = Outcomes()
    assert [outcomes.add(difference) for difference in (5, 0, -5)] == [1, 0.5, 0]
    assert outcomes == Outcomes(wins=1, draws=1, losses=1)
