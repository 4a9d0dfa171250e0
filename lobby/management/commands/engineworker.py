"""``manage.py engineworker``: an engine worker in a process of its own, beside any number of web processes.

It needs a channel layer that reaches other processes (``REDIS_URL``). SIGTERM or Ctrl-C: it sends its clients to
another worker and gives its tables back.
"""

import asyncio
import signal
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from lobby.worker import EngineWorker


class Command(BaseCommand):
    help = "Starts an engine worker."

    def handle(self, **options: Any) -> None:
        if not settings.REDIS_URL:
            raise CommandError("REDIS_URL is not set: the engine runs inside the web process.")
        asyncio.run(self._work())

    async def _work(self) -> None:
        worker = EngineWorker(alone=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, worker.stop)
        self.stdout.write(f"engine worker {worker.name}")
        self.stdout.flush()
        await worker.run()
