"""The engine in processes of its own, beside a web process, over Redis (design: leases)."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from lobby.leases import shard_of
from tests.lobby.guest import Guest
from tests.server import ROOT, Server

pytestmark = [pytest.mark.slow, pytest.mark.redis]

REDIS = "redis://127.0.0.1:6379/9"


class Cluster(Server):
    """Daphne as it comes, and engine workers."""

    def __init__(self, directory, **settings):
        super().__init__(directory, REDIS_URL=REDIS, ENGINE_LEASE_TTL="1", **settings)
        self.workers = []
        self._run(sys.executable, "manage.py", "migrate", "--verbosity", "0").wait()

    def start(self, timeout=30):
        daphne = ("-m", "daphne", "--bind", "127.0.0.1", "--port", str(self.port), "tichu_site.asgi:application")
        self.process = self._run(sys.executable, *daphne)
        self.add_worker()
        deadline = time.monotonic() + timeout
        while not self.is_healthy():
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)

    def add_worker(self):
        self.workers.append(self._run(sys.executable, "manage.py", "engineworker"))

    def owner(self, table):
        """The worker that has this table."""
        with closing(sqlite3.connect(self.database)) as database:
            query = "SELECT owner FROM lobby_enginelease WHERE shard = ?"
            [name] = database.execute(query, [shard_of(table.casefold())]).fetchone()
        return next((worker for worker in self.workers if f":{worker.pid}:" in name), None)

    def stop(self, timeout=15):
        for worker in self.workers:
            worker.send_signal(signal.SIGTERM)
            worker.wait(timeout)
        return super().stop(timeout)

    def _run(self, *command):
        with self.log.open("ab") as log:
            return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **self.settings}, stdout=log, stderr=log)


@pytest.fixture
def cluster(tmp_path) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path)
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_tables_of_a_worker_that_ends_go_on_with_another_one(cluster, how):
    """Protocol 1: 4012, and the same page goes on."""
    anna = Guest(cluster, player_name="Anna", table_name="Cluster")
    anna.receive()
    anna.say("start_game")
    anna.until("announce_grand_tichu")
    anna.say("response", {"action": "announce_grand_tichu", "response_data": {"announced": True}}, id="a")
    confirmed = anna.until("ack")
    hand = anna.until("schupf")["context"]["hand_cards"]
    first = cluster.owner("Cluster")
    cluster.add_worker()
    first.send_signal(how)
    first.wait()
    errors, code = anna.end()
    assert (errors, code) == ([106], 4012)
    again = anna.come_back()
    while again.receive()["type"] == "error":  # no worker has the table yet
        again.end()
        again = anna.come_back()
    welcome = again.frames[0]["payload"]["context"]
    assert welcome["private_state"]["hand_cards"] == hand
    assert welcome["public_state"]["announcements"][0] == 2
    assert welcome["pending_action"] == "schupf"
    again.say("response", {"action": "announce_grand_tichu", "response_data": {"announced": True}}, id="a")
    assert again.until("ack") == confirmed
    again.lose()


def test_daphne_as_it_comes_speaks_the_protocol_and_says_goodbye(cluster):
    """Protocol 1: 1008; 106, 4012."""
    anna, nobody = Guest(cluster, player_name="Anna", table_name="Goodbye"), Guest(cluster)
    anna.receive()
    assert nobody.end() == ([101], 1008)
    cluster.process.send_signal(signal.SIGTERM)
    assert anna.end() == ([106], 4012)


def test_without_redis_a_worker_is_of_no_use():
    result = subprocess.run(
        [sys.executable, "manage.py", "engineworker"],
        cwd=ROOT,
        env={**os.environ, "REDIS_URL": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "REDIS_URL is not set" in result.stderr
    assert result.returncode == 1
