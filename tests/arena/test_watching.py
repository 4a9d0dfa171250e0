"""Agents that do what they should not, and what becomes of it. Each test runs compiled and interpreted."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from arena import watching
from games.tichu import _core
from games.tichu._core import Round
from games.tichu.agents.random import RandomAgent
from games.tichu.cards import DOG, hand_order, label, parse
from games.tichu.notation import actions_of
from games.tichu.rules import RuleSet
from games.tichu.simulate import play_round
from games.tichu.states import PrivateState, PublicState
from tests.arena.examples import check_examples
from tests.games.tichu.interpreted import without_compiler
from tests.games.tichu.tables import act, dealt, exchanged, table

HANDS = ("S3 S8 SK", "B9 BK", "BA B4", "G9 GK")


INTERPRETED = without_compiler(watching)


@pytest.fixture(params=[watching, INTERPRETED], ids=["compiled", "interpreted"])
def module(request: pytest.FixtureRequest) -> ModuleType:
    request.param.told.clear()
    return request.param


class Obstinate(RandomAgent):
    """Answers each question by one function."""

    def __init__(self, answer: Callable[..., Any]) -> None:
        super().__init__("obstinate", Random(1))
        for decision in ("announce", "schupf", "play", "bomb", "wish", "choose_dragon_recipient"):
            setattr(self, decision, answer)


class Seat:
    """A watched agent on a seat of a round, which answers all questions in one way.

    :param limit: seconds.
    """

    def __init__(self, module: ModuleType, round: Round, answer: Any, limit: float = 30, seat: int = 0) -> None:
        self.alarm = module.Alarm()
        self.agent = module.Watched(
            Obstinate(answer if callable(answer) else lambda *_, **__: answer), limit, self.alarm
        )
        self.moves: list[Any] = []
        self.agent.sit(round, seat, self.moves)
        self.windows = PublicState(round), PrivateState(round, seat)

    def __getattr__(self, decision: str) -> Callable[..., Any]:
        return lambda **options: getattr(self.agent, decision)(*self.windows, **options)

    @property
    def faults(self) -> tuple[int, int, int]:
        """Raised, illegal, late."""
        behaviour = self.agent.behaviour()
        return behaviour.raised, behaviour.illegal, behaviour.late


def raises(error: BaseException) -> Callable[..., Any]:
    def answer(*_: Any, **__: Any) -> Any:
        raise error

    return answer


def follows() -> Round:
    """Seat 0 is to follow a single nine: it may pass or play the king."""
    return act(table(*HANDS, turn=3), "3: plays G9")


def in_phase(phase: int) -> Round:
    """A round in which seat 0 is to wish, or to give the dragon away."""
    round = table("Ma Dr SK S2", "B9 BK", "BA B4", "G9 GK")
    if phase == _core.WISH:
        return act(round, "0: plays Ma")
    return act(round, "0: plays Dr", "1: passes", "2: passes", "3: passes", "taken")


def test_examples() -> None:
    check_examples(INTERPRETED)


# --- legal answers ----------------------------------------------------------------------------------------------------


def test_a_legal_answer_goes_through(module: ModuleType) -> None:
    play = follows().legal_plays()[-1]
    seat = Seat(module, follows(), play)
    assert seat.play() == play
    assert seat.faults == (0, 0, 0)


def test_numbers_of_numpy_are_as_good(module: ModuleType) -> None:
    """And what is recorded are Python's own."""
    cards, meta = follows().legal_plays()[-1]
    seat = Seat(module, follows(), (np.int64(cards), np.int64(meta)))
    assert seat.play() == (cards, meta)
    assert type(seat.moves[0][2][0]) is int
    call = Seat(module, dealt(), np.bool_(True))
    assert call.announce(grand=True) is True
    assert (seat.faults, call.faults) == ((0, 0, 0), (0, 0, 0))


# --- illegal answers --------------------------------------------------------------------------------------------------

ILLEGAL_PLAYS = [
    None,
    7,
    "pass",
    (),
    (0,),
    (0, 0, 0),
    (0.0, 0.0),
    (0, 1),
    (1 << 70, 0),
    (-1, -1),
    (parse("S3"), _core.SINGLE << 16 | 1 << 8 | 6),  # does not beat the nine
    (parse("SA"), _core.SINGLE << 16 | 1 << 8 | 28),  # not in the hand
    (parse("SK"), _core.PAIR << 16 | 2 << 8 | 26),  # no pair
    np.zeros((3, 2)),
]


@pytest.mark.parametrize("answer", ILLEGAL_PLAYS, ids=str)
def test_an_illegal_play_becomes_a_pass(module: ModuleType, answer: Any) -> None:
    seat = Seat(module, follows(), answer)
    assert seat.play() == (0, 0)
    assert seat.faults == (0, 1, 0)


def test_a_pass_on_the_lead_becomes_the_first_legal_play(module: ModuleType) -> None:
    """Rules 3.5."""
    round = table(*HANDS)
    seat = Seat(module, round, (0, 0))
    assert seat.play() == round.legal_plays()[0] != (0, 0)
    assert seat.faults == (0, 1, 0)


def test_a_play_that_ignores_the_wish_is_illegal(module: ModuleType) -> None:
    """Rules 6.2."""
    round = act(table("S8 SK SA", "B9 BK", "BA B4", "Ma G9 GK", turn=3), "3: plays Ma", "3: wishes 8")
    seat = Seat(module, round, (0, 0))
    cards, _ = seat.play()
    assert cards == parse("S8")
    assert seat.faults == (0, 1, 0)


@pytest.mark.parametrize("answer", [None, "yes", 2, -1, (), np.array([True, False])], ids=str)
def test_what_is_neither_true_nor_false_is_no_call(module: ModuleType, answer: Any) -> None:
    seat = Seat(module, dealt(), answer)
    assert seat.announce(grand=True) is False
    assert seat.faults == (0, 1, 0)


def three_without_the_hand(round: Round) -> list[Any]:
    first, second, third, *_ = hand_order(round.hand(0))
    foreign = hand_order(round.hand(1))[0]
    return [
        None,
        (first, second),
        (first, second, third, third),
        (first, second, second),
        (first, second, 0),
        (first, second | third, 0),
        (first | second, third, third),
        (first, second, foreign),
        (first, second, -1),
        (float(first), second, third),
        "abc",
    ]


@pytest.mark.parametrize("number", range(11))
def test_an_exchange_of_anything_but_three_cards_of_the_hand_becomes_the_lowest(
    module: ModuleType, number: int
) -> None:
    """Rules 3.3."""
    round = dealt("Hu S2 S3 SA RA GA BA SK RK GK BK SD RD GD")
    for seat in range(4):
        round.decide_grand(seat, announced=False)
    seat = Seat(module, round, three_without_the_hand(round)[number])
    assert {label(card) for card in seat.schupf()} == {"Hu", "S2", "S3"}
    assert seat.faults == (0, 1, 0)


@pytest.mark.parametrize("answer", [(0, 0), 5, (parse("S7 R7 B7 B8"), _core.BOMB << 16 | 4 << 8 | 14)], ids=str)
def test_a_bomb_that_is_not_there_is_none(module: ModuleType, answer: Any) -> None:
    seat = Seat(module, act(table("S7 R7 B7 G7 S9", *HANDS[1:], turn=2), "2: plays B4"), answer)
    assert seat.bomb() is None
    assert seat.faults == (0, 1, 0)


@pytest.mark.parametrize(("required", "lowest"), [(True, 2), (False, 0)])
@pytest.mark.parametrize("answer", [1, 15, None, "8", -1])
def test_a_wish_that_is_none_becomes_the_lowest(module: ModuleType, required: bool, lowest: int, answer: Any) -> None:
    """Rules 6.1, 9."""
    rules = RuleSet(wish_required=required)
    round = exchanged("Ma", rules=rules)
    round.play(0, parse("Ma"), _core.SINGLE << 16 | 1 << 8 | 2)
    seat = Seat(module, round, answer)
    assert seat.wish() == lowest
    assert seat.faults == (0, 1, 0)
    assert seat.agent.behaviour().wishes[lowest] == 1


def test_no_wish_is_illegal_where_one_is_required(module: ModuleType) -> None:
    """Rules 9, ``wish_required``."""
    seat = Seat(module, in_phase(_core.WISH), 0)
    assert seat.wish() == 2
    assert seat.faults == (0, 1, 0)


@pytest.mark.parametrize("answer", [0, 2, 4, -1, None])
def test_a_dragon_for_no_opponent_goes_to_the_right(module: ModuleType, answer: Any) -> None:
    """Rules 8.1."""
    seat = Seat(module, in_phase(_core.DRAGON), answer)
    assert seat.choose_dragon_recipient() == 1
    assert seat.faults == (0, 1, 0)
    assert seat.agent.behaviour().dragon_right == 1


# --- agents that raise ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error", [ValueError(), SystemExit(3), RecursionError(), GeneratorExit(), KeyboardInterrupt()], ids=repr
)
def test_an_agent_that_raises_passes(module: ModuleType, error: BaseException) -> None:
    seat = Seat(module, follows(), raises(error))
    assert seat.play() == (0, 0)
    assert seat.faults == (1, 0, 0)


def test_ctrl_c_is_not_the_agents(module: ModuleType) -> None:
    """Of whoever plays in his own process; those of the executors get none."""
    seat = Seat(module, follows(), lambda *_: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt), module.ticking(seat.alarm, 0.01, 30):
        seat.play()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_the_first_fault_of_a_kind_is_told_with_its_traceback(
    module: ModuleType, caplog: pytest.LogCaptureFixture
) -> None:
    seat = Seat(module, follows(), raises(ValueError("my own mistake")))
    seat.agent.sit(follows(), 0, where="seed 5, pair 12, half 1, round 3")
    with caplog.at_level(logging.WARNING):
        seat.play()
        seat.play()
    assert caplog.text.count("my own mistake") == 1
    assert "seed 5, pair 12, half 1, round 3" in caplog.text
    assert seat.faults == (2, 0, 0)


def test_an_agent_that_cannot_clean_up_has_raised(module: ModuleType) -> None:
    seat = Seat(module, follows(), None)
    seat.agent.agent.cleanup = raises(OSError())
    seat.agent.cleanup()
    assert seat.faults == (1, 0, 0)


# --- agents that take too long ----------------------------------------------------------------------------------------


def test_a_late_answer_does_not_count(module: ModuleType) -> None:
    play = follows().legal_plays()[-1]
    seat = Seat(module, follows(), lambda *_: time.sleep(0.01) or play, limit=0.005)
    assert seat.play() == (0, 0)
    assert seat.faults == (0, 0, 1)


def forever(*_: Any) -> None:
    while True:
        pass


def forgives_everything(*_: Any) -> None:
    while True:
        try:
            forever()
        except Exception:
            pass


@pytest.mark.parametrize("answer", [forever, forgives_everything, lambda *_: time.sleep(60)])
def test_an_agent_that_hangs_is_interrupted(module: ModuleType, answer: Callable[..., Any]) -> None:
    seat = Seat(module, follows(), answer, limit=0.05)
    start = time.perf_counter()
    with module.ticking(seat.alarm, 0.01, 0.05):
        assert seat.play() == (0, 0)
    assert time.perf_counter() - start < 10
    assert seat.faults == (0, 0, 1)


def test_a_cleanup_that_hangs_is_interrupted(module: ModuleType) -> None:
    seat = Seat(module, follows(), None, limit=0.05)
    seat.agent.agent.cleanup = forever
    with module.ticking(seat.alarm, 0.01, 0.05):
        seat.agent.cleanup()
    assert seat.faults == (1, 0, 0)


def patient(*_: Any) -> None:
    """Catches the interruption, and takes some more time."""
    try:
        forever()
    except BaseException:
        time.sleep(0.3)


def test_an_agent_that_ends_after_its_interruption_may_be_late_again(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who was about to end the process is told to wait anew."""
    monkeypatch.setattr(module, "PATIENCE", 0.5)
    seat = Seat(module, follows(), patient, limit=0.05)
    with module.ticking(seat.alarm, 0.01, 0.05):
        seat.play()
        seat.play()
        time.sleep(0.6)
    assert seat.faults == (0, 0, 2)


HANGING = """
import itertools, sys, time
from games.tichu.agents.random import RandomAgent

class Stubborn(RandomAgent):
    def play(self, public, private):
        while True:
            try:
                time.sleep(0.01)
            except BaseException:
                pass

class Foreign(RandomAgent):
    def play(self, public, private):
        sum(itertools.repeat(1))  # does not come back to the interpreter

if __name__ == "__main__":
    from arena import playing, watching
    from arena.jobs import Job
    watching.PATIENCE = 2
    team = f"hanging.{sys.argv[1]}:limit=0.1"
    playing.play_batch(Job(teams=(team, team), unit="rounds", pairs=1, batch_pairs=1, seed=1), 0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["Stubborn", "Foreign"])
def test_an_agent_that_cannot_be_interrupted_ends_its_process_and_is_shown(tmp_path: Path, agent: str) -> None:
    """With its stack, so that one sees where it hangs."""
    (tmp_path / "hanging.py").write_text(HANGING)
    ended = subprocess.run(
        [sys.executable, tmp_path / "hanging.py", agent],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert "hanging.py" in ended.stderr
    assert "in play" in ended.stderr
    assert ("goes on although it is interrupted" in ended.stderr) == (agent == "Stubborn")


def test_the_alarm_rings_only_while_a_decision_is_over_its_limit(module: ModuleType) -> None:
    seat = Seat(module, follows(), (0, 0), limit=0.05)
    with module.ticking(seat.alarm, 0.001, 0.05):
        seat.play()
        time.sleep(0.1)
    assert seat.faults == (0, 0, 0)


def test_who_used_the_timer_before_gets_it_back(module: ModuleType) -> None:
    def handler(*_: Any) -> None: ...

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        with module.ticking(module.Alarm(), 0.01, 30):
            assert signal.getsignal(signal.SIGALRM) is not handler
        assert signal.getsignal(signal.SIGALRM) is handler
        assert 900 < signal.getitimer(signal.ITIMER_REAL)[0] <= 1000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_in_another_thread_decisions_are_measured_when_they_are_over(module: ModuleType) -> None:
    seat = Seat(module, follows(), lambda *_: time.sleep(0.05), limit=0.01)

    def play() -> None:
        with module.ticking(seat.alarm, 0.001, 0.05):
            seat.play()

    thread = threading.Thread(target=play)
    thread.start()
    thread.join()
    assert seat.faults == (0, 0, 1)


# --- what is counted --------------------------------------------------------------------------------------------------


def test_each_question_is_a_decision_with_its_time(module: ModuleType) -> None:
    seat = Seat(module, follows(), lambda *_: time.sleep(0.002) or (0, 0))
    seat.play()
    seat.play()
    assert seat.agent.behaviour().decisions == 2
    assert min(seat.agent.timing()) >= 8 * np.log2(2_000_000) - 1


def test_moves_are_recorded_as_they_were_made(module: ModuleType) -> None:
    """A call only where there is one, and what took the place of an illegal answer."""
    seat = Seat(module, follows(), False)
    seat.announce()
    seat.play()
    assert seat.moves == [(0, "play", (0, 0))]


def test_plays_passes_bombs_and_tricks_are_counted(module: ModuleType) -> None:
    """Against a count of the round itself, from its moves; the dog leads no trick (rules 4.11)."""
    plays = passes = bombs = tricks = 0
    for seed in range(40):
        agents = [module.Watched(RandomAgent(str(seat), Random(seat)), 30, module.Alarm()) for seat in range(4)]
        round, moves = Round.random(seed), []
        for seat, agent in enumerate(agents):
            agent.sit(round, seat, moves)
        play_round(round, agents)
        made = [(seat, *answer) for seat, decision, answer in moves if decision in ("play", "bomb")]
        behaviour = [agent.behaviour() for agent in agents]
        for seat in range(4):
            assert behaviour[seat].plays == sum(who == seat and cards > 0 for who, cards, _ in made)
            assert behaviour[seat].passes == sum(who == seat and not cards for who, cards, _ in made)
        assert sum(one.bombs for one in behaviour) == sum(meta >> 16 == _core.BOMB for *_, meta in made)
        assert sum(agent.tricks for agent in agents) == tricks_of(Round.random(seed), moves)
        plays += sum(one.plays for one in behaviour)
        passes += sum(one.passes for one in behaviour)
        bombs += sum(one.bombs for one in behaviour)
        tricks += sum(agent.tricks for agent in agents)
    assert min(plays, passes, bombs, tricks) > 0


def tricks_of(round: Round, moves: list[Any]) -> int:
    """The tricks that are taken, and the one that is open when the round ends."""
    taken = sum(action["action"] == "take" for _, action in actions_of(round, moves))
    last = [answer[0] for _, decision, answer in moves if decision in ("play", "bomb") and answer[0]][-1]
    return taken + (last != DOG)
