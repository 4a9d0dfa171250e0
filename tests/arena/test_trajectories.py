import os
import struct
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json, structs

from arena import trajectories
from arena.jobs import Job
from arena.playing import play_batch
from arena.trajectories import (
    DECISIONS,
    MOVE,
    ROUND,
    Recording,
    RecordingError,
    Trajectory,
    decode,
    encode,
    parse,
    read,
    read_batches,
    read_frames,
    read_job,
    text,
)
from games.engine import GameEngine
from games.game import IllegalAction
from games.tichu import notation
from games.tichu.cards import PHOENIX, points
from games.tichu.game import Options, Tichu

JOB = Job(teams=("random", "random"), unit="rounds", pairs=6, batch_pairs=2, seed=5, record=True)


@pytest.fixture(scope="module")
def frames() -> list[bytes]:
    """The batches of the job."""
    return [play_batch(JOB, number).trajectories for number in range(JOB.batches)]


@pytest.fixture(scope="module")
def all_rounds(frames: list[bytes]) -> list[Trajectory]:
    return [trajectory for frame in frames for trajectory in decode(frame).trajectories()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "some.rounds"


def recorded(path: Path, frames: list[bytes], job: Job = JOB) -> bytes:
    """Writes a file; what is in it."""
    with Recording(path, job) as recording:
        for number, frame in enumerate(frames):
            recording.append(number, frame)
    return path.read_bytes()


def readable(data: bytes) -> tuple[list[Trajectory], str]:
    """The rounds that can be read, and what is wrong then."""
    rounds: list[Trajectory] = []
    try:
        rounds.extend(read(BytesIO(data)))
    except RecordingError as error:
        return rounds, str(error)
    return rounds, ""


# --- the format -------------------------------------------------------------------------------------------------------

DEAL = (1, 2, 4, 8)
KNOWN = {"pair": 7, "half": 1, "number": 2, "rules": 3, "target_score": 1000, "score": (-120, 320)}
SOME = Trajectory(
    **KNOWN,
    first_eight=DEAL,
    fourteen=(1 | PHOENIX, 16, 32, 64),
    moves=[
        (0, "grand", True),
        (1, "schupf", (1 << 61, 1 << 4, 1 << 59)),
        (2, "announce", True),
        (3, "play", (1 << 60, 65822)),
        (0, "play", (0, 0)),
        (1, "bomb", (0xF << 56, 0x07041C)),
        (2, "wish", 14),
        (3, "dragon", 2),
    ],
    result=(-225, 325),
)


def test_a_file_is_what_its_description_says(path: Path) -> None:
    """The head and the frames as the docstring of the module has them: old files stay readable."""
    job = json.encode(JOB)
    known = struct.pack("<qBiBi2i4q4q2hi", 7, 1, 2, 3, 1000, -120, 320, *DEAL, *SOME.fourteen, -225, 325, 8)
    moves = [
        (0, 0, 1, 0),
        (1, 1, 61 | 4 << 8 | 59 << 16, 1 << 61 | 1 << 4 | 1 << 59),
        (2, 2, 1, 0),
        (3, 3, 65822, 1 << 60),
        (0, 3, 0, 0),
        (1, 4, 0x07041C, 0xF << 56),
        (2, 5, 14, 0),
        (3, 6, 2, 0),
    ]
    body = struct.pack("<II", 1, 8) + zlib.compress(known + b"".join(struct.pack("<BBiq", *move) for move in moves))
    numbered = struct.pack("<II", 0, len(body))
    head = b"\x89TICHU\r\n" + struct.pack("<HII", 1, len(job), zlib.crc32(job)) + job
    data = head + numbered + struct.pack("<I", zlib.crc32(numbered + body)) + body
    assert readable(data) == ([SOME], "")
    recorded(path, [encode([SOME])])
    assert path.read_bytes().startswith(head)
    assert readable(path.read_bytes()) == ([SOME], "")


def test_what_is_read_has_pythons_own_types() -> None:
    (trajectory,) = decode(encode([SOME])).trajectories()
    assert json.encode(trajectory) == json.encode(SOME)
    assert repr(trajectory) == repr(SOME)


def test_a_frame_is_two_arrays_of_numpy(frames: list[bytes], all_rounds: list[Trajectory]) -> None:
    rounds, moves = decode(frames[0])
    assert (rounds.dtype, rounds.shape) == (ROUND, (4,))
    assert (moves.dtype, moves.shape) == (MOVE, (sum(len(trajectory.moves) for trajectory in all_rounds[:4]),))
    assert rounds["first_eight"].tolist() == [list(trajectory.first_eight) for trajectory in all_rounds[:4]]
    played = moves[moves["decision"] == DECISIONS.index("play")]
    tally = play_batch(JOB, 0).tally
    assert np.count_nonzero(played["cards"] == 0) == sum(slot.passes for slot in tally.behaviour)


def test_a_batch_without_rounds_is_a_frame(path: Path, frames: list[bytes], all_rounds: list[Trajectory]) -> None:
    assert readable(recorded(path, [encode([]), frames[1], frames[2]])) == (all_rounds[4:], "")


def test_a_batch_has_both_halves_of_its_pairs(all_rounds: list[Trajectory]) -> None:
    """The same deals twice, the second time with the partnerships exchanged."""
    assert [(known.pair, known.half) for known in all_rounds] == [
        (pair, half) for pair in range(6) for half in range(2)
    ]
    for first, second in zip(all_rounds[::2], all_rounds[1::2], strict=True):
        assert (first.first_eight, first.fourteen) == (second.first_eight, second.fourteen)


def test_a_million_random_rounds_take_less_than_300_mib(path: Path) -> None:
    """Issue 3 allows 400. Random rounds are the longest."""
    job = structs.replace(JOB, pairs=100, batch_pairs=100)
    data = recorded(path, [play_batch(job, 0).trajectories], job)
    assert len(data) / 200 * 1_000_000 < 300 * 2**20


# --- reading ----------------------------------------------------------------------------------------------------------


def test_the_job_stands_in_the_file(path: Path, frames: list[bytes]) -> None:
    assert read_job(BytesIO(recorded(path, frames))) == JOB


def test_a_pipe_is_read_while_it_is_written(path: Path, frames: list[bytes]) -> None:
    data = recorded(path, frames)
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb") as target:
        arriving = read_frames(source)
        start = data.index(frames[1])
        target.write(data[:start])
        target.flush()
        assert len(next(arriving).rounds) == 4
        target.write(data[start:])
        target.close()
        assert [len(frame.rounds) for frame in arriving] == [4, 4]


@given(st.data())
def test_a_file_that_is_cut_gives_all_its_whole_batches(
    whole: bytes, frames: list[bytes], all_rounds: list[Trajectory], data: st.DataObject
) -> None:
    size = data.draw(st.integers(0, len(whole) - 1))
    ends = [whole.index(frame) + len(frame) for frame in frames]
    begin = whole.index(frames[0]) - trajectories.FRAME.size
    rounds, wrong = readable(whole[:size])
    assert rounds == all_rounds[: 4 * sum(end <= size for end in ends)]
    assert bool(wrong) == (size not in {begin, *ends})


@given(st.data())
def test_a_changed_bit_is_found(
    whole: bytes, frames: list[bytes], all_rounds: list[Trajectory], data: st.DataObject
) -> None:
    """CRC-32 finds every single one; the batches before it are read."""
    at = data.draw(st.integers(0, len(whole) - 1))
    changed = bytearray(whole)
    changed[at] ^= 1 << data.draw(st.integers(0, 7))
    rounds, wrong = readable(bytes(changed))
    assert wrong
    assert rounds == all_rounds[: 4 * sum(whole.index(frame) + len(frame) <= at for frame in frames)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, frames: list[bytes]) -> bytes:
    return recorded(tmp_path_factory.mktemp("whole") / "some.rounds", frames)


def test_some_batches_are_read_without_the_others(path: Path, frames: list[bytes]) -> None:
    data = bytearray(recorded(path, frames))
    data[data.index(frames[1]) + 20] ^= 1  # whoever read it would see the damage
    found = list(read_batches(BytesIO(bytes(data)), {0, 2, 7}))
    assert [frame.rounds["pair"].tolist() for frame in found] == [[0, 0, 1, 1], [4, 4, 5, 5]]
    with pytest.raises(RecordingError, match="damaged after 1 batches"):
        list(read_batches(BytesIO(bytes(data)), {1}))


def test_a_batch_twice_is_damage(path: Path, frames: list[bytes], all_rounds: list[Trajectory]) -> None:
    data = recorded(path, frames)
    begin = data.index(frames[2]) - trajectories.FRAME.size
    assert readable(data + data[begin:]) == (all_rounds, "this recording is damaged after 3 batches")


@pytest.mark.parametrize("data", [b"", b"\x89TIC", b"PK\x03\x04" * 20], ids=["nothing", "a piece", "something else"])
def test_what_is_no_recording(data: bytes) -> None:
    assert readable(data) == ([], "this is no recording of the arena")


def test_another_format_is_refused_by_its_number(path: Path, frames: list[bytes]) -> None:
    data = bytearray(recorded(path, frames))
    data[8] = 2
    assert readable(bytes(data)) == ([], "this recording has format 2; this program reads format 1")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda frame: b"",
        lambda frame: b"12345678",
        lambda frame: frame[:-9],
        lambda frame: b"\5\0\0\0" + frame[4:],
        lambda frame: frame[:4] + b"\5\0\0\0" + frame[8:],
    ],
    ids=["nothing", "not compressed", "cut", "other rounds", "other moves"],
)
def test_what_is_no_frame(spoil: Callable[[bytes], bytes], frames: list[bytes]) -> None:
    with pytest.raises(RecordingError, match="no frame"):
        decode(spoil(frames[0]))


# --- writing ----------------------------------------------------------------------------------------------------------


def test_what_was_appended_is_in_the_file_at_once(
    path: Path, frames: list[bytes], all_rounds: list[Trajectory]
) -> None:
    with Recording(path, JOB) as recording:
        recording.append(0, frames[0])
        assert readable(path.read_bytes()) == (all_rounds[:4], "")


def test_a_file_has_one_writer(path: Path, frames: list[bytes]) -> None:
    """A run that was taken for dead may awake while another command goes on with it."""
    with Recording(path, JOB) as recording:
        with pytest.raises(RecordingError, match=r"some\.rounds is being written by another command"):
            Recording(path, JOB)
        recording.append(0, frames[0])
    with Recording(path, JOB, 1) as recording:
        recording.append(1, frames[1])


def test_batches_come_in_their_order(path: Path, frames: list[bytes]) -> None:
    with Recording(path, JOB) as recording, pytest.raises(ValueError, match="is 0, not 1"):
        recording.append(1, frames[1])


@pytest.mark.parametrize("stored", [2, 3], ids=["the last batch was not stored", "all were stored"])
@pytest.mark.parametrize(
    "tail", [b"", b"\x00", b"\x03\x00\x00\x00\x10\x00\x00\x00....torn"], ids=["whole", "1", "more"]
)
def test_a_run_goes_on_behind_its_stored_batches(path: Path, stored: int, tail: bytes, frames: list[bytes]) -> None:
    whole = recorded(path, frames)
    path.write_bytes(whole + tail)
    with Recording(path, JOB, stored) as recording:
        for number in range(stored, 3):
            recording.append(number, frames[number])
    assert path.read_bytes() == whole


def test_a_run_that_was_killed_before_its_first_batch_begins_again(path: Path, frames: list[bytes]) -> None:
    whole = recorded(path, frames)
    recorded(path.with_name("begun"), [])
    assert recorded(path.with_name("begun"), frames) == whole


def test_an_empty_file_is_a_new_one(path: Path, frames: list[bytes], all_rounds: list[Trajectory]) -> None:
    path.touch()
    assert readable(recorded(path, frames)) == (all_rounds, "")


def refusals(path: Path) -> Iterator[tuple[str, Job, int]]:
    yield "lacks batch 3 of this run, which has 4", JOB, 4
    yield "has 3 batches more than this run; name another file", JOB, 0
    yield "holds the rounds of another run; name another file", structs.replace(JOB, seed=6), 3


def test_a_file_that_does_not_fit_is_left_as_it_is(path: Path, frames: list[bytes]) -> None:
    whole = recorded(path, frames)
    for wrong, job, batches in refusals(path):
        with pytest.raises(RecordingError, match=wrong):
            Recording(path, job, batches)
        assert path.read_bytes() == whole


def test_damage_among_the_stored_batches_is_no_tail(path: Path, frames: list[bytes]) -> None:
    data = bytearray(recorded(path, frames))
    data[data.index(frames[1]) + 20] ^= 1
    path.write_bytes(data)
    with pytest.raises(RecordingError, match="lacks batch 1 of this run, which has 3"):
        Recording(path, JOB, 3)
    assert path.read_bytes() == data


def test_a_file_that_is_no_recording_is_not_overwritten(path: Path) -> None:
    path.write_text("my thesis")
    with pytest.raises(RecordingError, match="no recording"):
        Recording(path, JOB)
    assert path.read_text() == "my thesis"


def test_a_file_that_is_gone_cannot_go_on(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Recording(path, JOB, 2)


# --- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["house", "pocket", "brettspielwelt"])
@pytest.mark.parametrize("teams", [("random", "random"), ("rule", "random")], ids=" ".join)
def test_a_recorded_round_and_its_text_are_the_same(teams: tuple[str, str], rules: str) -> None:
    """Both ways the rules check each move, and the result is that which was recorded."""
    job = structs.replace(JOB, teams=teams, rules=rules, pairs=8, batch_pairs=8)
    for trajectory in decode(play_batch(job, 0).trajectories).trajectories():
        written = text(trajectory)
        assert parse(written) == trajectory
        assert text(parse(written)) == written


def test_the_rounds_of_a_match_are_the_text_of_the_match() -> None:
    """An engine of the live table plays it again (games/engine.py)."""
    job = structs.replace(JOB, teams=("rule", "random"), unit="games", pairs=1, batch_pairs=1)
    rounds = list(decode(play_batch(job, 0).trajectories).trajectories())
    for _, match in groupby(rounds, key=lambda known: known.half):
        played = list(match)
        actions = notation.parse("".join(map(text, played)))
        engine = GameEngine.replay(Tichu(), Options(), actions)
        last = played[-1]
        totals = (last.score[0] + last.result[0], last.score[1] + last.result[1])
        assert engine.result is not None
        assert engine.result.scores == totals


def test_a_text_tells_what_is_known_of_its_round(all_rounds: list[Trajectory]) -> None:
    assert text(all_rounds[1]).startswith("# pair=0 half=1 number=0 rules=3 target_score=1000 score=0:0 result=")


def test_another_result_than_that_of_the_moves_is_found(all_rounds: list[Trajectory]) -> None:
    wrong = structs.replace(all_rounds[0], result=(all_rounds[0].result[0] + 5, all_rounds[0].result[1] - 5))
    with pytest.raises(ValueError, match="the round brought"):
        text(wrong)
    first, rest = text(all_rounds[0]).split("\n", 1)
    with pytest.raises(ValueError, match="the round brought"):
        parse(first.partition(" result=")[0] + " result=1:99\n" + rest)


def test_a_text_without_its_comment_is_no_trajectory(all_rounds: list[Trajectory]) -> None:
    with pytest.raises(ValueError, match="begins with a comment that knows pair, half"):
        parse(text(all_rounds[0]).split("\n", 1)[1])


def test_a_forbidden_line_is_no_trajectory(all_rounds: list[Trajectory]) -> None:
    with pytest.raises(IllegalAction):
        parse(text(all_rounds[0]).replace("\ntaken\n", "\n0: Tichu\n0: Tichu\n", 1))


def test_all_points_of_the_deck_are_dealt(frames: list[bytes]) -> None:
    """Rules 1.2: what a researcher may count on."""
    for deal in decode(frames[0]).rounds["fourteen"].tolist():
        assert sum(map(points, deal)) == 100
