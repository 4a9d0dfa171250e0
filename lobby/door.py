"""People come and go at a table: new ones, those who were lost and come back, those who leave (protocol 1, 5)::

join --> seated, connected <--> seated, disconnected --20 s--> away --> seated again, or over
               |
             leave, kicked --> over
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING
from uuid import uuid4

from games.game import Event
from games.messages import CloseCode, ErrorCode, Message, Refusal
from lobby.clock import Alarm
from lobby.commands import Said
from lobby.peers import COME_AGAIN, Link, Peer
from lobby.records import SessionRecord, TableLost
from lobby.seating import Place, name_key

if TYPE_CHECKING:
    from lobby.table import Table

logger = logging.getLogger(__name__)


def digest(session_id: str) -> str:
    """What the database knows of a session id."""
    return sha256(session_id.encode()).hexdigest()


class Door:
    """The door of one table.

    :ivar people: who is connected, by channel.
    :ivar peers: everybody who has a session, by its digest; also those that may only come back, or not even that.
    """

    def __init__(self, table: Table) -> None:
        self.people: dict[str, Peer] = {}
        self.peers: dict[str, Peer] = {}
        self._table = table
        self._waiting: dict[Peer, Alarm] = {}  # for people whose connection was lost

    # --- in -----------------------------------------------------------------------------------------------------------

    async def admit(self, message: Message) -> None:
        """Lets somebody in, or tells why not."""
        link = Link(self._table, message["channel"], message["protocol"], message["language"])
        try:
            if message["type"] == "join":
                await self._join(message["name"], message["game"], link)
            else:
                await self._resume(message["session_id"], link)
        except Refusal as refusal:
            link.turn_away(refusal)
        except TableLost:
            self._table.send(link.channel, COME_AGAIN)
            raise
        except Exception as error:
            logger.exception("somebody could not join table %s", self._table.pk)
            link.turn_away(Refusal(ErrorCode.UNKNOWN_ERROR, exception=type(error).__name__))

    async def _join(self, name: str, game: str, link: Link) -> None:
        """Somebody new takes the seat of an agent."""
        table = self._table
        if game != table.game.name:
            raise Refusal(ErrorCode.TABLE_NOT_FOUND, table_name=table.name)
        if table.seating.is_taken(name, table.game.agents):
            raise Refusal(ErrorCode.NAME_TAKEN, table_name=table.name, player_name=name)
        seat = table.seating.free_seat(only=table.bound.get(name_key(name)))
        if seat is None:
            raise Refusal(ErrorCode.TABLE_FULL, table_name=table.name)
        session_id = str(uuid4())
        session = SessionRecord(digest(session_id), name, seat)
        await self._sit_down(Peer(session, table.settings.chats_per_second), session, link, session_id)

    async def _resume(self, session_id: str, link: Link) -> None:
        """Somebody comes back, or goes on in another tab."""
        table = self._table
        peer = self.peers.get(digest(session_id))
        if peer is None or peer.session.place is Place.OVER:
            raise Refusal(ErrorCode.SESSION_EXPIRED)
        seat = peer.session.seat
        if peer.session.place is Place.AWAY:
            if table.seating.people[seat] or table.bound.get(name_key(peer.name), seat) != seat:
                raise Refusal(ErrorCode.SESSION_EXPIRED)
            if table.seating.is_taken(peer.name, table.game.agents):
                raise Refusal(ErrorCode.NAME_TAKEN, table_name=table.name, player_name=peer.name)
            await self._sit_down(peer, replace(peer.session, place=Place.SEATED), link, session_id)
            return
        events = [Event("player_joined", {"player_index": seat, "player_name": peer.name})]
        if not peer.link:
            events.append(Event("player_reconnected", {"player_index": seat}))
        await table.change(*events, idle=False)
        if peer.link:
            peer.link.refuse(Refusal(ErrorCode.ALREADY_ON_TABLE, table_name=table.name, player_index=seat))
            self.disconnect(peer, CloseCode.TAKEN_OVER)
        self._connect(peer, link, session_id)
        table.welcome(seat, peer)

    async def _sit_down(self, peer: Peer, session: SessionRecord, link: Link, session_id: str) -> None:
        table, seat = self._table, session.seat
        joined = Event("player_joined", {"player_index": seat, "player_name": peer.name})
        await table.change(joined, seating=table.seating.sit(peer, seat), sessions={peer: session}, idle=False)
        self._connect(peer, link, session_id)
        table.welcome(seat, peer, is_asked=False)

    def _connect(self, peer: Peer, link: Link, session_id: str) -> None:
        peer.link = link
        peer.session_id = session_id
        self.people[link.channel] = peer
        self._stop_waiting_for(peer)
        self._table.clock.start()
        self._table.go_on()

    # --- out ----------------------------------------------------------------------------------------------------------

    async def stand_up(self, peer: Peer, place: Place, said: Said | None = None) -> None:
        """An agent takes somebody's seat."""
        table, seat = self._table, peer.session.seat
        seating = table.seating.stand_up(seat)
        left = {"player_index": seat, "player_name": seating.agent_name(seat), "host_index": seating.host}
        await table.change(
            Event("player_left", left),
            said=said,
            seating=seating,
            sessions={peer: replace(peer.session, place=place)},
            closes=not seating.persons,
            idle=not any(other.link for other in seating.persons),
        )

    def disconnect(self, peer: Peer, code: CloseCode) -> None:
        """Closes somebody's socket."""
        self._stop_waiting_for(peer)
        if peer.link:
            peer.link.close(code)
            self._forget_link(peer)

    async def lose(self, channel: str) -> None:
        """A socket is gone; its seat is kept for a while."""
        peer = self.people.get(channel)
        if peer:
            self._forget_link(peer)
            self.wait_for(peer)
            self._table.post(partial(self._tell_lost, peer))

    async def _tell_lost(self, peer: Peer) -> None:
        if peer.link is None and peer in self._table.seating.people:
            lost = Event("player_disconnected", {"player_index": peer.session.seat})
            await self._table.change(lost, idle=not self.people)

    def _forget_link(self, peer: Peer) -> None:
        if peer.link:
            del self.people[peer.link.channel]
            peer.link = None
        if not self.people:
            self._table.clock.stop()

    # --- those who were lost ------------------------------------------------------------------------------------------

    def wait_for(self, peer: Peer) -> None:
        """Somebody may come back; the time for it runs while others are connected."""
        table = self._table
        due = table.clock.now() + table.settings.seat_kept_s
        self._waiting[peer] = table.clock.at(due, lambda: table.post(partial(self._give_up, peer)))

    def _stop_waiting_for(self, peer: Peer) -> None:
        if peer in self._waiting:
            self._waiting.pop(peer).cancel()

    async def _give_up(self, peer: Peer) -> None:
        """Somebody did not come back in time, while others play on: an agent sits in."""
        table = self._table
        if peer.link is None and peer in table.seating.people:
            if table.clock.is_running:
                await self.stand_up(peer, Place.AWAY)
            else:
                self.wait_for(peer)
