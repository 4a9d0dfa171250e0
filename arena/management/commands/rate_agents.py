"""``manage.py rate_agents``: rates agents by what they have played, and has them play what is missing.

1. Collects what is stored: all runs between the same versions of the agents, house rules, both partners alike.
2. Fits the ladder (:mod:`arena.ratings`), ``random`` being 0, and refreshes the rows of :class:`arena.models.Rating`.
3. Lets a pairing play a slice, as an ordinary run named ``ladder ...``: one that has played nothing yet; else the one
   that narrows the widest interval most. Then again from 1, until each interval is narrow enough.
4. Prints the ladder to standard output.

What was rated before stays on the ladder, except for other versions of the same agents.
"""

import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from itertools import combinations
from random import SystemRandom
from typing import Any

import numpy as np
from django.core.management.base import CommandError
from msgspec import Struct, json

from arena.console import Interruption, LongCommand
from arena.executors import Pool, usable_cores
from arena.management.sitting import FAULTY, RunProgress, checked_team, clear_errors, faults_in
from arena.models import AgentVersion
from arena.ratings import ELO, Rung, ladder
from arena.reporting import report
from arena.runs import open_slice, refresh_ratings, stored_pairings, version_of
from arena.teams import READY, parse_team

ANCHOR = "random"
SLICE = 1000  # rounds; a quarter of what the pairing has, if that is more


class Rated(Struct):
    """A rung as it is printed.

    :ivar checksum: of the agent's code.
    :ivar low, high: the 95 % interval.
    :ivar rounds: that it rests on.
    """

    agent: str
    checksum: str
    elo: float
    low: float
    high: float
    rounds: int


class Command(LongCommand):
    help = (
        "Rates agents against each other, `random` being 0: plays the missing pairings until every interval is narrow "
        "enough. All stored runs of the same versions count. After Ctrl-C the same command goes on. The exit status is "
        "that of run_arena."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add(
            "agents",
            metavar="AGENT",
            nargs="*",
            help="agent[:key=value,...]; default: all built-in ones that need no file",
        )
        add("--width", type=float, default=40, help="of each 95 %% interval at most, in Elo (default: %(default)s)")
        add(
            "--rounds-at-most",
            type=int,
            default=50_000,
            metavar="N",
            help="for each pairing, though intervals stay wider (default: %(default)s)",
        )
        add("--seed", type=int, help="of what is played")
        add("--workers", type=int, default=usable_cores(), help="processes (default: %(default)s)")
        add("--json", action="store_true", help="print the ladder as JSON: agent, checksum, elo, low, high, rounds")

    def handle(
        self, *, agents: list[str], width: float, rounds_at_most: int, seed: int | None, workers: int, **options: Any
    ) -> None:
        if not width > 0 or rounds_at_most < 2 or workers < 1:
            raise CommandError("--width and --workers must be more than 0, --rounds-at-most more than 1.")
        if seed is None:
            seed = SystemRandom().getrandbits(31)
        has_faults = False
        with clear_errors(), redirect_stdout(sys.stderr), Interruption() as interruption, Pool(workers) as executor:
            versions = {str(version.pk): version for version in map(version_to_rate, [ANCHOR, *(agents or READY)])}
            slices = 0
            while True:
                rungs, played = rate(versions)
                pair = next_pair(list(versions), rungs, played, width, rounds_at_most)
                if pair is None or interruption():
                    break
                so_far = played[frozenset(pair)]
                rounds = min(max(SLICE, so_far // 4), rounds_at_most - so_far)
                with open_slice(versions[pair[0]], versions[pair[1]], rounds, seed, executor) as run:
                    self.say(f"{run.row.name}: {2 * run.job.pairs:,} rounds, seed {run.job.seed}")
                    with RunProgress(run, self.say) as progress:
                        interruption.is_playing = True
                        run.play(executor, progress, interruption)
                slices += 1
                if faults := faults_in(report(run.job, run.tally, run.timing, run.seconds)):
                    has_faults = True
                    self.say(f"Replaced by legal actions: {faults}")
                if not run.is_over and not interruption():
                    raise CommandError(f"{run.row.name} was stopped in the admin; the same command goes on with it.")
        if not slices and not interruption():
            self.say("Nothing is missing: nothing was played.")
        if wide := wider(versions, rungs, width):
            names = ", ".join(versions[key].text + ("" if key in rungs else " (no rating yet)") for key in wide)
            why = "interrupted" if interruption() else f"at most {rounds_at_most:,} rounds for each pairing"
            self.say(f"Still wider than {width:g} Elo ({why}): {names}")
        if interruption():
            self.say("The same command goes on.")
        self._print(rungs, as_json=options["json"])
        if status := interruption.status or (FAULTY if has_faults else 0):
            sys.exit(status)

    def _print(self, rungs: Mapping[str, Rung], *, as_json: bool) -> None:
        versions = AgentVersion.objects.in_bulk([int(version) for version in rungs])
        rated = [
            Rated(versions[int(key)].text, versions[int(key)].checksum, rung.elo, rung.low, rung.high, rung.rounds)
            for key, rung in rungs.items()
        ]
        if as_json:
            self.stdout.write(json.format(json.encode(rated)).decode())
            return
        self.stdout.write(f"{'Elo':>6}  {'95 % interval':>15}  {'rounds':>10}  agent")
        for one in rated:
            interval = f"{one.low:+.0f} to {one.high:+.0f}"
            self.stdout.write(f"{one.elo:+6.0f}  {interval:>15}  {one.rounds:>10,}  {one.agent} {one.checksum[:7]}")


def version_to_rate(text: str) -> AgentVersion:
    """
    :raises UnknownAgent, CommandError: if it is no agent.
    """
    agent, partner = parse_team(checked_team(text)).agents
    if agent != partner:
        raise CommandError(f"{text} are two agents; each is rated for itself.")
    return version_of(agent)


def rate(versions: Mapping[str, AgentVersion]) -> tuple[dict[str, Rung], Counter[frozenset[str]]]:
    """Fits the ladder to what is stored, and refreshes it.

    :param versions: by their primary keys, the anchor first.
    :result: the ladder; how many rounds each pair of versions has played.
    """
    agents = {(version.name, version.options) for version in versions.values()}
    others = AgentVersion.objects.filter(rating__isnull=False)
    members = {*versions, *(str(one.pk) for one in others if (one.name, one.options) not in agents)}
    pairings = [pairing for pairing in stored_pairings() if members.issuperset((pairing.one, pairing.other))]
    played = Counter[frozenset[str]]()
    for pairing in pairings:
        played[frozenset((pairing.one, pairing.other))] += int(pairing.score.n)
    rungs = ladder(pairings, next(iter(versions)))
    refresh_ratings(rungs)
    return rungs, played


def wider(versions: Mapping[str, AgentVersion] | Sequence[str], rungs: Mapping[str, Rung], width: float) -> list[str]:
    """Those with a wider interval, or none, the widest first."""
    widths = {version: rungs[version].high - rungs[version].low if version in rungs else np.inf for version in versions}
    return sorted((version for version in widths if widths[version] > width), key=lambda version: -widths[version])


def next_pair(
    versions: Sequence[str],
    rungs: Mapping[str, Rung],
    played: Counter[frozenset[str]],
    width: float,
    rounds_at_most: int,
) -> tuple[str, str] | None:
    """Who plays next: a pair that has not met, else the one of which a slice narrows the widest interval most.

    A round between agents whose rates of winning are p and 1 - p tells p (1 - p); the inverse of the sums is the
    covariance of the ratings (Fisher's information), and what more rounds do to it follows from Sherman & Morrison.

    :param versions: the anchor first.
    :result: None if there is no need, or nothing may be played.
    """
    pairs = list(combinations(range(len(versions)), 2))
    rounds = {pair: played[frozenset((versions[pair[0]], versions[pair[1]]))] for pair in pairs}
    unmet = [pair for pair in pairs if not rounds[pair]]
    open_pairs = [pair for pair in pairs if rounds[pair] < rounds_at_most - 1]
    if unmet:
        return versions[unmet[0][0]], versions[unmet[0][1]]
    wide = wider(versions, rungs, width)
    if not wide or not open_pairs:
        return None
    strengths = np.array([rungs[version].elo for version in versions]) / ELO
    rates = 1 / (1 + np.exp(strengths - strengths[:, None]))
    tells = rates * (1 - rates)
    information = np.zeros_like(tells)
    for one, other in pairs:
        information[one, other] = information[other, one] = -rounds[one, other] * tells[one, other]
    np.fill_diagonal(information, -information.sum(axis=1))
    covariance = np.zeros_like(tells)
    covariance[1:, 1:] = np.linalg.inv(information[1:, 1:])
    of_widest = covariance[versions.index(wide[0])]

    def gain(pair: tuple[int, int]) -> float:
        one, other = pair
        spread = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
        return float((of_widest[one] - of_widest[other]) ** 2 / (1 / (SLICE * tells[pair]) + spread))

    best = max(open_pairs, key=gain)
    return versions[best[0]], versions[best[1]]
