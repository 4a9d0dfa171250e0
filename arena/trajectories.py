"""Rounds as they were played: one compressed, streamable file.

A file is a head and a frame for each batch of the run, in their order; all numbers are little-endian::

    head     magic 8s | version u16 | length u32 | crc u32 | the job as JSON
    frame    batch u32 | length u32 | crc u32 | body         crc of what stands before it and of the body
    body     rounds u32 | moves u32 | zlib of: rounds as ROUND[rounds], moves as MOVE[moves]

Nothing in it depends on how the kernel lists plays: a play is its cards and its meta (:mod:`games.tichu._core`). A
frame unpacks to two numpy arrays, :data:`ROUND` and :data:`MOVE`, ready to be used; :class:`Trajectory` is the same in
Python's own types. The tricks are not in it: replaying (:func:`games.tichu.notation.actions_of`) takes them.

Frames are only ever appended. Whatever happened to the writer, the frames before the cut are whole.
"""

import os
import re
import struct
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from arena.jobs import Job
from games.tichu import notation
from games.tichu._core import Round
from games.tichu.notation import Move

try:
    import fcntl
except ImportError:  # Windows: nothing keeps two writers apart
    fcntl = None  # type: ignore[assignment]

VERSION = 1
MAGIC = b"\x89TICHU\r\n"
HEAD = struct.Struct("<8sHII")
FRAME = struct.Struct("<III")
COUNTS = struct.Struct("<II")

ROUND = np.dtype(
    [
        ("pair", "<i8"),
        ("half", "u1"),
        ("number", "<i4"),
        ("rules", "u1"),
        ("target_score", "<i4"),
        ("score", "<i4", 2),
        ("first_eight", "<i8", 4),
        ("fourteen", "<i8", 4),
        ("result", "<i2", 2),
        ("moves", "<i4"),
    ]
)
"""A round: the fields of :class:`Trajectory`, and how many rows of the moves are its own."""

MOVE = np.dtype([("seat", "u1"), ("decision", "u1"), ("answer", "<i4"), ("cards", "<i8")])
"""A move. ``decision`` is a place in :data:`DECISIONS`; the others by decision:

========  ==================================================================  =======================
decision  answer                                                              cards
========  ==================================================================  =======================
grand     1 called, 0 not                                                     0
schupf    bit numbers of the cards: right | partner << 8 | left << 16         all three
announce  1                                                                   0
play      meta of the play; 0 is a pass                                       of the play; 0 is a pass
bomb      meta of a bomb out of turn                                          of the bomb
wish      rank 2..14; 0 none                                                  0
dragon    seat that got it                                                    0
========  ==================================================================  =======================
"""

DECISIONS = ("grand", "schupf", "announce", "play", "bomb", "wish", "dragon")
_CODES = {decision: code for code, decision in enumerate(DECISIONS)}
_SCHUPF, _PLAY, _BOMB = _CODES["schupf"], _CODES["play"], _CODES["bomb"]

Rows: TypeAlias = NDArray[np.void]
Four: TypeAlias = tuple[int, int, int, int]


class RecordingError(ValueError):
    """Not a recording, or a damaged one, or that of another run; the text says which, and where."""


class Trajectory(Struct, frozen=True):
    """A round as it was played.

    :ivar pair: of the job; ``half`` 0, or 1 with the partnerships exchanged; ``number`` of the round in its match.
    :ivar rules: flags of the kernel (:attr:`games.tichu.rules.RuleSet.flags`).
    :ivar score: before the round, team 20 and team 31; ``result`` what it brought to them.
    :ivar first_eight, fourteen: the deal, a card set per seat.
    :ivar moves: as :mod:`games.tichu.notation` has them.
    """

    pair: int
    half: int
    number: int
    rules: int
    target_score: int
    score: tuple[int, int]
    first_eight: Four
    fourteen: Four
    moves: list[Move]
    result: tuple[int, int]


# --- frames -----------------------------------------------------------------------------------------------------------


class Frame(NamedTuple):
    """A batch.

    :ivar rounds: ROUND[n].
    :ivar moves: MOVE[m], those of the first round first.
    """

    rounds: Rows
    moves: Rows

    def trajectories(self) -> Iterator[Trajectory]:
        columns = [_plain(self.rounds[name]) for name in ROUND.names or ()]
        end = 0
        for *known, result, count in zip(*columns, strict=True):
            start, end = end, end + count
            moves = [_move(*row) for row in self.moves[start:end].tolist()]
            yield Trajectory(*(*known, moves, result))


def encode(trajectories: Sequence[Trajectory]) -> bytes:
    """The body of a frame: what a worker sends home."""
    known = [(*rest, result, len(moves)) for *rest, moves, result in map(structs.astuple, trajectories)]
    rounds = np.array(known, ROUND)
    moves = [_row(*move) for trajectory in trajectories for move in trajectory.moves]
    # Level 4: a third of the time of level 6, and a tenth larger.
    return COUNTS.pack(len(rounds), len(moves)) + zlib.compress(rounds.tobytes() + b"".join(moves), 4)


def decode(body: bytes) -> Frame:
    """The arrays of a body; they cannot be written to.

    :raises RecordingError: it is none.
    """
    try:
        rounds, moves = COUNTS.unpack_from(body)
        raw = zlib.decompress(memoryview(body)[COUNTS.size :])
        frame = Frame(np.frombuffer(raw, ROUND, rounds), np.frombuffer(raw, MOVE, moves, rounds * ROUND.itemsize))
    except (struct.error, zlib.error, ValueError) as error:
        raise RecordingError(f"no frame of a recording: {error}") from error
    if int(frame.rounds["moves"].sum()) != moves:
        raise RecordingError("no frame of a recording: its rounds have more or fewer moves than it has")
    return frame


def _row(seat: int, decision: str, answer: Any) -> bytes:
    """A move as a row of MOVE."""
    if decision == "play":  # nearly all are
        return _ROW(seat, _PLAY, answer[1], answer[0])
    if decision == "bomb":
        return _ROW(seat, _BOMB, answer[1], answer[0])
    if decision == "schupf":
        right, partner, left = answer
        bits = right.bit_length() - 1 | partner.bit_length() - 1 << 8 | left.bit_length() - 1 << 16
        return _ROW(seat, _SCHUPF, bits, right | partner | left)
    return _ROW(seat, _CODES[decision], answer, 0)


def _plain(column: NDArray[Any]) -> list[Any]:
    """Python's ints, and tuples of them where a row has several."""
    return column.tolist() if column.ndim == 1 else [tuple(row) for row in column.tolist()]


def _move(seat: int, code: int, answer: int, cards: int) -> Move:
    """A move of a row of MOVE."""
    if code in _WITH_CARDS:
        return seat, DECISIONS[code], (cards, answer)
    if code == _SCHUPF:
        return seat, "schupf", (1 << (answer & 0xFF), 1 << (answer >> 8 & 0xFF), 1 << (answer >> 16))
    return seat, DECISIONS[code], bool(answer) if code in _BOOLEAN else answer


_ROW = struct.Struct("<BBiq").pack  # a row of MOVE, thrice as fast as numpy makes it
_WITH_CARDS = {_PLAY, _BOMB}
_BOOLEAN = {_CODES["grand"], _CODES["announce"]}


# --- files ------------------------------------------------------------------------------------------------------------


def read(file: BinaryIO) -> Iterator[Trajectory]:
    """The rounds of a file, which needs no seeking: a pipe will do.

    :raises RecordingError: it is cut or damaged; all frames before that have been read.
    """
    for frame in read_frames(file):
        yield from frame.trajectories()


def read_frames(file: BinaryIO) -> Iterator[Frame]:
    """The batches of a file as arrays.

    :raises RecordingError: it is cut or damaged; all frames before that have been read.
    """
    read_job(file)
    for body in _bodies(file):
        yield decode(body)


def read_batches(file: BinaryIO, numbers: Collection[int]) -> Iterator[Frame]:
    """Some batches of a file as arrays, those that it has; the others are skipped.

    :raises RecordingError: it is no recording, or damaged.
    """
    read_job(file)
    for number in range(max(numbers, default=-1) + 1):
        head = file.read(FRAME.size)
        if len(head) < FRAME.size:
            return
        batch, length, crc = FRAME.unpack(head)
        body = file.read(length) if number in numbers else b""
        if batch != number or (number in numbers and crc != _crc(number, body)):
            raise RecordingError(f"this recording is damaged after {number} batches")
        if number in numbers:
            yield decode(body)
        else:
            file.seek(length, os.SEEK_CUR)


def read_job(file: BinaryIO) -> Job:
    """What was played: the head of a file, after which its frames follow.

    :raises RecordingError: it is no recording, or one of another format.
    """
    head = file.read(HEAD.size)
    if len(head) < HEAD.size or not head.startswith(MAGIC):
        raise RecordingError("this is no recording of the arena")
    _, version, length, crc = HEAD.unpack(head)
    if version != VERSION:
        raise RecordingError(f"this recording has format {version}; this program reads format {VERSION}")
    text = file.read(length)
    if len(text) < length or zlib.crc32(text) != crc:
        raise RecordingError("the head of this recording is damaged")
    return msgspec.json.decode(text, type=Job)


def _bodies(file: BinaryIO) -> Iterator[bytes]:
    """The bodies of the frames that follow, checked."""
    number = 0
    while head := file.read(FRAME.size):
        if len(head) < FRAME.size:
            raise RecordingError(f"this recording is cut off after {number} batches")
        batch, length, crc = FRAME.unpack(head)
        body = file.read(length)
        if len(body) < length:
            raise RecordingError(f"this recording is cut off after {number} batches, or damaged there")
        if batch != number or crc != _crc(number, body):
            raise RecordingError(f"this recording is damaged after {number} batches")
        yield body
        number += 1


def _crc(number: int, body: bytes) -> int:
    return zlib.crc32(body, zlib.crc32(FRAME.pack(number, len(body), 0)[:-4]))


class Recording(AbstractContextManager["Recording"]):
    """A file that is being written. What has been appended is on the disk.

    >>> from tempfile import TemporaryDirectory
    >>> job = Job(teams=("rule", "random"), unit="rounds", pairs=2, batch_pairs=1, seed=1, record=True)
    >>> with TemporaryDirectory() as folder:
    ...     with Recording(Path(folder) / "few.rounds", job) as recording:
    ...         recording.append(0, encode([]))
    ...     with Recording(Path(folder) / "few.rounds", job, batches=1) as recording:
    ...         recording.append(1, encode([]))

    :param job: whose rounds these are; it stands in the file.
    :param batches: how many the run has stored. The file must have them. One more, or a piece of it, is cut off: there
        the writer died between recording and storing.
    :raises RecordingError: the file is of another job, or lacks batches, or has others than the run, or another process
        writes it.
    :raises OSError: it cannot be opened or written.
    """

    def __init__(self, path: Path, job: Job, batches: int = 0) -> None:
        self._batches = batches
        if not batches:
            path.touch()
        self._file = path.open("r+b")
        try:
            _lock(self._file, path)
            if batches or path.stat().st_size:
                self._resume(path, job)
            else:
                text = msgspec.json.encode(job)
                self._write(HEAD.pack(MAGIC, VERSION, len(text), zlib.crc32(text)) + text)
        except BaseException:
            self._file.close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.close()

    def append(self, number: int, frame: bytes) -> None:
        """Writes the next batch, and comes back when it is on the disk.

        :param frame: of :func:`encode`.
        :raises ValueError: another batch is next.
        """
        if number != self._batches:
            raise ValueError(f"the next batch of this recording is {self._batches}, not {number}")
        self._write(FRAME.pack(number, len(frame), _crc(number, frame)) + frame)
        self._batches += 1

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._file.flush()
        os.fsync(self._file.fileno())

    def _resume(self, path: Path, job: Job) -> None:
        """Leaves the batches that the run has, and nothing behind them."""
        if read_job(self._file) != job:
            raise RecordingError(f"{path} holds the rounds of another run; name another file")
        bodies = _bodies(self._file)
        for number in range(self._batches):
            try:
                next(bodies)
            except (StopIteration, RecordingError) as error:
                raise RecordingError(f"{path} lacks batch {number} of this run, which has {self._batches}") from error
        end = self._file.tell()
        more = 0
        with suppress(RecordingError):
            for _ in bodies:
                more += 1
        if more > 1:
            raise RecordingError(f"{path} has {more} batches more than this run; name another file")
        self._file.seek(end)
        self._file.truncate()


def _lock(file: BinaryIO, path: Path) -> None:
    """Keeps others from writing to a file until it is closed, however that happens.

    :raises RecordingError: somebody else writes to it.
    """
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise RecordingError(f"{path} is being written by another command") from error


# --- text -------------------------------------------------------------------------------------------------------------


def text(trajectory: Trajectory) -> str:
    """A round in the notation of a journal (:mod:`games.tichu.notation`), what else is known of it in a comment before.

    The rounds of a match one after the other are the text of the match.

    :raises IllegalAction: the rules forbid a move.
    :raises ValueError: the moves are not a whole round, or it has another result.
    """
    round = Round(trajectory.first_eight, trajectory.fourteen, trajectory.rules)
    actions = notation.actions_of(round, trajectory.moves)
    if round.score() != trajectory.result:
        raise ValueError(f"the round brought {round.score()}, not {trajectory.result}")
    team_20, team_31 = (before + now for before, now in zip(trajectory.score, trajectory.result, strict=True))
    if max(team_20, team_31) >= trajectory.target_score and team_20 != team_31:  # rules 8.6
        actions.append((None, {"action": "finish"}))
    known = " ".join(f"{name}={_numbers(getattr(trajectory, name))}" for name in _KNOWN)
    return f"# {known}\n{notation.text(actions)}"


def parse(text: str) -> Trajectory:
    """The round of a text that :func:`text` has written.

    :raises IllegalAction: the rules forbid a line.
    :raises ValueError: it is no such text, or not a whole round, or it has another result.
    """
    comment, _, lines = text.lstrip().partition("\n")
    known = {name: [int(number) for number in numbers.split(":")] for name, numbers in _FIELD.findall(comment)}
    if tuple(known) != _KNOWN:
        raise ValueError(f"a round begins with a comment that knows {', '.join(_KNOWN)}: {comment!r}")
    (pair,), (half,), (number,), (rules,), (target,), score, result = known.values()
    round, moves = notation.moves_of(notation.parse(lines), rules)
    if round.score() != tuple(result):
        raise ValueError(f"the round brought {round.score()}, not {tuple(result)}")
    return Trajectory(
        pair, half, number, rules, target, (score[0], score[1]), _four(round.first_eight), _four(round.fourteen),
        moves, round.score(),
    )  # fmt: skip


_KNOWN = ("pair", "half", "number", "rules", "target_score", "score", "result")
_FIELD = re.compile(r"(\w+)=(-?\d+(?::-?\d+)?)")


def _numbers(value: int | tuple[int, int]) -> str:
    return ":".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _four(of: Callable[[int], int]) -> Four:
    return of(0), of(1), of(2), of(3)
