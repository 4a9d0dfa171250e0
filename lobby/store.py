"""The database behind the tables. Its calls run in the engine's own thread, so they never queue behind views."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

import msgspec
from django.db import IntegrityError, close_old_connections, connections, transaction
from django.db.models.functions import Now
from msgspec import Struct

from games import journal
from games.models import MatchEvent
from lobby.leases import shard_of
from lobby.models import Command, EngineLease, LobbyTable, Session
from lobby.records import Change, SessionRecord, TableLost, TableRecord
from lobby.seating import Place

P = ParamSpec("P")
T = TypeVar("T")


class DatabaseStore:
    """Implements :class:`lobby.records.Store` with Django's models."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="engine-database")

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Calls a function in the engine's database thread."""

        def call() -> T:
            close_old_connections()  # one that failed is replaced
            return function(*args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    async def close(self) -> None:
        """Ends the thread and its connection."""
        await self.run(connections.close_all)
        self._thread.shutdown()

    async def load(self, key: str) -> TableRecord | None:
        return await self.run(_load, key)

    async def open(self, key: str, name: str, game: str, options: Struct, strengths: Sequence[str]) -> TableRecord:
        return await self.run(_open, key, name, game, options, strengths)

    async def save(self, change: Change) -> int | None:
        try:
            return await self.run(_save, change)
        except IntegrityError as error:
            raise TableLost from error


def _load(key: str) -> TableRecord | None:
    table = LobbyTable.objects.filter(key=key, closed=None).first()
    if table is None:
        return None
    commands = Command.objects.filter(session__table=table).values_list("session", "command", "number")
    return TableRecord(
        pk=table.pk,
        name=table.name,
        game=table.game,
        options=table.options,
        turn_limit_s=table.turn_limit_s,
        strengths=table.strengths,
        host=table.host,
        number=table.number,
        match=table.match_id,
        engine=journal.load(table.match_id).engine if table.match_id else None,
        sessions=[
            SessionRecord(session.digest, session.name, session.seat, Place(session.place), session.pk)
            for session in table.sessions.order_by("pk")
        ],
        commands={(session, command): number for session, command, number in commands},
        asked_for=_asked_for(table),
    )


def _asked_for(table: LobbyTable) -> float:
    """How long the open requests had been open when the clocks stopped: nobody was connected, or the worker died."""
    last = MatchEvent.objects.filter(match=table.match_id).order_by("-number").first()
    lease = EngineLease.objects.filter(shard=shard_of(table.key)).first()
    if last is None or lease is None:
        return 0.0
    stopped = min(filter(None, [table.idle_since, lease.lost]), default=last.created)
    return max(0.0, (stopped - last.created).total_seconds())


def _open(key: str, name: str, game: str, options: Struct, strengths: Sequence[str]) -> TableRecord:
    table = LobbyTable.objects.create(
        key=key, name=name, game=game, options=msgspec.to_builtins(options), strengths=list(strengths)
    )
    return TableRecord(table.pk, name, game, table.options, None, strengths, table.host, table.number)


def _save(change: Change) -> int | None:
    columns: dict[str, Any] = {**change.columns, "number": change.number}
    if "idle" in columns:
        columns["idle_since"] = Now() if columns.pop("idle") else None
    if change.closes:
        columns["closed"] = Now()
    match = None
    with transaction.atomic():
        if change.start:
            start = change.start
            match = journal.create(start.table_name, start.game, start.options, start.seats).pk
            columns["match"] = match
        rows = LobbyTable.objects.filter(pk=change.table, number=change.before, closed=None)
        if not rows.update(**columns):
            raise TableLost
        for session in change.sessions:
            _save_session(change.table, session)
        if change.closes:
            Session.objects.filter(table=change.table).update(place=Place.OVER)
        if change.command:
            Command.objects.create(session_id=change.command[0], command=change.command[1], number=change.number)
        if change.match:
            _save_match(change.match, change)
    return match


def _save_session(table: int, record: SessionRecord) -> None:
    values = {"seat": record.seat, "place": record.place}
    if record.pk is None:
        record.pk = Session.objects.create(table_id=table, digest=record.digest, name=record.name, **values).pk
    else:
        Session.objects.filter(pk=record.pk).update(**values)


def _save_match(match: int, change: Change) -> None:
    for seat, (name, kind) in change.seats.items():
        journal.change_seat(match, seat, name, kind)
    if change.step:
        command = f"{change.command[0]}:{change.command[1]}" if change.command else None
        journal.append(match, change.step, change.number, command)
    if change.finish:
        journal.finish(match, change.finish)
    elif change.closes:
        journal.abandon(match)
