"""Elo ratings of people who play in pairs.

    finished games, oldest first --Elo.update--> a rating for each player

A team is rated as the mean of its two players; what a game changes is the difference between its result and what the
ratings promised, times a factor of the player's own. The constants are those fitted on the archive of the
Brettspielwelt (docs/brettspielwelt.md); there the mean squared error is 0.238, where knowing nothing makes 0.25.
"""

from collections import defaultdict
from collections.abc import Hashable
from typing import Generic, TypeVar

from msgspec import Struct

START = 1500.0
DIVISOR = 402.0  # a difference so great promises ten wins for each loss
K_NEWCOMER, K, K_MASTER = 23.1, 13.7, 10.0
NEWCOMER_GAMES = 30  # with fewer a player is one
MASTER = 2400.0  # above it
BINS = 20  # of what was expected

P = TypeVar("P", bound=Hashable)


def expected(difference: float) -> float:
    """What a team scores on average, 0..1.

    >>> expected(0), round(expected(402), 3)
    (0.5, 0.909)

    :param difference: its rating less that of the other team.
    """
    return float(1 / (1 + 10 ** (-difference / DIVISOR)))


class Bin(Struct):
    """Games of which about the same was expected.

    :ivar expected: what team 20 was to score in them, added up; ``scored`` what it did.
    """

    games: int = 0
    expected: float = 0
    scored: float = 0


class Elo(Generic[P]):
    """Ratings while games go by.

    :ivar ratings: of those who have played.
    :ivar games: that each has played.
    :ivar bins: the games by what was expected of team 20, from 0 to 1.
    """

    def __init__(self) -> None:
        self.ratings: defaultdict[P, float] = defaultdict(lambda: START)
        self.games: defaultdict[P, int] = defaultdict(int)
        self.bins = [Bin() for _ in range(BINS)]
        self._count = 0
        self._squares = 0.0

    def update(self, team_20: tuple[P, P], team_31: tuple[P, P], score: float) -> None:
        """Counts a game.

        :param score: of team 20: 1 for a win, 0.5 for a draw, 0 for a loss.
        """
        ratings, games = self.ratings, self.games
        one, other = [(ratings[team[0]] + ratings[team[1]]) / 2 for team in (team_20, team_31)]
        promised = expected(one - other)
        surprise = score - promised
        bin = self.bins[min(int(promised * BINS), BINS - 1)]
        bin.games += 1
        bin.expected += promised
        bin.scored += score
        self._count += 1
        self._squares += surprise * surprise
        changes = [
            (player, sign * self._factor(player) * surprise)
            for team, sign in ((team_20, 1), (team_31, -1))
            for player in team
        ]
        for player, change in changes:
            ratings[player] += change
            games[player] += 1

    @property
    def mean_squared_error(self) -> float | None:
        """Of the promises; None of nothing."""
        return self._squares / self._count if self._count else None

    def _factor(self, player: P) -> float:
        if self.games[player] < NEWCOMER_GAMES:
            return K_NEWCOMER
        return K_MASTER if self.ratings[player] > MASTER else K
