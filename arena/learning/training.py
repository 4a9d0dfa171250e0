"""One training by self-play, from the first iteration to the files that play.

The folder of a training holds::

    policy.npz     the average of the policy's weights: an agent (games/tichu/agents/weights.py)
    actor.npz      the policy as it stands, and
    critic.npz     the critic: from these two it goes on
    log.jsonl      a line of JSON for each report, "kind" first: start, progress, strength, end

All floats in files have 16 bits. The optimisers' memory is not kept; it is back after some iterations.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import msgspec
import numpy as np

from arena.learning.ladder import Ladder, Measured
from arena.learning.nets import Critic, Policy, Size, load_arrays, state_arrays
from arena.learning.selfplay import Calls, Iteration, Selfplay
from games.tichu.agents.weights import Weights, fingerprint

REPORT_S = 10.0  # between two reports of progress
PAIRS = 500  # of rounds that a measurement takes; the one at the end takes
LAST_PAIRS = 2000


class TrainingError(Exception):
    """A training cannot begin or go on; says why, and what would help."""


@dataclass(frozen=True)
class Budget:
    """How long is trained: by the clock, or by rounds, which is the same run each time on a processor.

    :ivar minutes: all between the first iteration and the last measurement; ``rounds`` instead of it.
    """

    minutes: float | None = None
    rounds: int | None = None

    def fraction(self, seconds: float, rounds: int) -> float:
        """0..1, how much of it is over."""
        done = seconds / 60 / self.minutes if self.minutes is not None else rounds / (self.rounds or 1)
        return min(1.0, done)


class Progress(msgspec.Struct):
    """What happened since the last report; means of iterations, sums of calls.

    :ivar minutes, rounds: since the beginning.
    """

    minutes: float
    rounds: int
    rounds_per_second: float
    loss: float
    critic_loss: float
    entropy: float
    divergence: float
    explained: float
    tichu: Calls
    grand: Calls
    seats: int  # seats of rounds that could have called


class Folder:
    """Where a training is written down."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)

    def log(self, kind: str, facts: object) -> None:
        line = {"kind": kind, **msgspec.to_builtins(facts)}
        with (self.path / "log.jsonl").open("ab") as file:
            file.write(msgspec.json.encode(line) + b"\n")

    def save(self, name: str, network: Policy | Critic) -> None:
        """Writes the file, or leaves the one that is there as it is."""
        arrays: dict[str, Any] = {"fingerprint": fingerprint(), "net": str(network.size)}
        part = self.path / f"{name}.part"
        with part.open("wb") as file:
            np.savez(file, **arrays | state_arrays(network))
        part.replace(self.path / name)


def restored(path: Path, kind: type[Policy] | type[Critic]) -> Policy | Critic:
    """The network that :meth:`Folder.save` wrote.

    :raises TrainingError: there is none, or it was trained on other action ids or observations.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            if file["fingerprint"].item() != fingerprint():
                raise TrainingError(f"{path} was made for other action ids or observations")
            network = kind(Size.parse(file["net"].item()))
            load_arrays(network, {name: file[name] for name in file.files if name not in ("fingerprint", "net")})
    except TrainingError:
        raise
    except Exception as error:  # whatever a file brings that is something else, or damaged
        raise TrainingError(f"{path} holds no network in training: {error}") from error
    return network


def train(
    training: Selfplay,
    budget: Budget,
    folder: Folder,
    sheet: dict[str, Any],
    *,
    measure_minutes: float,
    show: Callable[[Progress], object],
    tell: Callable[[Measured], object],
    interrupted: Callable[[], bool],
) -> None:
    """Trains until the time is over or somebody interrupts, and saves.

    :param sheet: what the files that play say about themselves.
    :param measure_minutes: from one measurement of strength to the next.
    :param show: gets each report; ``tell`` each measurement.
    """
    begun = said = monotonic()
    rounds = 0
    since: list[Iteration] = []
    measured_at = 0.0
    with Ladder(PAIRS) as ladder:
        while (fraction := budget.fraction(monotonic() - begun, rounds)) < 1 and not interrupted():
            iteration = training.iterate(fraction)
            since.append(iteration)
            rounds += iteration.rounds
            now = monotonic()
            minutes = (now - begun) / 60
            if now - said >= REPORT_S:
                progress = summed(since, minutes, rounds, now - said)
                folder.log("progress", progress)
                show(progress)
                said = now
                since.clear()
            if minutes - measured_at >= measure_minutes and ladder.is_free:
                measured_at = minutes
                ladder.ask(weights(training.average, sheet), minutes, rounds)
            for measured in ladder.measured():
                folder.log("strength", measured)
                tell(measured)
        minutes = (monotonic() - begun) / 60
        save(training, folder, sheet)
        for measured in ladder.measured(wait=True):
            folder.log("strength", measured)
            tell(measured)
    if not interrupted():
        with Ladder(LAST_PAIRS) as ladder:
            ladder.ask(weights(training.average, sheet), minutes, rounds)
            for measured in ladder.measured(wait=True):
                folder.log("strength", measured)
                tell(measured)


def save(training: Selfplay, folder: Folder, sheet: dict[str, Any]) -> None:
    folder.save("actor.npz", training.policy)
    folder.save("critic.npz", training.critic)
    weights(training.average, sheet).save(folder.path / "policy.npz")


def weights(policy: Policy, sheet: dict[str, Any]) -> Weights:
    """What plays, of a policy."""
    return Weights(sheet, **{name: array.astype(np.float32) for name, array in policy.playable().items()})


def summed(iterations: list[Iteration], minutes: float, rounds: int, seconds: float) -> Progress:
    """The report of some iterations."""

    def mean(name: str) -> float:
        return float(np.mean([getattr(one, name) for one in iterations]))

    def calls(name: str) -> Calls:
        each: list[Calls] = [getattr(one, name) for one in iterations]
        return Calls(sum(c.count for c in each), sum(c.made for c in each), sum(c.expected for c in each))

    here = sum(one.rounds for one in iterations)
    return Progress(
        minutes=minutes,
        rounds=rounds,
        rounds_per_second=here / seconds,
        **{name: mean(name) for name in ("loss", "critic_loss", "entropy", "divergence", "explained")},
        tichu=calls("tichu"),
        grand=calls("grand"),
        seats=4 * here,
    )
