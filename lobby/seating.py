"""Who sits where at a table.

A seat holds a person or, while nobody has taken it, an agent, named after its kind and its seat::

    0 Anna (host)   1 RuleAgent_2   2 Ben   3 RuleAgent_4

A seating never changes: every move makes a new one, which the table adopts once it stands in the database.
"""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

import regex

LONGEST_NAME = 30  # graphemes
MOST_CODE_POINTS = 200  # one grapheme can be any number of them

# What nobody sees: controls, unassigned characters, fillers, marks of direction. Emoji are glued with two of them.
INVISIBLE = regex.compile(r"[\p{C}\p{Default_Ignorable_Code_Point}\u2800]")
INVISIBLE_BUT_GLUE = regex.compile(r"(?V1)[[\p{C}\p{Default_Ignorable_Code_Point}\u2800]--[\u200d\ufe0f]]")


def clean_name(text: str) -> str:
    """A name as everybody sees it (protocol 1).

    :raises ValueError: it is blank or too long.
    """
    name = " ".join(INVISIBLE_BUT_GLUE.sub("", unicodedata.normalize("NFKC", text)).split())
    if not name_key(name) or len(name) > MOST_CODE_POINTS or len(regex.findall(r"\X", name)) > LONGEST_NAME:
        raise ValueError(f"a name has 1 to {LONGEST_NAME} characters")
    return name


def name_key(name: str) -> str:
    """Names with the same key look alike and are one name."""
    return unicodedata.normalize("NFKC", INVISIBLE.sub("", name).casefold()).strip()


def agent_name(kind: str, seat: int) -> str:
    """What an agent of that kind is called on that seat."""
    return f"{kind}_{seat + 1}"


class Place(StrEnum):
    """Where a person's session is."""

    SEATED = "seated"
    AWAY = "away"  # an agent sits in; the person may come back
    OVER = "over"


class Named(Protocol):
    """Whatever has a name."""

    name: str


P = TypeVar("P", bound=Named)


@dataclass(frozen=True)
class Seating(Generic[P]):
    """People and agents on the seats of a table.

    :ivar people: per seat the person, or None where an agent sits.
    :ivar kinds: per seat the kind of agent that sits there while no person does.
    :ivar host: the seat of the person who may swap, kick and start; -1 while there is none.
    """

    people: tuple[P | None, ...]
    kinds: tuple[str, ...]
    host: int = -1

    @classmethod
    def empty(cls, kinds: Iterable[str]) -> "Seating[P]":
        """A table with agents only."""
        kinds = tuple(kinds)
        return cls((None,) * len(kinds), kinds)

    @property
    def names(self) -> list[str]:
        """What the seats are called."""
        return [person.name if person else self.agent_name(seat) for seat, person in enumerate(self.people)]

    @property
    def persons(self) -> list[P]:
        """The people, by seat."""
        return [person for person in self.people if person]

    def agent_name(self, seat: int) -> str:
        """The name of the agent that sits there while no person does."""
        return agent_name(self.kinds[seat], seat)

    def seat_of(self, person: P) -> int:
        """Where a person sits.

        :raises ValueError: nowhere.
        """
        return self.people.index(person)

    def is_taken(self, name: str, kinds: Iterable[str]) -> bool:
        """Whether somebody is called so, or one of these kinds of agents may be called so on any seat."""
        agents = (agent_name(kind, seat) for kind in kinds for seat in range(len(self.people)))
        taken = {name_key(person.name) for person in self.persons} | {name_key(agent) for agent in agents}
        return name_key(name) in taken

    def free_seat(self, only: int | None = None) -> int | None:
        """The first seat that an agent holds.

        :param only: the one seat that is allowed, for somebody who knows its cards.
        """
        seats = range(len(self.people)) if only is None else (only,)
        return next((seat for seat in seats if self.people[seat] is None), None)

    def sit(self, person: P, seat: int) -> "Seating[P]":
        """A person takes the seat of an agent; the first one becomes host."""
        return replace(self, people=self._with(seat, person), host=seat if self.host < 0 else self.host)

    def stand_up(self, seat: int) -> "Seating[P]":
        """An agent takes the seat of a person. The next person by seat order becomes host where the host leaves."""
        people = self._with(seat, None)
        host = self.host
        if host == seat:
            count = len(people)
            following = ((seat + step) % count for step in range(1, count))
            host = next((other for other in following if people[other]), -1)
        return replace(self, people=people, host=host)

    def swap(self, one: int, other: int) -> "Seating[P]":
        """Two seats exchange everything; the host's own seat is not among them."""
        people, kinds = list(self.people), list(self.kinds)
        people[one], people[other] = people[other], people[one]
        kinds[one], kinds[other] = kinds[other], kinds[one]
        return replace(self, people=tuple(people), kinds=tuple(kinds))

    def _with(self, seat: int, person: P | None) -> tuple[P | None, ...]:
        return (*self.people[:seat], person, *self.people[seat + 1 :])
