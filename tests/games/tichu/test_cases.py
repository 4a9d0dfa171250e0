"""Positions with the right answer, from tests/data/cases.jsonl: each line has a kind, an input and what is expected."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from games.tichu import _core, wire
from games.tichu import round as rounds
from games.tichu._core import Round, legal_plays
from games.tichu.cards import (
    DECK,
    PHOENIX,
    CardSet,
    each,
    from_labels,
    hand_order,
    label,
    parse,
    played_order,
    points,
    ranks,
    text,
    to_wire,
)
from games.tichu.combinations import Combination, CombinationType, phoenix_rank, recognise
from games.tichu.game import MatchState, Options
from lobby.seating import Seating
from tests.games.tichu.tables import act, table

CASES = [json.loads(line) for line in (Path(__file__).parents[2] / "data" / "cases.jsonl").read_text().splitlines()]
HOUSE = _core.HOUSE
check: dict[str, Callable[..., None]] = {}


def case(*kinds: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Checks the cases of these kinds: gets what is expected, and the input as keywords."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        check.update(dict.fromkeys(kinds, function))
        return function

    return register


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=f"{case['kind']}-{number}") for number, case in enumerate(CASES, start=1)]
)
def test_case(case: dict[str, Any]) -> None:
    check[case["kind"]](case["expected"], **case["input"])


# --- what the cases count: sets of cards, each in its highest reading -------------------------------------------------


def meta_of(trick: list[int]) -> int:
    """The top of a trick; after the dog it is empty (protocol 2)."""
    kind, length, rank = trick
    return 0 if trick == [1, 1, 0] else kind << 16 | length << 8 | 2 * rank


def named(meta: int) -> list[int]:
    return wire.combination(meta)


def playable(hand: str, trick: list[int], wish: int = 0) -> dict[CardSet, int]:
    """All sets of cards of a hand that may be played, the pass included, and the meta of each."""
    plays = legal_plays(parse(hand), meta_of(trick), wish, HOUSE)
    bombs = {cards: meta for cards, meta in plays if wire.is_bomb(meta)}
    others: dict[tuple[int, ...], int] = {}
    for cards, meta in plays:
        if not wire.is_bomb(meta):
            others[ranks(cards)] = max(meta, others.get(ranks(cards), 0), key=lambda meta: meta & 0xFF)
    found = {}
    for cards in subsets(parse(hand)):
        meta = bombs.get(cards, others.get(ranks(cards)))
        if meta is not None:
            found[cards] = meta
    return found


def subsets(cards: CardSet) -> Iterator[CardSet]:
    subset = cards
    while subset:
        yield subset
        subset = (subset - 1) & cards
    yield 0


def rank_of(cards: CardSet, meta: int) -> int:
    """In these cases a single phoenix that is not yet played has rank 16."""
    return 16 if cards == PHOENIX else Combination.of_meta(meta).rank


# --- cards ------------------------------------------------------------------------------------------------------------


@case("deck")
def deck(expected: Any) -> None:
    labels = " ".join(label(card) for card in each(DECK))
    assert {"count": DECK.bit_count(), "points": points(DECK), "labels": labels} == expected


@case("card_points")
def card_points(expected: int, cards: str) -> None:
    assert points(parse(cards)) == expected


@case("parse_cards")
def parse_cards(expected: Any, labels: str) -> None:
    if expected == "error":
        with pytest.raises(ValueError, match="XX"):
            from_labels(labels)
    else:
        assert to_wire(from_labels(labels)) == expected


@case("hand_order", "sort")
def order_of_a_hand(expected: str, cards: str) -> None:
    assert text(hand_order(parse(cards))) == expected


@case("phoenix_order")
def phoenix_order(expected: Any, cards: str) -> None:
    meta = recognise(parse(cards))
    assert meta is not None
    assert text(played_order(parse(cards), phoenix_rank(meta))) == expected["ordered"]


# --- combinations -----------------------------------------------------------------------------------------------------


@case("recognize")
def recognize(expected: Any, cards: str, trick_rank: int) -> None:
    top = meta_of([1, 1, trick_rank]) if parse(cards) == PHOENIX else 0
    meta = recognise(parse(cards), top) if cards else 0
    assert meta is not None
    found = Combination.of_meta(meta)
    assert {"type": found.type.name, "length": found.length, "rank": found.rank} == expected


@case("type_label")
def type_label(expected: str, type: str, length: int | None) -> None:
    assert CombinationType[type].label(length) == expected


@case("valid_combination")
def valid_combination(expected: bool, combination: list[int]) -> None:
    possible = [named(meta) for _, meta in legal_plays(DECK, 0, 0, HOUSE)]
    assert (combination in possible) == expected


@case("generate_count")
def generate_count(expected: dict[str, int], hand: str) -> None:
    kinds = [CombinationType(named(meta)[0]).name for meta in playable(hand, [0, 0, 0]).values() if meta]
    assert len(kinds) == expected["total"]
    for kind, count in expected.items():
        assert kind == "total" or kinds.count(kind) == count


@case("generate_contains")
def generate_contains(expected: Any, hand: str, cards: str) -> None:
    meta = playable(hand, [0, 0, 0])[parse(cards)]
    kind, length, _ = Combination.of_meta(meta)
    assert {"type": kind.name, "length": length, "rank": rank_of(parse(cards), meta)} == expected


@case("generate_list")
def generate_list(expected: list[dict[str, str]], hand: str) -> None:
    found = {}
    for cards, meta in playable(hand, [0, 0, 0]).items():
        if cards:
            kind, length, _ = Combination.of_meta(meta)
            ordered = text(played_order(cards, phoenix_rank(meta)))
            found[ordered] = f"{kind.label(length).upper()}-{rank_of(cards, meta):02}"
    assert found == {entry["cards"]: entry["label"] for entry in expected}


# --- legal plays ------------------------------------------------------------------------------------------------------


@case("action_space")
def action_space(expected: dict[str, Any], hand: str, trick: list[int], wish: int) -> None:
    found = playable(hand, trick, wish)
    assert (0 in found) == expected.get("pass", False)
    assert len(found) == expected.get("count", len(found))
    if "playable" in expected:
        assert found.keys() == {parse(cards) for cards in expected["playable"]}
    assert {parse(cards) for cards in expected.get("contains", [])} <= found.keys()
    assert found.keys().isdisjoint(parse(cards) for cards in expected.get("contains_not", []))
    if "equals_all_combinations" in expected:
        assert found == playable(hand, [0, 0, 0])


@case("can_play")
def can_play(expected: bool, hand: str, trick: list[int], wish: int) -> None:
    assert any(cards for cards, _ in legal_plays(parse(hand), meta_of(trick), wish, HOUSE)) == expected


@case("auto_select")
def auto_select(expected: str, hand: str, trick: list[int], wish: int) -> None:
    plays = legal_plays(parse(hand), meta_of(trick), wish, HOUSE)
    assert text(wire.proposal(parse(hand), plays)) == expected


@case("bombs")
def bombs(expected: Any, hand: str) -> None:
    found = [[text(cards), named(meta)] for cards, meta in wire.bombs_in(parse(hand))]
    assert len(found) == expected["count"]
    assert found[:1] == [bomb for bomb in [expected.get("bomb")] if bomb]


@case("playable_bombs")
def playable_bombs(expected: Any, hand: str, trick: list[int]) -> None:
    assert (
        sum(wire.is_bomb(meta) for _, meta in legal_plays(parse(hand), meta_of(trick), 0, HOUSE)) == expected["count"]
    )


@case("has_bomb")
def has_bomb(expected: bool, first_combination: list[int] | None) -> None:
    """The input is the highest combination of a hand: none, or three jacks."""
    hand = "SB BB GB" if first_combination else ""
    assert [named(meta) for _, meta in legal_plays(parse(hand), 0, 0, HOUSE)][-1:] == [first_combination] * bool(hand)
    assert bool(wire.bombs_in(parse(hand))) == expected


@case("wish_in")
def wish_in(expected: bool, wish: int, cards: str) -> None:
    assert (wish in ranks(parse(cards))) == expected


@case("wish_fulfilled")
def wish_fulfilled(expected: Any, wish: int, play: str) -> None:
    round = act(table(f"{play} S2", "S3", "S4", "S5", wish=wish), f"0: plays {play}")
    assert (round.wish > 0) == expected["wish_open"]


# --- rounds -----------------------------------------------------------------------------------------------------------


@case("active_players")
def active_players(expected: int, count_hand_cards: list[int]) -> None:
    suits = ("S2 S3 S4 S5 S6 S7 S8 S9", "B2 B3 B4 B5 B6 B7 B8 B9", "G2 G3 G4 G5 G6 G7 G8 G9", "R2 R3 R4 R5 R6 R7 R8 R9")
    round = table(*(suit[: 3 * count] for suit, count in zip(suits, count_hand_cards, strict=True)))
    assert sum(round.count(seat) > 0 for seat in range(4)) == expected


@case("next_player")
def next_player(expected: int, trick: list[int], trick_owner_index: int, current_turn_index: int) -> None:
    """After a lead the next seat; after the dog the partner."""
    round = table("S2 S3", "B2 B3", "G2 G3", "R2 Hu", turn=current_turn_index)
    act(round, f"{current_turn_index}: plays {'Hu' if trick == [1, 1, 0] else 'R2'}")
    assert round.turn == expected


@case("phoenix_single")
def phoenix_single(expected: Any, trick_before: list[int], play: str) -> None:
    round = table(f"{play} S2", "S3", "S4", "S5")
    assert (named(round.trick_meta), points(round.trick_cards)) == (trick_before, expected["trick_points_before"])
    act(round, f"0: plays {play}")
    assert (named(round.trick_meta), points(round.trick_cards)) == (
        expected["trick_after"],
        expected["trick_points_after"],
    )


@case("seat_indices")
def seat_indices(expected: Any, player_index: int) -> None:
    """Who gets the exchange cards."""
    round = Round.random(0)
    for seat in range(4):
        round.decide_grand(seat, False)
    for seat in range(4):
        round.give(seat, *list(each(round.hand(seat)))[:3])
    gifts = round.given(player_index)
    assert gifts is not None
    right, partner, left = ([seat for seat in range(4) if round.hand(seat) & card] for card in gifts)
    assert {"opponent_right": right, "partner": partner, "opponent_left": left} == {
        name: [seat] for name, seat in expected.items()
    }


@case("scoring_trick")
def scoring_trick(
    expected: Any,
    player: int,
    trick: list[int],
    trick_points: int,
    unplayed_cards: str,
    points_before: list[int],
    announcements: list[int],
) -> None:
    round = table(
        "SZ S2", unplayed_cards, "S4", "S5", points=tuple(points_before), calls=tuple(announcements), turn=player
    )
    act(round, "0: plays SZ")
    assert (named(round.trick_meta), points(round.trick_cards)) == (trick, trick_points)
    act(round, "1: passes", "2: passes", "3: passes", "taken")
    assert [round.points(seat) for seat in range(4)] == expected["points"]


@case("round_end")
def round_end(expected: Any, count_hand_cards_after: list[int], finish_order: list[int]) -> None:
    *out, third = finish_order
    hands = ["S3" if count else "" for count in count_hand_cards_after]
    hands[third] = "S2"
    round = act(table(*hands, out=tuple(out), turn=third), f"{third}: plays S2")
    (loser,) = set(range(4)) - set(round.finished)
    assert expected == {
        "winner_index": round.finished[0],
        "loser_index": loser,
        "is_round_over": round.phase == _core.DONE,
        "is_double_victory": round.double_victory,
    }


@case("scoring_round")
def scoring_round(
    expected: Any,
    points_after_last_trick: list[int],
    announcements: list[int],
    winner_index: int,
    loser_index: int,
    is_double_victory: bool,
    leftover_points: int,
) -> None:
    """The last trick has no points; the loser keeps a king, a ten and a five."""
    round = table(
        "",
        "S9",
        "SK SZ S5 S2",
        "",
        points=tuple(points_after_last_trick),
        calls=tuple(announcements),
        out=(3, 0),
        turn=1,
    )
    act(round, "1: plays S9")
    assert (round.finished[0], round.count(loser_index) > 0) == (winner_index, True)
    assert points(round.hand(loser_index)) == leftover_points
    assert {"points": list(round.final_points()), "score": list(round.score())} == expected


@case("round_replay")
def round_replay(expected: Any, start_player_index: int, announcements: list[int], log: list[dict[str, Any]]) -> None:
    """The hands are what the log plays; what it does not play, the seats that still have cards keep."""
    round = table(*hands_of(log), turn=start_player_index, calls=tuple(announcements))
    for entry in log:
        if "wish" in entry:
            rounds.wish(round, round.turn, entry["wish"])
        elif "wish_fulfilled" in entry:
            assert round.wish == 0
        elif "taken_by" in entry:
            take(round, entry)
            assert (round.points(entry["taken_by"]), round.recipient) == (entry["points"], entry["dragon_recipient"])
        elif "pass" in entry:
            rounds.play(round, entry["p"], 0)
        else:
            pile = round.trick_cards
            cards = parse(entry["cards"])
            in_turn = round.turn == entry["p"] != round.owner
            meta = rounds.play(round, entry["p"], cards) if in_turn else rounds.bomb(round, entry["p"], cards)
            assert (named(meta), points(pile | cards)) == (entry["combination"], entry["trick_points"])
    assert {"points": list(round.final_points()), "score": list(round.score())} == {
        key: expected[key] for key in ("points", "score")
    }
    assert round.finished[0] == expected["winner_index"]
    assert round.double_victory == expected["is_double_victory"]
    if not round.double_victory:
        assert round.count(expected["loser_index"]) > 0


def hands_of(log: list[dict[str, Any]]) -> list[str]:
    hands = [0, 0, 0, 0]
    for entry in log:
        if "cards" in entry:
            hands[entry["p"]] |= parse(entry["cards"])
    for card in each(DECK & ~sum(hands)):
        hands[min((seat for seat in range(4) if hands[seat].bit_count() < 14), default=0)] |= card
    return [text(hand) for hand in hands]


def take(round: Round, entry: dict[str, Any]) -> None:
    if round.phase == _core.PLAY:
        rounds.take(round)
    if round.phase == _core.DRAGON:
        rounds.give_dragon(round, round.turn, entry["taken_by"])


# --- matches and tables -----------------------------------------------------------------------------------------------


@case("total_score")
def total_score(expected: list[int], game_score: list[list[int]]) -> None:
    assert list(match_of(game_score).totals) == expected


@case("game_over")
def game_over(expected: bool, game_score: list[list[int]]) -> None:
    assert match_of(game_score).is_decided == expected


def match_of(game_score: list[list[int]]) -> MatchState:
    team_20, team_31 = game_score
    return MatchState(Options(), game_score=(tuple(team_20), tuple(team_31)))


class Person:
    def __init__(self, name: str) -> None:
        self.name = name


@case("join")
def join(expected: Any, human_seats: list[int]) -> None:
    seating: Seating[Person] = Seating.empty(["RuleAgent"] * 4)
    for seat in human_seats:
        seating = seating.sit(Person(f"P{seat}"), seat)
    assert seating.free_seat() == expected["seat"]


@case("lobby_swap")
def lobby_swap(expected: Any, names: list[str], host_index: int, swap: list[int]) -> None:
    seating = Seating(tuple(map(Person, names)), ("RuleAgent",) * 4, host_index)
    assert {"names": seating.swap(*swap).names, "ok": True} == expected
