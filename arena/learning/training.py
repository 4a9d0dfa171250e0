"""One training by self-play, from the first iteration to the files that play (:mod:`arena.learning.folder`).

The kinds of lines in the log::

    start      "piece": what is trained with
    progress   what happened in the last seconds (:class:`Progress`)
    strength   what the policy did against an agent (:class:`arena.learning.ladder.Measured`)
    sheet      "sheet": what the files say about themselves (:class:`Sheet`)

A training may go on, in the same folder or in another one. It then begins more gently, since it has something to lose;
minutes and rounds count on, and what was measured stands until it is measured again. The optimisers' memory is not
kept, which is back after some iterations, nor are the older selves: there is one at first, what played before.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isfinite, nan
from pathlib import Path
from statistics import fmean
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import msgspec

from arena.learning.calls import Calls
from arena.learning.folder import (
    ACTOR,
    CRITIC,
    POLICY,
    Folder,
    Saved,
    TrainingError,
    check_finite,
    playing,
    saved_in,
)
from arena.learning.ladder import Ladder, Measured, Strength, measured_at_last
from arena.learning.nets import Critic, Policy, load_arrays, state_arrays
from arena.learning.selfplay import Iteration, Selfplay
from arena.learning.size import Size
from arena.learning.tables import OTHER_SEATS
from games.tichu.agents.weights import Weights

REPORT_S = 10.0  # between two reports of progress
ALIVE = 0.005  # calls per hand that are some
MOST_APART = 0.05  # the share of calls that are made, and what the critic expects
FEW_CALLS = 400  # so few say nothing about that: their share is 5 % off by chance

Network = TypeVar("Network", Policy, Critic)


def restored(saved: Saved, kind: type[Network]) -> Network:
    """The network that a file has.

    :raises TrainingError: it is another one.
    """
    try:
        network = kind(Size.parse(saved.net))
        load_arrays(network, saved.arrays)
    except RuntimeError as error:
        raise TrainingError(f"this {kind.__name__.lower()} has other inputs or layers than one of today") from error
    except ValueError as error:
        raise TrainingError(f"this is no {kind.__name__.lower()} in training: {error}") from error
    return network


class Begun(NamedTuple):
    """What a training goes on with.

    :ivar average: of the policy's weights until then, which played in the end.
    :ivar sheet: what its file says about itself.
    """

    policy: Policy
    average: Policy
    sheet: dict[str, Any]


def begun_in(init: Path) -> Begun:
    """
    :param init: the folder of a training, or one of its files: the network in training, or what plays.
    :raises OSError: it is not there, or cannot be read.
    :raises TrainingError: it is something else.
    """
    if init.is_dir():
        saved = saved_in(init / ACTOR)
        policy = restored(saved, Policy)
        average = _playing_in(init / POLICY)
        return Begun(policy, average if average and average.size == policy.size else policy, saved.sheet)
    try:
        weights = Weights.load(init)
    except ValueError as no_weights:
        try:
            saved = saved_in(init)
        except TrainingError as no_training:
            raise TrainingError(f"{no_weights}; {no_training}") from no_training
        policy = restored(saved, Policy)
        return Begun(policy, policy, saved.sheet)
    policy = Policy.of(weights)
    return Begun(policy, policy, dict(weights.sheet))


def _playing_in(path: Path) -> Policy | None:
    """What plays; None if there is nothing that does."""
    try:
        return Policy.of(Weights.load(path))
    except (OSError, ValueError):
        return None


@dataclass(frozen=True)
class Budget:
    """How long is trained: by the clock, or by rounds, which is the same run each time on a processor.

    :ivar minutes: from the first iteration to the last; ``rounds`` instead of it.
    """

    minutes: float | None = None
    rounds: int | None = None

    def fraction(self, seconds: float, rounds: int) -> float:
        """0..1, how much of it is over."""
        done = seconds / 60 / self.minutes if self.minutes is not None else rounds / (self.rounds or 1)
        return min(1.0, done)


class Progress(msgspec.Struct):
    """What happened since the last report; means of iterations, sums of calls.

    :ivar minutes, rounds: since the beginning of the first piece.
    :ivar seats: seats of rounds that could have called.
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
    seats: int


class CallCheck(msgspec.Struct):
    """Whether a call is alive, and whether the critic knows what comes of it.

    :ivar per_hand: how often the policy calls, as it was measured; None if it was not.
    :ivar made, expected: shares of the calls of the last fifth of the training; None if they are few.
    """

    per_hand: float | None
    made: float | None
    expected: float | None

    @property
    def faults(self) -> list[str]:
        found = []
        if self.per_hand is not None and self.per_hand < ALIVE:
            found.append(f"hardly ever called ({self.per_hand:.1%} of the hands)")
        if self.made is not None and self.expected is not None and abs(self.made - self.expected) > MOST_APART:
            found.append(f"made {self.made:.0%}, but the critic expects {self.expected:.0%}")
        return found


class Sheet(msgspec.Struct):
    """What the files of a training say about themselves.

    :ivar minutes, rounds: of all pieces.
    :ivar pieces: for each sitting its kind, command, device, threads, seed, revision, date, minutes, rounds and plan.
    :ivar strength: nothing while it has not been measured.
    :ivar calls: by "tichu" and "grand".
    """

    kind: str
    net: str
    minutes: float
    rounds: int
    pieces: list[dict[str, Any]]
    strength: list[Strength] = []
    calls: dict[str, CallCheck] = {}


@dataclass
class Training:
    """A policy, on its way through a piece of training.

    :ivar facts: of the piece: kind, command, device, threads, seed, revision, date.
    :ivar before: the sheet of what goes on; empty at the beginning.
    :ivar measure_minutes: from one measurement of strength to the next; 0: none, and none at the end.
    :ivar pulse: is told after each iteration, and about every second while it is measured, how much is over (0..1), and
        answers whether somebody interrupts.
    """

    selfplay: Selfplay
    budget: Budget
    folder: Folder
    facts: Mapping[str, Any]
    before: Mapping[str, Any]
    measure_minutes: float
    pulse: Callable[[float], bool]

    def __post_init__(self) -> None:
        self._minutes = 0.0  # of this piece
        self._rounds = 0
        self._reports: list[Progress] = []
        self._strength: dict[str, Measured] = {}
        plan = self.selfplay.plan
        of_others = sum(plan.others) * fmean(seats.bit_count() for seats in OTHER_SEATS) / 4
        # Share of the seats that can call; what others call is not counted.
        self._own = (1 - plan.quiet) * (1 - of_others)

    @property
    def minutes(self) -> float:
        """Of all pieces."""
        return float(self.before.get("minutes", 0)) + self._minutes

    @property
    def rounds(self) -> int:
        """Of all pieces."""
        return int(self.before.get("rounds", 0)) + self._rounds

    def run(self) -> Sheet:
        """Trains until the time is over or somebody interrupts, and saves; then measures, unless somebody interrupts.

        What goes wrong is raised, but what has been learned is saved before.

        :result: what stands in the files.
        :raises TrainingError: there are no numbers any more that could be saved; the files are those of before.
        """
        self.folder.log("start", {"piece": self._piece()})
        try:
            with Ladder() as ladder:
                is_interrupted = self._learn(ladder)
        except Exception:
            self.save()
            raise
        self.save()
        if self.measure_minutes and not is_interrupted:
            self._hear(measured_at_last(self._weights(), self.minutes, self.rounds, partial(self.pulse, 1.0)))
            self.save()
        return self.sheet()

    def _learn(self, ladder: Ladder) -> bool:
        """
        :result: whether somebody interrupted it.
        """
        begun = said = monotonic()
        since: list[Iteration] = []
        measured_at = 0.0
        while not (is_interrupted := self.pulse(fraction := self.budget.fraction(monotonic() - begun, self._rounds))):
            if fraction == 1:
                break
            iteration = self.selfplay.iterate(fraction)
            since.append(iteration)
            now = monotonic()
            self._rounds += iteration.rounds
            self._minutes = (now - begun) / 60
            if now - said >= REPORT_S:
                self._report(since, now - said)
                said = now
                since.clear()
            if self.measure_minutes and self._minutes - measured_at >= self.measure_minutes and ladder.is_free:
                measured_at = self._minutes
                self.save()
                ladder.ask(self._weights(), self.minutes, self.rounds)
            self._hear(ladder.measured())
        if since:
            self._report(since, monotonic() - said)
        return is_interrupted

    def _report(self, since: Sequence[Iteration], seconds: float) -> None:
        progress = summed(since, self.minutes, self.rounds, seconds, self._own)
        self._reports.append(progress)
        self.folder.log("progress", progress)

    def _hear(self, found: Iterable[Measured]) -> None:
        for measured in found:
            self._strength[measured.opponent] = measured
            self.folder.log("strength", measured)

    # --- files --------------------------------------------------------------------------------------------------------

    def save(self) -> None:
        """
        :raises TrainingError: there are no numbers any more that could be saved; the files are those of before.
        """
        sheet = msgspec.to_builtins(self.sheet())
        networks: dict[str, Policy | Critic] = {ACTOR: self.selfplay.policy, CRITIC: self.selfplay.critic}
        arrays = {name: state_arrays(network) for name, network in networks.items()}
        for name in networks:
            check_finite(name, arrays[name])
        self.folder.save_policy(self._weights())
        for name, network in networks.items():
            self.folder.save(name, str(network.size), sheet, arrays[name])
        self.folder.log("sheet", {"sheet": sheet})

    def _weights(self) -> Weights:
        return playing(self.sheet(), self.selfplay.average.playable())

    def sheet(self) -> Sheet:
        """As it is now."""
        before = msgspec.convert(self.before.get("strength", []), list[Strength])
        strength = {one.opponent: one for one in before}
        for one in self._strength.values():
            strength[one.opponent] = one.strength
        return Sheet(
            kind="policy",
            net=str(self.selfplay.plan.policy),
            minutes=self.minutes,
            rounds=self.rounds,
            pieces=[*self.before.get("pieces", []), self._piece()],
            strength=list(strength.values()),
            calls={"tichu": self._call_check("tichu"), "grand": self._call_check("grand")},
        )

    def _piece(self) -> dict[str, Any]:
        plan = self.selfplay.plan
        return {
            **self.facts,
            "minutes": self._minutes,
            "rounds": self._rounds,
            "plan": plan._asdict()
            | {"policy": str(plan.policy), "critic": str(plan.critic)}
            | {"others": plan.others._asdict(), "quiet_others": plan.quiet_others._asdict()},
        }

    def _call_check(self, kind: str) -> CallCheck:
        begin = self.minutes - self._minutes / 5
        calls = added(getattr(report, kind) for report in self._reports if report.minutes >= begin)
        panels = [measured.panel for measured in self._strength.values()]
        per_hand = min(
            ((panel.tichu if kind == "tichu" else panel.grand_tichu).per_seat or 0.0 for panel in panels), default=None
        )
        if calls.count < FEW_CALLS:
            return CallCheck(per_hand, None, None)
        return CallCheck(per_hand, calls.made / calls.count, calls.expected / calls.count)


def summed(iterations: Sequence[Iteration], minutes: float, rounds: int, seconds: float, own: float) -> Progress:
    """The report of some iterations.

    :param seconds: that they took.
    :param own: the share of the seats whose calls were counted.
    """

    def mean(name: str) -> float:
        """At first no round ends, and there is no variance that could be explained."""
        values = [value for one in iterations if isfinite(value := getattr(one, name))]
        return fmean(values) if values else nan

    here = sum(one.rounds for one in iterations)
    return Progress(
        minutes=minutes,
        rounds=rounds,
        rounds_per_second=here / seconds,
        **{name: mean(name) for name in ("loss", "critic_loss", "entropy", "divergence", "explained")},
        tichu=added(one.tichu for one in iterations),
        grand=added(one.grand for one in iterations),
        seats=round(4 * here * own),
    )


def added(calls: Iterable[Calls]) -> Calls:
    total = Calls()
    for one in calls:
        total = Calls(total.count + one.count, total.made + one.made, total.expected + one.expected)
    return total
