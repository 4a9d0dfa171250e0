"""Distillation: a small policy learns to answer as a large one would.

Rounds are played by both: at each decision chance says who of them answers, so the student sees the tables that it
gets into by itself, and what the teacher would do there. It learns the teacher's probabilities of the legal answers, by
their Kullback-Leibler divergence (Hinton et al. 2015). If the teacher knows tables at which nobody calls, there are
such tables, too; calls are not learned there.

The logit of an answer to "do you call?" is its advantage (:mod:`arena.learning.selfplay`), and stays one: it is learned
by least squares.

The kinds of lines in the log::

    start      "piece": what is trained with
    progress   what happened in the last seconds (:class:`Progress`)
    strength   what the student did against an agent, in the end (:class:`arena.learning.ladder.Measured`)
    end        "sheet": what the file says about itself (:class:`Sheet`)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, NamedTuple

import msgspec
import torch
from msgspec.structs import replace
from torch import Tensor

from arena.batch import Batch
from arena.learning.calls import CALL_SCALE, about_calls, silenced
from arena.learning.descent import descend, in_16_bits, optimiser_of
from arena.learning.folder import POLICY, Folder, playing
from arena.learning.ladder import Measured, Strength, measured_at_last
from arena.learning.nets import Answers, Hints, Policy, signed
from arena.learning.size import Size
from arena.learning.training import REPORT_S, Budget
from games.tichu.agents.observations import hush
from games.tichu.agents.weights import Weights

LAST_RATE = 0.02  # of the first one
WARM_UP = 200  # steps until the rate is the whole one
TEACHERS = 0.5  # share of the decisions that the teacher makes
QUIET = 0.25  # share of the tables at which nobody calls, if the teacher knows such
CALLS = 5.0  # how much the error of a call counts: its square, in hundreds of points


class Plan(NamedTuple):
    """How is trained.

    :ivar tables: that are played at; each decision at each of them is learned from once.
    :ivar quiet: the share of them at which nobody calls.
    """

    policy: Size
    tables: int = 1024
    quiet: float = 0.0
    rate: float = 1e-3


def plan_for(device: str, size: Size, sheet: Mapping[str, Any]) -> Plan:
    """
    :param device: "cpu" or "cuda".
    :param sheet: what the teacher's file says about itself.
    """
    plan = Plan(size, tables=8192, rate=2e-3) if device == "cuda" else Plan(size)
    plans = [piece.get("plan", {}) for piece in sheet.get("pieces", [])]
    # Before there were others at quiet tables than elsewhere, a policy was not told which ones are quiet.
    knows_quiet = any("quiet_others" in of and of["quiet"] > 0 for of in plans)
    return plan._replace(quiet=QUIET) if knows_quiet else plan


class Progress(msgspec.Struct):
    """What happened since the last report.

    :ivar minutes, rounds: since the beginning.
    :ivar loss: the mean divergence of the student's probabilities from the teacher's.
    :ivar same: how often the most likely answer is the same; ``same_calls``: of calls.
    """

    minutes: float
    rounds: int
    rounds_per_second: float
    loss: float
    same: float
    same_calls: float


class Sheet(msgspec.Struct):
    """What the file of a student says about itself.

    :ivar pieces: those of the teacher, and then its own: kind, command, device, threads, seed, revision, date, minutes,
        rounds and plan.
    :ivar same: how often the most likely answer was that of the teacher, in the last report.
    :ivar strength: nothing while it has not been measured; its teacher is the opponent "teacher".
    """

    kind: str
    net: str
    teacher: str
    minutes: float
    rounds: int
    pieces: list[dict[str, Any]]
    same: float | None = None
    strength: list[Strength] = []


@dataclass
class Distillation:
    """A student on its way.

    :ivar teacher_name: of its file.
    :ivar facts: kind, command, device, threads, seed, revision, date.
    :ivar measures: whether it is measured in the end.
    :ivar pulse: is told after each step how much is over (0..1), and answers whether somebody interrupts.
    """

    student: Policy
    teacher: Policy
    teacher_name: str
    before: Mapping[str, Any]
    plan: Plan
    budget: Budget
    folder: Folder
    facts: Mapping[str, Any]
    measures: bool
    pulse: Callable[[float], bool]
    strength: list[Measured] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._device = next(self.student.parameters()).device
        seed = int(self.facts["seed"])
        self._batch = Batch(self.plan.tables, seed % 2**30)
        self._chance = torch.Generator(self._device).manual_seed(seed)
        self._quiet = torch.arange(self.plan.tables, device=self._device) < self.plan.quiet * self.plan.tables
        self._optimiser = optimiser_of(self.student)
        self._minutes = 0.0
        self._rounds = 0
        self._updates = 0
        self._same: float | None = None

    def run(self) -> Sheet:
        """Learns until the time is over or somebody interrupts, and saves; then measures, unless somebody interrupts.

        What goes wrong is raised, but what has been learned is saved before.

        :result: what stands in the file.
        """
        self.folder.log("start", {"piece": self._piece()})
        try:
            is_interrupted = self._learn()
        finally:
            self.save()
        if self.measures and not is_interrupted:
            self._measure()
            self.save()
        sheet = self.sheet()
        self.folder.log("end", {"sheet": sheet})
        return sheet

    def _measure(self) -> None:
        with TemporaryDirectory(prefix="teacher-") as folder:
            file = Path(folder, POLICY)  # a path that a team can name, wherever the teacher lies
            playing({}, self.teacher.playable()).save(file)
            opponents = ("rule", f"policy:file={file}")
            pulse = partial(self.pulse, 1.0)
            self.strength = measured_at_last(self._weights(), self._minutes, self._rounds, pulse, opponents)
        for measured in self.strength:
            self.folder.log("strength", measured)

    def _learn(self) -> bool:
        """
        :result: whether somebody interrupted it.
        """
        begun = said = monotonic()
        rounds = 0
        since = torch.zeros(5, device=self._device)
        while not (is_interrupted := self.pulse(fraction := self.budget.fraction(monotonic() - begun, self._rounds))):
            if fraction == 1:
                break
            since += self._step(fraction)
            now = monotonic()
            self._minutes = (now - begun) / 60
            if now - said >= REPORT_S:
                self._report(since, self._rounds - rounds, now - said)
                said, rounds = now, self._rounds
                since.zero_()
        if since[4]:
            self._report(since, self._rounds - rounds, monotonic() - said)
        return is_interrupted

    def _step(self, fraction: float) -> Tensor:
        """One decision at each table, of which is learned, and which is then made.

        :result: sums: of the divergence, of answers that are the teacher's, of calls that are, of calls, of decisions.
        """
        rate = self.plan.rate * min(1.0, (self._updates + 1) / WARM_UP) * max(1 - fraction, LAST_RATE)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self._batch.observe()
        hush(self._batch.observations, self._quiet.cpu().numpy())
        observations = signed(self._batch.observations, self._device)
        answers = Answers.of(signed(self._batch.legal, self._device))
        told = Hints.of(observations, answers)
        with in_16_bits(self._device):
            with torch.no_grad():
                wanted = self.teacher(observations, answers, told).float()
            logits = self.student(observations, answers, told).float()
        target, own = answers.log_probabilities(wanted), answers.log_probabilities(logits)
        is_call = about_calls(answers.ids)
        is_learned = ~(is_call & self._quiet[answers.rows])
        errors = (CALL_SCALE * (logits - wanted)) ** 2
        divergence = answers.sums(torch.where(is_call, 0, target.exp() * (target - own)))
        descend(
            divergence.mean() + CALLS * torch.where(is_call & is_learned, errors, 0).sum() / answers.size,
            self.student,
            self._optimiser,
        )
        self._updates += 1
        best, best_own = answers.best(wanted), answers.best(logits.detach())
        by_teacher = torch.rand(answers.size, generator=self._chance, device=self._device) < TEACHERS
        odds = torch.where(by_teacher[answers.rows], target, own.detach())
        chosen = answers.ids[answers.sampled(odds, self._chance)]
        self._batch.step(silenced(chosen, self._quiet).cpu().numpy())
        self._rounds += int(self._batch.done.sum())
        learned = is_learned[best].float()
        same, of_call = learned * (best == best_own), learned * is_call[best]
        each = divergence.detach(), same, same * of_call, of_call, learned
        return torch.stack([of.sum() for of in each])

    def _report(self, since: Tensor, rounds: int, seconds: float) -> None:
        loss, same, same_calls, count_calls, count = since.tolist()
        self._same = same / count
        progress = Progress(
            self._minutes,
            self._rounds,
            rounds / seconds,
            loss / count,
            self._same,
            same_calls / max(1.0, count_calls),
        )
        self.folder.log("progress", progress)

    # --- the file -----------------------------------------------------------------------------------------------------

    def save(self) -> None:
        self.folder.save_policy(self._weights())

    def _weights(self) -> Weights:
        return playing(self.sheet(), self.student.playable())

    def sheet(self) -> Sheet:
        """As it is now."""
        return Sheet(
            kind=str(self.before.get("kind", "policy")),
            net=str(self.plan.policy),
            teacher=self.teacher_name,
            minutes=self._minutes,
            rounds=self._rounds,
            pieces=[*self.before.get("pieces", []), self._piece()],
            same=self._same,
            strength=[
                one.strength if one.opponent == "rule" else replace(one.strength, opponent="teacher")
                for one in self.strength
            ],
        )

    def _piece(self) -> dict[str, Any]:
        plan = self.plan._asdict() | {"policy": str(self.plan.policy)}
        return {**self.facts, "minutes": self._minutes, "rounds": self._rounds, "plan": plan}
