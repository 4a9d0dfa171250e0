"""The channel layer within one process."""

import asyncio

import pytest
from channels.exceptions import ChannelFull

from lobby.layers import EmbeddedChannelLayer


@pytest.fixture
def layer():
    return EmbeddedChannelLayer(capacity=3)


async def test_messages_arrive_in_order_and_as_they_are(layer):
    sent = [{"type": "a"}, {"type": "b"}]
    for message in sent:
        await layer.send("channel", message)
    received = [await layer.receive("channel"), await layer.receive("channel")]
    assert all(one is other for one, other in zip(received, sent, strict=True))


async def test_a_channel_that_nobody_reads_gets_full(layer):
    for _ in range(3):
        await layer.send("channel", {"type": "a"})
    with pytest.raises(ChannelFull):
        await layer.send("channel", {"type": "a"})


async def test_a_group_reaches_all_but_those_that_are_full(layer):
    for channel in ("one", "two"):
        await layer.group_add("group", channel)
    for _ in range(3):
        await layer.send("one", {"type": "old"})
    await layer.group_send("group", {"type": "new"})
    assert await layer.receive("two") == {"type": "new"}
    assert [(await layer.receive("one"))["type"] for _ in range(3)] == ["old"] * 3


async def test_who_waits_gets_what_comes(layer):
    waiting = asyncio.create_task(layer.receive("channel"))
    await asyncio.sleep(0)
    await layer.send("channel", {"type": "a"})
    assert await waiting == {"type": "a"}


async def test_what_nobody_fetches_is_swept_away(layer, monkeypatch):
    monkeypatch.setattr("lobby.layers.SWEEP", 0.0)
    layer.expiry = -1
    await layer.send("gone", {"type": "a"})
    layer.expiry = 60
    await layer.send("read", {"type": "b"})
    await layer.receive("read")
    assert layer.channels == {}
