"""Logs into the database.

    archive ──windows──▶ workers: parse, replay, pack ──▶ one writer: a transaction for each window

A window is some dozens of files. It is stored as a whole or not at all, so whatever ends an import, what is there is
whole games, and the next import goes on: it passes by what is stored with the same checksum before anybody parses it.
Of a file that has changed the games take the place of the old ones. Only a few windows are on their way at any time, so
memory stays flat.

The rows are written without models: made one by one, they would take longer than reading and replaying together.
"""

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from datetime import date
from functools import partial
from itertools import islice
from multiprocessing import get_context
from typing import Any, TypeAlias

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

_Stored: TypeAlias = tuple[str, date | None]


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
    :ivar skipped: files and games that were stored already, as they are.
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


def _windows(logs: Iterator[Source | Broken], summary: Summary) -> Iterator[list[Source]]:
    """The logs that are to be read."""
    while window := list(islice(logs, WINDOW)):
        summary.files += len(window)
        sources = [source for source in window if isinstance(source, Source)]
        summary.broken += [(broken.name, broken.why) for broken in window if isinstance(broken, Broken)]
        stored = _stored([str(source.number) for source in sources if source.number is not None])
        news = [
            source
            for source in sources
            if not _is_same(stored.get(str(source.number)), reading.checksum(source), source.month)
        ]
        summary.skipped += len(sources) - len(news)
        yield news


# --- who reads --------------------------------------------------------------------------------------------------------


@contextmanager
def _reader(workers: int) -> Iterator[Callable[[Iterator[list[Source]]], Iterator[list[ReadFile]]]]:
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


def _in_order(pool: ProcessPoolExecutor, ahead: int, windows: Iterator[list[Source]]) -> Iterator[list[ReadFile]]:
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
        self._players: dict[str, int] = {}

    def store(self, files: Sequence[ReadFile]) -> None:
        """Stores a window, all of it or nothing."""
        with transaction.atomic():
            self._lock()
            stored = _stored([game.key for file in files for game in file.games])
            news = {
                game.key: (file, game)
                for file in files
                for game in file.games
                if not _is_same(stored.get(game.key), game.checksum, file.month)
            }
            old = stored.keys() & news.keys()
            if old:  # with whatever further games their files had
                numbers = [news[key][0].number for key in old]
                Game.objects.filter(models.Q(key__in=old) | models.Q(number__in=filter(None, numbers))).delete()
            self._insert(list(news.values()))
            Figures.change(file.month for file, _ in news.values())
        for _, game in news.values():
            self._summary.add(game)
        self._summary.replaced += len(old)
        self._summary.skipped += sum(len(file.games) for file in files) - len(news)
        for file in files:
            if file.why:
                self._summary.broken.append((file.name, file.why))
            if file.found:
                self._summary.add_findings((-1, finding) for finding in file.found)

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
                game.checksum,
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
                    reading.clean(finding.detail)[:DETAIL_LENGTH],
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


def _stored(keys: Iterable[str]) -> dict[str, _Stored]:
    """The checksums and months of those that there are."""
    games = Game.objects.filter(key__in=list(keys)).order_by().values_list("key", "checksum", "month")
    return {key: (checksum, month) for key, checksum, month in games}


def _is_same(stored: _Stored | None, checksum: str, month: date | None) -> bool:
    """Whether reading it again would bring nothing new."""
    return stored is not None and stored[0] == checksum and month in (None, stored[1])
