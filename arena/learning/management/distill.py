"""``manage.py train_agent distill``: a small policy learns to play as a large one."""

import sys
from contextlib import closing, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError, CommandParser

from arena.console import Interruption, LongCommand, Progress
from arena.learning.folder import POLICY, Folder, Line, TrainingError
from arena.learning.management.sitting import (
    add_common,
    check_common,
    clear_errors,
    facts_of,
    is_minutes,
    recorded,
    size_of,
    torch_on,
)
from games.tichu.agents.weights import Weights

if TYPE_CHECKING:
    from arena.learning.distilling import Sheet

HELP = "Trains a small policy to play as a large one, on rounds that both play."
EPILOG = """
FOLDER then holds policy.npz, which plays (agent policy:file=FOLDER/policy.npz), and log.jsonl. Ctrl-C or the end of the
time saves. At the end it plays against rule and against its teacher, which takes some minutes beyond the time.

examples:
  manage.py train_agent distill --teacher data/large --net 128x2 --out data/small
  manage.py train_agent distill --teacher large.npz --net 128x2 --rounds 500000 --seed 1 --device cpu --out data/small

exit status:
  0    the time is over; all is saved and measured
  1    it could not be trained; one line says why
  130  interrupted (143: by SIGTERM); what was learned is saved
"""
MINUTES = 10.0
NET = "128x2"
SAY_S = 30.0  # between two lines about how it goes


def add_arguments(parser: CommandParser) -> None:
    add = parser.add_argument
    add("--teacher", metavar="FOLDER|FILE", type=Path, required=True, help="a training, or a file that plays")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, help=f"how long (default: {MINUTES:g})")
    length.add_argument("--rounds", type=int, help="instead: until so many are played")
    add("--net", metavar="WIDTHxBLOCKS", default=NET, help="size of the student (default: %(default)s)")
    add("--no-measure", dest="measure", action="store_false", help="do not measure it in the end")
    add_common(add)


def run(command: LongCommand, **options: Any) -> None:
    check_common(**options)
    check(**options)
    with clear_errors(), redirect_stdout(sys.stderr), Interruption() as interruption:
        sheet = train(command, interruption, **options)
    command.stdout.write(text(sheet, options["out"]))
    if interruption.status:
        command.say(f"Interrupted. {options['out'] / POLICY} has what was learned.")
        sys.exit(interruption.status)


def check(*, minutes: float | None, rounds: int | None, **options: Any) -> None:
    """
    :raises CommandError: one of the options is wrong.
    """
    if minutes is not None and not (is_minutes(minutes) and minutes > 0):
        raise CommandError(f"--minutes must be more than 0, not {minutes:g}.")
    if rounds is not None and rounds < 1:
        raise CommandError(f"--rounds must be at least 1, not {rounds}.")


def train(
    command: LongCommand,
    interruption: Interruption,
    *,
    teacher: Path,
    minutes: float | None,
    rounds: int | None,
    net: str,
    measure: bool,
    out: Path,
    device: str,
    threads: int,
    seed: int | None,
    name: str | None,
    save: bool,
    **options: Any,
) -> "Sheet":
    """
    :raises TrainingError, CommandError: it cannot be trained.
    """
    on = torch_on(device, threads)
    import torch

    from arena.learning.distilling import Distillation, plan_for
    from arena.learning.nets import Policy
    from arena.learning.training import Budget

    facts = facts_of("distill", on, threads, seed)
    torch.manual_seed(facts["seed"])
    size = size_of(net)
    file = teacher / POLICY if teacher.is_dir() else teacher
    try:
        weights = Weights.load(file)
    except ValueError as error:
        raise TrainingError(str(error)) from error
    budget = Budget(minutes, rounds) if rounds is not None else Budget(minutes or MINUTES)
    total, unit = (
        (round(60 * budget.minutes), "seconds") if budget.minutes is not None else (budget.rounds or 1, "rounds")
    )
    with (
        closing(Folder(out)) as folder,
        recorded(folder, facts, interruption, command.say, save=save, name=name) as pulse,
        Progress(unit, command.say, pause=SAY_S) as progress,
    ):
        command.say(f"{out}: {size} from {weights.net} on {facts['device']}, {threads} threads, seed {facts['seed']}")
        remark = ""

        def hear(line: Line) -> None:
            nonlocal remark
            if line["kind"] == "progress":
                remark = (
                    f"{line['rounds_per_second']:,.0f} rounds/s, loss {line['loss']:.4f}, same answer "
                    f"{line['same']:.1%}, same calls {line['same_calls']:.1%}"
                )

        def show(fraction: float) -> bool:
            if fraction < 1:
                progress(int(fraction * total), total, remark)
            return pulse()

        folder.listeners.append(hear)
        student, large = Policy(size).to(on), Policy.of(weights).requires_grad_(False).to(on)
        plan = plan_for(on.type, size, weights.sheet)
        return Distillation(student, large, file.name, weights.sheet, plan, budget, folder, facts, measure, show).run()


def text(sheet: "Sheet", out: Path) -> str:
    """What has come of it."""
    lines = [f"{out / POLICY}: {sheet.net}, {sheet.minutes:,.1f} minutes, {sheet.rounds:,} rounds"]
    if sheet.same is not None:
        lines.append(f"the answer of its teacher: {sheet.same:.1%}")
    for one in sheet.strength:
        points = one.points
        lines.append(
            f"{points.mean:+.1f} ({points.low:+.1f} to {points.high:+.1f}) points a round over {one.opponent}, "
            f"{one.played:,} rounds"
        )
    return "\n".join(lines)
