"""A person with a real socket, for tests that read along."""

import json
from contextlib import ExitStack, suppress
from socket import SHUT_RDWR
from typing import Any
from urllib.parse import urlencode

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.server import Server

Message = dict[str, Any]


class Guest:
    """A socket at a table.

    :ivar frames: everything received so far.
    """

    def __init__(self, server: Server, *, headers: dict[str, str] | None = None, **query: str) -> None:
        self.frames: list[Message] = []
        self.server = server
        origin: Any = (headers or {}).pop("Origin", None)
        url = f"{server.socket_url}?{urlencode({'protocol': '2', 'lang': 'en'} | query)}"
        self._open = ExitStack()
        self.socket: ClientConnection = self._open.enter_context(
            connect(url, origin=origin, additional_headers=headers, max_size=None, ping_interval=None)
        )

    def say(self, kind: str, payload: Message | None = None, **keys: Any) -> None:
        self.socket.send(json.dumps({"type": kind, "payload": payload or {}, **keys}))

    def receive(self) -> Message:
        message: Message = json.loads(self.socket.recv(timeout=10))
        self.frames.append(message)
        return message

    def until(self, name: str) -> Message:
        """:result: the payload of the next message with that type, event, or action."""
        while True:
            message = self.receive()
            payload: Message = message.get("payload", {})
            if name in (message["type"], payload.get("event"), payload.get("action")):
                return payload

    def end(self) -> tuple[list[int], int | None]:
        """Reads until the socket is closed. :result: the codes of all errors, and that of closing."""
        try:
            while True:
                self.receive()
        except ConnectionClosed as closed:
            errors = [frame["payload"]["code"] for frame in self.frames if frame["type"] == "error"]
            return errors, closed.rcvd.code if closed.rcvd else None

    def come_back(self) -> "Guest":
        """The same session with another socket."""
        return Guest(self.server, session_id=self.session_id)

    @property
    def session_id(self) -> str:
        if not self.frames:
            self.receive()
        session_id: str = self.frames[0]["payload"]["context"]["session_id"]
        return session_id

    def lose(self) -> None:
        """The connection is lost, without a word."""
        with suppress(OSError):
            self.socket.socket.shutdown(SHUT_RDWR)
        self._open.close()
