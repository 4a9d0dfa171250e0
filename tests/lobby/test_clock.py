"""Time at a table stands still while nobody is connected (protocol 1, 6)."""

import asyncio

import pytest

from games.game import Event
from lobby.clock import Clock, Deadlines
from lobby.outbox import Outbox
from tests.lobby.virtual_time import VirtualTimeLoop

LOOP = VirtualTimeLoop


@pytest.fixture
def clock():
    return Clock()


async def test_it_counts_only_while_it_runs(clock):
    await asyncio.sleep(5)
    clock.start()
    await asyncio.sleep(3)
    clock.stop()
    await asyncio.sleep(5)
    clock.start()
    await asyncio.sleep(1)
    assert clock.now() == 4


async def test_an_alarm_waits_until_the_clock_runs(clock):
    rung = []
    clock.at(2, lambda: rung.append(asyncio.get_running_loop().time()))
    await asyncio.sleep(5)
    clock.start()
    await asyncio.sleep(1)
    clock.stop()
    await asyncio.sleep(5)
    clock.start()
    await asyncio.sleep(5)
    assert rung == [12]


async def test_a_cancelled_alarm_does_not_ring(clock):
    rung = []
    clock.start()
    clock.at(1, lambda: rung.append(1)).cancel()
    alarm = clock.at(1, lambda: rung.append(2))
    clock.stop()
    alarm.cancel()
    clock.start()
    await asyncio.sleep(5)
    assert rung == []


async def test_a_time_can_be_waited_for(clock):
    clock.start()
    await clock.reach(7)
    assert clock.now() == 7


async def test_a_deadline_runs_from_the_first_time_that_a_request_is_shown(clock):
    missed = []
    deadlines = Deadlines(clock, lambda seat, request: missed.append((seat, request, clock.now())))
    clock.start()
    deadlines.start(1, "a", 10)
    await asyncio.sleep(4)
    deadlines.start(1, "a", 10)
    assert deadlines.remaining_ms(1) == 6000
    deadlines.start(2, "b", 10)
    deadlines.stop(2)
    await asyncio.sleep(20)
    assert missed == [(1, "a", 10)]
    assert deadlines.remaining_ms(2) is None


async def show(outbox, clock, seconds):
    """:result: the names of the events and when each was shown."""
    shown = []
    while clock.now() < seconds:
        shown += [(event.name, round(clock.now(), 2)) for item in outbox.take() for _, event in item.events]
        await asyncio.sleep(0.05)
    return shown


async def test_a_move_is_shown_half_a_second_after_its_turn_and_nothing_overtakes_it(clock):
    """Protocol 6."""
    outbox = Outbox(clock, pace=1)
    clock.start()
    for name in ("player_turn_changed", "player_passed", "player_announced", "player_turn_changed", "player_played"):
        outbox.put([(1, Event(name))], {}, None)
    assert await show(outbox, clock, 2) == [
        ("player_turn_changed", 0),
        ("player_passed", 0.5),
        ("player_announced", 0.5),
        ("player_turn_changed", 0.5),
        ("player_played", 1.0),
    ]


async def test_without_pace_everything_is_shown_at_once(clock):
    """Protocol 6."""
    outbox = Outbox(clock, pace=0)
    clock.start()
    for _ in range(3):
        outbox.put([(1, Event("player_played")), (2, Event("player_turn_changed"))], {}, None)
    assert len(list(outbox.take())) == 3
    assert outbox.next_due is None


async def test_what_is_not_due_yet_can_be_shown_all_the_same(clock):
    outbox = Outbox(clock, pace=1)
    outbox.put([(1, Event("player_turn_changed"))], {}, None)
    outbox.put([(2, Event("player_played"))], {}, None)
    assert outbox.next_due == 0
    assert [item.sequence for item in outbox.take(everything=True)] == [1, 2]
