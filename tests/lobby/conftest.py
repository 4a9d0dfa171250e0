"""What the tests of the lobby share."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from games import registry
from tests.lobby.scene import Scene


def pytest_asyncio_loop_factories(item: pytest.Item) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    """A module may choose its event loop, for example one with virtual time."""
    return {"loop": getattr(getattr(item, "module", None), "LOOP", asyncio.new_event_loop)}


@pytest_asyncio.fixture
async def open_table(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Callable[..., Scene]]:
    """Opens a table in memory: ``open_table("counting", pace=0)``."""
    monkeypatch.setitem(registry.GAMES, "counting", "tests.lobby.counting_game:Counting")
    scenes = []

    def open_table(game: str = "counting", **settings: Any) -> Scene:
        scenes.append(Scene(game, **settings))
        return scenes[-1]

    yield open_table
    for scene in scenes:
        await scene.end()
