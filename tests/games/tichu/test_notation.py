import random

import pytest

from games.engine import GameEngine
from games.tichu import notation
from games.tichu.game import Options, Tichu

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
