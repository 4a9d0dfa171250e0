"""A client of the tests: it knows only docs/protocol.md, remembers every frame, and answers by chance."""

import asyncio
import json
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import urlencode

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

Message = dict[str, Any]


class Client:
    """A person with protocol 2 who answers each request with a random legal action.

    After a lost connection it comes back with its session and says again what was not confirmed, with the same ids.

    :param thinks: seconds before an answer.
    :ivar options: what the host sets before a match.
    :ivar starts: whether it starts a match whenever there is none.
    :ivar frames: every frame received, in order.
    :ivar numbered: the context of each numbered notification, with its event; the first one that arrived counts.
    :ivar confirmed_answers: ids of the answers that were acknowledged.
    :ivar refused: the errors received.
    """

    def __init__(self, url: str, name: str, table: str, rng: Random, thinks: float = 0.0) -> None:
        self.url = url
        self.name = name
        self.table = table
        self.rng = rng
        self.options: Message = {}
        self.thinks = thinks
        self.session_id = ""
        self.seat = -1
        self.number = 0
        self.phase = "lobby"
        self.frames: list[Message] = []
        self.numbered: dict[int, tuple[str, Message]] = {}
        self.confirmed_answers: set[str] = set()
        self.refused: list[Message] = []
        self.starts = False
        self.matches = 0
        self._said = 0
        self.on_frame: Callable[[Message], None] = lambda message: None
        self._unconfirmed: dict[str, Message] = {}
        self._socket: ClientConnection | None = None
        self._answers: set[asyncio.Task[None]] = set()

    async def run(self, until: Callable[[], bool]) -> None:
        """Plays until the condition holds, through any number of lost connections."""
        while not until():
            query = {"session_id": self.session_id} if self.session_id else self._introduction()
            try:
                async with connect(f"{self.url}?{urlencode(query | {'protocol': 2})}", ping_interval=None) as socket:
                    self._socket = socket
                    while not until():
                        try:
                            text = await asyncio.wait_for(socket.recv(), 0.2)
                        except TimeoutError:
                            continue
                        self._receive(json.loads(text))
            except (ConnectionClosed, InvalidHandshake, OSError):
                await asyncio.sleep(0.05)
            finally:
                self._socket = None

    async def start(self) -> None:
        """Sets the options and starts a match."""
        await self.say("options", self.options, after=self.thinks)
        await self.say("start_game", {})

    async def say(self, kind: str, payload: Message, after: float = 0.0) -> None:
        """Sends a message, and again after each reconnect until it is confirmed or refused."""
        self._said += 1
        command_id = f"{self.name}-{self._said}"
        message = {"type": kind, "payload": payload, "id": command_id}
        self._unconfirmed[command_id] = message
        await asyncio.sleep(after)
        await self._send(message)

    def describe(self) -> str:
        """What one wants to know where a test fails."""
        waiting = list(self._unconfirmed.values())
        return f"{self.name} in {self.phase} at {self.number}, says {waiting}, last heard {self.frames[-3:]}"

    def _introduction(self) -> Message:
        return {"player_name": self.name, "table_name": self.table}

    async def _send(self, message: Message) -> None:
        if self._socket:
            try:
                await self._socket.send(json.dumps(message))
            except ConnectionClosed:
                pass  # it is sent again with the next connection

    # --- what arrives -------------------------------------------------------------------------------------------------

    def _receive(self, message: Message) -> None:
        self.frames.append(message)
        payload = message.get("payload", {})
        match message["type"]:
            case "ack":
                confirmed = self._unconfirmed.pop(payload["id"], {})
                if confirmed.get("type") == "response":
                    self.confirmed_answers.add(payload["id"])
            case "error":
                self.refused.append(payload)
                self._unconfirmed.pop(payload.get("id", ""), None)
            case "request":
                self._answer_later(payload)
            case "notification":
                self._notice(payload["event"], payload["context"], payload.get("number"))
        self.on_frame(message)

    def _notice(self, event: str, context: Message, number: int | None) -> None:
        if event == "player_joined" and "session_id" in context:
            self._welcome(context)
            return
        if number is None or number <= self.number:
            return
        if number != self.number + 1:
            raise AssertionError(f"{self.name} has {self.number} and is sent {number}: {event}")
        self.number = number
        self.numbered[number] = event, context
        self.phase = PHASES.get(event, self.phase)
        if event == "player_played" and [1, 0] in context["turn"][1]:
            self.phase = "wish"
        if event == "game_over":
            self.matches += 1
            self._start_later()

    def _welcome(self, context: Message) -> None:
        public = context["public_state"]
        self.session_id = context["session_id"]
        self.seat = context["private_state"]["player_index"]
        self.number = context["number"]
        if not public["is_running"]:
            self.phase = "lobby"
            self._start_later()
        elif public["is_round_over"]:
            self.phase = "round over"
        elif public["start_player_index"] < 0:
            self.phase = "grand" if 8 in public["count_hand_cards"] else "exchange"
        for message in list(self._unconfirmed.values()):
            self._do(self._send(message))
        if context["pending_request"]:
            self._answer_later(context["pending_request"])

    # --- what it says -------------------------------------------------------------------------------------------------

    def _start_later(self) -> None:
        if self.starts:
            self._do(self.start())

    def _answer_later(self, request: Message) -> None:
        self.phase = REQUESTS.get(request["action"], self.phase)
        asked = request["request_id"]
        if any(message["payload"].get("request_id") == asked for message in self._unconfirmed.values()):
            return
        answer = {"action": request["action"], "response_data": self._decide(request), "request_id": asked}
        self._do(self.say("response", answer, after=self.thinks * self.rng.uniform(0.5, 1.5)))

    def _decide(self, request: Message) -> Message:
        context = request["context"]
        match request["action"]:
            case "announce_grand_tichu":
                return {"announced": self.rng.random() < 0.1}
            case "schupf":
                return {"given_schupf_cards": self.rng.sample(context["hand_cards"], 3)}
            case "play":
                choices = context["legal"] + ([None] if context["may_pass"] else [])
                return self._play(self.rng.choice(choices), context["hand_cards"])
            case "wish":
                return {"wish_value": self.rng.randint(2, 14)}
        return {"dragon_recipient": (self.seat + self.rng.choice([1, 3])) % 4}

    def _play(self, entry: Message | None, hand: list[list[int]]) -> Message:
        if entry is None:
            return {"cards": []}
        if "cards" in entry:
            return {"cards": entry["cards"]}
        held = list(hand)
        cards = []
        for value in entry["values"]:
            card = next(card for card in held if card[0] == value)
            held.remove(card)
            cards.append(card)
        return {"cards": cards, "rank": entry["combination"][2]}

    def _do(self, coroutine: Any) -> None:
        task = asyncio.create_task(coroutine)
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)


PHASES = {
    "game_started": "grand",
    "round_started": "grand",
    "start_playing": "play",
    "player_turn_changed": "play",
    "wish_made": "play",
    "trick_taken": "play",
    "round_over": "round over",
    "game_over": "lobby",
}
REQUESTS = {
    "announce_grand_tichu": "grand",
    "schupf": "exchange",
    "play": "play",
    "wish": "wish",
    "give_dragon_away": "dragon",
}
