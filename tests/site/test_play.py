"""``manage.py play`` as a person starts it."""

import json
import time
from urllib.request import urlopen

import pytest
from websockets.sync.client import connect

pytestmark = pytest.mark.slow


def test_the_server_is_healthy_and_says_its_version(server, settings):
    with urlopen(f"{server.url}/healthz") as response:
        assert json.load(response) == {"version": settings.VERSION, "database": "ok", "engine": "ok"}


def test_the_second_start_answers_within_three_seconds(start_server):
    server = start_server()
    server.stop()
    before = time.monotonic()
    server.start()
    with urlopen(server.url) as page:
        assert b"<title>Tichu</title>" in page.read()
    assert time.monotonic() - before < 3


def test_it_says_where_to_go_and_stops_without_a_fault(start_server):
    server = start_server()
    assert server.stop() == 0
    said = server.log.read_text()
    assert f"Tichu is on {server.url}/ (stop with Ctrl-C)\n" in said
    assert "Traceback" not in said
    assert "Warning" not in said


def test_session_ids_do_not_appear_in_its_log(start_server):
    server = start_server(LOG_LEVEL="DEBUG")
    secret = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
    with connect(f"{server.socket_url}?session_id={secret}") as socket:
        assert json.loads(socket.recv())["payload"]["code"] == 201
    server.stop()
    assert secret not in server.log.read_text()
