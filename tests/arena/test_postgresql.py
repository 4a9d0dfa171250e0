"""The tests of the database run on SQLite. Here they run once more, on PostgreSQL."""

import os
import subprocess
import sys

import pytest

from tests.server import ROOT


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
        env={**os.environ, "DATABASE_URL": f"postgres://postgres@127.0.0.1:5432/arena_{os.getpid()}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
