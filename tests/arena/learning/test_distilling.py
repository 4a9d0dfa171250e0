"""A small network from a large one, and the file that plays."""

import json
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from arena.batch import Batch
from arena.learning.size import Size
from games.tichu._core import CALL
from games.tichu.agents.actions import ASK_GRAND, ASK_TICHU
from games.tichu.agents.weights import Weights

with suppress(ModuleNotFoundError):  # the tests are left out where it is missing
    import torch

    from arena.learning.distilling import Distillation, Plan, plan_for
    from arena.learning.folder import Folder
    from arena.learning.nets import Answers, Hints, Policy
    from arena.learning.training import Budget

pytestmark = [pytest.mark.django_db, pytest.mark.training]


@pytest.fixture
def teacher(tmp_path: Path) -> Path:
    """A network with opinions, of no worth."""
    torch.manual_seed(1)
    policy = Policy(Size(32, 2))
    with torch.no_grad():
        policy.shared.weight *= 60
    arrays = {name: array.astype(np.float32) for name, array in policy.playable().items()}
    path = tmp_path / "teacher.npz"
    Weights({"kind": "policy", "pieces": [{"kind": "selfplay"}]}, **arrays).save(path)
    return path


def train(*arguments: object) -> str:
    out = StringIO()
    call_command("train_agent", *map(str, arguments), stdout=out, stderr=StringIO())
    return out.getvalue()


def distill(teacher: Path, out: Path, *arguments: object) -> str:
    options = ("--device", "cpu", "--threads", "1", "--no-save", "--seed", "1")
    return train("distill", "--teacher", teacher, "--out", out, *arguments, *options)


def lines(folder: Path, kind: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [line for line in found if line["kind"] == kind]


def test_a_file_that_plays_is_the_same_network_in_torch(teacher: Path) -> None:
    weights = Weights.load(teacher)
    policy = Policy.of(weights)
    batch = Batch(50, 1)
    for _ in range(60):
        batch.step(batch.random_ids())
    batch.observe()
    answers = Answers.of(torch.from_numpy(batch.legal.view(np.int64)))
    observations = torch.from_numpy(batch.observations.view(np.int64))
    logits = policy(observations, answers, Hints.of(observations, answers)).detach().numpy()
    for table in range(50):
        mine = answers.rows.numpy() == table
        expected = weights.logits(batch.observations[table], answers.ids.numpy()[mine])
        assert logits[mine] == pytest.approx(expected, abs=1e-4)


@pytest.mark.slow
def test_a_student_comes_to_answer_as_its_teacher(teacher: Path, tmp_path: Path) -> None:
    text = distill(teacher, tmp_path / "out", "--net", "32x1", "--rounds", 4000, "--no-measure")
    sheet = Weights.load(tmp_path / "out" / "policy.npz").sheet
    assert sheet["same"] > 0.65  # whoever knows nothing comes to some 36 %
    assert f"{sheet['same']:.1%}" in text
    assert (sheet["kind"], sheet["net"], sheet["teacher"]) == ("policy", "32x1", "teacher.npz")
    assert [piece["kind"] for piece in sheet["pieces"]] == ["selfplay", "distill"]
    assert sheet["rounds"] >= 4000


@pytest.mark.parametrize(
    ("of_pieces", "quiet"),
    [
        ([], 0),
        ([{"kind": "imitate"}], 0),
        ([{"plan": {"quiet": 0.6}}], 0),  # by policies that were not told
        ([{"plan": {"quiet": 0.0, "quiet_others": {}}}], 0),
        ([{"plan": {"quiet": 0.6, "quiet_others": {}}}, {"kind": "distill", "plan": {"quiet": 0.25}}], 0.25),
    ],
)
def test_nobody_calls_at_some_tables_if_the_teacher_knows_such(of_pieces: list[dict[str, Any]], quiet: float) -> None:
    assert plan_for("cpu", Size(16, 1), {"pieces": of_pieces}).quiet == quiet


def test_where_nobody_calls_a_student_learns_all_but_calls(teacher: Path, tmp_path: Path) -> None:
    networks = Policy(Size(16, 1)), Policy.of(Weights.load(teacher))
    plan, facts = Plan(Size(16, 1), tables=16, quiet=0.25), {"seed": 1}
    folder = Folder(tmp_path / "out")
    student = Distillation(*networks, "", {}, plan, Budget(None, 1), folder, facts, False, lambda fraction: False)
    called = np.zeros(16, dtype=bool)
    learned = []
    for _ in range(200):
        quiet_calls = np.isin(student._batch.asks[:4], (ASK_TICHU, ASK_GRAND)).sum()
        *_, count = student._step(0.5).tolist()
        assert count == 16 - quiet_calls
        learned.append(count)
        called |= (student._batch.rows[:, CALL : CALL + 4] > 0).any(1)
    assert min(learned) < max(learned) == 16
    assert not called[:4].any()
    assert called[4:].any()


def test_the_same_seed_is_the_same_student(teacher: Path, tmp_path: Path) -> None:
    for name in ("one", "other"):
        distill(teacher, tmp_path / name, "--net", "16x1", "--rounds", 100, "--no-measure")
    one, other = (Weights.load(tmp_path / name / "policy.npz") for name in ("one", "other"))
    assert np.array_equal(one.outputs, other.outputs)


def test_a_student_is_measured_against_rule_and_its_teacher(
    teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.learning.ladder.LAST_PAIRS", 2)
    teacher = teacher.rename(tmp_path / "two+two,four.npz")
    distill(teacher, tmp_path / "out", "--net", "16x1", "--rounds", 100)
    strength = Weights.load(tmp_path / "out" / "policy.npz").sheet["strength"]
    assert [one["opponent"] for one in strength] == ["rule", "teacher"]
    assert len(lines(tmp_path / "out", "strength")) == 2


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(("--net", "4"), "--net: a size is"), (("--rounds", 0), "--rounds must be"), (("--minutes", 0), "--minutes must")],
)
def test_wrong_options_are_refused(
    teacher: Path, tmp_path: Path, arguments: tuple[object, ...], complaint: str
) -> None:
    with pytest.raises(CommandError, match=complaint):
        distill(teacher, tmp_path / "out", *arguments)


def test_a_teacher_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        distill(tmp_path / "nobody.npz", tmp_path / "out")
    (tmp_path / "words.npz").write_text("words")
    with pytest.raises(CommandError, match="holds no weights that fit"):
        distill(tmp_path / "words.npz", tmp_path / "out")


# --- export -----------------------------------------------------------------------------------------------------------


def test_an_export_is_the_file_that_plays(teacher: Path, tmp_path: Path) -> None:
    folder = tmp_path / "training"
    folder.mkdir()
    (folder / "policy.npz").write_bytes(teacher.read_bytes())
    text = train("export", folder, "--to", tmp_path / "out.npz", "--note", "a try")
    exported, before = Weights.load(tmp_path / "out.npz"), Weights.load(teacher)
    assert np.array_equal(exported.outputs, before.outputs)
    assert exported.sheet == {**before.sheet, "note": "a try"}
    data = (tmp_path / "out.npz").read_bytes()
    assert sha256(data).hexdigest() in text
    assert f"32x2, {len(data):,} bytes" in text
    assert '"note": "a try"' in text


def test_what_does_not_play_is_not_exported(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        train("export", tmp_path, "--to", tmp_path / "out.npz")
    assert not (tmp_path / "out.npz").exists()


def went_on(teacher: Path, path: Path, seed: int, kind: str = "selfplay") -> Weights:
    """Writes what a training from there might have come to."""
    before = Weights.load(teacher)
    own = {"kind": kind, "seed": seed, "minutes": 2.0, "rounds": 30}
    sheet = {**before.sheet, "pieces": [{"kind": "selfplay", "minutes": 1.0, "rounds": 10}, own]}
    replace(before, sheet=sheet, inputs_bias=before.inputs_bias + seed).save(path)
    return Weights.load(path)


def test_the_mean_of_several_is_measured_and_says_where_it_comes_from(
    teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.learning.ladder.LAST_PAIRS", 2)
    files = [tmp_path / "one.npz", tmp_path / "other.npz"]
    one, other = (went_on(teacher, file, seed) for seed, file in enumerate(files))
    train("export", *files, "--to", tmp_path / "mean.npz")
    mean = Weights.load(tmp_path / "mean.npz")
    assert np.allclose(mean.inputs_bias, (one.inputs_bias + other.inputs_bias) / 2, atol=1e-3)
    assert np.array_equal(mean.outputs, one.outputs)
    *pieces, last = mean.sheet["pieces"]
    assert pieces == [*one.sheet["pieces"], other.sheet["pieces"][1]]
    assert {"command", "revision", "date"} < last.keys()
    assert (last["kind"], mean.sheet["minutes"], mean.sheet["rounds"]) == ("mean", 5.0, 70)
    assert [(found["opponent"], found["played"]) for found in mean.sheet["strength"]] == [("rule", 4), ("random", 4)]


def test_there_is_no_mean_of_those_that_began_apart(teacher: Path, tmp_path: Path) -> None:
    went_on(teacher, tmp_path / "one.npz", 1)
    with pytest.raises(CommandError, match="did not begin with the same piece"):
        train("export", tmp_path / "one.npz", teacher, "--to", tmp_path / "mean.npz")
    for seed in (3, 4):
        went_on(teacher, tmp_path / f"{seed}.npz", seed, "distill")
    with pytest.raises(CommandError, match="did not begin with the same piece"):
        train("export", tmp_path / "3.npz", tmp_path / "4.npz", "--to", tmp_path / "mean.npz")
    assert not (tmp_path / "mean.npz").exists()
