"""``manage.py train_agent export``: the file of a training that plays, by itself, and what it says about itself."""

import json
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from msgspec import to_builtins

from arena.console import Interruption, LongCommand
from arena.executors import ExecutorError
from arena.learning.averaging import mean_of
from arena.learning.folder import POLICY
from arena.learning.ladder import measured_at_last
from arena.learning.management.sitting import origin_of
from games.tichu.agents.weights import Weights

HELP = "Writes the file of a training that plays, or the mean of several, and prints what it says about itself."
EPILOG = """
The file has the average weights of the training, floats of 16 bits; numpy is enough to play with it.

Of several trainings that went on from the same one (--init) the mean of the weights is written, which is often
better than any of them. It is measured before, which takes a minute; Ctrl-C then leaves what is there as it is.

examples:
  manage.py train_agent export data/first --to strong.npz
  manage.py train_agent export data/first/policy.npz --to strong.npz --note "of the night of the full moon"
  manage.py train_agent export data/one data/other --to stronger.npz

exit status:
  0    the file is written
  1    it could not be; one line says why
  130  interrupted (143: by SIGTERM); nothing is written
"""


def add_arguments(parser: CommandParser) -> None:
    add = parser.add_argument
    add("sources", metavar="FOLDER|FILE", type=Path, nargs="+", help="of a training, or a file that plays")
    add("--to", metavar="FILE", type=Path, required=True, help="takes the place of what is there")
    add("--note", help="to stand in the file's data sheet")
    add("--no-measure", dest="measure", action="store_false", help="do not measure the mean of several")


def run(
    command: LongCommand, *, sources: list[Path], to: Path, note: str | None, measure: bool, **options: Any
) -> None:
    try:
        policies = [Weights.load(source / POLICY if source.is_dir() else source) for source in sources]
        weights = policies[0]
        if len(policies) > 1:
            weights = mean_of(policies, origin_of("mean"))
            weights = measured(command, weights) if measure else weights
        if note is not None:
            weights = replace(weights, sheet={**weights.sheet, "note": note})
        weights.save(to)
    except (OSError, ValueError, ExecutorError) as error:
        raise CommandError(str(error)) from error
    data = to.read_bytes()
    command.stdout.write(f"{to}: {weights.net}, {len(data):,} bytes, sha256 {sha256(data).hexdigest()}")
    command.stdout.write(json.dumps(weights.sheet, indent=2, ensure_ascii=False))


def measured(command: LongCommand, weights: Weights) -> Weights:
    """The same, with its strength in the data sheet.

    :raises ExecutorError: it could not be played.
    """
    with Interruption() as interruption:
        interruption.is_playing = True
        command.say("The mean is measured, for a minute or so.")
        found = measured_at_last(weights, weights.sheet["minutes"], weights.sheet["rounds"], interruption)
    if interruption.status:
        command.say("Interrupted. Nothing is written.")
        sys.exit(interruption.status)
    return replace(weights, sheet={**weights.sheet, "strength": to_builtins([one.strength for one in found])})
