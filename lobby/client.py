"""A program's side of the protocol (version 2): for ``manage.py wsclient``, and for tests.

A client reconnects by itself, repeats what was not confirmed, and asks for what it missed::

    async for message in client.messages():
        if message["type"] == "request":
            await client.answer(message["payload"], answer(message["payload"], client.seat))
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import count
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from games.messages import CloseCode

Message = dict[str, Any]

SESSION_IS_OVER = {CloseCode.TAKEN_OVER, CloseCode.LEFT, CloseCode.REFUSED}
ABNORMAL = 1006  # closed without a word


class Client:
    """One person at one table.

    :param url: ``ws://HOST/ws``.
    :param retry: seconds until it connects again.
    :ivar session_id: once it has been let in.
    :ivar state: the public state as last sent in full.
    :ivar number: of the last notification.
    :ivar unconfirmed: what was said and not yet confirmed or refused, by id.
    :ivar close_code: of the last socket.
    :ivar refusal: payload of the last error that came without an id.
    """

    def __init__(self, url: str, name: str, table: str, *, language: str = "en", retry: float = 1.0) -> None:
        self.name = name
        self.table = table
        self.session_id = ""
        self.seat = -1
        self.state: Message = {}
        self.number = 0
        self.unconfirmed: dict[str, Message] = {}
        self.close_code: int | None = None
        self.refusal: Message = {}
        self._url = url
        self._language = language
        self._retry = retry
        self._run = uuid4().hex[:8]  # ids of different runs differ
        self._ids = count(1)
        self._socket: ClientConnection | None = None

    # --- speaking -----------------------------------------------------------------------------------------------------

    async def say(self, kind: str, **payload: Any) -> str:
        """Sends a message; repeats it after a reconnect until it is confirmed or refused.

        :result: its id.
        """
        command_id = f"{self._run}-{next(self._ids)}"
        message = {"type": kind, "payload": payload, "id": command_id}
        self.unconfirmed[command_id] = message
        await self._send(message)
        return command_id

    async def answer(self, request: Message, data: Message) -> str:
        """Answers a request, given as its payload."""
        return await self.say(
            "response", action=request["action"], request_id=request["request_id"], response_data=data
        )

    async def drop(self) -> None:
        """Loses the connection."""
        if self._socket:
            self._socket.transport.abort()

    async def _send(self, message: Message) -> None:
        if self._socket:
            with suppress(ConnectionClosed):  # then it is repeated after the reconnect
                await self._socket.send(json.dumps(message))

    # --- listening ----------------------------------------------------------------------------------------------------

    async def messages(self) -> AsyncIterator[Message]:
        """Every message of the server, over all connections, until the session is over."""
        pause = self._retry
        while True:
            try:
                async with connect(self._address(), max_size=None) as socket:
                    self._socket = socket
                    while True:
                        message = json.loads(await socket.recv())
                        pause = self._retry
                        await self._take(message)
                        yield message
            except ConnectionClosed as closed:
                self.close_code = closed.rcvd.code if closed.rcvd else ABNORMAL
            except (OSError, InvalidHandshake, TimeoutError):
                self.close_code = ABNORMAL
            finally:
                self._socket = None
            if self.close_code in SESSION_IS_OVER:
                return
            await asyncio.sleep(pause)
            pause = min(2 * pause, 15 * self._retry) if self.close_code == CloseCode.BUSY else self._retry

    def _address(self) -> str:
        who = (
            {"session_id": self.session_id} if self.session_id else {"player_name": self.name, "table_name": self.table}
        )
        return f"{self._url}?{urlencode({**who, 'protocol': 2, 'lang': self._language})}"

    async def _take(self, message: Message) -> None:
        payload = message.get("payload", {})
        match message["type"]:
            case "ack":
                self.unconfirmed.pop(payload["id"], None)
            case "error":
                if "id" in payload:
                    self.unconfirmed.pop(payload["id"], None)
                else:
                    self.refusal = payload
            case "notification" if "session_id" in payload["context"]:
                await self._take_everything(payload["context"])
            case "notification" if "number" in payload:
                if payload["number"] > self.number + 1:
                    await self._send({"type": "sync", "payload": {"since": self.number}})
                self.number = max(self.number, payload["number"])

    async def _take_everything(self, context: Message) -> None:
        is_first = not self.session_id
        self.session_id = context["session_id"]
        self.state = context["public_state"]
        self.seat = context["private_state"]["player_index"]
        self.number = context["number"]
        if not is_first:
            for message in list(self.unconfirmed.values()):
                await self._send(message)


def answer(request: Message, seat: int) -> Message:
    """A plain answer to a request of Tichu: it plays whenever it can, and calls nothing.

    :param request: its payload.
    """
    context = request["context"]
    match request["action"]:
        case "announce_grand_tichu":
            return {"announced": False}
        case "schupf":
            return {"given_schupf_cards": context["hand_cards"][-3:]}
        case "play":
            return {"cards": context["proposal"]}
        case "wish":
            return {"wish_value": 8}
        case "give_dragon_away":
            return {"dragon_recipient": (seat + 1) % 4}
    raise ValueError(f"nobody knows how to answer {request['action']}")
