"""Means with honest intervals.

Rounds are not independent: the two of a deal share its cards, those of a match its score. Pairs are. So every interval
is taken from the spread between pairs, which :class:`arena.tally.Ratio` keeps as sums::

    points per round   ratio of two sums over pairs,   Student's t
                       with three more pairs, as prior
                       knowledge of their spread
    rate of wins       how many independent games       Wilson's interval, which stays within 0..1 and never collapses
                       the pairs amount to
    Elo                the rate on another scale        its ends mapped

All intervals are 95 % intervals of one look at a run; whoever looks again and again and stops when he likes what he
sees needs :mod:`arena.stopping`. Where nothing bounds an interval its ends are infinite, and the mean of nothing is not
a number: both are ``null`` in JSON.
"""

from collections.abc import Mapping
from functools import lru_cache
from math import exp2, inf, log10, nan, pi, sqrt, tan
from statistics import NormalDist

from msgspec import Struct

from arena.tally import BUCKETS_PER_OCTAVE, Ratio

CONFIDENCE = 0.95
Z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)  # 1.96
PRIOR_PAIRS = 3
PRIOR_POINTS = 300  # those of people's rounds are 214 (brettspielwelt.md, 7.4), of good agents' as many


class Interval(Struct, frozen=True):
    """A mean and the ends of its 95 % interval; ``low <= mean <= high``.

    :ivar mean: not a number if there was nothing.
    """

    mean: float
    low: float
    high: float


def interval_of(ratio: Ratio) -> Interval:
    """A mean per round or match.

    The ratio estimator with its linearised variance (Cochran, Sampling Techniques, 3rd ed., 6.4; Kish & Frankel 1974).

    A few pairs that happen to be alike say little about their variance, and those of agents that differ seldom are all
    alike for long. So ``PRIOR_PAIRS`` of independent rounds that each differ by ``PRIOR_POINTS`` count in the variance
    and its degrees of freedom, as a conjugate prior has it (Gelman et al., Bayesian Data Analysis, 3rd ed., 2.6). If n
    pairs of rounds brought nothing, the ends are 720 / n: the rule of three, 3 / n, for pairs that differ by 480.

    >>> total = Ratio()
    >>> for difference in 100, 300, -100, 100:
    ...     total.add(difference, 2)
    >>> interval_of(total)
    Interval(mean=50.0, low=-146.6..., high=246.6...)
    """
    if not ratio.n:
        return Interval(nan, -inf, inf)
    if ratio.pairs < 2:
        return Interval(ratio.mean, -inf, inf)
    degrees = ratio.pairs - 1 + PRIOR_PAIRS
    prior = PRIOR_PAIRS * PRIOR_POINTS**2 * ratio.n / ratio.pairs
    variance = (residual(ratio) + prior) / degrees  # of x - mean * n
    margin = student_t(degrees) * sqrt(ratio.pairs * variance) / ratio.n
    return Interval(ratio.mean, ratio.mean - margin, ratio.mean + margin)


def rate_interval(ratio: Ratio) -> Interval:
    """A rate of wins: Wilson's interval for as many games as the pairs amount to.

    >>> total = Ratio()
    >>> for _ in range(10):
    ...     total.add(2, 2)
    >>> rate_interval(total)
    Interval(mean=1.0, low=0.79..., high=1.0)
    """
    if not ratio.n:
        return Interval(nan, 0.0, 1.0)
    return wilson(ratio.mean, independent_games(ratio), student_t(ratio.pairs - 1))


def elo_interval(ratio: Ratio) -> Interval:
    """The Elo difference that a rate of wins means."""
    rate = rate_interval(ratio)
    return Interval(elo(rate.mean), elo(rate.low), elo(rate.high))


def elo(rate: float) -> float:
    """
    >>> round(elo(0.75))
    191
    >>> elo(1.0)
    inf
    """
    if rate <= 0 or rate >= 1:
        return inf if rate >= 1 else -inf
    return 400 * log10(rate / (1 - rate))


# --- what they are made of --------------------------------------------------------------------------------------------


def residual(ratio: Ratio) -> float:
    """The sum of squares of x - mean * n over the pairs."""
    mean = ratio.mean
    return max(0.0, ratio.xx - 2 * mean * ratio.xn + mean * mean * ratio.nn)  # rounding must not make it negative


def independent_games(ratio: Ratio) -> float:
    """How many independent games would tell as much about the rate of wins as these pairs do; 0 of nothing.

    It is n by Kish's design effect, which is the variance between the pairs by that of independent games. A few pairs
    that happen to be alike say little about their variance: three pairs won have none, but are worth six games, not
    infinitely many. So one more pair of independent, even games counts in both variances; that makes the design effect
    1 where nothing is known. It is below 1 where the deal decides: one win each.
    """
    if not ratio.n:
        return 0.0
    one_more = 2 / 4
    independent = ratio.mean * (1 - ratio.mean) * ratio.n * (ratio.pairs - 1) / ratio.pairs
    return ratio.n * (independent + one_more) / (residual(ratio) + one_more)


def wilson(rate: float, games: float, deviations: float) -> Interval:
    """The rates from which what was seen is no more than so many standard deviations away (Wilson 1927).

    With Student's t for few pairs, as for the proportions of surveys (Franco et al., J. Surv. Stat. Methodol. 7, 2019).
    """
    if deviations == inf:
        return Interval(rate, 0.0, 1.0)
    extra = deviations * deviations / games
    middle = (rate + extra / 2) / (1 + extra)
    margin = sqrt(extra * (rate * (1 - rate) + extra / 4)) / (1 + extra)
    return Interval(rate, max(0.0, min(rate, middle - margin)), min(1.0, max(rate, middle + margin)))


@lru_cache(1024)
def student_t(degrees: int) -> float:
    """How many standard errors a 95 % interval reaches; infinite without degrees of freedom.

    Exact for 1 and 2; then the expansion of Abramowitz & Stegun 26.7.5, at most 0.12 % short (at 3).

    >>> round(student_t(10), 3)
    2.228
    """
    if degrees < 1:
        return inf
    if degrees == 1:
        return tan(pi * CONFIDENCE / 2)
    if degrees == 2:
        return CONFIDENCE * sqrt(2 / (1 - CONFIDENCE**2))
    terms = (
        (Z**3 + Z) / 4,
        (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96,
        (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384,
        (79 * Z**9 + 776 * Z**7 + 1482 * Z**5 - 1920 * Z**3 - 945 * Z) / 92160,
    )
    return Z + sum(term / float(degrees) ** power for power, term in enumerate(terms, start=1))


def percentile(durations: Mapping[int, int], share: float) -> float:
    """The duration, in seconds, that this share of the decisions did not exceed; not a number of none.

    :param durations: a histogram of :class:`arena.tally.Timing`. Its buckets are 9 % wide; within one, the decisions
        are taken as spread evenly on the scale of logarithms.

    >>> percentile({160: 1}, 0.5)
    0.001095...
    """
    wanted = share * sum(durations.values())
    for bucket, count in sorted(durations.items()):
        if count and wanted <= count:
            return exp2((bucket + wanted / count) / BUCKETS_PER_OCTAVE) * 1e-9
        wanted -= count
    return nan
