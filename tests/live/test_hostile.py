"""Nothing that a client sends stops a table, and what is refused changes nothing (protocol 3)."""

import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlencode

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.live.hostile import CLOSED, HOSTILE, Build, Frame, Scene
from tests.server import Server

MUTATIONS = 25  # of each message

Message = dict[str, Any]


class Attacker:
    """A person who has the lead at a table of agents, and does not play by the rules."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.session_id = ""
        self.open: Message | None = None
        self.scene: Scene | None = None
        self._open = ExitStack()
        self.connect()
        self.send(json.dumps({"type": "start_game"}))
        exchange = ""
        while self.scene is None:
            request = self.request()
            match request["action"]:
                case "announce_grand_tichu":
                    self.answer(request, {"announced": False})
                case "schupf":
                    exchange = request["request_id"]
                    # With the sparrow one leads; without it the match is no use here.
                    low = [card for card in request["context"]["hand_cards"] if card != [1, 0]]
                    self.answer(request, {"given_schupf_cards": low[-3:]})
                case "play" if not request["context"]["may_pass"]:
                    self.open = request
                    self.scene = Scene(request["context"]["hand_cards"], request["request_id"], exchange)
                case _:
                    self.answer(request, sensible(request))

    def connect(self) -> None:
        query = (
            {"session_id": self.session_id} if self.session_id else {"player_name": "Mallory", "table_name": "Hostile"}
        )
        url = f"{self.server.socket_url}?{urlencode(query | {'protocol': 2})}"
        self.close()
        self.socket: ClientConnection = self._open.enter_context(connect(url, max_size=None))
        welcome = self.receive()["payload"]["context"]
        self.session_id = welcome["session_id"]
        self.open = welcome["pending_request"]

    def close(self) -> None:
        self._open.close()

    def send(self, frame: Frame, *, text: bool | None = None) -> None:
        self.socket.send(frame, text=text)

    def receive(self) -> Message:
        message: Message = json.loads(self.socket.recv(timeout=10))
        return message

    def request(self) -> Message:
        """The decision that this person is asked for next."""
        while True:
            message = self.receive()
            if message["type"] == "request":
                payload: Message = message["payload"]
                return payload

    def answer(self, request: Message, data: Message) -> None:
        self.send(json.dumps({"type": "response", "payload": {"action": request["action"], "response_data": data}}))

    def reaction(self) -> Message:
        """What the server says until it has answered a ping."""
        self.send(json.dumps({"type": "ping"}))
        reaction: Message = {}
        while True:
            message = self.receive()
            if message["type"] == "pong":
                return reaction
            if message["type"] == "error":
                reaction = message["payload"]
            if message["type"] == "request":
                self.open = message["payload"]


def sensible(request: Message) -> Message:
    """A legal answer."""
    match request["action"]:
        case "announce_grand_tichu":
            return {"announced": False}
        case "schupf":
            return {"given_schupf_cards": request["context"]["hand_cards"][-3:]}
        case "play":
            cards = request["context"]["proposal"]
            return {"cards": [] if request["context"]["may_pass"] else cards}
        case "wish":
            return {"wish_value": 5}
    return {"dragon_recipient": 1}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """With the limits on the size of messages, but none on their number."""
    limits = {
        "TICHU_LIMITS": "1",
        "TICHU_MESSAGES_PER_SECOND": "0",
        "TICHU_CONNECTIONS_PER_MINUTE": "0",
        "TICHU_NEW_TABLES_PER_MINUTE": "0",
        "TICHU_CHATS_PER_SECOND": "0",
    }
    server = Server(tmp_path_factory.mktemp("hostile"), **limits)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def attacker(server: Server) -> Iterator[Attacker]:
    attacker = Attacker(server)
    yield attacker
    attacker.close()


def stored(server: Server) -> list[Any]:
    """Everything that a message could have changed."""
    with sqlite3.connect(f"file:{server.database}?mode=ro", uri=True) as connection:
        return [
            connection.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()
            for table in ("games_match", "games_matchseat", "games_matchevent", "lobby_lobbytable", "lobby_session")
        ]


@pytest.mark.parametrize("name", [name for name, (_, code) in HOSTILE.items() if code != CLOSED])
def test_a_hostile_message_is_refused_and_changes_nothing(attacker: Attacker, name: str) -> None:
    build, code = HOSTILE[name]
    assert attacker.scene
    before = stored(attacker.server)
    attacker.send(build(attacker.scene))
    error = attacker.reaction()
    assert error.get("code") == code, error
    assert stored(attacker.server) == before


@pytest.mark.parametrize("name", [name for name, (_, code) in HOSTILE.items() if code == CLOSED])
def test_a_frame_that_is_none_closes_the_socket_and_the_session_goes_on(attacker: Attacker, name: str) -> None:
    build, _ = HOSTILE[name]
    assert attacker.scene
    attacker.send(build(attacker.scene), text=True)
    with pytest.raises(ConnectionClosed):
        attacker.reaction()
    attacker.connect()
    assert attacker.open
    assert attacker.open["request_id"] == attacker.scene.request_id


def test_a_double_click_plays_once(attacker: Attacker) -> None:
    assert attacker.open
    cards = attacker.open["context"]["proposal"]
    data = {"action": "play", "response_data": {"cards": cards}, "request_id": attacker.open["request_id"]}
    frame = json.dumps({"type": "response", "payload": data, "id": "click"})
    attacker.send(frame)
    attacker.send(frame)
    acks: list[Message] = []
    while len(acks) < 2:
        message = attacker.receive()
        assert message["type"] != "error"
        if message["type"] == "ack":
            acks.append(message["payload"])
    assert acks[0] == acks[1]


@pytest.mark.slow
def test_the_table_plays_on_after_any_mutation_of_a_hostile_message(server: Server, attacker: Attacker) -> None:
    rng = random.Random(7)
    builds: list[Build] = [build for build, code in HOSTILE.values() if code != CLOSED]
    for build in builds:
        for _ in range(MUTATIONS):
            assert attacker.scene
            try:
                attacker.send(mutate(build(attacker.scene), rng), text=True)
                assert attacker.reaction().get("code") != 100
            except ConnectionClosed:
                attacker.connect()
    assert "Traceback" not in (log := server.log.read_text()), log[-5000:]
    score = play_to_the_end_of_the_round(attacker)
    assert sum(score) % 100 == 0


def mutate(frame: Frame, rng: random.Random) -> bytes:
    """Some bytes are changed, lost, doubled, or exchanged for something that JSON knows."""
    content = bytearray(frame if isinstance(frame, bytes) else frame.encode())
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(content) + 1)
        match rng.randrange(4):
            case 0:
                content[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del content[at : at + rng.randint(1, 8)]
            case 2:
                content[at:at] = content[at : at + rng.randint(1, 8)]
            case _:
                content[at : at + 1] = rng.choice([b"null", b"true", b"-1", b"[]", b"{}", b"1e9", b'"', b"\\u0000"])
    return bytes(content)


def play_to_the_end_of_the_round(attacker: Attacker) -> list[int]:
    """:result: the points of the seats."""
    attacker.close()
    attacker.connect()
    if attacker.open:
        attacker.answer(attacker.open, sensible(attacker.open))
    while True:
        message = attacker.receive()
        if message["type"] == "request":
            attacker.answer(message["payload"], sensible(message["payload"]))
        elif message["type"] == "notification" and message["payload"]["event"] == "round_over":
            points: list[int] = message["payload"]["context"]["points"]
            return points


GOOD_NAMES = [
    "__proto__",
    "constructor",
    "<script>alert(1)</script>",
    "'; DROP TABLE lobby_session;--",
    "Jörg",
    "测试",
    "👩‍👩‍👧‍👦" * 3,
]
BAD_NAMES = ["", "   ", "\u200b\u200b", "\u2800", "x" * 31, "\u202e", "\x00"]


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_a_strange_name_is_a_name(server: Server, name: str) -> None:
    query = urlencode({"player_name": name, "table_name": f"Names {name}"[:30], "protocol": 2})
    with connect(f"{server.socket_url}?{query}") as socket:
        welcome = json.loads(socket.recv(timeout=10))["payload"]["context"]
        assert welcome["public_state"]["player_names"][0] == name


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_nobody_can_read_is_refused(server: Server, name: str) -> None:
    query = urlencode({"player_name": name, "table_name": "Names", "protocol": 2})
    with connect(f"{server.socket_url}?{query}") as socket:
        error = json.loads(socket.recv(timeout=10))["payload"]
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(timeout=10)
    assert error["code"] == 101
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 1008


@pytest.mark.parametrize("name", ["A\u202enna", "An\u200bna", "ANNA", "\uff21nna"])
def test_marks_that_nobody_sees_do_not_make_another_name(server: Server, name: str) -> None:
    """Protocol 1: names are compared as everybody reads them."""
    table = f"Marks {len(name)} {ord(max(name))}"
    with connect(f"{server.socket_url}?{urlencode({'player_name': 'Anna', 'table_name': table})}") as first:
        first.recv(timeout=10)
        with connect(f"{server.socket_url}?{urlencode({'player_name': name, 'table_name': table})}") as second:
            assert json.loads(second.recv(timeout=10))["payload"]["code"] == 204
