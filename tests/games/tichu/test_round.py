"""The checked layer: what it refuses, in which order, and why. (What it does: test_rules.py, test_rules_of_play.py.)"""

import pytest

from games.messages import ErrorCode
from games.tichu import _core
from games.tichu import round as rounds
from games.tichu.cards import parse
from games.tichu.rules import RuleSet
from tests.games.tichu.tables import act, dealt, exchanged, refused, table

BOMB = "S8 B8 G8 R8"


def leading() -> _core.Round:
    return table("S5 B5 Ma", "S9 B9 S4", f"{BOMB} S7", "S6 R6")


def following() -> _core.Round:
    return act(leading(), "0: plays S5")


@pytest.mark.parametrize(
    ("line", "code", "rule", "reason"),
    [
        ("1: plays S6", ErrorCode.NOT_HAND_CARD, "1.1", None),
        ("1: plays S9 S4", ErrorCode.INVALID_COMBINATION, "4.1", "not_a_combination"),
        ("1: plays S4", ErrorCode.INVALID_COMBINATION, "3.5", "does_not_beat"),
        ("1: plays S9 B9", ErrorCode.INVALID_COMBINATION, "3.5", "does_not_beat"),
        ("1: plays S9 as 8", ErrorCode.INVALID_COMBINATION, "4.1", "not_a_combination"),
        ("2: plays S7", ErrorCode.NOT_YOUR_TURN, "3.5", None),
        ("0: passes", ErrorCode.NOT_YOUR_TURN, "3.5", None),
        ("2: bombs S8 B8 G8", ErrorCode.INVALID_COMBINATION, "4.3", "not_a_combination"),
        ("1: bombs S9 B9", ErrorCode.INVALID_COMBINATION, "4.3", "not_a_combination"),
        (f"1: bombs {BOMB}", ErrorCode.NOT_HAND_CARD, "1.1", None),
        ("1: wishes 5", ErrorCode.INVALID_ACTION, "6.1", "not_now"),
        ("1: gives the dragon to 0", ErrorCode.INVALID_ACTION, "8.1", "not_now"),
        ("1: grand Tichu", ErrorCode.INVALID_ACTION, "3.1", "not_now"),
        ("1: gives S9 B9 S4", ErrorCode.INVALID_ACTION, "3.3", "not_now"),
        ("taken", ErrorCode.INVALID_ACTION, "3.6", "not_now"),
        ("1: Tichu", ErrorCode.INVALID_ANNOUNCE, "7.2", None),
    ],
)
def test_a_refusal_names_code_rule_and_reason(line: str, code: ErrorCode, rule: str, reason: str | None) -> None:
    refusal = refused(following(), line)
    assert (refusal.code, refusal.rule, refusal.context.get("reason")) == (code, rule, reason)


def test_a_play_while_something_else_is_asked() -> None:
    wishing = act(leading(), "0: plays Ma")
    assert refused(wishing, "1: passes").code == ErrorCode.INVALID_ACTION
    assert refused(dealt(), "0: passes").code == ErrorCode.INVALID_ACTION


def test_the_cards_are_named_in_the_refusal() -> None:
    assert refused(following(), "1: plays S4 S9").context["cards"] == [[9, 1], [4, 1]]


def test_exchange_cards_must_be_in_the_hand() -> None:
    round = act(dealt("Hu", "Ma"), *(f"{seat}: no grand Tichu" for seat in range(4)))
    assert refused(round, "0: gives Ma Hu S2").code == ErrorCode.NOT_HAND_CARD


def test_a_bomb_in_turn_is_a_play() -> None:
    """Protocol 3: leading, too; an open wish is then to be met."""
    hands = (f"{BOMB} S7 S2", "S3", "S4", "S5")
    assert act(table(*hands), f"0: bombs {BOMB}").owner == 0
    refusal = refused(table(*hands, wish=7, rules=RuleSet.pocket()), f"0: bombs {BOMB}")
    assert (refusal.code, refusal.rule, refusal.context["reason"]) == (ErrorCode.INVALID_COMBINATION, "6.2", "wish")


def test_what_is_no_bomb_is_refused_before_the_moment_is_looked_at() -> None:
    assert refused(leading(), "2: bombs S8 B8").code == ErrorCode.INVALID_COMBINATION
    assert refused(leading(), f"2: bombs {BOMB}").code == ErrorCode.INTERRUPT_DENIED


def test_no_bomb_before_the_first_trick() -> None:
    round = dealt("S2 B2 G2 R2")
    assert refused(round, "0: bombs S2 B2 G2 R2").context == {"reason": "not_playing", "action": "bomb"}


def test_of_two_readings_only_a_legal_one_counts() -> None:
    """Rules 4.8: the higher one beats, the lower one does not."""
    round = act(table("S7 B7 G7 S2 B2", "SK BK S3 R3 Ph", "S4", "S5"), "0: plays S7 B7 G7 S2 B2")
    refusal = refused(round, "1: plays SK BK S3 R3 Ph as 3")
    assert refusal.context["reason"] == "does_not_beat"
    act(round.copy(), "1: plays SK BK S3 R3 Ph")
    assert rounds.play(round, 1, parse("SK BK S3 R3 Ph"), rank=13) == round.trick_meta


def test_the_rank_of_a_pass_says_nothing() -> None:
    """Protocol 3."""
    round = act(table("S7 S2", "S8", "S4", "S5"), "0: plays S7")
    assert rounds.play(round, 1, 0, rank=7) == 0


def test_other_suits_than_the_listed_ones_are_as_good() -> None:
    """The kernel lists one play for each pattern; any cards of that pattern may be played."""
    round = act(table("S5 S2", "S9 B9 G9 S4", "S7", "S6"), "0: plays S5")
    (listed,) = (cards for cards, _ in round.legal_plays() if cards)
    for card in ("S9", "B9", "G9"):
        act(round.copy(), f"1: plays {card}")
    assert listed in (parse("S9"), parse("B9"), parse("G9"))


def test_a_trick_that_waits_to_be_taken_is_not_the_owners_turn() -> None:
    """Rules 3.6, 5.1."""
    round = act(following(), "1: passes", "2: passes", "3: passes")
    assert refused(round, "0: plays B5").code == ErrorCode.NOT_YOUR_TURN
    assert round.legal_plays() == []
    assert round.bombers() == 0b0100


def test_only_who_has_the_mah_jong_starts() -> None:
    """Rules 3.4."""
    round = exchanged("", "", "", "Ma")
    assert refused(round, "0: plays S2").code == ErrorCode.NOT_YOUR_TURN
    act(round, "3: plays Ma")
