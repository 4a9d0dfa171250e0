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
from socket import SHUT_RDWR, socket
from threading import Timer
from time import monotonic, sleep
from typing import BinaryIO
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from msgspec import Struct, field
from urllib3 import HTTPConnectionPool, HTTPResponse, HTTPSConnectionPool, PoolManager, Retry
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, MaxRetryError
from urllib3.util import make_headers

URL = "http://tichulog.brettspielwelt.de"
USER_AGENT = f"tichu/{version('tichu')}"
UNFINISHED = "unfinished"
GIVE_UP = 10  # requests in a row that failed, retries and all: then it may not be this or that game
LONGEST_PAUSE = 600  # seconds, whatever the server says
LONGEST_ANSWER = 4  # times as long as it may give no sign of life
LINK = re.compile(rb'href="/(\d+)\.tch"')
LOG = b"---------------Gr."  # how each begins


class DownloadError(Exception):
    """It cannot go on; the text says why."""


class Missing(Exception):  # noqa: N818
    """The server does not give something; the text says what, and how it refused.

    :ivar is_failure: the server may be to blame, not what was asked for.
    """

    def __init__(self, text: str, *, is_failure: bool = False) -> None:
        super().__init__(text)
        self.is_failure = is_failure


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
    """Waits before the first retry, too, and not for ever."""

    def get_backoff_time(self) -> float:
        return min(float(self.backoff_max), self.backoff_factor * 2.0 ** (len(self.history) - 1))

    def parse_retry_after(self, retry_after: str) -> float:
        return min(super().parse_retry_after(retry_after), LONGEST_PAUSE)


class _Hurried(HTTPConnection):
    """Hangs up when an answer takes too long as a whole: each byte is a sign of life."""

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]
        sock = self.sock
        timer = Timer(LONGEST_ANSWER * float(self.timeout or 0), lambda: _hang_up(sock))
        timer.daemon = True
        timer.start()
        try:
            response = super().getresponse()
            if timer.finished.is_set():  # in the headers: what there was of them passes for all
                raise TimeoutError("The answer takes too long.")
            return response
        finally:
            timer.cancel()


class _HurriedSafely(_Hurried, HTTPSConnection):
    """The same, encrypted."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Hurried


class _PoolSafely(HTTPSConnectionPool):
    ConnectionCls = _HurriedSafely


def _hang_up(sock: socket) -> None:
    with suppress(OSError):  # it has ended meanwhile
        sock.shutdown(SHUT_RDWR)


class Downloader:
    """Fetches one thing after the other over one connection. A folder belongs to one downloader at a time.

    :param rate: requests per second at most.
    :param timeout: seconds until there is a connection, and without a sign of life on it; a whole answer may take
        :data:`LONGEST_ANSWER` times as long.
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
        self._pool.pool_classes_by_scheme = {"http": _Pool, "https": _PoolSafely}
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
            self._bear(error, None)
            return month
        # As bytes: in some months names are no UTF-8.
        games = dict.fromkeys(f"{int(number)}.tch" for number in LINK.findall(index))
        absent = [game for game in games if f"{name}/{game}" not in year.names and not (folder / game).exists()]
        month.listed, month.there = len(games), len(games) - len(absent)
        show(month)
        there = next(iter(games.keys() - set(absent)), None)
        for game in absent:
            try:
                log = self._log(game)
            except Missing as error:
                month.faults.append(str(error))
                self._bear(error, there)
            else:
                self._failures = 0
                there = game
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

    def _log(self, game: str) -> bytes:
        """
        :raises Missing: after all retries, or if something else than a log comes.
        """
        log = self._get(f"/{game}")
        if not log.endswith(b"\n"):
            # Some answers are cut and do not show it; but some logs are, or empty, and these come twice as they are.
            again = self._get(f"/{game}")
            if again != log and not again.endswith(b"\n"):
                raise Missing(f"{self.url}/{game}: the answer is cut", is_failure=True)
            log = again
        if log and not log.startswith(LOG):
            raise Missing(f"{self.url}/{game}: the answer is no log", is_failure=True)
        return log

    def _bear(self, missing: Missing, there: str | None) -> None:
        """Counts failures in a row; when there are many, a game that can be had tells whether it was all these games.

        :param there: a game that lies on the disk.
        :raises DownloadError: it was not.
        """
        self._failures = self._failures + 1 if missing.is_failure else 0
        if self._failures < GIVE_UP:
            return
        try:
            if there is None:
                raise missing
            self._log(there)
        except Missing as error:
            raise DownloadError(f"{GIVE_UP} requests in a row have failed, the last one {missing}") from error
        self._failures = 0

    def _get(self, path: str) -> bytes:
        """
        :raises Missing: after all retries.
        """
        sleep(max(0, self._next_request - monotonic()))
        self._next_request = monotonic() + self._interval
        try:
            response = self._pool.request("GET", self.url + path)
        except HTTPError as error:
            why = str(error.reason if isinstance(error, MaxRetryError) else error)
            raise Missing(f"{self.url}{path}: {why}", is_failure=True) from error
        if response.status == 200:
            return response.data
        is_failure = response.status == 429 or response.status >= 500
        raise Missing(f"{self.url}{path}: the answer is {response.status} {response.reason}", is_failure=is_failure)

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
