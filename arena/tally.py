"""What the arena counts: sums that can be added, so that batches make a run.

    Tally       what happened; the same for the same job and batch, wherever it was played
    Timing      how long it took; differs each time

Both are small, whatever the number of rounds, and go to JSON and back (``msgspec``). The two teams of a job are the
*first* and the *second*; its four agents have **slots**: 0 and 2 the first team's, 1 and 3 the second's. In the first
half of a pair slot s sits on seat s, in the second half on seat ``s ^ 1``.
"""

from collections import Counter
from typing import Any, TypeVar

from msgspec import Struct, field, structs

Sum = TypeVar("Sum", bound="Sums")


class Sums(Struct):
    """Adds up field by field."""

    def __add__(self: Sum, other: Sum) -> Sum:
        names = [field.name for field in structs.fields(self)]
        return type(self)(*[_added(getattr(self, name), getattr(other, name)) for name in names])


def _added(one: Any, other: Any) -> Any:
    if isinstance(one, dict):
        return dict(Counter(one) + Counter(other))
    if isinstance(one, list):
        return [_added(left, right) for left, right in zip(one, other, strict=True)]
    return one + other


class Ratio(Sums):
    """What a mean per round or match and its error need: one (x, n) for each pair, n rounds or matches that brought x.

    >>> total = Ratio()
    >>> total.add(300, 2)
    >>> total.add(-100, 2)
    >>> total.mean
    50.0
    """

    pairs: int = 0
    x: float = 0
    n: float = 0
    xx: float = 0
    xn: float = 0
    nn: float = 0

    def add(self, x: float, n: float) -> None:
        self.pairs += 1
        self.x += x
        self.n += n
        self.xx += x * x
        self.xn += x * n
        self.nn += n * n

    @property
    def mean(self) -> float:
        """0.0 of nothing."""
        return self.x / self.n if self.n else 0.0


class Outcomes(Sums):
    """Of rounds or of matches, as the first team sees them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, difference: int) -> float:
        """Counts one.

        :param difference: points of the first team less those of the second.
        :result: 1 for a win, 0.5 for a draw, 0 for a loss.
        """
        if difference > 0:
            self.wins += 1
        elif difference < 0:
            self.losses += 1
        else:
            self.draws += 1
        return 0.5 + 0.5 * ((difference > 0) - (difference < 0))


class Behaviour(Sums):
    """What one slot did.

    :ivar rounds: that it sat in.
    :ivar tichu: small calls; ``tichu_made`` of them won. ``grand``, ``grand_made`` likewise.
    :ivar double_victories: of its team.
    :ivar dragon_right: dragons given to the right neighbour (p+1); ``dragon_left`` to the left one (p+3).
    :ivar wishes: how often each rank was wished, by rank 2..14; [0] counts the Mah Jong without a wish.
    :ivar plays: moves with cards, bombs out of turn included; ``passes`` are not.
    :ivar decisions: questions answered, calls and the exchange included.
    :ivar raised: decisions in which the agent raised; ``illegal`` gave no legal action; ``late`` took too long.
        Each was replaced by a legal action.
    """

    rounds: int = 0
    tichu: int = 0
    tichu_made: int = 0
    grand: int = 0
    grand_made: int = 0
    double_victories: int = 0
    first_out: int = 0
    bombs: int = 0
    dragon_right: int = 0
    dragon_left: int = 0
    wishes: list[int] = field(default_factory=lambda: [0] * 15)
    plays: int = 0
    passes: int = 0
    decisions: int = 0
    raised: int = 0
    illegal: int = 0
    late: int = 0

    @property
    def faults(self) -> int:
        return self.raised + self.illegal + self.late


def _four_behaviours() -> list[Behaviour]:
    return [Behaviour() for _ in range(4)]


class Tally(Sums):
    """What happened in some pairs.

    :ivar rounds: all of them; ``matches`` only with ``games``.
    :ivar points: the first team's points less the second's, per round.
    :ivar round_score: rounds won by the first team, a draw a half, per round; ``match_score`` likewise per match.
    :ivar results: how many rounds ended with which difference of points.
    :ivar tricks: the dog is none.
    :ivar behaviour: per slot.
    """

    rounds: int = 0
    matches: int = 0
    tricks: int = 0
    points: Ratio = field(default_factory=Ratio)
    round_score: Ratio = field(default_factory=Ratio)
    match_score: Ratio = field(default_factory=Ratio)
    round_outcomes: Outcomes = field(default_factory=Outcomes)
    match_outcomes: Outcomes = field(default_factory=Outcomes)
    results: dict[int, int] = field(default_factory=dict)
    behaviour: list[Behaviour] = field(default_factory=_four_behaviours)

    @property
    def pairs(self) -> int:
        return self.points.pairs

    @property
    def faults(self) -> int:
        return sum(slot.faults for slot in self.behaviour)


BUCKETS_PER_OCTAVE = 8


class Timing(Sums):
    """How long it took.

    :ivar seconds: of the processes that played, on the wall, added up; ``cpu_seconds`` of their processors.
    :ivar decisions: per slot, how many decisions took 2 ** (bucket / 8) nanoseconds up to the next bucket.
    """

    seconds: float = 0
    cpu_seconds: float = 0
    decisions: list[dict[int, int]] = field(default_factory=lambda: [{}, {}, {}, {}])


class BatchResult(Struct):
    """What comes back from a batch.

    :ivar trajectories: a frame of :mod:`arena.trajectories`; empty unless the job records.
    """

    number: int
    tally: Tally
    timing: Timing
    trajectories: bytes = b""
