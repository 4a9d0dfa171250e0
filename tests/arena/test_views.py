"""Replays of recorded runs and of logs: what was recorded is what is shown, and what is missing is said."""

from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from arena import trajectories
from arena.brettspielwelt import importing
from arena.brettspielwelt.models import Game
from arena.brettspielwelt.models import Round as LoggedRound
from arena.jobs import Job
from arena.playing import play_batch
from arena.trajectories import Recording
from tests.arena.made_up import stored_run

pytestmark = pytest.mark.django_db
LOGS = Path(__file__).parents[1] / "data" / "bsw"
JOB = Job(teams=("rule", "random"), unit="games", pairs=6, batch_pairs=2, seed=3, target_score=200, record=True)


@pytest.fixture
def staff(client):
    user = User.objects.create_user("kim", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=["view_arenarun", "view_game"]))
    client.force_login(user)
    return client


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """Two of the three batches of the job."""
    path = tmp_path_factory.mktemp("run") / "duel.rounds"
    with Recording(path, JOB) as file:
        for number in range(2):
            file.append(number, play_batch(JOB, number).trajectories)
    return path


@pytest.fixture
def run(recording):
    return stored_run(unit="games", pairs=6, batch_pairs=2, target_score=200, recording=str(recording))


def ask(client, run, pair, half=0, number=None):
    query = {"round": number} if number else {}
    return client.get(reverse("replay-run", args=[run.pk, pair, half]), query, headers={"accept-language": "en"})


# --- runs -------------------------------------------------------------------------------------------------------------


def test_every_recorded_round_is_shown_with_its_result(staff, run, recording):
    with recording.open("rb") as file:
        recorded = list(trajectories.read(file))
    assert {each.pair for each in recorded} == {0, 1, 2, 3}
    for each in recorded:
        found = ask(staff, run, each.pair, each.half, each.number + 1).json()
        assert tuple(found["steps"][-1]["result"]) == each.result
        assert tuple(found["results"][each.number]) == each.result
        assert found["source"] == ["run", "duel", each.pair, each.half]


def test_the_second_half_has_the_partnerships_exchanged(staff, run):
    """arena.playing: the same deals."""
    first, second = (ask(staff, run, 2, half, 1).json() for half in (0, 1))
    assert (first["teams"], second["teams"]) == (["rule", "random"], ["random", "rule"])
    assert first["steps"][0]["hands"] == second["steps"][0]["hands"]


def test_halves_lead_to_each_other(staff, run):
    """Two of three batches of two pairs are there."""
    run.batches_played = 2
    run.save()
    places = [(pair, half) for pair in range(4) for half in range(2)]
    addresses = ["", *(reverse("replay-run", args=[run.pk, *place]) for place in places), ""]
    for at, place in enumerate(places):
        found = ask(staff, run, *place, number=1).json()
        assert (found["before"], found["after"]) == (addresses[at], addresses[at + 2])
        assert found["home"] == reverse("admin:arena_arenarun_change", args=[run.pk])


def test_equal_agents_are_told_apart_by_their_seats(staff, run):
    assert ask(staff, run, 2, 0, 1).json()["seats"] == ["(0) rule", "(1) random", "(2) rule", "(3) random"]


@pytest.mark.parametrize(
    ("pair", "half", "says"),
    [(4, 0, "has not been recorded yet"), (6, 0, "There is no such match"), (0, 2, "There is no such match")],
)
def test_a_pair_that_is_not_there_is_said_to_be_so(staff, run, pair, half, says):
    response = ask(staff, run, pair, half)
    assert response.status_code == 404
    assert says in response.content.decode()


@pytest.mark.parametrize(
    ("recording", "says"),
    [("", "were not recorded"), ("/nowhere/duel.rounds", "cannot be read"), (__file__, "cannot be read")],
)
def test_a_missing_or_damaged_recording_is_said_to_be_so(staff, recording, says):
    response = ask(staff, stored_run(recording=recording), 0)
    assert response.status_code == 404
    assert says in response.content.decode()


def test_who_may_not_see_runs_sees_no_round(client, run):
    user = User.objects.create_user("kim", is_staff=True)
    client.force_login(user)
    assert [ask(client, run, 0).status_code, ask(client, run, 0, number=1).status_code] == [403, 403]


# --- logs -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def logs():
    importing.import_logs([LOGS], workers=0)


def logged(client, key, number=None):
    return client.get(reverse("replay-log", args=[key]), {"round": number} if number else {})


def test_every_logged_round_can_be_seen(staff, logs):
    rounds = LoggedRound.objects.select_related("game")
    assert rounds.filter(is_usable=True).count() > 30
    for round in rounds:
        found = logged(staff, round.game.key, round.number).json()
        if round.is_usable:
            assert found["steps"][-1]["result"] == [round.score_20, round.score_31]
            assert found["rest"] == []
        else:
            assert not found["steps"] or "result" not in found["steps"][-1]


def test_every_finding_stands_somewhere(staff, logs):
    for game in Game.objects.all():
        found = [logged(staff, game.key, number + 1).json() for number in range(game.rounds_count)]
        shown = [
            note["code"] for round in found for at in round["steps"] + round["rest"] for note in at.get("notes", [])
        ]
        assert sorted(shown) == sorted(game.findings.values_list("code", flat=True))


def imported(tmp_path, old, new):
    """A log in which somebody has changed something."""
    log = (LOGS / "defects" / "own_dragon_bombed.tch").read_text()
    assert old in log
    (tmp_path / "77.tch").write_text(log.replace(old, new, 1))
    importing.import_logs([tmp_path], workers=0)


def test_a_round_is_shown_up_to_a_contradiction_and_the_rest_as_text(staff, tmp_path):
    imported(tmp_path, "(2)Lotus22: SB RB ", "(2)Lotus22: SA RB ")
    found = logged(staff, "77", 1).json()
    assert (found["steps"][-1]["did"], found["steps"][-1]["cards"]) == ("play", "G9S9")
    assert found["rest"][0]["text"] == "(2)Lotus22: SA RB "
    assert len(found["rest"][0]["notes"]) == 1
    assert found["rest"][-1]["text"].startswith("Ergebnis: ")


@pytest.mark.parametrize("result", ["65 - 35", "1 - 2"])
def test_what_is_wrong_with_the_score_stands_at_the_end(staff, tmp_path, result):
    imported(tmp_path, "Ergebnis: 265 - 35", f"Ergebnis: {result}")
    found = logged(staff, "77", 1).json()
    noted = {at: [note["code"] for note in step["notes"]] for at, step in enumerate(found["steps"]) if "notes" in step}
    assert len(noted[len(found["steps"]) - 1]) == 2  # the score, and that the game was not finished
    assert noted.keys() == {len(found["steps"]) - 1}


def test_the_score_of_a_round_that_breaks_off_stands_at_its_line(staff, tmp_path):
    imported(tmp_path, "(2)Lotus22: SB RB ", "(2)Lotus22: SA RB ")
    log = tmp_path / "77.tch"
    log.write_text(log.read_text().replace("265 - 35", "1 - 2"))
    importing.import_logs([tmp_path], workers=0)
    rest = logged(staff, "77", 1).json()["rest"]
    assert "score_impossible" in [note["code"] for note in rest[-1]["notes"]]


def test_a_log_without_a_number_is_named_by_its_file(staff, tmp_path):
    (tmp_path / "many.tch").write_text((LOGS / "900001.tch").read_text())
    importing.import_logs([tmp_path], workers=0)
    (game,) = Game.objects.all()
    assert logged(staff, game.key, 1).json()["source"] == ["file", "many.tch", 1]
    assert " · Brettspielwelt many.tch</title>" in logged(staff, game.key).content.decode()


def test_a_deal_that_cannot_be_is_shown_as_text(staff, tmp_path):
    imported(tmp_path, "Dr RA SA GK SB B8", "Dr RA RA GK SB B8")
    found = logged(staff, "77", 1).json()
    assert found["steps"] == []
    assert "duplicate" in [note["code"] for note in found["rest"][0]["notes"]]


def test_an_exchange_that_cannot_be_leaves_the_deal(staff, tmp_path):
    imported(tmp_path, "Kranich: R5 - Lotus22", "Kranich: R6 - Lotus22")
    found = logged(staff, "77", 1).json()
    assert [step["did"] for step in found["steps"]] == ["deal"]
    assert found["rest"][0]["text"].startswith("Grosses Tichu: ")


def test_a_game_that_is_not_there_is_said_to_be_so(staff):
    assert logged(staff, "123#2").status_code == 404
