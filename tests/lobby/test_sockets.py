"""Every close code of the protocol, seen by a real client of a real server (protocol 1), and the limits (8)."""

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from http.cookiejar import CookieJar
from itertools import count
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener
from uuid import uuid4

import pytest
from websockets.exceptions import InvalidStatus

from tests.lobby.guest import Guest
from tests.server import ROOT, Server

tables = (f"Sockets {number}" for number in count(1))


@pytest.fixture
def sit(server: Server) -> Iterator[Any]:
    """Takes a seat at a table of this test: ``sit("Anna")``."""
    table = next(tables)
    guests = []

    def sit(name: str, **query: Any) -> Guest:
        guests.append(Guest(server, player_name=name, table_name=table, **query))
        guests[-1].receive()
        return guests[-1]

    yield sit
    for guest in guests:
        guest.lose()


# --- parameters -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"player_name": "Anna"},
        {"table_name": "Table"},
        {"player_name": " ", "table_name": "Table"},
        {"player_name": "Anna", "table_name": "\u200b"},
        {"player_name": "x" * 31, "table_name": "Table"},
        {"player_name": "Anna", "table_name": "Table", "game": "chess"},
    ],
)
def test_bad_parameters_are_refused(server, query):
    """Protocol 1."""
    assert Guest(server, **query).end() == ([101], 1008)


def test_unknown_parameters_are_ignored(sit):
    anna = sit("Anna", colour="red", session="none", since="5")
    assert anna.frames[0]["payload"]["event"] == "player_joined"


def test_a_session_that_nobody_knows(server):
    """Protocol 1, 4: 201 repeats what the client sent."""
    unknown = str(uuid4())
    guest = Guest(server, session_id=unknown)
    assert guest.end() == ([201], 1008)
    assert guest.frames[0]["payload"]["context"] == {"session_id": unknown}


def test_a_session_that_is_over(sit):
    """Protocol 1."""
    anna, ben = sit("Anna"), sit("Ben")
    ben.say("leave")
    assert ben.end() == ([], 1001)
    assert ben.come_back().end() == ([200], 1008)
    anna.say("leave")
    assert anna.end() == ([], 1001)
    assert anna.come_back().end() == ([200], 1008)


def test_two_tabs(sit):
    """Protocol 1: the older one is closed with 1000."""
    anna = sit("Anna")
    newer = anna.come_back()
    assert newer.receive()["payload"]["context"]["session_id"] == anna.session_id
    assert anna.end() == ([205], 1000)
    newer.say("ping")
    newer.until("pong")
    newer.lose()


def test_no_seat_and_no_second_name(sit):
    """Protocol 1."""
    for name in ("Anna", "Ben", "Cleo"):
        sit(name)
    assert sit("Anna").end() == ([204], 1008)
    sit("Dora")
    assert sit("Emil").end() == ([203], 1008)


def test_somebody_is_sent_away(sit):
    """Protocol 1."""
    anna, ben = sit("Anna"), sit("Ben")
    anna.say("kick", {"player_index": 1})
    assert ben.end() == ([104], 1008)


def test_errors_speak_the_language_of_the_client(server):
    """Protocol 4."""
    german, english = Guest(server, lang="de"), Guest(server, lang="en")
    german.end()
    english.end()
    texts = [guest.frames[0]["payload"]["message"] for guest in (german, english)]
    assert texts == ["Ungültiges Nachrichtenformat empfangen.", "Invalid message format received."]


@pytest.mark.parametrize("origin", ["null", "http://elsewhere.example", "https://127.0.0.1.example", "file://"])
def test_another_page_may_not_open_a_socket(server, origin):
    """Protocol 1: HTTP 403."""
    with pytest.raises(InvalidStatus) as refused:
        Guest(server, headers={"Origin": origin}, player_name="Anna", table_name="Origin")
    assert refused.value.response.status_code == 403


def test_the_own_page_may_open_a_socket(server, sit):
    """Protocol 1."""
    anna = sit("Anna", headers={"Origin": server.url})
    assert anna.session_id


@pytest.mark.parametrize("path", ["/ws/", "/", "/socket"])
def test_sockets_are_at_one_place_only(server, path):
    """Protocol 1."""
    server_elsewhere = type("Elsewhere", (), {"socket_url": server.socket_url.removesuffix("/ws") + path})
    with pytest.raises(InvalidStatus) as refused:
        Guest(server_elsewhere(), player_name="Anna", table_name="Elsewhere")  # type: ignore[arg-type]
    assert refused.value.response.status_code == 403


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with limits; there are none on connections and tables, of which these tests need many."""
    free = {"TICHU_CONNECTIONS_PER_MINUTE": "0", "TICHU_NEW_TABLES_PER_MINUTE": "0"}
    server = Server(tmp_path_factory.mktemp("strict"), TICHU_LIMITS="1", TICHU_PING_S="1", **free)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def guest(strict: Server) -> Iterator[Guest]:
    guest = Guest(strict, player_name="Anna", table_name=next(tables))
    guest.receive()
    yield guest
    guest.lose()


def test_20_messages_a_second_are_enough(guest):
    """Protocol 8: 105, then 4013."""
    for number in range(41):
        guest.say("ping", id=str(number))
    assert guest.until("error") == {
        "code": 105,
        "message": "The server is busy. Please try again later.",
        "context": {},
        "id": "40",
    }
    for _ in range(40):
        guest.say("ping")
    errors, code = guest.end()
    assert code == 4013
    assert set(errors) == {105}


def test_8_kib_are_enough_for_a_message(guest):
    """Protocol 8: 101; 4013 when repeated."""
    text = json.dumps({"type": "chat", "payload": {"text": "x" * 8192}, "id": "long"})
    guest.socket.send(text)
    error = guest.until("error")
    assert (error["code"], error["id"]) == (101, "long")
    guest.socket.send(text)
    assert guest.end() == ([101, 105], 4013)


def test_64_kib_are_enough_for_a_frame(guest):
    """Protocol 8."""
    guest.socket.send("x" * 70_000)
    assert guest.end() == ([], 1009)


@pytest.mark.slow
def test_a_client_that_does_not_read_is_closed(strict):
    """Protocol 8: 256 unsent messages, then 4013."""
    # The library reads on its own until sixteen frames wait; then it reads no more.
    guest = Guest(strict, player_name="Anna", table_name=next(tables))
    for _ in range(300):
        guest.say("ping")
        time.sleep(0.045)
    errors, code = guest.end()
    assert (errors[-1], code) == (105, 4013)


@pytest.mark.slow
def test_a_client_that_reads_may_be_told_any_number_of_things(start_server):
    """Protocol 8."""
    server = start_server(TICHU_LIMITS="1", TICHU_MESSAGES_PER_SECOND="0")
    guest = Guest(server, player_name="Anna", table_name="Table")
    for _ in range(600):
        guest.say("ping")
        guest.until("pong")
    guest.lose()


@pytest.mark.slow
def test_silence_is_answered_with_a_ping(strict, caplog):
    """Protocol 1: after 30 s, here after one."""
    caplog.set_level(logging.DEBUG, "websockets.client")
    guest = Guest(strict, player_name="Anna", table_name=next(tables))
    time.sleep(4)
    guest.lose()
    assert "< PING" in caplog.text


def test_20_sockets_from_one_address_are_enough(strict):
    """Protocol 8: 105, 4013."""
    table = next(tables)
    guests = [Guest(strict, player_name=f"P{number}", table_name=f"{table} {number}") for number in range(20)]
    try:
        assert Guest(strict, player_name="P21", table_name=table).end() == ([105], 4013)
    finally:
        for guest in guests:
            guest.lose()


@pytest.mark.slow
def test_tables_and_connections_are_counted_by_the_minute(start_server):
    """Protocol 8: 5 new tables, 30 connections; a reconnect with a valid session is no new one."""
    server = start_server(TICHU_LIMITS="1", TICHU_TABLES="7")
    began = time.monotonic()
    guests = [Guest(server, player_name="Anna", table_name=f"Table {number}") for number in range(5)]
    for guest in guests:  # a table is open once its first player sits there
        assert guest.receive()["payload"]["event"] == "player_joined"
    assert Guest(server, player_name="Anna", table_name="Table 6").end() == ([105], 4013)
    let_in = 6
    while (answer := Guest(server, player_name="Anna", table_name="Table 1").end()) == ([204], 1008):
        let_in += 1
    assert answer == ([105], 4013)
    assert 30 <= let_in <= 30 + (time.monotonic() - began) / 2  # one more every two seconds
    again = guests[0].come_back()
    assert again.receive()["payload"]["event"] == "player_joined"
    for guest in [*guests, again]:
        guest.lose()


@pytest.mark.slow
def test_there_is_a_largest_number_of_tables(start_server):
    """Protocol 8: 105, 4013."""
    server = start_server(TICHU_LIMITS="1", TICHU_TABLES="2")
    guests = [Guest(server, player_name="Anna", table_name=f"Table {number}") for number in range(2)]
    for guest in guests:
        guest.receive()
    assert Guest(server, player_name="Anna", table_name="Table 3").end() == ([105], 4013)
    guests[0].say("leave")
    guests[0].end()
    third = Guest(server, player_name="Anna", table_name="Table 3")
    assert third.receive()["payload"]["event"] == "player_joined"
    for guest in [*guests, third]:
        guest.lose()


@pytest.mark.slow
def test_behind_a_proxy_the_header_says_the_address(start_server):
    server = start_server(TICHU_LIMITS="1", TICHU_SOCKETS_PER_ADDRESS="1", BEHIND_PROXY="1")
    here = [
        Guest(server, headers={"X-Forwarded-For": f"192.0.2.{n}"}, player_name="A", table_name=f"{n}") for n in (1, 2)
    ]
    for guest in here:
        assert guest.receive()["payload"]["event"] == "player_joined"
    second = Guest(server, headers={"X-Forwarded-For": "192.0.2.1"}, player_name="B", table_name="1")
    assert second.end() == ([105], 4013)
    for guest in here:
        guest.lose()


# --- the server's own reasons -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_server_in_maintenance_lets_nobody_in(start_server):
    """Protocol 1: 107, 4013."""
    server = start_server(TICHU_MAINTENANCE="1")
    assert Guest(server, player_name="Anna", table_name="Table").end() == ([107], 4013)


@pytest.mark.slow
def test_a_server_that_stops_says_goodbye_and_everything_is_there_afterwards(start_server):
    """Protocol 1: 106, 4012."""
    server = start_server()
    anna = Guest(server, player_name="Anna", table_name="Table")
    anna.receive()
    ben = Guest(server, player_name="Ben", table_name="Table")
    ben.receive()
    assert server.stop() == 0
    assert anna.end() == ([106], 4012)
    assert ben.end() == ([106], 4012)
    server.start()
    again = ben.come_back()
    names = again.receive()["payload"]["context"]["public_state"]["player_names"]
    assert names[:2] == ["Anna", "Ben"]
    again.lose()


@pytest.mark.slow
def test_a_table_that_an_admin_closes_sends_everybody_away(start_server):
    """Protocol 1: 1001."""
    server = start_server()
    account = {"DJANGO_SUPERUSER_USERNAME": "ada", "DJANGO_SUPERUSER_EMAIL": "", "DJANGO_SUPERUSER_PASSWORD": "secret"}
    environment = {**os.environ, **server.settings, **account}
    subprocess.run(
        [sys.executable, "manage.py", "createsuperuser", "--no-input"], cwd=ROOT, env=environment, check=True
    )
    anna = Guest(server, player_name="Anna", table_name="Table")
    anna.receive()
    cookies = CookieJar()
    admin = build_opener(HTTPCookieProcessor(cookies))

    def post(path: str, **data: str) -> None:
        admin.open(server.url + path).close()
        token = next(cookie.value for cookie in cookies if cookie.name == "csrftoken")
        admin.open(server.url + path, urlencode({"csrfmiddlewaretoken": token, **data}).encode()).close()

    post("/admin/login/", username="ada", password="secret", next="/admin/")
    post("/admin/lobby/lobbytable/", action="close", _selected_action="1")
    assert anna.end() == ([], 1001)
    assert "table_closing" in [frame["payload"]["event"] for frame in anna.frames]


@pytest.mark.slow
def test_a_table_without_people_closes_after_a_while(start_server):
    """Protocol 1: its sessions expire."""
    server = start_server(TICHU_EMPTY_TABLE_S="1")
    anna = Guest(server, player_name="Anna", table_name="Table")
    anna.receive()
    anna.lose()
    time.sleep(4)
    assert anna.come_back().end() == ([200], 1008)


@pytest.mark.slow
def test_a_lost_connection_is_replaced_by_an_agent_while_others_play_on(start_server):
    """Protocol 1: after 20 s, here after one."""
    server = start_server(TICHU_SEAT_KEPT_S="1")
    anna = Guest(server, player_name="Anna", table_name="Table")
    anna.receive()
    ben = Guest(server, player_name="Ben", table_name="Table")
    ben.receive()
    ben.lose()
    assert anna.until("player_disconnected")["context"] == {"player_index": 1}
    assert anna.until("player_left")["context"]["player_name"] == "RuleAgent_2"
    again = ben.come_back()
    assert anna.until("player_joined")["context"] == {"player_index": 1, "player_name": "Ben"}
    anna.lose()
    again.lose()
