"""People at a table, as the engine sees them.

A :class:`Link` is one socket somewhere in a web process: the one place where messages leave and arrive. A :class:`Peer`
is the person, who keeps the seat while links come and go.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct

from games import messages
from games.engine import OpenRequest
from games.game import Event, Seat
from games.messages import CloseCode, Context, Envelope, ErrorCode, Message, Refusal, Vocabulary
from games.players import Player
from lobby.limits import Bucket
from lobby.records import SessionRecord

# Events that only clients with protocol 2 are told; a game's private events are such too.
NEW_EVENTS = {
    "chat",
    "deadline",
    "options_changed",
    "player_disconnected",
    "player_reconnected",
    "table_closing",
}

Translate = Callable[[str, str], str]  # a text and a language

# To a client's channel: another worker has the table, now or soon; come again (106, 4012, in the client's language).
COME_AGAIN: Message = {"type": "engine.moved"}


class Wire(Protocol):
    """What a link needs of its surroundings."""

    translate: Translate
    vocabulary: Vocabulary

    def send(self, channel: str, message: Message) -> None:
        """Puts a message on a channel, without waiting."""


class Link:
    """A client's socket, behind its channel.

    :ivar protocol: the version that the client speaks.
    """

    def __init__(self, wire: Wire, channel: str, protocol: int, language: str) -> None:
        self.channel = channel
        self.protocol = protocol
        self._wire = wire
        self._language = language

    @staticmethod
    def decode(text: str) -> tuple[Envelope, Struct]:
        """A frame of the client (:func:`games.messages.decode`)."""
        return messages.decode(text)

    def send(self, message: Message) -> None:
        """Sends a message in its declared shape."""
        self._wire.send(self.channel, {"type": "client.send", "text": self._wire.vocabulary.encode(message)})

    def notify(self, event: str, context: Context, number: int | None = None) -> None:
        """Tells what has happened."""
        if self.protocol >= 2 or event not in NEW_EVENTS:
            self.send(messages.notification(event, context, number))

    def refuse(self, refusal: Refusal, command_id: str | None = None) -> None:
        """Tells that something asked for is not done."""
        text = self._wire.translate(refusal.code.message, self._language)
        self.send(messages.error(refusal, text, command_id))

    def confirm(self, command_id: str, number: int) -> None:
        """Tells that a message is accepted; ``number`` is the table's last one then."""
        self.send(messages.ack(command_id, number))

    def close(self, code: CloseCode) -> None:
        """Closes the socket."""
        self._wire.send(self.channel, {"type": "client.close", "code": int(code)})

    def turn_away(self, refusal: Refusal) -> None:
        """Refuses the connection."""
        self.refuse(refusal)
        busy = refusal.code in {ErrorCode.SERVER_BUSY, ErrorCode.UNKNOWN_ERROR}
        self.close(CloseCode.BUSY if busy else CloseCode.REFUSED)


class Peer(Player):
    """A person at the table.

    :ivar link: the socket; None while disconnected.
    :ivar session_id: as the link gave it; known while connected.
    :ivar request: the decision that this person has been asked for.
    :ivar floor: the last item of the outbox that the snapshot covered; nothing up to it is sent.
    :ivar floor_number: the table's number then.
    :ivar commands: the number that confirmed each accepted message, by its id.
    """

    def __init__(self, session: SessionRecord, chats_per_second: float) -> None:
        super().__init__(session.name)
        self.session = session
        self.link: Link | None = None
        self.session_id = ""
        self.request: OpenRequest | None = None
        self.floor = 0
        self.floor_number = 0
        self.commands: dict[str, int] = {}
        self.chats = Bucket(rate=chats_per_second, burst=chats_per_second)
        self._private: Mapping[str, Context] = {}

    def tell(self, event: Event, number: int, seat: Seat) -> None:
        """Tells what has happened, as this seat may know it."""
        if self.link:
            self.link.notify(event.name, event.own.get(seat, event.context), number)

    def tell_private(self, private: Mapping[str, Context]) -> None:
        """Tells what only this seat may know, where it has changed."""
        if self.link and self.link.protocol >= 2:
            for name, context in private.items():
                if self._private.get(name) != context:
                    self.link.notify(name, context)
            self._private = private

    def ask(self, remaining_ms: int | None) -> None:
        """Sends the open request (again)."""
        if self.link and self.request:
            request = self.request.request
            self.link.send(messages.request(request.action, request.context, self.request.id, remaining_ms))

    def welcome(self, context: Context, number: int, private: Mapping[str, Context]) -> None:
        """Tells everything that this person may know. The rest of ``private`` follows."""
        if not self.link:
            return
        context = {**context, "session_id": self.session_id, "number": number, "chances": private.get("chances", {})}
        self.link.notify("player_joined", context, number)
        self._private = {name: private[name] for name in private if name == "chances"}
        self.tell_private(private)
