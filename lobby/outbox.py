"""What has happened at a table and is not shown yet, in order.

An action counts as soon as it is accepted, but nobody can follow four agents that answer at once. So the outbox lets
the table be ahead of what it shows::

    engine   turn 1  play  turn 2  play  turn 3
    shown    turn 1 - - 0.5 s - -> play, turn 2 - - 0.5 s - -> play, turn 3

Nothing overtakes: whatever carries a number goes through here.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.engine import OpenRequest
from games.game import Event, Seat
from lobby.clock import Clock

TURN = "player_turn_changed"
MOVES = {"player_played", "player_passed"}
SHORTEST_TURN = 0.5  # seconds between the two above (protocol 6)
TOLERANCE = 0.001  # of timers


@dataclass(frozen=True, slots=True)
class Item:
    """What one change brings for everybody to see.

    :ivar sequence: its place among all items of the table; a connection's snapshot covers all up to one of them.
    :ivar events: with their numbers.
    :ivar requests: the decisions asked for from now on.
    :ivar state: of the match then.
    """

    sequence: int
    due: float
    events: Sequence[tuple[int, Event]]
    requests: Mapping[Seat, OpenRequest]
    state: Any


class Outbox:
    """The items of one table.

    :param pace: scales the pauses.
    :ivar sequence: of the last item that was put.
    :ivar due: when everything put so far will have been shown.
    """

    def __init__(self, clock: Clock, pace: float) -> None:
        self.sequence = 0
        self.due = 0.0
        self._clock = clock
        self._pause = SHORTEST_TURN * pace
        self._turn_due = 0.0
        self._items: deque[Item] = deque()

    def put(self, events: Sequence[tuple[int, Event]], requests: Mapping[Seat, OpenRequest], state: Any) -> None:
        """Adds an item; it is due at once, unless its turn has not been visible long enough."""
        names = {event.name for _, event in events}
        self.due = max(self.due, self._clock.now())
        if names & MOVES:
            self.due = max(self.due, self._turn_due + self._pause)
        if TURN in names:
            self._turn_due = self.due
        self.sequence += 1
        self._items.append(Item(self.sequence, self.due, events, requests, state))

    def take(self, *, everything: bool = False) -> Iterator[Item]:
        """Hands out, in order, what is due by now."""
        while self._items and (everything or self._items[0].due <= self._clock.now() + TOLERANCE):
            yield self._items.popleft()

    @property
    def next_due(self) -> float | None:
        """When the next item is due; None where all is shown."""
        return self._items[0].due if self._items else None
