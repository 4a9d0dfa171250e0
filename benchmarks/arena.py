"""How fast the arena is: ``python -m benchmarks.arena`` prints the table of docs/benchmarks.md.

The batch driver runs in turn with the kernel alone and with the yardstick in C, two workers in turn with one, so that
all see the same machine. A figure is the median of the passes.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from arena.batch import Batch
from arena.executors import Pool
from arena.jobs import Job
from arena.playing import play_batch
from benchmarks.rules import (
    PASSES,
    ROUNDS,
    Row,
    Speed,
    compile_yardstick,
    is_compiled,
    run_yardstick,
    speed_of,
    speed_row,
)
from games.tichu import _core
from games.tichu.agents.agent import TichuAgent
from games.tichu.cards import hand_order
from games.tichu.states import Play, PrivateState, PublicState, Triple

TABLES = 1024
THREADS = 2
DECISIONS = 2_000_000  # in a pass with observations, of each thread
AGENT_PAIRS = 500  # in a pass between agents
WORKER_PAIRS = 8_000  # in a pass of one or two workers
STARTS = 5
LONG_ROUNDS = 1_000_000


def main() -> None:
    print("| arena | figure | wanted |\n|---|---|---|")
    for measure in (random_rounds, observed_decisions, agents, two_workers, start_up, memory):
        for row in measure():
            print(row, flush=True)


# --- the batch driver -------------------------------------------------------------------------------------------------


def random_rounds() -> Iterable[Row]:
    """Whole rounds in which every answer is one of the legal ones, by chance, per CPU-second."""
    if not is_compiled():
        yield Row("batch driver", "not compiled here")
        return
    yardstick = compile_yardstick()
    batches, kernel, theirs = [], [], []
    for number in range(PASSES):
        batches.append(batch_speed(ROUNDS, seed=number))
        kernel.append(speed_of(_core, ROUNDS, seed=number))
        if yardstick:
            theirs.append(run_yardstick(yardstick))
    if yardstick:
        yield speed_row("yardstick in C, random play", theirs)
    yield speed_row("kernel alone, random play", kernel)
    rounds = median(speed.rounds for speed in batches)
    yield speed_row("batch driver, random play", batches)._replace(wanted="≥ 60,000 rounds/s", met=rounds >= 60_000)
    ratio = median(mine.rounds / other.rounds for mine, other in zip(batches, kernel, strict=True))
    yield Row("batch driver to kernel, rounds", f"{ratio:.2f}")


def batch_speed(rounds: int, seed: int) -> Speed:
    batch = Batch(TABLES, seed)
    start = time.process_time()
    while batch.rounds < rounds:
        batch.step(batch.random_ids())
    seconds = time.process_time() - start
    return Speed(batch.rounds / seconds, batch.decisions / seconds)


def observed_decisions() -> Iterable[Row]:
    """Masks and observations of every decision, in two threads, per second on the wall."""
    if not is_compiled():
        return
    rates = []
    with ThreadPoolExecutor(THREADS) as threads:
        for _ in range(PASSES):
            start = time.perf_counter()
            decisions = sum(threads.map(observed, range(THREADS)))
            rates.append(decisions / (time.perf_counter() - start))
    rate = median(rates)
    row = Row(f"masks and observations, {THREADS} threads", f"{rate:,.0f} decisions/s")
    yield row._replace(wanted="≥ 1,000,000 decisions/s", met=rate >= 1_000_000)


def observed(seed: int) -> int:
    batch = Batch(TABLES, seed)
    while batch.decisions < DECISIONS:
        batch.observe()
        batch.step(batch.random_ids())
    return batch.decisions


# --- runs -------------------------------------------------------------------------------------------------------------


class HastyAgent(TichuAgent):
    """Plain Python that answers at once: what the arena itself costs."""

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        return False

    def schupf(self, public: PublicState, private: PrivateState) -> Triple:
        right, partner, left, *_ = hand_order(private.hand_cards)
        return right, partner, left

    def play(self, public: PublicState, private: PrivateState) -> Play:
        return private.legal_plays[-1]

    def bomb(self, public: PublicState, private: PrivateState) -> Play | None:
        return None

    def wish(self, public: PublicState, private: PrivateState) -> int:
        return 2

    def choose_dragon_recipient(self, public: PublicState, private: PrivateState) -> int:
        return (private.player_index + 1) % 4


def agents() -> Iterable[Row]:
    """Watched, counted and timed, in one process."""
    hasty = "benchmarks.arena.HastyAgent"
    rate = agent_speed(hasty, hasty)
    yield Row("an agent in plain Python against itself", f"{rate:,.0f} rounds/s", "≥ 4,000 rounds/s", rate >= 4000)
    for teams in ("random", "random"), ("rule", "random"), ("rule", "rule"):
        yield Row(f"`{teams[0]}` against `{teams[1]}`", f"{agent_speed(*teams):,.0f} rounds/s")


def agent_speed(*teams: str) -> float:
    """Rounds per CPU-second."""
    rates = []
    for seed in range(PASSES):
        job = Job(teams=(teams[0], teams[1]), unit="rounds", pairs=AGENT_PAIRS, batch_pairs=AGENT_PAIRS, seed=seed)
        result = play_batch(job, 0)
        rates.append(result.tally.rounds / result.timing.cpu_seconds)
    return median(rates)


def two_workers() -> Iterable[Row]:
    """The same job with one worker and with two, in turn, on the wall; starting them is part of it."""
    ratios = [run_seconds(1, seed) / run_seconds(2, seed) for seed in range(5)]
    yield Row("two workers to one", f"{median(ratios):.2f}", "≥ 1.7", median(ratios) >= 1.7)


def run_seconds(workers: int, seed: int) -> float:
    job = Job(teams=("random", "random"), unit="rounds", pairs=WORKER_PAIRS, batch_pairs=125, seed=seed)
    start = time.perf_counter()
    with Pool(workers) as pool:
        for _ in pool.results(job, 0):
            pass
    return time.perf_counter() - start


def start_up() -> Iterable[Row]:
    """The CPU time of the command for two rounds, all of its processes together."""
    command = [sys.executable, "manage.py", "run_arena", "random", "random", "--rounds", "2", "--no-save"]
    seconds = []
    for _ in range(STARTS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    yield Row("start-up of `run_arena`, CPU time", f"{median(seconds):.2f} s", "≤ 1.5 s", median(seconds) <= 1.5)


def memory() -> Iterable[Row]:
    """The most that any process of a long run has held, whose batches go into a database."""
    with tempfile.TemporaryDirectory() as directory:
        environment = {**os.environ, "DATABASE_URL": f"sqlite:///{directory}/db.sqlite3"}
        start = time.perf_counter()
        program = [sys.executable, "-c", PEAK, sys.executable, str(LONG_ROUNDS)]
        printed = subprocess.run(program, check=True, env=environment, capture_output=True, text=True).stdout
        seconds = time.perf_counter() - start
    peak = int(printed) / (2**20 if sys.platform == "darwin" else 2**10)
    what = f"{LONG_ROUNDS:,} rounds of `random` in {seconds:.0f} s on the wall, peak memory of a process"
    yield Row(what, f"{peak:.0f} MiB", "≤ 300 MiB", peak <= 300)


# A program of its own, since the system tells the largest of all that a process has started.
PEAK = """
import resource, subprocess, sys
python, rounds = sys.argv[1:]
subprocess.run([python, "manage.py", "migrate", "--verbosity", "0"], check=True)
command = [python, "manage.py", "run_arena", "random", "random", "--rounds", rounds]
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


if __name__ == "__main__":
    main()
