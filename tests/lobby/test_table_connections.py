"""Connections that are lost, come back or are doubled; workers that die (protocol 1, 3)."""

import asyncio
import logging

import pytest

from games.messages import CloseCode
from lobby.records import TableLost
from tests.lobby.test_table_match import start
from tests.lobby.virtual_time import VirtualTimeLoop

LOOP = VirtualTimeLoop


async def test_a_seat_is_kept_for_20_seconds_then_an_agent_sits_in(open_table):
    """Protocol 1."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    await ben.lose()
    assert anna.contexts("player_disconnected") == [{"player_index": 1}]
    await table.wait(19.9)
    assert anna.contexts("player_left") == []
    await table.wait(0.2)
    assert anna.contexts("player_left") == [{"player_index": 1, "player_name": "CountingAgent_2", "host_index": 0}]


async def test_who_comes_back_in_time_goes_on_where_it_was(open_table):
    """Protocol 1, 4: a request is not repeated."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    request = anna.request
    await anna.lose()
    await table.wait(10)
    again = await anna.come_back()
    await table.wait(30)
    assert again.welcome["pending_action"] == "play"
    assert again.welcome["pending_request"]["request_id"] == request["request_id"]
    assert [frame for frame in again.frames if frame["type"] == "request"] == []
    assert ben.contexts("player_reconnected") == [{"player_index": 0}]
    assert ben.contexts("player_joined")[-1] == {"player_index": 0, "player_name": "Anna"}
    assert ben.contexts("player_left") == []


async def test_who_comes_back_late_takes_the_seat_again_unless_somebody_has_it(open_table):
    """Protocol 1: 200."""
    table = open_table()
    _, ben = await start(table, "Anna", "Ben")
    await ben.lose()
    await table.wait(21)
    again = await ben.come_back()
    assert again.seat == 1
    await again.lose()
    await table.wait(21)
    cleo = await table.join("Cleo")
    late = await ben.come_back()
    assert cleo.seat == 1
    assert (late.errors, late.closed) == ([200], CloseCode.REFUSED)


async def test_a_swap_moves_the_seats_of_those_who_are_away_too(open_table):
    """Protocol 1, 5: and two of one name there cannot be, 204."""
    table = open_table()
    anna, ben = await table.join("Anna"), await table.join("Ben")
    await ben.lose()
    await table.wait(21)
    await anna.say("swap_players", {"player_index_1": 1, "player_index_2": 2})
    namesake = await table.join("Ben")
    assert namesake.seat == 1
    assert (await ben.come_back()).errors == [204]
    await namesake.say("leave")
    assert (await ben.come_back()).seat == 2


async def test_while_a_seat_is_kept_it_and_its_name_are_taken(open_table):
    """Protocol 1."""
    table = open_table()
    _, ben, _ = [await table.join(name) for name in ("Anna", "Ben", "Cleo")]
    await ben.lose()
    assert (await table.join("Dora")).errors == [203]
    assert (await table.join("Ben")).errors == [204]


async def test_while_nobody_is_connected_the_table_stands_still(open_table):
    """Protocol 1."""
    table = open_table()
    anna = await start(table, "Anna")
    await anna.answer({"number": 1})
    await anna.lose()
    number = table.table.number
    await table.wait(1000)
    assert table.table.number == number
    again = await anna.come_back()
    await table.wait(3)
    assert len(again.contexts("player_played")) == 2


async def test_who_is_given_up_at_the_moment_the_last_one_is_lost_is_waited_for_once_more(open_table):
    """Protocol 1."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    await ben.lose()
    gone = {"type": "gone", "channel": anna.channel}
    asyncio.get_running_loop().call_later(20 - 1e-10, table.inbox.put_nowait, gone)  # just before Ben is given up
    await table.wait(100)
    again = await anna.come_back()
    await table.wait(19)
    assert again.contexts("player_left") == []
    await table.wait(2)
    assert [left["player_index"] for left in again.contexts("player_left")] == [1]


async def test_who_is_still_away_when_the_first_one_is_back_has_20_seconds_more(open_table):
    """Protocol 1."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    await anna.lose()
    await ben.lose()
    await table.wait(1000)
    again = await anna.come_back()
    assert again.welcome["connected"] == [True, False, True]
    await table.wait(19)
    assert again.contexts("player_left") == []
    await table.wait(2)
    assert len(again.contexts("player_left")) == 1


async def test_the_clock_of_a_decision_stands_still_too(open_table):
    """Protocol 1, 6."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben", turn_limit_s=30)
    await ben.lose()
    await anna.lose()
    used = table.now - anna.time_of(kind="request")
    await table.wait(1000)
    again = await anna.come_back()
    assert again.welcome["pending_request"]["remaining_ms"] == pytest.approx(30_000 - 1000 * used, abs=1)


async def test_a_table_that_nobody_came_back_to_is_closed(open_table):
    """Protocol 1: the worker says when."""
    table = open_table()
    anna = await table.join("Anna")
    await table.put({"type": "shut", "reason": "idle"})
    assert not table.running.done()
    await anna.lose()
    await table.put({"type": "shut", "reason": "idle"})
    assert table.running.done()
    assert table.store.changes[-1].closes


async def test_an_admin_closes_a_table(open_table):
    """Protocol 1: 1001; 4: table_closing."""
    table = open_table()
    anna = await table.join("Anna")
    await table.put({"type": "shut", "reason": "closed"})
    assert anna.contexts("table_closing") == [{"reason": "closed"}]
    assert anna.closed == CloseCode.LEFT


async def test_of_two_tabs_the_newer_one_plays_on(open_table):
    """Protocol 1: 205, 1000."""
    table = open_table()
    anna = await start(table, "Anna")
    newer = await anna.come_back()
    assert anna.frames[-1]["payload"]["context"] == {"table_name": "Table", "player_index": 0}
    assert (anna.errors, anna.closed) == ([205], CloseCode.TAKEN_OVER)
    await anna.lose()  # the socket of the older one goes, which is of no interest
    played, *_ = await newer.say("response", {"action": "play", "response_data": {"number": 1}})
    assert played["payload"]["event"] == "player_played"


# --- what somebody has missed -----------------------------------------------------------------------------------------


async def test_who_has_missed_something_gets_it(open_table):
    """Protocol 3: sync."""
    anna = await start(open_table(), "Anna")
    await anna.answer({"number": 1})
    last = anna.numbers[-1]
    seen = [frame for frame in anna.frames if frame["payload"].get("number", 0) > last - 2]
    assert await anna.say("sync", {"since": last - 2}) == seen
    assert await anna.say("sync", {"since": last}) == []


@pytest.mark.parametrize("since", [0, 10_000])
async def test_who_has_missed_too_much_gets_everything(open_table, since):
    """Protocol 3: sync."""
    table = open_table()
    anna = await start(table, "Anna")
    [everything] = await anna.say("sync", {"since": since})
    assert everything["payload"]["event"] == "player_joined"
    assert everything["payload"]["context"]["pending_action"] == "play"
    assert everything["payload"]["context"]["number"] == table.table.number


async def test_nobody_gets_what_the_seat_was_told_before(open_table):
    """Protocol 7."""
    table = open_table()
    await start(table, "Anna")
    ben = await table.join("Ben")
    [everything] = await ben.say("sync", {"since": ben.welcome["number"] - 1})
    assert everything["payload"]["event"] == "player_joined"


async def test_what_a_snapshot_covers_is_not_shown_again(open_table):
    """Protocol 6: the table may be ahead of what it shows."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    await table.wait(1)
    await anna.answer({"number": 1})
    await ben.answer({"number": 2})
    await ben.lose()
    again = await ben.come_back()
    assert again.welcome["public_state"]["counted"] == 2
    await table.wait(0.6)
    assert again.contexts("player_played") == []
    assert anna.contexts("player_played")[-1] == {"player_index": 1, "number": 2}


# --- workers ----------------------------------------------------------------------------------------------------------


async def test_after_a_crash_everything_confirmed_is_there(open_table):
    """Protocol 1, 3."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    ack, *_ = await anna.answer({"number": 1}, id="a")
    number = table.table.number
    await table.die()
    again = await ben.come_back()
    assert again.welcome["public_state"]["player_names"] == ["Anna", "Ben", "CountingAgent_3"]
    assert again.welcome["public_state"]["counted"] == 1
    assert again.welcome["pending_action"] == "play"
    assert again.welcome["number"] == number + 2  # joined, reconnected
    anna = await anna.come_back()
    assert await anna.say("response", {"action": "play"}, id="a") == [ack]


async def test_a_lobby_survives_a_crash(open_table):
    table = open_table()
    anna, ben = await table.join("Anna"), await table.join("Ben")
    strengths = ["CountingAgent", "CountingAgent", "ShoutingAgent"]
    await anna.say("options", {"turn_limit_s": 30, "target": 17, "strengths": strengths})
    await anna.say("swap_players", {"player_index_1": 1, "player_index_2": 2})
    await table.die()
    again = await ben.come_back()
    assert again.welcome["public_state"]["player_names"] == ["Anna", "ShoutingAgent_2", "Ben"]
    assert again.welcome["public_state"]["host_index"] == 0
    assert again.welcome["options"]["turn_limit_s"] == 30
    assert again.welcome["options"]["target"] == 17


async def test_after_a_restart_everyone_gets_20_seconds_more(open_table):
    """Protocol 6."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben", turn_limit_s=30)
    await table.die()
    again = await anna.come_back()
    assert again.welcome["pending_request"]["remaining_ms"] == 50_000
    await table.wait(19)
    assert again.contexts("player_left") == []
    await table.wait(2)
    assert [left["player_index"] for left in again.contexts("player_left")] == [1]
    assert ben.closed is None


async def test_a_worker_that_stops_sends_its_clients_to_the_next_one(open_table):
    """Protocol 1: 4012."""
    table = open_table()
    anna = await table.join("Anna")
    await table.put({"type": "stop"})
    assert anna.closed == CloseCode.RESTART


async def test_a_worker_that_has_lost_the_table_sends_its_clients_to_the_next_one(open_table):
    """Protocol 1: 4012."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    table.store.failure = TableLost()
    await anna.answer({"number": 1})
    assert anna.closed == ben.closed == CloseCode.RESTART
    assert isinstance(table.running.exception(), TableLost)


async def test_a_socket_that_the_worker_does_not_know_shall_come_again(open_table):
    """Protocol 1: 4012."""
    table = open_table()
    anna = await table.join("Anna")
    await table.die()
    table.people[anna.channel] = anna
    await anna.say("ping")
    assert anna.closed == CloseCode.RESTART


# --- faults -----------------------------------------------------------------------------------------------------------


async def test_what_the_database_refuses_has_not_happened(open_table, caplog):
    """Protocol 4: 100."""
    table = open_table()
    anna = await start(table, "Anna")
    table.store.failure = OSError("disk full")
    error, request = await anna.answer({"number": 1}, id="a")
    assert error["payload"]["code"] == 100
    assert error["payload"]["context"] == {"exception": "OSError"}
    assert request == {"type": "request", "payload": anna.request}
    ack, played, *_ = await anna.answer({"number": 1}, id="a")
    assert ack["payload"]["id"] == "a"
    assert played["payload"]["context"]["number"] == 1
    assert "disk full" in caplog.text


async def test_what_the_table_itself_could_not_do_it_tries_again(open_table, caplog):
    table = open_table()
    anna = await table.join("Anna")
    await anna.say("options", {"target": 1})
    await anna.say("start_game")
    await anna.answer({"bid": 1})
    await table.wait(2)
    await anna.answer({"number": 1})
    table.store.failure = OSError("disk full")
    await table.wait(3)
    assert anna.contexts("game_over") == [{"winner": 0}]
    assert "disk full" in caplog.text


async def test_that_somebody_was_lost_is_told_as_soon_as_it_can_be(open_table, caplog):
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    table.store.failure = OSError("disk full")
    await ben.lose()
    await table.wait(2)
    assert anna.contexts("player_disconnected") == [{"player_index": 1}]
    assert "disk full" in caplog.text


async def test_the_older_tab_plays_on_where_the_newer_one_cannot(open_table, caplog):
    table = open_table()
    anna = await start(table, "Anna")
    table.store.failure = OSError("disk full")
    newer = await anna.come_back()
    assert (newer.errors, newer.closed) == ([100], CloseCode.BUSY)
    played, *_ = await anna.answer({"number": 1})
    assert played["payload"]["event"] == "player_played"
    assert "disk full" in caplog.text


async def test_a_fault_in_the_game_harms_neither_table_nor_others(open_table, monkeypatch, caplog):
    """Nothing that a client sends ever stops a table."""
    caplog.set_level(logging.CRITICAL)
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    with monkeypatch.context() as patch:
        patch.setattr(table.game, "parse", None)
        await anna.answer({"number": 1})
    assert anna.errors == [100]
    await anna.answer({"number": 1})
    assert ben.contexts("player_played") == [{"player_index": 0, "number": 1}]
