"""Fetches the logs of the Brettspielwelt, month by month, into one zip a year.

    <YYYY>.zip               months that are over: <YYYYMM>/<number>.tch, and <YYYYMM>/index.html, which lists them
    unfinished/<YYYYMM>/     the same files of a month that is being fetched, or is not over

A file has its name only when all of it is on the disk. A month is packed when everything was asked for: the year's zip
is copied, the copy gets the month, and takes the zip's place in one step. So whatever ends the program, at whatever
moment, each zip is whole, and whatever has been fetched is not asked for again.
"""

import fcntl
import os
import re
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from time import monotonic, sleep
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from msgspec import Struct, field
from urllib3 import PoolManager, Retry
from urllib3.exceptions import HTTPError, MaxRetryError
from urllib3.util import make_headers

URL = "http://tichulog.brettspielwelt.de"
USER_AGENT = f"tichu/{version('tichu')}"
UNFINISHED = "unfinished"
GIVE_UP = 10  # requests in a row that failed, retries and all: then it is not this or that game
LINK = re.compile(rb'href="/(\d+)\.tch"')


class DownloadError(Exception):
    """It cannot go on; the text says why."""


class Missing(Exception):  # noqa: N818
    """The server does not give something; the text says what, and how it refused."""


class Month(Struct):
    """How far a month is.

    :ivar first: its first day.
    :ivar listed: games in its index.
    :ivar there: games that lie on the disk; ``fetched`` of them in this run.
    :ivar is_packed: whether it lies in the zip.
    :ivar faults: what could not be had and why, a line each.
    """

    first: date
    listed: int = 0
    there: int = 0
    fetched: int = 0
    is_packed: bool = False
    faults: list[str] = field(default_factory=list)


class Patience(Retry):
    """Waits before the first retry, too."""

    def get_backoff_time(self) -> float:
        return min(float(self.backoff_max), self.backoff_factor * 2.0 ** (len(self.history) - 1))


class Downloader:
    """Fetches one thing after the other over one connection. A folder belongs to one downloader at a time.

    :param rate: requests per second at most.
    :param timeout: seconds until there is a connection, and without a sign of life on it.
    :param retries: after the first try of a request.
    :param backoff: seconds before the first retry unless the server says how long (``Retry-After``); doubled each time.
    :param today: what day it is, in UTC.
    :raises DownloadError: the folder is in use.
    """

    def __init__(
        self,
        into: Path,
        url: str = URL,
        *,
        rate: float = 4,
        timeout: float = 30,
        retries: int = 6,
        backoff: float = 1,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        self.into = into
        self.url = url.rstrip("/")
        self._interval = 1 / rate
        self._next_request = 0.0
        self._failures = 0
        self._today = today
        self._year: Year | None = None
        self._pool = PoolManager(
            headers=make_headers(accept_encoding=True, user_agent=USER_AGENT),
            timeout=timeout,
            retries=Patience(
                retries,
                status_forcelist=(429, 500, 502, 503, 504),
                backoff_factor=max(backoff, self._interval),
                raise_on_status=False,
            ),
        )
        into.mkdir(parents=True, exist_ok=True)
        self._lock = os.open(into, os.O_RDONLY)  # let go of by the kernel, however the program ends
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._lock)
            raise DownloadError(f"Another download is filling {into}.") from error

    def __enter__(self) -> "Downloader":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.clear()
        os.close(self._lock)

    def fetch(self, first: date, show: Callable[[Month], None] = lambda month: None) -> Month:
        """Fetches what is not there of a month.

        :param first: its first day.
        :param show: is called when the index is known, and after each game.
        :raises DownloadError: the server fails again and again, or a zip is damaged.
        """
        month = Month(first)
        name = f"{first:%Y%m}"
        folder = self.into / UNFINISHED / name
        year = self._year_of(first)
        # A game of the last evening is listed when it is over, and the server's day is not that of UTC.
        is_over = self._today() > following(first)
        try:
            index = year.indexes.get(f"{name}/index.html")
            if index is None:
                index = self._get(f"/{name}")
                if not LINK.search(index):
                    raise Missing(f"{self.url}/{name} lists no games")
                folder.mkdir(parents=True, exist_ok=True)
                save(folder / "index.html", index)
        except Missing as error:
            month.faults.append(str(error))
            return month
        # As bytes: in some months names are no UTF-8.
        games = dict.fromkeys(f"{int(number)}.tch" for number in LINK.findall(index))
        absent = [game for game in games if f"{name}/{game}" not in year.names and not (folder / game).exists()]
        month.listed, month.there = len(games), len(games) - len(absent)
        show(month)
        for game in absent:
            try:
                log = self._get(f"/{game}")
            except Missing as error:
                month.faults.append(str(error))
            else:
                folder.mkdir(parents=True, exist_ok=True)
                save(folder / game, log)
                month.there += 1
                month.fetched += 1
            show(month)
        if is_over:
            if folder.exists():
                year.add(folder)
                self._year = None
                shutil.rmtree(folder)
                with suppress(OSError):  # other months lie there
                    folder.parent.rmdir()
            month.is_packed = True
        return month

    def _get(self, path: str) -> bytes:
        """
        :raises Missing: after all retries.
        :raises DownloadError: if that happened again and again.
        """
        sleep(max(0, self._next_request - monotonic()))
        self._next_request = monotonic() + self._interval
        try:
            response = self._pool.request("GET", self.url + path)
        except HTTPError as error:
            why = str(error.reason if isinstance(error, MaxRetryError) else error)
        else:
            if response.status == 200:
                self._failures = 0
                return response.data
            why = f"the answer is {response.status} {response.reason}"
        self._failures += 1
        missing = f"{self.url}{path}: {why}"
        if self._failures == GIVE_UP:
            raise DownloadError(f"{GIVE_UP} requests in a row have failed, the last one {missing}")
        raise Missing(missing)

    def _year_of(self, day: date) -> "Year":
        path = self.into / f"{day:%Y}.zip"
        if self._year is None or self._year.path != path:
            self._year = Year(path)
        return self._year


class Year:
    """The zip of a year, which need not be there, as it was when it was opened.

    :ivar names: of its members.
    :ivar indexes: the pages among them, by name.
    :raises DownloadError: it is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: set[str] = set()
        self.indexes: dict[str, bytes] = {}
        if path.exists():
            try:
                with ZipFile(path) as file:
                    self.names = set(file.namelist())
                    self.indexes = {name: file.read(name) for name in self.names if name.endswith("/index.html")}
            except (BadZipFile, zlib.error) as error:
                raise DownloadError(f"{path} is damaged ({error}); move it away, and it is fetched anew.") from error

    def add(self, folder: Path) -> None:
        """Adds the files of a folder that it does not have, all or none of them."""
        members = {f"{folder.name}/{path.name}": path for path in sorted(folder.iterdir()) if path.suffix != ".part"}
        if new := {name: path for name, path in members.items() if name not in self.names}:
            with replacing(self.path) as file:
                if self.path.exists():
                    with self.path.open("rb") as old:
                        shutil.copyfileobj(old, file)
                with ZipFile(file, "a", ZIP_DEFLATED, strict_timestamps=False) as archive:
                    for name, path in new.items():
                        archive.write(path, name)


def months(first: date, last: date) -> Iterator[date]:
    """The first days of all months from one to another."""
    while first <= last:
        yield first
        first = following(first)


def following(first: date) -> date:
    """The first day of the month after it."""
    return (first + timedelta(days=31)).replace(day=1)


def save(path: Path, data: bytes) -> None:
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes its place when it is written and lies on the disk; never half of it, not even without power."""
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
