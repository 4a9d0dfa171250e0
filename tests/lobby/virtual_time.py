"""An event loop whose time passes only while everything waits: a minute at the table takes no time in a test."""

import asyncio
import selectors
from concurrent.futures import Executor, Future
from typing import Any


class JumpingSelector(selectors.DefaultSelector):  # type: ignore[name-defined, misc]
    """Instead of waiting it moves the clock."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        events = super().select(0)
        if not events and timeout is None:
            raise RuntimeError("everything waits for nothing")
        if not events and timeout:
            self.now += timeout
        return events


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Its time starts at 0."""

    def __init__(self) -> None:
        self.clock = JumpingSelector()
        super().__init__(self.clock)

    def time(self) -> float:
        return self.clock.now


class AtOnce(Executor):
    """An executor that has done everything before anybody waits for it."""

    def submit(self, function: Any, /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future
