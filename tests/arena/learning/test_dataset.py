"""What is learned from: the same decisions as those who made them saw, from every kind of file."""

from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from zipfile import ZipFile

import numpy as np
import pytest
from django.core.management import call_command
from numpy.typing import NDArray

from arena import trajectories
from arena.batch import Batch
from arena.brettspielwelt import log
from arena.brettspielwelt.importing import import_logs
from arena.brettspielwelt.models import Player
from arena.brettspielwelt.replay import FLAGS, replay
from arena.jobs import Job
from arena.learning import dataset
from arena.learning.dataset import DatasetError, Piece, gather, in_validation, load
from arena.learning.decisions import Decisions, decisions
from arena.trajectories import Frame, Recording, Trajectory
from benchmarks.imitation import logged
from games.tichu import notation
from games.tichu._core import Round
from games.tichu.agents.actions import (
    ACTIONS,
    ASK_BOMB,
    ASK_DRAGON,
    ASK_GRAND,
    ASK_LEFT,
    ASK_PLAY,
    ASK_RIGHT,
    ASK_TICHU,
    ASK_WISH,
    TICHUS,
    decision,
    do,
    unpacked,
)
from games.tichu.agents.observations import PIECES
from games.tichu.rules import RuleSet
from tests.arena.examples import check_examples
from tests.games.tichu.agents.uncompiled import uncompiled
from tests.server import ROOT

SAMPLES = ROOT / "tests" / "data" / "bsw"
RULE_SETS = [RuleSet.house(), RuleSet.pocket(), RuleSet.brettspielwelt()]
NAMES = {ASK_GRAND: "grand", ASK_PLAY: "play", ASK_BOMB: "bomb", ASK_WISH: "wish", ASK_DRAGON: "dragon"}


class Shown(NamedTuple):
    """What a batch asked, showed and was answered."""

    observation: NDArray[np.uint64]
    legal: NDArray[np.uint64]
    id: int
    ask: int
    seat: int


class Table:
    """A table of a batch, written down as rounds are recorded."""

    def __init__(self, batch: Batch, at: int, rules: RuleSet) -> None:
        self.round = Round.random(int(batch.deals[at]), rules.flags)
        self.deal = (
            tuple(self.round.first_eight(seat) for seat in range(4)),
            tuple(self.round.fourteen(seat) for seat in range(4)),
        )
        self.rules = rules
        self.score = tuple(batch.scores[at].tolist())
        self.moves: list[notation.Move] = []
        self.shown: list[Shown] = []
        self.gifts: list[int] = []

    def catch_up(self, row: list[int]) -> None:
        """Does what the batch did unasked."""
        while self.round.row != tuple(row):
            seat = self.round.turn
            if seat == self.round.owner:
                self.round.take()
            else:
                (play,) = self.round.legal_plays()
                self.moves.append((seat, "play", play))
                self.round.play(seat, *play)

    def answer(self, shown: Shown) -> None:
        self.shown.append(shown)
        seat, ask, id = shown.seat, shown.ask, shown.id
        answer = decision(self.round, seat, ask, id)
        if ASK_RIGHT <= ask <= ASK_LEFT:
            self.gifts.append(answer)
            if ask == ASK_LEFT:
                self.moves.append((seat, "schupf", tuple(self.gifts)))
                self.gifts = []
        elif ask == ASK_TICHU:
            self.moves += [(seat, "announce", True)] if answer else []
        elif answer is not None:
            self.moves.append((seat, NAMES[ask], answer))
        do(self.round, seat, ask, id)

    def trajectory(self, number: int) -> Trajectory:
        known: Any = (number, 0, 0, self.rules.flags, self.rules.target_score, self.score, *self.deal)
        return Trajectory(*known, self.moves, self.round.score())


def played(rules: RuleSet, rounds: int, size: int = 20) -> list[Table]:
    """Rounds of chance, with what their batch showed."""
    batch = Batch(size, 3, rules)
    tables = [Table(batch, at, rules) for at in range(size)]
    over: list[Table] = []
    while len(over) < rounds:
        batch.observe()
        ids = batch.random_ids()
        for at, table in enumerate(tables):
            table.catch_up(batch.rows[at].tolist())
            words = batch.observations[at].copy(), batch.legal[at].copy()
            table.answer(Shown(*words, int(ids[at]), int(batch.asks[at]), int(batch.seats[at])))
        batch.step(ids)
        for at in np.flatnonzero(batch.done).tolist():
            tables[at].catch_up(batch.finished[at].tolist())
            over.append(tables[at])
            tables[at] = Table(batch, at, rules)
    return over


def framed(recorded: Iterable[Trajectory]) -> Frame:
    return trajectories.decode(trajectories.encode(list(recorded)))


def of_samples() -> Iterator[Trajectory]:
    """The usable rounds of the real logs."""
    for number, path in enumerate(sorted(SAMPLES.rglob("*.tch"))):
        for game in log.parse(path.read_bytes()):
            for at, round in enumerate(game.rounds):
                replayed: Any = replay(round)
                if replayed.usable:
                    deal = replayed.first_eight, replayed.fourteen
                    yield Trajectory(number, 0, at, FLAGS, 1000, (0, 0), *deal, replayed.moves, replayed.score)


def piece(observation: NDArray[np.uint64], name: str) -> list[int]:
    """The bits of a piece of an observation that are set."""
    first = 0
    for other, width in PIECES:
        if other == name:
            return np.flatnonzero(unpacked(observation, first + width)[first:]).tolist()
        first += width
    raise KeyError(name)


# --- decisions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULE_SETS, ids=["house", "pocket", "brettspielwelt"])
def test_a_recorded_round_has_the_decisions_that_its_players_were_shown(rules: RuleSet) -> None:
    tables = played(rules, 100)
    told, fits = decisions(*framed(table.trajectory(number) for number, table in enumerate(tables)))
    shown = [one for table in tables for one in table.shown]
    assert fits.all()
    assert np.array_equal(told.observations, [one.observation for one in shown])
    assert np.array_equal(told.legal, [one.legal for one in shown])
    assert told.ids.tolist() == [one.id for one in shown]
    assert told.asks.tolist() == [one.ask for one in shown]
    assert told.seats.tolist() == [one.seat for one in shown]
    assert told.rounds.tolist() == [number for number, table in enumerate(tables) for _ in table.shown]
    assert set(told.asks.tolist()) == set(range(9))


def test_compiled_and_interpreted_decisions_are_the_same() -> None:
    *_, plain = uncompiled(
        "games.tichu._core",
        "games.tichu.agents.actions",
        "games.tichu.agents.observations",
        "arena.batch",
        "arena.learning.decisions",
    )
    assert plain.decisions is not decisions
    frame = framed([*(table.trajectory(0) for table in played(RULE_SETS[2], 3, 3)), *of_samples()][:10])
    compiled, interpreted = decisions(*frame), plain.decisions(*frame)
    assert np.array_equal(compiled[1], interpreted[1])
    for one, other in zip(compiled[0], interpreted[0], strict=True):
        assert np.array_equal(one, other)


def test_what_people_chose_is_always_legal_and_never_the_only_answer() -> None:
    told, fits = decisions(*framed(of_samples()))
    assert fits.sum() == len(fits) > 60
    legal = unpacked(told.legal, ACTIONS)
    assert legal[np.arange(len(told.ids)), told.ids].all()
    assert (legal.sum(axis=1) > 1).all()
    assert set(told.asks.tolist()) == set(range(9))
    assert 60 < len(told.ids) / len(fits) < 90


def test_only_the_decisions_of_some_seats_are_told() -> None:
    frame = framed(of_samples())
    everybody, _ = decisions(*frame)
    some, _ = decisions(*frame, np.full(len(frame.rounds), 0b0101))
    assert some.ids.tolist() == everybody.ids[everybody.seats % 2 == 0].tolist()


def test_who_called_too_early_to_be_asked_is_asked_in_his_turn_and_all_others_see_the_call_before() -> None:
    """As if he had waited so long: agents are asked only then."""
    (path,) = (SAMPLES / "defects").glob("tichu_before_schupfen.tch")
    for round in log.parse(path.read_bytes())[0].rounds:
        if any(kind == "tichu" for kind, _ in round.before):
            break
    caller = next(seat for kind, seat in round.before if kind == "tichu")
    replayed: Any = replay(round)
    deal = replayed.first_eight, replayed.fourteen
    told, fits = decisions(*framed([Trajectory(1, 0, 0, FLAGS, 1000, (0, 0), *deal, replayed.moves, replayed.score)]))
    assert fits.all()
    asked = np.flatnonzero((told.asks == ASK_TICHU) & (told.seats == caller))
    assert told.ids[asked].tolist() == [TICHUS + 1]
    assert 0 not in piece(told.observations[asked[0]], "tichu")
    assert piece(told.observations[asked[0]], "turn") == [0]
    others = np.flatnonzero((told.asks >= ASK_RIGHT) & (told.seats != caller))
    for at in others.tolist():
        assert (caller - told.seats[at]) % 4 in piece(told.observations[at], "tichu")


def damaged(moves: list[notation.Move], how: str) -> list[notation.Move]:
    """The moves of a round, with one thing wrong."""
    first = next(at for at, move in enumerate(moves) if move[1] == "play")
    seat, kind, answer = moves[first]
    if how == "cut":
        return moves[:-1]
    if how == "too long":
        return [*moves, (0, "play", (0, 0))]
    if how == "another seat":
        return [*moves[:first], ((seat + 1) % 4, kind, answer), *moves[first + 1 :]]
    if how == "cards that are not in the hand":
        return [*moves[:first], (seat, kind, (1 << 61 | 1 << 60, 2 << 16 | 2 << 8 | 28)), *moves[first + 1 :]]
    if how == "no such combination":
        return [*moves[:first], (seat, kind, (answer[0], 0x0FFF_FFFF)), *moves[first + 1 :]]
    if how == "a pass on nothing":
        return [*moves[:first], (seat, kind, (0, 0)), *moves[first + 1 :]]
    return [move for move in moves if move[1] != "schupf"]


@pytest.mark.parametrize(
    "how",
    [
        "cut",
        "too long",
        "another seat",
        "cards that are not in the hand",
        "no such combination",
        "a pass on nothing",
        "without exchange",
    ],
)
def test_of_a_round_that_the_rules_forbid_there_is_nothing(how: str) -> None:
    good = [table.trajectory(0) for table in played(RULE_SETS[0], 3, 3)][:3]
    bad = Trajectory(
        *(getattr(good[1], name) for name in good[1].__struct_fields__[:-2]),
        damaged(good[1].moves, how),
        good[1].result,
    )
    told, fits = decisions(*framed([good[0], bad, good[2]]))
    assert fits.tolist() == [True, False, True]
    assert set(told.rounds.tolist()) == {0, 2}


# --- files ------------------------------------------------------------------------------------------------------------


def read(*paths: Path) -> list[Piece]:
    broken: list[str] = []
    pieces = list(dataset.read(paths, map, broken))
    assert not broken
    return pieces


def told_of(*paths: Path) -> Decisions:
    every = [decisions(piece.rounds, piece.moves)[0] for piece in read(*paths)]
    columns: Any = [np.concatenate(column) for column in zip(*every, strict=True)]
    return Decisions(*columns)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """What run_arena --record writes, of rounds by the rules of the Brettspielwelt."""
    job = Job(teams=("random", "random"), unit="rounds", pairs=4, batch_pairs=2, seed=1, rules="brettspielwelt")
    rounds = [table.trajectory(at // 4) for at, table in enumerate(played(RULE_SETS[2], 16, 8)[:16])]
    path = tmp_path / "few.rounds"
    with Recording(path, job) as file:
        file.append(0, trajectories.encode(rounds[:9]))
        file.append(1, trajectories.encode(rounds[9:]))
    return path


@pytest.mark.django_db
def test_an_export_has_the_same_decisions_as_the_logs_that_were_imported(tmp_path: Path) -> None:
    import_logs([SAMPLES])
    for form in ("json", "npz"):
        call_command("bw_export", "--format", form, "--out", str(tmp_path / form), stdout=StringIO())
    logs = told_of(SAMPLES)
    assert len(logs.ids) > 4000
    for form in ("json", "npz"):
        for one, other in zip(told_of(tmp_path / form)[:4], logs[:4], strict=True):
            assert sorted(map(bytes, one.reshape(len(one), -1))) == sorted(map(bytes, other.reshape(len(other), -1)))


def test_rounds_written_as_logs_have_the_decisions_of_the_recording(recording: Path, tmp_path: Path) -> None:
    """All but what a log does not say: what the phoenix stands for, where it is not clear."""
    with recording.open("rb") as file, ZipFile(tmp_path / "logs.zip", "w") as logs:
        for number, rounds in groupby(trajectories.read(file), lambda round: round.pair):
            logs.writestr(f"200701/{number}.tch", log.write([logged(round) for round in rounds]))
    recorded, read_again = told_of(recording), told_of(tmp_path / "logs.zip")
    assert set(np.unique(read_again.asks)) == set(np.unique(recorded.asks))
    seen = {bytes(row) for row in recorded.legal}
    known = sum(bytes(row) in seen for row in read_again.legal)
    assert known > 0.98 * len(read_again.ids)
    assert abs(len(read_again.ids) - len(recorded.ids)) < 0.02 * len(recorded.ids)


@pytest.mark.django_db
def test_only_players_who_are_strong_enough_are_learned_from(tmp_path: Path) -> None:
    import_logs([SAMPLES])
    names = list(Player.objects.order_by("name"))
    for player in names:
        player.elo = Random(player.name).choice([1400.0, 1700.0])
        player.save()
    export = tmp_path / "rounds.jsonl"
    call_command("bw_export", "--format", "json", "--out", str(export), stdout=StringIO())
    (tmp_path / "all").mkdir()
    (tmp_path / "strong").mkdir()
    everybody = gather([export], tmp_path / "all", share=0.3)
    strong = gather([export], tmp_path / "strong", share=0.3, min_elo=1600)
    expected = 0
    for rounds, moves, elo in read(export):
        told, _ = decisions(rounds, moves)
        expected += int((elo[told.rounds, told.seats] == 1700).sum())
    assert strong.training.decisions + strong.validation.decisions == expected
    assert 0 < expected < everybody.training.decisions + everybody.validation.decisions
    assert sum(len(load(shard).ids) for shard in strong.training.shards) == strong.training.decisions


def test_players_of_whom_nothing_is_known_are_not_strong_enough(recording: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="in 16 nobody is known to have an Elo of 1500"):
        gather([recording], tmp_path, share=0.5, min_elo=1500)


# --- shards and the split ---------------------------------------------------------------------------------------------


def games_in(shards: list[Path]) -> set[int]:
    found: set[int] = set()
    for shard in shards:
        with np.load(shard) as file:
            found |= set(file["rounds"]["pair"].tolist())
    return found


def test_no_game_is_on_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "SHARD", 10)
    monkeypatch.setattr(dataset, "WINDOW", 1)
    gathered = gather([SAMPLES], tmp_path, share=0.4)
    training, validation = games_in(gathered.training.shards), games_in(gathered.validation.shards)
    assert not training & validation
    assert (len(training), len(validation)) == (gathered.training.games, gathered.validation.games)
    assert gathered.rounds == 68
    assert len(gathered.training.shards) > 1


def test_the_split_is_the_same_whatever_is_read_besides(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "all").mkdir()
    some = gather([SAMPLES / f"90000{number}.tch" for number in (1, 2, 3)], tmp_path / "one", share=0.4)
    everything = gather([SAMPLES], tmp_path / "all", share=0.4)
    assert games_in(some.validation.shards) <= games_in(everything.validation.shards)
    assert games_in(some.training.shards) <= games_in(everything.training.shards)


def test_about_so_many_games_are_in_the_validation_as_were_asked_for() -> None:
    games = np.arange(-50_000, 50_000)
    assert in_validation(games, 0.05).mean() == pytest.approx(0.05, abs=0.003)
    assert in_validation(games, 0.2).mean() == pytest.approx(0.2, abs=0.005)


def test_processes_read_what_one_alone_reads(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    (tmp_path / "together").mkdir()
    alone = gather([SAMPLES], tmp_path / "alone", share=0.4)
    together = gather([SAMPLES], tmp_path / "together", share=0.4, processes=2)
    for one, other in zip(alone.training.shards, together.training.shards, strict=True):
        for a, b in zip(load(one), load(other), strict=True):
            assert np.array_equal(a, b)


def test_what_cannot_be_read_is_said_and_stops_nothing(tmp_path: Path, recording: Path) -> None:
    cut = tmp_path / "cut.rounds"
    cut.write_bytes(recording.read_bytes()[:-5])
    strange = tmp_path / "strange.npz"
    np.savez(strange, rounds_00000=np.zeros(3), moves_00000=np.zeros(3))
    words = tmp_path / "words.jsonl"
    words.write_text('{"game": 1}\n')
    damaged = tmp_path / "damaged.npz"
    np.savez_compressed(damaged, rounds_00000=np.arange(10_000))
    content = damaged.read_bytes()
    damaged.write_bytes(content[:200] + 100 * b"\xff" + content[300:])
    gathered = gather([cut, strange, words, damaged, SAMPLES], tmp_path, share=0.4)
    assert gathered.rounds == 68 + 9
    assert ["cut off" in gathered.broken[0], "not those of recorded rounds" in gathered.broken[1]] == [True, True]
    assert [one.split(":")[0] for one in gathered.broken] == [str(cut), str(strange), str(words), str(damaged)]


def test_who_interrupts_gets_what_has_been_read(tmp_path: Path) -> None:
    assert gather([SAMPLES / "900001.tch"], tmp_path, share=0.05, show=lambda dataset: True).rounds > 0


def test_too_few_games_are_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="1 games are too few"):
        gather([SAMPLES / "900001.tch"], tmp_path, share=0.05)
    with pytest.raises(DatasetError, match="there is no round to learn from"):
        gather([ROOT / "pyproject.toml"], tmp_path, share=0.05)


def test_examples() -> None:
    check_examples(dataset)
