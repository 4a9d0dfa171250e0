"""The folder of a training: its networks in files, and what it says about itself.

::

    policy.npz     an agent (games/tichu/agents/weights.py)
    actor.npz      the network in training, and
    critic.npz     its critic: from these two it goes on
    log.jsonl      a line of JSON for each report, "kind" first

All floats in files have 16 bits. Each file is written beside the old one and takes its place when it is whole.
"""

import fcntl
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from games.tichu.agents.weights import Weights, fingerprint

Line = dict[str, Any]

POLICY, ACTOR, CRITIC, LOG = FILES = "policy.npz", "actor.npz", "critic.npz", "log.jsonl"
FACTS = ("fingerprint", "net", "sheet")  # of a file, beside its arrays


class TrainingError(Exception):
    """A training cannot begin or go on; says why, and what would help."""


class Stored(NamedTuple):
    """A file of a training.

    :ivar sha256: its checksum, in hex.
    """

    name: str
    bytes: int
    sha256: str


class Saved(NamedTuple):
    """A network in training, as a file has it.

    :ivar net: its size, like "256x2"; ``sheet``: where it comes from.
    """

    net: str
    sheet: dict[str, Any]
    arrays: dict[str, NDArray[np.float16]]


class Folder:
    """A folder that this process trains in, and nobody else meanwhile.

    :param goes_on: whether it may hold a training, which then goes on.
    :ivar listeners: each gets each line of the log.

    :raises TrainingError: it holds a training, or another command trains there.
    :raises OSError: it cannot be written.
    """

    def __init__(self, path: Path, *, goes_on: bool = False) -> None:
        self.path = path
        self.listeners: list[Callable[[Line], object]] = []
        path.mkdir(parents=True, exist_ok=True)
        self._log = (path / LOG).open("ab", buffering=0)
        try:
            fcntl.flock(self._log, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise TrainingError(f"Another command trains in {path}.") from error
        if not goes_on and (there := [stored.name for stored in self.files()]):
            or_else = f", or go on with that one by: selfplay --init {path}" if ACTOR in there else ""
            raise TrainingError(f"{path} holds another training ({', '.join(there)}): take another folder{or_else}")

    def close(self) -> None:
        """Others may train here now."""
        self._log.close()

    def __del__(self) -> None:
        """Lets others in."""
        if hasattr(self, "_log"):
            self._log.close()

    def follow(self, other: Path) -> None:
        """Begins the log with that of another folder."""
        with suppress(FileNotFoundError):
            self._log.write((other / LOG).read_bytes())

    def log(self, kind: str, facts: object) -> None:
        """
        :param facts: anything that becomes an object of JSON.
        """
        text = msgspec.json.encode(msgspec.to_builtins(facts) | {"kind": kind})
        self._log.write(text + b"\n")
        line = msgspec.json.decode(text)  # as it stands there: what is no number is null
        for hear in self.listeners:
            hear(line)

    def lines(self) -> list[Line]:
        """The log, from its beginning; a line that was cut off is passed by."""
        return lines_in(self.path)

    def save(self, name: str, net: str, sheet: Mapping[str, Any], arrays: Mapping[str, NDArray[np.float16]]) -> None:
        """Writes a network in training."""
        facts: dict[str, Any] = {"fingerprint": fingerprint(), "net": net, "sheet": json.dumps(sheet)}
        part = self.path / f"{name}.part"
        with part.open("wb") as file:
            np.savez(file, **facts | dict(arrays))
        part.replace(self.path / name)

    def save_policy(self, weights: Weights) -> None:
        """
        :raises TrainingError: its numbers are beyond what a file can hold.
        """
        with lost_way():
            weights.save(self.path / POLICY)

    def files(self) -> list[Stored]:
        """Those that are there; one without contents is none."""
        there = [(name, self.path / name) for name in FILES]
        contents = [(name, path.read_bytes()) for name, path in there if path.exists()]
        return [Stored(name, len(content), sha256(content).hexdigest()) for name, content in contents if content]


@contextmanager
def lost_way() -> Iterator[None]:
    """Numbers that have become none, or too large, are the end of a training.

    :raises TrainingError: instead of a ValueError.
    """
    try:
        yield
    except ValueError as error:
        raise TrainingError(f"the training has lost its way: {error}") from error


def playing(sheet: object, arrays: Mapping[str, NDArray[np.float16]]) -> Weights:
    """A policy as it plays.

    :param sheet: anything that becomes an object of JSON.
    :raises TrainingError: its numbers are none any more.
    """
    with lost_way():
        return Weights(msgspec.to_builtins(sheet), **{name: array.astype(np.float32) for name, array in arrays.items()})


def check_finite(name: str, arrays: Mapping[str, NDArray[np.float16]]) -> None:
    """
    :param name: of the file that they are meant for.
    :raises TrainingError: its numbers are none any more.
    """
    with lost_way():
        if bad := [key for key, array in arrays.items() if not np.isfinite(array).all()]:
            raise ValueError(f"{bad[0]} of {name} has numbers that are not finite")


def saved_in(path: Path) -> Saved:
    """What :meth:`Folder.save` wrote.

    :raises TrainingError: there is none, or it was trained on other action ids or observations.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            if file["fingerprint"].item() == fingerprint():  # of other files nothing else is certain
                arrays = {name: file[name] for name in file.files if name not in FACTS}
                return Saved(file["net"].item(), json.loads(file["sheet"].item()), arrays)
    except Exception as error:  # whatever a file brings that is something else, or damaged
        raise TrainingError(f"{path} holds no network in training: {error}") from error
    raise TrainingError(f"{path} was made for other action ids or observations")


def lines_in(path: Path) -> list[Line]:
    """The log of a folder; nothing if there is none. A line that was cut off is passed by."""
    found = []
    try:
        texts = (path / LOG).read_bytes().splitlines()
    except FileNotFoundError:
        return []
    for text in texts:
        try:
            found.append(msgspec.json.decode(text, type=dict[str, Any]))
        except msgspec.DecodeError:
            continue
    return found
