"""``manage.py run_arena`` as a person starts it, and interrupts it."""

import signal

import pytest

from arena.trajectories import read
from tests.arena.commands import claims, until

pytestmark = pytest.mark.slow

# Takes three seconds, in 100 batches, however fast the machine is.
LONG = ("run_arena", "bad.Unhurried", "random", "--rounds", "800", "--seed", "5", "--workers", "1", "--name", "long")
FOREVER = ("run_arena", "random", "random", "--rounds", "1000000", "--workers", "1", "--name", "long")


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
    assert 0 < said.report["rounds"] < 800
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


def test_signals_at_the_same_time_are_one_and_it_can_go_on(shell):
    """While it waits for an agent that never answers; `timeout` sends them so."""
    asked = ("run_arena", "bad.Endless", "random", "--rounds", "4", "--name", "endless")
    process = shell.start(*asked)
    until(lambda: has_begun(shell.row("endless")) or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    said = shell.end(process, 130)
    assert "Traceback" not in said.err
    assert "--name endless" in said.err
    assert shell.row("endless")["state"] == "stopped"


def has_begun(row):
    """Whether it has given a sign of life since it was created."""
    return "state" in row and row["updated"] > row["created"]


def test_a_run_that_finds_no_cluster_fails_and_can_go_on_at_once(shell):
    asked = ("run_arena", "random", "random", "--rounds", "20", "--name", "mine")
    said = shell.run(*asked, "--executor", "dask", "--scheduler", "tcp://127.0.0.1:1", status=1)
    assert "no scheduler answers at tcp://127.0.0.1:1" in said.err
    assert shell.row("mine")["state"] == "failed"
    assert shell.run("run_arena", "--name", "mine", "--json").report["rounds"] == 20


def test_the_admin_can_stop_it(shell):
    process = shell.start(*FOREVER)
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
    process = shell.start(*FOREVER)
    shell.wait_for("long", process)
    said = shell.run(*FOREVER, status=1)
    assert "is being played by another command" in said.err
    process.kill()
    process.communicate()


def test_of_processes_that_open_runs_at_the_same_time_one_gets_each(shell):
    """New ones, and some that were stopped."""
    names = [f"run-{number}" for number in range(10)]
    assert claims(names, shell.folder, shell.environment) == names
    shell.execute("UPDATE arena_arenarun SET state = 'stopped'")
    assert claims(names, shell.folder, shell.environment) == names


def test_a_name_belongs_to_what_was_asked_first(shell):
    shell.run("run_arena", "random", "random", "--rounds", "20", "--name", "short", "--seed", "1")
    said = shell.run("run_arena", "rule", "random", "--rounds", "20", "--name", "short", "--seed", "2", status=1)
    assert "team_20='random', not 'rule'" in said.err
    assert "seed=1, not 2" in said.err
    assert "pairs" not in said.err


def test_results_of_changed_code_are_not_mixed(shell):
    process = shell.start("run_arena", "bad.Slow", "random", "--rounds", "400", "--name", "slow")
    until(lambda: has_begun(shell.row("slow")) or process.poll() is not None)
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


def test_a_database_that_fails_in_the_middle_is_told_of_and_the_run_goes_on(shell):
    """The batches before are there; no table is missing."""
    shell.execute(
        "CREATE TRIGGER full BEFORE INSERT ON arena_arenabatch WHEN NEW.number = 3 "
        "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    )
    said = shell.run(*LONG, status=1)
    assert said.err.splitlines()[1:] == [
        "It goes on with: manage.py run_arena --name long",
        "CommandError: The database says: the disk is full.",
    ]
    assert (shell.row("long")["state"], shell.row("long")["batches_played"]) == ("failed", 3)
    shell.execute("DROP TRIGGER full")
    assert shell.run("run_arena", "--name", "long", "--json").report["rounds"] == 800


def test_a_database_without_tables_is_told_of(shell):
    shell.database.unlink()
    assert "manage.py prepare" in shell.run("run_arena", "random", "random", status=1).err


@pytest.mark.parametrize(
    ("agent", "kind"), [("bad.Raising", "raised"), ("bad.Cheating", "illegal"), ("bad.Slow:limit=0.05", "late")]
)
def test_a_bad_agent_costs_no_run_but_shows_in_the_exit_status(shell, agent, kind):
    """Issue 3.1: counted, reported, replaced by a legal action; the run's exit code says so."""
    said = shell.run("run_arena", agent, "random", "--rounds", "8", "--seed", "1", "--json", status=3)
    assert said.report["rounds"] == 8
    assert said.report["faults"][kind] > 0
    assert f"{agent} {said.report['faults'][kind]} {kind}" in said.err


@pytest.mark.parametrize("agent", ["bad.Endless", "bad.Sleeping"])
def test_an_agent_that_never_answers_holds_nothing_up(shell, agent):
    """Issue 3.1: an agent that is late. Each half of the pair has an exchange for both partners."""
    said = shell.run("run_arena", f"{agent}:limit=0.2", "random", "--rounds", "2", "--json", status=3)
    assert said.report["faults"]["late"] == 4


@pytest.mark.parametrize("last", [0, 2], ids=["before the run", "where it plays"])
def test_an_agent_that_hangs_while_it_is_made_ends_the_run(shell, last):
    (shell.folder / "sitecustomize.py").write_text("from arena import watching\nwatching.MAKING = 0.5\n")  # seconds
    agent = f"bad.Unmade:last={last},limit=0.2"
    said = shell.run("run_arena", agent, "random", "--rounds", "8", "--name", "hanging", status=1)
    assert said.err.splitlines()[-1] == f"CommandError: {agent} took more than 0.5 s to be made"
    assert shell.row("hanging").get("state", "") == ("failed" if last else "")


def test_what_agents_print_is_no_part_of_the_report(shell):
    """Issue 3.1: `--json | jq`."""
    said = shell.run("run_arena", "bad.Printing", "random", "--rounds", "8", "--json")
    assert said.report["rounds"] == 8
    assert {"made", "thinking"} <= set(said.err.splitlines())


def test_an_agent_that_cannot_clean_up_plays_and_is_reported(shell):
    said = shell.run("run_arena", "bad.Untidy", "random", "--rounds", "8", "--workers", "1", "--json", status=3)
    assert said.report["faults"]["raised"] == 8  # both partners, in each of the batches of one pair


def test_dask_brings_the_same_report(shell):
    arguments = ("run_arena", "rule", "random", "--rounds", "100", "--seed", "7", "--workers", "2", "--json")
    there = shell.run(*arguments, "--executor", "dask", "--name", "there")
    assert there.result == shell.run(*arguments, "--no-save").result
    assert shell.row("there")["executor"] == "dask"


def test_two_runs_do_not_write_one_recording(shell):
    file = ("--record", str(shell.folder / "long.rounds"))
    process = shell.start(*FOREVER, *file)
    shell.wait_for("long", process)
    said = shell.run("run_arena", "random", "random", "--rounds", "20", *file, status=1)
    assert "long.rounds is being written by another command" in said.err
    process.kill()
    process.communicate()


def test_a_recording_that_was_interrupted_has_each_round_once(shell):
    file = shell.folder / "long.rounds"
    process = shell.start(*LONG, "--record", str(file))
    shell.wait_for("long", process)
    process.send_signal(signal.SIGINT)
    shell.end(process, 130)
    shell.run("run_arena", "--name", "long")
    with file.open("rb") as recorded:
        rounds = [(one.pair, one.half) for one in read(recorded)]
    assert rounds == [(pair, half) for pair in range(400) for half in range(2)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["rule", "nobody"], "there is no agent nobody"),
        (["rule"], "needs another team"),
        ([], "Which teams?"),
        (["rule", "random", "--rounds", "0"], "--rounds must be from 1 to"),
        (["rule", "random", "--rounds", "1" + 24 * "0"], "--rounds must be from 1 to"),
        (["rule", "random", "--name", ""], "--name must have 1 to 200 characters"),
        (["rule", "random", "--executor", "dask", "--scheduler", "one"], "an address like tcp://one:8786"),
        (["rule", "random", "--games", "-3"], "--games must be from 1 to"),
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
