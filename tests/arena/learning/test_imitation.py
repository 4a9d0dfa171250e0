"""Networks that learn to answer as others did."""

import json
import os
import signal
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from arena import trajectories
from arena.jobs import Job
from arena.learning.dataset import gather
from arena.learning.decisions import decisions
from arena.learning.models import TrainingRun
from arena.trajectories import Recording, Trajectory
from games.tichu._core import Round
from games.tichu.agents.nnet import BehaviorAgent
from games.tichu.agents.random import RandomAgent
from games.tichu.agents.weights import Weights
from games.tichu.cards import CardSet, each
from games.tichu.rules import RuleSet
from games.tichu.simulate import play_round
from games.tichu.states import Play, PrivateState, PublicState, Triple
from tests.server import ROOT

with suppress(ModuleNotFoundError):  # the tests are left out where it is missing
    import torch

    from arena.learning.imitation import ASKS, Tally
    from arena.learning.nets import Answers

pytestmark = [pytest.mark.django_db, pytest.mark.training]
RULES = RuleSet.brettspielwelt()


class Habitual(RandomAgent):
    """Always does the same, and writes it down."""

    moves: list[Any]

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        if grand:
            self.moves.append((private.player_index, "grand", False))
        return False

    def schupf(self, public: PublicState, private: PrivateState) -> Triple:
        right, left, *_, partner = each(private.hand_cards)
        cards: tuple[CardSet, CardSet, CardSet] = (right, partner, left)
        self.moves.append((private.player_index, "schupf", cards))
        return cards

    def play(self, public: PublicState, private: PrivateState) -> Play:
        play = min(private.legal_plays, key=lambda play: (not play[0], -(play[1] >> 8 & 0xFF), play[1] & 0xFF))
        self.moves.append((private.player_index, "play", play))
        return play

    def bomb(self, public: PublicState, private: PrivateState) -> Play | None:
        return None

    def wish(self, public: PublicState, private: PrivateState) -> int:
        self.moves.append((private.player_index, "wish", 0))
        return 0

    def choose_dragon_recipient(self, public: PublicState, private: PrivateState) -> int:
        recipient = (private.player_index + 1) % 4
        self.moves.append((private.player_index, "dragon", recipient))
        return recipient


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """600 rounds of an agent without chance."""
    rounds = []
    agents = [Habitual("") for _ in range(4)]
    for seed in range(600):
        moves: list[Any] = []
        for agent in agents:
            agent.moves = moves
        round = Round.random(seed, RULES.flags)
        deal: Any = [tuple(of(seat) for seat in range(4)) for of in (round.first_eight, round.fourteen)]
        play_round(round, agents)
        rounds.append(Trajectory(seed, 0, 0, RULES.flags, 1000, (0, 0), *deal, moves, round.score()))
    path = tmp_path_factory.mktemp("recording") / "habit.rounds"
    job = Job(teams=("random", "random"), unit="rounds", pairs=600, batch_pairs=600, seed=1, rules="brettspielwelt")
    with Recording(path, job) as file:
        file.append(0, trajectories.encode(rounds))
    return path


def imitate(*arguments: object) -> str:
    out = StringIO()
    options = ("--device", "cpu", "--threads", "1", "--no-save")
    call_command("train_agent", "imitate", *map(str, arguments), *options, stdout=out, stderr=StringIO())
    return out.getvalue()


def lines(folder: Path, kind: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [line for line in found if line["kind"] == kind]


# --- training ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_agent_without_chance_is_learned(recording: Path, tmp_path: Path) -> None:
    text = imitate(recording, "--epochs", 8, "--net", "64x1", "--seed", 1, "--out", tmp_path)
    kinds = lines(tmp_path, "assessment")[-1]["kinds"]
    assert kinds["all"]["top1"] > 0.95
    assert kinds["all"]["top1"] <= kinds["all"]["top3"] <= 1
    assert kinds["all"]["count"] == sum(kind["count"] for name, kind in kinds.items() if name != "all")
    assert kinds["Tichu"]["said_yes"] == 0
    assert kinds["Tichu"]["yes"] < 0.05
    assert f"{kinds['all']['top1']:.1%}" in text


def test_what_comes_out_plays_and_says_where_it_comes_from(recording: Path, tmp_path: Path) -> None:
    imitate(recording, "--epochs", 0.1, "--net", "16x1", "--seed", 1, "--out", tmp_path)
    file = tmp_path / "policy.npz"
    sheet = Weights.load(file).sheet
    assert (sheet["kind"], sheet["net"]) == ("behavior", "16x1")
    assert sheet["data"]["files"] == ["habit.rounds"]
    assert sheet["data"]["training"]["rounds"] + sheet["data"]["validation"]["rounds"] == 600
    assert set(sheet["accuracy"]) <= {*ASKS, "all"}
    agents = [BehaviorAgent("", file=str(file)) for _ in range(4)]
    round = play_round(Round.random(1), agents)
    assert len(round.finished) >= 2
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == []  # the shards have gone


def test_the_same_seed_is_the_same_training(recording: Path, tmp_path: Path) -> None:
    for name, seed in (("one", 3), ("other", 3), ("different", 4)):
        imitate(recording, "--epochs", 0.3, "--net", "16x1", "--seed", seed, "--out", tmp_path / name)
    one, other, different = (Weights.load(tmp_path / name / "policy.npz") for name in ("one", "other", "different"))
    assert np.array_equal(one.inputs, other.inputs)
    assert np.array_equal(one.outputs, other.outputs)
    assert not np.array_equal(one.inputs, different.inputs)


def test_real_games_are_learned_from(tmp_path: Path) -> None:
    samples = ROOT / "tests" / "data" / "bsw"
    text = imitate(samples, "--epochs", 3, "--validation", 0.3, "--net", "32x1", "--seed", 1, "--out", tmp_path)
    assert lines(tmp_path, "start")[0]["data"]["training"]["games"] > 3
    losses = [line["kinds"]["all"]["log_loss"] for line in lines(tmp_path, "assessment")]
    assert losses[-1] < losses[0]
    assert "card to the partner" in text


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("nowhere.jsonl",), "There is no nowhere.jsonl"),
        ((ROOT / "pyproject.toml",), "there is no round to learn from"),
        ((ROOT / "tests/data/bsw/900001.tch",), "games are too few"),
        ((ROOT / "tests/data/bsw", "--validation", 1), "--validation must be"),
        ((ROOT / "tests/data/bsw", "--epochs", 0), "--epochs must be"),
        ((ROOT / "tests/data/bsw", "--net", "3"), "--net: a size is"),
        ((ROOT / "tests/data/bsw", "--min-elo", 1500), "nobody is known to have an Elo of 1500"),
    ],
)
def test_what_cannot_be_learned_from_is_said(arguments: tuple[object, ...], complaint: str, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=complaint):
        imitate(*arguments, "--out", tmp_path / "out")


def test_who_interrupts_while_files_are_read_is_told_that_nothing_was_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gathering(*arguments: Any, show: Any, **options: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return gather(*arguments, show=show, **options)

    monkeypatch.setattr("arena.learning.management.imitate.gather", gathering)
    log, said = str(ROOT / "tests" / "data" / "bsw" / "900001.tch"), StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("train_agent", "imitate", log, "--out", str(tmp_path), "--threads", "1", stderr=said)
    assert left.value.code == 128 + signal.SIGINT
    assert said.getvalue().splitlines()[-1] == "Interrupted. Nothing was learned."
    assert TrainingRun.objects.get().state == TrainingRun.State.INTERRUPTED


def test_the_database_has_what_the_file_says_about_itself(recording: Path, tmp_path: Path) -> None:
    options = ("--epochs", "0.1", "--net", "16x1", "--threads", "1", "--device", "cpu", "--out", str(tmp_path))
    call_command("train_agent", "imitate", str(recording), *options, stdout=StringIO(), stderr=StringIO())
    run = TrainingRun.objects.get()
    assert run.sheet == Weights.load(tmp_path / "policy.npz").sheet
    assert run.sheet["accuracy"]["all"]["count"] > 0


# --- assessment -------------------------------------------------------------------------------------------------------


def test_a_tally_counts_what_was_foretold(recording: Path) -> None:
    """Whoever spreads evenly is right by chance, and exactly as often as he says."""
    with recording.open("rb") as file:
        frame = next(trajectories.read_frames(file))
    told, _ = decisions(frame.rounds[:50], frame.moves[: frame.rounds["moves"][:50].sum()])
    answers = Answers.of(torch.from_numpy(told.legal.view(np.int64)))
    counts = answers.sums(torch.ones(len(answers.ids)))
    tally = Tally()
    tally.add(told.asks, answers, -counts.log()[answers.rows], torch.from_numpy(told.ids))
    every = tally.kinds()["all"]
    assert every.count == len(told.ids)
    assert every.log_loss == pytest.approx(float(counts.log().mean()), rel=1e-5)
    assert every.top1 == 0  # another answer was as likely
    assert sum(bin.count for bin in every.bins) == every.count
    assert every.calibration_error == pytest.approx(float((1 / counts).mean()), rel=1e-5)
    assert tally.kinds()["grand Tichu"].yes == pytest.approx(0.5)
