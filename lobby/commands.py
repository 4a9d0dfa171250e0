"""What a person may say at a table (protocol 3). Each command validates, lets the table change, or raises a refusal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from games.game import Event, Seat
from games.game import change_options as changed
from games.messages import PONG, CloseCode, ErrorCode, InvalidMessage, Json, Refusal
from lobby.peers import Peer
from lobby.records import NewMatch
from lobby.seating import Place

if TYPE_CHECKING:
    from lobby.table import Table


@dataclass
class Said:
    """A message of a person.

    :ivar payload: in its declared shape.
    :ivar data: as it was sent.
    :ivar is_answer: whether it answers the open request.
    """

    peer: Peer
    seat: Seat
    type: str
    payload: Any
    data: dict[str, Json]
    id: str | None
    is_answer: bool = False

    @property
    def command(self) -> tuple[int, str] | None:
        """What the database remembers of it."""
        return (self.peer.session.pk, self.id) if self.id and self.peer.session.pk else None

    def accept(self, number: int) -> None:
        """It is done: confirmed now, and whenever it comes again."""
        if self.id:
            self.peer.commands[self.id] = number
            if self.peer.link:
                self.peer.link.confirm(self.id, number)


def _require_host(table: Table, said: Said) -> None:
    if said.seat != table.seating.host:
        raise Refusal(ErrorCode.NOT_LOBBY_HOST, action=said.type)


def _require_lobby(table: Table) -> None:
    if table.is_running:
        raise Refusal(ErrorCode.GAME_ALREADY_STARTED, table_name=table.name)


def _not_possible(said: Said, reason: str) -> Refusal:
    return Refusal(ErrorCode.INVALID_ACTION, reason=reason, action=said.type)


async def _remember(table: Table, said: Said) -> None:
    """Confirms a message that changes nothing, now and whenever it comes again."""
    if said.id:
        await table.change(said=said)


# --- the table --------------------------------------------------------------------------------------------------------


async def leave(table: Table, said: Said) -> None:
    """An agent takes the seat at once; the last person closes the table."""
    await table.door.stand_up(said.peer, Place.OVER, said)
    table.door.disconnect(said.peer, CloseCode.LEFT)


async def swap_players(table: Table, said: Said) -> None:
    """Two seats exchange everything, people included. The last match is forgotten: hands do not move with people."""
    _require_host(table, said)
    one, other = said.payload.player_index_1, said.payload.player_index_2
    if one == other or max(one, other) >= len(table.seating.people):
        raise InvalidMessage(msgspec.json.encode(said.data))
    if table.seating.host in (one, other):
        raise _not_possible(said, "host_seat")
    _require_lobby(table)
    seating = table.seating.swap(one, other)
    moves = {one: other, other: one}
    sessions = {
        peer: replace(peer.session, seat=moves[peer.session.seat])
        for peer in table.door.peers.values()
        if peer.session.place is not Place.OVER and peer.session.seat in moves
    }
    context = {"player_index_1": one, "player_index_2": other}
    await table.change(Event("players_swapped", context), said=said, seating=seating, sessions=sessions, match=None)


async def kick(table: Table, said: Said) -> None:
    """The host sends a person away."""
    _require_host(table, said)
    seat = said.payload.player_index
    if seat >= len(table.seating.people):
        raise InvalidMessage(msgspec.json.encode(said.data))
    peer = table.seating.people[seat]
    if peer is None:
        raise _not_possible(said, "agent")
    if peer is said.peer:
        raise _not_possible(said, "oneself")
    await table.door.stand_up(peer, Place.OVER, said)
    if peer.link:
        peer.link.refuse(Refusal(ErrorCode.UNAUTHORIZED, action=said.type))
    table.door.disconnect(peer, CloseCode.REFUSED)


async def options(table: Table, said: Said) -> None:
    """The host sets options, the game's own among them."""
    _require_host(table, said)
    _require_lobby(table)
    game_options = changed(table.options, said.data)
    strengths = table.seating.kinds if said.payload.strengths is None else said.payload.strengths
    if len(strengths) != len(table.seating.kinds) or not set(strengths) <= set(table.game.agents):
        wanted = f"strengths: for each of the {len(table.seating.kinds)} seats one of {', '.join(table.game.agents)}"
        raise Refusal(ErrorCode.INVALID_MESSAGE, message=wanted[:200])
    limit = table.turn_limit_s if said.payload.turn_limit_s is None else said.payload.turn_limit_s
    await table.change_options(said, game_options, limit, tuple(strengths))


async def chat(table: Table, said: Said) -> None:
    """A word to the table. Who sees other hands keeps silent."""
    text = said.payload.text.strip()
    longest = table.settings.chat_characters
    if not text or (longest and len(text) > longest):
        raise InvalidMessage(msgspec.json.encode(said.data))
    if table.is_running and table.game.sees_hands(table.engine.state, said.seat):
        raise _not_possible(said, "not_now")
    if not said.peer.chats.take():
        raise Refusal(ErrorCode.SERVER_BUSY)
    await _remember(table, said)
    context = {"scope": "table", "name": said.peer.name, "player_index": said.seat, "text": text}
    for peer in table.seating.persons:
        if peer.link:
            peer.link.notify("chat", context)


async def sync(table: Table, said: Said) -> None:
    """What somebody has missed, or everything anew."""
    await _remember(table, said)
    missed = table.missed(said.peer, said.payload.since)
    if missed is None:
        table.welcome(said.seat, said.peer)
    else:
        for number, event in missed:
            said.peer.tell(event, number, said.seat)


async def ping(table: Table, said: Said) -> None:
    """A sign of life."""
    await _remember(table, said)
    if said.peer.link:
        said.peer.link.send(PONG)


# --- the match --------------------------------------------------------------------------------------------------------


async def start_game(table: Table, said: Said) -> None:
    """A match begins; the table deals at once."""
    _require_host(table, said)
    _require_lobby(table)
    await table.change(said=said, start=NewMatch(table.name, table.game, table.options, table.sitters))


async def unasked(table: Table, said: Said) -> None:
    """Something that the rules allow without being asked: a call, a bomb."""
    asked = table.engine.requests.get(said.seat)
    said.is_answer = said.type == "bomb" and asked is not None and asked.request.action == "play"
    step = table.engine.act(said.seat, said.type, said.data)
    if not table.is_running:
        raise _not_possible(said, "not_running")
    await table.change(said=said, step=step)


async def response(table: Table, said: Said) -> None:
    """An answer to the open request of that name."""
    action, request_id = said.payload.action, said.payload.request_id
    asked, seen = table.engine.requests.get(said.seat), said.peer.request
    if asked and request_id in (None, asked.id) and (seen is None or seen.id != asked.id):
        # The seat is to move, but what the seat before it did is still to be shown.
        is_turn = action == asked.request.action == "play"
        raise Refusal(ErrorCode.NOT_YOUR_TURN if is_turn else ErrorCode.INVALID_RESPONSE, action=action)
    said.is_answer = asked is not None and asked.request.action == action and request_id in (None, asked.id)
    await table.change(said=said, step=table.engine.answer(said.seat, action, said.payload.response_data, request_id))


COMMANDS: dict[str, Callable[[Table, Said], Awaitable[None]]] = {
    "leave": leave,
    "swap_players": swap_players,
    "kick": kick,
    "options": options,
    "chat": chat,
    "sync": sync,
    "ping": ping,
    "start_game": start_game,
    "announce": unasked,
    "bomb": unasked,
    "response": response,
}
