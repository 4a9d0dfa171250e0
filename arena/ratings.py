"""Elo ratings of agents from all that they have played against each other.

A rating difference d means that 10 ** (d / 400) rounds are won for each one lost (Bradley & Terry, Biometrika 39, 1952;
Elo's scale). All ratings are estimated at once, by maximum likelihood, so an agent that has never met another one is
compared with it through those that both have met::

    random = 0 ---- rule ---- mine         theirs ---- others
       the anchor's ladder                 not connected: no rating

How many rounds a pairing counts for is its effective number (:func:`arena.statistics.independent_games`), because the
rounds of a pair are not independent. Half a win and half a loss are added to each pairing, so that a perfect score
has a finite rating.
"""

from collections.abc import Iterable, Sequence
from math import inf, log

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from arena.statistics import Z, independent_games, student_t
from arena.tally import Ratio

Floats = NDArray[np.float64]

ELO = 400 / log(10)  # of one unit of log-odds


class Pairing(Struct, frozen=True):
    """What two agents have done against each other.

    :ivar score: rounds won by one of them, a draw a half, per round (``Tally.round_score``).
    """

    one: str
    other: str
    score: Ratio


class Rung(Struct, frozen=True):
    """A rating.

    :ivar low, high: the 95 % interval of its distance from the anchor.
    :ivar rounds: that the agent has played against others.
    """

    elo: float
    low: float
    high: float
    rounds: int


def ladder(pairings: Sequence[Pairing], anchor: str) -> dict[str, Rung]:
    """The ratings of all agents that are connected with the anchor, the best first.

    >>> score = Ratio()
    >>> for won in [2, 1, 2] * 100:
    ...     score.add(won, 2)
    >>> {agent: round(rung.elo) for agent, rung in ladder([Pairing("rule", "random", score)], "random").items()}
    {'rule': 279, 'random': 0}

    :param pairings: in any order; several of the same agents are added up, one of an agent with itself is ignored.
    :param anchor: whose rating is 0, without an interval.
    :result: without those that nothing connects with the anchor.
    """
    played = [pairing for pairing in pairings if pairing.one != pairing.other and pairing.score.n]
    agents = _connected(played, anchor)
    place = {agent: index for index, agent in enumerate(agents)}
    wins = np.zeros((len(agents), len(agents)))  # of the row's agent over the column's
    met = np.zeros(wins.shape, dtype=bool)
    rounds = np.zeros(len(agents))
    for pairing in played:
        if pairing.one in place:
            one, other = place[pairing.one], place[pairing.other]
            games = _games(pairing.score)
            wins[one, other] += games * pairing.score.mean
            wins[other, one] += games * (1 - pairing.score.mean)
            rounds[[one, other]] += pairing.score.n
            met[one, other] = met[other, one] = True
    elos, errors = _fit(wins + met / 2)
    rungs = {
        agent: Rung(float(elo), float(elo - Z * error), float(elo + Z * error), int(count))
        for agent, elo, error, count in zip(agents, elos, errors, rounds, strict=True)
    }
    return dict(sorted(rungs.items(), key=lambda item: -item[1].elo))


def _connected(pairings: Iterable[Pairing], anchor: str) -> list[str]:
    """The anchor, and whoever has met one of them."""
    opponents: dict[str, list[str]] = {anchor: []}
    for pairing in pairings:
        opponents.setdefault(pairing.one, []).append(pairing.other)
        opponents.setdefault(pairing.other, []).append(pairing.one)
    found = {anchor: None}  # in an order of their own, or equal runs would differ in the last digit
    todo = [anchor]
    while todo:
        new = [agent for agent in opponents[todo.pop()] if agent not in found]
        found |= dict.fromkeys(new)
        todo += dict.fromkeys(new)
    return list(found)


def _games(score: Ratio) -> float:
    """Effective rounds; fewer for few pairs, whose variance is hardly known, as Student's t has it (Korn & Graubard,
    Survey Methodology 24, 1998)."""
    return independent_games(score) * (Z / student_t(score.pairs - 1)) ** 2


def _fit(wins: Floats) -> tuple[Floats, Floats]:
    """Newton's method on the logarithm of the likelihood, which is concave.

    :param wins: float[k, k], of the row's agent over the column's; all are connected, and nobody has won all.
    :result: ratings float[k], the first of them 0, and their standard errors float[k], from the inverse information.
    """
    games = wins + wins.T
    strengths = np.zeros(len(wins))  # in log-odds
    distance = inf
    while distance > 1e-6:
        expected = 1 / (1 + np.exp(strengths - strengths[:, None]))
        weights = games * expected * (1 - expected)
        information = (np.diag(weights.sum(axis=1)) - weights)[1:, 1:]
        step = np.zeros(len(wins))
        step[1:] = np.linalg.solve(information, (wins - games * expected).sum(axis=1)[1:])
        # The information changes less than e-fold while no distance changes by more than 1, so each step is uphill
        # (Bach, Electronic Journal of Statistics 4, 2010).
        distance = float(np.ptp(step))
        strengths += step / max(1.0, distance)
    errors = np.zeros(len(wins))
    errors[1:] = np.sqrt(np.diag(np.linalg.inv(information)))
    return strengths * ELO, errors * ELO
