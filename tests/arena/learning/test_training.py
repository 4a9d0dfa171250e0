"""Trainings: the same again, saved and gone on with, never half written; the folder, and the record in the database."""

import subprocess
import sys
from contextlib import suppress
from math import nan

import numpy as np
import pytest
from django.db import connection

from arena.arena import Arena
from arena.executors import Pool
from arena.jobs import Job
from arena.learning import folder as folders
from arena.learning.folder import ACTOR, CRITIC, LOG, POLICY, Folder, TrainingError, lines_in, saved_in
from arena.learning.models import TrainingRun
from arena.learning.runs import MOST_LINES, opened, thinned
from arena.learning.size import Size
from arena.statistics import interval_of
from arena.stopping import parse_stop
from games.tichu.agents.weights import Weights
from tests.arena.learning.made_up import curve
from tests.server import ROOT

with suppress(ModuleNotFoundError):  # the tests are left out where it is missing
    import torch

    from arena.learning.calls import Calls
    from arena.learning.nets import Critic, Policy, state_arrays
    from arena.learning.plan import plan_for
    from arena.learning.selfplay import Selfplay
    from arena.learning.training import Budget, CallCheck, Training, added, begun_in, restored

LIMIT = 16 * 2**20  # bytes of a file


@pytest.fixture
def train(tmp_path):
    """Trains a tiny net; each call is a piece in a folder of its own, or goes on in one."""

    def train(name="run", *, seed=1, rounds=60, minutes=None, init=None, size="16x1", tables=32, pulse=None):
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        begun = begun_in(init) if init else None
        plan = plan_for("cpu", Size.parse(size), goes_on=begun is not None)._replace(tables=tables, minibatch=128)
        policy = begun.policy if begun else Policy(plan.policy)
        critic = restored(saved_in(init / CRITIC), Critic) if init else Critic(plan.critic)
        selfplay = Selfplay(plan, policy, critic, seed, 1, begun.average if begun else None)
        folder = Folder(tmp_path / name, goes_on=init == tmp_path / name)
        facts = {"kind": "selfplay", "seed": seed}
        budget = Budget(minutes, None if minutes else rounds)
        Training(
            selfplay, budget, folder, facts, begun.sheet if begun else {}, 0, pulse or (lambda fraction: False)
        ).run()
        return tmp_path / name

    return train


def arrays_of(folder):
    weights = Weights.load(folder / POLICY)
    return [getattr(weights, name) for name in ("inputs", "gains", "blocks", "outputs", "outputs_bias")]


@pytest.mark.training
def test_the_same_seed_trains_the_same_policy_bit_for_bit(train):
    one, again, other = arrays_of(train("one")), arrays_of(train("again")), arrays_of(train("other", seed=2))
    assert all((mine == theirs).all() for mine, theirs in zip(one, again, strict=True))
    assert any((mine != theirs).any() for mine, theirs in zip(one, other, strict=True))


@pytest.mark.training
def test_a_training_goes_on_and_minutes_rounds_and_pieces_count_on(train):
    first = train("first")
    before = saved_in(first / ACTOR).sheet
    sheet = saved_in(train("first", init=first, seed=2) / ACTOR).sheet
    assert [piece["seed"] for piece in sheet["pieces"]] == [1, 2]
    assert sheet["rounds"] == before["rounds"] + sheet["pieces"][1]["rounds"]
    assert sheet["minutes"] > before["minutes"] > 0
    assert Weights.load(first / POLICY).sheet == sheet
    minutes = [line["minutes"] for line in lines_in(first) if line["kind"] == "progress"]
    assert minutes == sorted(minutes)
    assert len(minutes) >= 2


@pytest.mark.training
def test_who_goes_on_and_interrupts_at_once_loses_nothing(train):
    folder = train(rounds=300)
    saved = saved_in(folder / ACTOR)
    points = {"mean": 1.0, "low": 0.0, "high": 2.0}
    strength = [{"opponent": "rule", "minutes": 1.0, "rounds": 300, "points": points, "played": 10}]
    Folder(folder, goes_on=True).save(ACTOR, saved.net, saved.sheet | {"strength": strength}, saved.arrays)
    before = arrays_of(folder)
    train(init=folder, pulse=lambda fraction: True)
    assert all((mine == theirs).all() for mine, theirs in zip(before, arrays_of(folder), strict=True))
    assert Weights.load(folder / POLICY).sheet["strength"] == strength


@pytest.mark.training
def test_what_was_made_for_other_observations_is_refused_with_that_reason(train, monkeypatch):
    folder = train()
    for module in ("arena.learning.folder", "games.tichu.agents.weights"):
        monkeypatch.setattr(f"{module}.fingerprint", lambda: "another one")
    for init in (folder, folder / POLICY, folder / ACTOR):
        with pytest.raises(TrainingError, match="made for other action ids or observations"):
            begun_in(init)


@pytest.mark.training
def test_what_goes_on_begins_more_gently():
    size = Size(16, 1)
    fresh, later = (plan_for("cpu", size, goes_on) for goes_on in (False, True))
    assert later.rate == pytest.approx(0.6 * fresh.rate)
    assert later.entropy[0] < fresh.entropy[0]
    assert later.coin[0] < fresh.coin[0]


@pytest.mark.training
def test_a_plan_fits_the_size_and_the_device():
    small, large, gpu = (
        plan_for(device, Size.parse(size), False)
        for device, size in (("cpu", "128x2"), ("cpu", "256x3"), ("cuda", "256x3"))
    )
    assert [str(plan.critic) for plan in (small, large, gpu)] == ["192x2", "384x3", "256x3"]
    assert [(plan.tables, plan.minibatch) for plan in (small, large)] == [(512, 1024), (1024, 2048)]
    assert gpu.tables > 10 * large.tables


@pytest.mark.training
def test_who_interrupts_gets_whole_files(train):
    calls = []

    def pulse(fraction):
        calls.append(fraction)
        return len(calls) > 2

    folder = train(minutes=60, pulse=pulse)
    assert len(calls) == 3
    assert Weights.load(folder / POLICY).net == "16x1"
    assert saved_in(folder / CRITIC).net == "24x1"


@pytest.mark.training
def test_what_goes_wrong_is_raised_and_what_was_learned_is_saved(train, monkeypatch, tmp_path):
    iterate, count = Selfplay.iterate, []

    def failing(self, fraction):
        count.append(1)
        if len(count) == 3:
            raise MemoryError("no more")
        return iterate(self, fraction)

    monkeypatch.setattr(Selfplay, "iterate", failing)
    with pytest.raises(MemoryError):
        train(rounds=10**6)
    assert saved_in(tmp_path / "run" / ACTOR).sheet["pieces"][0]["minutes"] > 0


@pytest.mark.training
def test_numbers_that_are_none_are_never_saved(train, monkeypatch):
    folder = train()
    before = {name: (folder / name).read_bytes() for name in (ACTOR, CRITIC, POLICY)}

    def diverging(self, fraction):
        with torch.no_grad():
            next(self.policy.parameters()).fill_(nan)
        raise FloatingPointError("diverged")

    monkeypatch.setattr(Selfplay, "iterate", diverging)
    with pytest.raises(TrainingError, match="lost its way"):
        train(init=folder)
    assert {name: (folder / name).read_bytes() for name in before} == before


@pytest.mark.training
def test_the_largest_files_are_small_enough(tmp_path):
    size, folder = Size.parse("1024x3"), Folder(tmp_path)
    for name, network in ((ACTOR, Policy(size)), (CRITIC, Critic(size))):
        folder.save(name, str(size), {}, state_arrays(network))
    arrays = Policy(size).playable()
    folder.save_policy(Weights({}, **{name: array.astype(np.float32) for name, array in arrays.items()}))
    folder.log("start", {})
    assert [(file.name, file.bytes < LIMIT) for file in folder.files()] == [
        (POLICY, True),
        (ACTOR, True),
        (CRITIC, True),
        (LOG, True),
    ]


@pytest.mark.training
@pytest.mark.parametrize(
    ("check", "words"),
    [
        ({"per_hand": 0.12, "made": 0.6, "expected": 0.64}, ""),
        ({"per_hand": None, "made": None, "expected": None}, ""),
        ({"per_hand": 0.001, "made": None, "expected": None}, "hardly ever called"),
        ({"per_hand": 0.12, "made": 0.5, "expected": 0.56}, "made 50%, but the critic expects 56%"),
    ],
)
def test_calls_that_die_or_that_the_critic_does_not_know_are_told_of(check, words):
    assert words in "; ".join(CallCheck(**check).faults)
    assert bool(words) == bool(CallCheck(**check).faults)


@pytest.mark.training
def test_calls_are_added_up():
    assert added([Calls(2, 1, 0.5), Calls(3, 2, 1.5)]) == Calls(5, 3, 2.0)


@pytest.mark.training
@pytest.mark.slow
def test_a_minute_on_a_processor_is_enough_to_beat_chance(train):
    """Issue 5: a tiny net, 500 deals, each played twice."""
    file = train(minutes=1, size="32x1", tables=256) / POLICY
    job = Job(teams=(f"policy:file={file}", "random"), unit="rounds", pairs=500, batch_pairs=50, seed=1)
    with Pool(1) as pool:
        arena = Arena(job, pool, parse_stop("none"))
        for _ in arena.run():
            pass
    assert interval_of(arena.tally.points).low > 0


# --- the folder -------------------------------------------------------------------------------------------------------


def test_a_folder_that_holds_another_training_is_refused_unless_it_goes_on(tmp_path):
    Folder(tmp_path).log("start", {})
    with pytest.raises(TrainingError, match=r"holds another training \(log.jsonl\): take another folder$"):
        Folder(tmp_path)
    Folder(tmp_path, goes_on=True).save(ACTOR, "16x1", {}, {})
    with pytest.raises(TrainingError, match=f"or go on with that one by: selfplay --init {tmp_path}"):
        Folder(tmp_path)
    Folder(tmp_path, goes_on=True).log("progress", {"minutes": 1})
    assert [line["kind"] for line in lines_in(tmp_path)] == ["start", "progress"]


def test_two_commands_cannot_train_in_a_folder_at_the_same_time(tmp_path):
    folder = Folder(tmp_path)
    code = "import sys, pathlib; from arena.learning.folder import Folder; Folder(pathlib.Path(sys.argv[1]))"
    other = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert f"Another command trains in {tmp_path}." in other.stderr
    assert folder.files() == []


def test_a_file_takes_its_place_only_when_it_is_whole(tmp_path, monkeypatch):
    folder = Folder(tmp_path)
    folder.save(ACTOR, "16x1", {"rounds": 1}, {"a": np.ones(3, np.float16)})

    def half(file, **arrays):
        file.write(b"PK")
        raise OSError("the disk is full")

    monkeypatch.setattr(folders.np, "savez", half)
    with pytest.raises(OSError, match="full"):
        folder.save(ACTOR, "16x1", {"rounds": 2}, {"a": np.zeros(3, np.float16)})
    assert saved_in(tmp_path / ACTOR).sheet == {"rounds": 1}


def test_what_is_no_network_in_training_is_refused(tmp_path, monkeypatch):
    with pytest.raises(TrainingError, match="holds no network in training"):
        saved_in(tmp_path / ACTOR)
    (tmp_path / ACTOR).write_bytes(b"PK nonsense")
    with pytest.raises(TrainingError, match="holds no network in training"):
        saved_in(tmp_path / ACTOR)
    monkeypatch.setattr(folders, "fingerprint", lambda: "other")
    Folder(tmp_path, goes_on=True).save(ACTOR, "16x1", {}, {})
    monkeypatch.undo()
    with pytest.raises(TrainingError, match="other action ids or observations"):
        saved_in(tmp_path / ACTOR)


def test_a_line_that_was_cut_off_is_passed_by(tmp_path):
    (tmp_path / LOG).write_text('{"kind":"start"}\n{"kind":"prog')
    assert lines_in(tmp_path) == [{"kind": "start"}]


# --- in the database --------------------------------------------------------------------------------------------------


def record_in(path, name="mine", say=print):
    row = TrainingRun(name=name, kind="selfplay", command="manage.py train_agent", device="one", seed=1)
    return opened(Folder(path, goes_on=True), row, say)


@pytest.mark.django_db
def test_a_training_is_kept_with_its_curve_and_how_it_ended(tmp_path):
    lines = curve(2)
    with record_in(tmp_path) as record:
        for line in [*lines, {"kind": "sheet", "sheet": {"net": "16x1"}}]:
            record.hear(line)
        assert TrainingRun.objects.get().state == "running"
        record.end(is_interrupted=False)
    row = TrainingRun.objects.get()
    assert (row.state, row.minutes, row.curve, row.sheet) == ("finished", 2.0, lines, {"net": "16x1"})
    assert row.finished is not None


@pytest.mark.django_db
@pytest.mark.parametrize(("error", "state"), [(KeyboardInterrupt(), "interrupted"), (ValueError("no cards"), "failed")])
def test_how_a_training_broke_off_is_kept(tmp_path, error, state):
    with pytest.raises(type(error)), record_in(tmp_path):
        raise error
    row = TrainingRun.objects.get()
    assert row.state == state
    assert ("ValueError: no cards" in row.error) == (state == "failed")


@pytest.mark.django_db
def test_a_name_is_taken_once(tmp_path):
    record_in(tmp_path / "one")
    with pytest.raises(TrainingError, match="There is a training mine already"):
        record_in(tmp_path / "other")


@pytest.mark.django_db(transaction=True)
def test_a_database_that_fails_is_told_of_once_and_nothing_ends(tmp_path, monkeypatch):
    said = []
    record = record_in(tmp_path, say=said.append)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE learning_trainingrun RENAME TO elsewhere")
    with record:
        for line in curve(1):
            record.hear(line)
        assert len(said) == 1
        assert "The training goes on without it" in said[0]
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE elsewhere RENAME TO learning_trainingrun")
        record.end(is_interrupted=True)
    row = TrainingRun.objects.get()
    assert (row.state, len(row.curve)) == ("interrupted", 2)


def test_a_long_curve_is_thinned_and_keeps_its_end():
    lines = curve(1000)
    short = thinned(lines)
    assert short[-1] == lines[-1]
    for kind in ("progress", "strength"):
        assert MOST_LINES / 3 < len([line for line in short if line["kind"] == kind]) <= MOST_LINES
    assert thinned(lines[:50]) == lines[:50]
