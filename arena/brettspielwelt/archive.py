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
from stat import S_ISDIR, S_ISREG
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

    A file that is named itself may be called anything; in a folder only ``.tch`` and ``.zip`` count, if they are files,
    and no folder that only a link leads to.
    """
    places = list(places)
    months = _Months[Path](lambda folder: (folder / INDEX).open("rb"))
    for path in sorted([place for place in places if isinstance(place, Path)], key=_order):
        for found in _files(path):
            yield from [found] if isinstance(found, Broken) else _of_path(found, months)
    for place in places:
        if not isinstance(place, Path):
            yield from _of_open(*place)


def count(places: Iterable[Place]) -> int:
    """How many files :func:`logs` will come by."""
    return sum(sum(map(_count, _files(place))) if isinstance(place, Path) else 1 for place in places)


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


def _files(root: Path) -> Iterator[Path | Broken]:
    """A file, or those of a folder and the folders in it, however deep they lie."""
    ways = [iter([root])]
    while ways:
        path = next(ways[-1], None)
        if path is None:
            ways.pop()
            continue
        try:
            mode = path.stat().st_mode
            if S_ISDIR(mode) and (path is root or not path.is_symlink()):
                ways.append(map(path.joinpath, _names(path)))
            elif S_ISREG(mode) or path is root:
                yield path
        except OSError as error:
            yield Broken(str(path), _why(error))


def _names(folder: Path) -> list[str]:
    """What may count in a folder, in its order. Names only: as paths they are ten times as large."""
    with os.scandir(folder) as entries:
        names = [
            entry.name
            for entry in entries
            if _is_log(entry.name) or _is_zip(entry.name) or entry.is_dir(follow_symlinks=False)
        ]
    return sorted(names, key=_order)


def _of_path(path: Path, months: "_Months[Path]") -> Iterator[Source | Broken]:
    try:
        if _is_zip(path):
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
            members = _members(archive)
            months = _Months[PurePosixPath](lambda folder: archive.open(members[f"{folder / INDEX}"]))
            for member in sorted(filter(_is_log, members), key=_order):
                month = months.of(PurePosixPath(member))
                yield from _of_file(f"{name}/{member}", partial(archive.open, members[member]), month)
            for member in sorted(filter(_is_zip, members)):
                yield Broken(f"{name}/{member}", "a zip in a zip is not read")
    except _UNREADABLE as error:
        yield Broken(name, f"no zip that can be read: {_why(error)}")


def _members(archive: ZipFile) -> dict[str, str]:
    """The names of members as they stand there, by what they mean: some programs on Windows write backslashes."""
    return {name.replace("\\", "/"): name for name in archive.namelist()}


def _count(file: Path | Broken) -> int:
    if isinstance(file, Path) and _is_zip(file):
        try:
            with ZipFile(file) as archive:
                return sum(_is_log(name) or _is_zip(name) for name in _members(archive))
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

    :param open: opens the index of a folder; may raise whatever it raises if there is none.
    """

    def __init__(self, open: Callable[[P], IO[bytes]]) -> None:
        self._open = open
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
            with self._open(folder) as file:
                html = file.read(LIMIT + 1)
        except _UNREADABLE:
            return {}
        if len(html) > LIMIT:  # that of a month has 2 MB
            return {}
        return {entry.number: entry.when.date().replace(day=1) for entry in index(html)}


_MONTH = re.compile(r"([12]\d{3})(0[1-9]|1[0-2])")
