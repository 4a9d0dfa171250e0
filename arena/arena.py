"""A run: its batches in their order, until it is over or decided."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

from arena.executors import Executor
from arena.jobs import Job
from arena.stopping import StopRule
from arena.tally import BatchResult, Tally, Timing


@dataclass
class Arena:
    """Plays a job and adds up.

    The stop rule looks after each batch, in order, so a run ends at the same place wherever it is played; batches that
    were played ahead of its verdict are thrown away.

    :ivar tally: of all batches up to now, ``timing`` likewise: of a run that goes on, those that it has already.
    :ivar batches: how many those are.
    :ivar verdict: of the stop rule, if it ended the run.
    """

    job: Job
    executor: Executor
    stop: StopRule
    tally: Tally = field(default_factory=Tally)
    timing: Timing = field(default_factory=Timing)
    batches: int = 0
    verdict: str | None = field(default=None, init=False)

    def run(self) -> Iterator[BatchResult | None]:
        """Plays what is left.

        :result: each batch after it was added; None about every second while there is nothing else.
        :raises ExecutorError: if a batch cannot be played.
        """
        if self.batches and self._is_over():
            return
        with closing(self.executor.results(self.job, self.batches)) as results:
            for result in results:
                if result is None:
                    yield None
                    continue
                self.tally += result.tally
                self.timing += result.timing
                self.batches += 1
                is_over = self._is_over()
                yield result
                if is_over:
                    return

    def _is_over(self) -> bool:
        self.verdict = self.stop.verdict(self.job, self.tally)
        return self.verdict is not None or self.batches == self.job.batches
