"""Recorded rounds to learn from, of any origin, in shards on the disk: memory stays flat, however many there are.

::

    bw_export --format json ──┐
    bw_export --format npz  ──┤                          ┌─▶ training   ─┐
    logs: .tch, .zip, folders ┼─▶ Piece ──gather: split──┤               ├─▶ decisions, a shard at a time
    run_arena --record      ──┘                          └─▶ validation ─┘

A shard has some thousand rounds as deals and moves (:mod:`arena.trajectories`), some hundred bytes each. Only when it
is learned from, the kernel makes decisions of them (:mod:`arena.learning.decisions`): 70 a round, of 350 bytes each.

**Split by game.** The number of a game decides on which side all of its rounds are, so nothing of a game that is
learned from is in the validation, whatever is read besides or in which order.
"""

import signal
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from itertools import islice
from math import inf
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast
from zipfile import BadZipFile

import msgspec
import numpy as np
from msgspec import Struct, json
from numpy.typing import NDArray

from arena import trajectories
from arena.brettspielwelt import archive, log
from arena.brettspielwelt.archive import Broken, Source
from arena.brettspielwelt.reading import begin_worker
from arena.brettspielwelt.replay import FLAGS, RULES, beginnings, replay
from arena.learning.decisions import ALL_SEATS, Decisions, decisions
from arena.trajectories import DECISIONS, MAGIC, MOVE, ROUND, Four, Frame, RecordingError, Rows, Trajectory
from games.tichu import cards as deck
from games.tichu import notation
from games.tichu._core import legal_plays
from games.tichu.combinations import Combination

SHARD = 2048  # rounds of a shard
WINDOW = 64  # logs, or
LINES = 500  # lines of JSON, that a process reads at a time
AHEAD = 3  # of these on their way for each process

LEAD = 1 << 16 | 1 << 8 | 2  # what the phoenix is led on, so to speak: it is half a step higher than a one
PHOENIX_SINGLE = -1

T = TypeVar("T")
Mapper: TypeAlias = Callable[[Callable[[T], "Piece"], Iterable[T]], Iterator["Piece"]]


class DatasetError(Exception):
    """Nothing can be learned from what was named; says why, and what would help."""


class Piece(NamedTuple):
    """Some rounds.

    :ivar rounds: ROUND[n]; ``pair`` is the number of the game. ``moves``: MOVE[m] (:mod:`arena.trajectories`).
    :ivar elo: float32[n, 4], of who played on each seat; NaN where that is not known.
    """

    rounds: Rows
    moves: Rows
    elo: NDArray[np.float32]


# --- gathering --------------------------------------------------------------------------------------------------------


class Side(Struct):
    """One of the two sides of a dataset.

    :ivar shards: its files.
    """

    shards: list[Path] = msgspec.field(default_factory=list)
    games: int = 0
    rounds: int = 0
    decisions: int = 0


class Dataset(Struct):
    """What was gathered.

    :ivar training: what is learned from; ``validation``: what tells how well.
    :ivar left_out: rounds with moves that the rules forbid, or that are not whole; ``too_weak``: rounds without a seat
        of the Elo that was asked for.
    :ivar broken: files that could not be read, and why.
    """

    training: Side = msgspec.field(default_factory=Side)
    validation: Side = msgspec.field(default_factory=Side)
    left_out: int = 0
    too_weak: int = 0
    broken: list[str] = msgspec.field(default_factory=list)

    @property
    def rounds(self) -> int:
        return self.training.rounds + self.validation.rounds


def gather(
    paths: Sequence[Path],
    folder: Path,
    *,
    share: float,
    min_elo: float | None = None,
    processes: int = 0,
    show: Callable[[Dataset], bool] = lambda dataset: False,
) -> Dataset:
    """Reads files into shards.

    :param folder: of the shards.
    :param share: of the games that is the validation, 0..1.
    :param min_elo: decisions of players with less, or of whom that is not known, are left out; None: nobody's.
    :param processes: that read logs and JSON; 0: this one does.
    :param show: is called now and then, and answers whether somebody interrupts; then this is what has been read.
    :raises DatasetError: all is read, and nothing is left on one of the sides.
    """
    dataset = Dataset()
    sides = _Writer(folder, "training", dataset.training), _Writer(folder, "validation", dataset.validation)
    with _mapper(processes) as across:
        for piece in read(paths, across, dataset.broken):
            learned = _learned(piece.elo, min_elo)
            told, fits = decisions(piece.rounds, piece.moves, learned)
            counts = np.bincount(told.rounds, minlength=len(fits))
            dataset.left_out += int((~fits).sum())
            dataset.too_weak += int((fits & (learned == 0)).sum())
            is_validation = in_validation(piece.rounds["pair"], share)
            for writer, chosen in zip(sides, (~is_validation, is_validation), strict=True):
                writer.add(piece, learned, fits & (learned > 0) & chosen, counts)
            if show(dataset):
                return dataset
    for writer in sides:
        writer.close()
    if not dataset.rounds:
        reasons = [f"{dataset.left_out:,} rounds are not whole, or against the rules"] if dataset.left_out else []
        if dataset.too_weak:
            reasons.append(f"in {dataset.too_weak:,} nobody is known to have an Elo of {min_elo:g} (JSON says who has)")
        raise DatasetError("; ".join(["there is no round to learn from", *reasons, *dataset.broken[:3]]))
    for name, side in (("learned from", dataset.training), ("used for the validation", dataset.validation)):
        if not side.decisions:
            games = dataset.training.games + dataset.validation.games
            raise DatasetError(
                f"{games:,} games are too few: none of them is {name}. Name more files, or another --validation."
            )
    return dataset


def in_validation(games: NDArray[np.int64], share: float) -> NDArray[np.bool_]:
    """Which games are in the validation: a hash of their numbers decides (the multiplier of splitmix64)."""
    with np.errstate(over="ignore"):
        mixed = games.astype(np.int64).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
    chosen: NDArray[np.bool_] = (mixed >> np.uint64(32)).astype(np.float64) < share * 2**32
    return chosen


def load(shard: Path) -> Decisions:
    """The decisions of a shard."""
    with np.load(shard) as file:
        told, _ = decisions(file["rounds"], file["moves"], file["learned"])
    return told


def _learned(elo: NDArray[np.float32], min_elo: float | None) -> NDArray[np.int64]:
    """Masks of the seats that are strong enough."""
    if min_elo is None:
        return np.full(len(elo), ALL_SEATS)
    strong: NDArray[np.int64] = (elo >= min_elo) @ np.array([1, 2, 4, 8])
    return strong


class _Writer:
    """Writes one side."""

    def __init__(self, folder: Path, name: str, side: Side) -> None:
        self._folder = folder
        self._name = name
        self._side = side
        self._waiting: list[tuple[Rows, Rows, NDArray[np.int64]]] = []
        self._count = 0
        self._last_game: int | None = None

    def add(
        self, piece: Piece, learned: NDArray[np.int64], chosen: NDArray[np.bool_], counts: NDArray[np.int64]
    ) -> None:
        """
        :param chosen: bool[n], which rounds; ``counts``: int[n], of their decisions.
        """
        if not chosen.any():
            return
        of_moves = np.repeat(chosen, piece.rounds["moves"])
        rounds = piece.rounds[chosen]
        self._waiting.append((rounds, piece.moves[of_moves], learned[chosen]))
        self._count += len(rounds)
        games = rounds["pair"]
        self._side.games += int(games[0] != self._last_game) + int(np.count_nonzero(np.diff(games)))
        self._last_game = int(games[-1])
        self._side.rounds += len(rounds)
        self._side.decisions += int(counts[chosen].sum())
        if self._count >= SHARD:
            self.close()

    def close(self) -> None:
        """Writes what is waiting."""
        if self._waiting:
            rounds, moves, learned = (np.concatenate(of) for of in zip(*self._waiting, strict=True))
            path = self._folder / f"{self._name}-{len(self._side.shards):05}.npz"
            np.savez_compressed(path, rounds=rounds, moves=moves, learned=learned.astype(np.uint8))
            self._side.shards.append(path)
            self._waiting, self._count = [], 0


# --- reading ----------------------------------------------------------------------------------------------------------


def read(paths: Iterable[Path], across: Mapper[Any], broken: list[str]) -> Iterator[Piece]:
    """The rounds of some files; of logs those that the rules replay to a score.

    :param across: what reads logs and JSON, in their order.
    :param broken: gets what cannot be read, and why.
    """
    for path in paths:
        try:
            yield from _read_path(path, across, broken)
        except (OSError, RecordingError, BadZipFile, zlib.error, ValueError, KeyError) as error:
            broken.append(f"{path}: {getattr(error, 'strerror', None) or error}")


def _read_path(path: Path, across: Mapper[Any], broken: list[str]) -> Iterator[Piece]:
    head = b""
    if path.is_file() and path.suffix.lower() not in (".zip", ".tch"):
        with path.open("rb") as file:
            head = file.read(len(MAGIC))
    if head == MAGIC:
        with path.open("rb") as file:
            for frame in trajectories.read_frames(file):
                yield from _cut(frame)
    elif head.startswith(b"PK"):
        with np.load(path, allow_pickle=False) as arrays:
            for name in sorted(name for name in arrays.files if name.startswith("rounds_")):
                yield from _cut(Frame(arrays[name], arrays[name.replace("rounds_", "moves_")]))
    elif head.startswith(b"{"):
        with path.open("rb") as file:
            yield from across(_read_lines, _groups(file, LINES))
    else:
        yield from across(_read_logs, _groups(_whole(archive.logs([path]), broken), WINDOW))


def _cut(frame: Frame) -> Iterator[Piece]:
    """Pieces of rounds, of which nothing is known of who played."""
    if frame.rounds.dtype != ROUND or frame.moves.dtype != MOVE or int(frame.rounds["moves"].sum()) != len(frame.moves):
        raise ValueError("its arrays are not those of recorded rounds")
    ends = np.cumsum(frame.rounds["moves"], dtype=np.int64)
    for first in range(0, len(ends), LINES):
        rounds = frame.rounds[first : first + LINES]
        begin = ends[first - 1] if first else 0
        yield Piece(rounds, frame.moves[begin : ends[first + len(rounds) - 1]], _unknown(len(rounds)))


def _unknown(count: int) -> NDArray[np.float32]:
    return np.full((count, 4), np.nan, np.float32)


def _groups(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while group := list(islice(iterator, size)):
        yield group


def _whole(logs: Iterable[Source | Broken], broken: list[str]) -> Iterator[Source]:
    for one in logs:
        if isinstance(one, Source):
            yield one
        else:
            broken.append(f"{one.name}: {one.why}")


@contextmanager
def _mapper(processes: int) -> Iterator[Mapper[Any]]:
    """What calls a function for one item after the other: in processes, a few of them ahead."""
    if not processes:
        yield cast(Mapper[Any], map)
        return
    pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=_begin_worker)
    try:
        yield partial(_in_order, pool, AHEAD * processes)
    finally:
        pool.shutdown(cancel_futures=True)


def _begin_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the parent, with which this ends
    begin_worker()


def _in_order(
    pool: ProcessPoolExecutor, ahead: int, function: Callable[[T], Piece], items: Iterable[T]
) -> Iterator[Piece]:
    iterator = iter(items)
    futures: deque[Future[Piece]] = deque()
    while True:
        futures.extend(pool.submit(function, item) for item in islice(iterator, ahead - len(futures)))
        if not futures:
            return
        yield futures.popleft().result()


# --- logs -------------------------------------------------------------------------------------------------------------


def _read_logs(sources: Sequence[Source]) -> Piece:
    """The rounds of logs that the rules replay to a score."""
    found: list[Trajectory] = []
    for source in sources:
        for game in log.parse(source.data):
            number = source.number
            if number is None:
                number = number_of(sha256(log.write(game.rounds).encode(errors="replace")).hexdigest())
            rounds = [replay(logged) for logged in game.rounds]
            first = set(beginnings(game.rounds, rounds))
            for at, (logged, replayed) in enumerate(zip(game.rounds, rounds, strict=True)):
                if at in first:
                    team_20 = team_31 = 0
                if replayed.score is not None:
                    eight, fourteen = cast(Four, replayed.first_eight), cast(Four, replayed.fourteen)
                    before = (team_20, team_31)
                    known = (number, 0, at, FLAGS, RULES.target_score, before, eight, fourteen)
                    found.append(Trajectory(*known, replayed.moves, replayed.score))
                points = replayed.score or logged.result or (0, 0)
                team_20, team_31 = team_20 + points[0], team_31 + points[1]
    return Piece(*trajectories.decode(trajectories.encode(found)), _unknown(len(found)))


def number_of(key: str) -> int:
    """The number of a game by its key (:class:`arena.brettspielwelt.models.Game`).

    >>> number_of("900001#2"), number_of("f" * 64)
    (900001, -1152921504606846976)
    """
    number = key.partition("#")[0]
    return int(number) if len(number) < 15 else -1 - int(key[:15], 16)


# --- JSON -------------------------------------------------------------------------------------------------------------


class _Line(Struct):
    """What matters of a line of :class:`arena.brettspielwelt.exporting.ExportedRound`."""

    game: str
    round: int
    before: tuple[int, int]
    text: str
    usable: bool
    score: tuple[int, int] | None
    elo: tuple[float, ...] = ()


_lines = json.Decoder(_Line)


def _read_lines(lines: Sequence[bytes]) -> Piece:
    """The usable rounds of lines of JSON.

    :raises ValueError: a line is none of an export.
    """
    rounds, moves, elo = [], [], []
    for text in lines:
        line = _lines.decode(text)
        if line.usable and line.score is not None:
            eight, fourteen, of_round = _parsed(line.text)
            known = (number_of(line.game), 0, line.round - 1, FLAGS, RULES.target_score)
            rounds.append((*known, line.before, eight, fourteen, line.score, len(of_round)))
            moves += of_round
            elo.append(line.elo or (np.nan,) * 4)
    return Piece(np.array(rounds, ROUND), np.array(moves, MOVE), np.array(elo, np.float32).reshape(-1, 4))


def _parsed(text: str) -> tuple[list[int], list[int], list[tuple[int, int, int, int]]]:
    """First eight and fourteen cards of the seats, and rows of MOVE, of a round as text (:mod:`games.tichu.notation`).

    Whether its moves are legal the kernel says, when it makes decisions of them.
    """
    lines = text.splitlines()
    ((_, deal),) = notation.parse("\n".join(lines[:5]))
    hands = [deck.from_labels(labels) for labels in deal["hands"]]
    moves = []
    top = 0
    for line in lines[5:]:
        move = _move(line)
        if move is None:
            top = 0
            continue
        seat, decision, answer, cards = move
        if cards and decision != SCHUPF:
            if answer == PHOENIX_SINGLE:
                answer = (top or LEAD) + 1
            top = 0 if cards == deck.DOG else answer
        elif decision == DRAGON:
            top = 0
        moves.append((seat, decision, answer, cards))
    return [sum(hand[:8]) for hand in hands], [sum(hand) for hand in hands], moves


GRAND, SCHUPF, ANNOUNCE, PLAY, BOMB, WISH, DRAGON = range(len(DECISIONS))


@lru_cache(2**16)
def _move(line: str) -> tuple[int, int, int, int] | None:
    """A row of MOVE; None for what the table does, after which nothing is to be beaten. Most lines come again."""
    ((seat, action),) = notation.parse(line)
    if seat is None:
        return None
    match action:
        case {"action": "announce_grand_tichu", "announced": announced}:
            return seat, GRAND, int(announced), 0
        case {"action": "schupf", "given_schupf_cards": given}:
            three = deck.from_wire(given)
            return seat, SCHUPF, sum(card.bit_length() - 1 << 8 * i for i, card in enumerate(three)), sum(three)
        case {"action": "announce"}:
            return seat, ANNOUNCE, 1, 0
        case {"action": "play" | "bomb" as kind, "cards": labels}:
            cards = sum(deck.from_wire(labels))
            return seat, PLAY if kind == "play" else BOMB, _meta(cards, action.get("rank", inf)), cards
        case {"action": "wish", "wish_value": value}:
            return seat, WISH, value, 0
        case {"action": "give_dragon_away", "dragon_recipient": recipient}:
            return seat, DRAGON, recipient, 0
    raise ValueError(f"no move of a round: {line!r}")


def _meta(cards: int, rank: float) -> int:
    """What a play is, which would be legal as a lead.

    :param rank: that the phoenix says; else inf.
    """
    if not cards:
        return 0
    if cards == deck.PHOENIX:
        return PHOENIX_SINGLE
    metas = [meta for used, meta in legal_plays(cards, 0, 0, 0) if used == cards]
    found = [meta for meta in metas if rank in (inf, Combination.of_meta(meta).rank)]
    return found[0] if found else 0  # which beats nothing
