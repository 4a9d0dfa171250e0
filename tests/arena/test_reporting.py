from typing import Any

import msgspec
import pytest

from arena import reporting
from arena.jobs import Job, Unit
from arena.reporting import HUMAN, WIDTH, Panel, panels, report, text
from arena.statistics import Interval, elo
from arena.tally import Behaviour, Outcomes, Ratio, Tally, Timing
from tests.arena.examples import check_examples


def job(first: str = "rule", second: str = "random", unit: Unit = "rounds") -> Job:
    return Job(teams=(first, second), unit=unit, pairs=10, batch_pairs=5, seed=7)


def ratio(*pairs: tuple[float, float]) -> Ratio:
    total = Ratio()
    for x, n in pairs:
        total.add(x, n)
    return total


def two_matches() -> Tally:
    """One pair: the first team wins 1000:700 in 8 rounds and loses 900:1000 in 12."""
    return Tally(
        rounds=20,
        matches=2,
        tricks=230,
        points=ratio((200, 20)),
        round_score=ratio((11, 20)),
        match_score=ratio((1, 2)),
        round_outcomes=Outcomes(wins=10, draws=2, losses=8),
        match_outcomes=Outcomes(wins=1, losses=1),
        behaviour=[Behaviour(rounds=20, decisions=400) for _ in range(4)],
    )


def played(**what: Any) -> list[Behaviour]:
    """The four slots of rounds in which slot 2 did something and slots 0, 1 and 3 nothing."""
    return [Behaviour(rounds=50), Behaviour(rounds=50), Behaviour(rounds=50, **what), Behaviour(rounds=50)]


def panel(first: str = "rule+random", number: int = 1, **what: Any) -> Panel:
    """That of slot 2."""
    return panels(job(first), Tally(behaviour=played(**what)), Timing())[number]


# --- results ----------------------------------------------------------------------------------------------------------


def test_with_games_wins_are_those_of_matches() -> None:
    seen = report(job(unit="games"), two_matches(), Timing(), 2.0)
    assert (seen.wins, seen.draws, seen.losses, seen.win_rate.mean) == (1, 0, 1, 0.5)


def test_with_rounds_wins_are_those_of_rounds() -> None:
    seen = report(job(), two_matches(), Timing(), 2.0)
    assert (seen.wins, seen.draws, seen.losses, seen.win_rate.mean) == (10, 2, 8, 0.55)


def test_elo_is_the_win_rate_on_another_scale() -> None:
    tally = Tally(round_score=ratio(*[(2, 2)] * 3, *[(1, 2)] * 5, (0, 2)))
    seen = report(job(), tally, Timing(), 2.0)
    assert seen.elo == Interval(elo(seen.win_rate.mean), elo(seen.win_rate.low), elo(seen.win_rate.high))


def test_counts_are_per_round_and_per_match() -> None:
    seen = report(job(unit="games"), two_matches(), Timing(cpu_seconds=3.5), 2.0)
    assert (seen.rounds_per_match, seen.tricks_per_round, seen.decisions_per_round) == (10, 11.5, 80)
    assert (seen.seconds, seen.rounds_per_second, seen.cpu_seconds) == (2, 10, 3.5)
    assert seen.points_per_round.mean == 10


def test_single_rounds_have_no_rounds_per_match() -> None:
    assert report(job(), Tally(rounds=20), Timing(), 2.0).rounds_per_match is None


def test_a_run_that_was_cut_off_says_what_was_asked() -> None:
    seen = report(job(unit="games"), two_matches(), Timing(), 2.0)
    assert (seen.pairs, seen.pairs_asked) == (1, 10)
    assert "(1 of 10 pairs of the same deals)" in text(seen)


def test_faults_are_added_up_and_shown_for_each_agent() -> None:
    tally = Tally(behaviour=[Behaviour(raised=1), Behaviour(late=2), Behaviour(illegal=3), Behaviour(raised=4)])
    seen = report(job("rule+random"), tally, Timing(), 2.0)
    assert (seen.faults.raised, seen.faults.illegal, seen.faults.late) == (5, 3, 2)
    assert [(one.faults.raised, one.faults.illegal, one.faults.late) for one in seen.agents] == [
        (1, 0, 0),
        (0, 3, 0),
        (4, 0, 2),
    ]
    assert "faults                        5 raised, 3 illegal, 2 late" in text(seen)


# --- behaviour --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("teams", "agents"),
    [
        (("rule", "random"), [(0, "rule", 100), (1, "random", 100)]),
        (("rule+random", "random"), [(0, "rule", 50), (0, "random", 50), (1, "random", 100)]),
        (("rule", "rule"), [(0, "rule", 100), (1, "rule", 100)]),
    ],
)
def test_equal_partners_share_a_panel(teams: tuple[str, str], agents: list[tuple[int, str, int]]) -> None:
    """Slots 0 and 2 are the first team's, 1 and 3 the second's (arena.tally); a grand Tichu of each slot in 50 rounds
    is one per 50 rounds."""
    tally = Tally(behaviour=[Behaviour(rounds=50, grand=1) for _ in range(4)])
    seen = panels(job(*teams), tally, Timing())
    assert [(one.team, one.agent) for one in seen] == [agent[:2] for agent in agents]
    assert all(one.grand_tichu.per_seat == 1 / 50 for one in seen)


def test_the_second_partner_has_slot_2() -> None:
    assert [one.first_out for one in panels(job("rule+random"), Tally(behaviour=played(first_out=10)), Timing())] == [
        0,
        0.2,
        0,
    ]


def test_calls_are_counted_per_seat_and_by_success() -> None:
    seen = panel(tichu=20, tichu_made=15, grand=4, grand_made=1)
    assert (seen.tichu.per_seat, seen.tichu.made) == (0.4, 0.75)
    assert (seen.grand_tichu.per_seat, seen.grand_tichu.made) == (0.08, 0.25)


def test_double_victories_bombs_and_dragons() -> None:
    seen = panel(double_victories=10, bombs=5, dragon_right=3, dragon_left=9)
    assert (seen.double_victories, seen.bombs_per_round, seen.dragon_right) == (0.2, 0.1, 0.25)


def test_a_mah_jong_without_a_wish_is_no_wish() -> None:
    """Place 0 of the wishes (arena.tally)."""
    seen = panel(wishes=[2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6])
    assert seen.without_wish == 0.25
    assert seen.wishes[14] == 6
    assert set(seen.wishes) == set(range(2, 15))


def test_a_double_victory_of_partners_counts_once_for_their_team() -> None:
    """Both slots count it, in their own rounds."""
    tally = Tally(behaviour=[Behaviour(rounds=50, double_victories=count) for count in (10, 0, 10, 0)])
    assert panels(job(), tally, Timing())[0].double_victories == 0.2


def test_decisions_of_partners_make_one_histogram() -> None:
    """The first partner takes a microsecond, the second a second."""
    timing = Timing(decisions=[{80: 100}, {}, {240: 100}, {}])
    whole = panels(job(), Tally(), timing)[0].decision_ms
    assert whole.median == pytest.approx(2**10 * 1e-6, rel=0.1)
    assert whole.p99 == pytest.approx(2**30 * 1e-6, rel=0.1)


def test_what_nobody_did_is_unknown() -> None:
    seen = panel()
    assert (seen.tichu.per_seat, seen.tichu.made) == (0, None)
    assert (seen.dragon_right, seen.without_wish, seen.decision_ms.median) == (None, None, None)


def test_people_are_those_of_brettspielwelt() -> None:
    """brettspielwelt.md 7, large archives: double victories of either team, bombs of all four."""
    assert (HUMAN.tichu.per_seat, HUMAN.tichu.made) == (0.139, 0.734)
    assert (HUMAN.grand_tichu.per_seat, HUMAN.grand_tichu.made) == (0.078, 0.618)
    assert (HUMAN.double_victories, HUMAN.bombs_per_round) == (0.1185, 0.11)
    assert (HUMAN.dragon_right, HUMAN.without_wish) == (0.37, 0.2)


def test_the_examples_are_right() -> None:
    check_examples(reporting)


# --- JSON and text ----------------------------------------------------------------------------------------------------


def test_the_keys_of_the_json() -> None:
    """Issue 3: documented, among them points_per_round {mean, low, high}, rounds and seconds."""
    seen = msgspec.json.decode(msgspec.json.encode(report(job(unit="games"), two_matches(), Timing(), 2.0)))
    assert set(seen) == {
        "teams", "unit", "seed", "rules", "pairs_asked", "pairs", "rounds", "matches", "points_per_round", "win_rate",
        "wins", "draws", "losses", "elo", "rounds_per_match", "tricks_per_round", "decisions_per_round", "seconds",
        "rounds_per_second", "cpu_seconds", "faults", "verdict", "agents",
    }  # fmt: skip
    assert set(seen["points_per_round"]) == {"mean", "low", "high"}
    assert set(seen["agents"][0]) == {
        "team", "agent", "tichu", "grand_tichu", "double_victories", "bombs_per_round", "dragon_right", "wishes",
        "without_wish", "first_out", "decision_ms", "faults",
    }  # fmt: skip


def test_every_key_is_documented() -> None:
    for kind in (type(report(job(), Tally(), Timing(), 0.0)), Panel, *Panel.__mro__[1:2]):
        for field in kind.__annotations__:
            assert f":ivar {field}:" in str(kind.__doc__)


def test_one_pair_has_a_mean_and_null_for_its_ends() -> None:
    seen = msgspec.json.decode(msgspec.json.encode(report(job(unit="games"), two_matches(), Timing(), 2.0)))
    assert seen["points_per_round"] == {"mean": 10, "low": None, "high": None}
    assert seen["win_rate"] == {"mean": 0.5, "low": 0, "high": 1}
    assert seen["elo"] == {"mean": 0, "low": None, "high": None}


def test_nothing_can_be_reported() -> None:
    """Ctrl-C before the first batch is done."""
    seen = report(job(), Tally(), Timing(), 0.0)
    assert msgspec.json.decode(msgspec.json.encode(seen))["points_per_round"]["mean"] is None
    assert "points per round              – (-∞ to +∞)" in text(seen)


def test_the_text_fits_the_terminal_with_four_agents_of_any_name() -> None:
    long = "my.module." + "Agent" * 30 + ":depth=3"
    seen = report(job(f"{long}+rule", f"random+{long}"), two_matches(), Timing(), 2.0, "H1 accepted: " + "word " * 40)
    assert max(map(len, text(seen).splitlines())) == WIDTH


def test_the_columns_stand_below_their_agents() -> None:
    """The second of two teams never called Tichu; people in the last column."""
    tally = Tally(behaviour=[Behaviour(rounds=50, tichu=10), Behaviour(rounds=50)] * 2)
    lines = text(report(job(), tally, Timing(), 1.0)).splitlines()
    (calls,) = [line for line in lines if line.startswith("Tichu called")]
    (heading,) = [line for line in lines if line.endswith("people")]
    assert heading.split() == ["rule", "random", "people"]
    ends = [heading.index(column) + len(column) for column in ("rule", "random", "people")]
    assert [calls[:end].rpartition("  ")[2] for end in ends] == ["20.0%", "0.0%", "13.9%"]


def test_the_most_frequent_wish_is_named() -> None:
    tally = Tally(behaviour=played(wishes=[9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 3]))
    assert "A (75%)" in text(report(job(), tally, Timing(), 1.0))


def test_the_verdict_is_said() -> None:
    assert "\ndecided: it is\n" in text(report(job(), Tally(), Timing(), 1.0, "decided: it is"))
