"""A real server for tests: ``manage.py play`` in a process of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent


class Server:
    """``manage.py play`` with its own SQLite database.

    There are no pauses and no limits unless the settings say otherwise. It keeps its port over a restart.

    :param directory: for the database and the log.
    :param settings: environment variables.
    """

    def __init__(self, directory: Path, **settings: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.log = directory / "server.log"
        self.database = directory / "db.sqlite3"
        self.settings = {
            "DATABASE_URL": f"sqlite:///{self.database}",
            "SECRET_KEY": "test",
            "DEBUG": "0",
            "TICHU_PACE": "0",
            "TICHU_LIMITS": "0",
            "TICHU_STRICT_MESSAGES": "1",
            **settings,
        }
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws"

    def start(self, timeout: float = 30) -> None:
        """Starts it and waits until it is healthy."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "play", "--host", "127.0.0.1", "--port", str(self.port)],
                cwd=ROOT,
                env={**os.environ, **self.settings},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline and self.process.poll() is None:
            if self.is_healthy():
                return
            time.sleep(0.05)
        self.kill()
        raise RuntimeError(f"the server did not start:\n{self.log.read_text()}")

    def is_healthy(self) -> bool:
        try:
            with urlopen(f"{self.url}/healthz", timeout=5) as response:
                return bool(json.load(response)["engine"] == "ok")
        except (URLError, OSError):
            return False

    def stop(self, timeout: float = 15) -> int:
        """Asks it to stop, as an admin would. :result: its exit status."""
        return self._end(signal.SIGTERM, timeout)

    def kill(self) -> int:
        """``kill -9``."""
        return self._end(signal.SIGKILL, timeout=15)

    def _end(self, signal_number: int, timeout: float) -> int:
        if self.process is None:
            return 0
        self.process.send_signal(signal_number)
        try:
            return self.process.wait(timeout)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.process = None
