"""The commands of the arena as a person starts them, each test with its own database."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.server import ROOT

# Plays like RandomAgent, but badly in one way.
BAD_AGENTS = """
import time
from pathlib import Path
from tempfile import mkdtemp
from games.tichu.agents.random import RandomAgent

class Raising(RandomAgent):
    def wish(self, public, private):
        raise RuntimeError("no wish")

class Cheating(RandomAgent):
    def play(self, public, private):
        return 1 << 62, 0

class Slow(RandomAgent):
    def schupf(self, public, private):
        time.sleep(0.3)
        return super().schupf(public, private)

class Unhurried(RandomAgent):
    def schupf(self, public, private):
        time.sleep(0.002)
        return super().schupf(public, private)

class Endless(RandomAgent):
    def schupf(self, public, private):
        while True:
            pass

class Sleeping(RandomAgent):
    def schupf(self, public, private):
        time.sleep(10**6)

class Printing(RandomAgent):
    def __init__(self, name, rng):
        super().__init__(name, rng)
        print("made")

    def schupf(self, public, private):
        print("thinking", flush=True)
        return super().schupf(public, private)

class Unmade(RandomAgent):
    def __init__(self, name, rng, last):
        super().__init__(name, rng)
        folder = Path(__file__).parent
        if len(list(folder.glob("made-*"))) == last:
            time.sleep(10**6)
        mkdtemp(prefix="made-", dir=folder)

class Untidy(RandomAgent):
    def cleanup(self):
        raise RuntimeError("no broom")
"""


class Shell:
    """A folder with a database that has the arena's tables.

    :ivar environment: of each command.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = folder / "db.sqlite3"
        self.environment = {
            **os.environ,
            "DATABASE_URL": f"sqlite:///{self.database}",
            "SECRET_KEY": "test",
            "PYTHONPATH": str(folder),
        }
        (folder / "bad.py").write_text(BAD_AGENTS)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, status: int = 0) -> "Said":
        return self.end(self.start(*arguments), status)

    def end(self, process: "subprocess.Popen[str]", status: int = 0) -> "Said":
        """Waits for its end.

        :param status: that it must exit with.
        """
        out, err = process.communicate(timeout=60)
        assert process.returncode == status, err
        return Said(out, err)

    def row(self, name: str) -> dict[str, Any]:
        """A run as it is stored."""
        with sqlite3.connect(self.database) as database:
            database.row_factory = sqlite3.Row
            found = database.execute("SELECT * FROM arena_arenarun WHERE name = ?", [name]).fetchone()
        return dict(found) if found else {"batches_played": 0}

    def execute(self, statement: str) -> list[Any]:
        with sqlite3.connect(self.database) as database:
            return database.execute(statement).fetchall()

    def wait_for(self, name: str, process: "subprocess.Popen[str]", batches: int = 2) -> None:
        """Waits until a run has stored some batches."""
        until(lambda: process.poll() is not None or self.row(name)["batches_played"] >= batches)
        assert process.poll() is None, process.communicate()


class Said:
    def __init__(self, out: str, err: str) -> None:
        self.out = out
        self.err = err

    @property
    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def result(self) -> dict[str, Any]:
        """The report without what differs each time: how long it took."""
        result = {key: value for key, value in self.report.items() if "second" not in key}
        return {**result, "agents": [{**agent, "decision_ms": None} for agent in result["agents"]]}


# Opens the runs of its arguments as soon as there is a file `go`; prints which of them it got.
CLAIMING = """
import os, sys, time
import django
django.setup()
from arena.executors import Pool
from arena.runs import RunError, open_run
executor = Pool(1)
print("ready", flush=True)
while not os.path.exists(os.environ["GO"]):
    time.sleep(0.001)
for name in sys.argv[1:]:
    try:
        open_run(name, {"team_20": "random", "team_31": "random"}, executor)
    except RunError as error:
        assert "nother command" in str(error), error
    else:
        print(name, flush=True)
"""


def claims(names: list[str], folder: Path, environment: dict[str, str]) -> list[str]:
    """Four processes open the same runs at the same time.

    :result: the runs that they got; one that two of them got is in it twice.
    """
    go = folder / "go"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CLAIMING, *names],
            cwd=ROOT,
            env={**environment, "DJANGO_SETTINGS_MODULE": "tichu_site.settings", "GO": str(go)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    go.touch()
    said = [process.communicate(timeout=60)[0] for process in processes]
    go.unlink()
    assert [process.returncode for process in processes] == [0] * 4
    return sorted(name for lines in said for name in lines.split())


def until(is_so: Callable[[], bool], timeout: float = 30) -> None:
    deadline = time.monotonic() + timeout
    while not is_so():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)
