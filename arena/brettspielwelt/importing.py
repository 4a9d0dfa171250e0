"""Logs into the database.

    archive ──windows──▶ workers: parse, replay, pack ──▶ one writer: a transaction for each window

A window is some dozens of files. It is stored as a whole or not at all, so whatever ends an import, what is there is
whole games, and the next import goes on: it passes by what is stored with the same checksum before anybody parses it.
Of a file that has changed the games take the place of the old ones. All games of a number come from one file: the first
that an import comes by, so the same import again changes nothing. Only a few windows are on their way at any time, so
memory stays flat.

The rows are written without models: made one by one, they would take longer than reading and replaying together.
"""

import signal
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from datetime import date
from functools import partial
from itertools import islice
from multiprocessing import get_context
from typing import Any, NamedTuple, TypeAlias

from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.models import Max
from msgspec import Struct, field

from arena.brettspielwelt import archive, reading
from arena.brettspielwelt.archive import Broken, Place, Source
from arena.brettspielwelt.models import (
    Figures,
    Game,
    GameSeat,
    Player,
    Record,
    Round,
    RoundFinding,
    RoundSeat,
    SeatChange,
)
from arena.brettspielwelt.reading import ReadFile, ReadGame

WINDOW = 64  # files
AHEAD = 3  # windows on their way for each worker
KNOWN_PLAYERS = 200_000  # names whose ids are kept; the archive has 128,462
SOURCE_LENGTH = 400
DETAIL_LENGTH = 200

MOST_MOVES = 32_767  # a column can number

_Name: TypeAlias = int | str  # the number of a file; the key of a game without one


class _Stored(NamedTuple):
    """What is known of a file whose games are stored, or of a game without a number.

    :ivar checksum: of the file; "" where games of several files are stored under a number.
    """

    checksum: str
    month: date | None
    source: str

    def is_same(self, file: ReadFile) -> bool:
        """Whether reading it again would bring nothing new."""
        return self.checksum == file.checksum and file.month in (None, self.month)


class Count(Struct):
    """How often a finding stands in rounds, and in how many games; corrected where each of them is."""

    rounds: int = 0
    rounds_corrected: int = 0
    games: int = 0
    games_corrected: int = 0


class Summary(Struct):
    """What an import has done. The fields are the keys of ``bw_import --json``.

    :ivar files: all that it came by; games in a collection count as files.
    :ivar games: that were stored, ``replaced`` of them in place of what was there.
    :ivar rounds: in these games, ``usable_rounds`` of them replayed to a score.
    :ivar skipped: files with a number, and games without one, that were stored already, as they are.
    :ivar findings: in what was stored, and in files without a round, by code.
    :ivar broken: files without a game that could be stored, and why.
    """

    files: int = 0
    games: int = 0
    replaced: int = 0
    rounds: int = 0
    usable_rounds: int = 0
    skipped: int = 0
    findings: dict[str, Count] = field(default_factory=dict)
    broken: list[tuple[str, str]] = field(default_factory=list)

    def add(self, game: ReadGame) -> None:
        self.games += 1
        self.rounds += len(game.rounds)
        self.usable_rounds += sum(round.is_usable for round in game.rounds)
        self.add_findings(game.found)

    def add_findings(self, found: Iterable[reading.Found]) -> None:
        """
        :param found: of a game.
        """
        places: dict[str, dict[int, bool]] = {}
        for at, finding in found:
            corrected = places.setdefault(finding.code.value, {})
            corrected[at] = corrected.get(at, True) and finding.corrected
        for code, corrected in places.items():
            count = self.findings.setdefault(code, Count())
            rounds = [corrected[at] for at in corrected if at >= 0]
            count.rounds += len(rounds)
            count.rounds_corrected += sum(rounds)
            count.games += 1
            count.games_corrected += all(corrected.values())


def import_logs(
    places: Iterable[Place],
    workers: int = 0,
    show: Callable[[Summary], object] = lambda summary: None,
    summary: Summary | None = None,
) -> Summary:
    """Reads logs into the database. The figures of players stay as they are (``statistics.refresh_players``).

    :param workers: processes that read and replay; 0 does it in this one.
    :param show: is called after each window.
    :param summary: tells what is stored even if this is interrupted.
    """
    summary = summary or Summary()
    writer = _Writer(summary)
    with _reader(workers) as read:
        for files in read(_windows(archive.logs(places), summary)):
            writer.store(files)
            show(summary)
    return summary


def _windows(logs: Iterator[Source | Broken], summary: Summary) -> Iterator[list[Source | ReadFile]]:
    """The logs, those that need not be read as what is known of them."""
    while window := list(islice(logs, WINDOW)):
        summary.files += len(window)
        summary.broken += [
            (reading.printable(broken.name), reading.printable(broken.why))
            for broken in window
            if isinstance(broken, Broken)
        ]
        sources = [(source, reading.unread(source)) for source in window if isinstance(source, Source)]
        stored = _stored([file for _, file in sources])
        yield [
            file if file.number in stored and stored[file.number].is_same(file) else source for source, file in sources
        ]


# --- who reads --------------------------------------------------------------------------------------------------------


@contextmanager
def _reader(workers: int) -> Iterator[Callable[[Iterator[list[Source | ReadFile]]], Iterator[list[ReadFile]]]]:
    """What reads windows, in their order."""
    if not workers:
        yield partial(map, reading.read)
        return
    # Spawned: a copy of this process would have its database connection.
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=reading.begin_worker)
    try:
        with _ignoring_interrupts():  # as they do from here on: Ctrl-C in a terminal is for this process
            for _ in range(workers):
                pool.submit(reading.read, [])
        yield partial(_in_order, pool, AHEAD * workers)
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(
    pool: ProcessPoolExecutor, ahead: int, windows: Iterator[list[Source | ReadFile]]
) -> Iterator[list[ReadFile]]:
    futures: deque[Future[list[ReadFile]]] = deque()
    while True:
        futures.extend(pool.submit(reading.read, window) for window in islice(windows, ahead - len(futures)))
        if not futures:
            return
        yield futures.popleft().result()


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# --- who writes -------------------------------------------------------------------------------------------------------


class _Writer:
    """Stores what was read."""

    def __init__(self, summary: Summary) -> None:
        self._summary = summary
        self._read = _Names()
        self._players: dict[str, int] = {}

    def store(self, files: Sequence[ReadFile]) -> None:
        """Stores a window, all of it or nothing."""
        with transaction.atomic():
            self._lock()
            stored = _stored(files)
            chosen = self._chosen(files, stored.copy())
            if old := stored.keys() & chosen.news.keys():
                Game.objects.filter(_named(old)).delete()
            news = [(file, game) for file in chosen.news.values() for game in file.games]
            self._insert(news)
            Figures.change(file.month for file, _ in news)
        for _, game in news:
            self._summary.add(game)
        self._summary.replaced += sum(len(chosen.news[name].games) for name in old)
        self._summary.skipped += chosen.skipped
        self._summary.broken += chosen.broken
        for file in files:
            if file.found:
                self._summary.add_findings((-1, finding) for finding in file.found)

    def _chosen(self, files: Iterable[ReadFile], stored: dict[_Name, _Stored]) -> "_Chosen":
        """What is to be stored of a window.

        :param stored: is brought up to what will be.
        """
        chosen = _Chosen()
        for file in files:
            if file.why:
                chosen.broken.append((file.name, file.why))
            for name, part in _parts(file):
                is_first = self._read.add(name)
                before = stored.get(name)
                if before and before.is_same(file):
                    chosen.skipped += 1
                elif before and not is_first and before.checksum != file.checksum and isinstance(name, int):
                    chosen.broken.append((file.name, f"number {name} was already read from {before.source}"))
                elif before and not is_first and (before.checksum != file.checksum or before.month):
                    chosen.skipped += 1  # of this game, or of this month, was the first
                elif not part.games:
                    chosen.skipped += 1  # another import has changed it meanwhile
                else:
                    month = file.month or (before and before.month)
                    chosen.news[name] = part._replace(month=month)
                    stored[name] = _Stored(file.checksum, month, file.name)
        return chosen

    def _lock(self) -> None:
        """Lets no other import give the same numbers to rows. On SQLite the transaction does."""
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(f"LOCK TABLE {Game._meta.db_table} IN SHARE ROW EXCLUSIVE MODE")

    def _insert(self, news: Sequence[tuple[ReadFile, ReadGame]]) -> None:
        self._know({name for _, game in news for round in game.rounds for name in round.names})
        players = self._players
        games, game_seats, changes, rounds = _Rows(Game), _Rows(GameSeat), _Rows(SeatChange), _Rows(Round)
        records, round_seats, findings = _Rows(Record), _Rows(RoundSeat), _Rows(RoundFinding)
        for file, game in news:
            game_id = games.add(
                game.key,
                file.number,
                file.month and file.month.isoformat(),
                file.name[-SOURCE_LENGTH:],
                file.checksum,
                len(game.rounds),
                game.is_finished,
                game.found[0][1].code.value if game.found else "",
                *game.score,
            )
            sitting = list(game.rounds[0].names)
            for seat, name in enumerate(sitting):
                game_seats.add(game_id, seat, players[name])
            first = rounds.next
            for number, round in enumerate(game.rounds, 1):
                records.next = round_id = rounds.add(game_id, number, *round.columns)
                records.add(round.record)
                for seat in range(4):
                    name = round.names[seat]
                    if name != sitting[seat]:
                        changes.add(game_id, seat, number, players[name])
                        sitting[seat] = name
                    round_seats.add(
                        round_id, seat, players[name], round.calls[seat], round.places[seat], round.bombs[seat]
                    )
            for at, finding in game.found:
                findings.add(
                    game_id,
                    first + at if at >= 0 else None,
                    finding.code.value,
                    min(finding.move, MOST_MOVES),
                    reading.printable(finding.detail)[:DETAIL_LENGTH],
                    finding.corrected,
                )
        with connection.cursor() as cursor:
            for table in (games, game_seats, changes, rounds, records, round_seats, findings):
                table.insert(cursor)

    def _know(self, names: set[str]) -> None:
        """Gives each name its player."""
        if unknown := names - self._players.keys():
            if len(self._players) > KNOWN_PLAYERS:
                self._players.clear()
                unknown = names
            self._players |= Player.objects.filter(name__in=unknown).values_list("name", "pk")
            added = Player.objects.bulk_create(Player(name=name) for name in sorted(unknown - self._players.keys()))
            self._players |= {player.name: player.pk for player in added}


class _Chosen(Struct):
    """What becomes of a window.

    :ivar news: what is to be stored: files by their numbers; each game without a number as a file of its own.
    """

    news: dict[_Name, ReadFile] = field(default_factory=dict)
    skipped: int = 0
    broken: list[tuple[str, str]] = field(default_factory=list)


class _Names:
    """Those that an import has come by. For a number that is a bit: the archive has 2.4 million."""

    def __init__(self) -> None:
        self._numbers: defaultdict[int, int] = defaultdict(int)
        self._keys: set[str] = set()

    def add(self, name: _Name) -> bool:
        """
        :result: whether it is new.
        """
        if isinstance(name, str):
            is_new = name not in self._keys
            self._keys.add(name)
        else:
            place, bit = divmod(name, 1024)
            is_new = not self._numbers[place] >> bit & 1
            self._numbers[place] |= 1 << bit
        return is_new


class _Rows:
    """Rows that a table is to get; they number themselves."""

    def __init__(self, model: type[models.Model]) -> None:
        self._model = model
        self.next: int = (model._default_manager.aggregate(last=Max("pk"))["last"] or 0) + 1
        self._rows: list[tuple[Any, ...]] = []

    def add(self, *columns: Any) -> int:
        """
        :param columns: in the order of the model's fields, all but the key.
        :result: the key.
        """
        key = self.next
        self._rows.append((key, *columns))
        self.next += 1
        return key

    def insert(self, cursor: Any) -> None:
        columns = [field.attname for field in self._model._meta.concrete_fields]
        cursor.executemany(
            f"INSERT INTO {self._model._meta.db_table} ({', '.join(columns)}) "  # noqa: S608 - no text of others
            f"VALUES ({', '.join(['%s'] * len(columns))})",
            self._rows,
        )
        for statement in connection.ops.sequence_reset_sql(no_style(), [self._model]):  # none on SQLite
            cursor.execute(statement)


# --- what is stored ---------------------------------------------------------------------------------------------------


def _stored(files: Iterable[ReadFile]) -> dict[_Name, _Stored]:
    """What there is of these files, by their numbers, and of their games without a number, by their keys."""
    names = [name for file in files for name, _ in _parts(file)]
    rows = Game.objects.filter(_named(names)).order_by().values_list("number", "key", "checksum", "month", "source")
    stored: dict[_Name, _Stored] = {}
    for number, key, checksum, month, source in rows:
        name = key if number is None else number
        if name in stored and stored[name].checksum != checksum:
            checksum = ""
        stored[name] = _Stored(checksum, month, source)
    return stored


def _parts(file: ReadFile) -> Iterator[tuple[_Name, ReadFile]]:
    """What is stored or not as a whole: a file with a number; each game without one, as a file of its own."""
    if file.why:
        return
    if file.number is not None:
        yield file.number, file
    else:
        for game in file.games:
            yield game.key, file._replace(games=[game])


def _named(names: Iterable[_Name]) -> models.Q:
    names = [*names]
    return models.Q(number__in=[name for name in names if isinstance(name, int)]) | models.Q(
        key__in=[name for name in names if isinstance(name, str)]
    )
