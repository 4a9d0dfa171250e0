"""docs/rules.md, paragraph by paragraph: chapters 1 to 4. The others: test_rules_of_play.py."""

from typing import Any

import pytest

from games.messages import ErrorCode
from games.tichu import _core
from games.tichu.cards import DECK, MAH_JONG, each, label, parse, points, text, to_wire
from games.tichu.combinations import Combination, CombinationType, readings, recognise
from games.tichu.game import MatchState, Options, Tichu
from tests.games.tichu.tables import act, dealt, exchanged, legal, refused, table


def combination(cards: str, top: str = "") -> tuple[CombinationType, int, int] | None:
    """Type, length and rank of some cards, led or on a top."""
    meta = recognise(parse(cards), recognise(parse(top)) or 0)
    return None if meta is None else tuple(Combination.of_meta(meta))


# --- 1 cards ----------------------------------------------------------------------------------------------------------


def test_four_suits_of_thirteen_ranks_and_four_specials() -> None:
    """Rules 1.1."""
    cards = to_wire(each(DECK))
    assert len(cards) == 56
    assert [card for card in cards if card[1] == 0] == [[0, 0], [1, 0], [15, 0], [16, 0]]
    assert all([value, suit] in cards for value in range(2, 15) for suit in range(1, 5))


def test_the_deck_counts_a_hundred_points() -> None:
    """Rules 1.2."""
    assert {name: points(parse(name)) for name in ("SK", "BZ", "G5", "Dr", "Ph", "RA", "Ma", "Hu", "S6")} == {
        "SK": 10, "BZ": 10, "G5": 5, "Dr": 25, "Ph": -25, "RA": 0, "Ma": 0, "Hu": 0, "S6": 0,
    }  # fmt: skip
    assert points(DECK) == _core.points(DECK) == 100


def test_labels_are_suit_and_rank() -> None:
    """Rules 1.3."""
    assert text(parse("Hu Ma S2 S3 S4 B5 B6 B7 G8 G9 GZ RB RD RK RA Dr Ph")) == (
        "Ph Dr RA RK RD RB GZ G9 G8 B7 B6 B5 S4 S3 S2 Ma Hu"
    )
    assert to_wire([parse("BB")]) == [[11, 2]]
    assert [label(card) for card in each(parse("SZ BZ GZ RZ"))] == ["SZ", "BZ", "GZ", "RZ"]


# --- 2 seats ----------------------------------------------------------------------------------------------------------


def test_seats_play_in_the_order_0_1_2_3() -> None:
    """Rules 2.1."""
    round = table("S2 S3", "B3 B4", "G4 G5", "R5 R6")
    act(round, "0: plays S2", "1: plays B3", "2: plays G4", "3: plays R5")
    assert round.turn == 0


def test_0_and_2_play_against_1_and_3() -> None:
    """Rules 2.2."""
    assert act(table("S2", "B3 B4", "G4", "R5 R6"), "0: plays S2", "1: passes", "2: plays G4").score() == (200, 0)
    assert act(table("S2 S3", "B3", "G4 G5", "R5", turn=1), "1: plays B3", "2: passes", "3: plays R5").score() == (
        0,
        200,
    )


# --- 3 a round --------------------------------------------------------------------------------------------------------


def test_every_seat_decides_once_about_a_grand_tichu() -> None:
    """Rules 3.1."""
    round = dealt()
    assert [round.count(seat) for seat in range(4)] == [8] * 4
    act(round, "2: grand Tichu", "0: no grand Tichu")
    assert [round.decided(seat) for seat in range(4)] == [True, False, True, False]
    assert refused(round, "2: no grand Tichu").rule == "3.1"
    assert [round.call(seat) for seat in range(4)] == [0, 0, 2, 0]


def test_six_more_cards_when_all_have_decided() -> None:
    """Rules 3.2."""
    round = act(dealt(), "0: no grand Tichu", "1: no grand Tichu", "2: no grand Tichu")
    assert round.hand(0) == round.first_eight(0)
    act(round, "3: no grand Tichu")
    assert [round.hand(seat) for seat in range(4)] == [round.fourteen(seat) for seat in range(4)]


def test_exchange_cards_are_handed_over_when_the_last_seat_has_chosen() -> None:
    """Rules 3.3."""
    round = dealt("Hu S2 S3", "Ma B2 B3", "Dr G2 G3", "Ph R2 R3")
    act(round, *(f"{seat}: no grand Tichu" for seat in range(4)))
    act(round, "0: gives Hu S2 S3", "3: gives Ph R2 R3", "1: gives Ma B2 B3")
    assert [round.count(seat) for seat in range(4)] == [11, 11, 14, 11]
    assert round.received(0) is None
    assert refused(round, "0: gives S4 S5 S6").rule == "3.3"
    act(round, "2: gives Dr G2 G3")
    assert [round.count(seat) for seat in range(4)] == [14] * 4
    assert round.received(0) == tuple(map(parse, ("B3", "G2", "Ph")))
    assert round.received(1) == tuple(map(parse, ("G3", "R2", "Hu")))
    assert round.given(1) == tuple(map(parse, ("Ma", "B2", "B3")))


def test_the_holder_of_the_mah_jong_leads_with_anything() -> None:
    """Rules 3.4."""
    round = exchanged("", "", "Ma S7 R7")
    assert (round.starter, round.turn) == (2, 2)
    act(round, "2: plays S7 R7")
    assert round.hand(2) & MAH_JONG


def test_higher_cards_of_the_same_type_and_length_a_bomb_or_a_pass() -> None:
    """Rules 3.5."""
    round = table("S5 B5 SA", "S4 B4 G8 R8 S9 G9 B9 SK", "S6", "S8 B8")
    act(round, "0: plays S5 B5")
    for cards in ("S4 B4", "SK", "S9 G9 B9", "G8 R8 S9 G9"):
        assert refused(round, f"1: plays {cards}").context["reason"] == "does_not_beat"
    act(round, "1: plays G8 R8", "2: passes", "3: passes", "0: passes")
    assert round.turn == round.owner == 1


def test_whoever_leads_must_play() -> None:
    """Rules 3.5."""
    refusal = refused(table("S5", "S6", "S7", "S8"), "0: passes")
    assert (refusal.code, refusal.context["reason"]) == (ErrorCode.INVALID_COMBINATION, "must_lead")


def test_who_passed_may_play_again_in_the_same_trick() -> None:
    """Rules 3.5."""
    round = table("S5 SA", "S6 BA", "S7 GA", "S8 RA")
    act(round, "0: plays S5", "1: passes", "2: plays S7", "3: passes", "0: passes", "1: plays BA")
    assert round.owner == 1


def test_the_owner_takes_the_trick_and_leads() -> None:
    """Rules 3.6."""
    round = act(table("S5 SA", "S6", "S7", "SZ RA", turn=3), "3: plays SZ", "0: passes", "1: passes", "2: passes")
    assert refused(round, "3: plays RA").code == ErrorCode.NOT_YOUR_TURN
    act(round, "taken")
    assert (round.turn, round.points(3), round.trick_cards) == (3, 10, 0)


def test_a_taker_without_cards_leaves_the_lead_to_the_next_seat_with_cards() -> None:
    """Rules 3.6: not to the partner."""
    round = act(table("SZ", "S6", "S7 S8", "S8 S9"), "0: plays SZ", "1: passes", "2: passes", "3: passes", "taken")
    assert (round.turn, round.points(0)) == (1, 10)
    round = act(table("SZ", "", "S7 S8", "S8 S9", out=(1,)), "0: plays SZ", "2: passes", "3: passes", "taken")
    assert round.turn == 2


def test_who_is_out_is_skipped() -> None:
    """Rules 3.7."""
    round = act(table("S5 S6", "", "S7 S8", "S8 S9", out=(1,)), "0: plays S5")
    assert round.turn == 2


@pytest.mark.parametrize(("rules", "looks"), [("house", True), ("pocket", False), ("brettspielwelt", False)])
def test_who_is_out_may_look_at_the_other_hands(rules: Any, looks: bool) -> None:
    """Rules 3.7 and 9, ``finished_seats_see_hands``."""
    state = MatchState(Options(rules=rules), round=table("S5", "", "S7", "S8", out=(1,)))
    assert [Tichu().sees_hands(state, seat) for seat in range(4)] == [False, looks, False, False]


def test_the_round_ends_with_the_third_seat_out_or_both_partners() -> None:
    """Rules 3.8."""
    round = act(table("", "S6 S9", "S7", "S8", out=(0,), turn=1), "1: plays S6")
    assert round.phase == _core.PLAY
    act(round, "2: plays S7")
    assert (round.phase, round.double_victory) == (_core.DONE, True)
    round = act(table("S5 S9", "", "S7", "S8 S9", out=(1,), turn=2), "2: plays S7")
    assert round.phase == _core.PLAY
    round = act(table("S5 S9", "", "", "S8", out=(1, 2), turn=3), "3: plays S8")
    assert (round.phase, round.finished) == (_core.DONE, (1, 2, 3))


# --- 4 combinations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("S7", (CombinationType.SINGLE, 1, 7)),
        ("S7 R7", (CombinationType.PAIR, 2, 7)),
        ("S7 R7 G7", (CombinationType.TRIPLE, 3, 7)),
        ("S7 R7 S8 B8", (CombinationType.STAIR, 4, 8)),
        ("S7 R7 S8 B8 G9 R9", (CombinationType.STAIR, 6, 9)),
        ("S7 R7 G7 S2 B2", (CombinationType.FULLHOUSE, 5, 7)),
        ("S7 R8 G9 SZ BB", (CombinationType.STREET, 5, 11)),
        ("Ma S2 B3 G4 R5 S6 B7 G8 R9 SZ BB GD RK SA", (CombinationType.STREET, 14, 14)),
        ("S7 R8", None),
        ("S7 R7 S9 B9", None),
        ("S7 R8 G9 SZ", None),
        ("S7 R7 G8", None),
        ("SA S2 B3 G4 R5", None),
    ],
)
def test_combinations(cards: str, expected: tuple[CombinationType, int, int] | None) -> None:
    """Rules 4.1."""
    assert combination(cards) == expected


def test_the_mah_jong_is_a_single_or_the_low_end_of_a_street() -> None:
    """Rules 4.2."""
    assert combination("Ma S2 B3 G4 R5") == (CombinationType.STREET, 5, 5)
    assert combination("Ma") == (CombinationType.SINGLE, 1, 1)
    assert combination("Ma Ph") is None
    assert combination("Ma Ph S2 B2") is None


def test_four_of_a_rank_or_five_of_a_suit_in_a_row_are_a_bomb() -> None:
    """Rules 4.3."""
    assert combination("S8 B8 G8 R8") == (CombinationType.BOMB, 4, 8)
    assert combination("S2 S3 S4 S5 S6 S7") == (CombinationType.BOMB, 6, 7)
    assert readings(parse("S2 S3 S4 S5 S6")) == [recognise(parse("S2 S3 S4 S5 S6"))]


def test_a_suited_street_with_phoenix_or_mah_jong_is_no_bomb() -> None:
    """Rules 4.3."""
    assert combination("S7 S8 Ph SZ SB") == (CombinationType.STREET, 5, 11)
    assert combination("Ma S2 S3 S4 S5") == (CombinationType.STREET, 5, 5)
    assert combination("Ma S2 S3 S4 S5 S6") == (CombinationType.STREET, 6, 6)
    assert combination("S7 S8 S9 SZ SB Ph") == (CombinationType.STREET, 6, 12)


def test_a_bomb_may_be_led() -> None:
    """Rules 4.3."""
    assert parse("S8 B8 G8 R8") in legal(table("S8 B8 G8 R8 S2", "S3", "S4", "S5"))


def test_longer_bombs_beat_shorter_ones_and_higher_ones_lower_ones() -> None:
    """Rules 4.4."""
    rising = ["RA GA", "S2 B2 G2 R2", "SA BA GA RA", "S2 S3 S4 S5 S6", "B3 B4 B5 B6 B7", "G2 G3 G4 G5 G6 G7"]
    for lower in range(len(rising)):
        for higher in range(len(rising)):
            beats = combination(rising[higher], rising[lower]) is not None
            assert beats == (higher > lower)


def test_the_rank_of_a_combination() -> None:
    """Rules 4.5."""
    assert combination("S9 B9 S8 B8 S7 B7") == (CombinationType.STAIR, 6, 9)
    assert combination("S3 B3 G3 SA BA") == (CombinationType.FULLHOUSE, 5, 3)
    assert combination("S4 B4 G4 S2 B2", top="S3 B3 G3 SA BA") is not None
    assert combination("S2 B2 G2 SA BA", top="S3 B3 G3 R4 S4") is None


def test_the_phoenix_stands_for_any_rank_also_one_in_hand() -> None:
    """Rules 4.6."""
    round = table("S7 R7 S8 Ph S9 SZ BB", "S2", "S3", "S4")
    plays = {(cards, Combination.of_meta(meta)) for cards, meta in round.legal_plays()}
    assert (parse("S8 Ph"), (CombinationType.PAIR, 2, 8)) in plays
    assert (parse("S7 R7 S8 Ph"), (CombinationType.STAIR, 4, 8)) in plays
    assert (parse("S7 R7 Ph"), (CombinationType.TRIPLE, 3, 7)) in plays
    assert combination("S7 S8 Ph SZ BB") == (CombinationType.STREET, 5, 11)  # although a nine is in the hand
    act(round, "0: plays S7 S8 Ph SZ BB")
    assert round.hand(0) == parse("R7 S9")


def test_the_phoenix_is_in_no_bomb_and_stands_for_no_special() -> None:
    """Rules 4.6."""
    assert combination("S7 R7 G7 Ph") is None
    assert combination("Dr Ph") is None
    assert combination("Hu Ph") is None
    assert combination("S2 B3 G4 R5 Ph") == (CombinationType.STREET, 5, 6)  # not 1 to 5
    assert len(readings(parse("S2 B3 G4 R5 Ph"))) == 1


def test_a_full_house_has_two_ranks() -> None:
    """Rules 4.7."""
    assert combination("S7 R7 G7 B7 Ph") is None
    assert combination("S7 R7 G7 S8 Ph") == (CombinationType.FULLHOUSE, 5, 7)


def test_of_two_readings_the_higher_counts_unless_the_player_names_the_other() -> None:
    """Rules 4.8."""
    hands = ("S5 R6 S7 S8 Ph S2", "S9", "SZ", "SB")
    assert Combination.of_meta(act(table(*hands), "0: plays S5 R6 S7 S8 Ph").trick_meta).rank == 9
    assert Combination.of_meta(act(table(*hands), "0: plays S5 R6 S7 S8 Ph as 8").trick_meta).rank == 8
    assert refused(table(*hands), "0: plays S5 R6 S7 S8 Ph as 10").code == ErrorCode.INVALID_COMBINATION
    assert combination("SK RK SA RA Ph") == (CombinationType.FULLHOUSE, 5, 14)


def test_a_street_cannot_grow_above_the_ace_nor_below_the_two() -> None:
    """Rules 4.8."""
    low_end = recognise(parse("SZ BB GD RK SA Ph"))
    assert low_end is not None
    assert (Combination.of_meta(low_end).rank, low_end >> 24) == (14, 9)
    assert combination("S2 B3 G4 R5 S6 B7 G8 R9 SZ BB GD RK SA Ph") is None


def test_the_phoenix_is_half_a_rank_above_the_single_it_beats() -> None:
    """Rules 4.9."""
    assert combination("Ph", top="S8") == (CombinationType.SINGLE, 1, 8)
    assert combination("Ph", top="SA") == (CombinationType.SINGLE, 1, 14)
    assert combination("Ph", top="Dr") is None
    round = act(table("S8", "Ph S2", "B8 S9", "S3"), "0: plays S8", "1: plays Ph")
    assert legal(round) == {0, parse("S9")}


def test_the_phoenix_led_is_one_and_a_half() -> None:
    """Rules 4.9: also after the dog."""
    led = act(table("Ph S9", "Ma S2", "S3", "S4"), "0: plays Ph")
    assert legal(led) == {0, parse("S2")}
    after_the_dog = act(table("Hu S9", "S3", "Ph S4", "Ma S2"), "0: plays Hu", "2: plays Ph")
    assert legal(after_the_dog) == {0, parse("S2")}
    for round in (led, after_the_dog):
        assert Combination.of_meta(round.trick_meta) == (CombinationType.SINGLE, 1, 1)


def test_only_a_bomb_beats_the_dragon() -> None:
    """Rules 4.10."""
    round = act(table("Dr S2", "Ph SA", "S8 B8 G8 R8", "S3"), "0: plays Dr")
    assert legal(round) == {0}
    assert legal(act(round, "1: passes")) == {0, parse("S8 B8 G8 R8")}


def test_the_dog_gives_the_lead_to_the_partner() -> None:
    """Rules 4.11."""
    round = act(table("Hu S2", "S3", "S4 R4", "S5"), "0: plays Hu")
    assert (round.turn, round.dog_player, round.trick_meta) == (2, 0, 0)
    assert 0 not in legal(round)
    act(round, "2: plays S4")
    assert round.dog_player == -1
    assert round.trick_cards == parse("S4")


def test_the_dog_passes_on_after_a_partner_who_is_out() -> None:
    """Rules 4.11: to the next seat after the partner."""
    assert act(table("Hu S2", "S3", "", "S5", out=(2,)), "0: plays Hu").turn == 3
    assert act(table("Hu S2", "S3", "", "", out=(2, 3)), "0: plays Hu").turn == 0


def test_the_dog_is_led_alone_and_cannot_be_beaten_or_bombed() -> None:
    """Rules 4.11."""
    assert combination("Hu S2") is None
    assert combination("Hu", top="S2") is None
    round = act(table("Hu S2", "S8 B8 G8 R8", "S4", "S5"), "0: plays Hu")
    assert round.bombs(1) == []
    assert refused(round, "1: bombs S8 B8 G8 R8").context["reason"] == "dog"
    assert refused(round, "1: bombs S8 B8 G8 R8").rule == "4.11"
