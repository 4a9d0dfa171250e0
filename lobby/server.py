"""Daphne, as the protocol needs it: close codes, clients that do not read, and a goodbye at the end.

Importing this module changes the sockets of every Daphne in the process, however it was started; :class:`Server` is the
one that ``manage.py play`` starts.
"""

import asyncio
from typing import Any
from urllib.parse import parse_qs

import daphne.server
from daphne.endpoints import build_endpoint_description_strings
from daphne.ws_protocol import WebSocketFactory, WebSocketProtocol
from django.conf import settings
from twisted.internet import defer
from twisted.internet import reactor as installed_reactor

from games import messages
from games.messages import CloseCode, ErrorCode, Refusal, Vocabulary
from lobby.texts import translated
from lobby.worker import EmbeddedEngine

CONFIRMED_EVERY = 32  # messages; so often a client is asked whether it reads
reactor: Any = installed_reactor
CLOSE_TIMEOUT = 10  # seconds for the client's half of closing
GOODBYE = 0.5  # seconds for the last frames
PING_TIMEOUT = 20


class TableSocket(WebSocketProtocol):
    """A socket."""

    open_sockets: "set[TableSocket]" = set()

    def onConnect(self, request: Any) -> Any:  # noqa: N802 - Autobahn's name
        """Sets what Daphne leaves at its defaults."""
        self.failByDrop = False  # a client that breaks the protocol sees a close code
        self.closeHandshakeTimeout = CLOSE_TIMEOUT
        self.maxFramePayloadSize = self.maxMessagePayloadSize = settings.TICHU_FRAME_BYTES
        self._sent = self._confirmed = 0
        return super().onConnect(request)

    def onOpen(self) -> None:  # noqa: N802
        """It is accepted."""
        self.open_sockets.add(self)
        super().onOpen()

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:  # noqa: N802, N803
        """It is gone."""
        self.open_sockets.discard(self)
        super().onClose(wasClean, code, reason)

    def serverSend(self, content: str | bytes, binary: bool = False) -> None:  # noqa: N802
        """Sends a message. The pong to a ping in between says how far the client has got."""
        if self.state != self.STATE_OPEN:
            return  # it is closing, and the table will hear of it
        super().serverSend(content, binary)
        self._sent += 1
        if self._sent % CONFIRMED_EVERY == 0:
            self.sendPing(str(self._sent).encode())
        if settings.TICHU_UNSENT_MESSAGES and self._sent - self._confirmed > settings.TICHU_UNSENT_MESSAGES:
            self.send_away(ErrorCode.SERVER_BUSY, CloseCode.BUSY)

    def onPong(self, payload: bytes) -> None:  # noqa: N802
        """The client has read up to here."""
        if payload.isdigit():
            self._confirmed = max(self._confirmed, min(int(payload), self._sent))

    def serverClose(self, code: int | None = None) -> None:  # noqa: N802
        """Closes it. Autobahn's own ``sendClose`` lets an application use only 1000 and 3000-4999."""
        self.sendCloseFrame(code=code or CloseCode.TAKEN_OVER)

    def send_away(self, error: ErrorCode, code: CloseCode) -> None:
        """Says why, and closes."""
        if self.state == self.STATE_OPEN:
            language = parse_qs(self._raw_query_string.decode()).get("lang", ["de"])[0]
            text = translated(error.message, "en" if language == "en" else "de")
            self.sendMessage(Vocabulary().encode(messages.error(Refusal(error), text)).encode())
            self.sendCloseFrame(code=int(code))


def say_goodbye() -> defer.Deferred[None]:
    """The server stops: every client is told that it shall come again, and has a moment to hear it."""
    for socket in list(TableSocket.open_sockets):
        socket.send_away(ErrorCode.SERVER_DOWN, CloseCode.RESTART)
    said: defer.Deferred[None] = defer.Deferred()
    reactor.callLater(GOODBYE if TableSocket.open_sockets else 0, said.callback, None)
    return said


def stop_engine() -> defer.Deferred[None]:
    """Lets the embedded engine give its leases back."""
    return defer.Deferred.fromFuture(asyncio.ensure_future(EmbeddedEngine.stop()))


WebSocketFactory.protocol = TableSocket
# Before Daphne's own trigger, which cancels whatever could say goodbye.
reactor.addSystemEventTrigger("before", "shutdown", say_goodbye)
reactor.addSystemEventTrigger("before", "shutdown", stop_engine)


class Server(daphne.server.Server):
    """The server of ``manage.py play``.

    :param on_ready: called once it listens, on the event loop.
    """

    def __init__(self, application: Any, host: str, port: int, on_ready: Any) -> None:
        self._on_ready = on_ready
        self.failure = ""
        super().__init__(
            application,
            endpoints=build_endpoint_description_strings(host=host, port=port),
            ping_interval=settings.TICHU_PING_S,
            ping_timeout=PING_TIMEOUT,
            websocket_timeout=-1,
            websocket_max_message_size=settings.TICHU_FRAME_BYTES,
            websocket_max_frame_size=settings.TICHU_FRAME_BYTES,
            verbosity=0,
            server_name="tichu",
        )

    def listen_success(self, port: Any) -> None:
        """It can be reached."""
        super().listen_success(port)
        reactor.callLater(0, self._on_ready)

    def listen_error(self, failure: Any) -> None:
        """The port is taken, for example."""
        self.failure = failure.getErrorMessage()
        self.stop()
