"""Where batches are played: in processes of this machine, or on a Dask cluster.

Both play a batch in the main thread of a process that does nothing else, so that an agent may be late, crash or print
as it likes, wherever it plays::

    Pool    thread ── child                     one thread and one child for each worker
    Dask    scheduler ── Dask worker ── child   one child for each thread of a Dask worker

Results come in the order of their numbers, whoever was first. Only a few batches for each worker are on their way at
any time, so memory stays flat.
"""

import logging
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent import futures
from contextlib import ExitStack, suppress
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from pickle import dumps, loads
from select import poll
from socket import gethostname
from threading import Lock, Thread
from time import monotonic
from traceback import format_exc
from types import TracebackType
from typing import Any, Protocol, Self
from uuid import uuid4

from arena.jobs import Job
from arena.playing import play_batch
from arena.tally import BatchResult
from arena.teams import parse_team

Play = Callable[[Job, int], BatchResult]
Results = Generator[BatchResult | None, None, None]
Code = tuple[tuple[str, str], ...]  # names and checksums

AHEAD = 3  # batches on their way for each worker
HEARTBEAT = 1.0  # seconds
ATTEMPTS = 3  # of a batch whose process dies
IDLE_S = 600.0  # a process that has nothing to play for so long ends: whoever started it may be gone
HAS_PIDFD = hasattr(os, "pidfd_open")  # Linux; elsewhere only the connection tells of a death
SCHEDULER_WAIT = 5  # seconds
WORKERS_WAIT = 10
PLAYING = ("jobs", "playing", "statistics", "stopping", "tally", "teams", "trajectories", "watching")


class ExecutorError(Exception):
    """Batches cannot be played; the text says why, and what would be right."""


class Executor(Protocol):
    """Plays batches somewhere, until its context is left: that ends at once whatever still plays.

    :ivar workers: how many batches are played at the same time.
    """

    name: str
    workers: int

    def results(self, job: Job, first: int) -> Results:
        """Plays the batches from ``first`` to the last.

        What :func:`~arena.playing.play_batch` raises comes in its turn too, as it was raised.

        :result: each batch once, in order; None about every second while there is nothing else.
        :raises ExecutorError: if a batch cannot be played.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


def usable_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool:
    """Plays in processes of this machine."""

    name = "pool"

    def __init__(self, workers: int, play: Play = play_batch) -> None:
        self.workers = workers
        self._children = _Children(play)
        self._threads = futures.ThreadPoolExecutor(workers, "arena")  # they wait for the children

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._children.close()
        self._threads.shutdown(cancel_futures=True)

    def results(self, job: Job, first: int) -> Results:
        return _in_order(
            range(first, job.batches),
            lambda number: self._threads.submit(self._children.play, job, number),
            lambda future: bool(futures.wait([future], HEARTBEAT).done),
            lambda: AHEAD * self.workers,
        )


class Dask:
    """Plays on a Dask cluster.

    :ivar workers: the threads of the cluster.
    """

    name = "dask"

    def __init__(self, workers: int, scheduler: str | None = None, play: Play = play_batch) -> None:
        """
        :param workers: of a local cluster; a scheduler has its own.
        :param scheduler: its address, ``tcp://host:8786``; without it a local cluster is started.
        :raises ExecutorError: if Dask is missing.
        """
        try:
            import distributed
        except ImportError as error:
            raise ExecutorError('Dask is missing: pip install -e ".[cluster]"') from error
        self.workers = workers
        self._distributed: Any = distributed
        self._scheduler = scheduler
        self._play = play
        self._run = f"tichu-{uuid4().hex}"  # other runs may play on the same cluster
        self._looked = monotonic()
        for logger in ("distributed", "distributed.client"):
            logging.getLogger(logger).setLevel(logging.CRITICAL)  # what matters is raised

    def __enter__(self) -> Self:
        """
        :raises ExecutorError: if there is no such scheduler, or it has no workers.
        """
        with ExitStack() as stack:
            cluster = None
            if self._scheduler is None:
                cluster = self._distributed.LocalCluster(  # its threads are enough: the children are processes
                    n_workers=1,
                    threads_per_worker=self.workers,
                    processes=False,
                    protocol="tcp://",  # as between machines, and all on 127.0.0.1
                    dashboard_address="127.0.0.1:0",
                    scheduler_kwargs={"dashboard": False},
                )
                stack.callback(cluster.close)
            try:
                self._client = self._distributed.Client(
                    self._scheduler or cluster, timeout=SCHEDULER_WAIT, set_as_default=False
                )
            except (OSError, ValueError) as error:
                raise ExecutorError(
                    f"no scheduler answers at {self._scheduler}: start one with `dask scheduler` ({error})"
                ) from error
            stack.callback(self._client.close)
            try:
                self._client.wait_for_workers(1, timeout=WORKERS_WAIT)
            except TimeoutError as error:
                raise ExecutorError(
                    f"the scheduler has no workers: start some with `dask worker {self._scheduler}`"
                ) from error
            self._count_workers()
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        with self._open, suppress(Exception):  # whoever is gone has nothing to end
            self._client.run(_end_on_dask, self._run, self._play, on_error="ignore")

    def results(self, job: Job, first: int) -> Results:
        code = code_of(job)
        for address, theirs in self._client.run(code_of, job, on_error="return").items():
            _require(code, theirs, address)
        return self._results(job, first, code)

    def _results(self, job: Job, first: int, code: Code) -> Results:
        key = f"{self._run}-{uuid4().hex}"
        try:
            yield from _in_order(
                range(first, job.batches),
                lambda number: self._client.submit(
                    _play_on_dask, self._run, self._play, job, number, code, key=f"{key}-{number}", pure=False
                ),
                self._is_done,
                self._ahead,
            )
        except self._distributed.KilledWorker as error:
            number = error.task.rpartition("-")[2]
            raise ExecutorError(
                f"batch {number} was on {error.allowed_failures + 1} workers that are gone: look at their logs"
            ) from error
        except (self._distributed.CancelledError, self._distributed.comm.CommClosedError) as error:
            raise ExecutorError(f"the scheduler {self._client.scheduler.address} is gone: start it again") from error

    def _is_done(self, future: Any) -> bool:
        with suppress(TimeoutError), self._client.as_current():
            self._distributed.wait([future], timeout=HEARTBEAT)
        return bool(future.done())

    def _ahead(self) -> int:
        """Machines may come and go."""
        if monotonic() > self._looked + HEARTBEAT:
            self._count_workers()
        return AHEAD * self.workers

    def _count_workers(self) -> None:
        self.workers = sum(self._client.nthreads().values())
        self._looked = monotonic()


def _in_order(
    numbers: Iterable[int],
    submit: Callable[[int], Any],
    is_done: Callable[[Any], bool],
    ahead: Callable[[], int],
) -> Results:
    """Plays a window of the batches.

    :param submit: starts a batch; its future.
    :param is_done: waits for a future, up to a heartbeat.
    :param ahead: how many batches may be on their way.
    """
    todo = iter(numbers)
    window: deque[Any] = deque()
    try:
        while True:
            window.extend(map(submit, islice(todo, max(0, ahead() - len(window)))))
            if not window:
                return
            yield window.popleft().result() if is_done(window[0]) else None
    finally:
        for future in window:
            future.cancel()


# --- on a Dask worker -------------------------------------------------------------------------------------------------


def code_of(job: Job) -> Code:
    """What decides the results besides the job: the rules and the arena, and its agents, as they are here.

    :raises UnknownAgent: if there is no such agent here.
    """
    with _parsing:
        agents = {agent.text: agent.checksum() for team in job.teams for agent in parse_team(team).agents}
    return (("tichu", own_code()), *sorted(agents.items()))


def own_code() -> str:
    """SHA-256, in hex, over the rules, and what of the arena plays and judges (``PLAYING``), with their C types."""
    root = Path(__file__).parent.parent
    files = [
        file
        for modules in ("games/tichu/**/*", *(f"arena/{name}" for name in PLAYING))
        for kind in ("py", "pxd")
        for file in root.glob(f"{modules}.{kind}")
    ]
    contents = (str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() for file in sorted(files))
    return sha256(b"".join(contents)).hexdigest()


def _require(code: Code, theirs: Code | Exception, where: str) -> None:
    if isinstance(theirs, Exception):
        what = f"cannot play ({type(theirs).__name__}: {theirs})"
    elif differing := dict(set(code) - set(theirs)):
        what = f"has another {' and another '.join(sorted(differing))} than this machine"
    else:
        return
    raise ExecutorError(f"{where} {what}: bring both to the same version, and start its `dask worker` again")


@lru_cache
def _has_code(job: Job, code: Code) -> None:
    _require(code, code_of(job), f"a Dask worker on {gethostname()}")  # it may have come later than the run


# The checksums parse, and ast.parse in several threads may fail (Python 3.11.7: "recursion depth mismatch").
_parsing = Lock()
# Those that are closed stay: a batch that comes too late must find out.
_of_runs: dict[str, "_Children"] = {}


def _play_on_dask(run: str, play: Play, job: Job, number: int, code: Code) -> BatchResult:
    _has_code(job, code)
    return _children_of(run, play).play(job, number)


def _end_on_dask(run: str, play: Play) -> None:
    _children_of(run, play).close()


def _children_of(run: str, play: Play) -> "_Children":
    return _of_runs.get(run) or _of_runs.setdefault(run, _Children(play))


# --- the processes that play ------------------------------------------------------------------------------------------


class _Child:
    """A process that plays in its main thread, with a process group of its own: Ctrl-C in a terminal is not for it."""

    def __init__(self, play: Play) -> None:
        self._connection, theirs = Pipe()
        serve = f"import arena.executors as it; it._serve({theirs.fileno()}, {IDLE_S})"
        self._process = subprocess.Popen(  # noqa: S603 - this Python
            [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {serve}"],
            stdin=subprocess.DEVNULL,
            stdout=2,  # what agents print: standard output is for reports
            pass_fds=[theirs.fileno()],
            process_group=0,
        )
        theirs.close()
        self._play = play
        # Readable when it has died. It closes itself, as the other one does, when nobody waits for it any more.
        self._death = [Connection(os.pidfd_open(self._process.pid), writable=False)] if HAS_PIDFD else []

    def play(self, job: Job, number: int) -> BatchResult | Exception:
        """
        :raises EOFError, OSError: if it died.
        """
        self._connection.send((self._play, job, number))
        if self._connection not in wait([self._connection, *self._death]):
            raise EOFError  # what an agent has forked may keep the connection open
        answer: BatchResult | Exception = self._connection.recv()
        return answer

    def is_idle(self) -> bool:
        """Whether it waits for a batch; else it has died meanwhile."""
        return not wait([self._connection, *self._death], 0)

    def end(self) -> str:
        """
        :result: how it ended, if it did so by itself.
        """
        if self._process.returncode is None:  # else its number may be another's by now
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)  # with whatever its agents have started
        status = self._process.wait()
        return f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"


class _Children:
    """As many of them as there are threads that play. Whichever dies is replaced."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._lock = Lock()
        self._all: set[_Child] = set()
        self._idle: list[_Child] = []
        self._is_closed = False

    def play(self, job: Job, number: int) -> BatchResult:
        """
        :raises ExecutorError: if each process dies that plays it.
        """
        how = ""
        for _ in range(ATTEMPTS):
            child = self._take()
            try:
                answer = child.play(job, number)
            except (EOFError, OSError):
                how = self._replace(child)
                continue
            self._idle.append(child)
            if isinstance(answer, Exception):
                raise answer
            return answer
        pairs = job.batch(number)
        raise ExecutorError(
            f"batch {number} (pairs {pairs[0]} to {pairs[-1]} of {' against '.join(job.teams)}, seed {job.seed}) "
            f"ended its process {ATTEMPTS} times: {how}"
        )

    def close(self) -> None:
        """Ends them at once; what they play is lost."""
        with self._lock:
            self._is_closed = True
            for child in self._all:
                child.end()
            self._all.clear()

    def _take(self) -> _Child:
        with self._lock:
            if self._is_closed:
                raise ExecutorError("the executor is closed")
            while self._idle:
                child = self._idle.pop()
                if child.is_idle():
                    return child
                self._all.discard(child)
                child.end()
            child = _Child(self._play)
            self._all.add(child)
            return child

    def _replace(self, child: _Child) -> str:
        with self._lock:
            self._all.discard(child)
            return child.end()


def _serve(descriptor: int, idle: float) -> None:
    """The program of a child, until its parent is gone or has nothing for it any more."""
    Thread(target=_end_with_parent, args=(descriptor,), daemon=True).start()
    connection = Connection(descriptor)
    with suppress(EOFError, OSError):
        while connection.poll(idle):
            play, job, number = connection.recv()
            try:
                answer = play(job, number)
            except Exception as error:
                answer = _portable(error)
            connection.send(answer)
    os.killpg(0, signal.SIGKILL)  # with whatever its agents have started


def _end_with_parent(descriptor: int) -> None:
    """Also in the middle of a batch."""
    connection = poll()
    connection.register(descriptor, 0)  # hanging up is always told
    connection.poll()
    os.killpg(0, signal.SIGKILL)


def _portable(error: Exception) -> Exception:
    """The same with its traceback as a note; some exceptions cannot be sent."""
    text = format_exc()
    error.add_note(f"In the process that played:\n{text}")
    try:
        loads(dumps(error))  # noqa: S301 - our own
    except Exception:
        return RuntimeError(text)
    return error
