"""Time at a table. It stands still while nobody is connected, and so does everything that waits for it::

connected   -------|           |--------->
clock.now() 0    1    2 . . . . 2    3    4
"""

import asyncio
from collections.abc import Callable


class Alarm:
    """A call that is due at a time of the table."""

    def __init__(self, clock: "Clock", due: float, callback: Callable[[], None]) -> None:
        self.due = due
        self._clock = clock
        self._callback = callback
        self._handle: asyncio.TimerHandle | None = None

    def cancel(self) -> None:
        """It will not ring. Harmless where it has already rung."""
        self._clock.alarms.discard(self)
        self.pause()

    def wind(self) -> None:
        """The clock runs."""
        self._handle = asyncio.get_running_loop().call_later(max(0.0, self.due - self._clock.now()), self._ring)

    def pause(self) -> None:
        """The clock stands still."""
        if self._handle:
            self._handle.cancel()
            self._handle = None

    def _ring(self) -> None:
        self._clock.alarms.discard(self)
        self._callback()


class Clock:
    """The time of one table, in seconds. A new clock stands still at 0."""

    def __init__(self) -> None:
        self.alarms: set[Alarm] = set()
        self._shown = 0.0
        self._started: float | None = None

    @property
    def is_running(self) -> bool:
        return self._started is not None

    def now(self) -> float:
        """Seconds that it has run."""
        if self._started is None:
            return self._shown
        return self._shown + asyncio.get_running_loop().time() - self._started

    def start(self) -> None:
        """It runs (on)."""
        if self._started is None:
            self._started = asyncio.get_running_loop().time()
            for alarm in sorted(self.alarms, key=lambda alarm: alarm.due):
                alarm.wind()

    def stop(self) -> None:
        """It stands still."""
        self._shown = self.now()
        self._started = None
        for alarm in self.alarms:
            alarm.pause()

    def at(self, due: float, callback: Callable[[], None]) -> Alarm:
        """Calls back at that time, at once where it is over, but never while the clock stands still."""
        alarm = Alarm(self, due, callback)
        self.alarms.add(alarm)
        if self.is_running:
            alarm.wind()
        return alarm

    async def reach(self, due: float) -> None:
        """Waits for that time."""
        rung = asyncio.Event()
        alarm = self.at(due, rung.set)
        try:
            await rung.wait()
        finally:
            alarm.cancel()


class Deadlines:
    """How long each seat may still take for the decision it is asked for.

    :param on_timeout: gets the seat and the id of the request whose time is over.
    """

    def __init__(self, clock: Clock, on_timeout: Callable[[int, str], None]) -> None:
        self._clock = clock
        self._on_timeout = on_timeout
        self._running: dict[int, tuple[str, Alarm]] = {}

    def start(self, seat: int, request_id: str, seconds: float) -> None:
        """The time for this request runs from now on, unless it does so already."""
        if seat in self._running and self._running[seat][0] == request_id:
            return
        self.stop(seat)
        due = self._clock.now() + seconds
        self._running[seat] = request_id, self._clock.at(due, lambda: self._on_timeout(seat, request_id))

    def stop(self, seat: int) -> None:
        """The seat is asked for nothing more."""
        if seat in self._running:
            self._running.pop(seat)[1].cancel()

    def remaining_ms(self, seat: int) -> int | None:
        """What is left; None where there is no limit."""
        if seat not in self._running:
            return None
        return max(0, round((self._running[seat][1].due - self._clock.now()) * 1000))
