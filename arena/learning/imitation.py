"""Imitation: a policy learns to answer as others did, from their recorded decisions.

The loss is the cross-entropy over the legal answers, so what comes out are probabilities: taken as they are, which is
temperature 1, the agent plays like those it has learned from; at 0 it always does what most of them would.

The kinds of lines in the log::

    start        "piece": what is trained with; "data": what it learns from
    progress     what happened in the last seconds (:class:`Progress`)
    assessment   how well the validation is foretold (:class:`Assessment`), after each pass and at the end
    end          "sheet": what the file says about itself (:class:`Sheet`)
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from arena.learning.dataset import Dataset, load
from arena.learning.decisions import Decisions
from arena.learning.descent import descend, in_16_bits, optimiser_of
from arena.learning.folder import Folder, playing
from arena.learning.nets import Answers, Hints, Policy
from arena.learning.size import Size
from games.tichu.agents.actions import ASK_GRAND, ASK_TICHU, GRANDS, TICHUS

REPORT_S = 10.0  # between two reports of progress
LAST_RATE = 0.02  # of the first one
WARM_UP = 200  # minibatches until the rate is the whole one
MOST_SHARDS = 20  # of the validation that are assessed: some 3 M decisions
BINS = 10  # of what was foretold

ASKS = (
    "grand Tichu",
    "card to the right",
    "card to the partner",
    "card to the left",
    "Tichu",
    "play",
    "bomb out of turn",
    "wish",
    "dragon",
)  # by ASK_GRAND .. ASK_DRAGON


class Plan(NamedTuple):
    """How is trained.

    :ivar rate: of the first steps; it falls to nearly nothing.
    """

    policy: Size
    minibatch: int = 1024
    rate: float = 1e-3


def plan_for(device: str, size: Size) -> Plan:
    """
    :param device: "cpu" or "cuda".
    """
    return Plan(size, minibatch=8192, rate=2e-3) if device == "cuda" else Plan(size)


@dataclass(frozen=True)
class Budget:
    """How long is trained: by the clock, or in passes over the data, which is the same run each time on a processor."""

    minutes: float | None = None
    epochs: float | None = None

    def fraction(self, seconds: float, epochs: float) -> float:
        """0..1, how much of it is over."""
        done = seconds / 60 / self.minutes if self.minutes is not None else epochs / (self.epochs or 1)
        return min(1.0, done)


# --- how well it is done ----------------------------------------------------------------------------------------------


class Bin(msgspec.Struct):
    """Decisions whose most likely answer was foretold with about the same probability.

    :ivar foretold: the mean of it; ``right``: the share in which that answer was given.
    """

    count: int
    foretold: float
    right: float


class Kind(msgspec.Struct):
    """How well the answers to one kind of question are foretold.

    :ivar top1: share in which the given answer was the most likely one; ``top3``: among the first three.
    :ivar log_loss: mean of -ln of the probability of the given answer.
    :ivar calibration_error: how far the probability of the most likely answer is off, in the mean over the bins
        (expected calibration error, Guo et al. 2017).
    :ivar said_yes, yes: of calls, how often they were made, and how often the policy would; else None.
    """

    count: int
    top1: float
    top3: float
    log_loss: float
    calibration_error: float
    bins: list[Bin]
    said_yes: float | None = None
    yes: float | None = None


class Assessment(msgspec.Struct):
    """
    :ivar minutes, epochs: of training until then.
    :ivar kinds: by :data:`ASKS`; "all" is all of them.
    """

    minutes: float
    epochs: float
    kinds: dict[str, Kind]


class Tally:
    """Counts answers that were foretold."""

    def __init__(self) -> None:
        shape = len(ASKS), BINS
        self._counts, self._foretold, self._right = np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape)
        self._top3, self._losses = np.zeros(len(ASKS)), np.zeros(len(ASKS))
        self._said_yes, self._yes = np.zeros(len(ASKS)), np.zeros(len(ASKS))

    def add(self, asks: NDArray[np.int64], answers: Answers, log_probabilities: Tensor, ids: Tensor) -> None:
        """
        :param asks: int64[N]; ``log_probabilities``: float32[K], of the answers; ``ids``: int64[N], those given.
        """
        places = answers.places(ids)
        chosen = log_probabilities[places]
        better = answers.sums((log_probabilities >= chosen[answers.rows]).float()) - 1  # or as good
        foretold = answers.most(log_probabilities).exp()
        is_yes = (answers.ids == TICHUS + 1) | (answers.ids == GRANDS + 1)
        yes = answers.sums(torch.where(is_yes, log_probabilities.exp(), 0))
        bins = (foretold * BINS).long().clamp(max=BINS - 1).cpu().numpy()
        np.add.at(self._counts, (asks, bins), 1)
        for of_bin, values in ((self._foretold, foretold), (self._right, better == 0)):
            np.add.at(of_bin, (asks, bins), values.cpu().numpy())
        columns = (
            (self._top3, better < 3),
            (self._losses, -chosen),
            (self._yes, yes),
            (self._said_yes, is_yes[places]),
        )
        for column, values in columns:
            np.add.at(column, asks, values.cpu().numpy())

    def kinds(self) -> dict[str, Kind]:
        each = {name: self._kind([ask]) for ask, name in enumerate(ASKS) if self._counts[ask].any()}
        return each | {"all": self._kind(list(range(len(ASKS))))}

    def _kind(self, asks: list[int]) -> Kind:
        counts, foretold, right = (of[asks].sum(axis=0) for of in (self._counts, self._foretold, self._right))
        count = int(counts.sum())
        of_calls = asks in ([ASK_TICHU], [ASK_GRAND])
        return Kind(
            count=count,
            top1=float(right.sum() / count),
            top3=float(self._top3[asks].sum() / count),
            log_loss=float(self._losses[asks].sum() / count),
            calibration_error=float(np.abs(foretold - right).sum() / count),
            bins=[
                Bin(int(counts[i]), float(foretold[i] / counts[i]), float(right[i] / counts[i]))
                for i in np.flatnonzero(counts)
            ],
            said_yes=float(self._said_yes[asks].sum() / count) if of_calls else None,
            yes=float(self._yes[asks].sum() / count) if of_calls else None,
        )


# --- training ---------------------------------------------------------------------------------------------------------


class Progress(msgspec.Struct):
    """What happened since the last report.

    :ivar minutes, epochs, decisions: since the beginning.
    :ivar loss: mean of -ln of the probability of the given answer; ``top1``: how often it was the most likely one.
    """

    minutes: float
    epochs: float
    decisions: int
    decisions_per_second: float
    loss: float
    top1: float


class Sheet(msgspec.Struct):
    """What the file of a behaviour says about itself.

    :ivar pieces: one: kind, command, device, threads, seed, revision, date and plan.
    :ivar data: the files; games, rounds and decisions that were learned from, and those of the validation; the least
        Elo.
    :ivar accuracy: by kind of question; the bins are in the log.
    """

    kind: str
    net: str
    minutes: float
    epochs: float
    pieces: list[dict[str, Any]]
    data: dict[str, Any]
    accuracy: dict[str, dict[str, float | int | None]] = {}


@dataclass
class Imitation:
    """A policy on its way.

    :ivar facts: kind, command, device, threads, seed, revision, date.
    :ivar data: what the sheet says of the dataset.
    :ivar pulse: is told after each minibatch how much is over (0..1), and answers whether somebody interrupts.
    """

    policy: Policy
    plan: Plan
    dataset: Dataset
    budget: Budget
    folder: Folder
    facts: Mapping[str, Any]
    data: Mapping[str, Any]
    pulse: Callable[[float], bool]

    def __post_init__(self) -> None:
        self._device = next(self.policy.parameters()).device
        self._chance = np.random.default_rng(self.facts["seed"])
        self._optimiser = optimiser_of(self.policy)
        self._begun = monotonic()
        self._minutes = 0.0
        self._decisions = 0
        self._updates = 0
        self._assessment: Assessment | None = None

    @property
    def _epochs(self) -> float:
        return self._decisions / self.dataset.training.decisions

    def run(self) -> Assessment | None:
        """Learns until the time is over or somebody interrupts, and saves; then assesses, unless somebody interrupts.

        What goes wrong is raised, but what has been learned is saved before.

        :result: the last assessment; None if there is none.
        """
        self.folder.log("start", {"piece": self._piece(), "data": dict(self.data)})
        try:
            is_interrupted = self._learn()
        finally:
            self.save()
        if not is_interrupted:
            self.assess()
            self.save()
        self.folder.log("end", {"sheet": self.sheet()})
        return self._assessment

    def _learn(self) -> bool:
        """
        :result: whether somebody interrupted it.
        """
        said, since, passes = monotonic(), torch.zeros(3, device=self._device), 0
        self._begun = said
        for told in self._shards():
            for chosen in self._minibatches(len(told.ids)):
                seconds = monotonic() - self._begun
                self._minutes = seconds / 60
                fraction = self.budget.fraction(seconds, self._epochs)
                if self.pulse(fraction):
                    return True
                if fraction == 1:
                    return False
                since += self._step(told.at(chosen), fraction)
                self._decisions += len(chosen)
                if (now := monotonic()) - said >= REPORT_S:
                    self._report(since, now - said)
                    said = now
                    since.zero_()
            if self._epochs >= passes + 1 and self.budget.fraction(monotonic() - self._begun, self._epochs) < 1:
                passes += 1
                self.assess()
                self.save()
        return False

    def _shards(self) -> Iterator[Decisions]:
        """The shards in an order of each pass's own, without an end; the next one is made while one is learned from."""
        waiting: deque[Future[Decisions]] = deque()
        with ThreadPoolExecutor(1) as thread:
            for shard in self._order(self.dataset.training.shards):
                waiting.append(thread.submit(load, shard))
                if len(waiting) > 1:
                    yield waiting.popleft().result()

    def _order(self, shards: Sequence[Path]) -> Iterator[Path]:
        chance = np.random.default_rng([self.facts["seed"], 1])
        while True:
            yield from (shards[i] for i in chance.permutation(len(shards)))

    def _minibatches(self, count: int) -> list[NDArray[np.int64]]:
        """Decisions by chance, all of them."""
        order = self._chance.permutation(count)
        return np.array_split(order, max(1, round(count / self.plan.minibatch))) if count else []

    def _step(self, told: Decisions, fraction: float) -> Tensor:
        """
        :result: sums over the decisions: of the loss, of right answers, of decisions.
        """
        rate = self.plan.rate * min(1.0, (self._updates + 1) / WARM_UP) * max(1 - fraction, LAST_RATE)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        answers, log_probabilities = self._foretell(told)
        places = answers.places(self._tensor(told.ids))
        loss = -log_probabilities[places].mean()
        descend(loss, self.policy, self._optimiser)
        self._updates += 1
        right = (answers.best(log_probabilities.detach()) == places).float().mean()
        return torch.stack([loss.detach(), right, torch.ones_like(loss)]) * len(told.ids)

    def _foretell(self, told: Decisions) -> tuple[Answers, Tensor]:
        """The legal answers and the logarithms of their probabilities."""
        observations = self._tensor(told.observations.view(np.int64))
        answers = Answers.of(self._tensor(told.legal.view(np.int64)))
        with in_16_bits(self._device):
            logits = self.policy(observations, answers, Hints.of(observations, answers))
        return answers, answers.log_probabilities(logits)

    def _tensor(self, array: NDArray[np.int64]) -> Tensor:
        return torch.from_numpy(array).to(self._device)

    @torch.no_grad()
    def assess(self) -> None:
        """Says how well the validation is foretold."""
        tally = Tally()
        for shard in self.dataset.validation.shards[:MOST_SHARDS]:
            told = load(shard)
            for first in range(0, len(told.ids), 8192):
                some = told.at(slice(first, first + 8192))
                answers, log_probabilities = self._foretell(some)
                tally.add(some.asks, answers, log_probabilities, self._tensor(some.ids))
                self.pulse(1.0)
        self._assessment = Assessment(self._minutes, self._epochs, tally.kinds())
        self.folder.log("assessment", self._assessment)

    def _report(self, since: Tensor, seconds: float) -> None:
        loss, right, count = since.tolist()
        progress = Progress(self._minutes, self._epochs, self._decisions, count / seconds, loss / count, right / count)
        self.folder.log("progress", progress)

    # --- the file -----------------------------------------------------------------------------------------------------

    def save(self) -> None:
        self.folder.save_policy(playing(self.sheet(), self.policy.playable()))

    def sheet(self) -> Sheet:
        """As it is now."""
        accuracy = {}
        for name, kind in (self._assessment.kinds if self._assessment else {}).items():
            accuracy[name] = {key: value for key, value in msgspec.to_builtins(kind).items() if key != "bins"}
        return Sheet(
            kind="behavior",
            net=str(self.plan.policy),
            minutes=self._minutes,
            epochs=self._epochs,
            pieces=[self._piece()],
            data=dict(self.data),
            accuracy=accuracy,
        )

    def _piece(self) -> dict[str, Any]:
        return {**self.facts, "plan": self.plan._asdict() | {"policy": str(self.plan.policy)}}
