"""The tests of the database run on SQLite. Here they run once more, on PostgreSQL."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.arena.commands import claims
from tests.server import ROOT

SERVER = "postgres://postgres@127.0.0.1:5432"


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    """Of commands, with a database of their own that has the arena's tables."""
    name = f"arena_claims_{os.getpid()}"
    environment = {**os.environ, "DATABASE_URL": f"{SERVER}/{name}", "SECRET_KEY": "test"}
    with psycopg.connect(f"{SERVER}/postgres", autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
            subprocess.run(migrate, cwd=ROOT, env=environment, check=True)
            yield environment
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.slow
@pytest.mark.postgresql
def test_runs_are_kept_on_postgresql_too():
    result = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:xdist",
            "-p",
            "no:cacheprovider",
            "--create-db",
            "-q",
            "tests/arena/test_runs.py",
        ],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": f"{SERVER}/arena_{os.getpid()}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout


@pytest.mark.slow
@pytest.mark.postgresql
def test_of_processes_that_open_runs_at_the_same_time_one_gets_each(environment: dict[str, str], tmp_path: Path):
    """New ones, and some that were stopped."""
    names = [f"run-{number}" for number in range(10)]
    assert claims(names, tmp_path, environment) == names
    with psycopg.connect(environment["DATABASE_URL"]) as database:
        database.execute("UPDATE arena_arenarun SET state = 'stopped'")
    assert claims(names, tmp_path, environment) == names
