"""Dask: the same results as in the pool, whoever dies."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from distributed import LocalCluster, Status

from arena.executors import Dask, ExecutorError, Pool
from arena.jobs import Job
from arena.playing import play_batch
from arena.tally import BatchResult, Tally
from arena.teams import UnknownAgent
from tests.arena.commands import until
from tests.arena.test_executors import dies, endless, is_alive, raises
from tests.conftest import answers
from tests.server import ROOT

JOB = Job(teams=("rule", "random"), unit="rounds", pairs=25, batch_pairs=2, seed=3)
LONG = Job(teams=("rule", "random"), unit="rounds", pairs=600, batch_pairs=10, seed=3)

Start = Callable[..., subprocess.Popen[bytes]]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def children(process: int) -> list[int]:
    """All below a process."""
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread may end while we look
            for child in map(int, (task / "children").read_text().split()):
                found += [child, *children(child)]
    return found


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts ``dask …`` as a shell does; without a nanny, since it is the one to be killed."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        with (tmp_path / "log").open("ab") as log:
            process = subprocess.Popen(
                [str(Path(sys.executable).with_name("dask")), *arguments],
                cwd=environment.pop("cwd", ROOT),
                env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
                stdout=log,
                stderr=log,
                process_group=0,
            )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def scheduler_process(start: Start, port: int) -> subprocess.Popen[bytes]:
    process = start("scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard")
    until(lambda: answers(port))
    return process


@pytest.fixture
def scheduler(scheduler_process: subprocess.Popen[bytes], port: int) -> str:
    return f"tcp://127.0.0.1:{port}"


@pytest.fixture
def start_worker(start: Start, scheduler: str, tmp_path: Path) -> Start:
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path))
    return lambda **environment: start("worker", scheduler, *options, **environment)


def tallies(executor: Pool | Dask, job: Job) -> list[Tally]:
    return [result.tally for result in executor.results(job, 0) if result]


# --- a cluster of its own ---------------------------------------------------------------------------------------------


def test_a_local_cluster_plays_what_a_pool_plays() -> None:
    """Issue 3, 1: same seed, same result, whichever executor."""
    with Dask(2) as dask:
        assert dask.workers == 2
        assert tallies(dask, JOB) == [play_batch(JOB, number).tally for number in range(13)]


def test_a_run_goes_on_with_its_first_batch_that_is_missing() -> None:
    """Issue 3, 1: a second run with the same name resumes; also in the same cluster."""
    with Dask(2) as dask:
        for first in (10, 11):
            assert [result.number for result in dask.results(JOB, first) if result] == list(range(first, 13))


def test_an_exception_comes_as_it_was_raised_and_in_its_turn() -> None:
    """As from a pool."""
    with Dask(1, play=raises) as dask:
        results = filter(None, dask.results(JOB, 0))
        assert [next(results).number, next(results).number] == [0, 1]
        with pytest.raises(KeyError, match="two"):
            next(results)


def test_a_batch_that_kills_every_process_is_named() -> None:
    """As from a pool: agents that crash do no harm to a worker of Dask."""
    with Dask(1, play=dies) as dask, pytest.raises(ExecutorError, match=r"batch 3 .* 3 times: killed by SIGSEGV"):
        list(dask.results(JOB, 3))


def test_an_agent_that_does_not_exist_is_an_error_at_once() -> None:
    """Nothing is sent to the cluster."""
    job = Job(teams=("random", "nobody"), unit="rounds", pairs=25, batch_pairs=2, seed=3)
    with Dask(1) as dask, pytest.raises(UnknownAgent, match="nobody"):
        dask.results(job, 0)


def test_leaving_ends_what_still_plays() -> None:
    """As in a pool."""
    others = set(children(os.getpid()))
    with Dask(2, play=endless) as dask, closing(dask.results(JOB, 0)) as results:
        until(lambda: next(results) is None and len(set(children(os.getpid())) - others) == 2)
        processes = set(children(os.getpid())) - others
        start = time.monotonic()
    assert time.monotonic() - start < 15
    assert not any(map(is_alive, processes))


def test_a_cluster_that_does_not_come_up_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else its scheduler and its threads stay."""
    monkeypatch.setattr(Dask, "_count_workers", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError), Dask(1):
        pass
    assert {cluster.status for cluster in LocalCluster._instances} <= {Status.closed}


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """pyproject.toml: extra `cluster`."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ExecutorError, match=r"pip install .*\[cluster\]"):
        Dask(1)


def test_no_scheduler_is_an_error_after_some_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not after the half minute for which Dask would try."""
    monkeypatch.setattr("arena.executors.SCHEDULER_WAIT", 1)
    address = f"tcp://127.0.0.1:{free_port()}"
    begin = time.monotonic()
    with pytest.raises(ExecutorError, match=f"no scheduler answers at {address}: .*dask scheduler"), Dask(1, address):
        pass
    assert time.monotonic() - begin < 15


def test_an_address_that_is_none_is_an_error() -> None:
    """Addresses have a protocol and a port."""
    with pytest.raises(ExecutorError, match="no scheduler answers at here"), Dask(1, "here"):
        pass


# --- several machines -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_killed_worker_costs_only_what_it_was_playing(scheduler: str, start_worker: Start) -> None:
    """Issue 3, 3: over TCP with two workers, one of them killed with -9: every batch exactly once, as in the pool."""
    first, _ = start_worker(), start_worker()
    results: list[BatchResult] = []
    with Dask(1, scheduler) as dask:
        dask._client.wait_for_workers(2, timeout=20)
        for result in dask.results(LONG, 0):
            if result:
                results.append(result)
                if len(results) == 10:
                    playing = children(first.pid)
                    first.kill()
    assert len(playing) == 1
    until(lambda: not is_alive(playing[0]))  # it plays for nobody
    assert [result.number for result in results] == list(range(60))
    with Pool(2) as pool:
        assert [result.tally for result in results] == tallies(pool, LONG)


@pytest.mark.slow
def test_workers_that_come_later_play_too(scheduler: str, start_worker: Start) -> None:
    """Machines may come and go."""
    start_worker()
    with Dask(1, scheduler) as dask:
        assert dask.workers == 1
        start_worker()
        dask._client.wait_for_workers(2, timeout=20)
        assert len(tallies(dask, LONG)) == 60
        assert dask.workers == 2


@pytest.mark.slow
def test_workers_with_other_code_are_refused(scheduler: str, start_worker: Start, tmp_path: Path) -> None:
    """What they played would be another run."""
    for package in ("arena", "games"):
        shutil.copytree(ROOT / package, tmp_path / package)
    with (tmp_path / "games/tichu/agents/rule.py").open("a") as file:
        file.write("# better\n")
    start_worker(PYTHONPATH=str(tmp_path), cwd=str(tmp_path))
    with (
        Dask(1, scheduler) as dask,
        pytest.raises(ExecutorError, match=r"tcp://.* has another rule and another tichu than this machine"),
    ):
        dask.results(JOB, 0)


@pytest.mark.slow
def test_workers_with_other_code_that_come_later_are_refused(
    scheduler: str, start_worker: Start, tmp_path: Path
) -> None:
    """They were not there when the run began."""
    for package in ("arena", "games"):
        shutil.copytree(ROOT / package, tmp_path / package)
    with (tmp_path / "games/tichu/agents/rule.py").open("a") as file:
        file.write("# better\n")
    first = start_worker()
    with Dask(1, scheduler) as dask:
        results = filter(None, dask.results(LONG, 0))
        assert next(results).number == 0
        start_worker(PYTHONPATH=str(tmp_path), cwd=str(tmp_path))
        dask._client.wait_for_workers(2, timeout=20)
        first.kill()
        with pytest.raises(ExecutorError, match=r"a Dask worker on .* has another rule"):
            list(results)


@pytest.mark.slow
def test_a_scheduler_without_workers_is_an_error_after_some_seconds(
    scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would wait for ever."""
    monkeypatch.setattr("arena.executors.WORKERS_WAIT", 1)
    with pytest.raises(ExecutorError, match=f"no workers: .*dask worker {scheduler}"), Dask(1, scheduler):
        pass


@pytest.mark.slow
def test_a_run_that_is_over_leaves_nothing_on_the_workers(scheduler: str, start_worker: Start) -> None:
    """They wait for the next one."""
    worker = start_worker()
    with Dask(1, scheduler) as dask:
        assert next(filter(None, dask.results(LONG, 0))).number == 0
        assert children(worker.pid) != []
    until(lambda: children(worker.pid) == [])


@pytest.mark.slow
def test_a_scheduler_that_dies_is_an_error(
    scheduler_process: subprocess.Popen[bytes], scheduler: str, start_worker: Start
) -> None:
    """What has been played is stored: the run goes on when it is there again."""
    start_worker()
    with Dask(1, scheduler) as dask:
        results = filter(None, dask.results(LONG, 0))
        assert next(results).number == 0
        scheduler_process.kill()
        with pytest.raises(ExecutorError, match=f"the scheduler {scheduler} is gone"):
            list(results)


@pytest.mark.slow
def test_a_batch_whose_workers_all_die_is_named(scheduler: str, start_worker: Start) -> None:
    """Dask plays it four times, then it suspects the batch (distributed.scheduler.allowed-failures)."""
    workers = [start_worker() for _ in range(4)]
    with Dask(1, scheduler, endless) as dask:
        dask._client.wait_for_workers(4, timeout=20)
        results = dask.results(Job(teams=("random", "random"), unit="rounds", pairs=1, batch_pairs=1, seed=1), 0)
        assert next(results) is None
        while workers:
            until(lambda: any(children(worker.pid) for worker in workers))
            playing = next(worker for worker in workers if children(worker.pid))
            playing.kill()
            playing.wait()
            workers.remove(playing)
        with pytest.raises(ExecutorError, match="batch 0 was on 4 workers that are gone"):
            list(results)
