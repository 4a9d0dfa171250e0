from math import inf, isnan, nan, sqrt

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import statistics
from arena.statistics import (
    Interval,
    elo,
    elo_interval,
    independent_games,
    interval_of,
    percentile,
    rate_interval,
    student_t,
    wilson,
)
from arena.tally import Ratio
from tests.arena.examples import check_examples
from tests.arena.samples import LOPSIDED, SKEWED, WEIGHTS, Values, pairs_of_games, pairs_of_rounds, summed

PAIRS = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]), st.just(2.0)), max_size=30)


def ratio(*pairs: tuple[float, float]) -> Ratio:
    total = Ratio()
    for x, n in pairs:
        total.add(x, n)
    return total


def test_examples_are_right() -> None:
    check_examples(statistics)


# --- points per round -------------------------------------------------------------------------------------------------


def test_the_interval_of_equal_pairs_is_students() -> None:
    """Four pairs bring 50, 150, -50 and 50 per round, three more have the variance of two rounds of +-300; t(6)."""
    seen = interval_of(ratio((100, 2), (300, 2), (-100, 2), (100, 2)))
    margin = 2.4469 * sqrt((20000 + 3 * 300**2 / 2) / 6) / sqrt(4)
    assert (seen.mean, seen.low, seen.high) == pytest.approx((50, 50 - margin, 50 + margin), rel=2e-3)


def test_long_pairs_count_for_more() -> None:
    """Cochran 6.4: 30 points in 10 rounds and 30 in 20 are 2 per round; what is left is 10 and -10. Three more pairs of
    15 rounds."""
    seen = interval_of(ratio((30, 10), (30, 20)))
    assert seen.mean == 2
    assert seen.high - seen.mean == pytest.approx(2.7764 * sqrt(2 * (200 + 3 * 15 * 300**2) / 4) / 30, rel=1e-3)


def test_one_pair_has_a_mean_but_no_interval() -> None:
    assert interval_of(ratio((80, 2))) == Interval(40, -inf, inf)


def test_nothing_has_no_mean() -> None:
    seen = interval_of(Ratio())
    assert isnan(seen.mean)
    assert (seen.low, seen.high) == (-inf, inf)


def test_what_is_not_bounded_is_null_in_json() -> None:
    assert msgspec.json.encode(Interval(nan, -inf, inf)) == b'{"mean":null,"low":null,"high":null}'


@pytest.mark.parametrize("pairs", [2, 50, 1000])
def test_the_same_result_in_every_pair_is_not_certain(pairs: int) -> None:
    """The rule of three (Hanley & Lippman-Hand, JAMA 249, 1983): what never happened in n pairs happens in fewer than
    3 / n; here it would bring a round 200 points. Nor do two pairs that are alike show anything."""
    seen = interval_of(ratio(*[(0, 2)] * pairs))
    assert seen.high == -seen.low > 200 * 3 / pairs
    assert seen.high < 1500 / pairs


@pytest.mark.parametrize("pairs", [2, 3, 5, 10, 20, 50, 500])
@pytest.mark.parametrize("weights", [WEIGHTS, SKEWED, LOPSIDED], ids=["even", "skewed", "lopsided"])
def test_the_true_points_per_round_are_in_19_of_20_intervals(weights: Values, pairs: int) -> None:
    """More often with few pairs; the tolerance is that of 3000 tries."""
    rng = np.random.default_rng(3)
    two = np.full(pairs, 2.0)
    seen = [interval_of(summed(pairs_of_rounds(rng, pairs, 12, weights), two)) for _ in range(3000)]
    covered = np.mean([one.low <= 12 <= one.high for one in seen])
    assert covered > 0.942
    assert pairs < 500 or covered < 0.96


@pytest.mark.parametrize("pairs", [2, 20, 60, 100, 200, 400, 1000])
@pytest.mark.parametrize(("share", "points"), [(0.05, 200), (0.025, 400), (0.1, -100)])
def test_what_happens_seldom_is_not_missed(share: float, points: float, pairs: int) -> None:
    """Two versions of one agent, which play most deals alike; the intervals of Student's t alone hold 5 to 90 %."""
    rng = np.random.default_rng(4)
    two = np.full(pairs, 2.0)
    seen = [interval_of(summed(points * (rng.random(pairs) < share), two)) for _ in range(2000)]
    assert np.mean([one.low <= share * points / 2 <= one.high for one in seen]) > 0.935


def test_the_true_points_per_round_of_matches_are_in_19_of_20_intervals() -> None:
    """The number of rounds differs, and one-sided matches are short."""
    rng = np.random.default_rng(4)
    rounds = rng.integers(8, 30, (3000, 40)).astype(float)
    points = rng.normal(0, 200, rounds.shape) * np.sqrt(rounds) + 40 * (19 - rounds)
    true = 40 * (19 - 18.5) / 18.5
    seen = [interval_of(summed(x, n)) for x, n in zip(points, rounds, strict=True)]
    assert 0.935 < np.mean([one.low <= true <= one.high for one in seen]) < 0.965


# --- Student's t ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("degrees", "tabled"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (5, 2.5706), (9, 2.2622), (29, 2.0452), (120, 1.9799)],
)
def test_students_t_is_that_of_the_table(degrees: int, tabled: float) -> None:
    """Abramowitz & Stegun, table 26.10."""
    assert student_t(degrees) == pytest.approx(tabled, rel=1.3e-3 if degrees == 3 else 4e-4)


def test_without_degrees_of_freedom_anything_is_possible() -> None:
    assert student_t(0) == inf


# --- rates ------------------------------------------------------------------------------------------------------------


def test_wilsons_interval_is_that_of_the_book() -> None:
    """81 of 263: 0.2553 to 0.3662 (Newcombe, Statistics in Medicine 17, 1998, table I, method 3)."""
    seen = wilson(81 / 263, 263, 1.959964)
    assert (seen.low, seen.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_pairs_that_end_alike_count_once() -> None:
    """Ten pairs both won and ten both lost: 40 games that are worth 20 (the one more pair moves it little)."""
    assert independent_games(ratio(*[(2, 2)] * 10, *[(0, 2)] * 10)) == pytest.approx(20, rel=0.06)


def test_independent_pairs_count_twice() -> None:
    """1:2:1 is what two independent even games give."""
    games = independent_games(ratio(*[(2, 2)] * 25, *[(1, 2)] * 50, *[(0, 2)] * 25))
    assert games == pytest.approx(200, rel=0.02)


def test_deals_that_decide_the_game_tell_most() -> None:
    """In 18 of 20 pairs each team wins one: the cards won, not the players, and it shows that these are equal."""
    assert independent_games(ratio(*[(1, 2)] * 18, (2, 2), (0, 2))) > 100


@pytest.mark.parametrize("won", [0, 2])
def test_a_perfect_score_is_not_certain(won: int) -> None:
    """Ten pairs are worth 20 games; Wilson's bound with t(9) = 2.2622 is 20 / (20 + t^2)."""
    seen = rate_interval(ratio(*[(won, 2)] * 10))
    assert seen.high - seen.low == pytest.approx(1 - 20 / (20 + 2.2622**2), rel=1e-3)


def test_one_pair_tells_nothing_of_a_rate() -> None:
    assert rate_interval(ratio((2, 2))) == Interval(1, 0, 1)


@given(PAIRS.filter(bool))
def test_a_rate_lies_in_its_interval_and_that_within_0_and_1(pairs: list[tuple[float, float]]) -> None:
    seen = rate_interval(ratio(*pairs))
    assert 0 <= seen.low <= seen.mean <= seen.high <= 1
    assert seen.low < seen.high


@given(PAIRS.filter(bool))
def test_who_changes_sides_changes_the_sign_of_elo(pairs: list[tuple[float, float]]) -> None:
    ours = elo_interval(ratio(*pairs))
    theirs = elo_interval(ratio(*[(n - x, n) for x, n in pairs]))
    assert (ours.mean, ours.low, ours.high) == pytest.approx((-theirs.mean, -theirs.high, -theirs.low), abs=1e-6)


@pytest.mark.parametrize("pairs", [5, 30, 300])
@pytest.mark.parametrize("rate", [0.5, 0.8, 0.97])
@pytest.mark.parametrize("likeness", [-1, -0.5, 0, 1])
def test_the_true_rate_is_in_19_of_20_intervals(likeness: float, rate: float, pairs: int) -> None:
    """More often with few pairs; the tolerance is that of 800 tries and of the steps between possible rates."""
    rng = np.random.default_rng(5)
    two = np.full(pairs, 2.0)
    seen = [rate_interval(summed(pairs_of_games(rng, pairs, rate, likeness), two)) for _ in range(800)]
    assert np.mean([one.low <= rate <= one.high for one in seen]) > 0.91


@pytest.mark.parametrize(("rate", "difference"), [(0.5, 0), (0.75, 190.85), (0.909091, 400), (0, -inf), (1, inf)])
def test_elo_is_logistic(rate: float, difference: float) -> None:
    """Ten to one is 400."""
    assert elo(rate) == pytest.approx(difference, abs=0.01)


# --- durations --------------------------------------------------------------------------------------------------------


def test_percentiles_lie_in_the_bucket_of_their_decision() -> None:
    """Bucket b holds 2 ** (b / 8) nanoseconds up to the next one."""
    durations = {80: 98, 160: 2}
    assert 2**10 <= percentile(durations, 0.5) * 1e9 <= 2 ** (81 / 8)
    assert 2**20 <= percentile(durations, 0.99) * 1e9 <= 2 ** (161 / 8)


def test_percentiles_of_spread_durations_are_nearly_exact() -> None:
    rng = np.random.default_rng(6)
    nanoseconds = np.exp(rng.normal(10, 1, 20_000))
    buckets, counts = np.unique(np.floor(8 * np.log2(nanoseconds)).astype(int), return_counts=True)
    durations = dict(zip(buckets.tolist(), counts.tolist(), strict=True))
    for share in (0.5, 0.99):
        assert percentile(durations, share) == pytest.approx(np.quantile(nanoseconds, share) * 1e-9, rel=0.02)


def test_no_decisions_have_no_percentile() -> None:
    assert isnan(percentile({}, 0.5))
