"""Processes that play: in order, at once gone, never left behind."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from select import select

import pytest

from arena import executors
from arena.executors import AHEAD, PLAYING, ExecutorError, Pool, _Child, own_code, usable_cores
from arena.jobs import Job
from arena.playing import play_batch
from arena.tally import BatchResult, Tally, Timing
from arena.teams import UnknownAgent
from tests.arena.commands import until
from tests.server import ROOT

JOB = Job(teams=("random", "random:calls=false"), unit="rounds", pairs=25, batch_pairs=2, seed=3)
LONG = Job(teams=("random", "random"), unit="rounds", pairs=10**6, batch_pairs=10, seed=1)  # 100,000 batches


# --- what the processes play instead of rounds: they find it by its name ----------------------------------------------


def slow_first(job: Job, number: int) -> BatchResult:
    if number == 0:
        time.sleep(1.5)
    return empty(job, number)


def held(job: Job, number: int) -> BatchResult:
    """Batch 0 waits for a file, which the first team names."""
    while number == 0 and not Path(job.teams[0]).exists():
        time.sleep(0.01)
    return empty(job, number)


def endless(job: Job, number: int) -> BatchResult:
    os.write(2, b"%d\n" % os.getpid())
    while True:
        pass


def tells_process(job: Job, number: int) -> BatchResult:
    return BatchResult(number, Tally(rounds=os.getpid()), Timing())


def dies_once(job: Job, number: int) -> BatchResult:
    """In batch 3, when it is played for the first time; the first team is a file of what was played."""
    played = Path(job.teams[0])
    with played.open("a") as file:
        file.write(f"{number} ")
    if number == 3 and played.read_text().split().count("3") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return empty(job, number)


def dies(job: Job, number: int) -> BatchResult:
    if number == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    return empty(job, number)


def dies_after_a_fork(job: Job, number: int) -> BatchResult:
    """What it forked has the same connection."""
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    os.kill(os.getpid(), signal.SIGKILL)
    return empty(job, number)


class LonelyError(Exception):
    """It cannot be made again from its text: not every exception can be sent."""

    def __init__(self, one: int, other: int) -> None:
        super().__init__("lonely")


def raises(job: Job, number: int) -> BatchResult:
    if number == 2:
        raise KeyError("two")
    if number == 4:
        raise LonelyError(1, 2)
    return empty(job, number)


def empty(job: Job, number: int) -> BatchResult:
    return BatchResult(number, Tally(), Timing())


def imported(job: Job, number: int) -> BatchResult:
    play_batch(job, number)
    return BatchResult(number, Tally(), Timing(), " ".join(sys.modules).encode())


# --- helpers ----------------------------------------------------------------------------------------------------------


def numbers(pool: Pool, job: Job = JOB) -> list[int]:
    return [result.number for result in pool.results(job, 0) if result]


def memory() -> int:
    """Of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def is_alive(process: int) -> bool:
    """Whether it still runs; nobody waits for an orphan's corpse in a container."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


# --- results ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_number_of_processes_changes_nothing(workers: int) -> None:
    """Issue 3, 1: same seed, same result, whatever the number of workers."""
    with Pool(workers) as pool:
        tallies = [result.tally for result in pool.results(JOB, 0) if result]
    assert tallies == [play_batch(JOB, number).tally for number in range(13)]


def test_a_run_goes_on_with_its_first_batch_that_is_missing() -> None:
    """Issue 3, 1: a second run with the same name resumes."""
    with Pool(2, empty) as pool:
        assert [result.number for result in pool.results(JOB, 10) if result] == [10, 11, 12]


def test_results_come_in_order_and_none_while_there_are_none() -> None:
    """The contract of Executor: whoever waits can show that it is alive."""
    with Pool(2, slow_first) as pool:
        results = list(pool.results(JOB, 0))
    assert results[0] is None
    assert [result.number for result in results if result] == list(range(13))


def test_only_a_few_batches_are_on_their_way(tmp_path: Path) -> None:
    """Issue 3, 2: memory is bounded; the first batch holds up all others here."""
    job = Job(teams=(str(tmp_path / "go"), "random"), unit="rounds", pairs=100, batch_pairs=2, seed=3)
    with Pool(2, held) as pool:
        submitted: list[int] = []
        play = pool._children.play
        pool._children.play = lambda job, number: submitted.append(number) or play(job, number)  # type: ignore[method-assign,func-returns-value]
        results = pool.results(job, 0)
        assert next(results) is None
        until(lambda: len(submitted) >= 2 * AHEAD)
        assert next(results) is None
        assert sorted(submitted) == list(range(2 * AHEAD))
        (tmp_path / "go").touch()
        assert [result.number for result in results if result] == list(range(50))


@pytest.mark.slow
def test_memory_is_flat_over_many_batches() -> None:
    """Issue 3, 2: peak memory of a run of 1,000,000 rounds is bounded."""
    with Pool(2, empty) as pool:
        results = pool.results(LONG, 0)
        assert len(list(islice(results, 1000))) == 1000
        before = memory()
        assert sum(1 for _ in islice(results, 20_000)) == 20_000
        assert memory() - before < 4 * 2**20
        results.close()


def test_a_pool_plays_one_job_after_the_other_in_the_same_processes() -> None:
    """rate_agents plays many pairings: processes are started once."""
    with Pool(1, tells_process) as pool:
        processes = {result.tally.rounds for _ in range(2) for result in pool.results(JOB, 0) if result}
    assert len(processes) == 1


def test_the_processes_import_neither_django_nor_dask() -> None:
    """Issue 3, 2: start-up takes little."""
    with Pool(1, imported) as pool:
        result = next(filter(None, pool.results(JOB, 0)))
    modules = result.trajectories.decode().split()
    assert "games.tichu.agents.random" in modules
    assert not {"django", "dask", "distributed"} & set(modules)


def test_all_that_they_import_of_the_arena_belongs_to_its_code() -> None:
    """A run that goes on with other code would be two; where it is played makes no difference."""
    with Pool(1, imported) as pool:
        result = next(filter(None, pool.results(JOB, 0)))
    modules = {name.removeprefix("arena.") for name in result.trajectories.decode().split() if name[:6] == "arena."}
    assert modules - {"executors"} <= set(PLAYING)


@pytest.mark.parametrize(
    ("file", "counts"),
    [("games/tichu/_core.pxd", True), ("arena/watching.py", True), ("arena/models.py", False)],
)
def test_the_code_is_what_decides_the_results(
    file: str, counts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C types too: a number that is narrower runs over earlier."""
    for package in ("arena", "games"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    monkeypatch.setattr(executors, "__file__", str(tmp_path / "arena/executors.py"))
    before = own_code()
    with (tmp_path / file).open("a") as source:
        source.write("# changed\n")
    assert (own_code() != before) == counts


def test_there_are_cores() -> None:
    """The default number of workers."""
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)


# --- deaths and errors ------------------------------------------------------------------------------------------------


def test_only_the_batch_of_a_killed_process_is_played_again(tmp_path: Path) -> None:
    """Issue 3, 3: a killed worker costs only its running batch."""
    played = tmp_path / "played"
    job = Job(teams=(str(played), "random"), unit="rounds", pairs=25, batch_pairs=2, seed=3)
    with Pool(2, dies_once) as pool:
        assert numbers(pool, job) == list(range(13))
    assert sorted(map(int, played.read_text().split())) == sorted([*range(13), 3])


def test_processes_killed_from_outside_change_nothing() -> None:
    """Issue 3, 3: every batch present exactly once."""
    job = Job(teams=("random", "random"), unit="rounds", pairs=400, batch_pairs=10, seed=3)
    with Pool(2) as pool:
        results = []
        for result in pool.results(job, 0):
            if result:
                results.append(result)
                if len(results) % 10 == 5:
                    os.kill(next(iter(pool._children._all))._process.pid, signal.SIGKILL)
    assert [result.tally for result in results] == [play_batch(job, number).tally for number in range(40)]


def test_a_batch_that_kills_every_process_is_named() -> None:
    """An agent's extension may crash; the batches before are there."""
    with Pool(2, dies) as pool:
        results = pool.results(JOB, 0)
        assert [result.number for result in islice(filter(None, results), 3)] == [0, 1, 2]
        with pytest.raises(ExecutorError, match=r"batch 3 \(pairs 6 to 7 of random .*\) .* 3 times: killed by SIGSEGV"):
            next(filter(None, results))


def test_a_process_that_leaves_a_fork_behind_is_dead_all_the_same() -> None:
    """An agent may start processes; they hold what its own held, the connection too."""
    start = time.monotonic()
    with Pool(1, dies_after_a_fork) as pool, pytest.raises(ExecutorError, match="3 times: killed by SIGKILL"):
        numbers(pool)
    assert time.monotonic() - start < 15


def test_a_process_that_had_nothing_to_play_for_long_ends_and_costs_no_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that was killed leaves none on the workers of Dask."""
    monkeypatch.setattr(executors, "IDLE_S", 0.2)
    with Pool(1, tells_process) as pool:
        first = next(filter(None, pool.results(JOB, 12))).tally.rounds
        assert select([os.pidfd_open(first)], [], [], 10)[0]  # all its threads have ended, and not the main one alone
        monkeypatch.setattr(executors, "IDLE_S", 60)  # of the next one, which a busy machine may keep waiting
        monkeypatch.setattr(executors, "ATTEMPTS", 1)
        assert next(filter(None, pool.results(JOB, 12))).tally.rounds != first


def test_the_number_of_a_process_that_was_waited_for_is_not_its_own_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """waitpid(2): from then on another process may get it."""
    child = _Child(empty)
    child.end()
    monkeypatch.setattr(os, "killpg", lambda *_: pytest.fail("killed somebody else"))
    assert child.end() == "killed by SIGKILL"


def test_an_exception_comes_as_it_was_raised_and_in_its_turn() -> None:
    """Whoever finds a bug sees the traceback of the process, too."""
    with Pool(2, raises) as pool:
        results = pool.results(JOB, 0)
        assert [result.number for result in islice(filter(None, results), 2)] == [0, 1]
        with pytest.raises(KeyError, match="two") as caught:
            next(filter(None, results))
    assert "in raises" in caught.value.__notes__[0]


def test_an_exception_that_cannot_be_sent_comes_as_its_traceback() -> None:
    """Its class says how it was made, not how it is made again."""
    with Pool(1, raises) as pool, pytest.raises(RuntimeError, match=r"LonelyError: lonely"):
        next(filter(None, pool.results(JOB, 4)))


def test_an_agent_that_does_not_exist_is_an_error_at_once() -> None:
    """The contract of play_batch."""
    job = Job(teams=("random", "nobody"), unit="rounds", pairs=25, batch_pairs=2, seed=3)
    with Pool(2) as pool, pytest.raises(UnknownAgent, match="nobody"):
        numbers(pool, job)


# --- the end ----------------------------------------------------------------------------------------------------------

ENDLESS = """
import sys
from arena.executors import Pool
from tests.arena.test_executors import JOB, endless
with Pool(2, endless) as pool:
    try:
        for result in pool.results(JOB, 0):
            pass
    except KeyboardInterrupt:
        sys.exit("interrupted")
"""


def start_endless() -> tuple[subprocess.Popen[str], list[int]]:
    """A program whose processes never come to an end, in a process group of its own as a shell has it.

    :result: the program and the ids of its two processes.
    """
    program = subprocess.Popen(
        [sys.executable, "-c", ENDLESS],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    assert program.stderr
    return program, [int(program.stderr.readline()) for _ in range(2)]


def test_leaving_ends_what_still_plays() -> None:
    """The stop rule has spoken, or somebody has lost patience."""
    with Pool(2, endless) as pool:
        assert next(pool.results(JOB, 0)) is None
        processes = [child._process.pid for child in pool._children._all]
        assert [is_alive(process) for process in processes] == [True, True]
        start = time.monotonic()
    assert time.monotonic() - start < 15
    assert [is_alive(process) for process in processes] == [False, False]


def test_ctrl_c_is_for_the_run_and_not_for_its_processes() -> None:
    """Issue 3, 1: Ctrl-C ends cleanly; a terminal sends it to the whole process group."""
    program, processes = start_endless()
    os.killpg(program.pid, signal.SIGINT)
    _, errors = program.communicate(timeout=15)
    assert errors == "interrupted\n"
    assert [is_alive(process) for process in processes] == [False, False]


def test_no_process_survives_a_run_that_is_killed() -> None:
    """Even in the middle of a batch that never ends."""
    program, processes = start_endless()
    program.kill()
    program.communicate(timeout=15)
    until(lambda: not any(map(is_alive, processes)))
