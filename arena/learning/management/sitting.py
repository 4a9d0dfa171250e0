"""What all ways to train share: their options, PyTorch, the device, the record in the database, how it ends."""

import math
import platform
import secrets
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from django.utils import timezone

from arena.console import Interruption, clear_database_errors
from arena.executors import ExecutorError, usable_cores
from arena.learning.folder import Folder, TrainingError
from arena.learning.models import TrainingRun
from arena.learning.runs import Record, opened
from arena.learning.size import Size
from arena.runs import git_revision

if TYPE_CHECKING:
    import torch


Say = Callable[[str], object]


def add_common(add: Callable[..., object]) -> None:
    """The options of each way to train.

    :param add: of the parser.
    """
    add("--out", metavar="FOLDER", type=Path, required=True, help="where the files go")
    add("--device", choices=["auto", "cpu", "cuda"], default="auto", help="default: a GPU if there is one")
    add(
        "--threads",
        type=int,
        default=usable_cores(),
        help="of the processor; where others compute beside, 1 is quickest (default: %(default)s)",
    )
    add("--seed", type=int, help="of all chance; default: by chance")
    add("--name", help="of the training in the admin; default: the kind and the time")
    add("--no-save", dest="save", action="store_false", help="leave the database alone")


def check_common(*, threads: int, seed: int | None, name: str | None, save: bool, **options: Any) -> None:
    """
    :raises CommandError: one of the options is wrong.
    """
    if not 1 <= threads <= 1024:
        raise CommandError(f"--threads must be from 1 to 1024, not {threads}.")
    if seed is not None and not 0 <= seed < 2**63:
        raise CommandError(f"--seed must be from 0 to 2**63 - 1, not {seed}.")
    if name is not None and not 0 < len(name) <= 200:
        raise CommandError("--name must have 1 to 200 characters.")
    if name is not None and not save:
        raise CommandError("Only trainings that are saved have a --name.")


def is_minutes(value: float, least: float = 0.0) -> bool:
    return math.isfinite(value) and least <= value <= 10**6


def torch_on(device: str, threads: int) -> "torch.device":
    """Imports PyTorch, and chooses the device.

    :raises CommandError: there is none like this.
    """
    try:
        import torch
    except ModuleNotFoundError as error:
        raise CommandError("PyTorch is missing: pip install -e '.[train]'") from error
    torch.set_num_threads(threads)
    if device == "cuda" and not torch.cuda.is_available():
        raise CommandError("--device cuda: there is no GPU here that PyTorch can use.")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(device)


def size_of(net: str) -> Size:
    """
    :raises CommandError: it is no size.
    """
    try:
        return Size.parse(net)
    except ValueError as error:
        raise CommandError(f"--net: {error}.") from error


def name_of(device: "torch.device") -> str:
    """The GPU or processor, as its maker calls it."""
    if device.type == "cuda":
        import torch

        return str(torch.cuda.get_device_name(device))
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def origin_of(kind: str) -> dict[str, str]:
    """What a data sheet tells of whatever this command makes."""
    return {
        "kind": kind,
        "command": shlex.join(["manage.py", *sys.argv[1:]]),
        "revision": git_revision(),
        "date": f"{timezone.now():%Y-%m-%d}",
    }


def facts_of(kind: str, device: "torch.device", threads: int, seed: int | None) -> dict[str, Any]:
    """What the data sheet tells of a sitting."""
    return {
        **origin_of(kind),
        "device": name_of(device),
        "threads": threads,
        "seed": SystemRandom().getrandbits(31) if seed is None else seed,
    }


@contextmanager
def clear_errors() -> Iterator[None]:
    """What can go wrong without anything being wrong with the program is said in a line."""
    try:
        with clear_database_errors(TrainingRun, ", --no-save does without them"):
            yield
    except (TrainingError, ExecutorError, OSError) as error:
        raise CommandError(str(error)) from error


@contextmanager
def recorded(
    folder: Folder, facts: dict[str, Any], interruption: Interruption, say: Say, *, save: bool, name: str | None
) -> Iterator[Callable[[], bool]]:
    """Keeps in the database what is said in the log, until it is left.

    :param facts: of :func:`facts_of`.
    :result: whoever trains calls it often; whether somebody interrupts.
    """
    row = TrainingRun(
        name=name or f"{facts['kind']}-{timezone.now():%Y%m%d-%H%M%S}-{secrets.token_hex(2)}",
        **{key: value for key, value in facts.items() if key != "date"},
    )
    with opened(folder, row, say) if save else Record() as record:
        folder.listeners.append(record.hear)

        def pulse() -> bool:
            record.sign()
            return interruption()

        interruption.is_playing = True
        try:
            yield pulse
        finally:
            record.keep(folder.files())
        record.end(is_interrupted=interruption())
