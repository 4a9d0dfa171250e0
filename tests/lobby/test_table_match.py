"""Answers, requests and time at a table (protocol 3, 4, 6), with a small game: bid together, then count in turn."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from lobby.thinking import PATIENCE
from tests.lobby.counting_game import ShoutingAgent
from tests.lobby.virtual_time import AtOnce, VirtualTimeLoop

LOOP = VirtualTimeLoop


class Noting(AtOnce):
    """Notes what it is asked to do."""

    def __init__(self):
        self.asked = []

    def submit(self, function, /, *arguments, **options):
        self.asked.append(function)
        return super().submit(function, *arguments, **options)


async def start(table, *names, **options):
    """People who have bid, in a match that waits for the first of them to count."""
    people = [await table.join(name) for name in names]
    await people[0].say("options", {"target": 1000, **options})
    await people[0].say("start_game")
    for person in people:
        await person.answer({"bid": 1})
    await table.wait(2)
    return people if len(people) > 1 else people[0]


# --- ids and requests -------------------------------------------------------------------------------------------------


async def test_the_confirmation_comes_before_what_it_causes(open_table):
    """Protocol 3."""
    anna = await start(open_table(), "Anna")
    ack, played, *_ = await anna.answer({"number": 1}, id="a")
    number = played["payload"]["number"]
    assert ack == {"type": "ack", "payload": {"id": "a", "number": number + 1}}
    assert played["payload"]["event"] == "player_played"


async def test_a_repeated_id_is_confirmed_again_and_done_once(open_table):
    """Protocol 3."""
    table = open_table()
    anna = await start(table, "Anna")
    ack, *_ = await anna.answer({"number": 1}, id="a")
    before = table.table.number
    assert await anna.answer({"number": 1}, id="a") == [ack]
    assert table.table.number == before


async def test_a_refused_id_may_be_used_again(open_table):
    """Protocol 3."""
    anna = await start(open_table(), "Anna")
    refused, *_ = await anna.answer({"number": 5}, id="a")
    assert refused["payload"]["id"] == "a"
    ack, *_ = await anna.answer({"number": 1}, id="a")
    assert ack["type"] == "ack"


async def test_a_refused_answer_is_asked_for_again(open_table):
    """Protocol 3: with the same request id."""
    anna = await start(open_table(), "Anna")
    asked = anna.request
    for answer, code in (({"number": 7}, 303), ({"number": "one"}, 101)):
        error, request = await anna.answer(answer)
        assert error["payload"]["code"] == code
        assert request == {"type": "request", "payload": asked}
    for response_data in ([], "none"):
        error, request = await anna.say("response", {"action": "play", "response_data": response_data})
        assert error["payload"]["code"] == 101
        assert request == {"type": "request", "payload": asked}


async def test_an_answer_without_request_id_answers_the_open_request(open_table):
    """Protocol 3: version 1 has no ids."""
    anna = await start(open_table(), "Anna")
    played, *_ = await anna.say("response", {"action": "play", "response_data": {"number": 1}})
    assert played["payload"]["event"] == "player_played"


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"action": "play"}, 304),
        ({"action": "bid"}, 301),
        ({"action": "nothing"}, 301),
        ({"action": "play", "request_id": "unheard of"}, 301),
    ],
)
async def test_who_is_not_asked_cannot_answer(open_table, payload, code):
    """Protocol 3: 304 for a play while another seat is to move, otherwise 301."""
    _, ben = await start(open_table(), "Anna", "Ben")
    [error] = await ben.say("response", {"response_data": {"number": 1, "bid": 1}, **payload})
    assert error["payload"]["code"] == code


async def test_an_answer_to_a_request_that_is_no_more_is_told_so(open_table):
    """Protocol 3: 310."""
    anna, ben = await start(open_table(), "Anna", "Ben")
    await ben.say("bomb", {"cards": []})
    [error] = await anna.answer({"number": 1}, id="late")
    assert error["payload"]["code"] == 310
    assert error["payload"]["id"] == "late"


async def test_a_shout_withdraws_the_open_request_without_a_word(open_table):
    """Protocol 3."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    before = len(anna.frames)
    await ben.say("bomb", {"cards": []})
    events = [frame["payload"].get("event") for frame in anna.frames[before:]]
    assert events == ["player_played", "player_turn_changed"]


async def test_before_the_start_nothing_can_be_done(open_table):
    anna = await open_table().join("Anna")
    await anna.say("bomb", {"cards": []})
    await anna.say("response", {"action": "play", "response_data": {"number": 1}})
    assert anna.errors == [305, 304]


# --- the shortest turn ------------------------------------------------------------------------------------------------


async def test_an_early_answer_is_confirmed_at_once_and_shown_half_a_second_after_the_turn_began(open_table):
    """Protocol 6."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    await table.wait(1)
    await anna.answer({"number": 1})
    turn = ben.time_of(event="player_turn_changed")
    await table.wait(0.1)
    frames = await ben.answer({"number": 2}, id="early")
    assert [frame["type"] for frame in frames] == ["ack"]
    await table.wait(1)
    assert anna.time_of(event="player_played") == ben.time_of(event="player_played") == pytest.approx(turn + 0.5)


async def test_nobody_can_answer_before_having_seen_the_turn_before(open_table):
    """Protocol 6, 7: what is accepted early is nobody's business yet."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    await anna.answer({"number": 1})
    await table.wait(1)
    await ben.answer({"number": 2})
    while len(anna.contexts("player_played")) < 3:  # the agent
        await table.wait(0.01)
    await anna.answer({"number": 4})
    assert len(ben.contexts("player_played")) == 3
    [error] = await ben.say("response", {"action": "play", "response_data": {"number": 5}})
    assert error["payload"]["code"] == 304


async def test_the_numbers_rise_by_one_and_are_the_same_for_all(open_table):
    """Protocol 4."""
    table = open_table(pace=0.1)
    anna, ben = await start(table, "Anna", "Ben")
    for number in range(1, 8, 3):
        await anna.answer({"number": number})
        await ben.answer({"number": number + 1})
        await table.wait(1)
    assert anna.numbers == list(range(2, table.table.number + 1))
    assert ben.numbers == anna.numbers[-len(ben.numbers) :]


# --- agents and the table itself --------------------------------------------------------------------------------------


async def test_agents_take_half_a_second_to_one_and_a_half(open_table):
    """Protocol 6."""
    table = open_table()
    anna = await start(table, "Anna")
    await anna.answer({"number": 1})
    began = anna.time_of(event="player_turn_changed")
    pauses = []
    for _ in range(2):
        while len(anna.contexts("player_played")) < len(pauses) + 2:
            await table.wait(0.01)
        pauses.append(anna.time_of(event="player_played") - began)
        began = anna.time_of(event="player_turn_changed")
    assert all(0.49 < pause < 1.52 for pause in pauses)


async def test_the_pause_at_the_end_takes_a_second_and_a_shout_in_it_counts(open_table):
    """Protocol 6."""
    table = open_table()
    anna = await table.join("Anna")
    await anna.say("options", {"target": 1})
    await anna.say("start_game")
    await anna.answer({"bid": 1})
    await table.wait(2)
    await anna.answer({"number": 1})
    await table.wait(0.9)
    assert anna.contexts("game_over") == []
    assert table.table.is_running
    await anna.say("bomb", {"cards": []})
    await table.wait(5)
    assert anna.contexts("player_turn_changed")[1] == {"current_turn_index": 1}


async def test_after_the_end_the_table_is_a_lobby_again_with_the_same_people(open_table):
    """Protocol 4: game_over."""
    table = open_table()
    anna = await table.join("Anna")
    await anna.say("options", {"target": 1})
    for match in (1, 2):
        await anna.say("start_game")
        await table.wait(2)
        await anna.answer({"bid": 1})
        await table.wait(2)
        await anna.answer({"number": 1})
        await table.wait(1.1)
        assert anna.contexts("game_over") == [{"winner": 0}] * match
    assert anna.errors == []
    assert (await table.join("Ben")).welcome["public_state"]["is_running"] is False


@pytest.mark.parametrize("kind", ["CrashingAgent", "CheatingAgent", "BrokenAgent"])
async def test_an_agent_that_fails_is_replaced_for_that_decision(open_table, kind, caplog):
    """A table never stops for an agent."""
    table = open_table()
    anna = await start(table, "Anna", strengths=["CountingAgent", kind, "CountingAgent"])
    await anna.answer({"number": 1})
    await table.wait(4)
    assert [played["number"] for played in anna.contexts("player_played")] == [1, 2, 3]
    assert f"{kind}_2 has no legal answer to play" in caplog.text


async def test_agents_are_made_in_the_executor(open_table):
    """They may have files to read, and nobody else shall wait for that."""
    executor = Noting()
    await start(open_table(executor=executor), "Anna", strengths=["CountingAgent", "ShoutingAgent", "CountingAgent"])
    assert executor.asked.count(ShoutingAgent) == 1


async def test_an_agent_that_is_gone_after_a_restart_makes_way_for_the_default_one(open_table, monkeypatch):
    """For example with the file of weights that it needs; the match goes on."""
    table = open_table()
    anna = await start(table, "Anna", strengths=["CountingAgent", "BoastingAgent", "CountingAgent"])
    await table.die()
    monkeypatch.delitem(table.game.agents, "BoastingAgent")
    again = await anna.come_back()
    assert again.welcome["public_state"]["player_names"][1] == "CountingAgent_2"
    await again.say("response", {"action": "play", "response_data": {"number": 1}})
    await table.wait(2)
    assert [played["player_index"] for played in again.contexts("player_played")][:2] == [0, 1]


async def test_an_agent_shouts_within_the_second(open_table):
    table = open_table()
    anna = await start(table, "Anna", strengths=["CountingAgent", "CountingAgent", "ShoutingAgent"])
    await table.wait(1)
    shouted = [played for played in anna.contexts("player_played") if played["player_index"] == 2]
    assert shouted == [{"player_index": 2, "number": 0}]


async def test_words_do_not_keep_an_agent_from_shouting(open_table):
    table = open_table(chats_per_second=0)
    anna = await table.join("Anna")
    await anna.say("options", {"strengths": ["CountingAgent", "CountingAgent", "ShoutingAgent"]})
    await anna.say("start_game")
    await anna.answer({"bid": 1})
    for word in range(25):
        await anna.say("chat", {"text": "still there?"}, id=str(word))
        await table.wait(0.1)
    assert anna.contexts("player_played") == [{"player_index": 2, "number": 0}]


async def test_an_agent_shouts_though_somebody_else_was_faster(open_table):
    table = open_table()
    anna = await start(table, "Anna", strengths=["CountingAgent", "BoastingAgent", "CountingAgent"])
    await anna.answer({"number": 1})
    await table.wait(0.1)
    await anna.say("bomb", {"cards": []})
    await table.wait(1)
    played = [(context["player_index"], context["number"]) for context in anna.contexts("player_played")]
    assert played[:3] == [(0, 1), (0, 1), (1, 1)]


async def test_hidden_things_are_told_to_their_owner_alone(open_table):
    """Protocol 7."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    secrets = [person.contexts("dealt")[0]["secret"] for person in (anna, ben)]
    assert secrets == list(table.table.engine.state.now.secrets[:2])
    cleo = await table.join("Cleo")
    assert cleo.welcome["private_state"] == {"player_index": 2, "secret": table.table.engine.state.now.secrets[2]}


# --- time limits ------------------------------------------------------------------------------------------------------


async def test_when_the_time_is_over_an_agent_makes_this_one_decision(open_table):
    """Protocol 6: 309."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben", turn_limit_s=20)
    assert anna.request["remaining_ms"] == 20_000
    assert ben.contexts("deadline")[-1] == {"player_index": 0, "remaining_ms": 20_000}
    await table.wait(21)
    [error] = [frame["payload"] for frame in anna.frames if frame["type"] == "error"]
    assert (error["code"], error["context"]) == (309, {"timeout": 20, "action": "play"})
    assert ben.contexts("player_played") == [{"player_index": 0, "number": 1}]
    await ben.answer({"number": 2})
    await table.wait(3)
    assert anna.request["context"] == {"counted": 3}


async def test_who_bids_at_the_same_time_as_others_is_alone_with_the_clock(open_table):
    """Protocol 7: no other seat's open requests."""
    table = open_table()
    anna, ben = await table.join("Anna"), await table.join("Ben")
    await anna.say("start_game")
    assert {each["player_index"] for each in ben.contexts("deadline")} == {1}
    await ben.lose()
    again = await ben.come_back()
    assert again.contexts("deadline") == []
    assert again.welcome["pending_request"]["remaining_ms"] == 60_000


async def test_the_last_one_who_bids_is_alone_with_the_clock_too(open_table):
    """Protocol 7."""
    table = open_table()
    anna, ben = await table.join("Anna"), await table.join("Ben")
    await anna.say("start_game")
    await ben.answer({"bid": 1})
    await table.wait(2)
    again = await ben.come_back()
    assert again.contexts("deadline") == []


async def test_nobody_is_told_a_deadline_before_the_turn_it_belongs_to(open_table):
    """Protocol 4."""
    table = open_table()
    _, ben = await start(table, "Anna", "Ben", turn_limit_s=20)
    payloads = [frame["payload"] for frame in ben.frames if frame["type"] == "notification"]
    events = [(payload["event"], payload["context"]) for payload in payloads]
    turn = events.index(("player_turn_changed", {"current_turn_index": 0}))
    assert events.index(("deadline", {"player_index": 0, "remaining_ms": 20_000})) > turn


async def test_a_refused_answer_bothers_nobody_else(open_table):
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    before = len(ben.frames)
    frames = await anna.answer({"number": 7})
    assert [frame["type"] for frame in frames] == ["error", "request", "notification"]
    assert ben.frames[before:] == []


async def test_an_agent_is_not_hurried(open_table):
    table = open_table()
    anna = await start(table, "Anna")
    assert anna.request["remaining_ms"] is None
    await table.wait(1000)
    assert anna.errors == []


# --- joining a match --------------------------------------------------------------------------------------------------


async def test_who_takes_the_seat_of_an_agent_is_asked_what_the_agent_was_asked(open_table):
    """Protocol 5."""
    table = open_table()
    anna = await start(table, "Anna")
    await anna.answer({"number": 1})
    ben = await table.join("Ben")
    assert ben.welcome["pending_action"] == ""
    assert ben.request["context"] == {"counted": 1}
    await table.wait(5)
    assert len(anna.contexts("player_played")) == 1
    await ben.answer({"number": 2})
    await table.wait(3)
    assert len(anna.contexts("player_played")) == 3


async def test_the_open_request_of_somebody_who_leaves_goes_to_the_agent(open_table):
    """Protocol 5."""
    table = open_table()
    anna, ben = await start(table, "Anna", "Ben")
    await anna.say("leave")
    await table.wait(2)
    assert ben.contexts("player_left") == [{"player_index": 0, "player_name": "CountingAgent_1", "host_index": 1}]
    assert ben.contexts("player_played") == [{"player_index": 0, "number": 1}]


async def test_after_a_swap_nobody_gets_what_the_seat_had_in_the_match_before(open_table):
    """Protocol 7."""
    table = open_table()
    anna, ben, cleo = [await table.join(name) for name in ("Anna", "Ben", "Cleo")]
    await anna.say("options", {"target": 1})
    await anna.say("start_game")
    for person in (anna, ben, cleo):
        await person.answer({"bid": 1})
    await anna.answer({"number": 1})
    await table.wait(3)
    number = table.table.number
    await anna.say("swap_players", {"player_index_1": 1, "player_index_2": 2})
    [everything] = await ben.say("sync", {"since": number - 3})
    assert everything["payload"]["context"]["private_state"] == {"player_index": 2, "secret": None}
    await table.die()
    again = await ben.come_back()
    assert again.welcome["private_state"] == {"player_index": 2, "secret": None}


# --- slow agents ------------------------------------------------------------------------------------------------------


async def test_an_agent_that_dawdles_is_replaced_for_that_decision(open_table, caplog):
    """Nobody waits longer than the patience for an agent to be made, to interrupt, to answer."""
    with ThreadPoolExecutor() as executor:
        table = open_table(executor=executor)
        anna = await start(table, "Anna", strengths=["CountingAgent", "SleepingAgent", "CountingAgent"])
        await table.wait(4 * PATIENCE)
        await anna.answer({"number": 1})
        await table.wait(4 * PATIENCE)
        assert [played["player_index"] for played in anna.contexts("player_played")][:2] == [0, 1]
    assert "SleepingAgent_2 has no legal answer" in caplog.text
