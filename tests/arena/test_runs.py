"""Runs in the database; on PostgreSQL too (test_postgresql.py)."""

import re
import subprocess
from datetime import timedelta
from itertools import count

import pytest
from django.db import IntegrityError, OperationalError, connection, connections
from django.utils import timezone

from arena.models import AgentVersion, ArenaBatch, ArenaRun, Rating
from arena.playing import play_batch
from arena.ratings import Rung
from arena.runs import (
    Run,
    RunError,
    StoredRun,
    asked_run,
    git_revision,
    open_run,
    open_slice,
    refresh_ratings,
    stored_pairings,
    version_of,
)
from arena.teams import parse_team

pytestmark = pytest.mark.django_db

ASKED = {"team_20": "random", "team_31": "random:calls=false", "pairs": 6, "seed": 3}


class Here:
    """An executor that plays where it is asked to."""

    name = "here"
    workers = 1

    def results(self, job, first):
        for number in range(first, job.batches):
            yield None
            yield play_batch(job, number)


def play(run, batches: int | None = None) -> None:
    """Plays on.

    :param batches: at most.
    """
    last = None if batches is None else run.batches + batches
    with run:
        run.play(Here(), lambda run: None, lambda: run.batches == last)


def opened(name="mine", **asked):
    return open_run(name, {**ASKED, **asked}, Here())


def test_each_batch_is_stored_with_the_sums_of_all():
    play(opened())
    row = ArenaRun.objects.get()
    assert row.state == "finished"
    assert row.pairs_played == 6
    assert [batch.number for batch in row.batches.all()] == [0, 1, 2, 3, 4, 5]
    assert row.tally["rounds"] == sum(batch.tally["rounds"] for batch in row.batches.all()) == 12


def test_the_sums_come_back_as_they_were():
    run = opened()
    play(run, 2)
    again = opened()
    assert (again.tally, again.timing, again.batches) == (run.tally, run.timing, 2)


def test_a_run_that_goes_on_ends_with_the_same_tally():
    play(opened(), 2)
    resumed = opened()
    play(resumed)
    whole = Run(asked_run(ASKED))
    play(whole)
    assert resumed.tally == whole.tally


def test_a_run_that_is_kept_nowhere_writes_nothing(django_assert_num_queries):
    with django_assert_num_queries(0):
        play(Run(asked_run(ASKED)))


def test_the_seats_name_the_versions_by_slot():
    opened(team_20="random+random:calls=false", team_31="random")
    seats = ArenaRun.objects.get().seats.all()
    assert [seat.version.text for seat in seats] == ["random", "random", "random:calls=false", "random"]


def test_an_agent_with_the_same_code_and_options_is_one_version():
    opened("one")
    opened("other")
    assert AgentVersion.objects.count() == 2


def test_who_has_lost_a_run_to_another_process_stores_nothing_more(monkeypatch):
    """One that was taken for dead, and awakes."""
    lost = opened()
    monkeypatch.setattr(ArenaRun, "SILENT_S", 0)
    winner = opened()
    with pytest.raises(RunError, match="has been taken over"):
        play(lost)
    assert not ArenaBatch.objects.exists()
    play(winner)


def test_who_has_lost_a_run_and_finds_its_batch_there_is_told_so_too(monkeypatch):
    """It is no error of the database."""
    lost = opened()
    monkeypatch.setattr(ArenaRun, "SILENT_S", 0)
    play(opened(), 1)
    with pytest.raises(RunError, match="has been taken over"):
        lost._store(play_batch(lost.job, 0))


@pytest.mark.parametrize(
    ("state", "seconds", "alive", "silent"),
    [("running", 29, True, False), ("running", 31, False, True), ("stopped", 31, False, False)],
)
def test_a_run_that_gives_no_sign_of_life_is_dead(state, seconds, alive, silent):
    """For commands and in the admin alike."""
    run = ArenaRun(state=state, updated=timezone.now() - timedelta(seconds=seconds))
    assert (run.is_alive, run.is_silent) == (alive, silent)


def test_a_run_with_a_fresh_sign_of_life_is_not_claimed():
    opened()
    with pytest.raises(RunError, match=r"being played by another command.*it can go on in (29|30) s"):
        opened()


def test_a_batch_is_stored_once():
    run = opened()
    ArenaBatch.objects.create(run=run.row, number=0, tally={}, timing={})
    with pytest.raises(IntegrityError):
        play(run)
    assert ArenaRun.objects.get().state == "failed"


def test_what_went_wrong_is_kept_and_the_run_can_go_on(monkeypatch):
    run = opened()
    monkeypatch.setattr(Here, "results", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        play(run)
    assert "ZeroDivisionError" in ArenaRun.objects.get().error
    monkeypatch.undo()
    play(opened())
    row = ArenaRun.objects.get()
    assert (row.state, row.error) == ("finished", "")


@pytest.fixture
def at_commit(monkeypatch):
    """What happens at the second commit that follows: the first one says that the run is played."""

    def at_commit(error, *, after: bool) -> None:
        commit = connection.commit
        commits = count()

        def failing():
            is_it = next(commits) == 1
            if after or not is_it:
                commit()
            if is_it:
                raise error

        monkeypatch.setattr(connections["default"], "commit", failing)

    return at_commit


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("after", "batches"), [(False, 0), (True, 1)], ids=["not stored", "stored all the same"])
def test_a_commit_that_fails_is_told_and_the_run_can_go_on(at_commit, after, batches):
    """Whether the batch is there or not: a connection may break after it was stored."""
    run = opened()
    at_commit(OperationalError("the disk is gone"), after=after)
    with pytest.raises(OperationalError, match="the disk is gone"):
        play(run)
    row = ArenaRun.objects.get()
    assert (row.state, row.batches_played, row.batches.count()) == ("failed", batches, batches)
    assert "the disk is gone" in row.error
    play(opened())
    assert ArenaRun.objects.get().state == "finished"


@pytest.mark.django_db(transaction=True)
def test_an_interruption_while_a_batch_is_stored_stops_the_run(at_commit):
    """A second Ctrl-C comes when it likes."""
    run = opened()
    at_commit(KeyboardInterrupt(), after=True)
    with pytest.raises(KeyboardInterrupt):
        play(run)
    assert ArenaRun.objects.get().state == "stopped"


@pytest.mark.parametrize(("error", "state"), [(KeyboardInterrupt, "stopped"), (ZeroDivisionError, "failed")])
def test_whatever_happens_before_it_plays_leaves_no_run_that_seems_to(error, state):
    """A cluster may take seconds to come up, or not come up."""
    with pytest.raises(error), opened():
        raise error
    assert ArenaRun.objects.get().state == state


def test_an_interruption_while_it_is_opened_leaves_no_run_that_seems_to_play(monkeypatch):
    """It is there, but nobody has it yet."""
    monkeypatch.setattr(StoredRun, "__init__", raises_interrupt)
    with pytest.raises(KeyboardInterrupt):
        opened()
    assert ArenaRun.objects.get().state == "stopped"


def raises_interrupt(*_):
    raise KeyboardInterrupt


def test_a_run_does_not_go_on_with_other_rules():
    """Its results would be mixed; what is over is still shown."""
    play(opened(), 1)
    ArenaRun.objects.update(code="older")
    with pytest.raises(RunError, match="the code of the rules or the arena has changed since"):
        opened()
    ArenaRun.objects.update(state="finished")
    assert opened().is_over


def test_what_is_too_long_for_the_database_is_refused_before_anything_starts():
    with pytest.raises(RunError, match="name"):
        opened("x" * 201)
    assert not ArenaRun.objects.exists()


def test_the_revision_is_a_short_hash_with_a_plus_if_files_differ(settings, tmp_path):
    settings.BASE_DIR = tmp_path
    file = tmp_path / "file"
    file.write_text("as committed")
    for arguments in "init", "add file", "-c user.name=me -c user.email=me@localhost commit -m it":
        subprocess.run(["git", *arguments.split()], cwd=tmp_path, check=True, capture_output=True)
    clean = git_revision()
    assert re.fullmatch("[0-9a-f]{7,}", clean)
    file.write_text("changed")
    assert git_revision() == f"{clean}+"


def test_no_repository_has_no_revision(settings, tmp_path):
    settings.BASE_DIR = tmp_path
    assert git_revision() == ""


# --- the ladder -------------------------------------------------------------------------------------------------------


def test_of_runs_with_the_same_deals_the_longest_counts():
    play(opened("short"), 1)
    play(opened("long"))
    play(opened("turned", team_20=ASKED["team_31"], team_31=ASKED["team_20"]), 1)
    assert [pairing.score.n for pairing in stored_pairings()] == [12]


@pytest.mark.parametrize(
    "asked",
    [
        {"rules": "pocket"},
        {"team_31": "random"},
        {"team_20": "random+random:calls=false"},
    ],
    ids=["other rules", "against itself", "unlike partners"],
)
def test_what_tells_nothing_of_two_agents_does_not_count(asked):
    play(opened(**asked))
    assert stored_pairings() == []


def test_a_slice_that_is_not_over_goes_on():
    one, other = (version("random"), version("random:calls=false"))
    first = open_slice(one, other, 100, 1, Here())
    play(first, 1)
    assert open_slice(one, other, 100, 2, Here()).row.pk == first.row.pk


def test_each_slice_has_other_deals():
    one, other = (version("random"), version("random:calls=false"))
    slices = []
    for _ in range(2):
        slices.append(open_slice(one, other, 4, 1, Here()))
        play(slices[-1])
    assert slices[0].row.name == "ladder random random-calls-false 1"
    assert slices[1].row.name == "ladder random random-calls-false 2"
    assert slices[0].job.seed != slices[1].job.seed


def test_the_ladder_is_replaced_as_a_whole():
    one, other = (version("random"), version("random:calls=false"))
    refresh_ratings({str(one.pk): Rung(0, 0, 0, 10)})
    refresh_ratings({str(other.pk): Rung(5, 1, 9, 10)})
    assert [(rating.version, rating.elo) for rating in Rating.objects.all()] == [(other, 5)]


def version(text: str) -> AgentVersion:
    return version_of(parse_team(text).agents[0])
