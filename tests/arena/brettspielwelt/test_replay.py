"""Real rounds by the rules, and what is wrong with rounds that were changed by hand."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.brettspielwelt.findings import Code, Finding
from arena.brettspielwelt.log import Line, LoggedRound, parse
from arena.brettspielwelt.replay import CARDS, FLAGS, Replayed, judge_game, replay
from games.tichu import cards as deck
from games.tichu import notation
from games.tichu._core import BOMB, Round, legal_plays
from games.tichu.combinations import Combination
from tests.games.tichu import bsw

SAMPLES = Path(__file__).parents[2] / "data" / "bsw"
FILES = sorted(SAMPLES.rglob("*.tch"))
GAMES = {path.stem: [round for game in parse(path.read_bytes()) for round in game.rounds] for path in FILES}
ROUNDS = {f"{stem}-{number}": round for stem, game in GAMES.items() for number, round in enumerate(game, start=1)}
GRAND_NOT_SCORED = {"900005_crlf-13", "gt_gt_same_team_second_not_scored-1"}
CUT_OFF = {"900006_truncated-10"}


def codes(findings: list[Finding], *, corrected: bool = False) -> list[Code]:
    return [finding.code for finding in findings if finding.corrected == corrected]


# --- the samples ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(ROUNDS.keys() - CUT_OFF - GRAND_NOT_SCORED))
def test_a_real_round_has_the_logged_score(name: str) -> None:
    replayed = replay(ROUNDS[name])
    assert codes(replayed.findings) == []
    assert replayed.usable
    assert replayed.score == ROUNDS[name].result


def test_there_are_66_of_68_of_them() -> None:
    assert len(ROUNDS.keys() - CUT_OFF) == 68
    assert len(ROUNDS.keys() - CUT_OFF - GRAND_NOT_SCORED) == 66


@pytest.mark.parametrize("name", sorted(GRAND_NOT_SCORED))
def test_a_second_grand_tichu_that_was_not_scored_is_flagged_and_not_repaired(name: str) -> None:
    """The server ignored the second of two grand Tichus (brettspielwelt.md 6); rules 7.4 counts both."""
    replayed = replay(ROUNDS[name])
    assert codes(replayed.findings) == [Code.GRAND_NOT_SCORED]
    assert replayed.calls.count(2) == 2
    own, logged = replayed.score, ROUNDS[name].result
    assert own is not None
    assert logged is not None
    assert sorted(abs(mine - theirs) for mine, theirs in zip(own, logged, strict=True)) == [0, 200]


def test_a_round_that_is_cut_off_is_flagged() -> None:
    replayed = replay(ROUNDS["900006_truncated-10"])
    assert replayed.findings[0].code == Code.TOO_SHORT
    assert not replayed.usable
    assert replayed.score is None


@pytest.mark.parametrize("name", ["900002-1", "900004-1", "900004-4", "all_four_names_reseated_after_deal-1"])
def test_a_seat_counts_whatever_its_name(name: str) -> None:
    """Names change between the hands and the exchange; the cards stay with the seat (brettspielwelt.md 5)."""
    assert codes(replay(ROUNDS[name]).findings, corrected=True) == [Code.NAMES_DIFFER]


@pytest.mark.parametrize("name", sorted(ROUNDS.keys() - CUT_OFF))
def test_the_moves_are_a_round_of_the_journal(name: str) -> None:
    """A log is deal and actions, through the same checks as the live table."""
    replayed = replay(ROUNDS[name])
    actions = notation.actions_of(Round(replayed.first_eight, replayed.fourteen, FLAGS), replayed.moves)
    round, moves = notation.moves_of(actions, FLAGS)
    assert (round.score(), moves) == (replayed.score, replayed.moves)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_another_replayer_comes_to_the_same_scores(path: Path) -> None:
    """It knows a log only as lines of text, and lets the checked functions of the live table decide."""
    rounds = [round for round in GAMES[path.stem] if round.result]
    for round, log in zip(rounds, bsw.logs(path), strict=True):
        assert replay(round).score == bsw.replay(log).score()


def test_each_move_knows_its_line() -> None:
    logged = ROUNDS["900001-1"]
    replayed = replay(logged)
    said = {
        "play": ("play", "pass"),
        "bomb": ("play",),
        "wish": ("wish",),
        "announce": ("tichu",),
        "dragon": ("dragon",),
    }
    assert replayed.lines[:8] == [-1] * 8  # grand Tichus and the exchange
    for (_, decision, _), at in zip(replayed.moves[8:], replayed.lines[8:], strict=True):
        assert logged.lines[at].kind in said[decision]
    without_move = set(range(len(logged.lines))) - set(replayed.lines)
    assert {logged.lines[at].kind for at in without_move} == {"pass"}  # those that take a trick


def test_the_figures_are_those_of_the_reference() -> None:
    """brettspielwelt.md 7, within what 68 rounds can tell: 11.2 tricks, 57 moves, 0.52 bombs, 15 % Tichus."""
    rounds = [replay(ROUNDS[name]) for name in sorted(ROUNDS.keys() - CUT_OFF)]

    def mean(figure: Callable[[Replayed], float]) -> float:
        return sum(map(figure, rounds)) / len(rounds)

    assert mean(lambda round: round.tricks) == pytest.approx(11.2, abs=0.5)
    assert mean(lambda round: round.moves_count) == pytest.approx(57, abs=2)
    assert mean(lambda round: sum(round.bombs)) == pytest.approx(0.52, abs=0.2)
    assert mean(lambda round: round.bombs_held > 0) == pytest.approx(0.414, abs=0.15)
    assert mean(lambda round: round.calls.count(1) / 4) == pytest.approx(0.151, abs=0.07)
    assert mean(lambda round: round.double_victory) == pytest.approx(0.213, abs=0.1)
    assert all(sorted(round.places) in ([1, 2, 3, 4], [1, 2, 4, 4]) for round in rounds)
    assert {round.dragon for round in rounds} == {None, 1, 3}


# --- what a log means -------------------------------------------------------------------------------------------------

RANKS = {"B": 11, "D": 12, "K": 13, "A": 14}


def made_up(*hands: str, lines: tuple[str, ...], result: tuple[int, int] | None = (50, 50)) -> LoggedRound:
    """A round in which everybody gives away the three last cards that the other seats end up with.

    :param hands: after the exchange; what they lack comes from the rest of the deck.
    :param lines: as ``0 Ph R6``, ``1 pass``, ``wish 8``, ``tichu 2``, ``dragon 3``.
    """
    held = [hand.split() for hand in hands]
    rest = [label for label in CARDS if label not in " ".join(hands).split()]
    Random(1).shuffle(rest)
    held = [[rest.pop() for _ in range(14 - len(hand))] + hand for hand in held]
    gifts = tuple(tuple(held[(seat + away) % 4][-away] for away in (1, 2, 3)) for seat in range(4))
    fourteen = tuple((*held[seat][:-3], *gifts[seat]) for seat in range(4))
    kinds = [{meta >> 16 for _, meta in legal_plays(sum(CARDS[label] for label in hand), 0, 0, 0)} for hand in held]
    return LoggedRound(
        line=1,
        hand_names=("A", "B", "C", "D"),
        names=("A", "B", "C", "D"),
        eight=tuple(hand[:8] for hand in fourteen),
        fourteen=fourteen,
        before=(),
        gifts=gifts,
        bombs=tuple(seat for seat in range(4) if BOMB in kinds[seat]) or None,
        lines=tuple(map(line, lines)),
        result=result,
    )


def line(text: str) -> Line:
    who, *what = text.split()
    if who == "wish":
        return Line("wish", rank=RANKS.get(what[0]) or int(what[0]))
    if who in ("tichu", "dragon"):
        return Line(who, int(what[0]))
    return Line("pass", int(who)) if what == ["pass"] else Line("play", int(who), tuple(what))


def changed(logged: LoggedRound, at: int, *lines: str, instead: int = 0) -> LoggedRound:
    """With lines put in at a place, instead of so many."""
    return replace(logged, lines=(*logged.lines[:at], *map(line, lines), *logged.lines[at + instead :]))


def rank_of_the_phoenix_play(logged: LoggedRound) -> int:
    """In a round that breaks off after the given lines."""
    replayed = replay(logged)
    assert codes(replayed.findings) == [Code.TOO_SHORT]
    (meta,) = [answer[1] for _, kind, answer in replayed.moves if kind == "play" and answer[0] & deck.PHOENIX]
    return Combination.of_meta(meta).rank


PHOENIX_STREET = ("Ma Ph R6 G5 G4 B3", "S7 B6 R5 S4 S3", "S8 B8 G8 R8", "")


def test_the_next_play_decides_for_the_low_reading_of_the_phoenix() -> None:
    """``Ph R6 G5 G4 B3`` may be 7-high or 6-high (brettspielwelt.md 3); a street up to seven beats only the latter."""
    assert rank_of_the_phoenix_play(made_up(*PHOENIX_STREET, lines=("0 Ph R6 G5 G4 B3", "1 S7 B6 R5 S4 S3"))) == 6


def test_the_low_reading_is_recorded_if_nothing_decides() -> None:
    assert rank_of_the_phoenix_play(made_up(*PHOENIX_STREET, lines=("0 Ph R6 G5 G4 B3", "1 pass", "2 pass"))) == 6


def test_an_open_wish_decides_for_the_high_reading() -> None:
    """Seat 2 could beat the low one with the wished seven, so it must (rules 6.2); it passes."""
    hands = ("Ma B2", "RA Ph R6 G5 G4 B3", "S7 B6 R5 S4 S3", "S8 B8 G8 R8 B7 G7 R7")
    trick = ("0 Ma", "wish 7", "1 RA", "2 pass", "3 pass", "0 pass", "1 pass")
    assert rank_of_the_phoenix_play(made_up(*hands, lines=(*trick, "1 Ph R6 G5 G4 B3", "2 pass"))) == 7


def test_a_full_house_of_two_pairs_and_the_phoenix_is_low() -> None:
    """``G8 S8 Ph B7 S7`` (brettspielwelt.md 3)."""
    hands = ("Ma G8 S8 Ph B7 S7", "", "", "")
    assert rank_of_the_phoenix_play(made_up(*hands, lines=("0 G8 S8 Ph B7 S7", "1 pass"))) == 7


def test_on_a_street_up_to_six_the_phoenix_is_the_seven() -> None:
    hands = ("Ma S2 B3 R4 S5 S6", "Ph R6 G5 G4 G3", "", "")
    assert rank_of_the_phoenix_play(made_up(*hands, lines=("0 S6 S5 R4 B3 S2", "1 Ph R6 G5 G4 G3", "2 pass"))) == 7


STREET = "SA BK SD BB S10 B9 S8 B7 S6 B5 S4 B3 S2 Ma"
THREE_PASSES = ("1 pass", "2 pass", "3 pass")


@pytest.mark.parametrize(
    ("play", "move"),
    [
        ("1 GD", (1, "play")),
        ("1 G6 G5 G4 G3 G2", (1, "play")),  # not on the trick: it is closed
        ("2 R6 R5 R4 R3 R2", (2, "bomb")),
    ],
)
def test_the_trick_of_an_owner_without_cards_closes_by_itself(play: str, move: tuple[int, str]) -> None:
    """No line takes it; the next seat with cards leads (brettspielwelt.md 4)."""
    hands = (STREET, "GD G6 G5 G4 G3 G2", "R6 R5 R4 R3 R2", "")
    replayed = replay(made_up(*hands, lines=(f"0 {STREET}", *THREE_PASSES, play)))
    assert codes(replayed.findings) == [Code.TOO_SHORT]
    assert replayed.moves[-1][:2] == move


def test_a_bomb_is_thrown_on_the_dragon_of_an_owner_without_cards() -> None:
    """As long as no line gives the dragon away."""
    hands = (STREET.replace("SA", "Dr"), "G6 G5 G4 G3 G2", "", "")
    lines = (f"0 {STREET.removeprefix('SA ')}", *THREE_PASSES, "0 pass", "0 Dr", *THREE_PASSES, "1 G6 G5 G4 G3 G2")
    replayed = replay(made_up(*hands, lines=lines))
    assert codes(replayed.findings) == [Code.TOO_SHORT]
    assert replayed.moves[-1][:2] == (1, "bomb")


def test_an_owner_may_bomb_his_own_dragon() -> None:
    """brettspielwelt.md 4."""
    moves = replay(ROUNDS["own_dragon_bombed-1"]).moves
    plays = [
        (seat, decision, answer[0]) for seat, decision, answer in moves if decision in ("play", "bomb") and answer[0]
    ]
    at = next(at for at, (_, _, cards) in enumerate(plays) if cards == deck.DRAGON)
    assert plays[at + 1][:2] == (plays[at][0], "bomb")


def test_whoever_says_no_wish_has_none() -> None:
    assert replay(ROUNDS["900002-8"]).wish == 0


def test_a_tichu_may_be_called_before_the_exchange() -> None:
    """brettspielwelt.md 2."""
    replayed = replay(ROUNDS["tichu_before_schupfen-1"])
    assert replayed.calls == (0, 0, 1, 0)
    assert replayed.moves[4] == (2, "announce", True)


def test_a_missing_line_of_the_dragon_is_made_good_if_either_opponent_makes_the_same_score() -> None:
    logged = ROUNDS["900001-2"]
    replayed = replay(changed(logged, 32, instead=1))
    assert codes(replayed.findings, corrected=True) == [Code.DRAGON_NOT_GIVEN]
    assert replayed.score == logged.result
    assert replayed.dragon is None


def test_nobody_guesses_who_got_the_dragon() -> None:
    replayed = replay(changed(ROUNDS["900001-1"], 29, instead=1))
    assert codes(replayed.findings) == [Code.DRAGON_NOT_GIVEN]
    assert not replayed.usable
    assert "dragon" not in {decision for _, decision, _ in replayed.moves}


# --- what can be wrong ------------------------------------------------------------------------------------------------

QUICK = made_up(
    "Hu BK SD BB S10 B9 S8 B7 S6 B5 S4 B3 S2 Ma",
    "BA B2 G2",
    "Dr GK GA RK GD RB G10 R9 G8 R7 G6 R5 G4 R3",
    "SA RA",
    lines=(
        f"0 {STREET.removeprefix('SA ')}",
        "wish A",
        *THREE_PASSES,
        "0 pass",
        "0 Hu",
        "2 GA RK GD RB G10 R9 G8 R7 G6 R5 G4 R3",
        *("3 pass", "1 pass", "2 pass"),
        "2 GK",
        *("3 pass", "1 pass", "2 pass"),
        "2 Dr",
    ),
    result=(200, 0),
)
"""A double victory."""


def dealt(hand: int, *labels: str) -> LoggedRound:
    """The quick round with other cards at the beginning of a hand."""
    hands = [list(labels) for labels in QUICK.fourteen]
    hands[hand][: len(labels)] = labels
    return replace(QUICK, fourteen=tuple(tuple(filter(None, labels)) for labels in hands))


def test_the_quick_round_is_right() -> None:
    replayed = replay(QUICK)
    assert replayed.findings == []
    assert (replayed.score, replayed.places, replayed.tricks, replayed.wish) == ((200, 0), (1, 4, 2, 4), 4, 14)


@pytest.mark.parametrize(
    ("code", "logged"),
    [
        (Code.LABEL, dealt(1, "B1")),
        (Code.LABEL, changed(QUICK, 6, "0 Hx", instead=1)),
        (Code.COUNT, dealt(1, "")),
        (Code.COUNT, replace(QUICK, eight=QUICK.fourteen)),
        (Code.COUNT, replace(QUICK, fourteen=(*QUICK.fourteen, QUICK.fourteen[0]))),
        (Code.COUNT, replace(QUICK, gifts=QUICK.gifts[:3])),
        (Code.COUNT, changed(QUICK, 6, "0", instead=1)),
        (Code.DUPLICATE, dealt(1, QUICK.fourteen[0][0])),
        (Code.DUPLICATE, changed(QUICK, 6, "0 Hu Hu", instead=1)),
        (Code.NOT_IN_HAND, replace(QUICK, eight=QUICK.eight[::-1])),
        (Code.NOT_IN_HAND, replace(QUICK, gifts=QUICK.gifts[::-1])),
        (Code.NOT_IN_HAND, changed(QUICK, 6, "0 Dr", instead=1)),
        (Code.BOMBS_DIFFER, replace(QUICK, bombs=(3,))),
        (Code.ALREADY_PLAYED, changed(QUICK, 6, "0 BK", instead=1)),
        (Code.PASS_ON_LEAD, changed(QUICK, 6, "0 pass")),
        (Code.PASS_ON_LEAD, changed(QUICK, 0, "0 pass")),
        (Code.WISH_NOT_FOLLOWED, changed(QUICK, 7, "2 RK", instead=1)),
        (Code.NOT_PLAYABLE, changed(QUICK, 7, "2 GA RK", instead=1)),
        (Code.NOT_PLAYABLE, changed(QUICK, 2, "1 BA", instead=1)),
        (Code.NOT_PLAYABLE, changed(QUICK, 5, instead=1)),  # the trick was not taken
        (Code.NOT_ON_TURN, changed(QUICK, 2, instead=1)),
        (Code.NOT_ON_TURN, changed(QUICK, 7, "1 BA")),
        (Code.TOO_SHORT, changed(QUICK, 15, instead=1)),
        (Code.TOO_SHORT, replace(QUICK, gifts=())),
        (Code.TOO_LONG, changed(QUICK, 16, "3 pass")),
        (Code.TOO_LONG, changed(QUICK, 16, "1 BA")),
        (Code.WISH_WITHOUT_MAH_JONG, changed(QUICK, 7, "wish 5")),
        (Code.WISH_WITHOUT_MAH_JONG, changed(QUICK, 1, "wish A")),
        (Code.DRAGON_TO_OWN_TEAM, changed(QUICK, 16, "dragon 0")),  # does not matter, but cannot be
        (Code.DRAGON_WITHOUT_WINNING, changed(QUICK, 6, "dragon 1")),
        (Code.CALL_TOO_LATE, changed(QUICK, 1, "tichu 0")),
        (Code.CALL_TWICE, replace(changed(QUICK, 0, "tichu 0"), before=(("grand", 0),), result=(400, 0))),
        (Code.SCORE_IMPOSSIBLE, replace(QUICK, result=(203, 0))),
        (Code.SCORE_IMPOSSIBLE, replace(QUICK, result=(100, 50))),
        (Code.GRAND_NOT_SCORED, replace(QUICK, before=(("grand", 0), ("grand", 3)), result=(400, 0))),
        (Code.SCORE_MISMATCH, replace(QUICK, result=(0, 200))),
        (Code.UNREADABLE, replace(QUICK, lines=(Line("?", 0),))),
        (Code.UNREADABLE, changed(QUICK, 1, "wish 15", instead=1)),
        (Code.UNREADABLE, changed(QUICK, 16, "dragon 4")),
        (Code.UNREADABLE, replace(QUICK, before=(("grand", 4),))),
    ],
)
def test_what_is_wrong_is_named(code: Code, logged: LoggedRound) -> None:
    assert replay(logged).findings[0].code == code
    assert not replay(logged).findings[0].corrected


@pytest.mark.parametrize(
    ("code", "logged"),
    [
        (Code.CALL_TWICE, changed(replace(QUICK, result=(200, -100)), 2, "tichu 1", "tichu 1")),
        (Code.CALL_TWICE, replace(QUICK, before=(("grand", 0), ("grand", 0)), result=(400, 0))),
        (Code.NAMES_DIFFER, replace(QUICK, hand_names=("D", "B", "C", "A"))),
    ],
)
def test_what_needs_no_guess_is_corrected(code: Code, logged: LoggedRound) -> None:
    replayed = replay(logged)
    assert codes(replayed.findings, corrected=True) == [code]
    assert codes(replayed.findings) == []
    assert replayed.score == logged.result


def test_in_a_double_victory_a_line_of_the_dragon_may_stand_there() -> None:
    """brettspielwelt.md 4: missing or present."""
    assert replay(changed(QUICK, 16, "dragon 3")).findings == []


def test_what_is_wrong_comes_before_what_was_corrected() -> None:
    """The first finding is the round's state."""
    findings = replay(replace(QUICK, hand_names=("D", "B", "C", "A"), result=(0, 200))).findings
    assert [finding.code for finding in findings] == [Code.SCORE_MISMATCH, Code.NAMES_DIFFER]


def test_a_finding_stands_at_its_line() -> None:
    (finding,) = replay(changed(QUICK, 7, "2 GA RK", instead=1)).findings
    assert (finding.move, finding.detail) == (7, "(2) GA RK on nothing")


@pytest.mark.parametrize("length", range(len(QUICK.lines)))
def test_a_round_that_breaks_off_keeps_its_moves(length: int) -> None:
    replayed = replay(replace(QUICK, lines=QUICK.lines[:length]))
    assert codes(replayed.findings) == [Code.TOO_SHORT]
    assert replayed.moves == replay(QUICK).moves[: len(replayed.moves)]
    assert not replayed.usable


labels = st.sampled_from([*CARDS, "R1", "", "Hu Ma"])
cards = st.lists(labels, max_size=15).map(tuple)
hands = st.lists(cards, max_size=5).map(tuple)
numbers = st.integers(-2, 16) | st.integers()
lines = st.builds(Line, st.sampled_from(["play", "pass", "wish", "tichu", "dragon", "?"]), numbers, cards, numbers)
ANYTHING = {
    "hand_names": st.lists(st.text(), max_size=5).map(tuple),
    "names": st.lists(st.text(), max_size=5).map(tuple),
    "eight": hands,
    "fourteen": hands,
    "gifts": hands,
    "before": st.lists(st.tuples(st.sampled_from(["grand", "tichu", "?"]), numbers), max_size=5).map(tuple),
    "bombs": st.none() | st.lists(numbers, max_size=5).map(tuple),
    "result": st.none() | st.tuples(numbers, numbers),
}


@given(
    name=st.sampled_from(sorted(ROUNDS)),
    fields=st.fixed_dictionaries({}, optional=ANYTHING),
    at=st.integers(0, 99),
    put=st.lists(lines, max_size=4).map(tuple),
    instead=st.integers(0, 3),
)
@settings(max_examples=300, deadline=None)
def test_nothing_that_a_log_says_raises(
    name: str, fields: dict[str, object], at: int, put: tuple[Line, ...], instead: int
) -> None:
    logged = ROUNDS[name]
    logged = replace(logged, lines=(*logged.lines[:at], *put, *logged.lines[at + instead :]), **fields)
    replayed = replay(logged)
    assert replayed.usable == (replayed.score is not None)
    assert replayed.usable or replayed.findings
    assert all(len(finding.detail) <= 200 for finding in replayed.findings)
    assert len(replayed.moves) == len(replayed.lines)


# --- games ------------------------------------------------------------------------------------------------------------


def game(*results: tuple[int, int] | None, names: tuple[str, ...] = ("A", "B", "C", "D")) -> list[Finding]:
    """What is wrong with a game of rounds with these logged results; the computed one is 200 : 0."""
    rounds = [replace(QUICK, result=result, names=names) for result in results]
    return judge_game(rounds, [replay(QUICK)] * len(rounds))


def test_a_game_ends_at_a_thousand() -> None:
    assert game((600, 0), (400, 0)) == []


def test_a_game_under_a_thousand_is_unfinished() -> None:
    (finding,) = game((600, 0), (395, 5))
    assert (finding.code, finding.detail) == (Code.GAME_UNFINISHED, "995 - 5")


def test_a_tie_goes_on() -> None:
    """Rules 8.6."""
    assert codes(game((1000, 1000))) == [Code.GAME_UNFINISHED]
    assert game((1000, 1000), (60, 40)) == []


def test_a_round_after_the_end_is_played_on() -> None:
    (finding,) = game((600, 0), (400, 0), (50, 50), (50, 50))
    assert (finding.code, finding.move) == (Code.PLAYED_ON, 2)


def test_the_computed_score_counts_where_none_is_logged() -> None:
    assert game((800, 0), None) == []


def test_another_name_at_a_seat_is_another_player() -> None:
    rounds = [replace(QUICK, result=(500, 0)), replace(QUICK, result=(500, 0), names=("A", "B", "C", "E"))]
    (finding,) = judge_game(rounds, [replay(round) for round in rounds])
    assert (finding.code, finding.move, finding.corrected) == (Code.PLAYER_CHANGED, 1, True)
    assert finding.detail == "(0)A (1)B (2)C (3)D, then (0)A (1)B (2)C (3)E"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("900001", []),
        ("900002", []),
        ("900003", []),
        ("900004", [Code.PLAYER_CHANGED]),
        ("900005_crlf", []),
        ("900006_truncated", [Code.GAME_UNFINISHED]),
    ],
)
def test_real_games_are_judged(name: str, expected: list[Code]) -> None:
    findings = judge_game(GAMES[name], [replay(round) for round in GAMES[name]])
    assert [finding.code for finding in findings] == expected


def test_an_empty_game_is_unfinished() -> None:
    assert codes(judge_game([], [])) == [Code.GAME_UNFINISHED]
