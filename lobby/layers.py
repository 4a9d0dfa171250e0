"""The channel layer within one process.

Channels' own in-memory layer copies every message deeply and looks through all channels at every receive; with a
thousand sockets it does little else. Here a message is handed over as it is, and old ones are swept away now and then.
"""

import asyncio
import time
from typing import Any

from channels.exceptions import ChannelFull
from channels.layers import InMemoryChannelLayer

SWEEP = 5.0  # seconds


class EmbeddedChannelLayer(InMemoryChannelLayer):
    """Messages between the web and the engine of one process. Nobody may change a message that was sent."""

    def __init__(self, capacity: int = 10_000, **kwargs: Any) -> None:
        super().__init__(capacity=capacity, **kwargs)
        self._next_sweep = 0.0

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        """Puts a message on a channel."""
        queue = self.channels.get(channel)
        if queue is None:
            queue = self.channels[channel] = asyncio.Queue(self.get_capacity(channel))
        if queue.full():
            raise ChannelFull(channel)
        queue.put_nowait((time.time() + self.expiry, message))

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Puts a message on every channel of a group."""
        for channel in list(self.groups.get(group, ())):
            try:
                await self.send(channel, message)
            except ChannelFull:
                continue

    def _clean_expired(self) -> None:
        if time.monotonic() >= self._next_sweep:
            self._next_sweep = time.monotonic() + SWEEP
            super()._clean_expired()
