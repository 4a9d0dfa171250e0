"""The terminal client, against a real server."""

import subprocess
import sys
from itertools import count

import pytest

from tests.server import ROOT, Server

tables = (f"Terminal {number}" for number in count(1))

pytestmark = pytest.mark.slow


def wsclient(server: Server, *arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "manage.py", "wsclient", "--url", server.socket_url, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True)


def test_it_plays_by_itself_to_the_end_and_prints_the_score(server):
    client = wsclient(server, "--name", "Anna", "--table", next(tables), "--auto")
    said, _ = client.communicate(timeout=120)
    assert client.returncode == 0, said
    last = said.splitlines()[-1]
    assert last.startswith("Score: ")
    assert max(int(score) for score in last.removeprefix("Score: ").split(" : ")) >= 1000


def test_it_goes_on_after_a_restart_of_the_server(start_server):
    server = start_server(TICHU_PACE="0.02")
    client = wsclient(server, "--name", "Anna", "--table", "Restart", "--auto")
    assert client.stdout
    next(line for line in client.stdout if "The round is over" in line)
    server.kill()
    server.start()
    said, _ = client.communicate(timeout=120)
    assert client.returncode == 0, said
    assert "Score: " in said


def test_several_of_them_play_with_each_other(server):
    table = next(tables)
    names = ("Anna", "Ben", "Cleo", "Dora")
    clients = [wsclient(server, "--name", name, "--table", table, "--auto", "--people", "4") for name in names]
    said = [client.communicate(timeout=120)[0] for client in clients]
    assert [client.returncode for client in clients] == [0] * 4, said
    scores = {next(line for line in lines.splitlines() if line.startswith("Score: ")) for lines in said}
    assert len(scores) == 1


def test_a_person_can_play_with_it(server):
    client = wsclient(server, "--name", "Anna", "--table", next(tables))
    assert client.stdin
    assert client.stdout
    talk = iter(client.stdout.readline, "")

    def hear(text: str) -> str:
        return next(line for line in talk if text in line)

    def type_in(text: str) -> None:
        client.stdin.write(text + "\n")
        client.stdin.flush()

    hear("You sit on seat 0")
    type_in("chat hello there")
    hear("Anna: hello there")
    type_in("start")
    hear("grand Tichu?")
    type_in("no")
    hand = hear("Which cards for the right, the partner, the left?").split("? ")[1].split()
    type_in("Q7 hello")
    hear("? Q7 hello")
    type_in(" ".join(hand[-3:]))
    hear("You receive")
    type_in("leave")
    client.communicate(timeout=20)
    assert client.returncode == 0


def test_it_says_why_it_was_refused(server):
    client = wsclient(server, "--name", " ", "--table", "x", "--auto")
    said, _ = client.communicate(timeout=20)
    assert "Invalid message format received." in said
    assert "closed with 1008" in said
    assert client.returncode == 1
