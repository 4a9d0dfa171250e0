"""Trainings in the admin; and that neither the web nor the options of a training need PyTorch."""

import re
import subprocess
import sys
from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse
from django.utils import timezone

from arena.charts import WIDE
from arena.learning.charts import CURVES, curves
from arena.learning.models import TrainingRun
from tests.arena.learning.made_up import COMMAND, curve, stored_training
from tests.arena.test_admin import UNSAFE
from tests.server import ROOT


@pytest.fixture
def root(client):
    client.force_login(User.objects.create_superuser("root"))
    return client


def page(client, name, *args, **query):
    response = client.get(reverse(f"admin:learning_trainingrun_{name}", args=args), query)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.django_db
def test_the_list_says_how_long_was_trained_and_how_strong_it_is(root):
    run = stored_training()
    text = page(root, "changelist")
    points = run.sheet["strength"][0]["points"]
    assert f"{points['mean']:+.1f} ± 8.0" in text
    assert "20.0 minutes" in text
    assert "self-play 128x2" in text


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("state", "age", "words"),
    [("running", 110, "running"), ("running", 130, "no sign of life"), ("interrupted", 999, "interrupted")],
)
def test_the_list_says_whether_a_training_lives(root, state, age, words):
    stored_training(state=state, updated=timezone.now() - timedelta(seconds=age))
    assert re.search(rf'class="field-state_now">(<strong class="arena-bad">)?{words}', page(root, "changelist"))


@pytest.mark.django_db
@pytest.mark.parametrize("query", [{"q": "night"}, {"q": "H100"}, {"state__exact": "failed"}])
def test_trainings_are_found(root, query):
    stored_training("laptop")
    stored_training("night", device="H100", state="failed", error="ValueError: <3>")
    text = page(root, "changelist", **query)
    assert ">night</a>" in text
    assert ">laptop</a>" not in text
    assert "ValueError: &lt;3&gt;" in text


@pytest.mark.django_db
def test_the_list_does_not_read_the_curves(root, django_assert_max_num_queries):
    for number in range(30):
        stored_training(f"run {number}", minutes=1)
    with django_assert_max_num_queries(12):
        page(root, "changelist")


@pytest.mark.django_db
def test_the_page_shows_command_data_sheet_and_files_with_checksums(root):
    run = stored_training(pieces=2)
    text = page(root, "change", run.pk)
    assert text.count(COMMAND) == 3  # of the run, and of both pieces
    for file in run.files:
        assert file["sha256"] in text
        assert f"{file['bytes']:,}" in text
    assert "<td>12.3%</td><td>58.0%</td><td>60.0%</td>" in text
    assert "<td>2.1%</td><td>–</td><td>–</td>" in text


OF_OTHERS = {"foretold": ("imitate", {"top1": 0.9}), "same": ("distill", {"same": 0.9, "same_calls": 0.8})}


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["strength", *CURVES])
@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_curve_is_drawn_that_needs_nothing_else(root, name, size):
    kind, said = OF_OTHERS.get(name, ("selfplay", {}))
    run = stored_training(kind=kind, curve=[line | said for line in curve()])
    assert f"{name}.svg" in page(root, "change", run.pk)
    response = root.get(reverse("admin:learning_trainingrun_chart", args=[run.pk, name]), {"size": size})
    assert response["Content-Type"] == "image/svg+xml"
    assert response["Content-Security-Policy"].startswith("default-src 'none'")
    svg = response.content.decode()
    assert not re.search(r"<script|\sstyle=|NaN|Infinity", svg)
    assert svg.count("<path") > 1


def test_the_first_line_of_a_curve_is_a_dot():
    first, second = curve()[1:3]
    assert curves("entropy", [first], WIDE).count(b"<circle") == 1
    assert b"<circle" not in curves("entropy", [first, second], WIDE)


@pytest.mark.parametrize("top", [0.004, 0.02, 0.1, 0.9])
def test_no_label_of_a_scale_repeats(top):
    few = {"count": top * 1000, "made": 0, "expected": 0}
    lines = [line | {"tichu": few, "grand": few, "seats": 1000} for line in curve() if line["kind"] == "progress"]
    labels = re.findall(r">([0-9.]+%)<", curves("called", lines, WIDE).decode())
    assert len({*labels}) == len(labels) > 2


@pytest.mark.django_db
def test_what_has_not_been_measured_is_not_drawn(root):
    run = stored_training(minutes=0, curve=[], sheet={}, files=[])
    assert ".svg?" not in page(root, "change", run.pk)
    assert root.get(reverse("admin:learning_trainingrun_chart", args=[run.pk, "strength"])).status_code == 404
    assert root.get(reverse("admin:learning_trainingrun_chart", args=[run.pk, "nothing"])).status_code == 404


@pytest.mark.django_db
def test_lines_of_other_ways_to_train_do_no_harm(root):
    run = stored_training(kind="imitate", curve=[{"kind": "progress", "minutes": 1.0, "accuracy": 0.9}])
    assert "imitation" in page(root, "changelist")
    assert ".svg?" not in page(root, "change", run.pk)


@pytest.mark.django_db
def test_the_page_shows_how_well_others_are_foretold(root):
    wish = {"count": 8294, "top1": 0.939, "top3": 0.983, "log_loss": 0.2096}
    run = stored_training(kind="imitate", sheet={"net": "128x2", "accuracy": {"wish": wish}})
    row = '<th scope="row">wish</th><td>8,294</td><td>93.9%</td><td>98.3%</td><td>0.2096</td>'
    assert row in page(root, "change", run.pk)


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "args"), [("chart", ["strength"]), ("live", [])])
def test_only_who_may_see_trainings_sees_their_charts_and_how_they_go(client, name, args):
    run = stored_training()
    user = User.objects.create_user("staff", is_staff=True)
    client.force_login(user)
    url = reverse(f"admin:learning_trainingrun_{name}", args=[run.pk, *args])
    assert client.get(url).status_code == 403
    user.user_permissions.add(Permission.objects.get(codename="view_trainingrun"))
    assert client.get(url).status_code == 200


@pytest.mark.django_db
def test_the_page_asks_how_the_training_goes_while_it_lives(root):
    run = stored_training(state="running", minutes=34.5)
    url = reverse("admin:learning_trainingrun_live", args=[run.pk])
    assert f'data-live-url="{url}"' in page(root, "change", run.pk)
    answer = root.get(url).json()
    assert answer["running"] is True
    assert answer["status"] == "Trained for 30 minutes."
    assert "running, 34.5 minutes, 200,000 rounds" in answer["parts"]["report"]
    TrainingRun.objects.update(state="finished")
    answer = root.get(url).json()
    assert answer["running"] is False
    assert answer["status"] == "The training is finished."
    assert "data-live-url" not in page(root, "change", run.pk)


@pytest.mark.django_db
@pytest.mark.parametrize(("state", "status"), [("running", 403), ("finished", 200)])
def test_a_training_is_not_deleted_while_it_lives(root, state, status):
    run = stored_training(state=state)
    assert root.get(reverse("admin:learning_trainingrun_delete", args=[run.pk])).status_code == status


@pytest.mark.django_db
def test_the_pages_need_nothing_that_the_content_security_policy_forbids(root):
    run = stored_training(error="Traceback")
    assert [UNSAFE.findall(text) for text in (page(root, "changelist"), page(root, "change", run.pk))] == [[], []]


# --- without PyTorch --------------------------------------------------------------------------------------------------


def without_torch(code):
    """Runs this where PyTorch cannot be imported. :result: the process, which has ended."""
    hide = "import sys; sys.modules['torch'] = None; "
    return subprocess.run([sys.executable, "-c", hide + code], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_web_never_imports_pytorch():
    code = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'tichu_site.settings'; import tichu_site.asgi; "
        "from django.contrib import admin; admin.autodiscover(); from django.urls import get_resolver; "
        "get_resolver().url_patterns; from games.tichu.agents import nnet; "
        "assert 'arena.learning.admin' in sys.modules; print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "False\n", done.stderr


MANAGE = "import sys; sys.argv = {}; import runpy; runpy.run_path('manage.py', run_name='__main__')"


@pytest.mark.slow
def test_help_needs_no_pytorch_and_tells_of_each_option_and_exit_status():
    done = without_torch(MANAGE.format(["manage.py", "train_agent", "selfplay", "--help"]))
    assert done.returncode == 0, done.stderr
    for option in (
        "--minutes",
        "--rounds",
        "--device",
        "--init",
        "--net",
        "--opponents",
        "--seed",
        "--measure",
        "--out",
    ):
        assert option in done.stdout
    assert re.findall(r"^  (0|1|130) ", done.stdout, re.MULTILINE) == ["0", "1", "130"]


@pytest.mark.slow
def test_who_trains_without_pytorch_is_told_how_to_get_it(tmp_path):
    asked = ["manage.py", "train_agent", "selfplay", "--no-save", "--out", str(tmp_path / "run")]
    done = without_torch(MANAGE.format(asked))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "CommandError: PyTorch is missing: pip install -e '.[train]'"
    assert not (tmp_path / "run").exists()
