"""Where logs lie: files, folders, zips, in any mixture.

    <YYYY>.zip ── <YYYYMM>/<number>.tch, <YYYYMM>/index.html      as bw_download writes them
    folders, with files and zips
    one file with many games, ``--END GAME--`` between them       as people collect them

A log knows neither its number nor its date: its file's name is the number, the folder or the index beside it the month.
Everything is read as it comes by; of a zip only the list of its members is held.
"""

import os
import re
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import date, datetime
from functools import partial
from html import unescape
from lzma import LZMAError
from pathlib import Path, PurePath, PurePosixPath
from typing import IO, BinaryIO, Generic, NamedTuple, TypeAlias, TypeVar
from zipfile import BadZipFile, ZipFile

LIMIT = 16 * 2**20  # bytes of a log: the longest games have 200 KB
SEPARATOR = b"--END GAME--"
INDEX = "index.html"
MAX_NUMBER = 2**31 - 1

Place: TypeAlias = Path | tuple[str, BinaryIO]
"""A file or folder; or a file that is open, and its name: it stays open."""

P = TypeVar("P", bound=PurePath)


class Source(NamedTuple):
    """The text of a log.

    :ivar name: the file; of a zip with its member.
    :ivar number: of the game; None if the file's name is none.
    :ivar month: its first day, if the folder's name or the index beside it says so.
    :ivar line: where it begins in the file, from 1.
    """

    name: str
    number: int | None
    month: date | None
    data: bytes
    line: int = 1


class Broken(NamedTuple):
    """Something that cannot be read, and why."""

    name: str
    why: str


class IndexEntry(NamedTuple):
    """A line of a month's index.

    :ivar names: of the seats 0, 1, 2, 3.
    """

    number: int
    when: datetime
    names: tuple[str, ...]


def logs(places: Iterable[Place]) -> Iterator[Source | Broken]:
    """All logs: those of a folder or zip by their numbers, then what lies in folders and zips in it, by name.

    A file that is named itself may be called anything; in a folder only ``.tch`` and ``.zip`` count.
    """
    places = list(places)
    months = _Months[Path](lambda folder: (folder / INDEX).read_bytes())
    for path in sorted([place for place in places if isinstance(place, Path)], key=_order):
        yield from _of_path(path, months)
    for place in places:
        if not isinstance(place, Path):
            yield from _of_open(*place)


def count(places: Iterable[Place]) -> int:
    """How many files :func:`logs` will come by."""
    return sum(_count(place) if isinstance(place, Path) else 1 for place in places)


def index(html: bytes) -> list[IndexEntry]:
    """The games of a month's index.

    >>> index(b'<a href="/1.tch">2007-01-09 19:03 Anna Bert Carl Dora</a>')[0].names
    ('Anna', 'Bert', 'Carl', 'Dora')
    """
    entries = []
    text = html.decode(errors="ignore")  # some months have names in other encodings
    for number, when, names in _ENTRY.findall(text):
        try:
            entries.append(IndexEntry(int(number), datetime.fromisoformat(when), tuple(unescape(names).split(" "))))
        except ValueError:
            continue  # no day of the calendar
    return entries


_ENTRY = re.compile(r'<a href="/(\d{1,9})\.tch">(\d{4}-\d\d-\d\d \d\d:\d\d) ([^<]*)</a>')


# --- folders and zips -------------------------------------------------------------------------------------------------


def _of_path(path: Path, months: "_Months[Path]") -> Iterator[Source | Broken]:
    try:
        if path.is_dir():
            for name in sorted(os.listdir(path), key=_order):  # noqa: PTH208 - as paths they are ten times as large
                inner = path / name
                if _is_log(name) or _is_zip(name) or (inner.is_dir() and not inner.is_symlink()):
                    yield from _of_path(inner, months)
        elif _is_zip(path):
            with path.open("rb") as file:
                yield from _of_zip(str(path), file)
        else:
            yield from _of_file(str(path), lambda: path.open("rb"), months.of(path))
    except OSError as error:
        yield Broken(str(path), _why(error))


def _of_open(name: str, file: BinaryIO) -> Iterator[Source | Broken]:
    return _of_zip(name, file) if _is_zip(name) else _of_file(name, lambda: nullcontext(file))


def _of_zip(name: str, file: BinaryIO) -> Iterator[Source | Broken]:
    try:
        with ZipFile(file) as archive:
            months = _Months[PurePosixPath](lambda folder: archive.read(str(folder / INDEX)))
            for member in sorted(filter(_is_log, archive.namelist()), key=_order):
                month = months.of(PurePosixPath(member))
                yield from _of_file(f"{name}/{member}", partial(archive.open, member), month)
    except _UNREADABLE as error:
        yield Broken(name, f"no zip that can be read: {_why(error)}")


def _count(path: Path) -> int:
    try:
        if path.is_dir():
            with os.scandir(path) as entries:
                return sum(
                    1 if _is_log(entry.name) else _count(Path(entry.path))
                    for entry in entries
                    if _is_log(entry.name) or _is_zip(entry.name) or entry.is_dir(follow_symlinks=False)
                )
        if _is_zip(path):
            with ZipFile(path) as archive:
                return sum(map(_is_log, archive.namelist()))
    except _UNREADABLE:
        pass
    return 1


# What ZipFile raises: damaged; cut off; encrypted; a compression that is not known here.
_DAMAGED = (BadZipFile, zlib.error, LZMAError, struct.error, ValueError, KeyError)
_UNREADABLE = (*_DAMAGED, EOFError, OSError, RuntimeError, NotImplementedError)


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


# --- one file ---------------------------------------------------------------------------------------------------------


def _of_file(
    name: str, opened: Callable[[], AbstractContextManager[IO[bytes]]], month: date | None = None
) -> Iterator[Source | Broken]:
    number = _number(name)
    try:
        with opened() as file:
            if number is None:
                for line, data in _pieces(file):
                    yield Source(name, None, month, data, line)
                return
            data = file.read(LIMIT + 1)
            if len(data) > LIMIT:
                raise ValueError(f"longer than {LIMIT // 2**20} MiB")
        yield Source(name, number, month, data)
    except _UNREADABLE as error:
        yield Broken(name, _why(error))


def _pieces(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """What stands between separators, and in which line it begins; of an empty file one empty piece.

    :raises ValueError: a piece is too long.
    """
    line, text, is_empty = 1, b"", True
    while chunk := file.read(2**20):
        *whole, text = (text + chunk).split(SEPARATOR)
        for piece in whole:
            if piece.strip():
                is_empty = False
                yield line, piece
            line += piece.count(b"\n")
        if len(text) > LIMIT:
            raise ValueError(f"more than {LIMIT // 2**20} MiB without a line {SEPARATOR.decode()}")
    if text.strip() or is_empty:
        yield line, text


# --- names ------------------------------------------------------------------------------------------------------------


def _is_log(path: PurePath | str) -> bool:
    name = PurePosixPath(path).name
    return name[-4:].lower() == ".tch" and not name.startswith(".")  # macOS leaves ._1.tch


def _is_zip(path: PurePath | str) -> bool:
    name = PurePosixPath(path).name
    return name[-4:].lower() == ".zip" and not name.startswith(".")


def _number(path: PurePath | str) -> int | None:
    """The number that a log has for a name."""
    stem = PurePosixPath(path).stem
    if not (_is_log(path) and stem.isascii() and stem.isdigit() and len(stem) <= 10):
        return None
    return int(stem) if int(stem) <= MAX_NUMBER else None


def _order(path: PurePath | str) -> tuple[bool, int, str]:
    """Games by number, then all others by name."""
    number = _number(path)
    return number is None, number or 0, str(path)


class _Months(Generic[P]):
    """The months of games: the name of the folder, or what the index in it says.

    :param read: the index of a folder; may raise whatever it raises if there is none.
    """

    def __init__(self, read: Callable[[P], bytes]) -> None:
        self._read = read
        self._known: dict[P, dict[int, date]] = {}

    def of(self, path: P) -> date | None:
        folder = path.parent
        if found := _MONTH.fullmatch(folder.name):
            return date(int(found[1]), int(found[2]), 1)
        number = _number(path)
        if number is None:
            return None
        if folder not in self._known:
            self._known = {folder: self._months_in(folder)}  # only of one: they are large
        return self._known[folder].get(number)

    def _months_in(self, folder: P) -> dict[int, date]:
        try:
            return {entry.number: entry.when.date().replace(day=1) for entry in index(self._read(folder))}
        except _UNREADABLE:
            return {}


_MONTH = re.compile(r"([12]\d{3})(0[1-9]|1[0-2])")
