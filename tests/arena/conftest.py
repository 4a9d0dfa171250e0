"""What the tests of the arena's commands share."""

import shutil
from pathlib import Path

import pytest

from tests.arena.commands import Shell


@pytest.fixture(scope="session")
def _tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    shell = Shell(tmp_path_factory.mktemp("tables"))
    shell.run("migrate", "--verbosity", "0")
    # Everything is in the one file that is copied.
    shell.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return shell.database


@pytest.fixture
def shell(tmp_path: Path, _tables: Path) -> Shell:
    """Where commands run, with a fresh database."""
    shutil.copy(_tables, tmp_path / "db.sqlite3")
    return Shell(tmp_path)
