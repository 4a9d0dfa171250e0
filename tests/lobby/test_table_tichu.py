"""A whole match of Tichu at a table, one person and three agents, by the clock (protocol 4, 6)."""

import asyncio
from itertools import pairwise

import pytest

from lobby.client import answer
from tests.lobby.scene import Scene
from tests.lobby.virtual_time import VirtualTimeLoop

THINKING = 3.0  # seconds of the person
MOVES = ("player_played", "player_passed")
DRAGON = [15, 0]


async def play():
    table = Scene("tichu")
    anna = await table.join("Anna")
    await anna.say("options", {"target_score": 1000})
    await anna.say("start_game")
    answered = ""
    while not anna.contexts("game_over"):
        if anna.request["request_id"] != answered:
            answered = anna.request["request_id"]
            await asyncio.sleep(anna.time_of(kind="request") + THINKING - table.now)
            await anna.answer(answer(anna.request, anna.seat))
        await asyncio.sleep(0.1)
    await table.end()
    assert anna.errors == []
    return [
        (frame["payload"]["event"], frame["payload"]["context"], time)
        for frame, time in zip(anna.frames, anna.times, strict=True)
        if frame["type"] == "notification" and "number" in frame["payload"]
    ]


@pytest.fixture(scope="module")
def match():
    """Name, context and time of each event that the person sees."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(play())


async def test_a_refused_option_is_cited_in_200_characters():
    """Protocol 4: 101."""
    table = Scene("tichu")
    anna = await table.join("Anna")
    [error] = await anna.say("options", {"rules": "x" * 1000})
    await table.end()
    assert error["payload"]["code"] == 101
    assert len(error["payload"]["context"]["message"]) == 200


def pauses(match, before, after):
    """Seconds from each event of the first kind to the one of the second kind that follows it."""
    following = pairwise(match)
    return [late[2] - early[2] for early, late in following if early[0] == before and late[0] in after]


def test_no_move_is_shown_earlier_than_half_a_second_after_its_turn(match):
    """Protocol 6."""
    assert min(pauses(match, "player_turn_changed", MOVES)) >= 0.499


def test_agents_take_no_longer_than_one_and_a_half(match):
    """Protocol 6."""
    following = pairwise(match)
    turns = [(early, late) for early, late in following if early[0] == "player_turn_changed" and late[0] in MOVES]
    assert max(late[2] - early[2] for early, late in turns if early[1]["current_turn_index"] != 0) <= 1.51


def test_a_trick_lies_for_one_second_after_the_last_pass(match):
    """Protocol 6: whether or not anybody holds a bomb. The dragon has to be given away first."""
    lying, top = [], []
    for (event, context, time), (following, _, later) in pairwise(match):
        if event == "player_played":
            top = context["turn"][1]
        if (event, following) == ("player_turn_changed", "trick_taken") and top != [DRAGON]:
            lying.append(later - time)
    assert len(lying) > 20
    assert lying == pytest.approx([1.0] * len(lying), abs=0.002)


def test_a_second_after_a_round_the_next_one_begins_or_the_match_is_over(match):
    """Protocol 4."""
    over = pauses(match, "round_over", ("round_started", "game_over"))
    assert over == pytest.approx([1.0] * len(over), abs=0.002)
    assert [event for event, _, _ in match].count("round_over") == len(over)
