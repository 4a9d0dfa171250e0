"""How strong a policy is while it is being trained: the arena plays it in processes of its own, beside the training."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from arena.arena import Arena
from arena.executors import Pool, usable_cores
from arena.jobs import Job
from arena.reporting import Panel, report
from arena.statistics import Interval
from arena.stopping import parse_stop
from games.tichu.agents.weights import Weights

OPPONENTS = ("rule", "random")
PAIRS = 500  # of rounds that a measurement takes; the one at the end takes
LAST_PAIRS = 2000
LOOK_S = 0.5  # between two looks whether somebody interrupts
SEED = 2026  # of the deals, always the same: neighbours on a curve differ by what was learned


class Measured(Struct, frozen=True):
    """What a policy did against an agent.

    :ivar minutes, rounds: of training until then.
    :ivar points: its points a round less those of the others, both partners alike, each deal from both sides.
    :ivar played: the rounds that this rests on.
    :ivar panel: what it did.
    """

    minutes: float
    rounds: int
    opponent: str
    points: Interval
    played: int
    panel: Panel

    @property
    def strength(self) -> "Strength":
        return Strength(self.opponent, self.minutes, self.rounds, self.points, self.played)


class Strength(Struct):
    """What was measured, as a data sheet has it: :class:`Measured` without the panel."""

    opponent: str
    minutes: float
    rounds: int
    points: Interval
    played: int


def measured_at_last(
    weights: Weights, minutes: float, rounds: int, pulse: Callable[[], bool], opponents: Sequence[str] = OPPONENTS
) -> list[Measured]:
    """Measures a policy more exactly, on all cores.

    :param minutes, rounds: of its training.
    :param pulse: is asked often whether somebody interrupts; then nothing is measured.
    :raises ExecutorError: it could not be played.
    """
    with Ladder(LAST_PAIRS, usable_cores(), opponents) as ladder:
        ladder.ask(weights, minutes, rounds)
        while not (ladder.is_free or pulse()):
            ladder.wait(LOOK_S)
        return [*ladder.measured()]


class Ladder:
    """Measures one policy after the other, in the order in which they come; what is not done when it is left is lost.

    :param pairs: of rounds that are played against each agent.
    :param workers: processes that play.
    """

    def __init__(self, pairs: int = PAIRS, workers: int = 1, opponents: Sequence[str] = OPPONENTS) -> None:
        self._pairs = pairs
        self._opponents = opponents
        self._folder = TemporaryDirectory(prefix="ladder-")
        self._pool = Pool(workers)
        self._threads = ThreadPoolExecutor(1, "ladder")
        self._waiting: list[Future[list[Measured]]] = []

    def __enter__(self) -> "Ladder":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.__exit__(None, None, None)
        self._threads.shutdown(cancel_futures=True)
        self._folder.cleanup()

    @property
    def is_free(self) -> bool:
        """Whether all that was asked for is measured."""
        return all(future.done() for future in self._waiting)

    def ask(self, weights: Weights, minutes: float, rounds: int) -> None:
        """Begins to measure a policy."""
        file = Path(self._folder.name, f"policy-{rounds}.npz")
        weights.save(file)
        self._waiting.append(self._threads.submit(self._measure, file, minutes, rounds))

    def wait(self, seconds: float) -> None:
        """Until all that was asked for is measured, but no longer than this."""
        wait(self._waiting, seconds)

    def measured(self) -> Iterator[Measured]:
        """What has become known since.

        :raises ExecutorError: it could not be played.
        """
        while self._waiting and self._waiting[0].done():
            yield from self._waiting.pop(0).result()

    def _measure(self, file: Path, minutes: float, rounds: int) -> list[Measured]:
        found = []
        for opponent in self._opponents:
            teams = (f"policy:file={file}", opponent)
            job = Job(teams=teams, unit="rounds", pairs=self._pairs, batch_pairs=50, seed=SEED)
            arena = Arena(job, self._pool, parse_stop("none"))
            for _ in arena.run():
                pass
            result = report(job, arena.tally, arena.timing, 0)
            points, panel = result.points_per_round, result.agents[0]
            found.append(Measured(minutes, rounds, opponent, points, result.rounds, panel))
        file.unlink()
        return found
