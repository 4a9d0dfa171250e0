"""How fast the arena is: ``python -m benchmarks.arena`` prints the table of docs/benchmarks.md.

The batch driver runs in turn with the kernel alone and with the yardstick in C, so that all see the same machine. A
figure is the median of the passes.
"""

import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from arena.batch import Batch
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

TABLES = 1024
THREADS = 2
DECISIONS = 2_000_000  # in a pass with observations, of each thread


def main() -> None:
    print("| arena | figure | wanted |\n|---|---|---|")
    for measure in (random_rounds, observed_decisions):
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


if __name__ == "__main__":
    main()
