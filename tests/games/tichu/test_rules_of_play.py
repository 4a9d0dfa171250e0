"""docs/rules.md, paragraph by paragraph: chapters 5 to 9."""

import pytest

from games.messages import ErrorCode
from games.tichu import _core
from games.tichu.cards import parse
from games.tichu.game import MatchState, Options
from games.tichu.rules import RuleSet
from tests.games.tichu.tables import act, dealt, exchanged, legal, random_round, refused, table

# --- 5 bombs out of turn ----------------------------------------------------------------------------------------------


def test_a_bomb_falls_whoever_is_to_move() -> None:
    """Rules 5.1."""
    round = act(table("S9 S2", "S3 R3", "S8 B8 G8 R8 S4", "S5 R5"), "0: plays S9", "2: bombs S8 B8 G8 R8")
    assert (round.owner, round.turn) == (2, 3)


def test_a_bomb_falls_on_the_own_combination_until_the_trick_is_taken() -> None:
    """Rules 5.1."""
    round = act(table("S9 S8 B8 G8 R8 S4", "S3", "S4", "S5"), "0: plays S9")
    act(round.copy(), "0: bombs S8 B8 G8 R8")
    act(round, "1: passes", "2: passes", "3: passes")
    act(round.copy(), "0: bombs S8 B8 G8 R8")
    act(round, "taken")
    assert refused(round, "1: bombs S3").code == ErrorCode.INVALID_COMBINATION
    assert parse("S8 B8 G8 R8") in legal(round)


def test_no_bomb_falls_between_the_mah_jong_and_its_wish() -> None:
    """Rules 5.1."""
    round = act(table("Ma S2", "S3", "S8 B8 G8 R8 S4", "S5"), "0: plays Ma")
    assert round.bombers() == 0
    assert refused(round, "2: bombs S8 B8 G8 R8").context["reason"] == "wish_pending"
    act(round, "0: wishes 5", "2: bombs S8 B8 G8 R8")
    assert round.owner == 2


def test_no_bomb_falls_on_a_dragon_that_has_been_taken() -> None:
    """Rules 5.1."""
    round = act(table("Dr S2", "S3", "S8 B8 G8 R8 S4", "S5"), "0: plays Dr", "1: passes", "2: passes", "3: passes")
    assert round.bombers() == 0b0100
    act(round, "taken")
    assert round.bombers() == 0
    assert refused(round, "2: bombs S8 B8 G8 R8").context["reason"] == "taken"


def test_no_bomb_falls_after_the_end_of_the_round() -> None:
    """Rules 5.1."""
    round = act(table("S9", "S8 B8 G8 R8 S4", "", "S3", out=(2,)), "0: plays S9")
    assert (round.phase, round.bombers()) == (_core.DONE, 0)
    assert refused(round, "1: bombs S8 B8 G8 R8").context["reason"] == "not_playing"


def test_no_bomb_falls_while_another_seat_has_the_lead() -> None:
    """Rules 5.2."""
    round = table("S9 S2", "S3", "S8 B8 G8 R8 S4", "S5")
    assert round.bombers() == 0
    assert refused(round, "2: bombs S8 B8 G8 R8").context["reason"] == "no_trick"


def test_the_bomber_owns_the_trick_and_passes_begin_again() -> None:
    """Rules 5.3."""
    round = table("S9 S2", "S3 R3", "S8 B8 G8 R8 S4", "S5 R5")
    act(round, "0: plays S9", "1: passes", "2: passes", "3: passes", "2: bombs S8 B8 G8 R8")
    assert round.turn == 3
    act(round, "3: passes", "0: passes", "1: passes", "taken")
    assert round.turn == 2


def test_a_second_bomb_is_judged_against_the_first() -> None:
    """Rules 5.4."""
    round = table("S9 S2", "S3 B3 G3 R3 B2", "S8 B8 G8 R8 S4", "SA BA GA RA R2")
    act(round, "0: plays S9", "2: bombs S8 B8 G8 R8")
    assert round.bombers() == 0b1000
    refusal = refused(round, "1: bombs S3 B3 G3 R3")
    assert (refusal.rule, refusal.context["reason"]) == ("4.4", "does_not_beat")
    act(round, "3: bombs SA BA GA RA")
    assert round.owner == 3


# --- 6 wish -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cards", ["Ma", "Ma S2 B3 G4 R5"])
def test_whoever_plays_the_mah_jong_wishes_for_a_rank(cards: str) -> None:
    """Rules 6.1."""
    round = act(table("Ma S2 B3 G4 R5 S6", "S7", "S8", "S9"), f"0: plays {cards}")
    assert (round.phase, round.turn, round.wish) == (_core.WISH, 0, 0)
    for value in (1, 15, 0):
        assert refused(round, f"0: wishes {value}").code == ErrorCode.INVALID_WISH
    assert refused(round, "1: wishes 8").code == ErrorCode.INVALID_ACTION
    act(round, "0: wishes 14")
    assert (round.phase, round.turn, round.wish) == (_core.PLAY, 1, 14)


def test_an_open_wish_must_be_met_by_who_can() -> None:
    """Rules 6.2: leading, too."""
    assert legal(table("S9 R7 G8", "S5", "S6", "S7", wish=8)) == {parse("G8")}
    round = act(table("S5 S9", "S9 R7 B7 G8", "S6", "S7", wish=7), "0: plays S5")
    for line in ("1: passes", "1: plays S9"):
        refusal = refused(round, line)
        assert (refusal.code, refusal.rule) == (ErrorCode.INVALID_COMBINATION, "6.2")
        assert refusal.context["reason"] == "wish"
    for card in ("B7", "R7"):
        act(round.copy(), f"1: plays {card}")


def test_who_cannot_meet_the_wish_plays_or_passes_freely() -> None:
    """Rules 6.2."""
    round = act(table("S9 S2", "SZ R7 B7", "S6", "S7", wish=7), "0: plays S9")
    assert legal(round) == {0, parse("SZ")}


def test_the_wisher_must_meet_the_wish_too() -> None:
    """Rules 6.2."""
    round = act(table("Ma S8 B9 S3", "S2 S3", "S4", "S5"), "0: plays Ma", "0: wishes 8")
    act(round, "1: passes", "2: passes", "3: passes", "taken")
    assert legal(round) == {parse("S8")}


def test_a_wished_rank_within_a_combination_counts() -> None:
    """Rules 6.2."""
    round = act(table("S2 B3 G4 R5 S6 SA", "B4 G5 R6 S7 B8 SK", "S9", "SZ", wish=7), "0: plays S2 B3 G4 R5 S6")
    assert legal(round) == {parse("B4 G5 R6 S7 B8")}


def test_a_bomb_instead_of_the_wish_by_the_house_rules() -> None:
    """Rules 6.3."""
    hands = ("S2", "S9 S8 B8 G8 R8", "S3", "S4")
    bomb = parse("S8 B8 G8 R8")
    for rules in (RuleSet.house(), RuleSet.brettspielwelt()):
        assert legal(act(table(*hands, wish=9, rules=rules), "0: plays S2")) == {parse("S9"), bomb}
    assert legal(act(table(*hands, wish=9, rules=RuleSet.pocket()), "0: plays S2")) == {parse("S9")}
    assert bomb in legal(act(table(*hands, wish=8, rules=RuleSet.pocket()), "0: plays S2"))


def test_any_card_of_the_rank_fulfils_the_wish_also_in_a_bomb_out_of_turn() -> None:
    """Rules 6.4."""
    hands = ("S5 S2", "S8 R8 S3", "S6 R6", "B8 S7 R7 G7 B7")
    assert act(table(*hands, wish=8), "0: plays S5", "1: plays S8").wish == 0
    assert act(table(*hands, wish=7), "0: plays S5", "3: bombs S7 R7 G7 B7").wish == 0
    assert act(table(*hands, wish=8), "0: plays S5", "3: bombs S7 R7 G7 B7").wish == 8


def test_the_play_of_the_mah_jong_itself_does_not_fulfil_the_wish() -> None:
    """Rules 6.4."""
    round = act(table("Ma S2 B3 G4 R5 S6", "S7", "S8", "S9"), "0: plays Ma S2 B3 G4 R5", "0: wishes 5")
    assert round.wish == 5


def test_the_phoenix_never_fulfils_a_wish() -> None:
    """Rules 6.4."""
    round = act(table("S5 R5 S2", "Ph S8 S3", "S6", "S7", wish=8), "0: plays S5 R5")
    assert legal(round) == {parse("Ph S8")}
    round = act(table("S5 S2", "Ph S3", "S6", "S7", wish=8), "0: plays S5", "1: plays Ph")
    assert round.wish == 8


def test_out_of_turn_nobody_must_fulfil_a_wish() -> None:
    """Rules 6.4."""
    round = act(table("S5 S2", "S3", "S6", "S8 S7 R7 G7 B7", wish=8, rules=RuleSet.pocket()), "0: plays S5")
    assert [cards for cards, _ in round.bombs(3)] == [parse("S7 R7 G7 B7")]
    act(round, "1: passes", "2: plays S6")
    assert round.bombs(3) == []  # in turn the pocket rules want the eight


def test_an_open_wish_survives_the_trick() -> None:
    """Rules 6.5."""
    round = act(table("S5 R5 S2", "S3 R3", "S6 R6", "S7 R7", wish=8), "0: plays S5 R5")
    act(round, "1: passes", "2: passes", "3: passes", "taken")
    assert round.wish == 8


def test_no_wish_if_the_mah_jong_ends_the_round() -> None:
    """Rules 6.6."""
    round = act(table("Ma", "S3 S4", "", "S5", out=(2,)), "0: plays Ma")
    assert (round.phase, round.wish) == (_core.DONE, 0)
    still_on = act(table("Ma", "S3 S4", "S6", "S5"), "0: plays Ma")
    assert still_on.phase == _core.WISH


# --- 7 calls ----------------------------------------------------------------------------------------------------------


def test_a_grand_tichu_is_called_with_the_first_eight_cards_only() -> None:
    """Rules 7.1."""
    round = act(dealt(), "0: grand Tichu", "1: no grand Tichu", "2: no grand Tichu", "3: no grand Tichu")
    assert round.call(0) == 2
    assert refused(round, "1: grand Tichu").code == ErrorCode.INVALID_ACTION


def test_a_tichu_is_called_until_the_own_first_play() -> None:
    """Rules 7.2: also out of turn."""
    round = dealt()
    assert refused(round, "1: Tichu").rule == "7.2"
    round = exchanged("Ma S2", "S3", "S4 R4", "S5")
    act(round, "0: plays S2", "2: Tichu", "1: passes")
    assert round.call(2) == 1
    for seat in (0, 2):
        assert refused(round, f"{seat}: Tichu").code == ErrorCode.INVALID_ANNOUNCE
    assert round.can_call(1)
    grand = dealt()
    act(grand, "0: grand Tichu", "1: no grand Tichu", "2: no grand Tichu", "3: no grand Tichu")
    assert not grand.can_call(0)


def test_a_call_counts_for_the_first_to_go_out() -> None:
    """Rules 7.3."""
    round = act(table("S9", "S2 S3", "", "S4", calls=(1, 0, 2, 1), out=(2,)), "0: plays S9")
    assert round.final_points() == (-100, 0, 400, -100)


def test_both_partners_may_call() -> None:
    """Rules 7.4."""
    round = exchanged("Ma")
    act(round, "0: Tichu", "2: Tichu", "1: Tichu")
    assert [round.call(seat) for seat in range(4)] == [1, 1, 1, 0]
    assert act(table("", "S2", "S9", "S4 S5", turn=2, calls=(1, 0, 1, 0), out=(0,)), "2: plays S9").score() == (200, 0)


# --- 8 scoring --------------------------------------------------------------------------------------------------------


def test_the_dragon_s_trick_goes_to_an_opponent() -> None:
    """Rules 8.1: of the taker's choice."""
    round = act(table("Dr S2", "SK S3", "S4", "S5", turn=1), "1: plays SK", "2: passes", "3: passes", "0: plays Dr")
    act(round, "1: passes", "2: passes", "3: passes", "taken")
    assert (round.phase, round.turn) == (_core.DRAGON, 0)
    for recipient in (0, 2):
        assert refused(round, f"0: gives the dragon to {recipient}").code == ErrorCode.INVALID_DRAGON_RECIPIENT
    assert refused(round, "1: gives the dragon to 0").code == ErrorCode.INVALID_ACTION
    act(round, "0: gives the dragon to 3")
    assert (round.points(3), round.recipient, round.turn) == (35, 3, 0)


def test_the_dragon_s_trick_is_given_away_also_at_the_end_and_to_who_is_out() -> None:
    """Rules 8.1."""
    round = act(table("Dr", "", "S4", "", out=(1, 3)), "0: plays Dr")
    assert (round.phase, round.turn) == (_core.DRAGON, 0)
    act(round, "0: gives the dragon to 1")
    assert (round.phase, round.points(1)) == (_core.DONE, 25)


def test_a_bombed_dragon_trick_is_an_ordinary_trick() -> None:
    """Rules 8.1."""
    round = act(table("Dr S2", "S8 B8 G8 R8 S3", "S4", "S5"), "0: plays Dr", "1: plays S8 B8 G8 R8")
    act(round, "2: passes", "3: passes", "0: passes", "taken")
    assert (round.phase, round.turn, round.points(1), round.recipient) == (_core.PLAY, 1, 25, -1)


def test_the_open_trick_counts_for_its_owner() -> None:
    """Rules 8.2."""
    round = act(table("SK", "SZ S2", "", "", out=(2, 3), turn=1), "1: plays SZ", "0: plays SK")
    assert (round.phase, round.points(0)) == (_core.DONE, 20)


def test_hand_and_tricks_of_the_last_seat() -> None:
    """Rules 8.3: the hand to the opponents, the tricks to who was out first."""
    round = act(table("S9", "SK G5 S2", "", "", out=(3, 2), points=(10, 30, 0, 20)), "0: plays S9")
    assert round.final_points() == (10, 0, 15, 20 + 30)
    assert round.score() == (25, 50)


def test_a_double_victory_brings_200_and_no_card_points() -> None:
    """Rules 8.4: and no dragon to give away."""
    round = act(table("Dr", "SK S2", "", "SZ S4", out=(2,), points=(30, 20, 0, 0)), "0: plays Dr")
    assert (round.phase, round.double_victory) == (_core.DONE, True)
    assert (round.final_points(), round.score()) == ((0, 0, 200, 0), (200, 0))


def test_the_scores_of_a_round_add_up() -> None:
    """Rules 8.5."""
    sums = set()
    for seed in range(300):
        *_, round = random_round(seed, RuleSet.house())
        calls = [100 * round.call(seat) * (1 if round.finished[0] == seat else -1) for seat in range(4)]
        assert sum(round.score()) - sum(calls) == (200 if round.double_victory else 100)
        sums.add(sum(round.score()))
    assert len(sums) > 4


def test_a_game_ends_at_the_target_score_unless_the_totals_are_equal() -> None:
    """Rules 8.6."""

    def decided(*scores: tuple[int, int], target: int = 1000) -> bool:
        team_20, team_31 = zip(*scores, strict=True)
        return MatchState(Options(target_score=target), game_score=(team_20, team_31)).is_decided

    assert not decided((995, 5))
    assert decided((800, 200), (200, 0))
    assert not decided((900, 900), (100, 100))
    assert decided((900, 900), (100, 100), (105, -5))
    assert decided((150, 50), target=100)


# --- 9 options --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [RuleSet.pocket(), RuleSet.brettspielwelt()])
def test_the_wish_may_be_omitted_but_not_by_the_house_rules(rules: RuleSet) -> None:
    """Rules 9, ``wish_required``."""
    hands = ("Ma S2", "S3", "S4", "S5")
    round = act(table(*hands, rules=rules), "0: plays Ma", "0: wishes 0")
    assert (round.phase, round.wish) == (_core.PLAY, 0)
    assert refused(act(table(*hands), "0: plays Ma"), "0: wishes 0").code == ErrorCode.INVALID_WISH


def in_exchange(rules: RuleSet) -> _core.Round:
    round = dealt("S2 S3 S4", rules=rules)
    act(round, *(f"{seat}: no grand Tichu" for seat in range(4)))
    return act(round, "0: gives S2 S3 S4")


def test_no_tichu_during_the_exchange() -> None:
    """Rules 9, ``tichu_during_exchange``."""
    assert refused(in_exchange(RuleSet.house()), "0: Tichu").code == ErrorCode.INVALID_ANNOUNCE


def test_a_tichu_during_the_exchange_where_it_is_allowed() -> None:
    """Rules 9, ``tichu_during_exchange``."""
    for rules in (RuleSet.pocket(), RuleSet.brettspielwelt()):
        round = act(in_exchange(rules), "0: Tichu")
        assert (round.call(0), round.count(0), round.decided(0)) == (1, 11, True)
        assert not round.can_call(0)


def test_a_tichu_during_the_exchange_may_restart_it() -> None:
    """Rules 9, ``tichu_during_exchange``: all seats take their cards back and choose anew."""
    round = act(in_exchange(RuleSet(tichu_during_exchange="restart")), "1: Tichu")
    assert (round.call(1), round.count(0), round.decided(0), round.given(0)) == (1, 14, False, None)
    act(round, "0: gives S4 S3 S2")
    assert round.count(0) == 11


def test_the_columns_of_the_options() -> None:
    """Rules 9."""
    assert RuleSet.house() == RuleSet()
    assert [
        (
            column.wish_required,
            column.bomb_instead_of_wish,
            column.tichu_during_exchange,
            column.finished_seats_see_hands,
        )
        for column in (RuleSet.house(), RuleSet.pocket(), RuleSet.brettspielwelt())
    ] == [(True, True, "no", True), (False, False, "yes", False), (False, True, "yes", False)]
    assert RuleSet.pocket(target_score=500).target_score == 500
