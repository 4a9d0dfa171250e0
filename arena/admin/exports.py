"""Runs as files: a line of CSV for each, or its report as JSON."""

import csv
import io
from collections.abc import Iterable
from math import isfinite
from typing import Any

import msgspec
from django.http import HttpResponse

from arena.admin.report import report_of
from arena.models import ArenaRun

# The columns of the CSV: fields of a run, then of its report (arena.reporting), intervals as mean, low and high.
RUN_COLUMNS = [
    "name", "state", "team_20", "team_31", "unit", "rules", "target_score", "pairs", "batch_pairs", "seed", "stop",
    "verdict", "host", "revision", "executor", "workers", "created", "finished",
]  # fmt: skip
REPORT_COLUMNS = [
    "pairs_played", "rounds", "matches", "points", "points_low", "points_high", "win_rate", "win_rate_low",
    "win_rate_high", "wins", "draws", "losses", "elo", "elo_low", "elo_high", "rounds_per_match", "tricks_per_round",
    "decisions_per_round", "seconds", "rounds_per_second", "cpu_seconds", "raised", "illegal", "late",
]  # fmt: skip


def as_csv(runs: Iterable[ArenaRun]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(RUN_COLUMNS + REPORT_COLUMNS)
    for run in runs:
        found = report_of(run)
        values: list[Any] = [getattr(run, column) for column in RUN_COLUMNS]
        values += [found.pairs, found.rounds, found.matches]
        for interval in (found.points_per_round, found.win_rate):
            values += msgspec.structs.astuple(interval)
        values += [found.wins, found.draws, found.losses, *msgspec.structs.astuple(found.elo)]
        values += [found.rounds_per_match, found.tricks_per_round, found.decisions_per_round]
        values += [found.seconds, found.rounds_per_second, found.cpu_seconds, *msgspec.structs.astuple(found.faults)]
        writer.writerow([_cell(value) for value in values])
    return text.getvalue()


def _cell(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula gets an apostrophe (OWASP, CSV injection); what is no number
    stays empty."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return "" if isinstance(value, float) and not isfinite(value) else value


def as_json(runs: Iterable[ArenaRun]) -> bytes:
    """A list of ``{"name", "state", "created", "report"}``."""
    entries = ({"name": run.name, "state": run.state, "created": run.created, "report": report_of(run)} for run in runs)
    # Each is encoded at once: many of them are smaller as text.
    return b"[\n" + b",\n".join(map(msgspec.json.encode, entries)) + b"\n]\n"


def download(content: str | bytes, name: str, kind: str) -> HttpResponse:
    """Whole: Django compresses each part of a stream by itself, and browsers read no further than the first one."""
    return HttpResponse(content, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
