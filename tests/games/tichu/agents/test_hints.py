"""What networks are told of answers: in how many turns a hand can be played out, now and then."""

import doctest
from hashlib import sha256
from itertools import chain

import numpy as np
import pytest

from arena.batch import Batch
from games.tichu._core import EXCHANGE, PLAY, Round
from games.tichu.agents import hints as module
from games.tichu.agents import observations
from games.tichu.agents.actions import (
    ACTIONS,
    ASK_BOMB,
    ASK_LEFT,
    ASK_PLAY,
    ASK_RIGHT,
    DRAGONS,
    GRANDS,
    NO_BOMB,
    TICHUS,
    WISHES,
    decision,
    id_of,
    legal_mask,
    unpacked,
)
from games.tichu.agents.hints import HANDS_BITS, HINT_BITS, HINT_PIECES, TURNS_BITS, all_turns, hints, own_turns
from games.tichu.agents.observations import PIECES, observation
from games.tichu.agents.outlook import Outlook
from games.tichu.cards import DECK
from games.tichu.rules import RuleSet
from games.tichu.states import PrivateState, PublicState
from tests.games.tichu.agents.uncompiled import uncompiled
from tests.games.tichu.tables import random_round, table

*_, plain_hints = uncompiled(
    "games.tichu._core",
    "games.tichu.agents.actions",
    "games.tichu.agents.observations",
    "games.tichu.agents.outlook",
    "games.tichu.agents.hints",
)

TURNS = [-0.75 + 0.25 * step for step in range(8)] + [1.5 + 0.5 * step for step in range(12)]
SAVED = [-2.5 + 0.5 * step for step in range(4)] + [-0.875 + 0.125 * step for step in range(18)]
EIGHTHS = [0.125 * step for step in range(1, 9)]


def reached(value: float, steps: list[float]) -> int:
    return sum(value >= step for step in steps)


def told(round: Round, seat: int, ask: int) -> dict[int, dict[str, int]]:
    """How many bits each piece has, by the id of each legal answer."""
    words = observation(PublicState(round), PrivateState(round, seat), ask)[None]
    ids = np.flatnonzero(unpacked(legal_mask(round, seat, ask), ACTIONS))
    bits = unpacked(hints(words, np.zeros_like(ids), ids), HINT_BITS)
    found = {}
    for id, row in zip(ids.tolist(), bits, strict=True):
        pieces, first = {}, 0
        for name, width in HINT_PIECES:
            piece = row[first : first + width]
            assert (np.diff(piece.astype(int)) <= 0).all()  # levels have no gaps
            pieces[name] = int(piece.sum())
            first += width
        found[id] = pieces
    return found


def outlook_of(round: Round, seat: int) -> Outlook:
    right, partner, left = (round.count((seat + away) % 4) for away in (1, 2, 3))
    return Outlook(DECK & ~round.hand(seat) & ~round.played, (right, left), partner)


def test_the_pieces_fill_the_word() -> None:
    assert sum(width for _, width in HINT_PIECES) == HINT_BITS <= 63
    assert dict(HINT_PIECES)["turns"] == TURNS_BITS == len(TURNS)
    assert 4 * TURNS_BITS == HANDS_BITS


def test_pieces_of_the_observation_stand_where_they_are_read() -> None:
    first = {}
    at = 0
    for name, width in PIECES:
        first[name] = at
        at += width
    for name in ("hand", "hidden", "top_type", "top_length", "top_rank", "hand_sizes"):
        assert getattr(module, f"SEES_{name.upper()}") == first[name]


@pytest.mark.parametrize("seed", range(6))
def test_each_play_tells_what_it_leaves(seed: int) -> None:
    """Against the kernel's own cards. A play of the same cards but for suits leaves as many turns, unless a street of
    one suit is about."""
    for round in random_round(seed, RuleSet.house()):
        seat = round.turn
        if seat < 0 or round.phase != 2 or not round.legal_plays():
            continue
        outlook = outlook_of(round, seat)
        hand = round.hand(seat)
        found = told(round, seat, ASK_PLAY)
        for cards, meta in round.legal_plays():
            said = found[id_of(cards, meta)]
            left = hand & ~cards
            if not cards:
                assert said["stands"] == said["out"] == 0
                assert said["top_stands"] == reached(outlook.stands(round.trick_meta), EIGHTHS)
            else:
                assert said["stands"] == reached(outlook.stands(meta), EIGHTHS)
                assert said["out"] == (left == 0)
                assert said["top_stands"] == 0
            if not any_suited(hand):
                turns = outlook.turns(left)
                assert said["turns"] == reached(turns, TURNS)
                assert said["saved"] == reached(outlook.turns(hand) - turns, SAVED)


def any_suited(cards: int) -> bool:
    suits = [cards >> suit & 0x0111_1111_1111_1100 for suit in range(4)]
    return any(of & of >> 4 & of >> 8 & of >> 12 & of >> 16 for of in suits)


def test_a_gift_tells_what_it_leaves() -> None:
    round = Round.random(5)
    for seat in range(4):
        round.decide_grand(seat, False)
    assert round.phase == EXCHANGE
    outlook = Outlook(DECK & ~round.hand(2))
    for ask in range(ASK_RIGHT, ASK_LEFT + 1):
        for id, said in told(round, 2, ask).items():
            turns = outlook.turns(round.hand(2) & ~decision(round, 2, ask, id))
            assert said["turns"] == reached(turns, TURNS)
            assert said["stands"] == said["top_stands"] == said["out"] == 0


def test_only_the_yes_to_a_call_tells_of_the_hand_and_a_wish_of_nothing() -> None:
    words = observation(PublicState(round := Round.random(1)), PrivateState(round, 0), 0)[None]
    ids = [TICHUS, TICHUS + 1, GRANDS, GRANDS + 1, WISHES, WISHES + 5, DRAGONS, DRAGONS + 1]
    found = hints(words, [0] * len(ids), ids)[:, 0].tolist()
    assert [word != 0 for word in found] == [False, True, False, True, False, False, False, False]
    assert found[1] == found[3] == own_turns(words)[0, 0]


def test_who_does_not_bomb_keeps_his_hand() -> None:
    assert told(table("S2 R2 G2 B2 SA"), 0, ASK_BOMB)[NO_BOMB]["saved"] == reached(0, SAVED)


def test_answers_belong_to_the_decisions_of_their_rows() -> None:
    batch = Batch(32, 3)
    for _ in range(60):
        batch.step(batch.random_ids())
    batch.observe()
    rows, ids = unpacked(batch.legal, ACTIONS).nonzero()
    together = hints(batch.observations, rows, ids)
    assert together.shape == (len(ids), 1)
    for row in range(32):
        own = ids[rows == row]
        alone = hints(batch.observations[row : row + 1], np.zeros_like(own), own)
        assert (together[rows == row] == alone).all()


def test_the_critic_is_told_of_all_hands() -> None:
    batch = Batch(16, 4)
    for _ in range(80):
        batch.step(batch.random_ids())
    batch.observe()
    found = unpacked(all_turns(batch.hidden), HANDS_BITS).reshape(16, 4, TURNS_BITS).sum(axis=2)
    for i, row in enumerate(batch.rows):
        round = Round.from_row(row)
        if round.phase < 2:
            continue
        hands = [round.hand(seat) for seat in range(4)]
        if any(any_suited(hand) for hand in hands):
            continue  # counts know no suits
        for away in range(4):
            seat = (int(batch.seats[i]) + away) % 4
            right, partner, left = (hands[(seat + other) % 4] for other in (1, 2, 3))
            counts = [cards.bit_count() for cards in (right, partner, left)]
            outlook = Outlook(right | partner | left, (counts[0], counts[2]), counts[1])
            assert found[i, away] == reached(outlook.turns(hands[seat]), TURNS)


def test_compiled_and_interpreted_hints_are_the_same() -> None:
    batch = Batch(48, 9)
    for _ in range(30):
        batch.step(batch.random_ids())
        batch.observe()
        rows, ids = unpacked(batch.legal, ACTIONS).nonzero()
        for name, arguments in {
            "hints": (batch.observations, rows, ids),
            "own_turns": (batch.observations,),
            "all_turns": (batch.hidden,),
        }.items():
            assert (getattr(module, name)(*arguments) == getattr(plain_hints, name)(*arguments)).all()


def test_no_decisions_have_no_hints() -> None:
    nothing = np.zeros((0, observations.WORDS), dtype=np.uint64)
    none = np.zeros(0, dtype=np.int64)
    assert hints(nothing, none, none).shape == own_turns(nothing).shape == (0, 1)


def test_the_policy_of_the_package_has_learned_from_these_hints() -> None:
    """No file of weights holds them: if they mean something else now, that policy is to be trained anew."""
    found = sha256()
    bombs = table("G2 R2 B2 S2 G9", "G3 R3 B3 S3 G5 R6", "G4 G5 G6 G7 G8 RK BK", "GA RA BA SA Ph")
    for round in chain(*(random_round(seed, RuleSet.house()) for seed in range(4)), [bombs]):
        for seat in range(4):
            if round.phase == PLAY and round.hand(seat):
                words = observation(PublicState(round), PrivateState(round, seat), ASK_PLAY)[None]
                ids = np.flatnonzero(unpacked(legal_mask(round, seat, ASK_PLAY), ACTIONS))
                for bits in own_turns(words), hints(words, np.zeros_like(ids), ids):
                    found.update(bits.astype("<u8").tobytes())
    assert found.hexdigest() == "c42e3a2f1d366e3167a4021a886a3c19e42bdf7edf9d157133566d870b8d868f"


def test_the_examples_of_the_docstrings() -> None:
    assert doctest.testmod(plain_hints).failed == 0
