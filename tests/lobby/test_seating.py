"""Who sits where (protocol 1, 5)."""

from dataclasses import dataclass

import pytest

from lobby.seating import Seating, clean_name, name_key


@dataclass(frozen=True)
class Somebody:
    name: str


ANNA, BEN, CLEO = Somebody("Anna"), Somebody("Ben"), Somebody("Cleo")
EMPTY: Seating[Somebody] = Seating.empty(["RuleAgent", "RuleAgent", "RandomAgent", "RuleAgent"])


def test_agents_are_named_after_kind_and_seat():
    assert EMPTY.names == ["RuleAgent_1", "RuleAgent_2", "RandomAgent_3", "RuleAgent_4"]


def test_the_first_one_who_sits_down_is_host():
    seating = EMPTY.sit(ANNA, 0).sit(BEN, 1)
    assert seating.host == 0
    assert seating.names[:2] == ["Anna", "Ben"]


def test_the_first_seat_of_an_agent_is_free():
    assert EMPTY.free_seat() == 0
    assert EMPTY.sit(ANNA, 0).sit(BEN, 2).free_seat() == 1


def test_who_knows_the_cards_of_a_seat_may_have_that_one_only():
    seating = EMPTY.sit(ANNA, 0)
    assert seating.free_seat(only=2) == 2
    assert seating.sit(BEN, 2).free_seat(only=2) is None


def test_the_host_is_followed_by_the_next_person_round_the_table():
    seating = EMPTY.sit(ANNA, 2).sit(BEN, 1).sit(CLEO, 0)
    assert seating.stand_up(2).host == 0
    assert seating.stand_up(2).stand_up(0).host == 1


def test_without_people_there_is_no_host():
    assert EMPTY.sit(ANNA, 0).stand_up(0).host == -1


def test_a_guest_who_leaves_takes_no_host_along():
    assert EMPTY.sit(ANNA, 0).sit(BEN, 1).stand_up(1).host == 0


def test_a_swap_moves_people_and_agents():
    seating = EMPTY.sit(ANNA, 0).sit(BEN, 1).swap(1, 2)
    assert seating.names == ["Anna", "RandomAgent_2", "Ben", "RuleAgent_4"]
    assert seating.seat_of(BEN) == 2


def test_a_seating_never_changes():
    seating = EMPTY.sit(ANNA, 0)
    seating.sit(BEN, 1)
    assert seating.persons == [ANNA]


@pytest.mark.parametrize("name", ["Anna", "anna", "ANNA", "An\u200bna", "Ａnna", "RuleAgent_4", "ruleagent_1"])
def test_names_that_look_alike_are_one_name(name):
    assert EMPTY.sit(ANNA, 0).is_taken(name, ["RuleAgent"])


def test_another_name_is_free():
    assert not EMPTY.sit(ANNA, 0).is_taken("Ann", ["RuleAgent"])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  Anna ", "Anna"),
        ("Anna\t von  Ort", "Anna von Ort"),
        ("ﬁn", "fin"),  # a ligature
        ("Anna\u202e", "Anna"),  # reads backwards
        ("__proto__", "__proto__"),
        ("<script>", "<script>"),
        ("שלום", "שלום"),
        ("👩‍👩‍👧‍👦" * 20, "👩‍👩‍👧‍👦" * 20),
        ("x" * 30, "x" * 30),
        ("e\u0301" * 30, "é" * 30),
    ],
)
def test_a_name_is_what_one_sees_of_it(text, name):
    assert clean_name(text) == name


@pytest.mark.parametrize("text", ["", "  ", "\u200b", "\u3164", "\u2800", "\ufe0f", "\x00", "x" * 31, "é" * 31])
def test_a_name_has_1_to_30_characters_that_one_sees(text):
    with pytest.raises(ValueError, match="1 to 30"):
        clean_name(text)


def test_one_character_can_be_only_so_long():
    with pytest.raises(ValueError, match="1 to 30"):
        clean_name("e" + "\u0302" * 1000)


@pytest.mark.parametrize(("one", "other"), [("Straße", "STRASSE"), ("İstanbul", "i̇stanbul"), ("ﬀ", "FF")])
def test_keys_ignore_case_and_compatible_forms(one, other):
    assert name_key(clean_name(one)) == name_key(clean_name(other))
