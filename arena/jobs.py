"""What the arena is asked to play.

A job is cut into batches. A batch is the work of one process at a time: nothing but the job and its number decides what
happens in it, so it does not matter where and in which order batches are played::

    job     pairs 0 .................................................. pairs - 1
    batches | 0: batch_pairs | 1: batch_pairs | ...                  | the rest |

A **pair** is what everything is counted by: the same deals twice, the second time with the partnerships exchanged. With
``games`` it is two matches up to the target score, with ``rounds`` two rounds from 0:0.
"""

from typing import Literal

from msgspec import Struct

Unit = Literal["rounds", "games"]
Rules = Literal["house", "pocket", "brettspielwelt"]


class Job(Struct, frozen=True, kw_only=True):
    """What is played, whoever plays it.

    :ivar teams: as :func:`arena.teams.parse_team` reads them: at first on seats 2 and 0, and on seats 3 and 1.
    :ivar pairs: how many; twice as many rounds or matches.
    :ivar batch_pairs: pairs of a batch; the last one may have fewer.
    :ivar seed: of all deals and all chance of the agents.
    :ivar record: whether the batches bring their trajectories (:mod:`arena.trajectories`).
    """

    teams: tuple[str, str]
    unit: Unit
    pairs: int
    batch_pairs: int
    seed: int
    rules: Rules = "house"
    target_score: int = 1000
    record: bool = False

    @property
    def batches(self) -> int:
        """
        >>> Job(teams=("rule", "random"), unit="rounds", pairs=25, batch_pairs=10, seed=1).batches
        3
        """
        return -(-self.pairs // self.batch_pairs)

    def batch(self, number: int) -> range:
        """The pairs of a batch.

        >>> Job(teams=("rule", "random"), unit="rounds", pairs=25, batch_pairs=10, seed=1).batch(2)
        range(20, 25)
        """
        return range(number * self.batch_pairs, min((number + 1) * self.batch_pairs, self.pairs))


def sensible_batch(pairs: int, unit: Unit) -> int:
    """Pairs of a batch, so that a job has some sixty of them, but none takes long.

    It depends on nothing but what was asked: stop rules look after each batch, and must look at the same places on
    every machine.
    """
    return max(1, min(250 if unit == "rounds" else 25, pairs // 64))
