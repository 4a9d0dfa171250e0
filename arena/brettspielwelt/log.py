"""What a log says: its grammar, read and written.

    text --parse--> Log: games of rounds, line by line as printed --write--> text

Nothing here knows the rules; :mod:`arena.brettspielwelt.replay` plays what the log says.
"""

from typing import TypeAlias

from msgspec import Struct

Label: TypeAlias = str  # as printed: "B10", "Ma", "BB"


class Line(Struct, array_like=True):
    """A line of the play.

    :ivar kind: ``play``, ``pass`` (or the owner takes his trick), ``wish``, ``tichu``, ``dragon``.
    :ivar seat: who; of a dragon the receiver, of a wish -1.
    :ivar cards: of a play, in the order printed.
    :ivar rank: of a wish, 2..14.
    """

    kind: str
    seat: int = -1
    cards: tuple[Label, ...] = ()
    rank: int = 0


class LoggedRound(Struct, array_like=True):
    """A round as printed; enough to print it again.

    :ivar line: number of its first line in the file, from 1.
    :ivar hand_names: per seat, as the lines of the hands have them; ``names`` as the lines after them do (who played).
    :ivar eight, fourteen: per seat, in the order printed; () where the log is cut off.
    :ivar before: calls before the exchange in the order printed, (kind ``grand`` or ``tichu``, seat).
    :ivar gifts: per seat the cards for p+1, p+2, p+3; () where the log is cut off.
    :ivar bombs: the seats of the line ``BOMBE``; None without the line.
    :ivar result: team 20, team 31; None where the log is cut off.
    """

    line: int
    hand_names: tuple[str, ...]
    names: tuple[str, ...]
    eight: tuple[tuple[Label, ...], ...]
    fourteen: tuple[tuple[Label, ...], ...]
    before: tuple[tuple[str, int], ...]
    gifts: tuple[tuple[Label, ...], ...]
    bombs: tuple[int, ...] | None
    lines: tuple[Line, ...]
    result: tuple[int, int] | None
