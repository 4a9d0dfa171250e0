"""Runs in the database; on PostgreSQL too (test_postgresql.py)."""

import re
import subprocess
from datetime import timedelta

import pytest
from django.db import IntegrityError
from django.utils import timezone

from arena.models import AgentVersion, ArenaBatch, ArenaRun, Rating
from arena.playing import play_batch
from arena.ratings import Rung
from arena.runs import (
    Run,
    RunError,
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


def test_who_has_lost_a_run_to_another_process_stores_nothing_more():
    """One that was taken for dead, and awakes."""
    lost = opened()
    ArenaRun.objects.update(updated=timezone.now() - timedelta(seconds=31))
    lost.row.refresh_from_db()
    winner = opened()
    with pytest.raises(RunError, match="has been taken over"):
        play(lost)
    assert not ArenaBatch.objects.exists()
    play(winner)


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
