"""Who fills a seat."""

from abc import ABC, abstractmethod
from random import Random
from typing import Any


class PlayerInteractionError(Exception):
    """A decision of a player did not come about."""


class ClientDisconnectedError(PlayerInteractionError):
    """The player is not connected (any more)."""


class PlayerInterruptError(PlayerInteractionError):
    """The request was withdrawn: somebody else acted first, for example with a bomb."""


class PlayerTimeoutError(PlayerInteractionError):
    """The time for the decision is over."""


class PlayerResponseError(PlayerInteractionError):
    """The answer does not fit the request."""


class Player:
    """Fills a seat: an :class:`Agent`, or a person's socket.

    :ivar name: what the others read at the seat.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def cleanup(self) -> None:
        """The player leaves its seat; gives back whatever it holds."""


class Agent(Player, ABC):
    """A program. A game's own base class turns the two questions below into the decisions of that game.

    :ivar rng: the only source of chance in its decisions.
    """

    def __init__(self, name: str, rng: Random | None = None) -> None:
        super().__init__(name)
        self.rng = rng or Random()

    @abstractmethod
    def decide(self, state: Any, seat: int, request: str) -> dict[str, Any]:
        """Answers the open request of that name with an action. It may read of ``state`` only what the seat may see."""

    @abstractmethod
    def interrupt(self, state: Any, seat: int, choices: tuple[str, ...]) -> dict[str, Any] | None:
        """Offers what may be done unasked now (names of actions); an action, or None for nothing."""
