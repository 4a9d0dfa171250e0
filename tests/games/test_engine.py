"""The engine: one action after the other, and the same again from the journal."""

import pytest

from games.engine import GameEngine
from games.game import IllegalAction
from games.messages import ErrorCode
from games.tichu.game import Options
from tests.games.tichu.matches import FULL, TICHU, asked, do, exchanging, play, playing, random_match, wire


def seen(engine):
    return [TICHU.observe(engine.state, seat) | dict(TICHU.private(engine.state, seat)) for seat in range(4)]


def test_to_prepare_changes_nothing():
    engine = playing("Ma S2 S3", "B2 B3 B4", "G5 G6 G7", "R2 R6 R7")
    before, number, requests = seen(engine), engine.number, engine.requests
    step = engine.prepare(0, {"action": "play", "cards": wire("S2")})
    assert (seen(engine), engine.number, engine.requests) == (before, number, requests)
    engine.commit(step)
    assert (engine.number, asked(engine)) == (number + 1, {1: "play"})


def test_a_step_follows_only_the_state_it_was_prepared_for():
    engine = playing("Ma S2 S3", "B2 B3 B4", "G5 G6 G7", "R2 R6 R7")
    step = engine.prepare(0, {"action": "play", "cards": wire("S2")})
    engine.commit(step)
    with pytest.raises(ValueError, match="does not follow"):
        engine.commit(step)


@pytest.mark.parametrize("rules", ["house", "pocket", "brettspielwelt"])
def test_replaying_the_actions_gives_the_identical_match(rules):
    actions = []
    for number, (engine, step) in enumerate(random_match(seed=60, rules=rules, target_score=300)):
        actions.append((step.seat, step.action))
        if number % 97 == 0 or engine.result:
            again = GameEngine.replay(TICHU, Options(rules=rules, target_score=300), actions)
            assert seen(again) == seen(engine)
            assert (again.requests, again.number, again.result) == (engine.requests, engine.number, engine.result)


# --- requests ---------------------------------------------------------------------------------------------------------


def test_a_request_keeps_its_id_while_it_is_open():
    engine = exchanging(*FULL)
    before = engine.requests
    do(engine, 2, "schupf", given_schupf_cards=wire(FULL[2])[:3])
    assert engine.requests == {seat: before[seat] for seat in (0, 1, 3)}


def test_request_ids_are_unique_in_the_match():
    ids = {}
    for _, step in random_match(seed=61, target_score=200):
        for opened in step.requests.values():
            assert ids.setdefault(opened.id, opened) == opened
    assert len(ids) > 100


def test_a_bomb_withdraws_the_open_request():
    """Protocol 4."""
    engine = playing("Ma S2 S3", "B2 B3 B8", "G9 S9 B9 R9 G2", "R2 R6 R7")
    play(engine, 0, "S2")
    withdrawn = engine.requests[1].id
    do(engine, 2, "bomb", cards=wire("S9 B9 G9 R9"))
    assert asked(engine) == {3: "play"}
    assert refusal(engine, 1, "play", {"cards": []}, withdrawn) is ErrorCode.REQUEST_OBSOLETE
    assert refusal(engine, 1, "play", {"cards": []}) is ErrorCode.NOT_YOUR_TURN


def refusal(engine, *answer):
    with pytest.raises(IllegalAction) as refused:
        engine.answer(*answer)
    return refused.value.code


def test_an_answer_may_name_its_request():
    engine = playing("Ma S2 S3", "B2 B3 B8", "G5 G6 G7", "R2 R6 R7")
    step = engine.answer(0, "play", {"cards": wire("S2")}, engine.requests[0].id)
    assert step.action == {"action": "play", "cards": wire("S2")}


def test_an_answer_to_a_request_that_never_was_is_no_answer():
    engine = playing("Ma S2 S3", "B2 B3 B8", "G5 G6 G7", "R2 R6 R7")
    assert refusal(engine, 0, "play", {"cards": wire("S2")}, "nonsense") is ErrorCode.INVALID_RESPONSE


def test_the_request_of_another_seat_is_as_unknown_as_any():
    """Protocol 7: not even an error tells that it exists."""
    engine = exchanging(*FULL)
    theirs = engine.requests[1].id
    do(engine, 1, "schupf", given_schupf_cards=wire(FULL[1])[:3])
    answer = {"given_schupf_cards": wire(FULL[0])[:3]}
    assert refusal(engine, 0, "schupf", answer, theirs) is ErrorCode.INVALID_RESPONSE


def test_a_second_answer_finds_its_request_closed():
    engine = exchanging(*FULL)
    opened, answer = engine.requests[0].id, {"given_schupf_cards": wire(FULL[0])[:3]}
    engine.commit(engine.answer(0, "schupf", answer, opened))
    assert refusal(engine, 0, "schupf", answer, opened) is ErrorCode.REQUEST_OBSOLETE
    assert refusal(engine, 0, "schupf", answer) is ErrorCode.INVALID_RESPONSE


@pytest.mark.parametrize("name", ["announce", "bomb", "deal", "take", "finish", "", "__class__"])
def test_only_what_is_requested_can_be_answered(name):
    engine = playing("Ma S2 S3", "B2 B3 B8", "G5 G6 G7", "R2 R6 R7")
    assert refusal(engine, 0, name, {"cards": []}) is ErrorCode.INVALID_RESPONSE
