"""Starts ``manage.py run_arena`` from a page.

The command goes on when the page, or the whole server, is gone. Its priority is low: the same machine plays the tables.

What a command says goes into a file of its own under ``DATA_DIR/arena``. A page waits only until the run has begun or
the command has given up, so that whoever pressed the button learns why.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Thread
from urllib.parse import quote

from django.conf import settings

WAIT_S = 10.0  # a busy machine needs some seconds until a command has loaded everything
LOOK_S = 0.1


class Launch:
    """A command that was started.

    :param name: of the run.
    :param arguments: of ``run_arena``, without its name.
    """

    def __init__(self, name: str, arguments: Sequence[str] = ()) -> None:
        self.name = name
        self.log: Path = settings.DATA_DIR / "arena" / f"{quote(name, safe=' ')[:200]}.log"
        self.log.parent.mkdir(exist_ok=True)
        with self.log.open("ab") as log:
            self._begin = log.tell()
            self._process = subprocess.Popen(  # noqa: S603  # no shell; the arguments come from the row of a run
                ["nice", sys.executable, settings.BASE_DIR / "manage.py", "run_arena", f"--name={name}", *arguments],  # noqa: S607
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        Thread(target=self._process.wait, daemon=True).start()  # or it would stay as a zombie

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def said(self) -> str:
        """What it has said last: some lines."""
        with self.log.open("rb") as log:
            log.seek(self._begin)
            return "\n".join(log.read().decode(errors="replace").strip().splitlines()[-5:])


def wait(launches: Sequence[Launch], is_there: Callable[[Launch], bool]) -> list[Launch]:
    """Waits until each run is there or its command has ended, ten seconds at most.

    :result: those that are not there.
    """
    deadline = time.monotonic() + WAIT_S
    missing = list(launches)
    while True:
        ended = {launch for launch in missing if launch.has_ended}  # looked at first: it may have been very quick
        missing = [launch for launch in missing if not is_there(launch)]
        if ended.issuperset(missing) or time.monotonic() > deadline:
            return missing
        time.sleep(LOOK_S)
