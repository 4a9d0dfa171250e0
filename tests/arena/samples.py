"""Made-up results, many at once."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from arena.tally import Ratio

Values = NDArray[np.float64]

# About what a round brings: most differences are small, but there are double victories and calls.
DIFFERENCES = np.array([-400, -300, -200, -150, -100, -60, -30, 0, 30, 60, 100, 150, 200, 300, 400.0])
WEIGHTS = np.array([1, 4, 8, 4, 8, 12, 12, 6, 12, 12, 8, 4, 8, 4, 1]) / 104
# The same for a strong first team: seldom, but then dearly, a grand Tichu is lost.
SKEWED = np.array([1, 0, 1, 0, 2, 2, 4, 6, 12, 14, 14, 10, 25, 9, 4]) / 104
# For one that wins nearly all: most rounds are double victories.
LOPSIDED = np.array([0, 2, 0, 0, 3, 0, 0, 0, 0, 5, 10, 0, 20, 60, 0]) / 100


def summed(x: Values, n: Values) -> Ratio:
    return Ratio(len(x), float(x.sum()), float(n.sum()), float(x @ x), float(x @ n), float(n @ n))


def looks(x: Values, n: Values, batch: int) -> Iterator[Ratio]:
    """The sums after each batch."""
    columns = [np.cumsum(column)[batch - 1 :: batch] for column in (x, n, x * x, x * n, n * n)]
    for number, sums in enumerate(zip(*columns, strict=True), start=1):
        yield Ratio(number * batch, *map(float, sums))


def pairs_of_rounds(rng: np.random.Generator, pairs: int, mean: float, weights: Values = WEIGHTS) -> Values:
    """What the two rounds of each pair bring together; a round brings ``mean``."""
    drawn = rng.choice(DIFFERENCES, (pairs, 2), p=weights).sum(axis=1)
    return drawn + 2 * (mean - float(DIFFERENCES @ weights))


def pairs_of_games(rng: np.random.Generator, pairs: int, rate: float, likeness: float) -> Values:
    """How many of the two games of each pair are won.

    :param likeness: 1 if the second always ends as the first, -1 if one deal decides both, 0 if they are independent.
    """
    first = rng.random(pairs)
    second = np.where(rng.random(pairs) < abs(likeness), first if likeness > 0 else 1 - first, rng.random(pairs))
    return (first < rate) + (second < rate).astype(float)
