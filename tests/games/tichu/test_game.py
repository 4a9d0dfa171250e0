"""What is asked and told in each phase, and to whom (docs/protocol.md 2 to 4)."""

from random import Random

import pytest

from games.engine import GameEngine
from games.game import IllegalAction
from games.tichu import cards as deck
from games.tichu._core import Round
from games.tichu.game import Options
from games.tichu.rules import RuleSet
from tests.games.tichu.matches import (
    BOMBER,
    FULL,
    TICHU,
    asked,
    bomb,
    dealt,
    do,
    exchanging,
    names,
    play,
    playing,
    public,
    wire,
)


def turns(step):
    return [event.context["current_turn_index"] for event in step.events if event.name == "player_turn_changed"]


def event(step, name):
    (found,) = (event for event in step.events if event.name == name)
    return found


# --- before the first trick -------------------------------------------------------------------------------------------


def test_before_the_first_deal_nothing_is_known():
    """Protocol 2: the lobby."""
    engine = GameEngine(TICHU, Options())
    seen = TICHU.observe(engine.state, 2)
    assert seen["public_state"]["count_hand_cards"] == [0, 0, 0, 0]
    assert seen["public_state"]["wish_value"] == seen["public_state"]["current_turn_index"] == -1
    assert seen["private_state"]["player_index"] == 2
    assert TICHU.private(engine.state, 2) == {"chances": {"can_announce": False, "bombs": []}}
    assert (engine.pause, asked(engine)) == (0, {})


def test_a_deal_is_the_whole_deck():
    engine = GameEngine(TICHU, Options())
    hands = engine.proceed(Random(3)).action["hands"]
    assert [len(hand.split()) for hand in hands] == [14] * 4
    assert sum(deck.from_labels(" ".join(hands))) == deck.DECK


def test_everybody_gets_eight_cards_then_six():
    """Rules 3.1, 3.2."""
    engine = dealt(*FULL)
    assert public(engine)["count_hand_cards"] == (8, 8, 8, 8)
    for seat in (2, 0, 1):
        assert do(engine, seat, "announce_grand_tichu", announced=False).events == []
    step = do(engine, 3, "announce_grand_tichu", announced=True)
    assert names(step.events) == ["player_announced"] + ["hand_cards_dealt"] * 4
    assert step.events[1].context == {"player_index": 0, "count": 14}
    assert len(step.events[1].own[0]["hand_cards"]) == 14
    assert public(engine)["announcements"] == (0, 0, 0, 2)


def test_exchange_cards_change_hands_when_the_last_seat_has_chosen():
    """Rules 3.3, 3.4."""
    engine = exchanging(*FULL)
    given = [wire(" ".join(hand.split()[:3])) for hand in FULL]
    for seat in range(3):
        step = do(engine, seat, "schupf", given_schupf_cards=given[seat])
        assert names(step.events) == ["player_schupfed"]
        assert step.events[0].own == {seat: {"given_schupf_cards": given[seat]}}
    assert public(engine)["count_hand_cards"] == (11, 11, 11, 14)
    assert TICHU.observe(engine.state, 0)["private_state"]["received_schupf_cards"] is None
    step = do(engine, 3, "schupf", given_schupf_cards=given[3])
    assert names(step.events) == ["player_schupfed", "start_playing"]
    start = step.events[1]
    assert start.own[1]["received_schupf_cards"] == [given[2][2], given[3][1], given[0][0]]
    assert asked(engine) == {start.context["start_player_index"]: "play"}


@pytest.mark.parametrize(("rules", "allowed"), [("house", False), ("pocket", True), ("brettspielwelt", True)])
def test_a_tichu_during_the_exchange_is_a_matter_of_the_rules(rules, allowed):
    """Rules 9, ``tichu_during_exchange``."""
    engine = exchanging(*FULL, rules=rules)
    before = engine.requests
    assert TICHU.private(engine.state, 1)["chances"]["can_announce"] is allowed
    if allowed:
        assert do(engine, 1, "announce").events[0].context == {"player_index": 1, "grand": False}
        assert engine.requests == before
    else:
        with pytest.raises(IllegalAction, match="INVALID_ANNOUNCE"):
            engine.act(1, "announce", {})


def test_a_tichu_may_make_all_seats_choose_their_exchange_cards_anew():
    """Rules 9, ``restart``."""
    engine = exchanging(*FULL)
    engine.state.round = Round(
        [sum(deck.from_labels(hand)[:8]) for hand in FULL],
        [sum(deck.from_labels(hand)) for hand in FULL],
        RuleSet(tichu_during_exchange="restart").flags,
    )
    for seat in range(4):
        do(engine, seat, "announce_grand_tichu", announced=False)
    untouched = engine.requests[3]
    do(engine, 0, "schupf", given_schupf_cards=wire(FULL[0])[:3])
    assert set(engine.requests) == {1, 2, 3}
    do(engine, 1, "announce")
    assert asked(engine) == dict.fromkeys(range(4), "schupf")
    assert engine.requests[3] == untouched
    assert TICHU.observe(engine.state, 0)["private_state"]["given_schupf_cards"] is None


# --- turns and tricks -------------------------------------------------------------------------------------------------


def test_the_trick_comes_back_to_its_owner_and_waits_a_second():
    """Protocol 6; rules 3.6."""
    engine = playing("Ma S2 S3 SA", "B2 B3 B4", "G5 G6 G7", "R5 R6 R7")
    play(engine, 0, "SA")
    for seat in (1, 2):
        assert turns(play(engine, seat)) == [seat + 1]
    assert turns(play(engine, 3)) == [0]
    assert (asked(engine), engine.pause) == ({}, 1)
    step = engine.proceed(Random())
    engine.commit(step)
    assert step.action == {"action": "take"}
    assert [(event.name, event.context) for event in step.events] == [
        ("trick_taken", {"player_index": 0, "points": 0, "dragon_recipient": -1})
    ]
    assert asked(engine) == {0: "play"}
    assert public(engine)["trick_counter"] == 1


def test_a_seat_that_is_out_has_the_turn_for_a_moment():
    """Rules 3.7; protocol 4, ``player_turn_changed``."""
    engine = playing("S2 S3 S4 S5 Ma", "B2 B3 B4 B5", "G6 G7 G8 G9 GA", "R5 R6 R7 R8")
    play(engine, 0, "Ma S2 S3 S4 S5")
    assert turns(do(engine, 0, "wish", wish_value=14)) == [1]
    for seat in (1, 2):
        play(engine, seat)
    assert turns(play(engine, 3)) == [0]
    step = do(engine, None, "take")
    assert (names(step.events), turns(step)) == (["trick_taken", "player_turn_changed"], [1])
    play(engine, 1, "B2")
    play(engine, 2, "GA")
    assert turns(play(engine, 3)) == [0, 1]


def test_the_points_of_a_trick_are_those_of_its_taker_so_far():
    engine = playing("Ma S5 SK S2", "B2 B3 B4", "G5 G6 G7", "R2 R6 R7")
    assert event(play(engine, 0, "S5"), "player_played").context == {
        "turn": [0, [[5, 1]], [1, 1, 5]],
        "trick_points": 5,
        "winner_index": -1,
    }
    for seat in (1, 2, 3):
        play(engine, seat)
    assert event(do(engine, None, "take"), "trick_taken").context["points"] == 5
    play(engine, 0, "SK")
    for seat in (1, 2, 3):
        play(engine, seat)
    assert event(do(engine, None, "take"), "trick_taken").context["points"] == 15


# --- the dog ----------------------------------------------------------------------------------------------------------


def test_the_dog_gives_the_lead_to_the_partner_and_stays_on_the_table():
    """Rules 4.11; protocol 2."""
    engine = playing("Ma Hu S2", "B2 B3 B4", "G5 G6 G7", "R2 R6 R7")
    assert turns(play(engine, 0, "Hu")) == [2]
    seen = public(engine)
    assert (seen["trick_combination"], seen["trick_owner_index"]) == ([1, 1, 0], 0)
    assert (seen["trick_points"], seen["trick_counter"], seen["trick_cards"]) == (0, 0, [[0, 0]])
    assert engine.requests[2].request.context["trick_combination"] == [1, 1, 0]
    assert engine.requests[2].request.context["may_pass"] is False
    play(engine, 2, "G5")
    assert public(engine)["tricks"] == [[[0, [[0, 0]], [1, 1, 0]], [2, [[5, 3]], [1, 1, 5]]]]
    for seat in (3, 0, 1):
        play(engine, seat)
    do(engine, None, "take")
    play(engine, 2, "G6")
    assert [len(trick) for trick in public(engine)["tricks"]] == [5, 1]
    assert public(engine)["trick_counter"] == 1


def test_the_dog_passes_by_a_partner_who_is_out():
    """Rules 4.11."""
    engine = playing("S2 S3 Hu S4", "B2 B3 B4", "Ma G2 G3 G4 G5", "R2 R6 R7")
    play(engine, 2, "Ma G2 G3 G4 G5")
    do(engine, 2, "wish", wish_value=14)
    for seat in (3, 0, 1):
        play(engine, seat)
    assert turns(do(engine, None, "take")) == [3]
    play(engine, 3, "R2")
    play(engine, 0, "S3")
    for seat in (1, 3):
        play(engine, seat)
    do(engine, None, "take")
    assert turns(play(engine, 0, "Hu")) == [2, 3]


# --- the dragon -------------------------------------------------------------------------------------------------------


def test_a_dragon_is_taken_then_given_away_then_its_owner_leads():
    """Rules 8.1; protocol 4."""
    engine = playing("Ma S5 Dr", "B2 B3 B4", "G5 G6 G7", "R2 R6 R7")
    play(engine, 0, "Dr")
    for seat in (1, 2, 3):
        play(engine, seat)
    assert do(engine, None, "take").events == []
    assert asked(engine) == {0: "give_dragon_away"}
    assert public(engine)["trick_points"] == 25
    step = do(engine, 0, "give_dragon_away", dragon_recipient=3)
    assert [event.context for event in step.events] == [{"player_index": 3, "points": 25, "dragon_recipient": 3}]
    assert asked(engine) == {0: "play"}
    assert public(engine)["dragon_recipient"] == 3


def test_a_dragon_that_ends_the_round_is_given_away_before_the_score():
    """Rules 8.1; protocol 4."""
    engine = playing("Ma S2 S3", "B2 B3 B4", "G2 G3 G4 Dr", "R4 R5 R6")
    lead_out(engine, 0, "Ma", "S2", "S3")
    lead_out(engine, 1, "B2", "B3", "B4")
    for labels in ("G2", "G3", "G4"):
        play(engine, 2, labels)
        play(engine, 3)
        do(engine, None, "take")
    step = play(engine, 2, "Dr")
    assert (names(step.events), asked(engine)) == (["player_played"], {2: "give_dragon_away"})
    step = do(engine, 2, "give_dragon_away", dragon_recipient=1)
    assert names(step.events) == ["trick_taken", "round_over"]
    assert step.events[1].context == {"points": [5, 25, 0, 0], "loser_index": 3, "is_double_victory": False}


def lead_out(engine, seat, *labels):
    """Leads one card after the other until the seat is out; everybody else passes."""
    for label in labels:
        play(engine, seat, label)
        if "wish" in asked(engine).values():
            do(engine, seat, "wish", wish_value=14)
        while engine.requests:
            (other,) = engine.requests
            play(engine, other)
        do(engine, None, "take")


def test_a_double_victory_ends_with_the_trick_and_no_gift():
    """Rules 8.4; protocol 4."""
    engine = playing("Ma S2 S3", "B5 B3 B4", "G2 G3 Dr", "R5 R6 R7")
    lead_out(engine, 0, "Ma", "S2", "S3")
    lead_out(engine, 1, "B3")
    play(engine, 1, "B4")
    play(engine, 2, "Dr")
    for seat in (3, 1):
        play(engine, seat)
    do(engine, None, "take")
    do(engine, 2, "give_dragon_away", dragon_recipient=3)
    lead_out(engine, 2, "G2")
    step = play(engine, 2, "G3")
    assert names(step.events) == ["player_played", "trick_taken", "round_over"]
    assert step.events[2].context == {"points": [200, 0, 0, 0], "loser_index": -1, "is_double_victory": True}
    assert public(engine)["points"] == (200, 0, 0, 0)


# --- the wish ---------------------------------------------------------------------------------------------------------


def test_the_wish_belongs_to_the_play_of_the_mah_jong():
    """Rules 6.1; protocol 4: nobody is to move before it has been made."""
    engine = playing("Ma S2 S3", "B2 B3 B8", "G5 G6 G7", "R2 R6 R7")
    step = play(engine, 0, "Ma")
    assert (names(step.events), asked(engine)) == (["player_played"], {0: "wish"})
    assert public(engine)["wish_value"] == 0
    step = do(engine, 0, "wish", wish_value=8)
    assert names(step.events) == ["wish_made", "player_turn_changed"]
    assert (step.events[0].context, turns(step)) == ({"wish_value": 8}, [1])
    request = engine.requests[1].request.context
    assert request["legal"] == [{"values": [8], "combination": [1, 1, 8]}]
    assert (request["wish_value"], request["may_pass"], request["proposal"]) == (8, False, wire("B8"))
    assert names(play(engine, 1, "B8").events) == ["player_played", "wish_fulfilled", "player_turn_changed"]


def test_an_omitted_wish_says_nothing():
    """Rules 9, ``wish_required``; protocol 4."""
    engine = playing("Ma S2 S3", "B2 B3 B8", "G5 G6 G7", "R2 R6 R7", rules="pocket")
    play(engine, 0, "Ma")
    step = do(engine, 0, "wish", wish_value=0)
    assert (names(step.events), public(engine)["wish_value"]) == (["player_turn_changed"], 0)


def test_a_mah_jong_that_ends_the_round_has_no_wish():
    """Rules 6.6."""
    engine = playing("S2 S3 S4", "Ma BA B2", "G5 G6 G7", "RA R2 R3")
    play(engine, 1, "B2")
    play(engine, 2)
    play(engine, 3, "RA")
    for seat in (0, 1, 2):
        play(engine, seat)
    do(engine, None, "take")
    lead_out(engine, 3, "R2", "R3")
    play(engine, 0, "S2")
    play(engine, 1, "BA")
    for seat in (2, 0):
        play(engine, seat)
    do(engine, None, "take")
    assert names(play(engine, 1, "Ma").events) == ["player_played", "trick_taken", "round_over"]


# --- bombs ------------------------------------------------------------------------------------------------------------


def test_a_bomb_out_of_turn_moves_the_turn_behind_the_bomber():
    """Rules 5.1, 5.3."""
    engine = playing("Ma S2 S3", "B2 B3 B8", BOMBER, "R2 R6 R7")
    play(engine, 0, "S2")
    assert asked(engine) == {1: "play"}
    step = bomb(engine, 2, "S9 B9 G9 R9")
    assert (names(step.events), turns(step)) == (["player_played", "player_turn_changed"], [3])
    assert asked(engine) == {3: "play"}


def test_a_bomb_counts_in_the_second_before_the_trick_is_taken():
    """Rules 5.1; protocol 6."""
    engine = playing("Ma S2 S3", "B2 B3 B8", BOMBER, "R2 R6 R7")
    play(engine, 0, "S2")
    for seat in (1, 2, 3):
        play(engine, seat)
    assert turns(bomb(engine, 2, "S9 B9 G9 R9")) == [3]
    assert (engine.pause, asked(engine)) == (None, {3: "play"})


def test_a_bomb_may_fall_on_the_own_combination():
    """Rules 5.1."""
    engine = playing("Ma Hu S3", "B2 B3 B8", BOMBER, "R2 R6 R7")
    play(engine, 0, "Hu")
    play(engine, 2, "G2")
    assert turns(bomb(engine, 2, "S9 B9 G9 R9")) == [3]


def test_a_bomb_may_be_led():
    """Rules 4.3; protocol 3: ``bomb`` answers the open ``play`` request too."""
    engine = playing("Ma S2 S9 B9 G9 R9", "B2 B3 B8", "G2 G3 G4", "R2 R6 R7")
    assert turns(bomb(engine, 0, "S9 B9 G9 R9")) == [1]


def test_a_bomb_out_of_turn_may_fulfil_the_wish():
    """Rules 6.4."""
    engine = playing("Ma S2 S3", "B2 B3 B8", BOMBER, "R2 R6 R7")
    play(engine, 0, "Ma")
    do(engine, 0, "wish", wish_value=9)
    step = bomb(engine, 2, "S9 B9 G9 R9")
    assert names(step.events) == ["player_played", "wish_fulfilled", "player_turn_changed"]


def test_a_bomb_that_ends_the_round_takes_the_trick():
    """Rules 5.1, 8.2: no pause is left in which another bomb could fall."""
    engine = playing("S2 S3 S4 S5 Ma", "B2 B3 B8", "S9 B9 G9 R9", "R2 R6 R7 RA")
    play(engine, 0, "Ma S2 S3 S4 S5")
    do(engine, 0, "wish", wish_value=14)
    step = bomb(engine, 2, "S9 B9 G9 R9")
    assert names(step.events) == ["player_played", "trick_taken", "round_over"]
    assert event(step, "trick_taken").context == {"player_index": 2, "points": 5, "dragon_recipient": -1}


# --- the end of a round and of the match ------------------------------------------------------------------------------


def finished_round(**options):
    """Seat 0 goes out first after a call, then 1 and 2; seat 3 is left with ten points in hand."""
    engine = playing("Ma S2 SK", "B2 B3 B5", "G2 G3 G4", "R2 RZ R7", **options)
    do(engine, 0, "announce")
    lead_out(engine, 0, "Ma", "S2", "SK")
    lead_out(engine, 1, "B2", "B3", "B5")
    for labels in ("G2", "G3"):
        play(engine, 2, labels)
        play(engine, 3)
        do(engine, None, "take")
    return engine, play(engine, 2, "G4")


def test_the_points_of_a_round_stand_with_the_seats_that_get_them():
    """Rules 8.3, 8.5; protocol 4, ``round_over``."""
    engine, step = finished_round()
    assert names(step.events) == ["player_played", "trick_taken", "round_over"]
    assert step.events[2].context == {"points": [120, 5, 0, 0], "loser_index": 3, "is_double_victory": False}
    seen = public(engine)
    assert (seen["game_score"], seen["points"], seen["is_round_over"]) == ([[120], [5]], (120, 5, 0, 0), True)


def test_the_next_round_starts_a_second_later():
    engine, _ = finished_round(target_score=1000)
    assert (engine.pause, asked(engine)) == (1, {})
    step = engine.proceed(Random(1))
    engine.commit(step)
    assert names(step.events) == ["round_started"] + ["hand_cards_dealt"] * 4
    assert (public(engine)["tricks"], public(engine)["game_score"]) == ([], [[120], [5]])


def test_the_match_ends_when_a_team_has_enough_points():
    """Rules 8.6."""
    engine, _ = finished_round(target_score=100)
    step = engine.proceed(Random())
    assert step.events[0].context == {"game_score": [[120], [5]]}
    engine.commit(step)
    assert (engine.result.scores, engine.result.winners) == ((120, 5), (0, 2))
    assert (engine.pause, asked(engine)) == (None, {})


@pytest.mark.parametrize(
    ("scores", "decided"),
    [
        (((500, 500), (300, 300)), True),
        (((999,), (-999,)), False),
        (((1100,), (1100,)), False),
        (((1100,), (1105,)), True),
    ],
)
def test_equal_totals_play_on(scores, decided):
    """Rules 8.6."""
    engine, _ = finished_round()
    engine.state.game_score = scores
    assert engine.state.is_decided is decided


# --- what only one seat is told ---------------------------------------------------------------------------------------


def test_chances_name_every_bomb_in_the_hand_and_whether_it_may_be_thrown():
    """Protocol 4, ``chances``."""
    engine = playing("Ma S2 SA", "B2 B3 B8", BOMBER, "R2 R6 R7")
    (chance,) = TICHU.private(engine.state, 2)["chances"]["bombs"]
    assert chance == {"cards": wire("R9 G9 B9 S9"), "combination": [7, 4, 9], "playable": False}
    play(engine, 0, "SA")
    assert TICHU.private(engine.state, 2)["chances"]["bombs"][0]["playable"] is True
    assert TICHU.private(engine.state, 1) == {"chances": {"can_announce": True, "bombs": []}}
    assert TICHU.spontaneous(engine.state, 2) == ("announce", "bomb")
    assert TICHU.spontaneous(engine.state, 0) == ()


@pytest.mark.parametrize(("rules", "shown"), [("house", True), ("pocket", False), ("brettspielwelt", False)])
def test_a_seat_that_is_out_sees_the_hands(rules, shown):
    """Rules 3.7."""
    engine = playing("S2 S3 S4 S5 Ma", "B2 B3 B4", "G6 G7 G8", "R5 R6 R7", rules=rules)
    play(engine, 0, "Ma S2 S3 S4 S5")
    assert TICHU.sees_hands(engine.state, 0) is shown
    assert not TICHU.sees_hands(engine.state, 1)
    hands = {"hand_cards": [[], wire("B4 B3 B2"), wire("G8 G7 G6"), wire("R7 R6 R5")]}
    assert TICHU.private(engine.state, 0).get("hands_shown") == (hands if shown else None)


def test_nobody_sees_the_hands_once_the_round_is_over():
    engine, _ = finished_round()
    assert not any(TICHU.sees_hands(engine.state, seat) for seat in range(4))


def test_seats_know_cards_while_a_round_is_on():
    """Protocol 5."""
    engine = playing("S2 S3 Ma", "B2 B3 B4", "G2 G3 G4", "R2 R3 R4")
    assert TICHU.knows_cards(engine.state, 0)
    over, _ = finished_round()
    assert not TICHU.knows_cards(over.state, 0)
    assert not TICHU.knows_cards(TICHU.start(TICHU.options()), 0)
