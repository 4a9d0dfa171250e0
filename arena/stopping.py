"""When a run may end before its time.

A rule looks after every batch, at the sums of all batches so far, and says what it has found or nothing. Looking
often must not make it err more often, as it would with an interval of :mod:`arena.statistics` at every look::

    decided      arithmetic: whoever leads in wins cannot be caught any more
    rate:0.55    the first team's rate of wins is above, or below, with 95 % confidence over all looks together
    sprt:0,5     its points per round are rather 5 than 0, or rather 0 than 5; each is wrong in 5 % of all runs

Wins are those of matches with ``games`` and of rounds with ``rounds``. Points per round are what the report calls so:
the first team's less the second's in one round, so twice as many per pair of deals; also with ``games``.
"""

from dataclasses import dataclass
from math import inf, log, sqrt
from typing import Protocol

from arena.jobs import Job
from arena.statistics import CONFIDENCE, independent_games, residual, wilson
from arena.tally import Ratio, Tally

LEAST_PAIRS = 50  # before the mean of the pairs can be taken as normal, no rule but arithmetic decides
SELDOM = 600  # points; hardly any other decision brings a pair more: a double victory, and a grand Tichu that is made


class StopRule(Protocol):
    """:ivar text: as :func:`parse_stop` reads it."""

    @property
    def text(self) -> str: ...

    def verdict(self, job: Job, tally: Tally) -> str | None:
        """What has been found, as a sentence, if that is reason to end; it fits the batches so far."""


@dataclass(frozen=True)
class Never:
    """All that was asked is played."""

    text = "none"

    def verdict(self, job: Job, tally: Tally) -> str | None:
        return None


@dataclass(frozen=True)
class Decided:
    """The team that leads in wins would lead even if it lost all that is left."""

    text = "decided"

    def verdict(self, job: Job, tally: Tally) -> str | None:
        outcomes = tally.match_outcomes if job.unit == "games" else tally.round_outcomes
        left = 2 * job.pairs - (outcomes.wins + outcomes.draws + outcomes.losses)
        lead = outcomes.wins - outcomes.losses
        if abs(lead) <= left:
            return None
        leader = "first" if lead > 0 else "second"
        things = "matches" if job.unit == "games" else "rounds"
        return f"decided: the {leader} team leads by {abs(lead):,} wins, {left:,} {things} are left"


@dataclass(frozen=True)
class Rate:
    """The rate of wins is above a given one, or it is below, so that this one is out of reach.

    The given rate is left out by Wilson's interval with the boundary of an asymptotic confidence sequence in place of
    Student's t: the probability that it ever leaves out the true rate, at however many looks, is 5 %.

    :ivar rate: between 0 and 1.
    """

    rate: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.rate < 1:
            raise ValueError(f"a rate of wins is between 0 and 1, not {self.rate:g}")

    @property
    def text(self) -> str:
        return f"rate:{self.rate:g}"

    def verdict(self, job: Job, tally: Tally) -> str | None:
        score = tally.match_score if job.unit == "games" else tally.round_score
        if score.pairs < LEAST_PAIRS:
            return None
        seen = wilson(score.mean, independent_games(score), _boundary(score.pairs))
        if seen.low <= self.rate <= seen.high:
            return None
        finding = (
            "reached: the rate of wins is above" if seen.low > self.rate else "out of reach: the rate of wins is below"
        )
        return (
            f"{finding} {100 * self.rate:g} %: {100 * seen.mean:.2f} %, with 95 % confidence over all looks "
            f"{100 * seen.low:.2f} to {100 * seen.high:.2f} %"
        )


def _boundary(pairs: int) -> float:
    """How many standard errors the mean may ever be off, at any look, with a probability of 5 %.

    The boundary of the normal mixture (Robbins, Ann. Math. Statist. 41, 1970), with estimated variance: Waudby-Smith,
    Arbour, Sinha, Kennedy & Ramdas, Time-uniform central limit theory and asymptotic confidence sequences, 2021,
    theorem 2.2. It is 3 to 4 between 100 and a million pairs; its mixture is the one that suits 500 best (there,
    appendix B.2).
    """
    alpha = 1 - CONFIDENCE
    t = pairs * (-2 * log(alpha) + log(-2 * log(alpha) + 1)) / 500
    return sqrt(2 * (t + 1) / t * log(sqrt(t + 1) / alpha))


@dataclass(frozen=True)
class Sprt:
    """Which of two differences in points per round is the true one: a sequential probability ratio test.

    The pairs' results are taken as normal with the variance that they have shown, as chess engines are tested (Van den
    Bergh, A practical introduction to the GSPRT). The bounds are Wald's (Sequential Analysis, 1947).

    Two versions of one agent differ seldom, and as long as they hardly have, the pairs show next to no variance. So it
    is taken as no less than if the whole of one - zero came from pairs that differ by ``SELDOM`` points, while all the
    others are alike. Then who never loses a pair, wins at most as much by one, and is better by one - zero, is missed
    in at most one of 19 runs: the likelihood ratio against it is a supermartingale, whose expectation starts at 1 and
    never grows.

    :ivar zero: the difference under H0, in points per round; :ivar one: the greater one under H1.
    """

    zero: float = 0.0
    one: float = 5.0

    def __post_init__(self) -> None:
        if not -inf < self.zero < self.one < inf:
            raise ValueError(f"sprt takes two points per round, the lower first, not {self.zero:g},{self.one:g}")

    @property
    def text(self) -> str:
        return f"sprt:{self.zero:g},{self.one:g}"

    def verdict(self, job: Job, tally: Tally) -> str | None:
        if tally.points.pairs < LEAST_PAIRS:
            return None
        ratio = self.log_likelihood_ratio(tally.points)
        bound = log(CONFIDENCE / (1 - CONFIDENCE))
        if abs(ratio) < bound:
            return None
        name, true, other = ("H1", self.one, self.zero) if ratio > 0 else ("H0", self.zero, self.one)
        return (
            f"{name} accepted: {true:+g} rather than {other:+g} points per round for the first team "
            f"(log-likelihood ratio {ratio:+.2f}, bounds ±{bound:.2f})"
        )

    def log_likelihood_ratio(self, points: Ratio) -> float:
        """Of H1 against H0."""
        rounds = points.n / points.pairs
        difference = rounds * (self.one - self.zero)
        variance = max(residual(points) / (points.pairs - 1), SELDOM * difference)  # of a pair
        return points.pairs * difference * rounds * (2 * points.mean - self.zero - self.one) / (2 * variance)


def parse_stop(text: str) -> StopRule:
    """
    >>> parse_stop("rate").text
    'rate:0.5'

    :raises ValueError: if there is no such rule; says which there are.
    """
    name, colon, rest = text.partition(":")
    values = rest.split(",") if colon else []
    match name.strip(), len(values):
        case "none", 0:
            return Never()
        case "decided", 0:
            return Decided()
        case "rate", 0 | 1:
            return Rate(*_numbers(text, values))
        case "sprt", 0 | 2:
            return Sprt(*_numbers(text, values))
    raise ValueError(f"there is no stop rule {text!r}; there are none, decided, rate, rate:0.55, sprt, sprt:0,5")


def _numbers(text: str, values: list[str]) -> list[float]:
    try:
        return [float(value) for value in values]
    except ValueError:
        raise ValueError(f"{text!r}: what follows the colon must be numbers") from None
