"""Made-up trainings, as the command leaves them in the database."""

from math import exp
from typing import Any

from django.utils import timezone

from arena.learning.folder import Line
from arena.learning.models import TrainingRun

COMMAND = "manage.py train_agent selfplay --minutes 20 --net 128x2 --out data/laptop"


def curve(minutes: float = 20) -> list[Line]:
    """Lines of a log, one of progress each half a minute, strength every two."""
    lines: list[Line] = []
    for step in range(1, round(minutes * 2) + 1):
        time = step / 2
        learned = 1 - exp(-time / 6)
        rounds = 5000 * step
        calls = {"count": round(2000 * learned), "made": round(900 * learned), "expected": 1000 * learned}
        lines.append(
            {
                "kind": "progress",
                "minutes": time,
                "rounds": rounds,
                "rounds_per_second": 160.0,
                "loss": 0.02,
                "critic_loss": 1.2,
                "entropy": 1.3 - learned,
                "divergence": 0.001,
                "explained": None if step == 1 else 0.8 * learned,
                "tichu": calls,
                "grand": {key: value / 5 for key, value in calls.items()},
                "seats": 20_000,
            }
        )
        if step % 4 == 0:
            for opponent, best in (("rule", 55), ("random", 240)):
                mean = best * learned - (best == 55) * 100 * (1 - learned)
                points = {"mean": mean, "low": mean - 8, "high": mean + 8}
                lines.append(
                    {
                        "kind": "strength",
                        "minutes": time,
                        "rounds": rounds,
                        "opponent": opponent,
                        "points": points,
                        "played": 1000,
                        "panel": {},
                    }
                )
    return lines


def sheet_of(lines: list[Line], pieces: int = 1) -> dict[str, Any]:
    """What the files say."""
    piece = {
        "kind": "selfplay",
        "command": COMMAND,
        "device": "Some Processor (R) at 2 GHz",
        "threads": 2,
        "seed": 7,
        "revision": "0123abc",
        "date": "2026-11-28",
        "minutes": 20.0,
        "rounds": 200_000,
        "plan": {"policy": "128x2"},
    }
    last = {line["opponent"]: line for line in lines if line["kind"] == "strength"}
    keys = ("opponent", "minutes", "rounds", "points", "played")
    return {
        "kind": "policy",
        "net": "128x2",
        "minutes": 20.0 * pieces,
        "rounds": 200_000 * pieces,
        "pieces": [piece] * pieces,
        "strength": [{key: line[key] for key in keys} for line in last.values()],
        "calls": {
            "tichu": {"per_hand": 0.123, "made": 0.58, "expected": 0.6},
            "grand": {"per_hand": 0.021, "made": None, "expected": None},
        },
    }


def stored_training(name: str = "laptop", minutes: float = 20, pieces: int = 1, **fields: Any) -> TrainingRun:
    """``stored_training("laptop", state="running")``.

    :param fields: of the run, where they are to be others.
    """
    lines = curve(minutes)
    files = ("policy.npz", 600_000), ("actor.npz", 700_000), ("critic.npz", 500_000), ("log.jsonl", 30_000)
    return TrainingRun.objects.create(
        **{
            "name": name,
            "kind": "selfplay",
            "command": COMMAND,
            "state": "finished",
            "folder": "/home/somebody/tichu/data/laptop",
            "device": "Some Processor (R) at 2 GHz",
            "threads": 2,
            "seed": 7,
            "host": "here",
            "revision": "0123abc",
            "updated": timezone.now(),
            "finished": timezone.now(),
            "minutes": minutes,
            "rounds": 200_000,
            "curve": lines,
            "sheet": sheet_of(lines, pieces),
            "files": [{"name": file, "bytes": size, "sha256": f"{size:064x}"} for file, size in files],
            **fields,
        }
    )
