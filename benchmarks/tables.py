"""What agents at live tables cost: ``python -m benchmarks.tables [seconds]`` prints what docs/benchmarks.md shows.

A real server with the usual pauses and ten tables. At each a program that answers at once sits with three agents, of
medium strength, then hard ones. Measured is the CPU time of the server, which plays, writes and sends besides.
"""

import asyncio
import os
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from benchmarks.rules import Row
from games.tichu.agents import AGENTS
from lobby.client import Client, answer
from tests.server import Server

TABLES = 10
WARM_UP_S = 10.0  # the calls and the exchange of the first round
KINDS = {"medium": "RuleAgent", "hard": "PolicyAgent"}


def main(seconds: float = 60) -> None:
    print("| tables | figure | wanted |\n|---|---|---|")
    shares = {}
    for strength, kind in KINDS.items():
        if kind in AGENTS:
            shares[strength] = share = measure(kind, seconds)
            print(
                Row(f"ten tables with three {strength} agents each", f"{100 * share:.1f} % of a core", ""), flush=True
            )
    if len(shares) == len(KINDS):
        more = shares["hard"] - shares["medium"]
        print(Row("hard agents, more than medium ones", f"{100 * more:+.1f} % of a core", "< 10 %", more < 0.1))


def measure(kind: str, seconds: float) -> float:
    """CPU seconds per second of a server with ten tables."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), TICHU_PACE="1", TICHU_STRICT_MESSAGES="0")
        server.start()
        try:
            return asyncio.run(watch(server, kind, seconds))
        finally:
            server.stop()


async def watch(server: Server, kind: str, seconds: float) -> float:
    assert server.process
    pid = server.process.pid
    people = [asyncio.create_task(play(server, f"Table {number}", kind)) for number in range(TABLES)]
    await asyncio.sleep(WARM_UP_S)
    start, before = time.monotonic(), cpu_seconds(pid)
    await asyncio.sleep(seconds)
    share = (cpu_seconds(pid) - before) / (time.monotonic() - start)
    for person in people:
        person.cancel()
        with suppress(asyncio.CancelledError):
            await person  # what went wrong at its table is raised here
    return share


def cpu_seconds(pid: int) -> float:
    """What a process has computed so far (Linux: proc(5))."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def play(server: Server, table: str, kind: str) -> None:
    """Somebody who chooses the agents, starts and answers at once."""
    client = Client(server.socket_url, "Anna", table)
    async for message in client.messages():
        payload = message.get("payload", {})
        if message["type"] == "error":
            raise RuntimeError(f"{table}: {payload}")
        if message["type"] == "request":
            await client.answer(payload, answer(payload, client.seat))
        elif "session_id" in payload.get("context", {}):
            await client.say("options", strengths=[kind] * 4, target_score=10_000)
            await client.say("start_game")


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
