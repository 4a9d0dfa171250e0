"""Commands that a page starts."""

import os
import time
from pathlib import Path

import pytest

from arena import launching
from arena.launching import Launch, wait

pytestmark = pytest.mark.slow


@pytest.fixture
def directory(settings, tmp_path, monkeypatch):
    """For logs and a database without tables."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'db.sqlite3'}")
    return tmp_path


def test_an_agent_that_is_not_there_is_named(directory):
    launch = Launch("duel-2", ["--rounds=10", "--", "nobody", "random"])
    assert wait([launch], lambda launch: False) == [launch]
    assert launch.has_ended
    assert "there is no agent nobody" in launch.said


def test_the_name_of_the_log_stays_in_its_directory(directory):
    launch = Launch("../../a/b", ["--help"])
    assert launch.log.parent == directory / "arena"
    assert launch.log.exists()
    wait([launch], lambda launch: False)


def test_a_command_has_a_low_priority_and_a_session_of_its_own_and_leaves_no_zombie(directory):
    launch = Launch("duel", ["--help"])
    process = Path(f"/proc/{launch._process.pid}")
    niceness = min(19, os.nice(0) + 10)
    assert wait([launch], lambda launch: not launch.has_ended and int(_stat(process)[16]) == niceness) == []
    assert int(_stat(process)[3]) == launch._process.pid
    deadline = time.monotonic() + 20
    while process.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not process.exists()


def _stat(process):
    """proc(5): what follows the name in parentheses; [3] is the session, [16] the nice value."""
    return process.joinpath("stat").read_text().rpartition(")")[2].split()


def test_waiting_ends_as_soon_as_a_run_is_there(directory, monkeypatch):
    monkeypatch.setattr(launching, "WAIT_S", 60)
    begin = time.monotonic()
    launch = Launch("duel", ["--help"])
    assert wait([launch], lambda launch: True) == []
    assert time.monotonic() - begin < 5
    wait([launch], lambda launch: False)
