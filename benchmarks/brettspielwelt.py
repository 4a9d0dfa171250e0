"""How fast logs come and go: ``python -m benchmarks.brettspielwelt`` prints the table of docs/benchmarks.md.

The games of the samples, one after the other, numbered like those of the archive, as a zip of a year has them: ten
rounds a game. A figure is the median of the passes; all CPU time counts, that of the workers, of the start and of the
counting at the end, too. If DATABASE_URL names a PostgreSQL server, it is measured as well, in a database of its own.
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.parse import urlsplit
from zipfile import ZIP_DEFLATED, ZipFile

from arena.brettspielwelt import log
from arena.brettspielwelt.archive import Source, logs
from arena.brettspielwelt.replay import replay
from benchmarks.rules import Row

SAMPLES = Path("tests/data/bsw")
PASSES = 3
GAMES = 3_000  # in a pass
MANY_GAMES = 20_000
ARCHIVE = 2_397_550  # games, to 2025-07
WORKERS = 2
SMALL = 2_000  # games whose peak memory is compared with that of the many


class Took(NamedTuple):
    """What a command took.

    :ivar cpu: seconds of all its processes.
    :ivar wall: seconds.
    :ivar peak: MiB of the largest of them.
    """

    cpu: float
    wall: float
    peak: float


def main() -> None:
    print("| logs of the Brettspielwelt | figure | wanted |\n|---|---|---|")
    for measure in (parts, imports, postgresql, many):
        for row in measure():
            print(row, flush=True)


def parts() -> Iterable[Row]:
    """Reading and replaying alone, in this process."""
    texts = [source.data for source in games_of_samples()]
    rounds = [round for text in texts for game in log.parse(text) for round in game.rounds]
    works: dict[str, Callable[[], object]] = {
        "parse": lambda: [log.parse(text) for text in texts],
        "replay": lambda: [replay(round) for round in rounds],
        "pack": lambda: [log.pack(round) for round in rounds],
    }
    for what, work in works.items():
        milliseconds = 1000 * median(cpu_seconds(work) for _ in range(PASSES)) / len(texts)
        yield Row(f"{what}, {len(rounds) / len(texts):.1f} rounds a game", f"{milliseconds:.2f} ms a game")
    size = sum(len(log.pack(round)) for round in rounds) / len(rounds)
    yield Row("record of a round", f"{size:.0f} bytes")


def imports() -> Iterable[Row]:
    """The command, from a zip into SQLite."""
    for workers in (0, WORKERS):
        passes = [run_import(GAMES, workers) for _ in range(PASSES)]
        rate = GAMES / median(took.cpu for took in passes)
        row = Row(f"`bw_import --workers {workers}`, SQLite", f"{rate:,.0f} games per CPU-second")
        yield row._replace(wanted="≥ 150", met=rate >= 150)
        wall = GAMES / median(took.wall for took in passes)
        yield Row("the same", f"{wall:,.0f} games/s on the wall")


def postgresql() -> Iterable[Row]:
    """The same command into PostgreSQL; what the server itself takes is not in the CPU time."""
    with own_database(os.environ.get("DATABASE_URL", "")) as url, tempfile.TemporaryDirectory() as directory:
        if url:
            took = run_import(GAMES, WORKERS, Path(directory), url)
            what = f"`bw_import --workers {WORKERS}`, PostgreSQL"
            yield Row(
                what, f"{GAMES / took.cpu:,.0f} games per CPU-second, {GAMES / took.wall:,.0f} games/s on the wall"
            )


def many() -> Iterable[Row]:
    """Memory that stays flat, the size of the database, how long the archive takes; what was imported, exported."""
    small = run_import(SMALL, WORKERS)
    with tempfile.TemporaryDirectory() as directory:
        took = run_import(MANY_GAMES, WORKERS, Path(directory))
        with sqlite3.connect(Path(directory) / "db.sqlite3") as database:
            pages, size = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        again = run_import(MANY_GAMES, WORKERS, Path(directory))
        exports = {form: run_export(form, Path(directory)) for form in ("json", "npz", "tch")}
    grown = took.peak - small.peak
    # Of a zip the list of its members is held: 0.6 KB a game.
    what = f"peak memory of a process, {MANY_GAMES:,} games in a zip ({SMALL:,}: {small.peak:.0f} MiB)"
    yield Row(what, f"{took.peak:.0f} MiB", "flat", grown < 0.001 * (MANY_GAMES - SMALL) + 8)
    yield Row("database", f"{pages * size / MANY_GAMES:,.0f} bytes a game")
    yield Row("importing it again", f"{MANY_GAMES / again.wall:,.0f} games/s on the wall")
    hours = took.cpu / MANY_GAMES * ARCHIVE / WORKERS / 3600
    yield Row(f"the archive, {ARCHIVE:,} games, on {WORKERS} idle cores", f"{hours:.1f} hours, estimated")
    for form, export in exports.items():
        yield Row(f"`bw_export --format {form}`", f"{MANY_GAMES / export.cpu:,.0f} games per CPU-second")


# --- how it is measured -----------------------------------------------------------------------------------------------


def games_of_samples() -> list[Source]:
    """Those that are whole games: in the folder itself, not below."""
    paths = sorted(SAMPLES.glob("*.tch"))
    return [source for source in logs(paths) if isinstance(source, Source)]


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def run_import(games: int, workers: int, directory: Path | None = None, url: str = "") -> Took:
    """Imports games in a process of its own.

    :param directory: where database and zip lie, and stay; what is there already is used.
    :param url: of an empty database, if not SQLite in the directory.
    """
    if directory is None:
        with tempfile.TemporaryDirectory() as own:
            return run_import(games, workers, Path(own))
    archive = directory / "2007.zip"
    if not archive.exists():
        command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(command, check=True, env=environment(directory, url))
        with ZipFile(archive, "w", ZIP_DEFLATED) as file:
            for number, source in enumerate(islice(cycle(games_of_samples()), games), 1):
                file.writestr(f"2007{1 + 12 * number // (games + 1):02}/{number}.tch", source.data)
    return run(environment(directory, url), "bw_import", archive, "--workers", workers)


def run_export(form: str, directory: Path) -> Took:
    """Exports what is in the database of a directory."""
    return run(environment(directory), "bw_export", "--format", form, "--out", directory / f"{form}.zip")


def environment(directory: Path, url: str = "") -> dict[str, str]:
    return {**os.environ, "DATABASE_URL": url or f"sqlite:///{directory}/db.sqlite3", "SECRET_KEY": "benchmark"}


@contextmanager
def own_database(url: str) -> Iterator[str]:
    """An empty database on a PostgreSQL server; its URL is blank if the server's is none."""
    if not url.startswith("postgres"):
        yield ""
        return
    import psycopg

    name = f"benchmark_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield urlsplit(url)._replace(path=f"/{name}").geturl()
        finally:
            server.execute(f"DROP DATABASE {name}")


def run(environment: dict[str, str], *arguments: object) -> Took:
    """Runs a command of manage.py."""
    start = time.perf_counter()
    command = [sys.executable, "-c", MEASURED, sys.executable, "manage.py", *map(str, arguments)]
    printed = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
    wall = time.perf_counter() - start
    cpu, peak = printed.split()
    return Took(float(cpu), wall, int(peak) / (2**20 if sys.platform == "darwin" else 2**10))


# A program of its own, since the system tells the sum and the largest of all that a process has started.
MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


if __name__ == "__main__":
    main()
