"""The wire vocabulary: envelope, lobby messages and errors (docs/protocol.md).

Every shape is declared once, here or in the ``wire`` module of a game, and checked on the way in and on the way out.
"""

from enum import IntEnum
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

Json: TypeAlias = Any
Context: TypeAlias = dict[str, Json]


class CloseCode(IntEnum):
    """Why the server closes a socket. After 1000, 1001 and 1008 a client forgets its session (protocol 1)."""

    TAKEN_OVER = 1000
    LEFT = 1001
    REFUSED = 1008
    RESTART = 4012
    BUSY = 4013


class ErrorCode(IntEnum):
    """Error codes of the protocol; ``message`` is the English text, translated where it is sent."""

    message: str

    def __new__(cls, code: int, message: str) -> "ErrorCode":
        member = int.__new__(cls, code)
        member._value_ = code
        member.message = message
        return member

    UNKNOWN_ERROR = 100, "An unknown error has occurred."
    INVALID_MESSAGE = 101, "Invalid message format received."
    UNKNOWN_CARD = 102, "At least one card is unknown."
    NOT_HAND_CARD = 103, "At least one card is not in your hand."
    UNAUTHORIZED = 104, "Action not authorised."
    SERVER_BUSY = 105, "The server is busy. Please try again later."
    SERVER_DOWN = 106, "The server has been shut down."
    MAINTENANCE_MODE = 107, "The server is in maintenance mode."
    SESSION_EXPIRED = 200, "Your session has expired. Please connect again."
    SESSION_NOT_FOUND = 201, "Session not found."
    TABLE_NOT_FOUND = 202, "Table not found."
    TABLE_FULL = 203, "The table is already full."
    NAME_TAKEN = 204, "This name is already taken at this table."
    ALREADY_ON_TABLE = 205, "You are already at this table."
    INVALID_ACTION = 300, "Invalid action."
    INVALID_RESPONSE = 301, "No request is waiting for this response."
    NOT_UNIQUE_CARDS = 302, "At least two cards are identical."
    INVALID_COMBINATION = 303, "The cards are no playable combination."
    NOT_YOUR_TURN = 304, "It is not your turn."
    INTERRUPT_DENIED = 305, "Interrupt denied."
    INVALID_WISH = 306, "Invalid wish."
    INVALID_ANNOUNCE = 307, "A Tichu cannot be called now."
    INVALID_DRAGON_RECIPIENT = 308, "The dragon cannot be given to this player."
    ACTION_TIMEOUT = 309, "Time for the action is over."
    REQUEST_OBSOLETE = 310, "The request is obsolete."
    GAME_ALREADY_STARTED = 400, "The game at this table has already started."
    NOT_LOBBY_HOST = 401, "Only the host can do this."


class Refusal(Exception):
    """Something asked for is not done, and nothing has changed.

    :ivar code: what the client is told.
    :ivar context: details, JSON.
    """

    def __init__(self, code: ErrorCode, **context: Json) -> None:
        super().__init__(f"{code.name} {context}")
        self.code = code
        self.context = context


# --- client to server -------------------------------------------------------------------------------------------------

Index: TypeAlias = Annotated[int, Meta(ge=0, le=9)]
CommandId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64)]


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
    cards: Json


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


class Options(Struct, omit_defaults=True):
    """What the host may set before the start; fields that are not sent stay as they are."""

    rules: Literal["house", "pocket", "brettspielwelt"] | None = None
    target_score: Annotated[int, Meta(ge=100, le=10000)] | None = None
    turn_limit_s: int | None = None
    strengths: Annotated[list[str], Meta(max_length=10)] | None = None


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
    :raises Refusal: 101, the frame has not the declared shape.
    """
    try:
        envelope = msgspec.json.decode(text, type=Envelope)
        shape = CLIENT_MESSAGES[envelope.type]
        return envelope, msgspec.convert(envelope.payload, type=shape)
    except (msgspec.MsgspecError, KeyError, UnicodeError, RecursionError) as error:
        raise Refusal(ErrorCode.INVALID_MESSAGE, message=text[:200]) from error
