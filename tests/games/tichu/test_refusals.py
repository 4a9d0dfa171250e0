"""Everything that a seat may not do: which error it gets, and that nothing has changed (docs/protocol.md 3 and 4)."""

import pytest

from games import messages
from games.engine import GameEngine
from games.game import IllegalAction
from games.messages import ErrorCode
from games.tichu.game import Options
from tests.games.tichu.matches import BOMBER, FULL, TICHU, bomb, dealt, do, exchanging, play, playing, wire


def leading():
    return playing("Ma S2 S3", "B2 B3 B8", BOMBER, "R2 R6 R7")


def following():
    engine = leading()
    play(engine, 0, "S3")
    return engine


def wishing():
    engine = leading()
    play(engine, 0, "Ma")
    return engine


def wished():
    engine = wishing()
    do(engine, 0, "wish", wish_value=8)
    return engine


def dragon_taken():
    engine = playing("Ma S2 Dr", "B2 B3 B8", BOMBER, "R2 R6 R7")
    play(engine, 0, "Dr")
    for seat in (1, 2, 3):
        play(engine, seat)
    do(engine, None, "take")
    return engine


def after_the_dog():
    engine = playing("Ma S2 Hu", "B2 B3 B8", "G3 G4 G5", "R9 G9 B9 S9")
    play(engine, 0, "Hu")
    return engine


NINES = wire("S9 B9 G9 R9")
TWICE = wire("S2") * 2
REFUSED = [
    # position, seat, action, data, code, context
    (leading, 0, "play", {"cards": "S2"}, 101, {}),
    (leading, 0, "play", {}, 101, {}),
    (leading, 0, "play", {"cards": [], "rank": "7"}, 101, {}),
    (leading, 0, "play", {"cards": [[99, 1]]}, 102, {"cards": [[99, 1]]}),
    (leading, 0, "play", {"cards": [[2, 9]]}, 102, {"cards": [[2, 9]]}),
    (leading, 0, "play", {"cards": [True]}, 102, {"cards": [True]}),
    (leading, 0, "play", {"cards": [[True, False]]}, 102, {}),
    (leading, 0, "play", {"cards": [[2.0, 1]]}, 102, {}),
    (leading, 0, "play", {"cards": [{"value": 2}]}, 102, {}),
    (leading, 0, "play", {"cards": TWICE}, 302, {"cards": TWICE}),
    (leading, 0, "play", {"cards": wire("RA")}, 103, {"cards": wire("RA"), "rule": "1.1"}),
    (leading, 0, "play", {"cards": wire("S2 S3")}, 303, {"reason": "not_a_combination"}),
    (leading, 0, "play", {"cards": []}, 303, {"reason": "must_lead", "cards": []}),
    (leading, 1, "play", {"cards": []}, 304, {"action": "play"}),
    (following, 1, "play", {"cards": wire("B2")}, 303, {"reason": "does_not_beat"}),
    (following, 3, "play", {"cards": []}, 304, {"action": "play"}),
    (wished, 1, "play", {"cards": wire("B2")}, 303, {"reason": "wish", "rule": "6.2"}),
    (wished, 1, "play", {"cards": []}, 303, {"reason": "wish"}),
    (wishing, 1, "play", {"cards": []}, 301, {"action": "play"}),
    (wishing, 0, "wish", {"wish_value": 1}, 306, {"wish_value": 1, "rule": "6.1"}),
    (wishing, 0, "wish", {"wish_value": 15}, 306, {"wish_value": 15}),
    (wishing, 0, "wish", {"wish_value": 0}, 306, {"wish_value": 0}),
    (wishing, 0, "wish", {"wish_value": True}, 101, {}),
    (wishing, 0, "wish", {}, 101, {}),
    (wishing, 1, "wish", {"wish_value": 5}, 301, {"action": "wish"}),
    (leading, 0, "wish", {"wish_value": 5}, 301, {"action": "wish"}),
    (leading, 0, "announce_grand_tichu", {"announced": True}, 301, {"action": "announce_grand_tichu"}),
    (leading, 0, "schupf", {"given_schupf_cards": wire("Ma S2 S3")}, 301, {"action": "schupf"}),
    (leading, 0, "deal", {"hands": []}, 301, {"action": "deal"}),
    (leading, 0, "__proto__", {}, 301, {"action": "__proto__"}),
    (dragon_taken, 0, "give_dragon_away", {"dragon_recipient": 0}, 308, {"dragon_recipient": 0, "rule": "8.1"}),
    (dragon_taken, 0, "give_dragon_away", {"dragon_recipient": 2}, 308, {"dragon_recipient": 2}),
    (dragon_taken, 0, "give_dragon_away", {"dragon_recipient": 7}, 308, {"dragon_recipient": 7}),
    (dragon_taken, 0, "give_dragon_away", {"dragon_recipient": "1"}, 101, {}),
    (dragon_taken, 1, "give_dragon_away", {"dragon_recipient": 0}, 301, {}),
    (leading, 2, "bomb", {"cards": 9}, 101, {}),
    (leading, 2, "bomb", {"cards": [[9, 0]]}, 102, {}),
    (leading, 2, "bomb", {"cards": NINES[:1] * 4}, 302, {}),
    (following, 1, "bomb", {"cards": NINES}, 103, {}),
    (following, 2, "bomb", {"cards": NINES[:3]}, 303, {"reason": "not_a_combination"}),
    (leading, 2, "bomb", {"cards": NINES}, 305, {"reason": "no_trick", "action": "bomb"}),
    (after_the_dog, 3, "bomb", {"cards": NINES}, 305, {"reason": "dog"}),
    (wishing, 2, "bomb", {"cards": NINES}, 305, {"reason": "wish_pending"}),
    (dragon_taken, 2, "bomb", {"cards": NINES}, 305, {"reason": "taken"}),
    (lambda: exchanging(*FULL), 0, "bomb", {"cards": wire(FULL[0])[:4]}, 303, {}),
    (lambda: GameEngine(TICHU, Options()), 0, "bomb", {"cards": NINES}, 305, {"reason": "not_playing"}),
    (lambda: GameEngine(TICHU, Options()), 0, "announce", {}, 307, {"rule": "7.2"}),
    (lambda: GameEngine(TICHU, Options()), 0, "play", {"cards": []}, 301, {}),
    (lambda: dealt(*FULL), 0, "announce_grand_tichu", {"announced": 1}, 101, {}),
    (lambda: dealt(*FULL), 0, "announce", {}, 307, {}),
    (lambda: exchanging(*FULL), 0, "schupf", {"given_schupf_cards": wire(FULL[0])[:2]}, 101, {}),
    (lambda: exchanging(*FULL), 0, "schupf", {"given_schupf_cards": [1, 2, 3]}, 102, {}),
    (lambda: exchanging(*FULL), 0, "schupf", {"given_schupf_cards": wire(FULL[0])[:1] * 3}, 302, {}),
    (lambda: exchanging(*FULL), 0, "schupf", {"given_schupf_cards": wire(FULL[1])[:3]}, 103, {}),
    (following, 0, "announce", {}, 307, {}),
]


@pytest.mark.parametrize(
    ("position", "seat", "action", "data", "code", "context"),
    REFUSED,
    ids=[f"{number}-{case[2]}-{case[4]}" for number, case in enumerate(REFUSED)],
)
def test_what_is_refused_says_why_and_changes_nothing(position, seat, action, data, code, context):
    """Protocol 3 and 4."""
    engine = position()
    before = [TICHU.observe(engine.state, watching) for watching in range(4)], dict(engine.requests)
    with pytest.raises(IllegalAction) as refused:
        engine.act(seat, action, data)
    said = messages.error(refused.value, "text")
    TICHU.vocabulary.check(said)
    assert said["payload"]["code"] == code
    assert context.items() <= said["payload"]["context"].items()
    assert ([TICHU.observe(engine.state, watching) for watching in range(4)], dict(engine.requests)) == before


def test_a_bomb_must_beat_the_bomb_on_the_table():
    """Rules 4.4, 5.4."""
    engine = playing("Ma S2 S3", "S8 B8 G8 R8", BOMBER, "R2 R6 R7")
    play(engine, 0, "S2")
    bomb(engine, 2, "S9 B9 G9 R9")
    with pytest.raises(IllegalAction) as refused:
        engine.act(1, "bomb", {"cards": wire("S8 B8 G8 R8")})
    assert (refused.value.code, refused.value.context["reason"]) == (ErrorCode.INVALID_COMBINATION, "does_not_beat")
