from collections import Counter
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import stopping
from arena.jobs import Job, Unit
from arena.stopping import LEAST_PAIRS, Decided, Rate, Sprt, StopRule, parse_stop
from arena.tally import Outcomes, Ratio, Tally
from tests.arena.examples import check_examples
from tests.arena.samples import SKEWED, WEIGHTS, Values, looks, pairs_of_games, pairs_of_rounds, summed


def job(pairs: int, unit: Unit = "rounds") -> Job:
    return Job(teams=("rule", "random"), unit=unit, pairs=pairs, batch_pairs=10, seed=1)


def test_examples_are_right() -> None:
    check_examples(stopping)


# --- decided ----------------------------------------------------------------------------------------------------------


def outcomes(results: tuple[int, ...]) -> Outcomes:
    counted = Outcomes()
    for difference in results:
        counted.add(difference)
    return counted


def test_decided_is_never_wrong_and_never_late() -> None:
    """All runs of two pairs of rounds: there is a verdict as soon as every way to go on ends with the same leader."""
    for played in range(5):
        for results in product((-1, 0, 1), repeat=played):
            ends = {np.sign(sum(results) + sum(rest)) for rest in product((-1, 0, 1), repeat=4 - played)}
            verdict = Decided().verdict(job(2), Tally(round_outcomes=outcomes(results)))
            if ends == {1}:
                assert verdict is not None
                assert "first team leads" in verdict
            elif ends == {-1}:
                assert verdict is not None
                assert "second team leads" in verdict
            else:
                assert verdict is None


def test_decided_counts_matches_where_matches_are_played() -> None:
    tally = Tally(round_outcomes=Outcomes(wins=90), match_outcomes=Outcomes(wins=2, losses=7))
    assert Decided().verdict(job(7, "games"), tally) is None
    assert Decided().verdict(job(6, "games"), tally) == "decided: the second team leads by 5 wins, 3 matches are left"


# --- rate -------------------------------------------------------------------------------------------------------------


def verdicts(rule: StopRule, runs: int, draw: Callable[[], Values], batch: int) -> Counter[str]:
    """What a rule says of many runs of rounds, looking after every batch; by the first word."""
    said: Counter[str] = Counter()
    for _ in range(runs):
        x = draw()
        for sums in looks(x, np.full(len(x), 2.0), batch):
            verdict = rule.verdict(job(len(x)), Tally(points=sums, round_score=sums))
            if verdict:
                break
        said[verdict.split()[0] if verdict else ""] += 1
    return said


@pytest.mark.parametrize("likeness", [0, -0.7, 1])
@pytest.mark.parametrize("rate", [0.5, 0.9])
def test_rate_errs_in_one_of_twenty_runs_however_often_it_looks(rate: float, likeness: float) -> None:
    """Waudby-Smith et al. 2021: the true rate is exactly the given one, so every verdict is wrong."""
    rng = np.random.default_rng(7)
    said = verdicts(Rate(rate), 300, lambda: pairs_of_games(rng, 2000, rate, likeness), 10)
    assert 300 - said[""] <= 0.05 * 300


def test_an_interval_at_every_look_would_err_often() -> None:
    """Why it takes a confidence sequence: the same runs, with the interval of a single look."""
    rng = np.random.default_rng(7)
    wrong = 0
    for _ in range(200):
        x = pairs_of_games(rng, 2000, 0.5, 0)
        ratios = [sums for sums in looks(x, np.full(2000, 2.0), 10) if sums.pairs >= LEAST_PAIRS]
        wrong += any(abs(sums.mean - 0.5) > 1.96 * np.sqrt(0.25 / sums.n) for sums in ratios)
    assert wrong > 0.2 * 200


@pytest.mark.parametrize(("true", "word"), [(0.6, "reached:"), (0.4, "out")])
def test_rate_finds_the_truth(true: float, word: str) -> None:
    rng = np.random.default_rng(8)
    assert verdicts(Rate(0.5), 100, lambda: pairs_of_games(rng, 1500, true, 0), 50) == {word: 100}


def test_rate_says_what_it_found() -> None:
    tally = Tally(round_score=summed(np.repeat([0.0, 1.0, 2.0], [0, 100, 300]), np.full(400, 2.0)))
    verdict = Rate(0.55).verdict(job(1000), tally)
    assert verdict is not None
    assert verdict == (
        "reached: the rate of wins is above 55 %: 87.50 %, with 95 % confidence over all looks 83.83 to 90.43 %"
    )


def test_rate_is_of_matches_where_matches_are_played() -> None:
    score = summed(np.full(100, 2.0), np.full(100, 2.0))
    assert Rate().verdict(job(200, "games"), Tally(round_score=score)) is None
    assert Rate().verdict(job(200, "games"), Tally(match_score=score)) is not None


def test_a_perfect_score_does_not_show_a_rate_of_99_percent_at_once() -> None:
    """Of a hundred games at 99 %, more than a third are all won."""
    tally = Tally(round_score=summed(np.full(50, 2.0), np.full(50, 2.0)))
    assert Rate(0.99).verdict(job(1000), tally) is None
    assert Rate(0.8).verdict(job(1000), tally) is not None


# --- sprt -------------------------------------------------------------------------------------------------------------


def test_the_log_likelihood_ratio_is_the_formula_of_chess_testers() -> None:
    """Van den Bergh: N (t1 - t0) (2 m - t0 - t1) / (2 s^2), here with m = 100 and s^2 = 300^2 * 50 / 49 per round."""
    points = summed(np.tile([-400.0, 800.0], 25), np.full(50, 2.0))
    ratio = Sprt(0, 5).log_likelihood_ratio(points)
    assert ratio == pytest.approx(50 * 5 * (2 * 100 - 5) / (2 * 300**2 * 50 / 49))


@pytest.mark.parametrize(("mean", "true"), [(-290, "H0"), (290, "H1")])
def test_a_great_difference_is_found_at_once(mean: float, true: str) -> None:
    rng = np.random.default_rng(9)
    assert verdicts(Sprt(0, 5), 50, lambda: pairs_of_rounds(rng, LEAST_PAIRS, mean), 10) == {true: 50}


@pytest.mark.parametrize("batch", [10, 100])
@pytest.mark.parametrize("weights", [WEIGHTS, SKEWED], ids=["even", "skewed"])
@pytest.mark.parametrize(("true", "wrong"), [(0, "H1"), (15, "H0")])
def test_sprt_errs_in_one_of_twenty_runs(true: float, wrong: str, weights: Values, batch: int) -> None:
    """Wald 1947, types I and II; the tolerance is two deviations of 500 runs."""
    rng = np.random.default_rng(10)
    said = verdicts(Sprt(0, 15), 500, lambda: pairs_of_rounds(rng, 4000, true, weights), batch)
    assert said[""] == 0
    assert said[wrong] <= 0.07 * 500


def test_sprt_errs_in_one_of_twenty_runs_of_matches() -> None:
    """Points per round where the number of rounds differs."""
    rng = np.random.default_rng(11)
    said: Counter[str | None] = Counter()
    for _ in range(400):
        rounds = rng.integers(8, 30, 4000).astype(float)
        points = rng.normal(0, 200, 4000) * np.sqrt(rounds) + 20 * (18.5 - rounds) + 5 * rounds
        for sums in looks(points, rounds, 20):
            if verdict := Sprt(0, 5).verdict(job(4000, "games"), Tally(points=sums)):
                break
        said[verdict and verdict[:2]] += 1
    assert said["H0"] <= 0.07 * 400
    assert said["H0"] + said["H1"] == 400


@pytest.mark.parametrize("batch", [1, 15, 250])
@pytest.mark.parametrize(("share", "points"), [(0.2, 50), (0.05, 200), (0.025, 400), (1 / 60, 600), (1 / 80, 800)])
@pytest.mark.parametrize("sign", [1, -1])
def test_sprt_errs_as_rarely_with_agents_that_differ_seldom(share: float, points: float, batch: int, sign: int) -> None:
    """Two versions of one agent, which play most deals alike: the true difference is exactly 5 per round. With the
    variance of the pairs alone it would be missed in up to 48 % of the runs."""
    rng = np.random.default_rng(12)
    rule, true = (Sprt(0, 5), "H1") if sign > 0 else (Sprt(-5, 0), "H0")
    said = verdicts(rule, 200, lambda: sign * points * (rng.random(4000) < share), batch)
    assert 200 - said[true] <= 0.05 * 200


@pytest.mark.parametrize(("share", "points"), [(0.1, 200), (0.02, 400), (0.01, 600)])
def test_sprt_errs_as_rarely_with_equal_agents_that_differ_seldom(share: float, points: float) -> None:
    rng = np.random.default_rng(13)
    values, weights = [-points, 0, points], [share / 2, 1 - share, share / 2]
    said = verdicts(Sprt(0, 5), 200, lambda: rng.choice(values, 4000, p=weights), 15)
    assert 200 - said["H0"] <= 0.06 * 200


def test_sprt_says_what_it_found() -> None:
    tally = Tally(points=summed(np.tile([0.0, 200.0], 50), np.full(100, 2.0)))
    assert Sprt(0, 5).verdict(job(1000), tally) == (
        "H1 accepted: +5 rather than +0 points per round for the first team (log-likelihood ratio +9.41, bounds ±2.94)"
    )


def test_pairs_that_are_all_alike_prove_nothing_at_once() -> None:
    """Fifty pairs without a difference may hide one of 400 points in every fortieth: that is 5 per round."""
    alike = [Tally(points=summed(np.zeros(pairs), np.full(pairs, 2.0))) for pairs in (50, 150, 400)]
    verdicts = [Sprt(0, 5).verdict(job(1000), tally) for tally in alike]
    assert verdicts[:2] == [None, None]
    assert verdicts[2] is not None
    assert verdicts[2].startswith("H0 accepted")


@pytest.mark.parametrize("rule", [Rate(), Sprt()], ids=["rate", "sprt"])
def test_few_pairs_decide_nothing(rule: StopRule) -> None:
    few = LEAST_PAIRS - 1
    ratio = summed(np.full(few, 2.0), np.full(few, 2.0))
    assert rule.verdict(job(1000), Tally(points=ratio, round_score=ratio)) is None


def test_nothing_decides_nothing() -> None:
    for text in ("none", "decided", "rate", "sprt"):
        assert parse_stop(text).verdict(job(10), Tally()) is None


# --- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "whole"),
    [("none", "none"), ("decided", "decided"), ("rate", "rate:0.5"), ("rate:0.55", "rate:0.55"), ("sprt", "sprt:0,5"),
     ("sprt:-2.5, 2.5", "sprt:-2.5,2.5")],
)  # fmt: skip
def test_rules_are_read(text: str, whole: str) -> None:
    assert parse_stop(text).text == whole
    assert parse_stop(whole) == parse_stop(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("soon", "there is no stop rule 'soon'; there are none, decided"),
        ("", "there is no stop rule"),
        ("none:1", "there is no stop rule"),
        ("sprt:5", "there is no stop rule 'sprt:5'"),
        ("rate:", "must be numbers"),
        ("rate:high", "must be numbers"),
        ("rate:55", "between 0 and 1, not 55"),
        ("rate:nan", "between 0 and 1"),
        ("sprt:5,0", "the lower first, not 5,0"),
        ("sprt:0,inf", "the lower first"),
    ],
)
def test_what_is_no_rule_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_stop(text)


@given(st.lists(st.tuples(st.integers(-8, 8).map(lambda x: 50.0 * x), st.integers(1, 30)), max_size=80))
def test_any_results_are_judged(pairs: list[tuple[float, int]]) -> None:
    ratio = Ratio()
    for x, n in pairs:
        ratio.add(x, n)
    verdict = Sprt(0, 5).verdict(job(100, "games"), Tally(points=ratio))
    assert verdict is None or (verdict[:2] == "H1") == (ratio.mean > 2.5)
