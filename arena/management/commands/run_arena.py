"""``manage.py run_arena``: plays two teams against each other and says how much better one is.

1. Checks what is asked, and makes each agent once: whatever is wrong is said before anything starts.
2. Opens the run: a new one, or the one with this name, which goes on. With ``--no-save`` no database is touched.
3. Plays batch by batch, and stores each with the sums of all, until the run is over, its stop rule has found a verdict,
   or it is to stop: by Ctrl-C, SIGTERM, or in the admin.
4. Prints the report to standard output. Progress and all else that is said go to standard error.
"""

import os
import re
import secrets
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, get_args

from django.core.management.base import CommandError
from django.utils import timezone
from msgspec import json

from arena.console import Interruption, LongCommand
from arena.executors import Dask, Executor, Pool, usable_cores
from arena.jobs import Rules
from arena.management.sitting import FAULTY, RunProgress, checked_team, clear_errors, faults_in
from arena.reporting import report, text
from arena.runs import Run, asked_run, in_name, open_run
from arena.stopping import parse_stop

MOST = 10**12  # rounds or games of a run
EPILOG = """
A team is agent[:key=value,...], for both partners, or agent+agent. An agent is a built-in one (rule, random, policy,
behavior), an entry point of the group tichu.agents, or the dotted path of a class; its option limit=SECONDS (30) is the
longest that a decision may take. All is played in pairs: the same deals twice, the second time with the partnerships
exchanged.

examples:
  manage.py run_arena rule random
  manage.py run_arena rule random --rounds 20000 --seed 1 --json | jq .points_per_round
  manage.py run_arena rule my.module.MyAgent:depth=3 --games 400 --stop sprt:0,5
  manage.py run_arena rule+random random --no-save
  manage.py run_arena policy:file=data/net.npz rule
  manage.py run_arena rule random --rounds 1000000 --name night --record data/night.rounds
  manage.py run_arena --name night            goes on after Ctrl-C, or prints the report again

exit status:
  0    all is well, also if somebody has stopped the run in the admin
  1    it could not be played; one line says why
  3    it was played, but agents raised, answered illegally or were late; each time a legal action took the place
  130  interrupted (143: by SIGTERM); what was played is reported and stored
"""


class Command(LongCommand):
    epilog = EPILOG
    help = "Plays two teams against each other and says how much better one is, with an honest interval."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("team_20", metavar="TEAM20", nargs="?", help="sits on seats 2 and 0 at first")
        add("team_31", metavar="TEAM31", nargs="?", help="sits on seats 3 and 1 at first")
        # A thousand rounds take seconds, and show whether there is a difference of about ten points per round.
        add("--rounds", type=int, help="single rounds from 0:0, rounded up to whole pairs (default: 1000)")
        add("--games", type=int, help="instead: matches up to 1000 points, rounded up to whole pairs")
        add("--seed", type=int, help="of the deals and of all chance; with the same one the result is the same")
        add("--workers", type=int, default=usable_cores(), help="processes (default: %(default)s)")
        add("--executor", choices=["pool", "dask"], default="pool", help="where it is played (default: pool)")
        add("--scheduler", metavar="tcp://...", help="a Dask cluster that is there; without it a local one is started")
        add("--stop", metavar="RULE", help="none (default), decided, rate[:0.55], or sprt[:0,5] (points per round)")
        add("--rules", choices=get_args(Rules), help="default: house")
        add("--name", help="of the run; one that is not over goes on")
        add("--record", metavar="FILE", help="write down all rounds (arena/trajectories.py)")
        add("--no-save", dest="save", action="store_false", help="leave the database alone")
        add("--json", action="store_true", help="print the report as JSON (arena/reporting.py)")

    def handle(self, *, save: bool, name: str | None, **options: Any) -> None:
        with clear_errors(), redirect_stdout(sys.stderr), Interruption() as interruption:
            asked = asked_by(save=save, name=name, **options)
            executor = executor_of(**options)
            with open_run(name or new_name(asked), asked, executor) if save else Run(asked_run(asked)) as run:
                self._say_which(run)
                if not run.is_over:
                    try:
                        with executor, RunProgress(run, self.say) as progress:
                            interruption.is_playing = True
                            run.play(executor, progress, interruption)
                    finally:
                        if save and not run.is_over:
                            self.say(f"It goes on with: manage.py run_arena --name {shlex.quote(run.row.name)}")
        result = report(run.job, run.tally, run.timing, run.seconds, run.row.verdict or None)
        self.stdout.write(json.format(json.encode(result)).decode() if options["json"] else text(result))
        if faults := faults_in(result):
            self.say(f"Replaced by legal actions: {faults}")
        if status := interruption.status or (FAULTY if faults else 0):
            sys.exit(status)

    def _say_which(self, run: Run) -> None:
        name, job = run.row.name or "A run that is not saved", run.job
        if run.is_over:
            self.say(f"{name} is over; this is its report.")
        else:
            self.say(
                f"{name}: {' against '.join(job.teams)}, {2 * job.pairs:,} {job.unit}, seed {job.seed}"
                + (f", {2 * run.tally.pairs:,} played already" if run.batches else "")
            )


def asked_by(
    *,
    team_20: str | None,
    team_31: str | None,
    rounds: int | None,
    games: int | None,
    seed: int | None,
    stop: str | None,
    rules: str | None,
    record: str | None,
    name: str | None,
    save: bool,
    **options: Any,
) -> dict[str, Any]:
    """The fields of a run that the arguments give (:func:`arena.runs.asked_run`).

    :raises CommandError, UnknownAgent: one of them is wrong.
    """
    asked: dict[str, Any] = {}
    if name is not None and not 0 < len(name) <= 200:
        raise CommandError("--name must have 1 to 200 characters.")
    if team_20 is None and (name is None or not save):
        raise CommandError("Which teams? For example: manage.py run_arena rule random")
    if team_20 is not None:
        if team_31 is None:
            raise CommandError(f"{team_20} needs another team to play against.")
        asked |= {"team_20": checked_team(team_20), "team_31": checked_team(team_31)}
    if rounds is not None and games is not None:
        raise CommandError("Either --rounds or --games.")
    for unit, number in ("rounds", rounds), ("games", games):
        if number is not None:
            if not 1 <= number <= MOST:
                raise CommandError(f"--{unit} must be from 1 to {MOST:,}, not {number}.")
            asked |= {"unit": unit, "pairs": -(-number // 2)}
    if seed is not None:
        if not 0 <= seed < 2**63:
            raise CommandError(f"--seed must be from 0 to 2**63 - 1, not {seed}.")
        asked["seed"] = seed
    if stop is not None:
        try:
            asked["stop"] = parse_stop(stop).text
        except ValueError as error:
            raise CommandError(f"--stop: {error}") from error
    if rules is not None:
        asked["rules"] = rules
    if record is not None:
        folder = Path(record).resolve().parent
        if not folder.is_dir() or not os.access(folder, os.W_OK) or Path(record).is_dir():
            raise CommandError(f"--record {record}: no file can be written there.")
        asked["recording"] = str(Path(record).resolve())
    if name is not None and not save:
        raise CommandError("Only runs that are saved have a --name.")
    return asked


def executor_of(*, executor: str, workers: int, scheduler: str | None, **options: Any) -> Executor:
    """
    :raises CommandError, ExecutorError: there is none like this.
    """
    if workers < 1:
        raise CommandError(f"--workers must be at least 1, not {workers}.")
    if executor == "dask":
        if scheduler is not None and not re.fullmatch(r"[a-z]+://.+:\d+", scheduler):
            raise CommandError(f"--scheduler must be an address like tcp://one:8786, not {scheduler!r}.")
        return Dask(workers, scheduler)
    if scheduler is not None:
        raise CommandError("--scheduler is for --executor dask.")
    return Pool(workers)


def new_name(asked: Mapping[str, Any]) -> str:
    """Tells the teams and the time; nobody else takes it."""
    teams = [in_name(asked["team_20"]), in_name(asked["team_31"])]
    return "-".join([*teams, f"{timezone.now():%Y%m%d-%H%M%S}", secrets.token_hex(2)])
