"""A table without server and database: the real actor, people who write to its inbox, and a store in memory."""

import asyncio
import json
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

from games import registry
from games.engine import GameEngine, Step
from games.messages import CloseCode
from lobby.peers import COME_AGAIN
from lobby.records import Change, NewMatch, SessionRecord, TableLost, TableRecord
from lobby.seating import Place
from lobby.table import Inbox, Surroundings, Table, TableSettings
from tests.lobby.virtual_time import AtOnce

Message = dict[str, Any]


class MemoryStore:
    """Implements :class:`lobby.records.Store`.

    :ivar failure: raised at the next save.
    """

    def __init__(self) -> None:
        self.failure: Exception | None = None
        self.changes: list[Change] = []
        self._record: TableRecord | None = None
        self._sessions: dict[int, SessionRecord] = {}
        self._match: NewMatch | None = None
        self._steps: list[Step] = []

    async def load(self, key: str) -> TableRecord | None:
        if self._record is None:
            return None
        engine = None
        if self._match and self._record.match:
            actions = [(step.seat, step.action) for step in self._steps]
            engine = GameEngine.replay(self._match.game, self._match.options, actions)
        return replace(self._record, engine=engine, sessions=[replace(each) for each in self._sessions.values()])

    async def open(self, key: str, name: str, game: str, options: Any, strengths: Sequence[str]) -> TableRecord:
        self._record = TableRecord(1, name, game, {}, None, strengths, host=-1, number=0)
        return self._record

    async def save(self, change: Change) -> int | None:
        if self.failure:
            failure, self.failure = self.failure, None
            raise failure
        assert self._record
        if change.before != self._record.number:
            raise TableLost
        self.changes.append(change)
        columns = {name: value for name, value in change.columns.items() if name not in ("idle", "closed")}
        commands = dict(self._record.commands)
        if change.command:
            assert change.command not in commands
            commands[change.command] = change.number
        if change.start:
            self._match, self._steps, columns["match"] = change.start, [], 7
        if change.step:
            self._steps.append(change.step)
        for session in change.sessions:
            session.pk = session.pk or len(self._sessions) + 1
            self._sessions[session.pk] = replace(session)
        if change.closes:
            self._sessions = {pk: replace(each, place=Place.OVER) for pk, each in self._sessions.items()}
        self._record = replace(self._record, number=change.number, commands=commands, **columns)
        return 7 if change.start else None


class Person:
    """A client.

    :ivar frames: everything it was sent.
    :ivar closed: the code with which the socket was closed.
    """

    def __init__(self, scene: "Scene", name: str, protocol: int = 2) -> None:
        self.scene = scene
        self.name = name
        self.protocol = protocol
        self.channel = f"client.{next(scene.channels)}"
        self.frames: list[Message] = []
        self.times: list[float] = []  # of the frames
        self.closed: int | None = None
        scene.people[self.channel] = self

    async def say(self, kind: str, payload: Message | None = None, **keys: Any) -> list[Message]:
        """:result: what was sent to this person at once."""
        return await self.send(json.dumps({"type": kind, "payload": payload or {}, **keys}))

    async def send(self, text: str) -> list[Message]:
        seen = len(self.frames)
        await self.scene.put({"type": "frame", "channel": self.channel, "text": text})
        return self.frames[seen:]

    async def answer(self, data: Message, **keys: Any) -> list[Message]:
        """Answers the open request."""
        request = self.request
        payload = {"action": request["action"], "request_id": request["request_id"], "response_data": data}
        return await self.say("response", payload, **keys)

    async def lose(self) -> None:
        """The connection is lost."""
        await self.scene.put({"type": "gone", "channel": self.channel})

    async def come_back(self) -> "Person":
        """The same session on a new socket."""
        other = Person(self.scene, self.name, self.protocol)
        message = {"session_id": self.welcome["session_id"], "protocol": self.protocol, "language": "en"}
        await self.scene.put({"type": "resume", "channel": other.channel, **message})
        return other

    @property
    def welcome(self) -> Message:
        """The context of the first own ``player_joined``."""
        return self.contexts("player_joined", own=True)[0]

    @property
    def seat(self) -> int:
        seat: int = self.welcome["private_state"]["player_index"]
        return seat

    @property
    def request(self) -> Message:
        """The last request."""
        return [frame["payload"] for frame in self.frames if frame["type"] == "request"][-1]

    @property
    def errors(self) -> list[int]:
        return [frame["payload"]["code"] for frame in self.frames if frame["type"] == "error"]

    def contexts(self, event: str, *, own: bool = False) -> list[Message]:
        """The contexts of all notifications of that name."""
        payloads = [frame["payload"] for frame in self.frames if frame["type"] == "notification"]
        contexts = [payload["context"] for payload in payloads if payload["event"] == event]
        return [context for context in contexts if ("session_id" in context) == own]

    @property
    def numbers(self) -> list[int]:
        """Of all notifications but the own welcomes."""
        payloads = [frame["payload"] for frame in self.frames if frame["type"] == "notification"]
        return [each["number"] for each in payloads if "number" in each and "session_id" not in each["context"]]

    def time_of(self, *, event: str = "", kind: str = "notification") -> float:
        """When the last frame of that kind arrived."""
        times = [
            time
            for time, frame in zip(self.times, self.frames, strict=True)
            if frame["type"] == kind and event in ("", frame.get("payload", {}).get("event"))
        ]
        return times[-1]


class Scene:
    """One table and everybody at it. Agents compute in no time; nothing is dealt twice the same."""

    def __init__(self, game: str, executor: Executor | None = None, **settings: Any) -> None:
        self.store = MemoryStore()
        self.people: dict[str, Person] = {}
        self.channels = count(1)
        self.game = registry.get(game)
        self.inbox: Inbox = asyncio.Queue()
        self.table: Table | None = None
        self.running: asyncio.Task[None] | None = None
        self._around = Surroundings(
            store=self.store,
            deliver=self._deliver,
            translate=lambda text, language: f"{language}: {text}",
            executor=executor or AtOnce(),
            settings=TableSettings(**settings),
            rng=Random(1),
        )

    async def join(self, name: str, protocol: int = 2, game: str = "") -> Person:
        """Somebody new."""
        person = Person(self, name, protocol)
        message = {"name": name, "game": game or self.game.name, "protocol": protocol, "language": "en"}
        await self.put({"type": "join", "channel": person.channel, **message})
        return person

    async def put(self, message: Message) -> None:
        """Puts a message into the inbox, and waits until it is done; no time passes."""
        if self.running is None or self.running.done():
            kinds = [self.game.default_agent] * self.game.seats[-1]
            record = await self.store.load("") or await self.store.open("", "Table", self.game.name, None, kinds)
            self.inbox = asyncio.Queue()
            self.table = Table(record, self._around, self.inbox)
            self.running = asyncio.create_task(self.table.run(message))
        else:
            self.inbox.put_nowait(message)
        await self.settle()

    async def settle(self) -> None:
        """Lets everything happen that is due now."""
        for _ in range(60):
            await asyncio.sleep(0)

    @property
    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self.settle()

    async def die(self) -> None:
        """The worker is killed: what is not in the store is lost. The next message starts another one."""
        assert self.running
        self.running.cancel()
        await asyncio.wait([self.running])
        self.people = {}

    async def end(self) -> None:
        if self.running and not self.running.done():
            self.running.cancel()
            await asyncio.wait([self.running])

    async def _deliver(self, channel: str, message: Message) -> None:
        person = self.people.get(channel)
        if person is None or person.closed is not None:
            return
        if message == COME_AGAIN:
            person.closed = CloseCode.RESTART  # the web adds the error
        elif message["type"] == "client.close":
            person.closed = message["code"]
        else:
            person.frames.append(json.loads(message["text"]))
            person.times.append(self.now)
