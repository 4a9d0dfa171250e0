"""How a hand can be played out."""

import pytest

from games.tichu._core import PLAY, legal_plays
from games.tichu.agents.outlook import Outlook
from games.tichu.cards import DECK, PHOENIX, parse
from games.tichu.combinations import recognise
from games.tichu.rules import RuleSet
from tests.games.tichu.interpreted import interpreted_outlook
from tests.games.tichu.tables import random_round


def outlook(hidden: str, opponents: tuple[int, int] = (14, 14), partner: int = 14) -> Outlook:
    return Outlook(parse(hidden), opponents, partner)


def stands(cards: str, against: Outlook) -> float:
    meta = recognise(parse(cards))
    assert meta is not None
    return against.stands(meta)


@pytest.mark.parametrize(
    ("cards", "hidden", "certain"),
    [
        ("SK", "SD RB S2", True),
        ("SK", "SA", False),
        ("SA", "Dr", False),
        ("SA", "Ph", False),
        ("Dr", "Ph SA RA", True),
        ("SK RK", "SA BK GK", True),
        ("SK RK", "SA RA", False),
        ("SK RK", "SA Ph", False),
        ("SA RA", "BA GA Ph", True),
        ("SD RD BD", "SK RK BK", False),
        ("SD RD BD", "SK RK SA", True),
        ("SD RD BD S2 R2", "SK RK Ph", False),
        ("S3 R3 S4 R4", "S5 R5 S6 R7", True),
        ("S3 R3 S4 R4", "S5 R5 S6 R6", False),
        ("S3 R4 S5 R6 S7", "R4 R5 B6 B7 R8", False),
        ("S3 R4 S5 R6 S7", "R4 R5 B6 R8", True),
        ("S3 R4 S5 R6 S7", "R4 R5 B6 R8 Ph", False),
    ],
)
def test_a_combination_stands_for_certain_if_no_higher_one_is_hidden(cards: str, hidden: str, certain: bool) -> None:
    assert (stands(cards, outlook(hidden)) == pytest.approx(1)) == certain


def test_a_combination_longer_than_the_opponents_hands_stands() -> None:
    against = outlook("SA RA BK", opponents=(1, 0))
    assert stands("SD RD", against) == pytest.approx(1)
    assert stands("SD", against) < 1


def test_the_dog_never_stands() -> None:
    assert stands("Hu", outlook("S2")) == 0


def test_the_more_the_partner_holds_the_better_a_combination_stands() -> None:
    assert stands("SK", outlook("SA RA", (2, 2), partner=9)) > stands("SK", outlook("SA RA", (9, 9), partner=2))


def test_a_street_takes_one_turn_not_five() -> None:
    against = Outlook(DECK & ~parse("S3 R4 S5 R6 S7"))
    assert against.turns(parse("S3 R4 S5 R6 S7")) < 1.2 < against.turns(parse("S3 R4 S5 R6 S9"))


def test_the_phoenix_fills_a_gap_of_a_street() -> None:
    against = Outlook(DECK & ~parse("S3 R4 S5 S7 Ph"))
    assert against.turns(parse("S3 R4 S5 S7 Ph")) < 1.2


def test_a_hand_that_nobody_beats_needs_no_turn() -> None:
    assert outlook("S2 R2").turns(parse("SA RA SK RK")) <= 0


def test_more_cards_of_low_ranks_need_more_turns() -> None:
    against = outlook("SA RA BA GA SK RK BK GK SD RD BD GD")
    turns = [against.turns(parse(cards)) for cards in ("S2", "S2 S4", "S2 S4 S6", "S2 S4 S6 S8")]
    assert turns == sorted(turns)


@pytest.mark.parametrize(
    ("cards", "home"),
    [
        ("", True),
        ("S2", True),
        ("S2 R2 B2 S3 R3", True),
        ("SA S2", True),
        ("S2 S3", False),
        ("SA RA S2 S3", False),
        ("SA RA BA S2", True),
        ("Dr SA S3 R3", True),
    ],
)
def test_a_hand_is_home_if_all_but_its_last_combination_stand(cards: str, home: bool) -> None:
    assert outlook("SK RK BK GK SD RD BD GD").is_home(parse(cards)) == home


def test_what_is_one_combination_takes_one_turn_at_most() -> None:
    """The phoenix apart: it is counted by itself. ``is_home`` relies on that."""
    against = Outlook(DECK)
    combinations = [cards for cards, _ in legal_plays(DECK & ~PHOENIX, 0, 0, 0)]
    assert len(combinations) > 300
    assert max(against.turns(cards) for cards in combinations) <= 1


@pytest.mark.parametrize("seed", range(10))
def test_compiled_and_interpreted_outlooks_are_equal_to_the_last_bit(seed: int) -> None:
    for round in random_round(seed, RuleSet.house()):
        if round.phase == PLAY:
            hand, right, partner, left = ((round.turn + away) % 4 for away in range(4))
            around = DECK & ~round.played & ~round.hand(hand), (round.count(right), round.count(left))
            compiled = Outlook(*around, round.count(partner))
            other = interpreted_outlook.Outlook(*around, round.count(partner))
            for cards, meta in [*legal_plays(round.hand(hand), 0, 0, 0), (0, 0)]:
                rest = round.hand(hand) & ~cards
                assert compiled.turns(rest) == other.turns(rest)
                assert compiled.is_home(rest) == other.is_home(rest)
                assert compiled.stands(meta) == other.stands(meta)


def test_the_interpreted_outlook_is_not_the_compiled_one() -> None:
    assert interpreted_outlook.__file__.endswith(".py")
    assert interpreted_outlook.Outlook is not Outlook
