"""Runs in the database: opened, resumed, stored batch by batch::

    (new) --> running --> finished        all is played, or the stop rule has found its verdict
                |  ^
                v  |                      opened again under the same name, it goes on with the next batch
              stopped, failed             or running, but without a sign of life (ArenaRun.is_silent)

A running run belongs to the process that gave its last sign of life (``updated``). Whoever writes does so on the
condition that the row still bears the sign that he gave: of two that claim a run one gets it, and one that was taken
for dead and awakes finds out before it changes anything.

Whoever opens a run enters it, and so leaves it stopped or failed whatever happens::

    with open_run(name, asked, executor) as run, executor:
        run.play(executor, show, interrupted)
"""

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from datetime import datetime
from pathlib import Path
from random import Random, SystemRandom
from time import monotonic
from traceback import format_exception
from typing import Any, Self, cast

import msgspec
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone, translation

from arena.arena import Arena
from arena.executors import Executor, own_code
from arena.jobs import Unit, sensible_batch
from arena.models import AgentVersion, ArenaBatch, ArenaRun, ArenaSeat, Rating
from arena.ratings import Pairing, Rung
from arena.stopping import parse_stop
from arena.tally import BatchResult, Sums
from arena.teams import AgentSpec, parse_team
from arena.trajectories import Recording

State = ArenaRun.State

SIGN_S = 5.0  # between two signs of life
LOOK_S = 1.0  # between two looks whether the admin wants it to stop


class RunError(Exception):
    """A run cannot be opened, or not go on; says why, and what would help."""


class Run:
    """A run that this process plays. This one is kept nowhere; its row is in no database.

    :ivar tally, timing, batches, seconds: what has come of it so far, over all sittings.
    """

    def __init__(self, row: ArenaRun) -> None:
        self.row = row
        self.job = row.job
        self.tally, self.timing = row.sums
        self.batches = row.batches_played
        self.seconds = row.seconds

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play."""
        return self.row.state == State.FINISHED

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        """Keeps that it was interrupted, or what went wrong."""
        if error is None or self.is_over:
            return
        with suppress(RunError, DatabaseError):  # the error itself tells more
            if isinstance(error, Exception):
                self._end(State.FAILED, error="".join(format_exception(error)))
            else:
                self._end(State.STOPPED)

    def play(self, executor: Executor, show: Callable[["Run"], None], interrupted: Callable[[], bool]) -> None:
        """Plays on, until it is over or is to stop.

        :param executor: entered.
        :param show: is called after each batch, and about every second.
        :param interrupted: whether it is to stop; asked as often.
        :raises RunError: if another process has taken it over.
        """
        begin = monotonic() - self.seconds
        self._write(workers=executor.workers)  # a cluster knows them only now
        arena = Arena(self.job, executor, parse_stop(self.row.stop), self.tally, self.timing, self.batches)
        recording = Recording(Path(self.row.recording), self.job, self.batches) if self.job.record else None
        with recording or nullcontext():
            for result in arena.run():
                self.seconds = monotonic() - begin
                self.tally, self.timing, self.batches = arena.tally, arena.timing, arena.batches
                if result is not None:
                    if recording:
                        recording.append(result.number, result.trajectories)
                    self._store(result)
                show(self)
                if interrupted() or self._is_to_stop():
                    break
        is_over = arena.verdict is not None or self.batches == self.job.batches
        self._end(State.FINISHED if is_over else State.STOPPED, verdict=arena.verdict or "")

    def _store(self, result: BatchResult) -> None:
        """Keeps a batch."""

    def _is_to_stop(self) -> bool:
        """Whether somebody else wants it to stop."""
        return False

    def _end(self, state: State, **values: str) -> None:
        """Keeps how it ended."""
        self._write(state=state, finished=timezone.now() if state == State.FINISHED else None, **values)

    def _write(self, **values: Any) -> None:
        for field, value in values.items():
            setattr(self.row, field, value)


class StoredRun(Run):
    """A run in the database; unless it is over, this process has claimed it."""

    def __init__(self, row: ArenaRun) -> None:
        super().__init__(row)
        self._signs = [row.updated]
        self._signed = self._looked = monotonic()

    def _store(self, result: BatchResult) -> None:
        self._write(
            ArenaBatch(run=self.row, number=result.number, tally=as_json(result.tally), timing=as_json(result.timing)),
            batches_played=self.batches,
            pairs_played=self.tally.pairs,
            tally=as_json(self.tally),
            timing=as_json(self.timing),
        )

    def _is_to_stop(self) -> bool:
        now = monotonic()
        if now - self._signed >= SIGN_S:
            self._write()
        if now - self._looked < LOOK_S:
            return False
        self._looked = now
        return ArenaRun.objects.filter(pk=self.row.pk, stop_requested=True).exists()

    def _write(self, batch: ArenaBatch | None = None, **values: Any) -> None:
        """Writes to the row, with a sign of life.

        :param batch: that is stored with it, or not at all.
        :raises RunError: if the run belongs to another process by now.
        """
        sign = timezone.now()
        self._signs.append(sign)  # if this is cut off, nobody knows which of them the row bears
        mine = ArenaRun.objects.filter(pk=self.row.pk, state=State.RUNNING, updated__in=self._signs)
        with transaction.atomic():
            if not mine.update(updated=sign, seconds=self.seconds, **values):
                raise RunError(f"{self.row.name} has been taken over by another command, or deleted.")
            if batch is not None:
                batch.save(force_insert=True)
        self._signs = [sign]
        super()._write(updated=sign, **values)
        self._signed = monotonic()


# --- opening ----------------------------------------------------------------------------------------------------------


def asked_run(asked: Mapping[str, Any]) -> ArenaRun:
    """The row of a new run, not saved.

    :param asked: its fields ``team_20``, ``team_31``, and what else was asked of ``unit`` and ``pairs``, ``seed``,
        ``rules``, ``stop``, ``recording``; there are defaults for the rest, and a seed by chance.
    """
    row = ArenaRun(
        **{
            "unit": "rounds",
            "pairs": 500,
            "seed": SystemRandom().getrandbits(31),
            "rules": "house",
            "target_score": 1000,
            **asked,
        }
    )
    row.batch_pairs = sensible_batch(row.pairs, cast(Unit, row.unit))
    return row


def open_run(name: str, asked: Mapping[str, Any], executor: Executor) -> StoredRun:
    """Opens a run: a new one, one that goes on, or one that is over, to be looked at.

    :param asked: as for :func:`asked_run`; a run that exists must be as was asked, as far as anything was.
    :param executor: what this sitting plays with.
    :raises RunError: if another process plays it, or the run is another one, or its code has changed since.
    :raises UnknownAgent: if one of its agents is not there (any more).
    """
    sign = timezone.now()
    try:
        return _open(name, asked, executor, sign)
    except BaseException:  # a second Ctrl-C comes when it likes
        with suppress(DatabaseError):  # the error itself tells more
            ArenaRun.objects.filter(name=name, state=State.RUNNING, updated=sign).update(state=State.STOPPED)
        raise


def _open(name: str, asked: Mapping[str, Any], executor: Executor, sign: datetime) -> StoredRun:
    sitting = {
        "state": State.RUNNING,
        "updated": sign,
        "executor": executor.name,
        "workers": executor.workers,
        "host": socket.gethostname(),
        "revision": git_revision(),
    }
    row = ArenaRun.objects.filter(name=name).first()
    if row is None:
        if "team_20" not in asked:
            raise RunError(f"There is no run {name} that could go on; a new one needs two teams.")
        return StoredRun(_create(name, asked, sitting))
    differences = [
        f"{field}={there!r}, not {value!r}" for field, value in asked.items() if (there := getattr(row, field)) != value
    ]
    if differences:
        raise RunError(f"There is a run {name} with {', '.join(differences)}: take another name for another run.")
    if row.state != State.FINISHED:
        _claim(row, sitting)
    return StoredRun(row)


def _create(name: str, asked: Mapping[str, Any], sitting: Mapping[str, Any]) -> ArenaRun:
    row = asked_run({"name": name, "code": own_code(), **asked, **sitting})
    try:
        with translation.override("en"):
            row.clean_fields()
        with transaction.atomic():
            row.save(force_insert=True)
            for slot, agent in enumerate(agents_of(row)):
                ArenaSeat.objects.create(run=row, slot=slot, version=version_of(agent))
    except ValidationError as error:
        raise RunError("; ".join(f"{field}: {' '.join(said)}" for field, said in error.message_dict.items())) from error
    except IntegrityError as error:
        raise RunError(f"Another command has begun {name} at the same time.") from error
    return row


def _claim(row: ArenaRun, sitting: Mapping[str, Any]) -> None:
    """Takes a run that nobody plays, by one conditional update."""
    changed = {
        seat.version.text
        for seat, agent in zip(row.seats.select_related("version"), agents_of(row), strict=True)
        if seat.version.checksum != agent.checksum()
    }
    if row.code != own_code():
        changed.add("the rules or the arena")
    if changed:
        raise RunError(
            f"{row.name} cannot go on: the code of {', '.join(sorted(changed))} has changed since, results would be "
            "mixed. Begin another run."
        )
    abandoned = ~Q(state=State.RUNNING) | Q(updated__lt=ArenaRun.silent_since())
    free = ArenaRun.objects.filter(abandoned, pk=row.pk).exclude(state=State.FINISHED)
    claimed = free.update(stop_requested=False, error="", **sitting)
    row.refresh_from_db()
    if not claimed and row.state != State.FINISHED:
        left = (row.updated - ArenaRun.silent_since()).total_seconds()
        raise RunError(
            f"{row.name} is being played by another command, on {row.host}. If that was killed, it can go on in "
            f"{max(1, round(left))} s."
        )


def agents_of(row: ArenaRun) -> list[AgentSpec]:
    """By slot (:mod:`arena.tally`)."""
    teams = parse_team(row.team_20), parse_team(row.team_31)
    return [teams[slot % 2].agents[slot // 2] for slot in range(4)]


def version_of(agent: AgentSpec) -> AgentVersion:
    """The row of the agent as it is now."""
    return AgentVersion.objects.get_or_create(name=agent.name, options=agent.options_text, checksum=agent.checksum())[0]


def in_name(team: str) -> str:
    """A team as the name of a run has it: short and without blanks."""
    return re.sub(r"[^\w.]+", "-", team)[:60].strip("-")


def git_revision() -> str:
    """Of the code that plays: a short hash, with a ``+`` if files differ from it; "" outside a repository."""
    git = shutil.which("git")
    if git is None:
        return ""
    answer = subprocess.run(  # noqa: S603 - no foreign text in it
        [git, "describe", "--always", "--exclude=*", "--dirty=+"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.stdout.strip()


# --- the ladder -------------------------------------------------------------------------------------------------------


def stored_pairings() -> list[Pairing]:
    """What versions have done against each other, by their primary keys: house rules, both partners alike.

    Runs of the same pairing with the same seed had the same deals: only the longest of them counts. Runs with a stop
    rule do not: where such a one ends, the mean is too far from the middle.
    """
    longest: dict[tuple[frozenset[str], int], Pairing] = {}
    runs = ArenaRun.objects.filter(rules="house", stop="none", pairs_played__gt=0).prefetch_related("seats")
    for run in runs.only("seed", "tally", "timing"):
        versions = [str(seat.version_id) for seat in run.seats.all()]
        one, other = versions[:2]
        if one == other or versions != [one, other, one, other]:
            continue
        pairing = Pairing(one, other, run.sums[0].round_score)
        key = frozenset((one, other)), run.seed
        if key not in longest or longest[key].score.n < pairing.score.n:
            longest[key] = pairing
    return list(longest.values())


def refresh_ratings(rungs: Mapping[str, Rung]) -> None:
    """Replaces the ladder, for all who look at it at once.

    :param rungs: by the primary keys of versions.
    """
    with transaction.atomic():
        Rating.objects.all().delete()
        Rating.objects.bulk_create(
            Rating(version_id=int(version), elo=rung.elo, low=rung.low, high=rung.high, rounds=rung.rounds)
            for version, rung in rungs.items()
        )


def open_slice(one: AgentVersion, other: AgentVersion, rounds: int, seed: int, executor: Executor) -> StoredRun:
    """Opens a run for the ladder: the last one of these versions if it is not over, else a new one with its own seed.

    :raises RunError: as :func:`open_run`.
    """
    prefix = f"ladder {in_name(one.text)} {in_name(other.text)} "
    last = ArenaRun.objects.filter(name__regex=rf"^{re.escape(prefix)}\d+$").order_by("-pk").first()
    if last and last.state != State.FINISHED and {seat.version_id for seat in last.seats.all()} == {one.pk, other.pk}:
        return open_run(last.name, {}, executor)
    number = int(last.name.removeprefix(prefix)) + 1 if last else 1
    name = f"{prefix}{number}"
    asked = {
        "team_20": one.text,
        "team_31": other.text,
        "pairs": -(-rounds // 2),
        "seed": Random(f"{seed} {name}").getrandbits(31),
    }
    return open_run(name, asked, executor)


def as_json(sums: Sums) -> Any:
    """As a JSON field takes it."""
    return msgspec.to_builtins(sums, str_keys=True)
