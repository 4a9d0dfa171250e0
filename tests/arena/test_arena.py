"""A run adds up its batches, and ends where its stop rule says."""

from dataclasses import dataclass
from itertools import islice

import pytest

from arena.arena import Arena
from arena.executors import Dask, Pool
from arena.jobs import Job
from arena.playing import play_batch
from arena.stopping import parse_stop
from arena.tally import Tally, Timing

JOB = Job(teams=("rule", "random"), unit="rounds", pairs=60, batch_pairs=5, seed=3)
NEVER = parse_stop("none")


@dataclass
class AfterRounds:
    """Has seen enough after some rounds."""

    rounds: int
    looks: int = 0
    text: str = "enough"

    def verdict(self, job: Job, tally: Tally) -> str | None:
        self.looks += 1
        return f"{tally.rounds} rounds are enough" if tally.rounds >= self.rounds else None


def played(batches: int) -> Tally:
    return sum((play_batch(JOB, number).tally for number in range(batches)), Tally())


def test_a_run_is_the_sum_of_its_batches() -> None:
    """Tallies are sums that can be added (arena.tally)."""
    with Pool(2) as pool:
        arena = Arena(JOB, pool, NEVER)
        rounds = [arena.tally.rounds for result in arena.run() if result]
    assert rounds == list(range(10, 121, 10))
    assert (arena.tally, arena.batches, arena.verdict) == (played(12), 12, None)
    assert arena.timing.cpu_seconds > 0


@pytest.mark.parametrize(("kind", "workers"), [(Pool, 1), (Pool, 3), (Dask, 2)])
def test_a_verdict_ends_the_run_at_the_same_batch_everywhere(kind: type[Pool] | type[Dask], workers: int) -> None:
    """Issue 3, 1: stop rules look at batches in their order; what was played ahead is thrown away."""
    with kind(workers) as executor:
        arena = Arena(JOB, executor, AfterRounds(35))
        assert [result.number for result in arena.run() if result] == [0, 1, 2, 3]
    assert (arena.tally, arena.batches, arena.verdict) == (played(4), 4, "40 rounds are enough")


def test_a_real_rule_decides_a_real_run() -> None:
    """Issue 3, 1: `decided`: uncatchable. RuleAgent wins nearly all rounds."""
    with Pool(2) as pool:
        arena = Arena(JOB, pool, parse_stop("decided"))
        batches = sum(result is not None for result in arena.run())
    assert batches < JOB.batches
    assert arena.verdict
    assert "decided" in arena.verdict


def test_a_run_goes_on_from_what_it_has() -> None:
    """Issue 3, 1: a second run with the same name resumes: in the end they are equal."""
    with Pool(2) as pool:
        first = Arena(JOB, pool, NEVER)
        for _ in islice(filter(None, first.run()), 5):
            pass
        second = Arena(JOB, pool, NEVER, first.tally, first.timing, first.batches)
        assert [result.number for result in second.run() if result] == [5, 6, 7, 8, 9, 10, 11]
    assert second.tally == played(12)


def test_a_decided_run_plays_nothing_when_it_is_taken_up_again() -> None:
    """The stop rule looks at what is stored, too."""
    with Pool(1) as pool:
        arena = Arena(JOB, pool, AfterRounds(35), played(4), Timing(), 4)
        assert list(arena.run()) == []
    assert (arena.batches, arena.verdict) == (4, "40 rounds are enough")


def test_a_new_run_is_not_judged_before_it_has_played() -> None:
    """Rules may take a mean of what they see."""
    rule = AfterRounds(0)
    with Pool(1) as pool:
        arena = Arena(JOB, pool, rule)
        assert [result.number for result in arena.run() if result] == [0]
    assert rule.looks == 1


def test_a_complete_run_plays_nothing() -> None:
    """Whoever resumes it sees its result again."""
    with Pool(1) as pool:
        assert list(Arena(JOB, pool, NEVER, Tally(rounds=120), Timing(), 12).run()) == []
