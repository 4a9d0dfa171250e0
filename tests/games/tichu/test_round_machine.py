"""Whole rounds, whatever the seats decide: hypothesis looks for actions that break what must always hold."""

import random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from games.game import Action, Seat
from games.tichu import _core, notation
from games.tichu._core import Round
from games.tichu.cards import DECK, each, hand_order, to_wire
from games.tichu.combinations import Combination
from games.tichu.rules import RuleSet
from tests.games.tichu.tables import act

RULE_SETS = [RuleSet.house(), RuleSet.pocket(), RuleSet.brettspielwelt(), RuleSet(tichu_during_exchange="restart")]
numbers = st.integers(0, 2**16)
seats = st.integers(0, 3)


class Rounds(RuleBasedStateMachine):
    """A round by the checked layer, and the record of what was done."""

    @initialize(seed=st.integers(0, 2**32), rules=st.sampled_from(RULE_SETS))
    def deal(self, seed: int, rules: RuleSet) -> None:
        self.round = Round.random(seed, rules.flags)
        self.first = self.round.copy()
        self.record: list[tuple[Seat | None, Action]] = []

    def do(self, seat: Seat | None, action: str, **data: Any) -> None:
        line = notation.text([(seat, {"action": action, **data})])
        act(self.round, line)
        self.record += notation.parse(line)

    def phase_is(self, *phases: int) -> bool:
        return self.round.phase in phases

    # --- what seats do ------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.phase_is(_core.GRAND))
    @rule(announced=st.booleans())
    def decide_grand(self, announced: bool) -> None:
        self.do(self.undecided()[0], "announce_grand_tichu", announced=announced)

    @precondition(lambda self: self.phase_is(_core.EXCHANGE))
    @rule(which=numbers, choice=numbers)
    def schupf(self, which: int, choice: int) -> None:
        seat = self.undecided()[which % len(self.undecided())]
        cards = random.Random(choice).sample(list(each(self.round.hand(seat))), 3)
        self.do(seat, "schupf", given_schupf_cards=to_wire(cards))

    @precondition(lambda self: any(map(self.round.can_call, range(4))))
    @rule(which=numbers)
    def announce(self, which: int) -> None:
        callers = list(filter(self.round.can_call, range(4)))
        self.do(callers[which % len(callers)], "announce")

    @precondition(lambda self: self.round.legal_plays())
    @rule(which=numbers)
    def play(self, which: int) -> None:
        plays = self.round.legal_plays()
        cards, meta = plays[which % len(plays)]
        rank = {"rank": Combination.of_meta(meta).rank} if cards else {}
        self.do(self.round.turn, "play", cards=to_wire(hand_order(cards)), **rank)

    @precondition(lambda self: self.round.bombers())
    @rule(which=numbers)
    def bomb(self, which: int) -> None:
        bombs = [(seat, cards) for seat in range(4) for cards, _ in self.round.bombs(seat)]
        seat, cards = bombs[which % len(bombs)]
        self.do(seat, "bomb", cards=to_wire(hand_order(cards)))

    @precondition(lambda self: self.phase_is(_core.PLAY) and self.round.turn == self.round.owner)
    @rule()
    def take(self) -> None:
        self.do(None, "take")

    @precondition(lambda self: self.phase_is(_core.WISH))
    @rule(value=st.integers(2, 14), omit=st.booleans())
    def wish(self, value: int, omit: bool) -> None:
        may_omit = not self.round.rules & _core.WISH_REQUIRED
        self.do(self.round.turn, "wish", wish_value=0 if omit and may_omit else value)

    @precondition(lambda self: self.phase_is(_core.DRAGON))
    @rule(right=st.booleans())
    def give_dragon(self, right: bool) -> None:
        self.do(self.round.turn, "give_dragon_away", dragon_recipient=(self.round.turn + (1 if right else 3)) % 4)

    def undecided(self) -> list[Seat]:
        return [seat for seat in range(4) if not self.round.decided(seat)]

    # --- what always holds --------------------------------------------------------------------------------------------

    @invariant()
    def no_card_is_lost_or_doubled(self) -> None:
        round = self.round
        cards = [round.hand(seat) for seat in range(4)] + [round.played]
        if self.phase_is(_core.GRAND):
            cards += [round.fourteen(seat) & ~round.first_eight(seat) for seat in range(4)]
        if self.phase_is(_core.EXCHANGE):
            cards += [sum(round.given(seat) or ()) for seat in range(4)]
        assert sum(cards) == DECK
        assert sum(pile.bit_count() for pile in cards) == 56
        assert round.trick_cards & ~round.played == 0
        assert round.top_cards & ~round.trick_cards == 0

    @invariant()
    def nobody_is_asked_without_a_legal_action(self) -> None:
        round = self.round
        if self.phase_is(_core.GRAND, _core.EXCHANGE):
            assert self.undecided()
        elif self.phase_is(_core.PLAY) and round.turn != round.owner:
            assert round.hand(round.turn)
            assert round.legal_plays()
            assert all(cards & ~round.hand(round.turn) == 0 for cards, _ in round.legal_plays())
        else:
            assert round.legal_plays() == []

    @invariant()
    def who_is_out_has_no_cards(self) -> None:
        started = not self.phase_is(_core.GRAND, _core.EXCHANGE)
        assert set(self.round.finished) == {seat for seat in range(4) if started and not self.round.count(seat)}

    @invariant()
    def points_lie_in_tricks_hands_and_the_open_trick(self) -> None:
        round = self.round
        lying = _core.points(round.trick_cards) + sum(_core.points(round.hand(seat)) for seat in range(4))
        if not self.phase_is(_core.GRAND, _core.EXCHANGE):
            assert sum(round.points(seat) for seat in range(4)) + lying == 100

    # --- the end ------------------------------------------------------------------------------------------------------

    def teardown(self) -> None:
        """Plays on to the end of the round; then replays all of it."""
        if not hasattr(self, "round"):
            return
        rng = random.Random(str(self.round.row))
        while not self.phase_is(_core.DONE):
            self.act_at_random(rng)
            self.no_card_is_lost_or_doubled()
            self.nobody_is_asked_without_a_legal_action()
        calls = [100 * self.round.call(seat) for seat in range(4)]
        won = calls[self.round.finished[0]]
        assert sum(self.round.score()) == (200 if self.round.double_victory else 100) + 2 * won - sum(calls)
        again = act(self.first, notation.text(self.record))
        assert again.row == self.round.row

    def act_at_random(self, rng: random.Random) -> None:
        if self.phase_is(_core.GRAND):
            self.decide_grand(rng.random() < 0.1)
        elif self.phase_is(_core.EXCHANGE):
            self.schupf(rng.randrange(4), rng.randrange(2**16))
        elif self.phase_is(_core.WISH):
            self.wish(rng.randint(2, 14), rng.random() < 0.2)
        elif self.phase_is(_core.DRAGON):
            self.give_dragon(rng.random() < 0.5)
        elif self.round.bombers() and rng.random() < 0.2:
            self.bomb(rng.randrange(2**16))
        elif self.round.legal_plays():
            self.play(rng.randrange(2**16))
        else:
            self.take()


TestRounds = Rounds.TestCase
# Of the rules only a few are possible at a time; drawing another one costs next to nothing.
TestRounds.settings = settings(
    max_examples=60, stateful_step_count=40, suppress_health_check=[HealthCheck.filter_too_much]
)
