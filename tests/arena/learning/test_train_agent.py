"""``manage.py train_agent selfplay`` as a person starts it, and interrupts it."""

import os
import pty
import shutil
import signal
import subprocess
import sys
import termios

import numpy as np
import pytest

from arena.learning.folder import ACTOR, CRITIC, LOG, POLICY, lines_in, saved_in
from games.tichu.agents.nnet import SHIPPED_POLICY
from games.tichu.agents.weights import Weights
from tests.arena.commands import until
from tests.server import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.training]

TINY = ("--net", "16x1", "--threads", "1", "--device", "cpu", "--measure", "0")


def selfplay(shell, *arguments, out="run"):
    """The words of a command with a tiny net."""
    return ("train_agent", "selfplay", *TINY, "--out", str(shell.folder / out), *arguments)


def row(shell, name):
    shell.execute("SELECT 1")
    fields = "state, minutes, rounds, seed, device, command, files, curve"
    (found,) = shell.execute(f"SELECT {fields} FROM learning_trainingrun WHERE name = '{name}'")
    return dict(zip(fields.split(", "), found, strict=True))


def test_a_training_is_saved_playable_told_of_and_stored(shell):
    said = shell.run(*selfplay(shell, "--rounds", "100", "--seed", "5", "--name", "mine"))
    out = shell.folder / "run"
    assert said.out.startswith(f"{out / POLICY}: 16x1, ")
    sheet = Weights.load(out / POLICY).sheet
    assert sheet["kind"] == "policy"
    (piece,) = sheet["pieces"]
    assert piece["command"].startswith("manage.py train_agent selfplay --net 16x1")
    assert (piece["seed"], piece["threads"], piece["plan"]["policy"]) == (5, 1, "16x1")
    assert {"device", "revision", "date", "minutes", "rounds"} <= piece.keys()
    stored = row(shell, "mine")
    assert (stored["state"], stored["seed"], stored["rounds"]) == ("finished", 5, sheet["rounds"])
    assert all(name in stored["files"] for name in (POLICY, ACTOR, CRITIC, LOG))
    shell.run("run_arena", f"policy:file={out / POLICY}", "random", "--rounds", "4", "--no-save")


def test_others_sit_where_nobody_calls_if_it_is_said(shell):
    asked = ("--rounds", "60", "--opponents", "self,old:0.2,rule:0.1", "--quiet", "0.5")
    shell.run(*selfplay(shell, *asked, "--quiet-opponents", "self,rule:0.7"))
    shell.run(*selfplay(shell, *asked, out="alike"))
    plan, alike = (Weights.load(shell.folder / name / POLICY).sheet["pieces"][0]["plan"] for name in ("run", "alike"))
    assert plan["quiet"] == 0.5
    assert plan["others"] == alike["others"] == alike["quiet_others"] == {"old": 0.2, "rule": 0.1}
    assert plan["quiet_others"] == {"old": 0.0, "rule": 0.7}


def test_a_critic_that_fits_no_more_is_told_of_with_what_helps(shell):
    shell.run(*selfplay(shell, "--rounds", "60"))
    critic = shell.folder / "run" / CRITIC
    arrays = dict(np.load(critic))
    arrays["trunk.inputs.weight"] = arrays["trunk.inputs.weight"][:, 1:]
    np.savez(critic, **arrays)
    said = shell.run(*selfplay(shell, "--rounds", "60", "--init", str(shell.folder / "run"), out="next"), status=1)
    assert f"{critic}: this critic has other inputs or layers than one of today; without it a new critic" in said.err


def test_without_saving_no_database_is_touched(shell):
    shell.database.unlink()
    shell.run(*selfplay(shell, "--rounds", "60", "--no-save"))
    assert not shell.database.exists()


def test_a_database_without_tables_is_told_of_and_the_folder_stays_free(shell):
    tables = shell.folder / "tables"
    shutil.copy(shell.database, tables)
    shell.database.unlink()
    assert "manage.py prepare" in shell.run(*selfplay(shell, "--rounds", "60"), status=1).err
    shutil.copy(tables, shell.database)
    shell.run(*selfplay(shell, "--rounds", "60"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_training_that_is_interrupted_saves_and_goes_on(shell, number):
    process = shell.start(*selfplay(shell, "--minutes", "60", "--name", "long"))
    out = shell.folder / "run"
    until(lambda: lines_in(out) != [] or process.poll() is not None, 60)
    process.send_signal(number)
    said = shell.end(process, 128 + number)
    assert "Traceback" not in said.err
    assert f"--init {out}" in said.err
    assert row(shell, "long")["state"] == "interrupted"
    assert Weights.load(out / POLICY).net == "16x1"
    before = saved_in(out / ACTOR).sheet["rounds"]
    shell.run(*selfplay(shell, "--rounds", "60", "--init", str(out), out="next"))
    sheet = saved_in(shell.folder / "next" / ACTOR).sheet
    assert len(sheet["pieces"]) == 2
    assert sheet["rounds"] > before
    assert [line["kind"] for line in lines_in(shell.folder / "next")].count("start") == 2


def test_a_training_that_is_killed_leaves_whole_files(shell):
    shell.run(*selfplay(shell, "--rounds", "60"))
    out = shell.folder / "run"
    measuring = [*selfplay(shell, "--minutes", "60", "--init", str(out)), "--measure", "0.0001"]  # saves all the time
    process = shell.start(*measuring)
    begun = len(lines_in(out))
    until(lambda: len(lines_in(out)) > begun + 1 or process.poll() is not None, 60)
    process.kill()
    shell.end(process, -signal.SIGKILL)
    assert Weights.load(out / POLICY).sheet["kind"] == "policy"
    assert (saved_in(out / ACTOR).net, saved_in(out / CRITIC).net) == ("16x1", "24x1")


def test_what_plays_goes_on_when_a_new_critic_has_learned(shell):
    """The policy of a folder without the rest: the first 60 iterations, some thousand decisions, change nothing."""
    shell.run(*selfplay(shell, "--rounds", "60"))
    alone = shell.folder / "alone"
    alone.mkdir()
    shutil.copy(shell.folder / "run" / POLICY, alone)
    said = shell.run(*selfplay(shell, "--rounds", "60", "--init", str(alone / POLICY), out="next"))
    assert "a new critic learns first, for 60 iterations" in said.err
    one, other = (Weights.load(shell.folder / name / POLICY) for name in ("alone", "next"))
    assert np.allclose(one.inputs, other.inputs, atol=1e-3)
    assert len(other.sheet["pieces"]) == 2
    shutil.copy(shell.folder / "run" / LOG, alone / "other.npz")
    said = shell.run(*selfplay(shell, "--rounds", "60", "--init", str(alone / "other.npz"), out="last"), status=1)
    assert "other.npz holds no network in training" in said.err


def test_a_mean_that_is_interrupted_while_it_is_measured_leaves_the_file_as_it_is(shell):
    to = shell.folder / "mean.npz"
    to.write_bytes(b"before")
    process = shell.start("train_agent", "export", SHIPPED_POLICY, SHIPPED_POLICY, "--to", str(to))
    assert process.stderr
    assert "is measured" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    said = shell.end(process, 130)
    assert "Interrupted. Nothing is written." in said.err
    assert to.read_bytes() == b"before"


def test_a_folder_of_another_training_is_refused(shell):
    shell.run(*selfplay(shell, "--rounds", "60"))
    before = (shell.folder / "run" / POLICY).read_bytes()
    said = shell.run(*selfplay(shell, "--rounds", "60"), status=1)
    assert "holds another training" in said.err.splitlines()[-1]
    assert (shell.folder / "run" / POLICY).read_bytes() == before


def test_a_database_that_fails_in_the_middle_ends_no_training(shell):
    shell.execute(
        "CREATE TRIGGER full BEFORE UPDATE ON learning_trainingrun BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    )
    said = shell.run(*selfplay(shell, "--rounds", "100"))
    assert "The database says: the disk is full. The training goes on without it" in said.err
    assert Weights.load(shell.folder / "run" / POLICY).net == "16x1"


def test_the_same_seed_brings_the_same_policy_in_another_process(shell):
    for out in ("one", "again"):
        shell.run(*selfplay(shell, "--rounds", "100", "--seed", "5", "--no-save", out=out))
    one, again = (Weights.load(shell.folder / out / POLICY) for out in ("one", "again"))
    assert (one.outputs == again.outputs).all()
    assert (one.inputs == again.inputs).all()


def test_a_terminal_sees_a_bar(shell):
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, 80))
    process = subprocess.Popen(
        [sys.executable, "manage.py", *selfplay(shell, "--rounds", "100", "--no-save")],
        cwd=ROOT,
        env=shell.environment,
        stdout=subprocess.DEVNULL,
        stderr=follower,
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            seen += os.read(leader, 65536)
        except OSError:
            break
    os.close(leader)
    assert process.wait(60) == 0
    assert b"100%" in seen


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--minutes", "0"], "--minutes must be more than 0, not 0."),
        (["--minutes", "nan"], "--minutes must be more than 0, not nan."),
        (["--rounds", "0"], "--rounds must be at least 1, not 0."),
        (["--threads", "0"], "--threads must be from 1 to 1024, not 0."),
        (["--seed", "-1"], "--seed must be from 0 to 2**63 - 1, not -1."),
        (["--opponents", "rule"], "--opponents must be self, or self,old:SHARE"),
        (["--opponents", "self,old:2"], "--opponents must be self, or self,old:SHARE"),
        (["--opponents", "self,old:0.6,rule:0.6"], "whose shares are at most 1 together"),
        (["--opponents", "self,rule:0.2.1"], "--opponents must be self"),
        (["--quiet", "1.5"], "--quiet must be 0 to 1"),
        (["--quiet-opponents", "old"], "--quiet-opponents must be self"),
        (["--quiet", "0", "--quiet-opponents", "self"], "with --quiet 0 that is nowhere"),
        (["--name", "a", "--no-save"], "Only trainings that are saved have a --name."),
        (["--net", "big"], "a size is WIDTHxBLOCKS, like 256x2, not 'big'"),
        (["--init", "/nowhere/actor.npz"], "No such file or directory: '/nowhere/actor.npz'"),
    ],
)
def test_what_is_wrong_is_said_before_anything_begins(shell, arguments, words):
    said = shell.run(*selfplay(shell, *arguments), status=1)
    assert words in said.err.splitlines()[-1]
    assert not (shell.folder / "run").exists()
    assert shell.execute("SELECT COUNT(*) FROM learning_trainingrun") == [(0,)]


def test_another_size_than_that_of_what_goes_on_is_refused(shell):
    shell.run(*selfplay(shell, "--rounds", "60"))
    asked = [*selfplay(shell, "--rounds", "60", "--init", str(shell.folder / "run"), out="next"), "--net", "32x1"]
    assert "is 16x1, and goes on as such" in shell.run(*asked, status=1).err
