"""The engine worker: the tables of the shards that it has leased.

::

    layer: engine.0, engine.1 ... --> inbox of the table --> Table
    every third of a lease: renew, claim, shed; close tables that have been empty for long

A table is read from the database when somebody says something to it. As it stands still while nobody is connected, that
is early enough: after a crash it goes on when the first client is back.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from uuid import uuid4

from channels.layers import get_channel_layer
from django.conf import settings
from django.db.models.functions import Now

from games import registry
from games.messages import Message
from lobby.leases import Leases, engine_channel, from_now, shard_of
from lobby.models import LobbyTable
from lobby.peers import COME_AGAIN
from lobby.records import TableLost, TableRecord
from lobby.store import DatabaseStore
from lobby.table import Inbox, Surroundings, Table, TableSettings
from lobby.texts import translated

logger = logging.getLogger(__name__)

AGENT_THREADS = 4
REMEMBER_CLOSED = timedelta(days=1)  # until then an old session id is expired, afterwards unknown


class EngineWorker:
    """Serves tables until it is stopped.

    :param alone: no other worker can reach the clients of this one, so it takes all tables at once.
    """

    def __init__(self, *, alone: bool) -> None:
        self.name = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
        self._alone = alone
        self._layer = get_channel_layer()
        self._store = DatabaseStore()
        self._leases = Leases(self.name, settings.ENGINE_LEASE_TTL, settings.ENGINE_SHARDS)
        self._stopping = asyncio.Event()
        self._listeners: dict[int, asyncio.Task[None]] = {}  # by shard
        self._tables: dict[str, tuple[Inbox, asyncio.Task[None]]] = {}  # by key
        self._surroundings = Surroundings(
            store=self._store,
            deliver=self._layer.send,
            translate=translated,
            executor=ThreadPoolExecutor(AGENT_THREADS, thread_name_prefix="agent"),
            settings=TableSettings(
                pace=settings.TICHU_PACE,
                seat_kept_s=settings.TICHU_SEAT_KEPT_S,
                chats_per_second=settings.TICHU_CHATS_PER_SECOND,
                chat_characters=settings.TICHU_CHAT_CHARACTERS,
            ),
        )

    async def run(self) -> None:
        """Works until :meth:`stop`; then sends its clients away and gives everything back."""
        try:
            while not self._stopping.is_set():
                try:
                    await self._renew()
                except Exception:
                    logger.exception("the leases could not be renewed")
                await self._wait(settings.ENGINE_LEASE_TTL / 3)
        finally:
            await self._drop(self._listeners)
            await self._store.run(self._leases.end)
            await self._store.close()
            self._surroundings.executor.shutdown(wait=False)

    def stop(self) -> None:
        """Asks it to stop."""
        self._stopping.set()

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    # --- shards -------------------------------------------------------------------------------------------------------

    async def _renew(self) -> None:
        if self._alone and not self._listeners:
            await self._store.run(self._leases.seize)
        mine = await self._store.run(self._leases.renew)
        await self._drop([shard for shard in self._listeners if shard not in mine])
        if claimed := mine - self._listeners.keys():
            await self._begin(claimed)
        if self._leases.surplus:
            surplus = list(self._leases.surplus)
            await self._drop(surplus)
            await self._store.run(self._leases.release, surplus)
        for key in await self._store.run(_keys_of_empty_tables):
            if shard_of(key) in self._listeners:
                self._hand({"type": "shut", "table": key, "reason": "idle"})

    async def _begin(self, shards: set[int]) -> None:
        """Serves the tables of these shards from now on. Whoever spoke to another worker shall come again."""
        await self._store.run(_nobody_is_connected, shards)
        for shard in shards:
            self._listeners[shard] = asyncio.create_task(self._listen(shard))
            if not self._alone:
                await self._layer.group_send(engine_channel(shard), COME_AGAIN)

    async def _drop(self, shards: Iterable[int]) -> None:
        """Stops listening, and the tables of these shards."""
        shards = set(shards)
        for shard in shards:
            self._listeners.pop(shard).cancel()
        tasks = []
        for key, (inbox, task) in self._tables.items():
            if shard_of(key) in shards:
                inbox.put_nowait({"type": "stop"})
                tasks.append(task)
        if tasks:
            await asyncio.wait(tasks, timeout=10)

    async def _listen(self, shard: int) -> None:
        while True:
            try:
                message = await self._layer.receive(engine_channel(shard))
            except Exception:
                logger.exception("nothing can be received for shard %s", shard)
                await asyncio.sleep(0.5)
            else:
                self._hand(message)

    # --- tables -------------------------------------------------------------------------------------------------------

    def _hand(self, message: Message) -> None:
        """Puts a message into the inbox of its table."""
        key = message["table"]
        if key not in self._tables:
            inbox: Inbox = asyncio.Queue()
            self._tables[key] = inbox, asyncio.create_task(self._host(key, inbox))
        self._tables[key][0].put_nowait(message)

    async def _host(self, key: str, inbox: Inbox) -> None:
        """The life of a table in this worker."""
        is_closed = False
        try:
            first = await inbox.get()
            record = await self._store.load(key)
            if record is None and isinstance(first, dict) and first["type"] == "join":
                record = await self._open(key, first)
            if record:
                await Table(record, self._surroundings, inbox).run(first)
            else:
                await self._send_away(first)
            is_closed = True
        except TableLost:
            logger.warning("%r belongs to another worker now", key)
        except Exception:
            logger.exception("%r cannot be served", key)
            await self._send_away(first)
        finally:
            del self._tables[key]
            while not inbox.empty():
                message = inbox.get_nowait()
                if is_closed and isinstance(message, dict) and message["type"] != "stop":
                    self._hand(message)
                else:
                    await self._send_away(message)

    async def _open(self, key: str, join: Message) -> TableRecord:
        game = registry.get(join["game"])
        strengths = [game.default_agent] * game.seats[-1]
        return await self._store.open(key, join["table_name"], game.name, game.options(), strengths)

    async def _send_away(self, message: object) -> None:
        """There is no such table, or no more: the client shall come again, and be told then."""
        if isinstance(message, dict) and message["type"] in {"join", "resume", "frame"}:
            await self._layer.send(message["channel"], COME_AGAIN)


def _nobody_is_connected(shards: set[int]) -> None:
    tables = LobbyTable.objects.filter(closed=None, idle_since=None)
    mine = [pk for pk, key in tables.values_list("pk", "key") if shard_of(key) in shards]
    tables.filter(pk__in=mine).update(idle_since=Now())


def _keys_of_empty_tables() -> list[str]:
    """Tables that have been empty for too long. Those that were closed long ago are forgotten."""
    LobbyTable.objects.filter(closed__lt=Now() - REMEMBER_CLOSED).delete()
    idle = LobbyTable.objects.filter(closed=None, idle_since__lt=from_now(-settings.TICHU_EMPTY_TABLE_S))
    return list(idle.values_list("key", flat=True))


class EmbeddedEngine:
    """The worker inside the web process, one per event loop; needed where the channel layer is within the process."""

    _worker: EngineWorker | None = None
    _task: "asyncio.Task[None] | None" = None

    @classmethod
    def start(cls) -> None:
        """Starts it, unless this loop has had one: what was stopped stays so."""
        if cls._task is None or cls._task.get_loop() is not asyncio.get_running_loop():
            cls._worker = EngineWorker(alone=not settings.REDIS_URL)
            cls._task = asyncio.create_task(cls._worker.run(), name="engine")

    @classmethod
    async def stop(cls) -> None:
        """Stops it and waits for it."""
        if cls._worker and cls._task and not cls._task.done():
            cls._worker.stop()
            await asyncio.wait([cls._task], timeout=10)
