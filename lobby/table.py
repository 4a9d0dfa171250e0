"""A table: one actor with one inbox. Whatever happens at it happens here, one thing after the other::

    joins, frames, lost sockets --+
    answers of agents ------------+--> inbox --> validate --> database --> memory --> ack --> outbox --> everybody
    timers -----------------------+

Nothing that a client sends ever stops it. What goes wrong before the database has it has not happened; if memory and
database may differ afterwards, the table is lost, and the worker reads it again.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random, SystemRandom
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from games import registry
from games.engine import GameEngine, OpenRequest, Step
from games.game import Event, IllegalAction, Seat
from games.messages import CloseCode, Context, ErrorCode, InvalidMessage, Message, Refusal, Vocabulary
from lobby.clock import Alarm, Clock, Deadlines
from lobby.commands import COMMANDS, Said
from lobby.door import Door
from lobby.outbox import Item, Outbox
from lobby.peers import COME_AGAIN, Peer, Translate
from lobby.records import Change, NewMatch, SessionRecord, Store, TableLost, TableRecord
from lobby.seating import Place, Seating, name_key
from lobby.thinking import Thinking, Thought

logger = logging.getLogger(__name__)

DEFAULT_TURN_LIMIT = 60  # seconds, where more than one person plays (protocol 6)
MORE_AFTER_RESTART = 20.0  # seconds (protocol 6)
REMEMBERED = 200  # notifications for `sync`
RETRY = 1.0  # seconds until the table tries again what it could not do

Job: TypeAlias = Callable[[], Awaitable[None]]
Inbox: TypeAlias = "asyncio.Queue[Message | Job]"  # messages of the channel layer, and jobs of the table's own


@dataclass(frozen=True)
class TableSettings:
    """What the site decides for all tables.

    :ivar pace: scales every pause.
    :ivar seat_kept_s: how long a seat waits for somebody whose connection was lost.
    """

    pace: float = 1.0
    seat_kept_s: float = 20.0
    chats_per_second: float = 1
    chat_characters: int = 500


@dataclass(frozen=True)
class Surroundings:
    """What a worker gives to its tables.

    :ivar deliver: puts a message on a channel.
    :ivar executor: where agents compute.
    :ivar rng: deals the cards.
    """

    store: Store
    deliver: Callable[[str, Message], Awaitable[None]]
    translate: Translate
    executor: Executor
    settings: TableSettings = field(default_factory=TableSettings)
    rng: Random = field(default_factory=SystemRandom)


class Table:
    """One table, from its first guest to its last.

    :ivar number: of the last notification to all.
    :ivar engine: of the running or last match; before the first one, a match that nobody has started.
    :ivar asked: the decisions asked for, as far as everybody has seen.
    """

    def __init__(self, record: TableRecord, surroundings: Surroundings, inbox: Inbox) -> None:
        self.pk = record.pk
        self.name = record.name
        self.game = registry.get(record.game)
        self.options = msgspec.convert(record.options, self.game.options)
        self.turn_limit_s = record.turn_limit_s
        self.number = record.number
        self.match = record.match
        self.engine = record.engine or GameEngine(self.game, self.options)
        self.settings = surroundings.settings
        self.asked: Mapping[Seat, OpenRequest] = self.engine.requests
        self.clock = Clock()
        self.outbox = Outbox(self.clock, self.settings.pace)
        self.deadlines = Deadlines(self.clock, lambda seat, asked: self.post(partial(self._time_out, seat, asked)))
        self.thinking = Thinking(
            self.game,
            self.clock,
            surroundings.executor,
            surroundings.rng,
            self.settings.pace,
            lambda thought: self.post(partial(self._take_thought, thought)),
        )
        # For the links:
        self.translate = surroundings.translate
        self.vocabulary: Vocabulary = self.game.vocabulary

        self._store = surroundings.store
        self._deliver = surroundings.deliver
        self._rng = surroundings.rng
        self._inbox = inbox
        self._is_over = False
        self._outgoing: asyncio.Queue[tuple[str, Message] | None] = asyncio.Queue()
        self._notifications: deque[tuple[int, Event]] = deque(maxlen=REMEMBERED)
        self._showing: Alarm | None = None
        self._proceeding: tuple[object, Alarm] | None = None
        self.bound: dict[str, Seat] = {}  # who has left a seat and knows its cards, by key of the name
        self.door = Door(self)
        self.seating = self._restore(record)

    def _restore(self, record: TableRecord) -> Seating[Peer]:
        """People and clocks as they were before the worker stopped. Nobody is connected yet."""
        agents = self.game.agents  # one that the table had may be gone, with the file of weights that it needs
        kinds = [kind if kind in agents else self.game.default_agent for kind in record.strengths]
        seating: Seating[Peer] = Seating.empty(kinds)
        for session in record.sessions:
            peer = self.door.peers[session.digest] = Peer(session, self.settings.chats_per_second)
            peer.commands = {id_: number for (pk, id_), number in record.commands.items() if pk == session.pk}
            if session.place is Place.SEATED:
                seating = seating.sit(peer, session.seat)
            elif self.is_running and self.game.knows_cards(self.engine.state, session.seat):
                self.bound[name_key(session.name)] = session.seat
        self.seating = seating = replace(seating, host=record.host)
        for seat, peer in self._seated():
            self.door.wait_for(peer)
            peer.request = self.engine.requests.get(seat)
            if peer.request and self.is_running and self.turn_limit:
                left = max(0.0, self.turn_limit - record.asked_for) + MORE_AFTER_RESTART
                self.deadlines.start(seat, peer.request.id, left)
        return seating

    # --- the actor ----------------------------------------------------------------------------------------------------

    async def run(self, first: Message | Job) -> None:
        """Serves what came first, then the inbox, until the table is closed, stopped or lost.

        :raises TableLost: memory is not to be trusted any more.
        """
        delivering = asyncio.create_task(self._deliver_all())
        try:
            await self._serve(first)
            while not self._is_over:
                await self._serve(await self._inbox.get())
        except TableLost:
            self._send_to_next_worker()
            raise
        finally:
            self.clock.stop()
            self.thinking.stop()
            self._outgoing.put_nowait(None)
            await delivering

    def post(self, job: Job) -> None:
        """Does something of the table's own when its turn comes."""
        self._inbox.put_nowait(job)

    async def _serve(self, item: Message | Job) -> None:
        try:
            if isinstance(item, dict):
                await self._receive(item)
                if not self.seating.persons and not self._is_over:
                    await self.close("empty")
            else:
                await item()
        except TableLost:
            raise
        except Exception:
            logger.exception("table %s could not do something", self.pk)
            if not isinstance(item, dict):
                asyncio.get_running_loop().call_later(RETRY, self.post, item)

    async def _receive(self, message: Message) -> None:
        match message["type"]:
            case "join" | "resume":
                await self.door.admit(message)
            case "gone":
                await self.door.lose(message["channel"])
            case "frame":
                await self._hear(message["channel"], message["text"])
            case "shut" if message["reason"] != "idle" or not self.clock.is_running:
                await self.close(message["reason"])
            case "stop":
                self._send_to_next_worker()
                self._is_over = True

    def send(self, channel: str, message: Message) -> None:
        """Puts a message on its way; nobody waits for the channel layer."""
        self._outgoing.put_nowait((channel, message))

    async def _deliver_all(self) -> None:
        while item := await self._outgoing.get():
            try:
                await self._deliver(*item)
            except Exception:  # the client will notice the gap
                logger.exception("a message of table %s was not delivered", self.pk)

    def _send_to_next_worker(self) -> None:
        for channel in self.door.people:
            self.send(channel, COME_AGAIN)

    # --- the one way in which anything changes ------------------------------------------------------------------------

    async def change(
        self,
        *events: Event,
        said: Said | None = None,
        seating: Seating[Peer] | None = None,
        sessions: Mapping[Peer, SessionRecord] | None = None,
        step: Step | None = None,
        start: NewMatch | None = None,
        closes: bool = False,
        **columns: Any,
    ) -> None:
        """Database, then memory, then everybody.

        :param events: what all are told.
        :param said: the message that asked for it.
        :param sessions: people whose session becomes another.
        :param columns: of the table's row.
        """
        before = self.seating
        seating = seating or before
        sessions = sessions or {}
        events = (*events, *(step.events if step else ()))
        if self._turn_limit(seating) != self.turn_limit:
            events = (*events, Event("options_changed", {"options": self._wire_options(seating)}))
        number = self.number + len(events)
        if seating.host != before.host:
            columns["host"] = seating.host
        if seating.kinds != before.kinds:
            columns["strengths"] = list(seating.kinds)
        moved = [seat for seat, name in enumerate(seating.names) if name != before.names[seat]]
        match = await self._store.save(
            Change(
                table=self.pk,
                before=self.number,
                number=number,
                command=said.command if said else None,
                columns=columns,
                sessions=list(sessions.values()),
                match=self.match if self.is_running else None,
                seats={seat: _sitter(seating, seat) for seat in moved},
                start=start,
                step=step,
                finish=self.game.result(step.state) if step else None,
                closes=closes,
            )
        )
        try:
            numbered = list(enumerate(events, self.number + 1))
            self.number = number
            self._is_over = closes
            for peer, session in sessions.items():
                peer.session = session
                self.door.peers[session.digest] = peer
            self._adopt(seating, moved)
            if start:
                self.match = match
                self.engine = GameEngine(self.game, start.options)
            elif "match" in columns:
                self.match = None
                self.engine = GameEngine(self.game, self.options)
            if step:
                self.engine.commit(step)
                bound, state = self.bound, self.engine.state
                self.bound = {name: seat for name, seat in bound.items() if self.game.knows_cards(state, seat)}
                if step.seat is None:
                    self._proceeding = None
                if not self.is_running:
                    self.thinking.stop()
            if said:
                said.accept(number)
            self.outbox.put(numbered, self.engine.requests, self.engine.state)
            await self._show()
            self.go_on()
        except Exception as error:
            raise TableLost from error

    def _adopt(self, seating: Seating[Peer], moved: list[Seat]) -> None:
        before, self.seating = self.seating, seating
        for seat in moved:
            self.thinking.leave(seat)
            self.deadlines.stop(seat)
            if newcomer := seating.people[seat]:
                newcomer.floor_number = self.number  # what the seat was told before was for somebody else
            person = before.people[seat]
            if person and self.is_running and self.game.knows_cards(self.engine.state, seat):
                self.bound[name_key(person.name)] = seat

    async def close(self, reason: str) -> None:
        """The end of the table; its sessions expire."""
        await self.change(Event("table_closing", {"reason": reason}), closes=True)
        await self._show(everything=True)
        for peer in list(self.door.people.values()):
            self.door.disconnect(peer, CloseCode.LEFT)

    async def change_options(
        self, said: Said, options: Struct, turn_limit_s: int | None, kinds: tuple[str, ...]
    ) -> None:
        """The host has set other options."""
        before = self.options, self.turn_limit_s
        seating = replace(self.seating, kinds=kinds)
        self.options, self.turn_limit_s = options, turn_limit_s
        try:
            await self.change(
                Event("options_changed", {"options": self._wire_options(seating)}),
                said=said,
                seating=seating,
                options=msgspec.to_builtins(options),
                turn_limit_s=turn_limit_s,
            )
        except BaseException:
            self.options, self.turn_limit_s = before
            raise

    # --- showing ------------------------------------------------------------------------------------------------------

    async def _show(self, *, everything: bool = False) -> None:
        """Tells everybody what is due by now."""
        for item in self.outbox.take(everything=everything):
            self._notifications.extend(item.events)
            self.asked = item.requests
            unaware = [(seat, peer) for seat, peer in self._seated() if item.sequence > peer.floor]
            for seat, peer in unaware:
                self._show_events(seat, peer, item)
            for seat, peer in unaware:
                self._show_request(seat, peer, item)
        if self._showing:
            self._showing.cancel()
            self._showing = None
        due = self.outbox.next_due
        if due is not None:
            self._showing = self.clock.at(due, lambda: self.post(self._show))

    def _show_events(self, seat: Seat, peer: Peer, item: Item) -> None:
        for number, event in item.events:
            peer.tell(event, number, seat)
        if peer.link:
            peer.tell_private(self.game.private(item.state, seat))

    def _show_request(self, seat: Seat, peer: Peer, item: Item) -> None:
        request = item.requests.get(seat)
        if (request and request.id) != (peer.request and peer.request.id):
            peer.request = request
            self.deadlines.stop(seat)
            if request:
                self._ask(seat, peer)

    def _ask(self, seat: Seat, peer: Peer) -> None:
        """Asks somebody for the open decision; the time for it runs from now on."""
        self._start_deadline(seat, peer)
        peer.ask(self.deadlines.remaining_ms(seat))
        self._tell_deadline(seat, self.seating.persons)

    def _ask_again(self, seat: Seat, peer: Peer) -> None:
        """An answer was refused; what was asked is still open."""
        peer.ask(self.deadlines.remaining_ms(seat))
        self._tell_deadline(seat, [peer])

    def _start_deadline(self, seat: Seat, peer: Peer) -> None:
        if peer.request and self.turn_limit:
            self.deadlines.start(seat, peer.request.id, self.turn_limit)

    def _tell_deadline(self, seat: Seat, listeners: Sequence[Peer]) -> None:
        """Tells how long a seat has left, those who know that it is asked: all, or the seat alone."""
        remaining_ms = self.deadlines.remaining_ms(seat)
        if remaining_ms is not None:
            known = seat in self.asked and self.asked[seat].is_alone
            for listener in listeners:
                if listener.link and (known or listener is self.seating.people[seat]):
                    listener.link.notify("deadline", {"player_index": seat, "remaining_ms": remaining_ms})

    def welcome(self, seat: Seat, peer: Peer, *, is_asked: bool = True) -> None:
        """Sends a person everything that the seat may know.

        :param is_asked: whether the person has been asked for the open decision before.
        """
        seen = self.game.observe(self.engine.state, seat)
        peer.floor = self.outbox.sequence
        peer.floor_number = self.number
        peer.request = self.engine.requests.get(seat)
        self._start_deadline(seat, peer)
        request = peer.request if is_asked else None
        table_state = {
            "table_name": self.name,
            "player_names": self.seating.names,
            "host_index": self.seating.host,
            "is_running": self.is_running,
        }
        context = {
            "public_state": {**seen["public_state"], **table_state},
            "private_state": seen["private_state"],
            "pending_action": request.request.action if request else "",
            "pending_request": request
            and {
                "action": request.request.action,
                "context": request.request.context,
                "request_id": request.id,
                "remaining_ms": self.deadlines.remaining_ms(seat),
            },
            "options": self._wire_options(self.seating),
            "agents": list(self.game.agents),
            "connected": [not person or person.link is not None for person in self.seating.people],
        }
        peer.welcome(context, self.number, self.game.private(self.engine.state, seat))
        if peer.request and not is_asked:
            self._ask(seat, peer)
        for other in self.asked:
            if other != seat:
                self._tell_deadline(other, [peer])

    def missed(self, peer: Peer, since: int) -> list[tuple[int, Event]] | None:
        """The notifications after that number; None where the table does not remember them for this person."""
        if not peer.floor_number <= since <= self.number:
            return None
        missed = [(number, event) for number, event in self._notifications if number > since]
        oldest = self._notifications[0][0] if self._notifications else self.number + 1
        return missed if since >= oldest - 1 else None

    # --- the match ----------------------------------------------------------------------------------------------------

    @property
    def is_running(self) -> bool:
        """Whether a match is going on; otherwise the table is a lobby."""
        return self.match is not None and self.engine.result is None

    @property
    def turn_limit(self) -> int:
        """Seconds for each decision of a person; 0 for no limit."""
        return self._turn_limit(self.seating)

    def _turn_limit(self, seating: Seating[Peer]) -> int:
        if self.turn_limit_s is not None:
            return self.turn_limit_s
        return DEFAULT_TURN_LIMIT if len(seating.persons) > 1 else 0

    @property
    def sitters(self) -> list[tuple[str, str]]:
        """Name and kind of agent of whoever sits on each seat; the kind of a person is ""."""
        return [_sitter(self.seating, seat) for seat in range(len(self.seating.people))]

    def _wire_options(self, seating: Seating[Peer]) -> Context:
        """All options, the game's own among them."""
        table = {"turn_limit_s": self._turn_limit(seating), "strengths": list(seating.kinds)}
        options: Context = {**msgspec.to_builtins(self.options), **table}
        return options

    def go_on(self) -> None:
        """Sees to it that the match goes on: by the table itself, by agents; people have been asked."""
        if not self.is_running or not self.clock.is_running or self._is_over:
            return
        pause = self.engine.pause
        if pause is None:
            if self._proceeding:
                self._proceeding[1].cancel()
                self._proceeding = None
        elif self._proceeding is None:
            # A call during the pause does not make it longer.
            token, due = object(), self.outbox.due + pause * self.settings.pace
            self._proceeding = token, self.clock.at(due, lambda: self.post(partial(self._proceed, token)))
        for seat, person in enumerate(self.seating.people):
            if person is None:
                self.thinking.consider(seat, self.seating.kinds[seat], self.engine, self.outbox.due)

    async def _proceed(self, token: object) -> None:
        """The table's own next action, unless a bomb has withdrawn it."""
        if self._proceeding and self._proceeding[0] is token:
            if self.clock.is_running:
                await self.change(step=self.engine.proceed(self._rng))
            else:
                self._proceeding = None  # somebody will come back

    async def _take_thought(self, thought: Thought) -> None:
        """An agent acts, if what it thought about is still so."""
        request = self.engine.requests.get(thought.seat)
        is_asked = request is not None and request.id == thought.request_id
        if not is_asked and thought.number != self.engine.number:
            return
        if self.seating.people[thought.seat] and not thought.stands_in:
            return
        if not self.clock.is_running:  # somebody will come back
            self.clock.at(self.clock.now(), lambda: self.post(partial(self._take_thought, thought)))
            return
        try:
            step = self.engine.prepare(thought.seat, thought.action)
        except IllegalAction:
            self.thinking.leave(thought.seat)  # it was legal when it was thought; think again
            self.go_on()
        else:
            await self.change(step=step)

    async def _time_out(self, seat: Seat, request_id: str) -> None:
        """A person's time is over; an agent makes this one decision."""
        peer, request = self.seating.people[seat], self.engine.requests.get(seat)
        if peer and request and request.id == request_id:
            if peer.link:
                action = request.request.action
                peer.link.refuse(
                    Refusal(ErrorCode.ACTION_TIMEOUT, timeout=self.turn_limit or DEFAULT_TURN_LIMIT, action=action)
                )
            self.thinking.stand_in(seat, self.game.default_agent, self.engine)

    def _seated(self) -> list[tuple[Seat, Peer]]:
        return [(seat, peer) for seat, peer in enumerate(self.seating.people) if peer]

    # --- what people say ----------------------------------------------------------------------------------------------

    async def _hear(self, channel: str, text: str) -> None:
        """One frame of a client: done and confirmed, or refused."""
        peer = self.door.people.get(channel)
        if peer is None or peer.link is None:
            self.send(channel, COME_AGAIN)  # it was connected to a worker that is no more
            return
        link, seat = peer.link, self.seating.seat_of(peer)
        try:
            envelope, payload = link.decode(text)
        except InvalidMessage as refusal:
            link.refuse(refusal, refusal.command_id)
            if refusal.is_answer:
                self._ask_again(seat, peer)
            return
        if envelope.id in peer.commands:
            link.confirm(envelope.id, peer.commands[envelope.id])
            return
        said = Said(peer, seat, envelope.type, payload, envelope.payload, envelope.id)
        try:
            await COMMANDS[envelope.type](self, said)
        except TableLost:
            raise
        except Refusal as refusal:
            link.refuse(refusal, envelope.id)
        except Exception as error:
            logger.exception("table %s could not answer %s", self.pk, envelope.type)
            link.refuse(Refusal(ErrorCode.UNKNOWN_ERROR, exception=type(error).__name__), envelope.id)
        else:
            return
        if said.is_answer:
            self._ask_again(seat, peer)


def _sitter(seating: Seating[Peer], seat: Seat) -> tuple[str, str]:
    """Name and kind of agent of whoever sits there; the kind of a person is ""."""
    person = seating.people[seat]
    return (person.name, "") if person else (seating.agent_name(seat), seating.kinds[seat])
