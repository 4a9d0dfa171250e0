from math import inf, log10, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import ratings
from arena.ratings import Pairing, Rung, ladder
from arena.tally import Ratio
from tests.arena.examples import check_examples
from tests.arena.samples import pairs_of_games, summed


def score(both: int, one_each: int, none: int) -> Ratio:
    """So many pairs of rounds won both, one each, and none."""
    won = np.repeat([2.0, 1.0, 0.0], [both, one_each, none])
    return summed(won, np.full(len(won), 2.0))


def test_examples_are_right() -> None:
    check_examples(ratings)


# --- ratings ----------------------------------------------------------------------------------------------------------


def test_of_two_agents_it_is_the_elo_of_their_score() -> None:
    """4,000 independent rounds, three of four won: 400 log10 3; its error is that of the log-odds, 1 / sqrt(n p q)."""
    seen = ladder([Pairing("rule", "random", score(1125, 750, 125))], "random")
    assert seen["random"] == Rung(0, 0, 0, 4000)
    assert seen["rule"].elo == pytest.approx(400 * log10(3), abs=0.1)
    margin = 1.96 * 400 / np.log(10) / sqrt(4000 * 3 / 16)
    assert seen["rule"].high - seen["rule"].elo == pytest.approx(margin, rel=0.01)
    assert seen["rule"].elo - seen["rule"].low == pytest.approx(margin, rel=0.01)


def test_a_chain_adds_up() -> None:
    """Nobody but rule has met both: its lead over random, and mine over it; the errors add in squares."""
    three_of_four = score(1125, 750, 125)
    seen = ladder([Pairing("mine", "rule", three_of_four), Pairing("rule", "random", three_of_four)], "random")
    assert list(seen) == ["mine", "rule", "random"]
    assert seen["mine"].elo == pytest.approx(2 * seen["rule"].elo)
    assert seen["mine"].high - seen["mine"].elo == pytest.approx(sqrt(2) * (seen["rule"].high - seen["rule"].elo))
    assert [rung.rounds for rung in seen.values()] == [4000, 8000, 4000]


def test_another_anchor_moves_all() -> None:
    pairings = [
        Pairing("a", "b", score(30, 40, 10)),
        Pairing("b", "c", score(20, 40, 15)),
        Pairing("c", "a", score(9, 9, 9)),
    ]
    low, high = ladder(pairings, "a"), ladder(pairings, "c")
    assert [low[agent].elo - low["c"].elo for agent in low] == pytest.approx([high[agent].elo for agent in low])


def test_a_perfect_score_has_a_finite_rating_and_a_wide_interval() -> None:
    """Ten pairs won are at most 20 wins and a half against half a loss."""
    seen = ladder([Pairing("rule", "random", score(10, 0, 0))], "random")["rule"]
    assert 300 < seen.elo < 400 * log10(20.5 / 0.5)
    assert seen.low < seen.elo - 300


def test_one_pair_counts_for_next_to_nothing() -> None:
    seen = ladder([Pairing("rule", "random", score(1, 0, 0))], "random")["rule"]
    assert seen.elo == pytest.approx(0)
    assert seen.high > 400


def test_runs_of_the_same_agents_are_added_up_from_either_side() -> None:
    once = ladder([Pairing("rule", "random", score(600, 800, 200))], "random")["rule"]
    halves = [Pairing("rule", "random", score(300, 400, 100)), Pairing("random", "rule", score(100, 400, 300))]
    twice = ladder(halves, "random")["rule"]
    assert (twice.elo, twice.low, twice.rounds) == (
        pytest.approx(once.elo, abs=0.1),
        pytest.approx(once.low, abs=0.1),
        3200,
    )


def test_who_has_no_connection_with_the_anchor_is_left_out() -> None:
    pairings = [Pairing("rule", "random", score(9, 9, 3)), Pairing("theirs", "others", score(9, 9, 9))]
    assert set(ladder(pairings, "random")) == {"rule", "random"}


def test_without_games_the_anchor_is_alone() -> None:
    nothing = [Pairing("rule", "random", Ratio()), Pairing("random", "random", score(5, 5, 5))]
    assert ladder(nothing, "random") == {"random": Rung(0, 0, 0, 0)}


def test_the_order_of_the_pairings_makes_no_difference() -> None:
    pairings = [
        Pairing("a", "b", score(30, 40, 10)),
        Pairing("b", "c", score(20, 40, 15)),
        Pairing("c", "d", score(9, 9, 9)),
    ]
    one, other = ladder(pairings, "a"), ladder(pairings[::-1], "a")
    assert {agent: rung.elo for agent, rung in one.items()} == pytest.approx(
        {agent: rung.elo for agent, rung in other.items()}
    )


@given(
    st.lists(
        st.tuples(
            st.integers(0, 7), st.integers(0, 7), st.integers(0, 2000), st.integers(0, 2000), st.integers(0, 2000)
        ),
        max_size=20,
    )
)
def test_any_results_have_a_likeliest_ladder(played: list[tuple[int, int, int, int, int]]) -> None:
    """Newton's method ends, however one-sided they are."""
    pairings = [Pairing(str(one), str(other), score(*pairs)) for one, other, *pairs in played]
    for rung in ladder(pairings, "0").values():
        assert -inf < rung.low <= rung.elo <= rung.high < inf


@pytest.mark.parametrize("likeness", [0, -0.8])
def test_true_ratings_are_in_19_of_20_intervals(likeness: float) -> None:
    """Five agents, most of which have met; also where deals decide much, so that pairs often end one each."""
    rng = np.random.default_rng(12)
    true = np.array([0, 120, 150, 300, 420])
    met = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4), (2, 4)]
    inside = []
    for _ in range(300):
        pairings = []
        for one, other in met:
            rate = 1 / (1 + 10 ** ((true[other] - true[one]) / 400))
            won = pairs_of_games(rng, 150, rate, likeness)
            pairings.append(Pairing(str(one), str(other), summed(won, np.full(150, 2.0))))
        seen = ladder(pairings, "0")
        inside += [seen[str(agent)].low <= true[agent] <= seen[str(agent)].high for agent in range(1, 5)]
    assert 0.925 < np.mean(inside) < 0.975
