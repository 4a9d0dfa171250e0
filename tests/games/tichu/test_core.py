"""The kernel against brute force, and compiled against interpreted."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from games.tichu import _core
from games.tichu._core import Round, legal_plays
from games.tichu.cards import DECK, DOG, DRAGON, MAH_JONG, NATURALS, PHOENIX, CardSet, each, parse, text
from games.tichu.rules import RuleSet
from tests.games.tichu.interpreted import interpreted
from tests.games.tichu.slow import BOMB, Reading, follows, rank, readings, suit
from tests.games.tichu.tables import act_at_random, random_round

RULE_SETS = [RuleSet.house(), RuleSet.pocket(), RuleSet.brettspielwelt()]


def reading_of(meta: int) -> Reading:
    return Reading(meta >> 16 & 0xFF, meta >> 8 & 0xFF, meta & 0xFF, meta >> 24)


def meta_of(reading: Reading) -> int:
    return reading.phoenix << 24 | reading.type << 16 | reading.length << 8 | reading.rank


def values(cards: CardSet) -> tuple[int, ...]:
    return tuple(sorted(rank(card) for card in each(cards)))


# --- compiled and interpreted -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULE_SETS)
def test_compiled_and_interpreted_rounds_have_equal_checksums(rules: RuleSet) -> None:
    assert _core.random_rounds(7, 300, rules.flags) == interpreted.random_rounds(7, 300, rules.flags)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_compiled_and_interpreted_rounds_are_the_same_at_every_step(rules: RuleSet) -> None:
    for seed in range(10):
        for compiled in random_round(seed, rules):
            other = interpreted.Round.from_row(compiled.row)
            assert other.row == compiled.row
            assert other.legal_plays() == compiled.legal_plays()
            assert other.bombers() == compiled.bombers()
            for seat in range(4):
                assert other.bombs(seat) == compiled.bombs(seat)
                assert other.can_call(seat) == compiled.can_call(seat)
                assert other.decided(seat) == compiled.decided(seat)
                assert other.given(seat) == compiled.given(seat)
                assert other.received(seat) == compiled.received(seat)
        assert other.score() == compiled.score()
        assert other.final_points() == compiled.final_points()


def test_the_interpreted_kernel_is_not_the_compiled_one() -> None:
    assert interpreted.__file__.endswith(".py")
    assert interpreted.Round is not Round


# --- rounds -----------------------------------------------------------------------------------------------------------


def test_a_copy_changes_independently() -> None:
    for round in random_round(1, RuleSet.house()):
        before = round.row
        copy = round.copy()
        assert copy.row == before
        if copy.phase != _core.DONE:
            act_at_random(copy, random.Random(0))
            assert copy.row != before
        assert round.row == before


def test_a_row_makes_the_round_again() -> None:
    for round in random_round(2, RuleSet.pocket()):
        assert Round.from_row(round.row).row == round.row


@pytest.mark.parametrize("rules", RULE_SETS)
def test_cards_that_have_left_a_hand_were_played_by_it(rules: RuleSet) -> None:
    for seed in range(10):
        for round in random_round(seed, rules):
            for seat in range(4):
                played = round.row[_core.PLAYED_BY + seat]
                if received := round.received(seat):
                    given = round.given(seat)
                    assert given
                    assert played == (round.fourteen(seat) - sum(given) + sum(received)) - round.hand(seat)
                else:
                    assert played == 0


@pytest.mark.parametrize("rules", RULE_SETS)
def test_passes_on_combinations_of_opponents_are_kept(rules: RuleSet) -> None:
    """By the rank, in four classes of types; of bombs none."""
    bit_of_two = {_core.SINGLE: 1, _core.PAIR: 15, _core.TRIPLE: 28, _core.FULLHOUSE: 28}  # the bit of a two
    bit_of_two |= {_core.STAIR: 41, _core.STREET: 41}
    seen = set()
    for seed in range(40):
        kept = [0] * 4
        last = None
        for round in random_round(seed, rules):
            if last and last.phase == _core.PLAY and last.turn != round.turn and last.played == round.played:
                top = reading_of(last.trick_meta)
                if last.turn != last.owner and (last.turn - last.owner) % 2 and top.type != _core.BOMB:
                    kept[last.turn] |= 1 << bit_of_two[top.type] + top.rank // 2 - 2
                    seen.add(top.type)
            assert list(round.row[_core.PASSED : _core.PASSED + 4]) == kept
            last = round.copy()
    assert len(seen) >= 5


def test_bombers_are_the_seats_with_bombs() -> None:
    masks = set()
    for seed in range(40):
        for round in random_round(seed, RuleSet.pocket()):
            assert round.bombers() == sum(1 << seat for seat in range(4) if round.bombs(seat))
            masks.add(round.bombers())
    assert len(masks) > 4


def test_a_seed_deals_the_deck_and_always_the_same() -> None:
    deals = [Round.random(seed) for seed in range(50)]
    for seed, round in enumerate(deals):
        hands = [round.fourteen(seat) for seat in range(4)]
        assert sum(hands) == DECK
        assert [hand.bit_count() for hand in hands] == [14] * 4
        assert [round.count(seat) for seat in range(4)] == [8] * 4
        assert all(round.hand(seat) & ~round.fourteen(seat) == 0 for seat in range(4))
        assert Round.random(seed).row == round.row
    assert len({round.row for round in deals}) == 50


def test_every_card_comes_to_every_seat_equally_often() -> None:
    rounds = [Round.random(seed) for seed in range(4000)]
    for card in (DOG, PHOENIX, 1 << 8, 1 << 42):
        for seat in range(4):
            share = sum(round.fourteen(seat) & card != 0 for round in rounds) / 4000
            assert abs(share - 0.25) < 0.03
            early = sum(round.first_eight(seat) & card != 0 for round in rounds) / 4000
            assert abs(early - 0.25 * 8 / 14) < 0.03


def test_no_hand_has_more_plays_than_the_kernel_can_list() -> None:
    """More cards have more plays, so the deck has the most; 417 is the most that was found for fourteen cards."""
    assert len(legal_plays(DECK, 0, 0, 0)) == _core.MOST_PLAYS
    assert len(legal_plays(parse("Ma G2 G3 B4 B5 G6 R7 G8 R9 SZ SB BD BK Ph"), 0, 0, 0)) == 417


# --- brute force ------------------------------------------------------------------------------------------------------


def random_hand(rng: random.Random) -> CardSet:
    """A hand small enough for brute force, often of few ranks or suits, often with the phoenix or the Mah Jong."""
    low = rng.choice([2, 2, 5, 8, 10])
    width = rng.choice([4, 5, 6, 8, 14])
    suits = rng.choice([0b1111, 0b1111, 0b0011, 0b0001])
    pool = [card for card in each(NATURALS) if low <= rank(card) < low + width and suits >> suit(card) & 1]
    hand = sum(rng.sample(pool, min(len(pool), rng.choice([8, 9, 10, 10]))))
    for special in (PHOENIX, MAH_JONG, DRAGON, DOG):
        if rng.random() < 0.3:
            hand |= special
    return hand


@dataclass
class Subset:
    """Some cards of a hand, looked at once."""

    cards: list[CardSet]

    def __post_init__(self) -> None:
        self.set = sum(self.cards)
        self.ranks = tuple(map(rank, self.cards))
        self.readings = readings(self.cards)


def subsets(hand: CardSet) -> list[Subset]:
    found: list[list[CardSet]] = [[]]
    for card in each(hand):
        found += [[*cards, card] for cards in found]
    return [Subset(cards) for cards in found[1:]]


def random_tops(rng: random.Random, all_readings: list[Reading]) -> list[Reading | None]:
    """The lead, what a hand like this could have to beat, and the corner cases."""
    tops = rng.sample(all_readings, min(10, len(all_readings)))
    lower = [top._replace(rank=top.rank - 2, phoenix=0) for top in tops if top.rank > 6]
    corners = [Reading(1, 1, 30), Reading(1, 1, 29), Reading(1, 1, 3), Reading(1, 1, 2), Reading(BOMB, 4, 6)]
    return [None, *(top for top in tops if top.rank > 0), *lower, rng.choice(corners)]


def check_position(hand: CardSet, parts: list[Subset], top: Reading | None, wish: int, rules: RuleSet) -> None:
    """A subset is legal exactly if its pattern stands among the legal plays."""
    where = f"{text(hand)} on {top}, wish {wish}, {rules}"
    legal = {(part.set, play): part for part in parts for play in follow(part, top)}
    fulfilling = {play for play, part in legal.items() if wish >= 2 and wish in part.ranks}
    may_pass = top is not None and not fulfilling
    if fulfilling:
        bombs_too = rules.bomb_instead_of_wish
        legal = {
            play: part for play, part in legal.items() if play in fulfilling or (bombs_too and play[1].type == BOMB)
        }
    found = legal_plays(hand, meta_of(top) if top else 0, wish, rules.flags)
    assert ((0, 0) in found) == may_pass, where
    plays = {(cards, reading_of(meta)) for cards, meta in found if cards}
    assert len(plays) == len(found) - may_pass, where
    assert plays <= legal.keys(), where

    # Every bomb, and one play for each other pattern of ranks and reading.
    assert {play for play in plays if play[1].type == BOMB} == {play for play in legal if play[1].type == BOMB}, where
    patterns = [pattern(play) for play in plays if play[1].type != BOMB]
    assert sorted(patterns) == sorted({pattern(play) for play in legal if play[1].type != BOMB}), where
    # A page sees no more than this: playable are the cards of a bomb, or any with the values of another entry.
    bombs = {cards for cards, play in plays if play.type == BOMB}
    others = {ranks for ranks, _ in patterns}
    playable = {part.set for part in parts if part.set in bombs or part.ranks in others}
    assert playable == {cards for cards, _ in legal}, where

    # The cards that stand for a pattern break a bomb only where all cards of that pattern do.
    bombed = {card for part in parts for play in part.readings if play.type == BOMB for card in part.cards}
    unbroken = {pattern(play) for play, part in legal.items() if bombed.isdisjoint(part.cards)}
    broken = [play for play in plays if play[1].type != BOMB and not bombed.isdisjoint(each(play[0]))]
    assert unbroken.isdisjoint(map(pattern, broken)), where


def follow(part: Subset, top: Reading | None) -> Iterator[Reading]:
    for reading in part.readings:
        if play := follows(reading, top, part.cards):
            yield play


def pattern(play: tuple[CardSet, Reading]) -> tuple[tuple[int, ...], Reading]:
    return (values(play[0]), play[1])


@pytest.mark.parametrize("seed", range(4))
def test_legal_plays_are_those_of_brute_force(seed: int) -> None:
    """Rules 4 and 6; more than 2,000 positions in all."""
    rng = random.Random(seed)
    positions = 0
    while positions < 750:
        hand = random_hand(rng)
        parts = subsets(hand)
        for top in random_tops(rng, [reading for part in parts for reading in part.readings]):
            wish = rng.choice([-1, 0, rng.randint(2, 14), rng.choice(parts[-1].ranks)])
            check_position(hand, parts, top, wish if 2 <= wish <= 14 else 0, rng.choice(RULE_SETS))
            positions += 1
