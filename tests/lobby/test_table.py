"""People at a table: hosts, seats, options, words (protocol 3, 5). The game is a small one; no table knows which."""

import pytest

from games.messages import CloseCode
from tests.lobby.virtual_time import VirtualTimeLoop

LOOP = VirtualTimeLoop
AGENTS = ["CountingAgent_1", "CountingAgent_2", "CountingAgent_3"]


# --- joining ----------------------------------------------------------------------------------------------------------


async def test_the_first_guest_is_host_on_seat_0_and_is_told_everything_first(open_table):
    """Protocol 5."""
    table = open_table()
    anna = await table.join("Anna")
    first = anna.frames[0]["payload"]
    assert first["event"] == "player_joined"
    assert first["context"]["public_state"] == {
        "table_name": "Table",
        "player_names": ["Anna", *AGENTS[1:]],
        "host_index": 0,
        "is_running": False,
        "counted": 0,
    }
    assert first["context"]["private_state"]["player_index"] == 0
    assert first["context"]["pending_action"] == ""
    assert first["context"]["pending_request"] is None
    assert first["context"]["number"] == 1
    assert first["context"]["connected"] == [True, True, True]
    assert first["context"]["chances"] == {"may_shout": False}


async def test_the_next_guest_takes_the_first_seat_of_an_agent_and_the_others_are_told(open_table):
    """Protocol 5."""
    table = open_table()
    anna, ben = await table.join("Anna"), await table.join("Ben")
    assert ben.seat == 1
    assert anna.contexts("player_joined") == [{"player_index": 1, "player_name": "Ben"}]
    assert ben.contexts("player_joined") == []


@pytest.mark.parametrize("name", ["Anna", "ANNA", "CountingAgent_2", "countingagent_1", "ShoutingAgent_3"])
async def test_a_name_is_there_once_and_those_of_agents_count(open_table, name):
    """Protocol 1: 204."""
    table = open_table()
    await table.join("Anna")
    other = await table.join(name)
    assert other.frames[0]["payload"]["code"] == 204
    assert other.frames[0]["payload"]["context"] == {"table_name": "Table", "player_name": name}
    assert other.closed == CloseCode.REFUSED


async def test_where_no_agent_sits_nobody_can_join(open_table):
    """Protocol 1: 203."""
    table = open_table()
    for name in ("Anna", "Ben", "Cleo"):
        await table.join(name)
    dora = await table.join("Dora")
    assert dora.errors == [203]
    assert dora.closed == CloseCode.REFUSED


async def test_who_wants_another_game_is_at_the_wrong_table(open_table):
    table = open_table()
    await table.join("Anna")
    other = await table.join("Ben", game="tichu")
    assert other.errors == [202]
    assert other.closed == CloseCode.REFUSED


async def test_a_refused_first_guest_leaves_no_table_behind(open_table):
    table = open_table()
    await table.join("CountingAgent_1")
    assert table.store.changes[-1].closes
    assert table.running.done()


# --- hosts ------------------------------------------------------------------------------------------------------------


async def test_when_the_host_leaves_the_next_person_by_seat_order_becomes_host(open_table):
    """Protocol 5."""
    table = open_table()
    anna, ben, cleo = [await table.join(name) for name in ("Anna", "Ben", "Cleo")]
    await ben.say("leave")
    await anna.say("leave")
    assert anna.closed == CloseCode.LEFT
    assert cleo.contexts("player_left") == [
        {"player_index": 1, "player_name": "CountingAgent_2", "host_index": 0},
        {"player_index": 0, "player_name": "CountingAgent_1", "host_index": 2},
    ]
    dora = await table.join("Dora")
    assert dora.seat == 0
    assert dora.welcome["public_state"]["host_index"] == 2


async def test_the_last_person_who_leaves_closes_the_table(open_table):
    """Protocol 3."""
    table = open_table()
    anna = await table.join("Anna")
    await anna.say("leave")
    assert anna.closed == CloseCode.LEFT
    assert table.store.changes[-1].closes
    assert table.running.done()


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("swap_players", {"player_index_1": 1, "player_index_2": 2}),
        ("kick", {"player_index": 0}),
        ("options", {"turn_limit_s": 60}),
        ("start_game", {}),
    ],
)
async def test_only_the_host_may_arrange_the_table(open_table, kind, payload):
    """Protocol 3: 401."""
    table = open_table()
    await table.join("Anna")
    ben = await table.join("Ben")
    number = table.table.number
    [error] = await ben.say(kind, payload)
    assert error["payload"]["code"] == 401
    assert error["payload"]["context"] == {"action": kind}
    assert table.table.number == number


async def test_the_host_swaps_two_seats_people_included(open_table):
    """Protocol 5."""
    table = open_table()
    anna, ben = await table.join("Anna"), await table.join("Ben")
    await anna.say("options", {"strengths": ["CountingAgent", "CountingAgent", "ShoutingAgent"]})
    await anna.say("swap_players", {"player_index_1": 1, "player_index_2": 2})
    assert ben.contexts("players_swapped") == [{"player_index_1": 1, "player_index_2": 2}]
    cleo = await table.join("Cleo")
    assert cleo.welcome["public_state"]["player_names"] == ["Anna", "Cleo", "Ben"]
    assert cleo.welcome["options"]["strengths"] == ["CountingAgent", "ShoutingAgent", "CountingAgent"]
    assert (await ben.say("leave"), cleo.contexts("player_left")[0]["player_index"]) == ([], 2)


@pytest.mark.parametrize(("one", "other", "code"), [(0, 1, 300), (1, 0, 300), (1, 1, 101), (1, 3, 101)])
async def test_the_hosts_own_seat_and_odd_pairs_are_not_swapped(open_table, one, other, code):
    """Protocol 3."""
    anna = await open_table().join("Anna")
    [error] = await anna.say("swap_players", {"player_index_1": one, "player_index_2": other})
    assert error["payload"]["code"] == code
    assert code != 300 or error["payload"]["context"] == {"reason": "host_seat", "action": "swap_players"}


async def test_in_a_match_nothing_is_arranged(open_table):
    """Protocol 3: 400."""
    table = open_table()
    anna = await table.join("Anna")
    await table.join("Ben")
    await anna.say("start_game")
    await anna.say("swap_players", {"player_index_1": 1, "player_index_2": 2})
    await anna.say("options", {"turn_limit_s": 10})
    await anna.say("start_game")
    assert anna.errors == [400, 400, 400]


async def test_the_host_sends_somebody_away(open_table):
    """Protocol 3: 104, 1008."""
    table = open_table()
    anna, ben = await table.join("Anna"), await table.join("Ben")
    await anna.say("kick", {"player_index": 1})
    assert ben.frames[-1]["payload"]["code"] == 104
    assert ben.closed == CloseCode.REFUSED
    assert anna.contexts("player_left")[-1]["player_name"] == "CountingAgent_2"
    again = await ben.come_back()
    assert (again.errors, again.closed) == ([200], CloseCode.REFUSED)


@pytest.mark.parametrize(("seat", "code"), [(0, 300), (1, 300), (3, 101)])
async def test_neither_agents_nor_oneself_can_be_sent_away(open_table, seat, code):
    """Protocol 3."""
    anna = await open_table().join("Anna")
    [error] = await anna.say("kick", {"player_index": seat})
    assert error["payload"]["code"] == code


# --- options ----------------------------------------------------------------------------------------------------------


async def test_options_are_set_one_by_one_and_everybody_is_told(open_table):
    """Protocol 3."""
    table = open_table()
    anna, ben = await table.join("Anna"), await table.join("Ben")
    kinds = ["CountingAgent", "ShoutingAgent", "CheatingAgent"]
    await anna.say("options", {"target": 9})
    await anna.say("options", {"turn_limit_s": 30, "strengths": kinds})
    expected = {"target": 9, "turn_limit_s": 30, "strengths": kinds}
    assert ben.contexts("options_changed")[-1] == {"options": expected}
    cleo = await table.join("Cleo")
    assert cleo.welcome["options"] == expected


async def test_everybody_is_told_which_agents_there_are(open_table):
    """Protocol 4: ``agents``; each of them may be a strength."""
    table = open_table()
    anna = await table.join("Anna")
    for kind in anna.welcome["agents"]:
        await anna.say("options", {"strengths": [kind] * 3})
        assert anna.contexts("options_changed")[-1]["options"]["strengths"] == [kind] * 3
    assert "ShoutingAgent" in anna.welcome["agents"]


async def test_an_unknown_strength_is_refused_with_the_names_of_those_there_are(open_table):
    """Protocol 3: 101."""
    anna = await open_table().join("Anna")
    [error] = await anna.say("options", {"strengths": ["CountingAgent", "CountingAgent", "Deity"]})
    message = error["payload"]["context"]["message"]
    assert message.startswith("strengths: for each of the 3 seats one of CountingAgent, ")
    assert "Deity" not in message


async def test_strengths_are_the_hosts_to_choose_before_the_start(open_table):
    """Protocol 3: 401, 400."""
    table = open_table()
    anna, ben = await table.join("Anna"), await table.join("Ben")
    strengths = {"strengths": ["ShoutingAgent"] * 3}
    await ben.say("options", strengths)
    await anna.say("start_game")
    await anna.say("options", strengths)
    assert (ben.errors, anna.errors) == ([401], [400])
    assert (await table.join("Cleo")).welcome["options"]["strengths"] == ["CountingAgent"] * 3


@pytest.mark.parametrize(
    "options",
    [
        {"target": 0},
        {"target": "many"},
        {"turn_limit_s": 5},
        {"turn_limit_s": 601},
        {"strengths": []},
        {"strengths": ["CountingAgent"]},
        {"strengths": ["CountingAgent", "CountingAgent", "Deity"]},
    ],
)
async def test_impossible_options_change_nothing(open_table, options):
    """Protocol 3: 101."""
    table = open_table()
    anna = await table.join("Anna")
    [error] = await anna.say("options", {"turn_limit_s": 20} | options)
    assert error["payload"]["code"] == 101
    assert (await table.join("Ben")).welcome["options"]["turn_limit_s"] == 60


async def test_the_turn_limit_depends_on_how_many_people_there_are(open_table):
    """Protocol 6: none for one person, 60 s otherwise."""
    table = open_table()
    anna, ben = await table.join("Anna"), await table.join("Ben")
    assert anna.welcome["options"]["turn_limit_s"] == 0
    assert ben.welcome["options"]["turn_limit_s"] == 60
    cleo = await table.join("Cleo")
    for person in (ben, cleo):
        await person.say("leave")
    changes = anna.contexts("options_changed")
    assert [changed["options"]["turn_limit_s"] for changed in changes] == [60, 0]
    assert anna.numbers == list(range(2, table.table.number + 1))


async def test_a_turn_limit_that_the_host_has_set_stays(open_table):
    table = open_table()
    anna = await table.join("Anna")
    await anna.say("options", {"turn_limit_s": 30})
    await table.join("Ben")
    assert len(anna.contexts("options_changed")) == 1


# --- words ------------------------------------------------------------------------------------------------------------


async def test_a_word_to_the_table_reaches_all_who_know_of_words(open_table):
    """Protocol 3: chat is new in version 2."""
    table = open_table()
    anna, ben, old = await table.join("Anna"), await table.join("Ben"), await table.join("Cleo", protocol=1)
    await ben.say("chat", {"text": "  hello "})
    expected = {"scope": "table", "name": "Ben", "player_index": 1, "text": "hello"}
    assert anna.contexts("chat") == ben.contexts("chat") == [expected]
    assert old.contexts("chat") == []


@pytest.mark.parametrize(("text", "code"), [("", 101), (" \n ", 101), ("x" * 501, 101)])
async def test_a_word_has_up_to_500_characters(open_table, text, code):
    """Protocol 8."""
    anna = await open_table().join("Anna")
    [error] = await anna.say("chat", {"text": text})
    assert error["payload"]["code"] == code


async def test_one_word_a_second(open_table):
    """Protocol 8: 105."""
    anna = await open_table().join("Anna")
    await anna.say("chat", {"text": "one"})
    await anna.say("chat", {"text": "two"})
    assert anna.errors == [105]
    assert len(anna.contexts("chat")) == 1


async def test_who_sees_other_hands_keeps_silent(open_table):
    """Protocol 3: 300 not_now."""
    table = open_table()
    anna = await table.join("Anna")
    await anna.say("start_game")
    await table.wait(2)
    await anna.answer({"bid": 1})
    await table.wait(2)
    await anna.say("bomb", {"cards": []})
    [error] = await anna.say("chat", {"text": "psst"})
    assert error["payload"]["context"] == {"reason": "not_now", "action": "chat"}


@pytest.mark.parametrize("dies", [False, True])
async def test_who_knows_the_cards_of_a_seat_finds_no_other_one_in_that_round(open_table, dies):
    """Protocol 5."""
    table = open_table()
    anna, ben = await table.join("Anna"), await table.join("Ben")
    await anna.say("options", {"target": 1, "turn_limit_s": 0})
    await anna.say("start_game")
    await ben.say("leave")
    if dies:
        await table.die()
        anna = await anna.come_back()
    cleo = await table.join("Cleo")
    assert cleo.seat == 1
    assert (await table.join("Ben")).errors == [203]
    for person in (anna, cleo):
        await person.say("response", {"action": "bid", "response_data": {"bid": 1}})
    await table.wait(2)
    await anna.answer({"number": 1})
    await table.wait(2)
    assert (await table.join("Ben")).seat == 2


async def test_who_knows_the_cards_of_a_seat_may_have_it_again(open_table):
    """Protocol 5."""
    table = open_table()
    anna, ben, cleo = [await table.join(name) for name in ("Anna", "Ben", "Cleo")]
    await anna.say("start_game")
    await ben.say("leave")
    await cleo.say("leave")
    assert (await table.join("Cleo")).seat == 2


async def test_a_client_of_version_1_hears_of_no_new_events(open_table):
    """Protocol, before 1."""
    table = open_table()
    old, ben = await table.join("Anna", protocol=1), await table.join("Ben")
    await ben.lose()
    await ben.come_back()
    await old.say("options", {"turn_limit_s": 30})
    await old.say("start_game")
    await table.wait(3)
    events = {frame["payload"].get("event") for frame in old.frames if frame["type"] == "notification"}
    assert events == {"player_joined", "game_started", "dealt"}
