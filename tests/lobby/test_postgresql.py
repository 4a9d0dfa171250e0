"""The tests of the database run on SQLite. Here they run once more, on PostgreSQL."""

import os
import subprocess
import sys

import pytest

from tests.server import ROOT

FILES = ["tests/lobby/test_leases.py", "tests/lobby/test_store.py"]


@pytest.mark.slow
@pytest.mark.postgresql
def test_leases_and_store_work_on_postgresql_too(tmp_path):
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider", "--create-db", "-q", *FILES],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": f"postgres://postgres@127.0.0.1:5432/lobby_{os.getpid()}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
