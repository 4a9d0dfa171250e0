import random
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import GameEngine
from games.game import IllegalAction
from games.tichu import _core, notation
from games.tichu._core import Round
from games.tichu.cards import each, parse
from games.tichu.cards import text as labels_of
from games.tichu.combinations import Combination, CombinationType
from games.tichu.game import Options, Tichu
from games.tichu.notation import Move, actions_of, moves_of
from games.tichu.rules import RuleSet

ROUND = """\
deal
  S2 B3 G4 R5 S6 B7 G8 R9 + SZ BB GD RK SA Hu
  Ma B2 S3 B4 S5 B6 S7 B8 + S9 BZ SB BD SK BA
  Dr G2 R2 G3 R3 S4 R4 B5 + G5 G6 R6 G7 R7 S8
  Ph R8 B9 G9 GZ RZ GB RB + SD RD BK GK GA RA
0: no grand Tichu
1: grand Tichu
2: no grand Tichu
3: no grand Tichu
0: gives Hu S2 G4
2: gives G2 R2 Dr
1: gives S3 B2 B4
3: gives R8 B9 G9
"""
PLAY = """\
1: plays Ma
2: Tichu
1: wishes 13
1: wishes 0
2: passes
3: plays Ph SK as 13
0: bombs S8 B8 G8 R8
taken
1: gives the dragon to 0
end
"""


def test_a_text_and_its_actions_are_the_same() -> None:
    actions = notation.parse(ROUND + PLAY)
    assert len(actions) == 19
    assert notation.text(actions) == ROUND + PLAY
    assert actions[0][0] is None
    assert actions[0][1]["hands"][0] == "S2 B3 G4 R5 S6 B7 G8 R9 SZ BB GD RK SA Hu"
    assert actions[14] == (3, {"action": "play", "cards": [[16, 0], [13, 1]], "rank": 13})


def test_comments_and_empty_lines_mean_nothing() -> None:
    assert notation.parse("# a round\n\n  1: passes  # why not\n") == [(1, {"action": "play", "cards": []})]


@pytest.mark.parametrize(
    "line",
    [
        "4: passes", "passes", "1: taken", "0: deal", "1: plays", "1: plays S10", "1: plays S7 S7", "1: plays S7 as",
        "1: wishes", "1: wishes x", "1: gives the dragon to 4", "1: dances", "1 passes", "deal", "deal\n  S2 + S3",
        f"deal{ROUND.splitlines()[1]}",
    ],
)  # fmt: skip
def test_a_line_that_says_nothing(line: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        notation.parse(line)


def test_what_is_no_action_has_no_text() -> None:
    with pytest.raises(ValueError, match="no action"):
        notation.text([(0, {"action": "dance"})])


def test_a_match_is_replayed_from_its_text() -> None:
    rng = random.Random(4)
    options = Options(target_score=100)
    engine = GameEngine(Tichu(), options)
    actions = []
    while engine.result is None:
        if engine.pause is not None:
            step = engine.proceed(rng)
        else:
            seat = rng.choice(list(engine.requests))
            step = engine.prepare(seat, Tichu().fallback(engine.state, seat))
        actions.append((step.seat, step.action))
        engine.commit(step)
    assert sum(action["action"] == "deal" for _, action in actions) >= 1
    again = GameEngine.replay(Tichu(), options, notation.parse(notation.text(actions)))
    assert again.state.round.row == engine.state.round.row
    assert again.result == engine.result


# --- a round and its moves --------------------------------------------------------------------------------------------


@dataclass
class Played:
    """A round in which all seats chose at random, and what they did."""

    dealt: Round
    round: Round
    moves: list[Move]


def played(seed: int, rules: RuleSet) -> Played:
    """Calls come at any time, also before a trick is taken, and half of the chances to bomb are used."""
    rng = random.Random(seed)
    round = Round.random(seed, rules.flags)
    dealt = round.copy()
    moves: list[Move] = []
    while round.phase != _core.DONE:
        if move := chosen(round, rng):
            moves.append(move)
    return Played(dealt, round, moves)


def chosen(round: Round, rng: random.Random) -> Move | None:
    """Does something, which is a move unless a trick was taken."""
    undecided = [seat for seat in range(4) if not round.decided(seat)]
    callers = [seat for seat in range(4) if round.can_call(seat)]
    turn = round.turn
    bombs = [(seat, bomb) for seat in range(4) for bomb in round.bombs(seat) if seat != turn or turn == round.owner]
    if callers and rng.random() < 0.05:
        seat = rng.choice(callers)
        round.announce(seat)
        return seat, "announce", True
    if round.phase == _core.GRAND:
        seat, calls = rng.choice(undecided), rng.random() < 0.1
        round.decide_grand(seat, calls)
        return seat, "grand", calls
    if round.phase == _core.EXCHANGE:
        seat = rng.choice(undecided)
        right, partner, left = rng.sample(list(each(round.hand(seat))), 3)
        round.give(seat, right, partner, left)
        return seat, "schupf", (right, partner, left)
    if round.phase == _core.WISH:
        wish = rng.randint(2 if round.rules & _core.WISH_REQUIRED else 0, 14)
        round.make_wish(max(wish, 2) if wish else 0)
        return turn, "wish", round.wish
    if round.phase == _core.DRAGON:
        recipient = (turn + rng.choice([1, 3])) % 4
        round.give_dragon(recipient)
        return turn, "dragon", recipient
    if bombs and rng.random() < 0.5:
        seat, bomb = rng.choice(bombs)
        round.play(seat, *bomb)
        return seat, "bomb", bomb
    if turn == round.owner:
        round.take()
        return None
    play = rng.choice(round.legal_plays())
    round.play(turn, *play)
    return turn, "play", play


any_rules = st.sampled_from(
    [RuleSet.house(), RuleSet.pocket(), RuleSet.brettspielwelt(), RuleSet(tichu_during_exchange="restart")]
)


@given(seed=st.integers(0, 2**32), rules=any_rules)
def test_a_round_and_its_text_are_the_same(seed: int, rules: RuleSet) -> None:
    """Whatever is called, given, wished, bombed, and under all rules of chapter 9."""
    game = played(seed, rules)
    text = notation.text(actions_of(game.dealt.copy(), game.moves))
    round, moves = moves_of(notation.parse(text), rules.flags)
    assert moves == game.moves
    assert round.row == game.round.row
    assert notation.text(actions_of(game.dealt.copy(), moves)) == text


@given(seed=st.integers(0, 2**32), rules=any_rules, left=st.integers(0, 20))
def test_the_text_of_moves_is_that_of_their_actions(seed: int, rules: RuleSet, left: int) -> None:
    """Also of a round that is not over."""
    game = played(seed, rules)
    moves = game.moves[: len(game.moves) - left]
    assert notation.text_of(game.dealt.copy(), moves) == notation.text(notation.begun(game.dealt.copy(), moves))


@given(seed=st.integers(0, 2**32), rules=any_rules)
def test_the_moves_of_a_round_are_played_again_by_the_checked_functions(seed: int, rules: RuleSet) -> None:
    game = played(seed, rules)
    actions_of(game.dealt, game.moves)
    assert game.dealt.score() == game.round.score()


def a_round() -> tuple[Round, list[Move]]:
    game = played(1, RuleSet.house())
    return game.dealt, game.moves


def test_the_deal_has_the_first_eight_cards_first() -> None:
    """Rules 3.1."""
    round, moves = a_round()
    (_, deal), *_ = actions_of(round, moves)
    for seat, labels in enumerate(deal["hands"]):
        assert parse(" ".join(labels.split()[:8])) == round.first_eight(seat)
        assert parse(labels) == round.fourteen(seat)


def test_a_forbidden_move_has_no_text() -> None:
    round, moves = a_round()
    with pytest.raises(IllegalAction):
        actions_of(round, [*moves[:4], *moves[8:]])  # nobody has given cards


def test_another_meaning_than_the_rules_give_to_cards_has_no_text() -> None:
    round, moves = a_round()
    at = next(at for at, (_, decision, answer) in enumerate(moves) if decision == "play" and answer[0])
    seat, decision, (cards, meta) = moves[at]
    with pytest.raises(ValueError, match="the rules make"):
        actions_of(round, [*moves[:at], (seat, decision, (cards, meta + 1)), *moves[at + 1 :]])


@pytest.mark.parametrize("moves", [slice(0), slice(8), slice(-1)], ids=["none", "no play", "all but the last"])
def test_a_round_that_is_not_over_has_no_text(moves: slice) -> None:
    round, all_moves = a_round()
    with pytest.raises(ValueError, match="not over"):
        actions_of(round, all_moves[moves])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "begins with its deal"),
        ("0: passes\n", "begins with its deal"),
        (ROUND, "not over"),
        (ROUND.replace("SZ BB GD RK SA Hu", "SZ BB GD RK SA Ma"), "not the deck"),
        (ROUND + ROUND, "no action of a round"),
    ],
)
def test_a_text_that_is_no_round_has_no_moves(text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        moves_of(notation.parse(text), _core.HOUSE)


def test_the_end_of_the_match_belongs_to_its_last_round() -> None:
    round, moves = a_round()
    text = notation.text(actions_of(round, moves)) + "end\n"
    assert moves_of(notation.parse(text), _core.HOUSE)[1] == moves


def test_a_bomb_in_turn_is_a_play() -> None:
    """A client may call it a bomb all the same (docs/protocol.md 3)."""
    games = (played(seed, RuleSet.house()) for seed in range(1000))
    game, (seat, _, (cards, _)) = next(
        (game, move)
        for game in games
        for move in game.moves
        if move[1] == "play" and Combination.of_meta(move[2][1]).type == CombinationType.BOMB
    )
    labels = labels_of(cards)
    text = notation.text(actions_of(game.dealt, game.moves))
    called_a_bomb = text.replace(f"{seat}: plays {labels}\n", f"{seat}: bombs {labels}\n")
    assert called_a_bomb != text
    assert moves_of(notation.parse(called_a_bomb), _core.HOUSE)[1] == game.moves
