"""Rounds for tests: dealt, or in the middle of play; and actions in the words of :mod:`games.tichu.notation`."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from games.game import IllegalAction
from games.tichu import _core, notation
from games.tichu import round as rounds
from games.tichu._core import Round
from games.tichu.cards import DECK, CardSet, each, from_wire, parse
from games.tichu.rules import RuleSet

ACTIONS: dict[str, Callable[..., Any]] = {
    "announce_grand_tichu": lambda round, seat, announced: rounds.grand(round, seat, announced),
    "schupf": lambda round, seat, given_schupf_cards: rounds.schupf(round, seat, tuple(from_wire(given_schupf_cards))),
    "announce": lambda round, seat: rounds.announce(round, seat),
    "play": lambda round, seat, cards, rank=None: rounds.play(round, seat, sum(from_wire(cards)), rank),
    "bomb": lambda round, seat, cards: rounds.bomb(round, seat, sum(from_wire(cards))),
    "take": lambda round, seat: rounds.take(round),
    "wish": lambda round, seat, wish_value: rounds.wish(round, seat, wish_value),
    "give_dragon_away": lambda round, seat, dragon_recipient: rounds.give_dragon(round, seat, dragon_recipient),
}


def act(round: Round, *lines: str) -> Round:
    """Does what the lines say: ``act(round, "0: plays S7 R7", "1: passes")``."""
    for seat, action in notation.parse("\n".join(lines)):
        arguments = {key: value for key, value in action.items() if key != "action"}
        ACTIONS[action["action"]](round, seat, **arguments)
    return round


def refused(round: Round, line: str) -> IllegalAction:
    """The refusal of what the line says. The round must be as before."""
    before = round.row
    with pytest.raises(IllegalAction) as caught:
        act(round, line)
    assert round.row == before
    return caught.value


def dealt(*hands: str, rules: RuleSet | None = None) -> Round:
    """A round whose first eight cards are dealt. What is left out of the hands is filled up from the deck."""
    fourteen = [parse(hand) for hand in [*hands, *[""] * (4 - len(hands))]]
    for seat in range(4):
        for card in each(DECK & ~sum(fourteen)):
            if fourteen[seat].bit_count() < 14:
                fourteen[seat] |= card
    first8 = [sum(list(each(hand))[:8]) for hand in fourteen]
    return Round(first8, fourteen, (rules or RuleSet.house()).flags)


def exchanged(*hands: str, rules: RuleSet | None = None) -> Round:
    """A round after the exchange, with these hands; what is left out is filled up."""
    wanted = [round.fourteen(seat) for round in [dealt(*hands)] for seat in range(4)]
    three = [list(each(hand))[:3] for hand in wanted]  # what a seat gets from right, partner, left
    given = [tuple(three[(seat + away) % 4][3 - away] for away in (1, 2, 3)) for seat in range(4)]
    fourteen = [wanted[seat] - sum(three[seat]) + sum(given[seat]) for seat in range(4)]
    first8 = [sum(list(each(hand))[:8]) for hand in fourteen]
    round = Round(first8, fourteen, (rules or RuleSet.house()).flags)
    for seat in range(4):
        round.decide_grand(seat, False)
    for seat in range(4):
        round.give(seat, *given[seat])
    return round


def table(
    *hands: str,
    turn: int = 0,
    wish: int = -1,
    out: tuple[int, ...] = (),
    points: tuple[int, ...] = (0, 0, 0, 0),
    calls: tuple[int, ...] = (0, 0, 0, 0),
    rules: RuleSet | None = None,
) -> Round:
    """A position in which a seat has the lead: the four hands, who is out, points taken, calls."""
    row = [0] * _core.ROW_SIZE
    for seat, hand in enumerate([*hands, *[""] * (4 - len(hands))]):
        row[_core.HAND + seat] = parse(hand)
        row[_core.POINTS + seat] = points[seat]
        row[_core.CALL + seat] = calls[seat]
    for place, seat in enumerate(out):
        row[_core.OUT + place] = seat
    row[_core.OUT_COUNT] = len(out)
    row[_core.PHASE] = _core.PLAY
    row[_core.TURN] = turn
    row[_core.OWNER] = row[_core.DOG_PLAYER] = row[_core.RECIPIENT] = -1
    row[_core.WISHED] = wish
    row[_core.OPENED] = 0b1111
    row[_core.RULES] = (rules or RuleSet.house()).flags
    return Round.from_row(row)


def legal(round: Round) -> set[CardSet]:
    """The card sets among the legal plays of the seat to move; 0 is the pass."""
    return {cards for cards, _ in round.legal_plays()}


def random_round(seed: int, rules: RuleSet) -> Iterator[Round]:
    """Every position of a round in which all seats choose at random."""
    rng = random.Random(seed)
    round = Round.random(seed, rules.flags)
    while round.phase != _core.DONE:
        yield round
        act_at_random(round, rng)
    yield round


def act_at_random(round: Round, rng: random.Random) -> None:
    undecided = [seat for seat in range(4) if not round.decided(seat)]
    bombs = [(seat, bomb) for seat in range(4) for bomb in round.bombs(seat)]
    callers = [seat for seat in range(4) if round.can_call(seat)]
    if callers and rng.random() < 0.05:
        round.announce(rng.choice(callers))
    elif round.phase == _core.GRAND:
        round.decide_grand(rng.choice(undecided), rng.random() < 0.1)
    elif round.phase == _core.EXCHANGE:
        seat = rng.choice(undecided)
        round.give(seat, *rng.sample(list(each(round.hand(seat))), 3))
    elif round.phase == _core.WISH:
        round.make_wish(rng.randint(2, 14))
    elif round.phase == _core.DRAGON:
        round.give_dragon((round.turn + rng.choice([1, 3])) % 4)
    elif bombs and rng.random() < 0.3:
        seat, bomb = rng.choice(bombs)
        round.play(seat, *bomb)
    elif round.turn == round.owner:
        round.take()
    else:
        round.play(round.turn, *rng.choice(round.legal_plays()))
