"""``manage.py run_arena`` as a person starts it, and interrupts it."""

import signal

import pytest

from arena.trajectories import read
from tests.arena.commands import until

pytestmark = pytest.mark.slow

LONG = ("run_arena", "random", "random", "--rounds", "6000", "--seed", "5", "--workers", "1", "--name", "long")


def test_the_same_seed_brings_the_same_report_with_one_worker_and_with_two(shell):
    arguments = ("run_arena", "rule", "random", "--rounds", "300", "--seed", "7", "--no-save", "--json")
    one = shell.run(*arguments, "--workers", "1")
    two = shell.run(*arguments, "--workers", "2")
    assert one.result == two.result


def test_the_report_has_the_documented_keys(shell):
    """Issue 3.1: among them points_per_round {mean, low, high}, rounds, seconds."""
    report = shell.run("run_arena", "rule", "random", "--rounds", "100", "--json").report
    assert report["rounds"] == 100
    assert report["seconds"] > 0
    assert report["points_per_round"].keys() == {"mean", "low", "high"}


def test_standard_output_holds_the_report_alone(shell):
    said = shell.run("run_arena", "random", "random", "--rounds", "20", "--seed", "1")
    assert said.out.startswith("random against random\n20 rounds")


def test_an_odd_number_of_matches_is_rounded_up_to_whole_pairs(shell):
    assert shell.run("run_arena", "rule", "random", "--games", "1", "--json").report["matches"] == 2


def test_a_seed_by_chance_is_said_and_stored(shell):
    said = shell.run("run_arena", "random", "random", "--rounds", "20", "--name", "mine", "--json")
    assert f"seed {said.report['seed']}" in said.err
    assert shell.row("mine")["seed"] == said.report["seed"]


def test_a_stop_rule_ends_the_run_and_says_what_it_found(shell):
    said = shell.run("run_arena", "rule", "random", "--rounds", "4000", "--stop", "rate:0.55", "--name", "r", "--json")
    assert said.report["rounds"] < 4000
    assert said.report["verdict"].startswith("reached")
    assert shell.row("r")["state"] == "finished"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_was_interrupted_goes_on_as_if_nothing_had_happened(shell, number):
    process = shell.start(*LONG, "--json")
    shell.wait_for("long", process)
    process.send_signal(number)
    said = shell.end(process, 128 + number)
    assert 0 < said.report["rounds"] < 6000
    assert "manage.py run_arena --name long" in said.err
    assert shell.row("long")["state"] == "stopped"
    resumed = shell.run("run_arena", "--name", "long", "--json")
    in_one_go = shell.run(*LONG[:-2], "--no-save", "--json")
    assert resumed.result == in_one_go.result


def test_a_run_that_was_killed_goes_on_when_it_counts_as_abandoned(shell):
    """After 30 seconds without a sign of life; here the sign is put back instead of waiting."""
    process = shell.start(*LONG)
    shell.wait_for("long", process)
    process.kill()
    shell.end(process, -signal.SIGKILL)
    assert "it can go on in" in shell.run("run_arena", "--name", "long", status=1).err
    shell.execute("UPDATE arena_arenarun SET updated = datetime(updated, '-31 seconds')")
    resumed = shell.run("run_arena", "--name", "long", "--json")
    assert resumed.result == shell.run(*LONG[:-2], "--no-save", "--json").result
    numbers = [number for (number,) in shell.execute("SELECT number FROM arena_arenabatch ORDER BY number")]
    assert numbers == list(range(shell.row("long")["batches_played"]))


def test_two_interruptions_end_it_at_once_and_it_can_go_on(shell):
    process = shell.start("run_arena", "bad.Slow", "random", "--rounds", "400", "--name", "slow")
    until(lambda: "state" in shell.row("slow") or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    said = shell.end(process, 130)
    assert "Traceback" not in said.err
    assert shell.row("slow")["state"] == "stopped"


def test_the_admin_can_stop_it(shell):
    process = shell.start(*LONG)
    shell.wait_for("long", process)
    shell.execute("UPDATE arena_arenarun SET stop_requested = 1")
    said = shell.end(process)
    assert "It goes on with" in said.err
    assert shell.row("long")["state"] == "stopped"


def test_a_run_that_is_over_prints_its_report_again(shell):
    arguments = ("run_arena", "random", "random", "--rounds", "20", "--name", "short", "--json")
    first = shell.run(*arguments)
    again = shell.run(*arguments)
    assert again.out == first.out
    assert "is over" in again.err


def test_a_run_cannot_be_played_twice_at_the_same_time(shell):
    forever = ("run_arena", "random", "random", "--rounds", "1000000", "--name", "long")
    process = shell.start(*forever)
    shell.wait_for("long", process)
    said = shell.run(*forever, status=1)
    assert "is being played by another command" in said.err
    process.kill()
    process.communicate()


def test_a_name_belongs_to_what_was_asked_first(shell):
    shell.run("run_arena", "random", "random", "--rounds", "20", "--name", "short", "--seed", "1")
    said = shell.run("run_arena", "rule", "random", "--rounds", "20", "--name", "short", "--seed", "2", status=1)
    assert "team_20='random', not 'rule'" in said.err
    assert "seed=1, not 2" in said.err
    assert "pairs" not in said.err


def test_results_of_changed_code_are_not_mixed(shell):
    process = shell.start("run_arena", "bad.Slow", "random", "--rounds", "400", "--name", "slow")
    until(lambda: "state" in shell.row("slow") or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    shell.end(process, 130)
    with (shell.folder / "bad.py").open("a") as source:
        source.write("# changed\n")
    said = shell.run("run_arena", "--name", "slow", status=1)
    assert "the code of bad.Slow has changed since" in said.err


def test_without_saving_no_database_is_touched(shell):
    shell.database.unlink()
    assert shell.run("run_arena", "random", "random", "--rounds", "20", "--no-save", "--json").report["rounds"] == 20
    assert not shell.database.exists()


def test_a_database_without_tables_is_told_of(shell):
    shell.database.unlink()
    assert "manage.py prepare" in shell.run("run_arena", "random", "random", status=1).err


@pytest.mark.parametrize(
    ("agent", "kind"), [("bad.Raising", "raised"), ("bad.Cheating", "illegal"), ("bad.Slow:limit=0.05", "late")]
)
def test_a_bad_agent_costs_no_run_but_shows_in_the_exit_status(shell, agent, kind):
    """Issue 3.1: counted, reported, replaced by a legal action; the run's exit code says so."""
    said = shell.run("run_arena", agent, "random", "--rounds", "8", "--json", status=3)
    assert said.report["rounds"] == 8
    assert said.report["faults"][kind] > 0
    assert f"{agent} {said.report['faults'][kind]} {kind}" in said.err


def test_a_recording_that_was_interrupted_has_each_round_once(shell):
    file = shell.folder / "long.rounds"
    process = shell.start(*LONG, "--record", str(file))
    shell.wait_for("long", process)
    process.send_signal(signal.SIGINT)
    shell.end(process, 130)
    shell.run("run_arena", "--name", "long")
    with file.open("rb") as recorded:
        rounds = [(one.pair, one.half) for one in read(recorded)]
    assert rounds == [(pair, half) for pair in range(3000) for half in range(2)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["rule", "nobody"], "there is no agent nobody"),
        (["rule"], "needs another team"),
        ([], "Which teams?"),
        (["rule", "random", "--rounds", "0"], "--rounds must be at least 1"),
        (["rule", "random", "--games", "-3"], "--games must be at least 1"),
        (["rule", "random", "--games", "2", "--rounds", "2"], "Either --rounds or --games"),
        (["rule", "random", "--seed", "-1"], "--seed must be from 0"),
        (["rule", "random", "--workers", "0"], "--workers must be at least 1"),
        (["rule", "random", "--scheduler", "tcp://127.0.0.1:1"], "--scheduler is for --executor dask"),
        (["rule", "random", "--stop", "sometimes"], "there is no stop rule 'sometimes'"),
        (["rule", "random", "--record", "/nowhere/file"], "no file can be written there"),
        (["rule", "random", "--name", "x", "--no-save"], "Only runs that are saved have a --name"),
        (["--name", "nothing"], "There is no run nothing"),
    ],
)
def test_a_wrong_argument_is_said_in_a_line(shell, arguments, says):
    said = shell.run("run_arena", *arguments, status=1)
    assert says in said.err
    assert said.err.count("\n") == 1
    assert not shell.execute("SELECT 1 FROM arena_arenarun")
