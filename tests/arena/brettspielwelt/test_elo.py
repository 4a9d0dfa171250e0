"""Ratings of pairs, against hand-computed ones."""

from random import Random

import pytest

from arena.brettspielwelt.elo import Elo, expected


def test_newcomers_win_by_half_their_factor() -> None:
    """docs/brettspielwelt.md: start 1500, K 23.1; equal teams promise 0.5, so 11.55 change hands."""
    elo: Elo[str] = Elo()
    elo.update(("a", "b"), ("c", "d"), 1)
    assert dict(elo.ratings) == {"a": 1511.55, "b": 1511.55, "c": 1488.45, "d": 1488.45}
    assert dict(elo.games) == dict.fromkeys("abcd", 1)
    assert elo.mean_squared_error == 0.25


def test_a_team_is_rated_as_the_mean_of_its_players() -> None:
    """After the first game a and c are 1511.55 and 1488.45, 1500 together: again half the factor changes hands."""
    elo: Elo[str] = Elo()
    elo.update(("a", "b"), ("c", "d"), 1)
    elo.update(("a", "c"), ("e", "f"), 0)
    assert elo.ratings["a"] == pytest.approx(1500)
    assert elo.ratings["c"] == pytest.approx(1476.9)
    assert elo.ratings["e"] == pytest.approx(1511.55)


def test_a_difference_of_402_promises_ten_wins_for_each_loss() -> None:
    """Divisor 402: 1 / (1 + 10 ** -1)."""
    assert expected(402) == pytest.approx(10 / 11)
    assert expected(-402) == pytest.approx(1 / 11)


@pytest.mark.parametrize(("games", "rating", "factor"), [(29, 1500, 23.1), (30, 1500, 13.7), (30, 2400, 13.7),
                                                       (30, 2400.1, 10.0), (29, 2400.1, 23.1)])  # fmt: skip
def test_the_factor_goes_by_games_and_rating(games: int, rating: float, factor: float) -> None:
    """K is 23.1 below 30 games, then 13.7, above 2400 it is 10: each player's own."""
    elo: Elo[str] = Elo()
    for name in "abcd":
        elo.ratings[name] = rating
    elo.games["a"] = games
    elo.update(("a", "b"), ("c", "d"), 1)
    assert elo.ratings["a"] == pytest.approx(rating + factor / 2)
    assert elo.ratings["b"] == pytest.approx(rating + 23.1 / 2)


def test_a_draw_of_equal_teams_changes_nothing() -> None:
    elo: Elo[str] = Elo()
    elo.update(("a", "b"), ("c", "d"), 0.5)
    assert set(elo.ratings.values()) == {1500}
    assert elo.mean_squared_error == 0


def test_nothing_has_no_error() -> None:
    assert Elo[str]().mean_squared_error is None


def test_who_is_better_is_found() -> None:
    """In 3,000 games of twenty players drawn at random, each plays as his strength of 1200..1770 says."""
    rng = Random(4)
    elo: Elo[int] = Elo()
    strength = [1200 + 30 * player for player in range(20)]
    for _ in range(3000):
        a, b, c, d = rng.sample(range(20), 4)
        difference = (strength[a] + strength[b] - strength[c] - strength[d]) / 2
        elo.update((a, b), (c, d), float(rng.random() < expected(difference)))
    found = sorted(range(20), key=elo.ratings.__getitem__)
    assert min(found[-5:]) >= 12
    assert max(found[:5]) < 8
    error = elo.mean_squared_error
    assert error is not None
    assert error < 0.24
