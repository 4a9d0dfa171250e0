"""What agents see: the same as the kernel, and never a hidden card."""

from random import Random
from typing import Any

import pytest

from games.tichu import _core
from games.tichu._core import Round
from games.tichu.cards import DECK, each, parse, points
from games.tichu.rules import RuleSet
from games.tichu.states import PrivateState, PublicState
from tests.games.tichu.tables import act, exchanged, random_round, table


def all_of(view: PublicState | PrivateState) -> dict[str, Any]:
    """Everything that a window shows under its public names."""
    return {name: getattr(view, name) for name in dir(view) if not name.startswith("_")}


def with_other_hidden_cards(round: Round, seat: int, rng: Random) -> Round:
    """The same position for one seat: the other hands are as large, but hold other cards."""
    row = list(round.row)
    others = [other for other in range(4) if other != seat]
    cards = [card for other in others for card in each(round.hand(other))]
    rng.shuffle(cards)
    for other in others:
        row[_core.HAND + other] = sum(cards.pop() for _ in range(round.count(other)))
    return Round.from_row(row)


@pytest.mark.parametrize("seed", range(5))
def test_the_public_state_is_what_the_kernel_says(seed: int) -> None:
    for round in random_round(seed, RuleSet.house()):
        public = PublicState(round)
        assert public.count_hand_cards == tuple(round.count(seat) for seat in range(4))
        assert public.announcements == tuple(round.call(seat) for seat in range(4))
        assert public.points == tuple(round.points(seat) for seat in range(4))
        assert public.current_turn_index == round.turn
        assert public.start_player_index == round.starter
        assert public.played_cards == round.played
        assert public.wish_value == round.wish
        assert public.dragon_recipient == round.recipient
        assert public.trick_owner_index == round.owner
        assert public.trick_cards == round.top_cards
        assert public.trick_combination == round.trick_meta
        assert public.trick_points == points(round.trick_cards)
        assert public.finished == round.finished
        assert public.is_round_over == (round.phase == _core.DONE)
        assert public.is_double_victory == round.double_victory


@pytest.mark.parametrize("seed", range(5))
def test_the_private_state_is_what_the_kernel_says(seed: int) -> None:
    for round in random_round(seed, RuleSet.house()):
        for seat in range(4):
            private = PrivateState(round, seat)
            assert private.hand_cards == round.hand(seat)
            assert private.given_schupf_cards == round.given(seat)
            assert private.received_schupf_cards == round.received(seat)
            assert private.bombs == round.bombs(seat)
            assert private.can_announce == round.can_call(seat)
            assert private.legal_plays == (round.legal_plays() if round.turn == seat else [])
            assert private.hand_cards | private.hidden_cards | round.played == DECK


def test_a_window_made_at_the_deal_shows_every_later_position() -> None:
    round = exchanged("Ma S2 S3 S4", "S5")
    public, private = PublicState(round), PrivateState(round, 0)
    act(round, "0: plays S2")
    assert (public.played_cards, private.hand_cards & parse("S2 S3")) == (parse("S2"), parse("S3"))


def test_the_first_and_the_last_one_out_have_names() -> None:
    round = table("S2", "S3 S4", "S5", "S6 S7")
    public = PublicState(round)
    assert (public.winner_index, public.loser_index) == (-1, -1)
    act(round, "0: plays S2")
    assert (public.winner_index, public.loser_index) == (0, -1)
    act(round, "1: plays S3", "2: passes", "3: passes", "taken", "1: plays S4")
    assert (public.winner_index, public.loser_index) == (0, -1)
    act(round, "2: plays S5")
    assert (public.winner_index, public.loser_index, public.is_round_over) == (0, 3, True)


def test_the_wish_may_be_omitted_where_the_rules_say_so() -> None:
    """Rules 9."""
    assert PublicState(table("S2")).wish_required
    assert not PublicState(table("S2", rules=RuleSet.pocket())).wish_required


@pytest.mark.parametrize("rules", [RuleSet.house(), RuleSet.pocket()], ids=["house", "pocket"])
def test_nothing_that_a_seat_sees_depends_on_hidden_cards(rules: RuleSet) -> None:
    rng = Random(1)
    for round in random_round(7, rules):
        if round.phase < _core.PLAY:
            continue  # the cards given lie open to the receiver alone
        for seat in range(4):
            twin = with_other_hidden_cards(round, seat, rng)
            assert all_of(PublicState(twin)) == all_of(PublicState(round))
            assert all_of(PrivateState(twin, seat)) == all_of(PrivateState(round, seat))
