"""``manage.py train_agent imitate``: a policy learns to play as others did, from their recorded rounds."""

import sys
from contextlib import closing, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError, CommandParser

from arena.console import Interruption, LongCommand, Progress
from arena.learning.dataset import Dataset, DatasetError, gather
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

if TYPE_CHECKING:
    from arena.learning.imitation import Assessment

HELP = "Trains a policy to play as others did, from their recorded rounds."
EPILOG = """
A FILE is what bw_export has written (json or npz), a log (.tch), a zip or folder of logs, or what run_arena --record
has written. All rounds are first read into shards in FOLDER, some 300 bytes each, which go when it is over. FOLDER then
holds policy.npz, which plays (agent behavior:file=FOLDER/policy.npz), and log.jsonl. Ctrl-C or the end of the time
saves.

Only bw_export --format json says how strong players were. The Elo is that of now, not of when they played.

examples:
  manage.py train_agent imitate rounds.jsonl --out data/people
  manage.py train_agent imitate rounds.jsonl --min-elo 1800 --minutes 60 --net 512x3 --out data/masters
  manage.py train_agent imitate 2012.zip --epochs 2 --seed 1 --device cpu --no-save --out data/2012

exit status:
  0    the time is over; all is saved and assessed
  1    it could not be trained; one line says why
  130  interrupted (143: by SIGTERM); what was learned is saved
"""
MINUTES = 10.0
NET = "256x2"
VALIDATION = 0.05
SAY_S = 30.0  # between two lines about how it goes


def add_arguments(parser: CommandParser) -> None:
    add = parser.add_argument
    add("files", metavar="FILE", nargs="+", type=Path)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, help=f"how long it learns (default: {MINUTES:g})")
    length.add_argument("--epochs", type=float, help="instead: passes over all decisions")
    add("--net", metavar="WIDTHxBLOCKS", default=NET, help="size of the policy (default: %(default)s)")
    add("--min-elo", type=float, help="learn only from players who have so much")
    add(
        "--validation",
        metavar="SHARE",
        type=float,
        default=VALIDATION,
        help="of the games, from which is not learned; they tell how well it is done (default: %(default)g)",
    )
    add_common(add)


def run(command: LongCommand, **options: Any) -> None:
    check_common(**options)
    check(**options)
    with clear_errors(), redirect_stdout(sys.stderr), Interruption() as interruption:
        try:
            assessment = train(command, interruption, **options)
        except DatasetError as error:
            raise TrainingError(str(error)) from error
    if assessment is not None:
        command.stdout.write(text(assessment, options["out"]))
    if interruption.status:
        policy = options["out"] / POLICY
        command.say(f"Interrupted. {f'{policy} has what was' if policy.exists() else 'Nothing was'} learned.")
        sys.exit(interruption.status)


def check(*, files: list[Path], minutes: float | None, epochs: float | None, validation: float, **options: Any) -> None:
    """
    :raises CommandError: one of the options is wrong.
    """
    if minutes is not None and not (is_minutes(minutes) and minutes > 0):
        raise CommandError(f"--minutes must be more than 0, not {minutes:g}.")
    if epochs is not None and not 0 < epochs <= 10**6:
        raise CommandError(f"--epochs must be more than 0, not {epochs:g}.")
    if not 0 < validation < 1:
        raise CommandError(f"--validation must be more than 0 and less than 1, not {validation:g}.")
    if missing := [str(path) for path in files if not path.exists()]:
        raise CommandError(f"There is no {missing[0]}.")


def train(
    command: LongCommand,
    interruption: Interruption,
    *,
    files: list[Path],
    minutes: float | None,
    epochs: float | None,
    net: str,
    min_elo: float | None,
    validation: float,
    out: Path,
    device: str,
    threads: int,
    seed: int | None,
    name: str | None,
    save: bool,
    **options: Any,
) -> "Assessment | None":
    """
    :result: None if somebody interrupted before there was one.
    :raises TrainingError, DatasetError, CommandError: it cannot be trained.
    """
    on = torch_on(device, threads)
    import torch

    from arena.learning.imitation import Budget, Imitation, plan_for
    from arena.learning.nets import Policy

    facts = facts_of("imitate", on, threads, seed)
    torch.manual_seed(facts["seed"])
    size = size_of(net)
    budget = Budget(minutes, epochs) if epochs is not None else Budget(minutes or MINUTES)
    with (
        closing(Folder(out)) as folder,
        TemporaryDirectory(prefix="rounds-", dir=out) as shards,
        recorded(folder, facts, interruption, command.say, save=save, name=name) as pulse,
    ):
        dataset = read(command, files, Path(shards), validation, min_elo, threads, pulse)
        if interruption():
            return None
        data = {
            "files": [path.name for path in files],
            "min_elo": min_elo,
            **{
                name: {"games": side.games, "rounds": side.rounds, "decisions": side.decisions}
                for name, side in (("training", dataset.training), ("validation", dataset.validation))
            },
        }
        command.say(f"{out}: {size} on {facts['device']}, {threads} threads, seed {facts['seed']}")
        total = round(60 * (budget.minutes or 0)) or round((budget.epochs or 0) * dataset.training.decisions)
        with Progress("decisions" if budget.minutes is None else "seconds", command.say, pause=SAY_S) as progress:
            remark = ""

            def hear(line: Line) -> None:
                nonlocal remark
                if line["kind"] == "progress":
                    remark = how_it_goes(line)
                elif line["kind"] == "assessment":
                    kind = line["kinds"]["all"]
                    progress.say(f"pass {line['epochs']:.1f}: top-1 {kind['top1']:.1%}, top-3 {kind['top3']:.1%}")

            def show(fraction: float) -> bool:
                if fraction < 1:
                    progress(int(fraction * total), total, remark)
                return pulse()

            folder.listeners.append(hear)
            policy = Policy(size).to(on)
            return Imitation(policy, plan_for(on.type, size), dataset, budget, folder, facts, data, show).run()


def read(
    command: LongCommand,
    files: list[Path],
    folder: Path,
    validation: float,
    min_elo: float | None,
    processes: int,
    pulse: Any,
) -> Dataset:
    """Gathers the rounds, and says how many."""
    said = monotonic()

    def show(dataset: Dataset) -> bool:
        nonlocal said
        if monotonic() - said >= SAY_S / 3:
            said = monotonic()
            command.say(f"{dataset.rounds:,} rounds read")
        return bool(pulse())

    dataset = gather(files, folder, share=validation, min_elo=min_elo, processes=processes, show=show)
    for what, side in (("learned from", dataset.training), ("validation", dataset.validation)):
        command.say(f"{what}: {side.games:,} games, {side.rounds:,} rounds, {side.decisions:,} decisions")
    if dataset.left_out:
        command.say(f"left out: {dataset.left_out:,} rounds that are not whole, or against the rules")
    if dataset.too_weak:
        command.say(f"left out: {dataset.too_weak:,} rounds in which nobody is known to have an Elo of {min_elo:g}")
    for broken in dataset.broken:
        command.say(f"cannot be read: {broken}")
    return dataset


# --- what is said -----------------------------------------------------------------------------------------------------


def how_it_goes(line: Line) -> str:
    """A line of progress, as text."""
    return (
        f"{line['decisions_per_second']:,.0f} decisions/s, pass {line['epochs']:.2f}, loss {line['loss']:.4f}, "
        f"top-1 {line['top1']:.1%}"
    )


def text(assessment: "Assessment", out: Path) -> str:
    """How well it is done, kind by kind, and how true its probabilities are."""
    lines = [
        f"{out / POLICY}: {assessment.minutes:,.1f} minutes, {assessment.epochs:.2f} passes",
        "",
        "validation             decisions   top-1   top-3  log loss  calibration error",
    ]
    for name, kind in assessment.kinds.items():
        calls = "" if kind.yes is None else f"   yes {kind.said_yes:.1%}, foretold {kind.yes:.1%}"
        lines.append(
            f"{name:<20} {kind.count:>11,}  {kind.top1:>6.1%}  {kind.top3:>6.1%}  {kind.log_loss:>8.4f}"
            f"  {kind.calibration_error:>17.1%}{calls}"
        )
    lines += ["", "probability of the likeliest answer      decisions  given"]
    for bin in assessment.kinds["all"].bins:
        lines.append(f"{bin.foretold:<36.1%} {bin.count:>13,}  {bin.right:>5.1%}")
    return "\n".join(lines)
