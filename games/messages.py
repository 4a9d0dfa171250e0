"""The wire vocabulary: envelope, lobby messages and errors (docs/protocol.md).

Every shape is declared once, here or in the ``wire`` module of a game, and checked on the way in and on the way out::

    frame --decode--> Envelope + payload | InvalidMessage
    notification(), request(), error(), ack(), PONG --Vocabulary.encode--> frame

What a client sends may carry keys that nobody knows; what the server sends may not.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, ValidationError

logger = logging.getLogger(__name__)

Json: TypeAlias = Any
Context: TypeAlias = dict[str, Json]
Message: TypeAlias = dict[str, Json]

strict = False  # Whether an outgoing message in a wrong shape raises (in tests) or is only logged.


def gettext_noop(text: str) -> str:
    """Marks a text for ``makemessages``; it is translated where it is sent. This room does not know Django."""
    return text


class CloseCode(IntEnum):
    """Why the server closes a socket. After 1000, 1001 and 1008 a client forgets its session (protocol 1)."""

    TAKEN_OVER = 1000
    LEFT = 1001
    REFUSED = 1008
    RESTART = 4012
    BUSY = 4013


class ErrorCode(IntEnum):
    """Error codes of the protocol.

    :ivar message: the English text.
    :ivar keys: what its context always has.
    """

    message: str
    keys: frozenset[str]

    def __new__(cls, code: int, message: str, *keys: str) -> "ErrorCode":
        member = int.__new__(cls, code)
        member._value_ = code
        member.message = message
        member.keys = frozenset(keys)
        return member

    UNKNOWN_ERROR = 100, gettext_noop("An unknown error has occurred."), "exception"
    INVALID_MESSAGE = 101, gettext_noop("Invalid message format received."), "message"
    UNKNOWN_CARD = 102, gettext_noop("At least one card is unknown."), "cards"
    NOT_HAND_CARD = 103, gettext_noop("At least one card is not in your hand."), "cards"
    UNAUTHORIZED = 104, gettext_noop("Action not authorised."), "action"
    SERVER_BUSY = 105, gettext_noop("The server is busy. Please try again later.")
    SERVER_DOWN = 106, gettext_noop("The server has been shut down.")
    MAINTENANCE_MODE = 107, gettext_noop("The server is in maintenance mode.")
    SESSION_EXPIRED = 200, gettext_noop("Your session has expired. Please connect again.")
    SESSION_NOT_FOUND = 201, gettext_noop("Session not found."), "session_id"
    TABLE_NOT_FOUND = 202, gettext_noop("Table not found."), "table_name"
    TABLE_FULL = 203, gettext_noop("The table is already full."), "table_name"
    NAME_TAKEN = 204, gettext_noop("This name is already taken at this table."), "table_name", "player_name"
    ALREADY_ON_TABLE = 205, gettext_noop("You are already at this table."), "table_name", "player_index"
    INVALID_ACTION = 300, gettext_noop("Invalid action."), "reason", "action"
    INVALID_RESPONSE = 301, gettext_noop("No request is waiting for this response."), "action"
    NOT_UNIQUE_CARDS = 302, gettext_noop("At least two cards are identical."), "cards"
    INVALID_COMBINATION = 303, gettext_noop("The cards are no playable combination."), "cards"
    NOT_YOUR_TURN = 304, gettext_noop("It is not your turn."), "action"
    INTERRUPT_DENIED = 305, gettext_noop("Interrupt denied."), "reason", "action"
    INVALID_WISH = 306, gettext_noop("Invalid wish."), "wish_value"
    INVALID_ANNOUNCE = 307, gettext_noop("A Tichu cannot be called now.")
    INVALID_DRAGON_RECIPIENT = 308, gettext_noop("The dragon cannot be given to this player."), "dragon_recipient"
    ACTION_TIMEOUT = 309, gettext_noop("Time for the action is over."), "timeout", "action"
    REQUEST_OBSOLETE = 310, gettext_noop("The request is obsolete."), "action"
    GAME_ALREADY_STARTED = 400, gettext_noop("The game at this table has already started."), "table_name"
    NOT_LOBBY_HOST = 401, gettext_noop("Only the host can do this."), "action"


class Refusal(Exception):  # noqa: N818 - it is no error of the program
    """Something asked for is not done, and nothing has changed.

    :ivar code: what the client is told.
    :ivar rule: the paragraph of docs/rules.md that forbids it, or "".
    :ivar context: details, JSON.
    """

    rule = ""

    def __init__(self, code: ErrorCode, **context: Json) -> None:
        super().__init__(f"{code.name} {context}")
        self.code = code
        self.context = context


class InvalidMessage(Refusal):
    """A frame that is no message.

    :ivar command_id: the client's ``id``, where that much could be read.
    :ivar is_answer: whether it was meant as the answer to a request.
    """

    def __init__(self, text: str | bytes, command_id: str | None = None, *, is_answer: bool = False) -> None:
        sent = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        super().__init__(ErrorCode.INVALID_MESSAGE, message=sent.decode("utf-8", "replace")[:200])
        self.command_id = command_id
        self.is_answer = is_answer


# --- client to server -------------------------------------------------------------------------------------------------

Index: TypeAlias = Annotated[int, Meta(ge=0, le=9)]
Milliseconds: TypeAlias = Annotated[int, Meta(ge=0)]
CommandId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[^\x00]*\Z")]

MAX_DEPTH = 16  # of objects and lists inside each other; a play needs five


class Envelope(Struct):
    """Any message of a client. ``payload`` may be missing where nothing belongs into it."""

    type: str
    payload: dict[str, Json] = {}
    id: CommandId | None = None


class Empty(Struct):
    """The payload of a message that carries nothing; unknown keys are ignored."""


class SwapPlayers(Struct):
    player_index_1: Index
    player_index_2: Index


class Bomb(Struct):
    cards: list[Json]


class Response(Struct):
    """Answers the open request of that name."""

    action: Annotated[str, Meta(max_length=40)]
    response_data: dict[str, Json] = {}
    request_id: Annotated[str, Meta(max_length=64)] | None = None


class Chat(Struct):
    text: str


class Sync(Struct):
    since: Annotated[int, Meta(ge=0)]


class Kick(Struct):
    player_index: Index


class Options(Struct):
    """What the host may set at the table; whatever is not sent stays. The game's own options stand beside them."""

    turn_limit_s: Annotated[int, Meta(ge=0, le=600)] | None = None
    strengths: Annotated[list[str], Meta(max_length=10)] | None = None

    def __post_init__(self) -> None:
        if self.turn_limit_s is not None and 0 < self.turn_limit_s < 10:
            raise ValueError("no limit (0), or at least 10 seconds")


CLIENT_MESSAGES: dict[str, type[Struct]] = {
    "leave": Empty,
    "swap_players": SwapPlayers,
    "start_game": Empty,
    "announce": Empty,
    "bomb": Bomb,
    "response": Response,
    "chat": Chat,
    "sync": Sync,
    "kick": Kick,
    "options": Options,
    "ping": Empty,
}


def decode(text: str | bytes) -> tuple[Envelope, Struct]:
    """One frame of a client.

    :result: the envelope and its payload in its declared shape.
    :raises InvalidMessage: the frame has not the declared shape.
    """
    try:
        message = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise InvalidMessage(text) from error
    invalid = partial(InvalidMessage, text, _readable_id(message), is_answer=_is_answer(message))
    if _deeper_than(MAX_DEPTH, message):
        raise invalid()
    try:
        envelope = msgspec.convert(message, Envelope)
        return envelope, msgspec.convert(envelope.payload, CLIENT_MESSAGES[envelope.type])
    except (ValidationError, KeyError) as error:
        raise invalid() from error


def _is_answer(message: Json) -> bool:
    return isinstance(message, dict) and message.get("type") == "response"


def _readable_id(message: Json) -> str | None:
    try:
        return msgspec.convert(message["id"], CommandId)
    except (TypeError, KeyError, ValidationError):
        return None


def _deeper_than(depth: int, value: Json) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return depth == 0 or any(_deeper_than(depth - 1, item) for item in inner)


# --- server to client -------------------------------------------------------------------------------------------------


class Shape(Struct, forbid_unknown_fields=True):
    """Base of what the server says."""


class Nothing(Shape):
    """The context of an event or a request that says all by its name."""


class PlayerJoined(Shape):
    player_index: Index
    player_name: str


class OwnPlayerJoined(Shape):
    """What a client is told first of all: everything it may know."""

    session_id: str
    public_state: Context
    private_state: Context
    pending_action: str
    number: int | UnsetType = UNSET
    options: Context | UnsetType = UNSET
    agents: list[str] | UnsetType = UNSET
    connected: list[bool] | UnsetType = UNSET
    chances: Context | UnsetType = UNSET
    pending_request: Context | UnsetType | None = UNSET


class PlayerLeft(Shape):
    player_index: Index
    player_name: str
    host_index: Annotated[int, Meta(ge=-1, le=9)]


class PlayersSwapped(Shape):
    player_index_1: Index
    player_index_2: Index


class PlayerOnly(Shape):
    player_index: Index


class ChatSaid(Shape):
    scope: str
    name: str
    player_index: Index
    text: str


class Deadline(Shape):
    player_index: Index
    remaining_ms: Milliseconds


class OptionsChanged(Shape):
    options: Context


class TableClosing(Shape):
    reason: str


class TableState(Shape):
    """The part of every game's public state that belongs to the table."""

    table_name: str
    player_names: list[str]
    host_index: Annotated[int, Meta(ge=-1, le=9)]
    is_running: bool


class NotificationPayload(Shape):
    event: str
    context: Context
    number: int | UnsetType = UNSET


class RequestPayload(Shape):
    action: str
    context: Context
    request_id: str | UnsetType = UNSET
    remaining_ms: Milliseconds | UnsetType | None = UNSET


class ErrorPayload(Shape):
    message: str
    code: ErrorCode
    context: Context
    id: str | UnsetType = UNSET


class Ack(Shape):
    id: CommandId
    number: int


EVENTS: dict[str, tuple[type[Struct], ...]] = {
    "player_joined": (PlayerJoined, OwnPlayerJoined),
    "player_left": (PlayerLeft,),
    "players_swapped": (PlayersSwapped,),
    "player_disconnected": (PlayerOnly,),
    "player_reconnected": (PlayerOnly,),
    "options_changed": (OptionsChanged,),
    "table_closing": (TableClosing,),
    "chat": (ChatSaid,),
    "deadline": (Deadline,),
}

PAYLOADS: dict[str, type[Struct]] = {
    "notification": NotificationPayload,
    "request": RequestPayload,
    "error": ErrorPayload,
    "ack": Ack,
}

PONG: Message = {"type": "pong"}


def notification(event: str, context: Context, number: int | None = None) -> Message:
    """Something happened; ``number`` where everybody at the table is told."""
    payload = {"event": event, "context": context}
    return {"type": "notification", "payload": payload if number is None else {**payload, "number": number}}


def request(action: str, context: Context, request_id: str, remaining_ms: int | None = None) -> Message:
    """A decision is asked for."""
    payload = {"action": action, "context": context, "request_id": request_id, "remaining_ms": remaining_ms}
    return {"type": "request", "payload": payload}


def error(refusal: Refusal, text: str, command_id: str | None = None) -> Message:
    """Something asked for is not done.

    :param text: ``refusal.code.message`` in the language of the client.
    :param command_id: the ``id`` of the message that is refused.
    """
    context = {**refusal.context, "rule": refusal.rule} if refusal.rule else refusal.context
    payload = {"message": text, "code": int(refusal.code), "context": context}
    return {"type": "error", "payload": payload if command_id is None else {**payload, "id": command_id}}


def ack(command_id: str, number: int) -> Message:
    """A message with an id is accepted; ``number`` is the last one the table has given."""
    return {"type": "ack", "payload": {"id": command_id, "number": number}}


@dataclass(frozen=True)
class Vocabulary:
    """What the server may say at a table: the messages above and those of a game.

    :ivar events: the contexts an event may have; more than one where its owner is told more.
    :ivar requests: the context of each request.
    :ivar public_state: the game's :class:`TableState`.
    """

    events: Mapping[str, tuple[type[Struct], ...]] = field(default_factory=dict)
    requests: Mapping[str, type[Struct]] = field(default_factory=dict)
    public_state: type[Struct] = TableState
    private_state: type[Struct] = Nothing

    def encode(self, message: Message) -> str:
        """The frame of a message.

        :raises ValidationError: it has not its declared shape, and :data:`strict` is set.
        """
        try:
            self.check(message)
        except ValidationError as error:
            if strict:
                raise
            payload = message.get("payload") or {}  # named without its content, which may be a secret
            name = payload.get("event") or payload.get("action") or payload.get("code") or ""
            logger.error("A wrong shape is sent: %s %s: %s", message.get("type"), name, error)
        return msgspec.json.encode(message).decode()

    def check(self, message: Message) -> None:
        """Whether a message has its declared shape.

        :raises ValidationError: it has not.
        """
        if message == PONG:
            return
        payload = msgspec.convert(message.get("payload"), _known(PAYLOADS, message.get("type")))
        match payload:
            case NotificationPayload(event=event, context=context):
                shape = _fits(context, EVENTS.get(event) or _known(self.events, event))
                if isinstance(shape, OwnPlayerJoined):
                    msgspec.convert(shape.public_state, self.public_state)
                    msgspec.convert(shape.private_state, self.private_state)
            case RequestPayload(action=action, context=context):
                msgspec.convert(context, _known(self.requests, action))
            case ErrorPayload(code=code, context=context):
                if not code.keys <= context.keys():
                    raise ValidationError(f"error {code} without {sorted(code.keys - context.keys())}")


def _known(shapes: Mapping[str, Any], name: Json) -> Any:
    if name not in shapes:
        raise ValidationError(f"nobody has declared {name!r}")
    return shapes[name]


def _fits(context: Context, shapes: tuple[type[Struct], ...]) -> Struct:
    """The context in the first of the shapes that it has."""
    for shape in shapes[:-1]:
        try:
            return msgspec.convert(context, shape)
        except ValidationError:
            continue
    return msgspec.convert(context, shapes[-1])
