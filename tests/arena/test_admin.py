"""Runs and the ladder in the admin: what they show is the report; only some may have runs played."""

import csv
import io
import json
import re
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import msgspec
import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse
from django.utils import timezone

from arena import charts, trajectories
from arena.admin import runs as admin_runs
from arena.admin.report import Recorded, largest, report_of
from arena.jobs import Job
from arena.models import ArenaBatch, ArenaRun, Rating
from arena.playing import play_batch
from arena.tally import Ratio
from arena.trajectories import Recording
from tests.arena.made_up import as_json, stored_run, version

pytestmark = pytest.mark.django_db
UNSAFE = re.compile(r"<script(?![^>]* src=)(?![^>]*application/json)|<style|\sstyle=|\son\w+=")


@pytest.fixture
def root(client):
    client.force_login(User.objects.create_superuser("root"))
    return client


def staff(client, *permissions):
    """Somebody who may so much in the admin."""
    user = User.objects.create_user("staff", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client.force_login(user)
    return client


def page(client, name, *args, **query):
    response = client.get(reverse(f"admin:arena_{name}", args=args), query)
    assert response.status_code == 200
    return response.content.decode()


def act(client, action, *runs):
    """Does something with some runs. :result: the response; what it says stands on the page it leads to."""
    data = {"action": action, "_selected_action": [run.pk for run in runs]}
    return client.post(reverse("admin:arena_arenarun_changelist"), data, follow=True)


# --- the list ---------------------------------------------------------------------------------------------------------


def test_the_list_says_how_far_a_run_is_and_what_came_of_it(root):
    run = stored_run(batches=3, batch_pairs=50, pairs=600, state="running")
    text = page(root, "arenarun_changelist")
    found = report_of(run)
    assert "150 of 600 pairs, 25%" in text
    assert charts.plus_minus(found.points_per_round) in text
    assert f"{found.rounds:,} rounds, {found.rounds / 2.0:,.0f} per second" in text


@pytest.mark.parametrize(
    ("state", "age", "words"),
    [
        ("running", 1, "running"),
        ("running", 29, "running"),
        ("running", 31, "no sign of life"),
        ("stopped", 61, "stopped"),
        ("failed", 0, "failed"),
    ],
)
def test_the_list_says_whether_a_run_lives(root, state, age, words):
    run = stored_run(state=state, updated=timezone.now() - timedelta(seconds=age), error="Traceback\nValueError: <3>")
    (cell,) = re.findall(rf'data-live="{run.pk}-state">(.*?)</div>', page(root, "arenarun_changelist"))
    assert words in cell
    assert ("ValueError: &lt;3&gt;" in cell) == (state == "failed")


@pytest.mark.parametrize(("query", "found"), [("duel", ["duel"]), ("my.Agent", ["night"]), ("rule", ["duel", "night"])])
def test_runs_are_found_by_name_and_by_team(root, query, found):
    stored_run("duel")
    stored_run("night", team_31="my.Agent:depth=3")
    text = page(root, "arenarun_changelist", q=query)
    assert [name for name in ("duel", "night") if f">{name}</a>" in text] == found


@pytest.mark.parametrize("query", [{"state__exact": "stopped"}, {"agent": "lucky"}, {"unit__exact": "games"}])
def test_runs_are_filtered(root, query):
    stored_run("duel")
    stored_run("night", team_31="lucky", state="stopped", unit="games")
    text = page(root, "arenarun_changelist", **query)
    assert ">night</a>" in text
    assert ">duel</a>" not in text


def test_faults_are_seen_in_the_list(root):
    run = stored_run()
    run.tally["behaviour"][1]["raised"] = 1234
    run.save()
    assert '<strong class="arena-bad">1,234 faults</strong>' in page(root, "arenarun_changelist")


def test_the_list_needs_as_few_queries_for_many_runs_as_for_few(root, django_assert_max_num_queries):
    for number in range(60):
        stored_run(f"run {number}", batches=1, batch_pairs=2)
    with django_assert_max_num_queries(12):
        page(root, "arenarun_changelist")


# --- a run ------------------------------------------------------------------------------------------------------------


def test_the_page_of_a_run_shows_the_figures_of_the_report(root):
    run = stored_run()
    text = page(root, "arenarun_change", run.pk)
    found = report_of(run)
    points = found.points_per_round
    assert f"{points.mean:+.1f} ({points.low:+.1f} to {points.high:+.1f})" in text
    assert f"{found.win_rate.mean:.1%} ({found.win_rate.low:.1%} to {found.win_rate.high:.1%})" in text
    assert f"{found.elo.mean:+.0f} ({found.elo.low:+.0f} to {found.elo.high:+.0f})" in text
    assert f"<td>{found.agents[0].tichu.made:.1%}</td>" in text
    assert str(run.seats.get(slot=0).version) in text


def test_the_data_of_the_charts_stand_below_them(root):
    run = stored_run()
    text = page(root, "arenarun_change", run.pk)
    assert len(re.findall("<details><summary>Data", text)) == 2
    points = charts.narrowed(msgspec.convert(batch.tally["points"], Ratio) for batch in run.batches.all())
    bins = charts.binned(run.sums[0].results)
    assert text.count("<tr><td>") == len(points) + len(bins)


@pytest.fixture
def recorded_run(tmp_path):
    """Eight pairs of matches in four batches."""
    job = Job(teams=("rule", "random"), unit="games", pairs=8, batch_pairs=2, seed=3, target_score=200, record=True)
    asked = {"unit": "games", "pairs": 8, "batch_pairs": 2, "target_score": 200, "recording": str(tmp_path / "duel")}
    run = stored_run(batches=0, batches_played=4, **{**asked, "tally": None, "timing": None})
    with Recording(tmp_path / "duel", job) as file:
        for number in range(job.batches):
            played = play_batch(job, number)
            file.append(number, played.trajectories)
            ArenaBatch.objects.create(run=run, number=number, tally=as_json(played.tally), timing={})
    return run


def test_the_recorded_rounds_with_the_largest_differences_are_found(recorded_run):
    """Also where only some of the batches are read."""
    with Path(recorded_run.recording).open("rb") as file:
        played = {each[:3]: each for each in map(difference, trajectories.read(file))}
    for most in (1, 4):
        points = sorted(each.points for each in played.values())
        won, lost = [each for each in points if each > 0], [each for each in points if each < 0]
        found = largest(recorded_run, most)
        assert [one.points for one, _ in found] == won[::-1][:most] + lost[:most][::-1]
        for one, other in found:
            assert one == played[one.place]
            assert other == played.get((one.pair, 1 - one.half, one.number))


def difference(round):
    (one, other), half = round.result, round.half
    return Recorded(round.pair, half, round.number, other - one if half else one - other)


def test_the_page_of_a_recorded_run_leads_to_the_replay_of_rounds(root, recorded_run):
    text = page(root, "arenarun_change", recorded_run.pk)
    addresses = re.findall(r'href="(/replay/run/[^"#]+)(#r\d+\.0)?"', text)
    assert addresses[0] == (f"/replay/run/{recorded_run.pk}/0/0/", "")
    assert len(addresses) > 10
    for address, fragment in addresses:
        round = fragment[2:-2] or "1"
        assert root.get(address, {"round": round}).json()["number"] == int(round)


def test_a_recording_that_is_not_there_is_said_to_be_so(root):
    run = stored_run(recording="/nowhere/duel.rounds")
    assert "cannot be read: /nowhere/duel.rounds, No such file" in page(root, "arenarun_change", run.pk)


def test_a_run_without_a_recording_has_no_replay(root):
    assert "/replay/" not in page(root, "arenarun_change", stored_run().pk)


def test_a_run_of_which_nothing_was_played_has_a_page(root):
    run = stored_run(batches=0, state="running", tally=None, timing=None, seconds=0.0)
    text = page(root, "arenarun_change", run.pk)
    assert "<picture>" not in text
    assert "0 of" in text


def test_the_page_of_a_run_needs_few_queries_however_many_batches_there_are(root, django_assert_max_num_queries):
    run = stored_run(batches=300, batch_pairs=2)
    with django_assert_max_num_queries(14):
        page(root, "arenarun_change", run.pk)


def test_batches_are_listed_page_by_page(root):
    run = stored_run(batches=150, batch_pairs=2)
    text = page(root, "arenabatch_changelist", run__id__exact=run.pk)
    assert text.count('class="field-number"') == 100


@pytest.mark.parametrize("name", ["narrowing", "results", "calls", "behaviour"])
@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_chart_is_a_document_whose_policy_allows_its_own_style_only(root, name, size):
    run = stored_run()
    response = root.get(reverse("admin:arena_arenarun_chart", args=[run.pk, name]), {"size": size})
    assert response["Content-Type"] == "image/svg+xml"
    policy = response["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_there_is_no_other_chart(root):
    assert root.get(reverse("admin:arena_arenarun_chart", args=[stored_run().pk, "pie"])).status_code == 404


# --- live -------------------------------------------------------------------------------------------------------------


def test_the_live_view_tells_what_has_changed(root):
    run = stored_run(pairs=600, state="running")
    url = reverse("admin:arena_arenarun_live_list")
    answer = root.get(url, {"runs": f"{run.pk},x,999,{10**30}"}).json()
    assert answer["running"] is True
    assert answer["status"] == "1 run is being played."
    assert "25%" in answer["parts"][f"{run.pk}-progress"]


def test_the_live_view_ends_with_the_run(root):
    run = stored_run(state="running")
    assert root.get(reverse("admin:arena_arenarun_live", args=[run.pk])).json()["running"] is True
    ArenaRun.objects.update(state="finished")
    answer = root.get(reverse("admin:arena_arenarun_live", args=[run.pk])).json()
    assert answer["running"] is False
    assert answer["status"] == "The run is finished."


def test_the_first_pairs_are_announced_as_a_number(root):
    run = stored_run(pairs=10_000, state="running")
    assert root.get(reverse("admin:arena_arenarun_live", args=[run.pk])).json()["status"] == "0% played."


def test_pages_ask_again_only_while_something_is_played(root):
    run = stored_run()
    assert "data-live-url" not in page(root, "arenarun_changelist")
    assert "data-live-url" not in page(root, "arenarun_change", run.pk)
    ArenaRun.objects.update(state="running")
    assert f"live/?runs={run.pk}" in page(root, "arenarun_changelist")
    assert reverse("admin:arena_arenarun_live", args=[run.pk]) in page(root, "arenarun_change", run.pk)


# --- who may what -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("permissions", [[], ["view_arenabatch"]])
def test_nothing_is_shown_without_the_permission_to_view(client, permissions):
    run = stored_run()
    staff(client, *permissions)
    for name, args in [
        ("arenarun_changelist", []),
        ("arenarun_change", [run.pk]),
        ("arenarun_live", [run.pk]),
        ("arenarun_live_list", []),
        ("arenarun_chart", [run.pk, "results"]),
        ("rating_changelist", []),
        ("rating_cross", []),
    ]:
        assert client.get(reverse(f"admin:arena_{name}", args=args)).status_code == 403


def test_who_may_only_view_can_export_but_not_play(client):
    stored_run()
    text = page(staff(client, "view_arenarun"), "arenarun_changelist")
    assert re.findall(r'<option value="(\w+)"', text) == ["export_csv", "export_json"]


def test_batches_are_linked_only_for_who_may_see_them(client):
    run = stored_run()
    link = f"{reverse('admin:arena_arenabatch_changelist')}?run__id__exact={run.pk}"
    assert link not in page(staff(client, "view_arenarun"), "arenarun_change", run.pk)
    client.force_login(User.objects.create_superuser("root"))
    assert link in page(client, "arenarun_change", run.pk)


def test_an_action_that_is_not_offered_is_not_done(client):
    run = stored_run(state="running")
    act(staff(client, "view_arenarun"), "stop", run)
    assert not ArenaRun.objects.get().stop_requested


@pytest.mark.parametrize("name", ["arenarun", "arenabatch", "agentversion"])
def test_nothing_can_be_added_or_changed(root, name):
    run = stored_run()
    pk = {"arenarun": run.pk, "arenabatch": run.batches.first().pk, "agentversion": run.seats.first().version_id}[name]
    assert root.get(reverse(f"admin:arena_{name}_add")).status_code == 403
    assert root.post(reverse(f"admin:arena_{name}_change", args=[pk]), {"name": "x"}).status_code == 403


def test_a_run_is_deleted_with_its_batches(root):
    run = stored_run()
    response = root.post(reverse("admin:arena_arenarun_delete", args=[run.pk]), {"post": "yes"})
    assert response.status_code == 302
    assert (ArenaRun.objects.count(), ArenaBatch.objects.count()) == (0, 0)


def test_a_run_that_is_played_cannot_be_deleted(root):
    run = stored_run(state="running")
    assert root.post(reverse("admin:arena_arenarun_delete", args=[run.pk]), {"post": "yes"}).status_code == 403
    act(root, "delete_selected", run)
    root.post(
        reverse("admin:arena_arenarun_changelist"),
        {"action": "delete_selected", "_selected_action": [run.pk], "post": "yes"},
    )
    assert ArenaRun.objects.count() == 1


# --- actions ----------------------------------------------------------------------------------------------------------


def test_stop_asks_the_command_that_plays_the_run(root):
    run = stored_run(state="running")
    text = act(root, "stop", run).content.decode()
    assert ArenaRun.objects.get().stop_requested
    assert "1 will stop within seconds" in text


def test_stop_leaves_alone_what_is_not_played(root):
    text = act(root, "stop", stored_run()).content.decode()
    assert not ArenaRun.objects.get().stop_requested
    assert "None of these is being played." in text


class Started:
    """Stands in for a command; the real one is seen in test_launching and in the browser."""

    def __init__(self):
        self.calls = []
        self.said = {}  # by those that end at once
        self.fields = {}  # of the runs that begin

    def __call__(self, name, arguments=()):
        self.calls.append([name, *arguments])
        if name not in self.said:
            ArenaRun.objects.filter(name=name).delete()
            stored_run(name, **self.fields)
        launch = Mock(has_ended=name in self.said, said=self.said.get(name, ""), log="x.log")
        launch.name = name  # "name" means something else to Mock itself
        return launch


@pytest.fixture
def started(monkeypatch):
    started = Started()
    monkeypatch.setattr(admin_runs, "Launch", started)
    return started


def test_run_again_plays_the_same_under_a_new_name(root, started):
    text = act(root, "run_again", stored_run(pairs=150, stop="sprt:0,5")).content.decode()
    assert started.calls == [
        ["duel-2", "--rounds=300", "--seed=7", "--rules=house", "--stop=sprt:0,5", "--", "rule", "random"]
    ]
    assert "The run duel-2 has begun." in text


def test_run_again_lets_a_stopped_run_go_on(root, started):
    act(root, "run_again", stored_run(state="stopped"))
    assert started.calls == [["duel"]]


def test_run_again_lets_a_run_without_a_sign_of_life_go_on(root, started):
    act(root, "run_again", stored_run(state="running", updated=timezone.now() - timedelta(minutes=2)))
    assert started.calls == [["duel"]]


def test_run_again_refuses_what_is_being_played(root, started):
    text = act(root, "run_again", stored_run(state="running")).content.decode()
    assert started.calls == []
    assert "The run duel is being played already." in text


def test_run_again_plays_anew_what_other_code_has_played(root, started):
    """RunError of arena.runs; the browser test hears it from the command."""
    started.said = {"duel": "CommandError: duel cannot go on: the code of rule has changed since, results ..."}
    text = act(root, "run_again", stored_run(state="stopped")).content.decode()
    assert [call[0] for call in started.calls] == ["duel", "duel-2"]
    assert "The run duel-2 has begun." in text
    assert "duel could not" not in text


def test_run_again_says_that_a_run_failed_right_after_its_start(root, started):
    started.fields = {"state": "failed", "error": "Traceback\nRecordingError: no file"}
    text = act(root, "run_again", stored_run()).content.decode()
    assert "The run duel-2 has failed: RecordingError: no file" in text


def test_run_again_gives_each_its_own_name(root, started):
    act(root, "run_again", stored_run("duel"), stored_run("duel-2"))
    assert {call[0] for call in started.calls} == {"duel-3", "duel-4"}


def test_the_button_of_a_run_leads_to_the_run_that_was_begun(root, started):
    run = stored_run()
    data = {"action": "run_again", "_selected_action": [run.pk], "from_run": "1"}
    response = root.post(reverse("admin:arena_arenarun_changelist"), data)
    begun = ArenaRun.objects.get(name="duel-2")
    assert response.url == reverse("admin:arena_arenarun_change", args=[begun.pk])


def test_the_button_that_stops_a_run_stays_on_its_page(root):
    run = stored_run(state="running")
    data = {"action": "stop", "_selected_action": [run.pk], "from_run": "1"}
    response = root.post(reverse("admin:arena_arenarun_changelist"), data)
    assert response.url == reverse("admin:arena_arenarun_change", args=[run.pk])


def test_run_again_says_why_a_run_did_not_start(root, started):
    started.said = {"duel-2": "CommandError: no agent <x>"}
    text = act(root, "run_again", stored_run()).content.decode()
    assert "The run duel-2 could not be played: CommandError: no agent &lt;x&gt;" in text


def test_run_again_starts_only_some_at_once(root, started):
    runs = [stored_run(f"run {number}", batches=1, batch_pairs=2) for number in range(5)]
    assert "At most 4 runs at once" in act(root, "run_again", *runs).content.decode()
    assert started.calls == []


def test_a_new_name_counts_on():
    for name in ("duel", "duel-2", "duel-3", "night-9"):
        stored_run(name, batches=0)
    assert [admin_runs.next_name(name) for name in ("duel", "duel-2", "night-9", "new")] == [
        "duel-4",
        "duel-4",
        "night-10",
        "new-2",
    ]


def test_csv_has_a_line_for_each_run_with_the_numbers_of_its_report(root):
    run = stored_run()
    (line,) = csv.DictReader(io.StringIO(act(root, "export_csv", run).content.decode()))
    found = report_of(run)
    assert (line["name"], line["team_31"], line["state"]) == ("duel", "random", "finished")
    assert float(line["points_low"]) == found.points_per_round.low
    assert float(line["elo_high"]) == found.elo.high
    assert int(line["losses"]) == found.losses
    assert int(line["late"]) == 0


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_csv_holds_no_formulas(root, name):
    """OWASP: CSV injection."""
    run = stored_run()
    ArenaRun.objects.update(name=name)
    (line,) = csv.DictReader(io.StringIO(act(root, "export_csv", run).content.decode()))
    assert line["name"] == f"'{name}"


def test_json_is_a_list_of_reports(root):
    runs = [stored_run("duel"), stored_run("night", batches=0, tally=None, timing=None)]
    night, duel = json.loads(act(root, "export_json", *runs).content)
    assert (duel["name"], night["name"]) == ("duel", "night")
    assert duel["report"]["points_per_round"]["mean"] == report_of(runs[0]).points_per_round.mean
    assert night["report"]["points_per_round"]["mean"] is None


# --- ladder and cross table -------------------------------------------------------------------------------------------


def test_the_ladder_shows_each_rung_with_its_interval(root):
    Rating.objects.create(version=version("rule"), elo=212.4, low=200.2, high=225.1, rounds=40_000)
    Rating.objects.create(version=version("random"), elo=0, low=0, high=0, rounds=40_000)
    text = page(root, "rating_changelist")
    assert "+212 (+200 to +225)" in text
    assert "0 (anchor)" in text
    assert text.count('class="arena-rung"') == 2
    assert text.index("rule <span") < text.index("random <span")
    assert "40,000" in text


def test_an_empty_ladder_says_what_fills_it(root):
    assert "manage.py rate_agents" in page(root, "rating_changelist")


def test_the_cross_table_adds_up_all_runs_of_two_agents(root):
    one, other = stored_run("one"), stored_run("other", team_20="random", team_31="rule", seed=8)
    text = page(root, "rating_cross")
    total = one.sums[0].points.x - other.sums[0].points.x
    rounds = one.sums[0].rounds + other.sums[0].rounds
    assert f"<td>{total / rounds:+.1f} ± " in text
    assert f"<td>{-total / rounds:+.1f} ± " in text
    assert text.count(f"{rounds:,} rounds") == 2


def test_the_cross_table_counts_what_the_ladder_counts(root):
    """House rules, and of the same deals only the longest run."""
    run = stored_run("one", batches=4)
    stored_run("again")
    stored_run("pocket", rules="pocket", seed=9)
    assert page(root, "rating_cross").count(f"{run.sums[0].rounds:,} rounds") == 2


def test_the_cross_table_leaves_out_unlike_partners_and_an_agent_against_itself(root):
    stored_run("mirror", team_20="rule", team_31="rule")
    mixed = stored_run("mixed")
    mixed.seats.filter(slot=2).update(version=version("lucky"))
    assert "No two agents have played" in page(root, "rating_cross")


def test_the_cross_table_needs_few_queries(root, django_assert_max_num_queries):
    for number in range(40):
        stored_run(f"run {number}", batches=1, batch_pairs=2)
    with django_assert_max_num_queries(8):
        page(root, "rating_cross")


def test_the_ladder_is_reached_from_the_index(root):
    text = root.get(reverse("admin:index")).content.decode()
    assert reverse("admin:arena_rating_changelist") in text
    assert reverse("admin:arena_rating_cross") in page(root, "rating_changelist")


def test_the_pages_need_nothing_that_the_content_security_policy_forbids(root):
    run = stored_run(state="running")
    Rating.objects.create(version=version("rule"), elo=1, low=0, high=2, rounds=4)
    pages = [
        page(root, "arenarun_changelist"),
        page(root, "arenarun_change", run.pk),
        page(root, "arenarun_live", run.pk),
        page(root, "rating_changelist"),
        page(root, "rating_cross"),
        page(root, "agentversion_changelist"),
        page(root, "arenabatch_changelist"),
    ]
    assert [UNSAFE.findall(text) for text in pages] == [[]] * len(pages)
