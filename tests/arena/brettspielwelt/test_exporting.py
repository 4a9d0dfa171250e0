"""Imported games written for training, by the real command (docs/brettspielwelt.md)."""

import os
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from msgspec import json

from arena import trajectories
from arena.brettspielwelt import exporting
from arena.brettspielwelt.exporting import ExportedRound
from arena.brettspielwelt.importing import import_logs
from arena.brettspielwelt.models import Game, Round
from arena.brettspielwelt.replay import FLAGS
from arena.trajectories import Frame
from games.tichu import notation
from tests.arena.brettspielwelt.test_archive import zipped
from tests.server import ROOT

SAMPLES = ROOT / "tests" / "data" / "bsw"
WHOLE = [SAMPLES / f"90000{number}.tch" for number in range(1, 5)]

pytestmark = pytest.mark.django_db


def export(*arguments: object) -> str:
    out = StringIO()
    call_command("bw_export", *map(str, arguments), stdout=out)
    return out.getvalue()


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def months(tmp_path: Path) -> dict[str, bytes]:
    """Three games of three months, imported from a zip."""
    members = {f"20070{number}/{number}.tch": WHOLE[number].read_bytes() for number in (1, 2, 3)}
    import_logs([zipped(tmp_path / "2007.zip", members)])
    return members


# --- tch --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["folder", "zip"])
def test_logs_come_back_byte_for_byte(months, tmp_path, form):
    """From the stored fields, not from a kept copy, where a log had no defect (issue 4, chapter 1)."""
    out = tmp_path / ("out" if form == "folder" else "out.zip")
    assert export("--format", "tch", "--out", out) == f"3 games in {out}\n"
    if form == "zip":
        with ZipFile(out) as archive:
            archive.extractall(tmp_path / "out")
    assert files(tmp_path / "out") == months


def test_every_sample_comes_back(tmp_path):
    """Only the CRLF of one is lost, and that another has no LF at its end."""
    import_logs([SAMPLES])
    export("--format", "tch", "--out", tmp_path)
    texts = {path.read_bytes().replace(b"\r\n", b"\n").rstrip(b"\n") for path in SAMPLES.rglob("*.tch")}
    assert {text.rstrip(b"\n") for text in files(tmp_path).values()} == texts


def test_several_games_of_a_file_come_back_as_a_file(tmp_path):
    """They have one number; reading them again changes nothing."""
    import_logs([zipped(tmp_path / "a.zip", {"5.tch": b"--END GAME--\n".join(path.read_bytes() for path in WHOLE)})])
    export("--format", "tch", "--out", tmp_path / "out")
    before = set(Game.objects.values_list("key", "rounds_count"))
    assert import_logs([tmp_path / "out"]).skipped == 1
    assert set(Game.objects.values_list("key", "rounds_count")) == before


# --- months and clean rounds ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        (["--from", "2007-02"], ["200702/2.tch", "200703/3.tch"]),
        (["--to", "2007-02"], ["200701/1.tch", "200702/2.tch"]),
        (["--from", "2007-02", "--to", "2007-02"], ["200702/2.tch"]),
    ],
)
def test_months_can_be_chosen(months, tmp_path, limits, expected):
    """Both ends belong to them."""
    export("--format", "tch", "--out", tmp_path / "out", *limits)
    assert sorted(files(tmp_path / "out")) == expected


def test_clean_leaves_out_what_the_rules_cannot_replay(tmp_path):
    """The last round of 900006 is cut off."""
    import_logs([SAMPLES])
    export("--format", "json", "--out", tmp_path / "all")
    export("--format", "json", "--out", tmp_path / "clean", "--clean")
    everything, clean = rounds(tmp_path / "all"), rounds(tmp_path / "clean")
    assert (len(everything), len(clean)) == (69, 68)
    (cut,) = [round for round in everything if not round.usable]
    assert ([finding.code for finding in cut.findings], cut.score, cut.logged) == (["too_short"], None, None)


# --- json -------------------------------------------------------------------------------------------------------------


def rounds(path: Path) -> list[ExportedRound]:
    return [json.decode(line, type=ExportedRound) for line in path.read_bytes().splitlines()]


def test_a_line_of_json_replays_to_its_score(tmp_path):
    """Its text is a deal and moves in the notation of journals."""
    import_logs([SAMPLES])
    export("--format", "json", "--out", tmp_path / "out", "--clean")
    for exported in rounds(tmp_path / "out"):
        round, _ = notation.moves_of(notation.parse(exported.text), FLAGS)
        assert round.score() == exported.score


def test_a_line_of_json_knows_what_was_before(months, tmp_path):
    """Players play by the score."""
    export("--format", "json", "--out", tmp_path / "out")
    of_game = [round for round in rounds(tmp_path / "out") if round.game == "1"]
    assert [round.round for round in of_game] == list(range(1, 14))
    for one, following in pairwise(of_game):
        assert one.score
        assert following.before == (one.before[0] + one.score[0], one.before[1] + one.score[1])


def test_a_round_that_contradicts_itself_is_told_up_to_there(tmp_path):
    """What comes after it rests on a guess."""
    text = WHOLE[0].read_text(encoding="utf-8").replace("(2)C.Moll!: RK \n", "(2)C.Moll!: RA \n", 1)
    (tmp_path / "1.tch").write_text(text, encoding="utf-8")
    import_logs([tmp_path / "1.tch"])
    export("--format", "json", "--out", tmp_path / "out")
    first = rounds(tmp_path / "out")[0]
    assert first.text.endswith("0: plays Ma\n0: wishes 5\n1: plays G5\n")
    assert (first.usable, first.score, first.logged) == (False, None, (25, 75))


# --- npz --------------------------------------------------------------------------------------------------------------


def test_arrays_are_what_recordings_of_the_arena_have(months, tmp_path, monkeypatch):
    """Programs that learn read both alike; some rounds in each array, so that nobody needs all in memory."""
    monkeypatch.setattr(exporting, "MEMBER", 10)
    export("--format", "npz", "--out", tmp_path / "out.npz")
    played = []
    with np.load(tmp_path / "out.npz") as arrays:
        assert len(arrays.files) == 2 * 3
        for number in range(3):
            frame = Frame(arrays[f"rounds_{number:05}"], arrays[f"moves_{number:05}"])
            assert frame.rounds.dtype == trajectories.ROUND
            assert frame.moves.dtype == trajectories.MOVE
            played += frame.trajectories()
    assert len(played) == Round.objects.count()
    for trajectory in played:
        assert trajectories.parse(trajectories.text(trajectory)) == trajectory
    results = [tuple(scores) for scores in Round.objects.order_by("pk").values_list("score_20", "score_31")]
    assert [trajectory.result for trajectory in played] == results
    assert [trajectory.pair for trajectory in played] == [1] * 13 + [2] * 7 + [3] * 8


def test_arrays_hold_only_what_the_rules_can_replay(tmp_path):
    """A round without a score teaches nothing."""
    import_logs([SAMPLES])
    export("--format", "npz", "--out", tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz") as arrays:
        assert len(arrays["rounds_00000"]) == 68
        assert (arrays["rounds_00000"]["pair"] < 0).any()  # games without a number


# --- files ------------------------------------------------------------------------------------------------------------


def test_what_was_there_stays_until_the_new_is_whole(months, tmp_path, monkeypatch):
    """Somebody may interrupt an export."""

    def fail(*arguments: Any) -> None:
        raise OSError("disk full")

    out = tmp_path / "out.json"
    out.write_text("old")
    monkeypatch.setattr(exporting.notation, "text_of", fail)
    with pytest.raises(Exception, match="cannot be written: disk full"):
        export("--format", "json", "--out", out)
    assert out.read_text() == "old"


def test_a_log_is_in_a_folder_as_a_whole_or_not_at_all(months, tmp_path, monkeypatch):
    """The disk may be full in the middle of one."""

    def fail(file: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(CommandError, match="cannot be written: disk full"):
        export("--format", "tch", "--out", tmp_path / "out")
    assert files(tmp_path / "out") == {}


def test_months_the_wrong_way_round_are_refused(tmp_path):
    with pytest.raises(CommandError, match=r"--from 2008-01 is later than --to 2007-01\."):
        export("--format", "json", "--out", tmp_path / "out", "--from", "2008-01", "--to", "2007-01")
    assert not (tmp_path / "out").exists()


def test_games_are_read_in_chunks(months, tmp_path, django_assert_max_num_queries, monkeypatch):
    """Memory stays flat; each chunk is a few queries, however many games it has."""
    with django_assert_max_num_queries(6):
        export("--format", "json", "--out", tmp_path / "out.json")
    monkeypatch.setattr(exporting, "CHUNK", 1)
    export("--format", "json", "--out", tmp_path / "few.json")
    assert (tmp_path / "few.json").read_bytes() == (tmp_path / "out.json").read_bytes()
