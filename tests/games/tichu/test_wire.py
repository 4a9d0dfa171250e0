"""Tichu as JSON, and the request that makes a page need no rules (docs/protocol.md 2 and 4)."""

import json
from itertools import combinations, islice
from pathlib import Path
from random import Random

import pytest

from games.game import IllegalAction
from games.tichu import cards as deck
from games.tichu import wire
from games.tichu._core import legal_plays
from games.tichu.rules import RuleSet
from tests.games.tichu.matches import asked, do, play, playing, random_match
from tests.games.tichu.matches import wire as cards

CASES = Path(__file__).parents[2] / "data/cases.jsonl"
PROPOSALS = [case for case in map(json.loads, CASES.read_text().splitlines()) if case["kind"] == "auto_select"]


def proposal(hand, trick=0, wish=0, rules=None):
    """The labels of the cards that are selected first."""
    held = deck.parse(hand)
    return deck.text(wire.proposal(held, legal_plays(held, trick, wish, (rules or RuleSet.house()).flags)))


def meta(combination):
    kind, length, rank = combination
    return kind << 16 | length << 8 | rank << 1


# --- what the page selects first --------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", PROPOSALS, ids=lambda case: case["input"]["hand"].replace(" ", "-"))
def test_the_proposal_is_the_longest_then_the_lowest_and_breaks_no_bomb(case):
    asked = case["input"]
    assert proposal(asked["hand"], meta(asked["trick"]), asked["wish"]) == case["expected"]


def test_there_are_samples_of_proposals():
    assert len(PROPOSALS) == 6


def test_the_phoenix_alone_is_proposed_last():
    """As a single it counts as 16 before it is played, although it is only half a rank above what it beats."""
    assert proposal("Ph S9", meta([1, 1, 8])) == "S9"


def test_a_bomb_is_proposed_where_all_else_would_break_it():
    assert proposal("S8 B8 G8 R8", meta([1, 1, 5])) == "R8 G8 B8 S8"


def test_a_bomb_is_broken_where_the_wish_leaves_nothing_else():
    """Rules 6.3, pocket rules: the bomb of fives is no way out."""
    hand = "S8 B8 G8 S5 B5 G5 R5"
    assert proposal(hand, meta([5, 5, 7]), wish=8, rules=RuleSet.pocket()) == "G8 B8 S8 B5 S5"
    assert proposal(hand, meta([5, 5, 7]), wish=8) == "R5 G5 B5 S5"


# --- the play request -------------------------------------------------------------------------------------------------


def test_a_play_request_says_all_that_may_be_played():
    engine = playing("Ma S2 S3 S4 Ph", "B2 B3 B8", "G5 G6 G7", "R2 R6 R7")
    play(engine, 0, "S3")
    play(engine, 1, "B8")
    for seat in (2, 3):
        play(engine, seat)
    assert engine.requests[0].request.context == {
        "hand_cards": cards("Ph S4 S2 Ma"),
        "trick_combination": [1, 1, 8],
        "wish_value": -1,
        "legal": [{"values": [16], "combination": [1, 1, 8]}],
        "may_pass": True,
        "proposal": cards("Ph"),
    }


def test_every_bomb_has_its_own_entry_with_its_cards():
    """Protocol 4: a street of one suit and one of mixed suits have the same values."""
    engine = playing("Ma S2 S3 S4 S5 S6 B6", "B2 B3 B8", "G5 G6 G7", "R2 R6 R7")
    entries = [entry for entry in engine.requests[0].request.context["legal"] if entry["values"] == [6, 5, 4, 3, 2]]
    assert entries == [
        {"values": [6, 5, 4, 3, 2], "combination": [6, 5, 6]},
        {"values": [6, 5, 4, 3, 2], "combination": [7, 5, 6], "cards": cards("S6 S5 S4 S3 S2")},
    ]


def test_both_readings_of_the_phoenix_stand_there_and_the_rank_chooses():
    """Rules 4.8."""
    engine = playing("Ma S5 S6 B7 B8 Ph", "B2 B3 G8", "G5 G6 G7", "R2 R6 R7")
    values = [16, 8, 7, 6, 5]
    entries = [entry for entry in engine.requests[0].request.context["legal"] if entry["values"] == values]
    assert sorted(entry["combination"] for entry in entries) == [[6, 5, 8], [6, 5, 9]]
    step = play(engine, 0, "Ph S5 S6 B7 B8", rank=8)
    assert step.events[0].context["turn"] == [0, cards("B8 B7 S6 S5 Ph"), [6, 5, 8]]


@pytest.mark.parametrize("rules", ["house", "pocket"])
def test_a_selection_is_playable_exactly_if_the_request_says_so(rules):
    """Protocol 4, ``legal``: sound and complete, all subsets of a hand tried."""
    for engine, seat in islice(small_hands(rules), 40):
        context = engine.requests[seat].request.context
        for size in range(len(context["hand_cards"]) + 1):
            for chosen in combinations(context["hand_cards"], size):
                assert playable(context, list(chosen)) == accepted(engine, seat, list(chosen))


def small_hands(rules):
    """Some positions in which the seat to move has few enough cards to try them all."""
    rng = Random(5)
    for engine, _ in random_match(seed=50, rules=rules, target_score=10_000, bombs=0.1):
        for seat, action in asked(engine).items():
            if action == "play" and 4 <= engine.state.round.count(seat) <= 8 and rng.random() < 0.2:
                yield engine, seat


def playable(context, chosen):
    """What the page decides (page.md 3), by the request alone."""
    if not chosen:
        return context["may_pass"]
    if any(entry.get("cards") == chosen for entry in context["legal"]):
        return True
    values = [value for value, _ in chosen]
    return any(entry["values"] == values for entry in context["legal"] if "cards" not in entry)


def accepted(engine, seat, chosen):
    try:
        engine.answer(seat, "play", {"cards": chosen})
    except IllegalAction:
        return False
    return True


# --- combinations and cards -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "top", "combination", "order"),
    [
        ("Hu", 0, [1, 1, 0], "Hu"),
        ("Ma", 0, [1, 1, 1], "Ma"),
        ("Dr", 0, [1, 1, 15], "Dr"),
        ("Ph", 0, [1, 1, 1], "Ph"),
        ("Ph", meta([1, 1, 8]), [1, 1, 8], "Ph"),
        ("S8 Ph", 0, [2, 2, 8], "S8 Ph"),
        ("S2 B2 G2 SA BA", 0, [5, 5, 2], "BA SA G2 B2 S2"),
        ("S5 S6 B7 Ph S9", 0, [6, 5, 9], "S9 Ph B7 S6 S5"),
        ("SZ SB SD SK SA", 0, [7, 5, 14], "SA SK SD SB SZ"),
    ],
)
def test_combinations_and_played_cards_look_as_the_protocol_says(labels, top, combination, order):
    """Protocol 2: descending by the rank that each card stands for."""
    held = deck.parse(labels)
    plays = [play for play in legal_plays(held, top, 0, 0) if play[0] == held]
    assert [wire.combination(meta) for _, meta in plays] == [combination]
    assert wire.turn(3, *plays[0]) == [3, cards(order), combination]


def test_a_pass_is_a_turn_without_cards():
    assert wire.turn(2, 0, 0) == [2, [], [0, 0, 0]]


def test_after_the_wish_is_fulfilled_nothing_is_wished():
    engine = playing("Ma S2 S3", "B2 B3 B8", "G5 G6 G7", "R2 R6 R7")
    play(engine, 0, "Ma")
    do(engine, 0, "wish", wish_value=8)
    play(engine, 1, "B8")
    assert engine.requests[2].request.context["wish_value"] == 0
