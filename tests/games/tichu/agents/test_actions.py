"""Action ids: one to one with what the kernel allows, and what they say of themselves."""

import doctest
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

from games.tichu import _core
from games.tichu._core import Round, legal_plays
from games.tichu.agents.actions import (
    ACTIONS,
    ASK_BOMB,
    ASK_DRAGON,
    ASK_GRAND,
    ASK_LEFT,
    ASK_PARTNER,
    ASK_PLAY,
    ASK_RIGHT,
    ASK_TICHU,
    ASK_WISH,
    CARD_KINDS,
    DESCRIPTOR_PIECES,
    DESCRIPTORS,
    GIFTS,
    GRANDS,
    NO_BOMB,
    PATTERNS,
    TICHUS,
    WISHES,
    card_of,
    decision,
    do,
    id_of,
    legal_mask,
    unpacked,
    with_gifts,
)
from games.tichu.cards import DECK, NATURALS, PHOENIX, each, parse, text, value
from games.tichu.rules import RuleSet
from tests.games.tichu.agents.uncompiled import uncompiled
from tests.games.tichu.tables import exchanged, random_round, table

RULE_SETS = [RuleSet.house(), RuleSet.pocket()]
plain_core, plain_actions = uncompiled("games.tichu._core", "games.tichu.agents.actions")


def positions(seeds: range) -> Iterator[Round]:
    """Every position of some rounds, under the rules in turn."""
    for seed in seeds:
        yield from random_round(seed, RULE_SETS[seed % 2])


def ids(round: Round, seat: int, ask: int) -> list[int]:
    return [int(id) for id in np.flatnonzero(unpacked(legal_mask(round, seat, ask), ACTIONS))]


def questions(round: Round) -> Iterator[tuple[int, int]]:
    """Seats and what each can be asked in a position."""
    turn = round.turn
    for seat in range(4):
        if round.phase == _core.GRAND and not round.decided(seat):
            yield seat, ASK_GRAND
        if round.phase == _core.EXCHANGE and not round.decided(seat):
            yield seat, ASK_RIGHT
        if round.phase == _core.PLAY and round.bombs(seat) and (seat != turn or turn == round.owner):
            yield seat, ASK_BOMB
    if round.phase == _core.PLAY and turn != round.owner:
        yield turn, ASK_PLAY
        if round.can_call(turn):
            yield turn, ASK_TICHU
    if round.phase == _core.WISH:
        yield turn, ASK_WISH
    if round.phase == _core.DRAGON:
        yield turn, ASK_DRAGON


# --- plays ------------------------------------------------------------------------------------------------------------


def test_plays_of_one_position_never_share_an_id() -> None:
    for seed in range(400):
        hand = Round.random(seed).fourteen(0) | (PHOENIX if seed % 2 else 0)
        for top in (0, *(meta for _, meta in legal_plays(Round.random(-seed).fourteen(1), 0, 0, 0)[::9])):
            plays = legal_plays(hand, top, 0, 0)
            assert len({id_of(*play) for play in plays}) == len(plays)


def test_every_id_of_a_play_is_needed() -> None:
    """The whole deck holds every pattern; its stairs of more than fourteen cards are in no hand."""
    plays = [play for play in legal_plays(DECK, 0, 0, 0) if play[1] >> 8 & 0xFF <= 14]
    assert sorted(id_of(*play) for play in plays) == list(range(1, NO_BOMB))


def test_an_id_means_the_same_in_every_hand() -> None:
    for round in positions(range(60)):
        for cards, meta in round.legal_plays():
            pattern = PATTERNS[id_of(cards, meta)]
            if cards != PHOENIX:
                assert (pattern.kind, pattern.length, pattern.rank) == (
                    meta >> 16 & 0xFF,
                    meta >> 8 & 0xFF,
                    meta % 256 // 2,
                )
                assert pattern.phoenix == meta >> 24
            naturals = Counter(value(card) for card in each(cards & ~PHOENIX))
            assert {rank: pattern.count(rank) for rank in range(16) if pattern.count(rank)} == dict(naturals)
            assert (pattern.phoenix > 0) == (cards & PHOENIX != 0)


def test_streets_that_are_bombs_differ_by_suit() -> None:
    """Rules 4.4: which suit stays in the hand matters."""
    plays = legal_plays(parse("S2 S3 S4 S5 S6 R2 R3 R4 R5 R6"), 0, 0, 0)
    bombs = [id_of(*play) for play in plays if play[1] >> 16 & 0xFF == _core.BOMB]
    assert [PATTERNS[id].suit for id in bombs] == [0, 3]


def test_the_play_of_an_id_is_the_one_that_the_kernel_lists() -> None:
    """To the suit: what breaks no bomb is the kernel's choice."""
    for round in positions(range(60)):
        if round.phase == _core.PLAY and round.turn != round.owner:
            for play in round.legal_plays():
                assert decision(round, round.turn, ASK_PLAY, id_of(*play)) == play
        for seat in range(4):
            for bomb in round.bombs(seat):
                assert decision(round, seat, ASK_BOMB, id_of(*bomb)) == bomb
    for seed in range(200):
        round = table(text(Round.random(seed).fourteen(0) | PHOENIX))
        for play in round.legal_plays():
            assert decision(round, 0, ASK_PLAY, id_of(*play)) == play


# --- answers ----------------------------------------------------------------------------------------------------------


def test_what_is_marked_is_what_the_kernel_lists() -> None:
    for round in positions(range(30)):
        for seat, ask in questions(round):
            if ask == ASK_PLAY:
                assert ids(round, seat, ask) == sorted(id_of(*play) for play in round.legal_plays())
            if ask == ASK_BOMB:
                assert ids(round, seat, ask) == [*sorted(id_of(*play) for play in round.bombs(seat)), NO_BOMB]


def test_an_answer_does_what_the_same_decision_of_an_agent_does() -> None:
    rng = Random(1)
    for round in positions(range(40)):
        for seat, ask in questions(round):
            if ask == ASK_RIGHT:
                continue
            id = rng.choice(ids(round, seat, ask))
            answer = decision(round, seat, ask, id)
            one, other = round.copy(), round.copy()
            do(one, seat, ask, id)
            told(other, seat, ask, answer)
            assert one.row == other.row


def told(round: Round, seat: int, ask: int, answer: Any) -> None:
    """As :func:`games.tichu.simulate.play_round` does it."""
    if ask == ASK_GRAND:
        round.decide_grand(seat, answer)
    elif ask == ASK_TICHU and answer:
        round.announce(seat)
    elif ask == ASK_WISH:
        round.make_wish(answer)
    elif ask == ASK_DRAGON:
        round.give_dragon(answer)
    elif ask in (ASK_PLAY, ASK_BOMB) and answer is not None:
        round.play(seat, *answer)


def test_three_cards_chosen_one_by_one_are_the_exchange() -> None:
    """Rules 3.3."""
    rng = Random(2)
    for seed in range(50):
        round = Round.random(seed)
        for seat in range(4):
            do(round, seat, ASK_GRAND, GRANDS)
        one, other = round.copy(), round.copy()
        for seat in range(4):
            gifts: list[int] = []
            for ask in (ASK_RIGHT, ASK_PARTNER, ASK_LEFT):
                id = rng.choice(ids(one, seat, ask))
                seen = with_gifts(other, seat, gifts)
                assert ids(seen, seat, ask) == ids(one, seat, ask)
                gifts.append(decision(seen, seat, ask, id))
                do(one, seat, ask, id)
            other.give(seat, *gifts)
        assert one.row == other.row


def test_a_card_is_given_by_its_kind() -> None:
    hand = parse("Hu Ma S2 R7 B7 GA Dr Ph")
    kinds = [text(card_of(hand, kind)) for kind in (0, 1, 2, 7, 14, 15, 16)]
    assert kinds == ["Hu", "Ma", "S2", "B7", "GA", "Dr", "Ph"]
    assert [card_of(hand, kind) for kind in (3, 8, 13)] == [0, 0, 0]


def test_a_card_that_is_given_breaks_no_bomb_if_there_is_another() -> None:
    assert text(card_of(parse("S2 S3 S4 S5 S6 R4"), 4)) == "R4"


def test_the_wish_may_be_omitted_where_the_rules_say_so() -> None:
    """Rules 6.1 and 9."""
    for rules in RULE_SETS:
        round = exchanged("Ma S2 S3 S4", rules=rules)
        round.play(0, *next(play for play in round.legal_plays() if play[0] == parse("Ma")))
        assert (WISHES in ids(round, 0, ASK_WISH)) != rules.wish_required


def test_all_kinds_in_the_hand_may_be_given() -> None:
    round = table("Hu Ma S2 R2 GA Dr Ph")
    assert ids(round, 0, ASK_LEFT) == [GIFTS + 2 * CARD_KINDS + kind for kind in (0, 1, 2, 14, 15, 16)]


# --- descriptors ------------------------------------------------------------------------------------------------------


def test_no_two_ids_are_described_alike() -> None:
    assert DESCRIPTORS.shape == (ACTIONS, sum(width for _, width in DESCRIPTOR_PIECES))
    assert len(np.unique(DESCRIPTORS, axis=0)) == ACTIONS


def test_a_description_holds_the_cards_of_the_play() -> None:
    columns = DESCRIPTORS[:, -56:]
    for cards, meta in legal_plays(parse("Hu Ma S2 R2 G2 B2 S3 S4 S5 S6 Dr Ph"), 0, 0, 0):
        described = columns[id_of(cards, meta)]
        assert described.sum() == cards.bit_count()
        assert described[4:].sum() == (cards & NATURALS).bit_count()


@pytest.mark.parametrize(
    ("id", "type", "other"), [(0, 0, None), (NO_BOMB, None, 0), (TICHUS, None, 3), (GIFTS, None, 5)]
)
def test_an_id_is_a_play_or_another_answer(id: int, type: int | None, other: int | None) -> None:
    types = [list(np.flatnonzero(DESCRIPTORS[id, first : first + 8])) for first in (0, 8)]
    assert types == [[] if number is None else [number] for number in (type, other)]


# --- compiled and interpreted -----------------------------------------------------------------------------------------


def test_compiled_and_interpreted_tables_are_the_same() -> None:
    assert plain_actions.id_of is not id_of
    assert plain_actions.PATTERNS == PATTERNS
    assert np.array_equal(plain_actions.DESCRIPTORS, DESCRIPTORS)


def test_compiled_and_interpreted_answers_are_the_same() -> None:
    rng = Random(3)
    for round in positions(range(6)):
        other = plain_core.Round.from_row(round.row)
        for seat, ask in questions(round):
            assert np.array_equal(plain_actions.legal_mask(other, seat, ask), legal_mask(round, seat, ask))
            id = rng.choice(ids(round, seat, ask))
            assert plain_actions.decision(other, seat, ask, id) == decision(round, seat, ask, id)


def test_the_examples_are_right() -> None:
    failed, tried = doctest.testmod(plain_actions)
    assert failed == 0
    assert tried > 0
