"""``manage.py rate_agents`` as a person starts it."""

import json
import signal
from collections import Counter

import pytest

from arena.management.commands.rate_agents import next_pair
from arena.ratings import Rung
from tests.arena.commands import until

RATE = ("rate_agents", "random:calls=false", "--width", "80", "--seed", "1")


@pytest.mark.slow
def test_it_plays_until_each_interval_is_narrow_and_then_nothing_more(shell):
    said = shell.run(*RATE, "--json")
    rungs = {rung["agent"]: rung for rung in json.loads(said.out)}
    assert rungs["random"]["elo"] == 0
    assert rungs["random:calls=false"]["high"] - rungs["random:calls=false"]["low"] <= 80
    assert len(shell.execute("SELECT * FROM arena_rating")) == 2
    again = shell.run(*RATE, "--json")
    assert again.out == said.out
    assert again.err == "Nothing is missing: nothing was played.\n"


@pytest.mark.slow
def test_runs_that_are_there_count(shell):
    shell.run("run_arena", "random:calls=false", "random", "--rounds", "2000")
    assert "nothing was played" in shell.run(*RATE).err


@pytest.mark.slow
def test_it_gives_up_at_so_many_rounds_and_says_who_is_still_wide(shell):
    said = shell.run("rate_agents", "random:calls=false", "--width", "1", "--rounds-at-most", "40")
    assert "Still wider than 1 Elo (at most 40 rounds for each pairing): random:calls=false" in said.err
    assert shell.execute("SELECT sum(pairs) FROM arena_arenarun") == [(20,)]


@pytest.mark.slow
def test_after_an_interruption_it_goes_on_with_the_same_run(shell):
    process = shell.start("rate_agents", "bad.Slow", "--width", "80", "--rounds-at-most", "4")
    until(lambda: shell.execute("SELECT 1 FROM arena_arenarun") or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    shell.end(process, 130)
    assert shell.execute("SELECT state FROM arena_arenarun") == [("stopped",)]
    shell.run("rate_agents", "bad.Slow", "--width", "80", "--rounds-at-most", "4")
    assert shell.execute("SELECT name, state FROM arena_arenarun") == [("ladder random bad.Slow 1", "finished")]


@pytest.mark.slow
def test_new_agents_join_the_ladder_and_their_faults_show_in_the_exit_status(shell):
    shell.run(*RATE)
    said = shell.run("rate_agents", "bad.Raising", "--width", "100", "--json", status=3)
    assert "Replaced by legal actions: bad.Raising" in said.err
    assert {rung["agent"] for rung in json.loads(said.out)} == {"random", "random:calls=false", "bad.Raising"}


def rungs(**elos: float) -> dict[str, Rung]:
    """With intervals that are 60 wide."""
    return {"r": Rung(0, 0, 0, 1000), **{agent: Rung(elo, elo - 30, elo + 30, 1000) for agent, elo in elos.items()}}


def played(**rounds: int) -> Counter[frozenset[str]]:
    """By the names of both agents."""
    return Counter({frozenset(pair): number for pair, number in rounds.items()})


def test_a_pair_that_has_not_met_plays_first():
    assert next_pair("rab", rungs(a=10, b=20), played(ra=1000, rb=0, ab=0), 40, 5000) == ("r", "b")


def test_near_opponents_tell_more_than_far_ones():
    """Of b, at 810, a at 800 tells more than r at 0, if a is known well."""
    known = rungs(a=800, b=810) | {"a": Rung(800, 795, 805, 1_000_000)}
    assert next_pair("rab", known, played(ra=1_000_000, rb=1000, ab=1000), 40, 2_000_000) == ("a", "b")


def test_narrow_intervals_need_nothing_more():
    assert next_pair("ra", rungs(a=10), played(ra=1000), 60, 5000) is None


def test_nobody_plays_more_than_is_allowed():
    assert next_pair("ra", rungs(a=10), played(ra=5000), 40, 5000) is None
