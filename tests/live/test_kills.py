"""Nothing that was confirmed is ever lost: the server is killed again and again, in every phase of a match."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random

import pytest

from tests.live import journal
from tests.live.client import Client
from tests.server import Server

PHASES = ("lobby", "grand", "exchange", "play", "wish", "dragon", "round over")
KILLS = 50  # in each of the two tests

pytestmark = [pytest.mark.slow]


async def until(condition: Callable[[], bool], seconds: float) -> None:
    """Waits for the condition, but not for ever."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not condition():
                await asyncio.sleep(0.002)


def is_in(phase: str, clients: list[Client]) -> bool:
    """Whether anybody sees the match in this phase."""
    return any(client.phase == phase for client in clients)


def are_beyond(numbers: list[int], clients: list[Client]) -> bool:
    """Whether everybody has been told something new."""
    return all(client.number > number for client, number in zip(clients, numbers, strict=True))


async def play_while_it_dies(server: Server, clients: list[Client], rng: Random) -> Counter[str]:
    """Kills the server in one phase after the other. :result: how often it died in which."""
    died: Counter[str] = Counter()
    is_over = False
    playing = [asyncio.create_task(client.run(lambda: is_over)) for client in clients]
    try:
        await until(lambda: all(client.seat >= 0 for client in clients), seconds=10)
        for kill in range(KILLS):
            phase = PHASES[kill % len(PHASES)]
            await until(partial(is_in, phase, clients), seconds=3)
            if kill // len(PHASES) % 2:  # otherwise at once: some phases are over in a moment
                await asyncio.sleep(rng.uniform(0, 0.03))
            died[phase if is_in(phase, clients) else clients[0].phase] += 1
            await asyncio.to_thread(server.kill)
            compare(server, clients)
            await asyncio.to_thread(server.start)
            numbers = [client.number for client in clients]
            await until(partial(are_beyond, numbers, clients), seconds=15)
            stuck = [client.describe() for client, n in zip(clients, numbers, strict=True) if client.number <= n]
            assert stuck == [], f"after kill {kill} in phase {phase}"
    finally:
        is_over = True
        results = await asyncio.gather(*playing, return_exceptions=True)
    assert [result for result in results if result is not None] == []
    return died


def compare(server: Server, clients: list[Client]) -> None:
    """The journal has every confirmed action once, and says what the clients saw."""
    executed: Counter[str] = Counter()
    events: dict[int, dict[int, tuple[str, object]]] = {client.seat: {} for client in clients}
    for options, rows in journal.matches(server.database).values():
        executed.update(row.command.split(":", 1)[1] for row in rows if row.command)
        for _, _, numbered in journal.replay(options, rows):
            for number, event in numbered:
                for seat in events:
                    events[seat][number] = event.name, journal.as_json(event.own.get(seat, event.context))
    assert [command for command, times in executed.items() if times > 1] == [], "executed twice"
    for client in clients:
        assert client.confirmed_answers <= executed.keys(), "confirmed and lost"
        for number, seen in client.numbered.items():
            if number in events[client.seat]:
                assert seen == events[client.seat][number]


@pytest.mark.parametrize(
    ("names", "seldom"),
    [(("Anna", "Ben", "Cleo", "Dora"), {"dragon"}), (("Anna", "Ben"), {"dragon", "wish"})],
    ids=["four people", "two people and two agents"],
)
async def test_a_match_goes_on_after_each_kill(
    start_server: Callable[..., Server], names: tuple[str, ...], seldom: set[str]
) -> None:
    server = start_server(TICHU_PACE="0.01")
    rng = Random(len(names))
    clients = [Client(server.socket_url, name, "Kills", rng, thinks=0.005) for name in names]
    clients[0].options, clients[0].starts = {"target_score": 200}, True
    died = await play_while_it_dies(server, clients, rng)
    assert sum(died.values()) == KILLS
    assert died.keys() >= {*PHASES} - seldom
