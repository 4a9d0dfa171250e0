"""``manage.py train_agent export``: the file of a training that plays, by itself, and what it says about itself."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from arena.console import LongCommand
from arena.learning.folder import POLICY
from games.tichu.agents.weights import Weights

HELP = "Writes the file of a training that plays, and prints what it says about itself."
EPILOG = """
The file has the average weights of the training, floats of 16 bits; numpy is enough to play with it.

examples:
  manage.py train_agent export data/first --to strong.npz
  manage.py train_agent export data/first/policy.npz --to strong.npz --note "of the night of the full moon"
"""


def add_arguments(parser: CommandParser) -> None:
    add = parser.add_argument
    add("source", metavar="FOLDER|FILE", type=Path, help="of a training, or a file that plays")
    add("--to", metavar="FILE", type=Path, required=True, help="takes the place of what is there")
    add("--note", help="to stand in the file's data sheet")


def run(command: LongCommand, *, source: Path, to: Path, note: str | None, **options: Any) -> None:
    try:
        weights = Weights.load(source / POLICY if source.is_dir() else source)
        if note is not None:
            weights = replace(weights, sheet={**weights.sheet, "note": note})
        weights.save(to)
    except (OSError, ValueError) as error:
        raise CommandError(str(error)) from error
    data = to.read_bytes()
    command.stdout.write(f"{to}: {weights.net}, {len(data):,} bytes, sha256 {sha256(data).hexdigest()}")
    command.stdout.write(json.dumps(weights.sheet, indent=2, ensure_ascii=False))
