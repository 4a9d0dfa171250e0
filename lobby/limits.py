"""Limits against abuse (protocol 8): buckets that fill up with time, and what one process knows about addresses."""

import time
from collections import Counter
from collections.abc import Callable


class Bucket:
    """Lets ``burst`` things through at once and ``rate`` per second in the long run; a rate of 0 is no limit.

    >>> bucket = Bucket(rate=1, burst=2)
    >>> bucket.take(), bucket.take(), bucket.take()
    (True, True, False)
    """

    def __init__(self, rate: float, burst: float, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._now = now
        self._content = burst
        self._filled = now()

    def take(self) -> bool:
        """Whether one more thing may go through."""
        if not self._rate:
            return True
        self._fill()
        if self._content < 1:
            return False
        self._content -= 1
        return True

    @property
    def is_full(self) -> bool:
        """Whether it is as good as new."""
        self._fill()
        return self._content == self._burst

    def _fill(self) -> None:
        now = self._now()
        self._content = min(self._burst, self._content + (now - self._filled) * self._rate)
        self._filled = now


class Buckets:
    """A bucket per key, for ``per_minute`` things a minute. Those of keys that have been quiet are thrown away."""

    def __init__(self, per_minute: int) -> None:
        self._per_minute = per_minute
        self._buckets: dict[str, Bucket] = {}
        self._next_sweep = 1000

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, key: str) -> bool:
        """Whether one more thing with this key may go through."""
        if not self._per_minute:
            return True
        if len(self._buckets) >= self._next_sweep:
            self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.is_full}
            self._next_sweep = 2 * len(self._buckets) + 1000
        bucket = self._buckets.setdefault(key, Bucket(self._per_minute / 60, self._per_minute))
        return bucket.take()


class Counts:
    """How many things of a key there are at the same time; a ``most`` of 0 is no limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: Counter[str] = Counter()

    def add(self, key: str) -> bool:
        """One more; whether that is still within the limit."""
        self._counts[key] += 1
        return not self._most or self._counts[key] <= self._most

    def remove(self, key: str) -> None:
        """One less."""
        self._counts[key] -= 1
        if not self._counts[key]:
            del self._counts[key]
