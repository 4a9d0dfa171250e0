"""The tests of the import, the export and the statistics run on SQLite. Here they run once more, on PostgreSQL."""

import os
import subprocess
import sys

import pytest

from tests.server import ROOT

FOLDER = "tests/arena/brettspielwelt"
FILES = [f"{FOLDER}/test_importing.py", f"{FOLDER}/test_exporting.py", f"{FOLDER}/test_statistics.py"]


@pytest.mark.slow
@pytest.mark.postgresql
def test_logs_are_imported_exported_and_counted_on_postgresql_too():
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
            *FILES,
            "-k",
            "not interrupted and not mixture",  # these have an SQLite database of their own
        ],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": f"postgres://postgres@127.0.0.1:5432/bw_{os.getpid()}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
