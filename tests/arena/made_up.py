"""Made-up runs, as the command leaves them in the database."""

from datetime import timedelta
from random import Random
from typing import Any

import msgspec
from django.utils import timezone

from arena.models import AgentVersion, ArenaBatch, ArenaRun, ArenaSeat
from arena.tally import Tally, Timing

DRAWN = [-300, -200, -100, -60, -20, 0, 20, 60, 100, 140, 200, 300]


def made_up(rng: Random, pairs: int, lead: int = 20) -> Tally:
    """What a batch might bring; the first team is ``lead`` points a round ahead."""
    tally = Tally()
    for _ in range(pairs):
        differences = [rng.choice(DRAWN) + lead for _ in range(2)]
        tally.points.add(sum(differences), 2)
        tally.round_score.add(sum(tally.round_outcomes.add(difference) for difference in differences), 2)
        for difference in differences:
            tally.results[difference] = tally.results.get(difference, 0) + 1
    tally.rounds, tally.tricks = 2 * pairs, 22 * pairs
    for slot, behaviour in enumerate(tally.behaviour):
        behaviour.rounds = 2 * pairs
        behaviour.decisions = 40 * pairs
        behaviour.first_out = pairs // 2
        behaviour.double_victories = pairs // (4 + slot % 2)
        behaviour.bombs = pairs // 5
        behaviour.dragon_right, behaviour.dragon_left = pairs // 4, pairs // 3
        behaviour.wishes[0], behaviour.wishes[14] = pairs // 10, pairs // 3
        if slot % 2 == 0:
            behaviour.tichu, behaviour.tichu_made = pairs // 4, pairs // 6
            behaviour.grand, behaviour.grand_made = pairs // 12, pairs // 20
    return tally


def made_up_timing(pairs: int) -> Timing:
    """How long that might take."""
    decisions = [{100: 30 * pairs, 120: 10 * pairs} for _ in range(4)]
    return Timing(seconds=pairs / 500, cpu_seconds=pairs / 500, decisions=decisions)


def stored_run(name: str = "duel", batches: int = 3, batch_pairs: int = 50, **fields: Any) -> ArenaRun:
    """A run whose batches are all there: ``stored_run("duel", state="running", pairs=1000)``.

    :param fields: of the run, where they are to be others.
    """
    rng = Random(name)
    tally, rows = Tally(), []
    for number in range(batches):
        its_tally, its_timing = made_up(rng, batch_pairs), made_up_timing(batch_pairs)
        tally += its_tally
        rows.append(ArenaBatch(number=number, tally=as_json(its_tally), timing=as_json(its_timing)))
    run = ArenaRun.objects.create(
        **{
            "name": name,
            "team_20": "rule",
            "team_31": "random",
            "unit": "rounds",
            "pairs": max(1, batches * batch_pairs),
            "batch_pairs": batch_pairs,
            "seed": 7,
            "rules": "house",
            "target_score": 1000,
            "state": "finished",
            "executor": "pool",
            "workers": 2,
            "host": "here",
            "revision": "0123abc",
            "updated": timezone.now(),
            "finished": timezone.now() + timedelta(seconds=2),
            "seconds": 2.0,
            "batches_played": batches,
            "pairs_played": tally.pairs,
            "tally": as_json(tally),
            "timing": as_json(made_up_timing(tally.pairs)),
            **fields,
        }
    )
    for slot in range(4):
        agent = (run.team_20, run.team_31)[slot % 2]
        ArenaSeat.objects.create(run=run, slot=slot, version=version(agent))
    for row in rows:
        row.run = run
    ArenaBatch.objects.bulk_create(rows)
    return run


def version(text: str) -> AgentVersion:
    """A version of an agent, as a team names it."""
    name, _, options = text.partition(":")
    return AgentVersion.objects.get_or_create(name=name, options=options, checksum=f"{len(text):064x}")[0]


def as_json(sums: Tally | Timing) -> Any:
    return msgspec.to_builtins(sums, str_keys=True)
