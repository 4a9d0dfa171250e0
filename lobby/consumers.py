"""The web's end of a socket. It forwards, counts against the limits, and knows nothing of tables::

    client --frames--> TableConsumer --engine.{shard}--> the worker that has the table
    client <--frames-- TableConsumer <--own channel----- table

Every refusal is: accept, error, close; a browser cannot see why a socket was closed before it was accepted.
"""

import asyncio
from contextlib import suppress
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs

from channels.consumer import get_handler_name
from channels.db import database_sync_to_async
from channels.exceptions import ChannelFull
from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings

from games import messages, registry
from games.messages import CloseCode, ErrorCode, InvalidMessage, Message, Refusal, Vocabulary
from lobby.leases import engine_channel, shard_of
from lobby.limits import Bucket, Buckets, Counts
from lobby.models import LobbyTable, Session
from lobby.seating import Place, clean_name, name_key
from lobby.texts import translated

ENGINE_PATIENCE = 10.0  # seconds until somebody whom no worker answers is told that the server is busy
STRIKES = 20  # messages over the limit until the socket is closed
LONGEST_ID = 100  # characters of a session id that are repeated to the client

connections = Buckets(settings.TICHU_CONNECTIONS_PER_MINUTE)
new_tables = Buckets(settings.TICHU_NEW_TABLES_PER_MINUTE)
sockets = Counts(settings.TICHU_SOCKETS_PER_ADDRESS)


class TableConsumer(AsyncWebsocketConsumer):
    """One socket."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self._address = _address(scope)
        self._query = {name: values[0] for name, values in parse_qs(scope["query_string"].decode()).items()}
        self._language = "en" if self._query.get("lang") == "en" else "de"
        self._engine = ""  # the channel of the worker, once it was asked to let the client in
        self._table = ""
        self._messages = Bucket(settings.TICHU_MESSAGES_PER_SECOND, settings.TICHU_MESSAGE_BURST)
        self._strikes = 0
        self._is_closed = False
        self._patience: asyncio.TimerHandle | None = None
        self._has_room = sockets.add(self._address)
        try:
            await super().__call__(scope, receive, send)
        finally:
            sockets.remove(self._address)
            await self._leave()

    async def dispatch(self, message: Message) -> None:
        """Calls the handler. The stock method closes old database connections first, a thread hop for every message."""
        await getattr(self, get_handler_name(message))(message)

    # --- client to engine ---------------------------------------------------------------------------------------------

    async def connect(self) -> None:
        """Asks the engine to let the client in, or tells the client why not."""
        await self.accept()
        try:
            await self._enter()
        except Refusal as refusal:
            busy = refusal.code in {ErrorCode.SERVER_BUSY, ErrorCode.MAINTENANCE_MODE}
            await self._send_away(refusal, CloseCode.BUSY if busy else CloseCode.REFUSED)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Forwards a frame, within the limits."""
        if self._is_closed or not self._engine:
            return
        longest = settings.TICHU_MESSAGE_BYTES
        if not self._messages.take():
            await self._strike(Refusal(ErrorCode.SERVER_BUSY), text_data, weight=1)
        elif text_data is None:
            await self._refuse(InvalidMessage(bytes_data or b""))
        elif longest and len(text_data.encode()) > longest:
            await self._strike(InvalidMessage(text_data), text_data, weight=STRIKES // 2)
        else:
            try:
                await self._tell_engine("frame", text=text_data)
            except ChannelFull:
                await self._refuse(Refusal(ErrorCode.SERVER_BUSY), _command_id(text_data))

    async def _enter(self) -> None:
        if not self._has_room:
            raise Refusal(ErrorCode.SERVER_BUSY)
        if settings.TICHU_MAINTENANCE:
            raise Refusal(ErrorCode.MAINTENANCE_MODE)
        if "session_id" in self._query:
            await self._resume(self._query["session_id"])
        else:
            await self._join()

    async def _resume(self, session_id: str) -> None:
        session = await _find_session(sha256(session_id.encode()).hexdigest())
        is_over = session is None or session.place == Place.OVER or session.table.closed
        if is_over and not connections.take(self._address):
            raise Refusal(ErrorCode.SERVER_BUSY)
        if session is None:
            raise Refusal(ErrorCode.SESSION_NOT_FOUND, session_id=session_id[:LONGEST_ID])
        if is_over:
            raise Refusal(ErrorCode.SESSION_EXPIRED)
        await self._ask_engine("resume", session.table.key, session_id=session_id)

    async def _join(self) -> None:
        if not connections.take(self._address):
            raise Refusal(ErrorCode.SERVER_BUSY)
        try:
            name = clean_name(self._query["player_name"])
            table = clean_name(self._query["table_name"])
            game = self._query.get("game", registry.DEFAULT)
            if game not in registry.GAMES:
                raise ValueError(f"no game is called {game}")
        except (KeyError, ValueError) as error:
            raise InvalidMessage(self.scope["query_string"]) from error
        key = name_key(table)
        if not await _is_open(key) and not (new_tables.take(self._address) and await _has_room_for_tables()):
            raise Refusal(ErrorCode.SERVER_BUSY)
        await self._ask_engine("join", key, name=name, table_name=table, game=game)

    async def _ask_engine(self, kind: str, key: str, **message: str) -> None:
        shard = shard_of(key)
        self._table = key
        self._engine = engine_channel(shard)
        await self.channel_layer.group_add(self._engine, self.channel_name)
        self._patience = asyncio.get_running_loop().call_later(ENGINE_PATIENCE, self._lose_patience)
        protocol = 2 if self._query.get("protocol") == "2" else 1
        try:
            await self._tell_engine(kind, protocol=protocol, language=self._language, **message)
        except ChannelFull as error:
            raise Refusal(ErrorCode.SERVER_BUSY) from error

    async def _tell_engine(self, kind: str, **message: str | int) -> None:
        message = {"type": kind, "table": self._table, "channel": self.channel_name, **message}
        await self.channel_layer.send(self._engine, message)

    async def _leave(self) -> None:
        """The socket is gone, however that came about."""
        if self._patience:
            self._patience.cancel()
        if self._engine:
            await self.channel_layer.group_discard(self._engine, self.channel_name)
            with suppress(ChannelFull):
                await self._tell_engine("gone")

    # --- engine to client ---------------------------------------------------------------------------------------------

    async def client_send(self, message: Message) -> None:
        """A frame of the table."""
        if self._patience:
            self._patience.cancel()
            self._patience = None
        if not self._is_closed:
            await self.send(message["text"])

    async def client_close(self, message: Message) -> None:
        """The table wants no more of this client."""
        if not self._is_closed:
            self._is_closed = True
            await self.close(message["code"])

    async def engine_moved(self, message: Message) -> None:
        """Another worker has the table, now or soon; it does not know this socket."""
        await self._send_away(Refusal(ErrorCode.SERVER_DOWN), CloseCode.RESTART)

    # --- refusing -----------------------------------------------------------------------------------------------------

    async def _refuse(self, refusal: Refusal, command_id: str | None = None) -> None:
        text = translated(refusal.code.message, self._language)
        await self.send(Vocabulary().encode(messages.error(refusal, text, command_id)))

    async def _send_away(self, refusal: Refusal, code: CloseCode) -> None:
        if not self._is_closed:
            self._is_closed = True
            await self._refuse(refusal)
            await self.close(int(code))

    async def _strike(self, refusal: Refusal, text: str | None, *, weight: int) -> None:
        """Refuses a message; closes the socket of a client that does not learn from it."""
        self._strikes += weight
        if self._strikes < STRIKES:
            await self._refuse(refusal, _command_id(text))
        else:
            await self._send_away(Refusal(ErrorCode.SERVER_BUSY), CloseCode.BUSY)

    def _lose_patience(self) -> None:
        busy = self._send_away(Refusal(ErrorCode.SERVER_BUSY), CloseCode.BUSY)
        self._closing = asyncio.ensure_future(busy)


def _address(scope: Any) -> str:
    """Where a client comes from; a proxy in front says it in a header."""
    if settings.BEHIND_PROXY:
        for name, value in scope["headers"]:
            if name == b"x-forwarded-for":
                return str(value.decode("latin1").split(",")[0].strip())
    return scope["client"][0] if scope.get("client") else ""


def _command_id(text: str | None) -> str | None:
    """The id of a message, where it can be read."""
    try:
        return messages.decode(text or "")[0].id
    except InvalidMessage as invalid:
        return invalid.command_id


@database_sync_to_async
def _find_session(digest: str) -> Session | None:
    return Session.objects.select_related("table").filter(digest=digest).first()


@database_sync_to_async
def _is_open(key: str) -> bool:
    return LobbyTable.objects.filter(key=key, closed=None).exists()


@database_sync_to_async
def _has_room_for_tables() -> bool:
    return not settings.TICHU_TABLES or LobbyTable.objects.filter(closed=None).count() < settings.TICHU_TABLES
