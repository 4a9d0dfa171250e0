import pytest

from games.game import IllegalAction
from games.messages import ErrorCode
from games.tichu import _core
from games.tichu.cards import DECK, each, from_labels, from_wire, hand_order, label, parse, points, ranks, text, to_wire
from tests.games.tichu.interpreted import interpreted


def test_labels_and_wire_cards_name_every_card_and_back() -> None:
    """Rules 1.3, protocol 2."""
    cards = hand_order(DECK)
    assert from_labels(text(cards)) == cards
    assert from_wire(to_wire(cards)) == cards
    assert len({label(card) for card in cards}) == 56


@pytest.mark.parametrize("labels", ["XX", "S7 S7", "s7", "S10", "S1", "7S", "Ma,Hu"])
def test_unknown_or_repeated_labels(labels: str) -> None:
    with pytest.raises(ValueError, match="unknown or repeated"):
        parse(labels)


@pytest.mark.parametrize(
    "card",
    [[99, 1], [7, 0], [7, 5], [7, 9], [0, 1], [16, 1], [17, 0], [-1, 0], [7], [7, 1, 1], [True, 0], [7, True],
     [7.0, 1], ["7", 1], 7, True, None, "S7", {"value": 7, "suit": 1}, [[7, 1]]],
)  # fmt: skip
def test_what_is_no_card(card: object) -> None:
    """Protocol 3: JSON booleans are not ints."""
    with pytest.raises(IllegalAction) as refused:
        from_wire([[8, 1], card])
    assert (refused.value.code, refused.value.context["cards"]) == (ErrorCode.UNKNOWN_CARD, [[8, 1], card])


def test_the_same_card_twice() -> None:
    """Protocol 3: unknown cards come first."""
    with pytest.raises(IllegalAction) as refused:
        from_wire([[8, 1], [8, 1]])
    assert refused.value.code == ErrorCode.NOT_UNIQUE_CARDS
    with pytest.raises(IllegalAction) as refused:
        from_wire([[8, 1], [8, 1], [99, 1]])
    assert refused.value.code == ErrorCode.UNKNOWN_CARD


def test_ranks_leave_the_suits_out() -> None:
    assert ranks(parse("S7 R7 Hu Ma Dr Ph BA")) == (16, 15, 14, 7, 7, 1, 0)


def test_the_kernels_count_points_alike() -> None:
    """Rules 1.2."""
    piles = [*each(DECK), DECK, parse("SK BZ G5 Dr Ph"), 0]
    assert [points(pile) for pile in piles] == [_core.points(pile) for pile in piles]
    assert [points(pile) for pile in piles] == [interpreted.points(pile) for pile in piles]
