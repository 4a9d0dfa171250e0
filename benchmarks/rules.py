"""How fast the rules are: ``python -m benchmarks.rules`` prints the table of docs/benchmarks.md.

Random play of whole rounds, measured against a yardstick in C that is compiled here and runs in alternation, so that
both see the same machine. All times are CPU time; a figure is the median of the passes.
"""

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from statistics import mean, median
from types import ModuleType
from typing import NamedTuple

from games.tichu import _core
from games.tichu._core import DONE, DRAGON, SINGLE, WISH, Round
from games.tichu.cards import each

PASSES = 7
ROUNDS = 50_000  # in a pass of the compiled kernel
INTERPRETED_ROUNDS = 300
PYTHON_ROUNDS = 1_000
POSITIONS = 1_000
IMPORTS = 7
YARDSTICK = Path(__file__).parent / "yardstick" / "kernel.c"
BUILD = Path("build")


class Speed(NamedTuple):
    """One pass: per CPU-second."""

    rounds: float
    decisions: float


class Row(NamedTuple):
    """A line of the table; ``met`` says whether the figure is as wanted, None that nothing is wanted."""

    what: str
    figure: str
    wanted: str = ""
    met: bool | None = None

    def __str__(self) -> str:
        missed = " (missed)" if self.met is False else ""
        return f"| {self.what} | {self.figure} | {self.wanted}{missed} |"


def main() -> None:
    print("| rules | figure | wanted |\n|---|---|---|")
    for measure in (random_play, interpreted_play, play_from_python, following_a_single, import_cost):
        for row in measure():
            print(row, flush=True)


# --- random play ------------------------------------------------------------------------------------------------------


def random_play() -> Iterable[Row]:
    """Compiled, pass by pass in turn with the yardstick."""
    if not is_compiled():
        yield Row("compiled", "not compiled here")
        return
    yardstick = compile_yardstick()
    if not yardstick:
        yield Row("yardstick in C", "no C compiler here")
    own, theirs = [], []
    for number in range(PASSES):
        own.append(speed_of(_core, ROUNDS, seed=number))
        if yardstick:
            theirs.append(run_yardstick(yardstick))
    yield speed_row("compiled, random play", own)
    if yardstick:
        yield speed_row("yardstick in C, random play", theirs)
        ratio = median(mine.decisions / other.decisions for mine, other in zip(own, theirs, strict=True))
        yield Row("compiled to yardstick, decisions", f"{ratio:.2f}", "≥ 0.85", ratio >= 0.85)


def interpreted_play() -> Iterable[Row]:
    passes = [speed_of(interpreted_core(), INTERPRETED_ROUNDS, seed=number) for number in range(PASSES)]
    rounds = median(speed.rounds for speed in passes)
    yield speed_row("interpreted, random play", passes)._replace(wanted="≥ 600 rounds/s", met=rounds >= 600)


def speed_of(kernel: ModuleType, rounds: int, seed: int) -> Speed:
    start = time.process_time()
    _, decisions = kernel.random_rounds(seed, rounds)
    seconds = time.process_time() - start
    return Speed(rounds / seconds, decisions / seconds)


def speed_row(what: str, passes: list[Speed]) -> Row:
    rounds = median(speed.rounds for speed in passes)
    decisions = median(speed.decisions for speed in passes)
    return Row(what, f"{rounds:,.0f} rounds/s, {decisions:,.0f} decisions/s")


def compile_yardstick() -> Path | None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not compiler:
        return None
    BUILD.mkdir(exist_ok=True)
    program = BUILD / "yardstick"
    subprocess.run([compiler, "-O3", "-w", "-o", program, YARDSTICK], check=True)
    return program


def run_yardstick(program: Path) -> Speed:
    printed = subprocess.run([program.resolve(), str(ROUNDS)], check=True, capture_output=True, text=True).stdout
    rounds, decisions, seconds, _ = map(float, printed.split())
    return Speed(rounds / seconds, decisions / seconds)


def is_compiled() -> bool:
    return not str(_core.__file__).endswith(".py")


def interpreted_core() -> ModuleType:
    """The kernel's file as Python."""
    spec = spec_from_file_location("interpreted_core", Path(_core.__file__).parent / "_core.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- from Python ------------------------------------------------------------------------------------------------------


def play_from_python() -> Iterable[Row]:
    """Random play in which every decision is one of Python, from a list of plays that the kernel made for it."""
    rates = []
    for _ in range(PASSES):
        start = time.process_time()
        for seed in range(PYTHON_ROUNDS):
            play_round(Round.random(seed), random.random)
        rates.append(PYTHON_ROUNDS / (time.process_time() - start))
    rate = median(rates)
    row = Row("each decision from Python", f"{rate:,.0f} rounds/s")
    yield row._replace(wanted="≥ 8,000 rounds/s", met=rate >= 8000) if is_compiled() else row


def play_round(round: Round, chance: Callable[[], float]) -> None:
    for seat in range(4):
        round.decide_grand(seat, chance() < 0.05)
    for seat in range(4):
        hand = list(each(round.hand(seat)))
        round.give(seat, *random.sample(hand, 3))
    while round.phase != DONE:
        if round.phase == WISH:
            round.make_wish(2 + int(chance() * 13))
        elif round.phase == DRAGON:
            round.give_dragon((round.turn + 1 + 2 * int(chance() * 2)) % 4)
        elif not bombed(round, chance):
            take_turn(round, chance)


def bombed(round: Round, chance: Callable[[], float]) -> bool:
    """Asks who may bomb out of turn; whether somebody did."""
    bombers = round.bombers()
    waits = round.turn == round.owner
    for seat in range(4) if bombers else ():
        if bombers >> seat & 1 and (waits or seat != round.turn):
            bombs = round.bombs(seat)
            choice = int(chance() * (3 * len(bombs) + 3))
            if choice < len(bombs):
                round.play(seat, *bombs[choice])
                return True
    return False


def take_turn(round: Round, chance: Callable[[], float]) -> None:
    seat = round.turn
    if seat == round.owner:
        round.take()
        return
    plays = round.legal_plays()
    cards, meta = plays[int(chance() * len(plays))]
    round.play(seat, cards, meta)


def following_a_single() -> Iterable[Row]:
    """``legal_plays`` of random hands on random singles, the list included."""
    rng = random.Random(1)
    positions: list[tuple[int, int, int, int]] = []
    while len(positions) < POSITIONS:
        hand = list(each(Round.random(len(positions)).fourteen(0)))
        some = sum(rng.sample(hand, rng.randint(1, 14)))
        positions.append((some, SINGLE << 16 | 1 << 8 | 2 * rng.randint(1, 14), 0, _core.HOUSE))
    times = []
    for _ in range(PASSES):
        start = time.process_time()
        for _ in range(20):
            for position in positions:
                _core.legal_plays(*position)
        times.append((time.process_time() - start) / (20 * POSITIONS) * 1e6)
    listed = mean(len(_core.legal_plays(*position)) for position in positions)
    row = Row(f"`legal_plays` on a single, {listed:.1f} plays on average", f"{median(times):.2f} µs")
    yield row._replace(wanted="≤ 1 µs", met=median(times) <= 1) if is_compiled() else row


# --- import -----------------------------------------------------------------------------------------------------------

IMPORT = """
import time
def pages():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])
import games.tichu
before, start = pages(), time.perf_counter()
import games.tichu._core
print(time.perf_counter() - start, (pages() - before) * 4096)
"""


def import_cost() -> Iterable[Row]:
    """What the compiled module alone adds to a process."""
    if not is_compiled() or not Path("/proc/self/statm").exists():
        return
    runs = [
        subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True, text=True).stdout
        for _ in range(IMPORTS)
    ]
    seconds, size = (median(column) for column in zip(*(map(float, run.split()) for run in runs), strict=True))
    yield Row("import, time", f"{seconds * 1e3:.1f} ms", "≤ 20 ms", seconds <= 0.02)
    yield Row("import, memory", f"{size / 2**20:.1f} MiB", "≤ 5 MiB", size <= 5 * 2**20)


if __name__ == "__main__":
    main()
