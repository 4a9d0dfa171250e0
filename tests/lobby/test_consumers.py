"""The web's end of a socket, without an engine behind it."""

import json
from hashlib import sha256

import pytest
import pytest_asyncio
from channels.exceptions import ChannelFull
from channels.layers import get_channel_layer
from channels.testing import WebsocketCommunicator
from django.db.models.functions import Now

from lobby.consumers import TableConsumer
from lobby.leases import engine_channel, shard_of
from lobby.limits import Buckets
from lobby.models import LobbyTable, Session
from lobby.seating import Place

pytestmark = pytest.mark.django_db(transaction=True)

SHARD = engine_channel(shard_of("blue"))


@pytest_asyncio.fixture(autouse=True)
async def _empty_layer():
    """Nothing is left of the test before."""
    await get_channel_layer().flush()


async def connected():
    """:result: a socket, and what the engine is asked."""
    query = "player_name=Anna&table_name=Blue&protocol=2&lang=en"
    socket = WebsocketCommunicator(TableConsumer.as_asgi(), f"/ws?{query}")
    assert (await socket.connect())[0]
    return socket, await get_channel_layer().receive(SHARD)


async def test_it_asks_the_engine_to_let_somebody_in_and_forwards_what_it_hears():
    socket, join = await connected()
    layer = get_channel_layer()
    channel = join.pop("channel")
    assert join == {
        "type": "join",
        "table": "blue",
        "table_name": "Blue",
        "name": "Anna",
        "game": "tichu",
        "protocol": 2,
        "language": "en",
    }
    await socket.send_to(text_data="whatever")
    assert await layer.receive(SHARD) == {"type": "frame", "table": "blue", "channel": channel, "text": "whatever"}
    await socket.disconnect()
    assert await layer.receive(SHARD) == {"type": "gone", "table": "blue", "channel": channel}


async def test_it_does_what_the_engine_says_until_the_socket_is_closed():
    socket, join = await connected()
    layer, channel = get_channel_layer(), join["channel"]
    await layer.send(channel, {"type": "client.send", "text": "hello"})
    assert await socket.receive_from() == "hello"
    await layer.send(channel, {"type": "client.close", "code": 1001})
    assert (await socket.receive_output())["code"] == 1001
    await layer.send(channel, {"type": "client.send", "text": "too late"})
    assert await socket.receive_nothing()
    await socket.disconnect()


async def test_without_an_engine_the_server_is_busy(monkeypatch):
    """Protocol 1: 105, 4013."""
    monkeypatch.setattr("lobby.consumers.ENGINE_PATIENCE", 0.05)
    socket, _ = await connected()
    error = json.loads(await socket.receive_from())["payload"]
    assert error["code"] == 105
    assert (await socket.receive_output())["code"] == 4013
    await socket.disconnect()


async def test_a_message_that_the_engine_cannot_take_is_refused(monkeypatch):
    """Protocol 4: 105, with the id of the message."""
    socket, _ = await connected()

    async def send(channel, message):
        raise ChannelFull

    monkeypatch.setattr(get_channel_layer(), "send", send)
    await socket.send_to(text_data='{"type": "ping", "id": "a"}')
    error = json.loads(await socket.receive_from())["payload"]
    assert (error["code"], error["id"]) == (105, "a")
    await socket.disconnect()


async def test_when_another_worker_has_the_table_the_client_shall_come_again():
    """Protocol 1: 106, 4012."""
    socket, _ = await connected()
    await get_channel_layer().group_send(SHARD, {"type": "engine.moved"})
    assert json.loads(await socket.receive_from())["payload"]["code"] == 106
    assert (await socket.receive_output())["code"] == 4012
    await socket.disconnect()


@pytest.mark.parametrize(("place", "closed"), [(Place.OVER, None), (Place.SEATED, Now())])
async def test_coming_back_to_what_is_over_counts_as_a_new_connection(monkeypatch, place, closed):
    """Protocol 1, 8: 200, then 105; the engine is not asked."""
    monkeypatch.setattr("lobby.consumers.connections", Buckets(1))
    table = await LobbyTable.objects.acreate(key="blue", name="Blue", game="tichu", closed=closed)
    digest = sha256(b"secret").hexdigest()
    await Session.objects.acreate(digest=digest, table=table, name="Anna", seat=0, place=place)
    codes = []
    for _ in range(2):
        socket = WebsocketCommunicator(TableConsumer.as_asgi(), "/ws?session_id=secret")
        await socket.connect()
        codes.append(json.loads(await socket.receive_from())["payload"]["code"])
        await socket.disconnect()
    assert codes == [200, 105]
