"""Tables in the database. ``test_postgresql.py`` runs these tests on the other database too."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
import pytest_asyncio

from games import registry
from games.engine import GameEngine
from games.models import Match, MatchEvent, MatchSeat
from lobby.leases import shard_of
from lobby.models import Command, EngineLease, LobbyTable, Session
from lobby.records import Change, NewMatch, SessionRecord, TableLost
from lobby.seating import Place
from lobby.store import DatabaseStore

pytestmark = pytest.mark.django_db(transaction=True)

GAME = registry.get("tichu")
OPTIONS = GAME.options()
KINDS = ["RuleAgent"] * 4
SITTERS = [("Anna", ""), *[(f"RuleAgent_{seat + 1}", "RuleAgent") for seat in range(1, 4)]]


@pytest_asyncio.fixture
async def store():
    store = DatabaseStore()
    yield store
    await store.close()


@pytest.fixture
def anna():
    return SessionRecord("d" * 64, "Anna", 0)


async def opened(store, *sessions):
    record = await store.open("key", "Table", "tichu", OPTIONS, KINDS)
    await store.save(Change(record.pk, before=0, number=1, sessions=sessions, columns={"host": 0}))
    return record.pk


async def started(store, table):
    """:result: the match and its engine after the deal."""
    start = NewMatch("Table", GAME, OPTIONS, SITTERS)
    match = await store.save(Change(table, before=1, number=1, start=start))
    engine = GameEngine(GAME, OPTIONS)
    step = engine.proceed(Random(1))
    await store.save(Change(table, before=1, number=9, match=match, step=step))
    engine.commit(step)
    return match, engine


async def test_a_table_comes_back_as_it_was(store, anna):
    table = await opened(store, anna)
    columns = {"options": {"rules": "pocket"}, "turn_limit_s": 30, "strengths": ["RandomAgent"] * 4}
    await store.save(Change(table, before=1, number=2, columns=columns))
    record = await store.load("key")
    assert (record.name, record.game, record.host, record.number) == ("Table", "tichu", 0, 2)
    assert (record.options, record.turn_limit_s, record.strengths) == tuple(columns.values())
    assert record.sessions == [anna]
    assert record.engine is None


async def test_a_match_comes_back_by_replay(store, anna):
    table = await opened(store, anna)
    match, engine = await started(store, table)
    step = engine.prepare(0, {"action": "announce_grand_tichu", "announced": True})
    await store.save(Change(table, before=9, number=10, command=(anna.pk, "a"), match=match, step=step))
    record = await store.load("key")
    assert record.match == match
    assert record.number == 10
    assert record.engine.number == 2
    assert GAME.observe(record.engine.state, 0) == GAME.observe(step.state, 0)
    assert record.engine.requests == step.requests
    assert record.commands == {(anna.pk, "a"): 10}


async def test_a_table_that_nobody_opened_is_not_there(store):
    assert await store.load("key") is None


async def test_of_two_workers_only_one_can_go_on(store, anna):
    table = await opened(store, anna)
    with pytest.raises(TableLost):
        await store.save(Change(table, before=0, number=1, sessions=[replace(anna, pk=None, digest="e" * 64)]))
    assert [session.name for session in (await store.load("key")).sessions] == ["Anna"]


async def test_a_message_is_executed_once(store, anna):
    table = await opened(store, anna)
    await store.save(Change(table, before=1, number=1, command=(anna.pk, "a")))
    with pytest.raises(TableLost):
        await store.save(Change(table, before=1, number=2, command=(anna.pk, "a")))
    assert (await store.load("key")).number == 1


async def test_an_action_is_appended_once(store, anna):
    """Two workers have the same match in memory and the table's number does not rise (a declined grand Tichu)."""
    table = await opened(store, anna)
    match, engine = await started(store, table)
    steps = [engine.prepare(seat, {"action": "announce_grand_tichu", "announced": False}) for seat in (0, 1)]
    await store.save(Change(table, before=9, number=9, match=match, step=steps[0]))
    with pytest.raises(TableLost):
        await store.save(Change(table, before=9, number=9, match=match, step=steps[1]))


async def test_a_closed_table_ends_its_match_and_its_sessions(store, anna):
    table = await opened(store, anna)
    match, _ = await started(store, table)
    await store.save(Change(table, before=9, number=10, match=match, closes=True))
    assert await store.load("key") is None
    places, outcome = await store.run(
        lambda: ([each.place for each in Session.objects.all()], Match.objects.get(pk=match).outcome)
    )
    assert places == [Place.OVER]
    assert outcome == Match.Outcome.ABANDONED


async def test_a_name_can_be_used_again_after_a_table_was_closed(store, anna):
    table = await opened(store, anna)
    await store.save(Change(table, before=1, number=2, closes=True))
    await store.open("key", "Table", "tichu", OPTIONS, KINDS)
    assert await store.run(LobbyTable.objects.count) == 2


async def test_who_sits_where_in_a_match_is_kept(store, anna):
    table = await opened(store, anna)
    match, _ = await started(store, table)
    seats = {0: ("RuleAgent_1", "RuleAgent"), 2: ("Ben", "")}
    await store.save(Change(table, before=9, number=10, match=match, seats=seats))
    rows = await store.run(lambda: list(MatchSeat.objects.order_by("seat").values_list("name", "agent")))
    assert rows == [("RuleAgent_1", "RuleAgent"), SITTERS[1], ("Ben", ""), SITTERS[3]]


async def test_an_idle_table_says_since_when(store, anna):
    table = await opened(store, anna)
    await store.save(Change(table, before=1, number=2, columns={"idle": True}))
    assert (await store.run(LobbyTable.objects.get)).idle_since
    await store.save(Change(table, before=2, number=3, columns={"idle": False}))
    assert (await store.run(LobbyTable.objects.get)).idle_since is None


async def test_what_fails_has_not_happened(store, anna):
    table = await opened(store, anna)
    broken = replace(anna, seat="everywhere")
    with pytest.raises(ValueError, match="everywhere"):
        await store.save(Change(table, before=1, number=2, command=(anna.pk, "a"), sessions=[broken]))
    record = await store.load("key")
    assert record.number == 1
    assert await store.run(Command.objects.count) == 0


def die():
    """The worker dies seven seconds after the last action; another one has its shard. :result: when it acted."""
    acted = MatchEvent.objects.get().created
    lost = acted + timedelta(seconds=7)
    EngineLease.objects.create(shard=shard_of("key"), owner="next", renewed=lost, lost=lost, expires=lost)
    return acted


async def test_the_clocks_stood_still_from_the_last_sign_of_life_on(store, anna):
    """Protocol 6: how long the open requests had been open when the worker died."""
    table = await opened(store, anna)
    await started(store, table)
    await store.run(die)
    assert (await store.load("key")).asked_for == pytest.approx(7)


async def test_or_from_when_nobody_was_connected_any_more(store, anna):
    """Protocol 1, 6."""
    table = await opened(store, anna)
    await started(store, table)
    acted = await store.run(die)
    await store.run(LobbyTable.objects.update, idle_since=acted + timedelta(seconds=3))
    assert (await store.load("key")).asked_for == pytest.approx(3)
