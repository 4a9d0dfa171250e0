"""What networks see: the pieces, and never a hidden card."""

import doctest
from random import Random

import numpy as np
import pytest

from games.tichu import _core
from games.tichu._core import Round
from games.tichu.agents.actions import ASK_NOTHING, ASK_PARTNER, ASK_PLAY, unpacked
from games.tichu.agents.observations import BITS, HIDDEN_BITS, HIDDEN_PIECES, HIDDEN_WORDS, PIECES, WORDS, observation
from games.tichu.cards import NATURALS, parse
from games.tichu.rules import RuleSet
from games.tichu.states import PrivateState, PublicState
from tests.games.tichu.agents.test_states import with_other_hidden_cards
from tests.games.tichu.agents.uncompiled import uncompiled
from tests.games.tichu.tables import act, exchanged, random_round, table

plain_core, plain_actions, plain_observations = uncompiled(
    "games.tichu._core", "games.tichu.agents.actions", "games.tichu.agents.observations"
)


def look(
    round: Round,
    seat: int = 0,
    ask: int = ASK_NOTHING,
    gifts: tuple[int, ...] = (),
    score: tuple[list[int], list[int]] = ([], []),
    target: int = 1000,
) -> dict[str, list[int]]:
    """The bits that are set, by piece."""
    words = observation(PublicState(round, score, target), PrivateState(round, seat), ask, gifts)
    bits = unpacked(words, BITS)
    seen, first = {}, 0
    for name, width in PIECES:
        seen[name] = [int(bit) for bit in np.flatnonzero(bits[first : first + width])]
        first += width
    return seen


def places(labels: str) -> list[int]:
    """Where cards stand in a piece of 56 bits: the specials first."""
    cards = parse(labels)
    specials = [place for place, name in enumerate(("Hu", "Ma", "Dr", "Ph")) if cards & parse(name)]
    return specials + [bit - 4 for bit in range(8, 60) if cards & NATURALS & 1 << bit]


def test_the_pieces_fill_the_words() -> None:
    assert sum(width for _, width in PIECES) == BITS
    assert sum(width for _, width in HIDDEN_PIECES) == HIDDEN_BITS
    assert (WORDS, HIDDEN_WORDS) == (-(-BITS // 64), -(-HIDDEN_BITS // 64))


@pytest.mark.parametrize("rules", [RuleSet.house(), RuleSet.pocket()], ids=["house", "pocket"])
def test_cards_that_a_seat_cannot_see_change_nothing(rules: RuleSet) -> None:
    rng = Random(1)
    for seed in range(4):
        for round in random_round(seed, rules):
            if round.phase < _core.PLAY:
                continue  # the cards given lie open to the receiver alone
            for seat in range(4):
                twin = with_other_hidden_cards(round, seat, rng)
                assert look(twin, seat, ASK_PLAY) == look(round, seat, ASK_PLAY)


def test_what_others_choose_in_the_exchange_is_hidden() -> None:
    """Rules 3.3."""
    round = Round.random(3)
    for seat in range(4):
        round.decide_grand(seat, False)
    before = look(round)
    round.give(1, *[1 << int(bit) for bit in np.flatnonzero([round.hand(1) >> bit & 1 for bit in range(62)])[:3]])
    assert look(round) == before


def test_the_hand_is_seen_card_by_card_and_counted() -> None:
    seen = look(table("Hu Ph B2 R2 GA"))
    assert seen["hand"] == places("Hu Ph B2 R2 GA")
    assert seen["hand_counts"] == [0, 3, 4, 5, 52]


def test_the_top_of_the_trick_is_seen() -> None:
    round = act(exchanged("Ma S2 S7 R7", "S8 R8"), "0: plays S7 R7")
    seen = look(round, 1, ASK_PLAY)
    assert (seen["top_type"], seen["top_length"], seen["top_rank"]) == ([_core.PAIR - 1], [1], [14])
    assert seen["top_counts"] == [24, 25]
    assert (seen["ask"], seen["owner"], seen["turn"]) == ([ASK_PLAY], [3], [0])


def test_seats_are_relative() -> None:
    round = table("S2", "S3 S4", "S5 S6 S7", "S8 S9 SZ SB", calls=(1, 0, 0, 2))
    assert look(round, 0)["hand_sizes"] == [0, 14 + 1, 28 + 2, 42 + 3]
    assert look(round, 3)["hand_sizes"] == [3, 14 + 0, 28 + 1, 42 + 2]
    assert (look(round, 3)["tichu"], look(round, 3)["grand_tichu"]) == ([1], [0])


def test_points_are_levels() -> None:
    seen = look(table("S2", "S3", "S4", "S5", points=(-25, 0, 10, 100)))
    assert [bit for bit in seen["points"] if bit < 25] == []
    assert [bit for bit in seen["points"] if 25 <= bit < 50] == list(range(25, 30))
    assert [bit for bit in seen["points"] if bit >= 75] == list(range(75, 100))


def test_the_score_is_what_each_team_misses_to_the_target() -> None:
    """Rules 8.6."""
    score = ([300, 100], [-50])
    assert look(table("S2"), 0, score=score, target=500)["missing"] == [*range(2), *range(24, 35)]
    assert look(table("S2"), 1, score=score, target=500)["missing"] == [*range(11), *range(24, 26)]


def test_cards_given_are_seen_as_long_as_they_lie_there() -> None:
    round = exchanged("Ma S2 S3 S4", "S5 S6 S7")
    before = look(round, 1)["given"]
    gift = round.given(1)
    assert gift
    assert before == [gift[0].bit_length() // 4, 17 + gift[1].bit_length() // 4, 34 + gift[2].bit_length() // 4]
    row = list(round.row)
    row[_core.PLAYED_BY + 3] |= gift[1]
    assert look(Round.from_row(row), 1)["given"] == [before[0], before[2]]


def test_it_is_seen_who_has_played_which_cards() -> None:
    round = act(table("S2 R2 S3", "S4", "S5 R5 S6", "Ph SA", turn=0), "0: plays S2 R2", "1: passes", "2: plays S5 R5")
    assert look(round, 0)["played_by"] == [4, 5, 2 * 56 + 16, 2 * 56 + 17]
    assert look(round, 1)["played_by"] == [56 + 16, 56 + 17, 3 * 56 + 4, 3 * 56 + 5]
    act(round, "3: passes", "0: passes", "1: passes", "taken", "2: plays S6", "3: plays Ph")
    assert look(round, 3)["played_by"] == [3, 56 + 4, 56 + 5, 3 * 56 + 16, 3 * 56 + 17, 3 * 56 + 20]


@pytest.mark.parametrize(
    ("cards", "bits"),
    [
        ("Ma", [0]),
        ("Dr", [14]),
        ("S7 R7", [20]),
        ("S7 R7 Ph", [33]),
        ("S7 R7 B7 S2 R2", [33]),
        ("S2 R2 S3 R3", [42]),
        ("S2 S3 S4 S5 B6", [45]),
        ("S7 R7 B7 G7", []),
    ],
)
def test_it_is_seen_on_what_others_have_passed(cards: str, bits: list[int]) -> None:
    """Singles from the Mah Jong to the dragon; pairs, triples and full houses, stairs and streets from the two on."""
    lines = [f"0: plays {cards}", *(["0: wishes 2"] if cards == "Ma" else []), "1: passes", "2: passes", "3: passes"]
    round = act(table(f"{cards} GA", "S8 R8 B8 G8 GZ", "S9 R9 B9", "SB RB BB"), *lines)
    assert look(round, 0)["passed"] == [*bits, *(108 + bit for bit in bits)]
    assert look(round, 1)["passed"] == [54 + bit for bit in bits]  # not of itself, nor of who passed on a partner's


def test_passes_add_up() -> None:
    round = table("S2 S3 GA", "S4 S5 S6", "S7", "S8 S9", turn=0)
    act(round, "0: plays S2", "1: passes", "2: passes", "3: passes", "taken", "0: plays S3", "1: passes")
    assert look(round, 2)["passed"] == [1, 108 + 1, 108 + 2]


def test_a_forced_pass_looks_like_any_other() -> None:
    seen = [
        look(act(table("S7 R7 S2", hand, "S3", "S4"), "0: plays S7 R7", "1: passes"), 2) for hand in ("S8 R8", "S5 R6")
    ]
    assert seen[0] == seen[1]


def test_cards_chosen_so_far_have_left_the_hand() -> None:
    round = Round.random(5)
    for seat in range(4):
        round.decide_grand(seat, False)
    card = round.hand(0) & -round.hand(0)
    seen = look(round, 0, ASK_PARTNER, (card,))
    assert len(seen["hand"]) == 13
    assert len(seen["given"]) == 1
    assert round.count(0) == 14


def test_compiled_and_interpreted_observations_are_the_same() -> None:
    for seed in range(4):
        for round in random_round(seed, RuleSet.house()):
            plain = plain_core.Round.from_row(round.row)
            for seat in range(4):
                public, private = PublicState(round, ([seed * 100], [55])), PrivateState(round, seat)
                other = PublicState(plain, ([seed * 100], [55])), PrivateState(plain, seat)
                assert np.array_equal(plain_observations.observation(*other, 5), observation(public, private, 5))


def test_the_examples_are_right() -> None:
    failed, tried = doctest.testmod(plain_observations)
    assert failed == 0
    assert tried > 0
