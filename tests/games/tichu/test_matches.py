"""Whole random matches of Tichu under each set of rules: what holds all the way (docs/protocol.md 2, 4 and 7)."""

import re
from itertools import islice
from random import Random

import pytest

from games import messages
from games.engine import GameEngine
from games.tichu import cards as deck
from games.tichu.game import Options
from tests.games.tichu.matches import TICHU, asked, names, public, random_match

RULES = ["house", "pocket", "brettspielwelt"]

LETTERS = {
    "game_started": "G",
    "round_started": "R",
    "hand_cards_dealt": "D",
    "player_announced": "A",
    "player_schupfed": "S",
    "start_playing": "P",
    "player_turn_changed": "T",
    "player_played": "X",
    "player_passed": "O",
    "wish_fulfilled": "F",
    "wish_made": "W",
    "trick_taken": "K",
    "round_over": "V",
    "game_over": "E",
    # requests
    "announce_grand_tichu": "g",
    "schupf": "s",
    "play": "p",
    "wish": "w",
    "give_dragon_away": "d",
}
START = r"R D{4} g{4} A* D{4} s{4} (A|S)* P p"
MOVE = r"A* (X F? (A*w A* W?)? | O)"
NEXT = r"A* T+ (p | (A*d)? A* K T* p)?"  # nothing more where a bomb falls into the pause
END = r"A* X F? (A*d A*)? K V A*"
MATCH = re.compile(rf"G ({START} ({MOVE} {NEXT})* {END})+ E".replace(" ", ""))


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", range(5))
def test_events_and_requests_come_in_the_order_of_the_protocol(seed, rules):
    story, open_before = "", set()
    for _, step in random_match(seed, rules=rules, target_score=300):
        new = [opened for opened in step.requests.values() if opened.id not in open_before]
        open_before = {opened.id for opened in step.requests.values()}
        story += "".join(LETTERS[name] for name in names(step.events))
        story += "".join(LETTERS[opened.request.action] for opened in new)
    assert MATCH.fullmatch(story), story


@pytest.mark.parametrize("rules", RULES)
def test_whatever_is_said_has_its_declared_shape(rules):
    check = TICHU.vocabulary.check
    for _, step in random_match(seed=7, rules=rules, target_score=300):
        for happened in step.events:
            for context in (happened.context, *happened.own.values()):
                check(messages.notification(happened.name, context, 1))
        for opened in step.requests.values():
            check(messages.request(opened.request.action, opened.request.context, opened.id))
        for seat in range(4):
            for name, context in TICHU.private(step.state, seat).items():
                check(messages.notification(name, context))
        check(messages.notification("player_joined", own_player_joined(step.state, step.number % 4), 1))


def own_player_joined(state, seat):
    seen = TICHU.observe(state, seat)
    table = {"table_name": "t", "player_names": ["a", "b", "c", "d"], "host_index": 0, "is_running": True}
    return {"session_id": "", "pending_action": "", **seen, "public_state": {**seen["public_state"], **table}}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", [20, 21])
def test_the_events_tell_everything_that_the_public_state_says(seed, rules):
    """A client that only listens knows the same as one that has just joined."""
    told = {}
    for engine, step in random_match(seed, rules=rules, target_score=300):
        for happened in step.events:
            listen(told, happened.name, happened.context)
        seen = public(engine)
        assert told == {key: seen[key] for key in told}


def listen(told, name, context):
    match name:
        case "round_started":
            told.setdefault("game_score", [[], []])
            told.setdefault("trick_counter", 0)
            told.update(
                current_turn_index=-1,
                start_player_index=-1,
                announcements=(0, 0, 0, 0),
                count_hand_cards=(0, 0, 0, 0),
                trick_owner_index=-1,
                trick_points=0,
                tricks=[],
                winner_index=-1,
                loser_index=-1,
                dragon_recipient=-1,
                is_round_over=False,
                points=(0, 0, 0, 0),
            )
        case "hand_cards_dealt":
            put(told, "count_hand_cards", context["player_index"], context["count"])
        case "player_announced":
            put(told, "announcements", context["player_index"], 1 + context["grand"])
        case "player_schupfed":
            put(told, "count_hand_cards", context["player_index"], 11)
        case "start_playing":
            start = context["start_player_index"]
            told.update(current_turn_index=start, start_player_index=start, count_hand_cards=(14, 14, 14, 14))
        case "player_turn_changed":
            told.update(context)
        case "player_played":
            seat, cards, _ = context["turn"]
            if told["trick_owner_index"] < 0:
                told["tricks"].append([])
            told["tricks"][-1].append(context["turn"])
            told.update(trick_owner_index=seat, trick_points=context["trick_points"])
            told.update(winner_index=context["winner_index"])
            put(told, "count_hand_cards", seat, told["count_hand_cards"][seat] - len(cards))
        case "player_passed":
            told["tricks"][-1].append([context["player_index"], [], [0, 0, 0]])
        case "trick_taken":
            told.update(trick_owner_index=-1, trick_points=0, dragon_recipient=context["dragon_recipient"])
            told["trick_counter"] += 1
            put(told, "points", context["player_index"], context["points"])
        case "round_over":
            points = context["points"]
            told.update(points=tuple(points), loser_index=context["loser_index"], is_round_over=True)
            twenty, thirty_one = told["game_score"]
            told["game_score"] = [[*twenty, points[0] + points[2]], [*thirty_one, points[1] + points[3]]]


def put(told, key, seat, value):
    told[key] = (*told[key][:seat], value, *told[key][seat + 1 :])


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("seed", [30, 31])
def test_no_seat_is_told_a_card_that_it_may_not_know(seed, rules):
    """Protocol 7: cards that are or were in that hand, or were played; all, once the seat is out (rules 3.7)."""
    known = [set() for _ in range(4)]
    for _, step in islice(random_match(seed, rules=rules, target_score=300), 800):
        state = step.state
        if step.action["action"] == "deal":
            known = [set() for _ in range(4)]
        for seat in range(4):
            hands = range(4) if TICHU.sees_hands(state, seat) else [seat]
            known[seat].update(deck.each(state.round.played), *(deck.each(state.round.hand(hand)) for hand in hands))
            told = [happened.own.get(seat, happened.context) for happened in step.events]
            if seat in step.requests:
                told.append(step.requests[seat].request.context)
            told += [TICHU.observe(state, seat), dict(TICHU.private(state, seat))]
            assert set(map(card_of, named(told))) <= known[seat]


def named(value, key=""):
    """The cards in a message: under keys that end with ``cards``, and in turns."""
    if isinstance(value, dict):
        for inner, item in value.items():
            yield from named(item, inner)
    elif key == "turn":
        yield from named(value[1], "cards")
    elif key == "tricks":
        yield from (card for trick in value for turn in trick for card in named(turn, "turn"))
    elif isinstance(value, list):
        is_card = key.endswith("cards") and len(value) == 2 and isinstance(value[0], int)
        yield from [value] if is_card else (card for item in value for card in named(item, key))


def card_of(pair):
    (card,) = deck.from_wire([pair])
    return card


@pytest.mark.parametrize("rules", RULES)
def test_one_thing_is_asked_at_a_time_and_somebody_is_always_to_act(rules):
    """Protocol 2: phases never overlap."""
    for engine, _ in islice(random_match(seed=40, rules=rules), 800):
        assert len(set(asked(engine).values())) == (0 if engine.pause is not None else 1)
        seen = public(engine)
        counts = set(seen["count_hand_cards"])
        phase = next(iter(asked(engine).values()), "table")
        assert (phase == "announce_grand_tichu") == (counts == {8} and seen["start_player_index"] == -1)
        assert (phase == "schupf") == (counts <= {11, 14} and seen["start_player_index"] == -1)


@pytest.mark.parametrize("rules", RULES)
def test_the_dullest_answers_play_a_match_to_its_end(rules):
    engine, rng = GameEngine(TICHU, Options(rules=rules, target_score=200)), Random(1)
    while engine.result is None:
        if engine.pause is not None:
            engine.commit(engine.proceed(rng))
        for seat in list(engine.requests)[:1]:
            engine.commit(engine.prepare(seat, TICHU.fallback(engine.state, seat)))
    assert max(engine.result.scores) >= 200
