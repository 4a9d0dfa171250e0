"""What a log says: its grammar, read and written.

    text --parse--> games of rounds, line by line as printed --write--> text

The grammar is strict, and reading forgives: a line that does not belong where it stands is reported and left out, a
round that is cut keeps what it has. So what is read with no finding is written again byte for byte, except for a byte
order mark, blank lines, blanks at the end of a line and CR.

A round goes through sections, in this order; each begins with its mark::

    ---------------Gr.Tichukarten------------------     EIGHT
    (0)NAME c1 .. c8                                      four lines
    ---------------Startkarten------------------        FOURTEEN
    (0)NAME c1 .. c14                                     four lines
    Grosses Tichu: (p)NAME                                as many as there are, as Tichu: (p)NAME
    Schupfen:                                           EXCHANGE
    (0)NAME gibt: NAME1: c - NAME2: c - NAME3: c -        four lines
    BOMBE: (p)NAME (q)NAME                                or none
    ---------------Rundenverlauf------------------      PLAY
    (p)NAME: c1 .. cn                                     in any order, as (p)NAME passt., Wunsch:R, Tichu: (p)NAME,
                                                          Drache an: (p)NAME
    Ergebnis: A - B                                     the end of the round

A name has no blank (what looks like one is U+00A0), but anything else: colons, dashes, parentheses, U+0085, or nothing.
If ever one has, it is read where the cards before it say so: in the hands, and then in the other lines of that round.

Nothing here knows the rules; :mod:`arena.brettspielwelt.replay` plays what the log says.
"""

import codecs
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

from msgspec import Struct, field, msgpack

from arena.brettspielwelt.findings import Code, Finding

Label: TypeAlias = str  # as printed: "B10", "Ma", "BB"

RANKS = {**{str(rank): rank for rank in range(2, 11)}, "B": 11, "D": 12, "K": 13, "A": 14}
LABELS: tuple[Label, ...] = ("Hu", "Ma", *(suit + rank for rank in RANKS for suit in "SBGR"), "Dr", "Ph")


class Line(Struct, array_like=True, frozen=True):
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
    :ivar other_names: where a line names a seat otherwise: (place, name), with places as in :class:`_Place`.
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
    other_names: tuple[tuple[int, str], ...] = ()


class LoggedGame(Struct):
    """A game as printed.

    :ivar findings: what is wrong with the text, with the index of the round; -1 where it is in none.
    """

    rounds: list[LoggedRound] = field(default_factory=list)
    findings: list[tuple[int, Finding]] = field(default_factory=list)


class _Place:
    """Numbers of the places in a round where a name is printed; of a line its index is added."""

    EIGHT = 0  # + seat
    FOURTEEN = 4  # + seat
    GIFTS = 8  # + 4 * giver + 0 for his own name, 1, 2, 3 for those of p+1, p+2, p+3
    BOMBS = 24  # + seat
    BEFORE = 28  # + index
    # the lines of the play come after the calls before the exchange


# --- reading ----------------------------------------------------------------------------------------------------------

SEATS = {f"({seat})": seat for seat in range(4)}
BETWEEN, EIGHT, FOURTEEN, EXCHANGE, PLAY, END = range(6)
MARKS = {
    EIGHT: "---------------Gr.Tichukarten------------------",
    FOURTEEN: "---------------Startkarten------------------",
    EXCHANGE: "Schupfen:",
    PLAY: "---------------Rundenverlauf------------------",
    END: "--END GAME--",  # where somebody has put several games into one file
}
CALLS = {"Grosses Tichu: ": "grand", "Tichu: ": "tichu"}

_SECTIONS = {mark: section for section, mark in MARKS.items()}
_WISHES = {f"Wunsch:{rank}": Line("wish", rank=value) for rank, value in RANKS.items()}
_KNOWN = frozenset(LABELS)
_COUNTS = {EIGHT: 8, FOURTEEN: 14}
_HANDS = {EIGHT: _Place.EIGHT, FOURTEEN: _Place.FOURTEEN}
_RESULT = re.compile("Ergebnis: (-?[0-9]{1,6}) - (-?[0-9]{1,6})")


def parse(text: bytes | str, first_line: int = 1) -> list[LoggedGame]:
    """The games of a file. Whatever it holds, this does not raise.

    A game ends with the text, at the mark between games, and where a round begins inside another one. A thousand points
    do not end it: people have played on.

    :param first_line: its number, where the text is a part of a file.
    """
    strange: set[int] = set()
    if isinstance(text, bytes):
        data = text
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("utf-8-sig", _BY_CP1252)
            strange = {at for at, line in enumerate(data.split(b"\n")) if not _is_utf_8(line)}
    reader = _Reader()
    # Not splitlines(): names hold U+0085.
    for at, line in enumerate(text.split("\n")):
        if line := line.rstrip(" \r"):
            reader.read(first_line + at, line, is_utf_8=at not in strange)
    return reader.end()


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _cp1252(error: Any) -> tuple[str, int]:
    """What is no UTF-8 is cp1252, byte by byte: so a character that is cut does not spoil the others."""
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


_BY_CP1252 = "arena.brettspielwelt.cp1252"
codecs.register_error(_BY_CP1252, _cp1252)


class _Reader:
    """Reads line by line.

    :ivar games: those that have ended; ``rounds`` and ``findings`` are those of the game that is being read.
    :ivar section: of the round that is being read; BETWEEN rounds.
    :ivar number: of the line.
    """

    def __init__(self) -> None:
        self.games: list[LoggedGame] = []
        self.rounds: list[LoggedRound] = []
        self.findings: dict[tuple[int, bool, int, Code], Finding] = {}  # by round, corrected, move, code
        self.section = BETWEEN
        self.number = 0
        self.begin(0)

    def begin(self, number: int) -> None:
        """A round."""
        self.first_line = number
        self.hands: dict[int, list[tuple[Label, ...]]] = {EIGHT: [()] * 4, FOURTEEN: [()] * 4}
        self.before: list[tuple[str, int]] = []
        self.gifts: list[tuple[Label, ...]] = [()] * 4
        self.bombs: tuple[int, ...] | None = None
        self.lines: list[Line] = []
        self.printed: list[tuple[int, int, str]] = []  # place, seat, name, of all but those lines that have usual names
        self.hand_names: list[str | None] = [None] * 4
        self.names: list[str | None] = [None] * 4
        self.usual: dict[str, Line] = _WISHES

    def read(self, number: int, line: str, *, is_utf_8: bool) -> None:
        self.number = number
        if not is_utf_8:
            self.report(Code.ENCODING, line, corrected=True)
        if self.section == PLAY:
            if (usual := self.usual.get(line)) is not None:
                self.lines.append(usual)
                return
            if self.play(line):
                return
        section = _SECTIONS.get(line)
        if section is not None:
            self.mark(section, line)
        elif self.section != BETWEEN and line.startswith("Ergebnis"):
            self.result(line)
        elif not (
            self.hand(line) or self.call(line)
            if self.section in (EIGHT, FOURTEEN)
            else self.section == EXCHANGE and (self.gift(line) or self.bomb(line) or self.call(line))
        ):
            self.report(Code.UNREADABLE, line)

    def end(self) -> list[LoggedGame]:
        self.end_game(Code.TOO_SHORT)
        return self.games or [LoggedGame([], [(-1, Finding(Code.EMPTY))])]

    # one kind of line each: whether it is one

    def mark(self, section: int, line: str) -> None:
        if section == END:
            self.end_game(Code.TOO_SHORT)
        elif section == EIGHT:
            if self.section != BETWEEN:
                self.end_game(Code.RESTARTED)
            self.section = EIGHT
            self.begin(self.number)
        elif BETWEEN < self.section < section:
            self.section = section
            if section == PLAY:
                self.usual = _WISHES | {
                    f"({seat}){name} passt.": _PASSES[seat] for seat, name in enumerate(self.names) if name is not None
                }
        else:
            self.report(Code.UNREADABLE, line)

    def hand(self, line: str) -> bool:
        seat = SEATS.get(line[:3])
        hands = self.hands[self.section]
        name, _, rest = line[3:].partition(" ")
        if seat is None or hands[seat] or not rest:
            return False
        labels = self.words(rest, line)
        more = len(labels) - _COUNTS[self.section]
        if more > 0 and labels[more - 1] not in _KNOWN and _KNOWN.issuperset(labels[more:]):  # after all, a blank
            name, labels = " ".join([name, *labels[:more]]), labels[more:]
        if hands.count(()) != 4 - seat or self.before:
            self.report(Code.UNREADABLE, line, corrected=True)
        hands[seat] = self.cards(labels, line)
        if self.hand_names[seat] is None:
            self.hand_names[seat] = name
        self.printed.append((_HANDS[self.section] + seat, seat, name))
        return True

    def call(self, line: str) -> bool:
        """Before the exchange."""
        what, parenthesis, who = line.partition("(")
        kind = CALLS.get(what)
        seat = SEATS.get(parenthesis + who[:2])
        if kind is None or seat is None or self.section == EIGHT or not self.is_name(who[2:]):
            return False
        if self.section == EXCHANGE:
            self.report(Code.UNREADABLE, line, corrected=True)
        self.printed.append((_Place.BEFORE + len(self.before), seat, who[2:]))
        self.before.append((kind, seat))
        return True

    def gift(self, line: str) -> bool:
        seat = SEATS.get(line[:3])
        if seat is None or self.gifts[seat] or not line.endswith(" -"):
            return False
        rest, _, third = line[3:-2].rpartition(": ")
        rest, _, left = rest.rpartition(" - ")
        rest, _, second = rest.rpartition(": ")
        rest, _, partner = rest.rpartition(" - ")
        rest, _, first = rest.rpartition(": ")
        giver, gives, right = rest.rpartition(" gibt: ")
        names, cards = (giver, right, partner, left), (first, second, third)
        if not gives or not all(cards) or " " in "".join(cards) or not all(map(self.is_name, names)):
            return False
        if self.gifts.count(()) != 4 - seat or self.bombs is not None:
            self.report(Code.UNREADABLE, line, corrected=True)
        self.gifts[seat] = self.cards(cards, line)
        self.names[seat] = giver
        for way, name in enumerate(names):
            self.printed.append((_Place.GIFTS + 4 * seat + way, (seat + way) % 4, name))
        return True

    def bomb(self, line: str) -> bool:
        what, _, who = line.partition(" ")
        if what != "BOMBE:" or self.bombs is not None:
            return False
        names: dict[int, str] = {}
        for word in who.split(" "):
            seat = SEATS.get(word[:3])
            if seat is None or seat <= max(names, default=-1):
                return False
            names[seat] = word[3:]
        self.bombs = tuple(names)
        self.printed += [(_Place.BOMBS + seat, seat, name) for seat, name in names.items()]
        return True

    def play(self, line: str) -> bool:
        """A line of the play, but the usual ones."""
        what, parenthesis, who = line.partition("(")
        seat = SEATS.get(parenthesis + who[:2])
        if seat is None:
            return False
        name = who[2:]
        corrected = False
        if what == "Tichu: ":
            read = _CALLS[seat]
        elif what == "Drache an: ":
            read = _DRAGONS[seat]
        elif what:
            return False
        elif name.endswith((" passt.", " passt")):
            corrected = name.endswith("t")
            name = name.rpartition(" ")[0]
            read = _PASSES[seat]
        else:
            name, colon, labels = name.rpartition(": ")
            cards = tuple(labels.split(" "))
            if not colon or not self.is_name(name):
                return False
            if not _KNOWN.issuperset(cards):
                cards = self.cards(self.words(labels, line), line)
            read = Line("play", seat, cards)
        usual = self.names[seat]
        if usual != name:
            if not self.is_name(name):
                return False
            if usual is None:
                self.names[seat] = name
            else:
                self.printed.append((_Place.BEFORE + len(self.before) + len(self.lines), seat, name))
        if corrected:
            self.report(Code.UNREADABLE, line, corrected=True)
        self.lines.append(read)
        return True

    def result(self, line: str) -> None:
        """The end of a round."""
        result = None
        if match := _RESULT.fullmatch(line):
            result = int(match[1]), int(match[2])
        if result is None or self.section != PLAY:
            self.report(Code.UNREADABLE, line)
        elif line != _result(result):
            self.report(Code.UNREADABLE, line, corrected=True)
        if () in self.hands[EIGHT] or () in self.hands[FOURTEEN] or () in self.gifts:
            self.report(Code.UNREADABLE, "a hand or gift is missing")
        self.end_round(result)

    # what several of them need

    def is_name(self, name: str) -> bool:
        return " " not in name or name in self.hand_names

    def words(self, text: str, line: str) -> list[str]:
        words = text.split(" ")
        if "" in words:  # more than one blank
            self.report(Code.UNREADABLE, line, corrected=True)
            words = list(filter(None, words))
        return words

    def cards(self, labels: Iterable[Label], line: str) -> tuple[Label, ...]:
        """The cards of a line; some may be none."""
        cards = tuple(labels)
        if not _KNOWN.issuperset(cards):
            self.report(Code.LABEL, line)
        return cards

    def report(self, code: Code, what: str, *, corrected: bool = False) -> None:
        """Reports something about a line, once for each place."""
        at = -1 if self.section == BETWEEN else len(self.rounds)
        move = len(self.lines) if self.section == PLAY and code not in _OF_ROUND else -1
        if (key := (at, corrected, move, code)) not in self.findings:
            self.findings[key] = Finding(code, move, f"line {self.number}: {what[:100]}", corrected)

    def end_round(self, result: tuple[int, int] | None) -> None:
        hand_names = tuple([name or "" for name in self.hand_names])
        names = tuple([hand if name is None else name for name, hand in zip(self.names, hand_names, strict=True)])
        other_names = [
            (place, name)
            for place, seat, name in self.printed
            if name != (hand_names if place < _Place.GIFTS else names)[seat]
        ]
        self.rounds.append(
            LoggedRound(
                self.first_line,
                hand_names,
                names,
                tuple(self.hands[EIGHT]),
                tuple(self.hands[FOURTEEN]),
                tuple(self.before),
                tuple(self.gifts),
                self.bombs,
                tuple(self.lines),
                result,
                tuple(sorted(other_names)),
            )
        )
        self.section = BETWEEN

    def end_game(self, code: Code) -> None:
        """Ends the game, and the round if one is being read."""
        if self.section != BETWEEN:
            self.report(code, "the log ends" if code == Code.TOO_SHORT else "a round begins")
            self.end_round(None)
        if self.rounds or self.findings:
            order = list(Code)
            found = sorted(self.findings.items(), key=lambda item: (*item[0][:3], order.index(item[0][3])))
            self.games.append(LoggedGame(self.rounds, [(at, finding) for (at, *_), finding in found]))
            self.rounds, self.findings = [], {}


_OF_ROUND = (Code.TOO_SHORT, Code.RESTARTED, Code.ENCODING)  # as a whole
_PASSES = [Line("pass", seat) for seat in range(4)]
_CALLS = [Line("tichu", seat) for seat in range(4)]
_DRAGONS = [Line("dragon", seat) for seat in range(4)]


# --- writing ----------------------------------------------------------------------------------------------------------


def write(rounds: Sequence[LoggedRound]) -> str:
    """The rounds as the server prints them; of a round that is cut what there is."""
    return "".join([f"{line}\n" for round in rounds for line in _lines(round)])


def _lines(round: LoggedRound) -> Iterator[str]:
    other_names = dict(round.other_names)

    def name(place: int, seat: int) -> str:
        return other_names.get(place, (round.hand_names if place < _Place.GIFTS else round.names)[seat])

    def named(place: int, seat: int) -> str:
        return f"({seat}){name(place, seat)}"

    is_whole = round.result is not None
    has_play = is_whole or bool(round.lines)
    has_exchange = has_play or any(round.gifts)
    has_fourteen = has_exchange or bool(round.before) or any(round.fourteen)
    yield MARKS[EIGHT]
    for seat, cards in enumerate(round.eight):
        if cards:
            yield f"{named(_Place.EIGHT + seat, seat)} {' '.join(cards)} "
    if has_fourteen:
        yield MARKS[FOURTEEN]
    for seat, cards in enumerate(round.fourteen):
        if cards:
            yield f"{named(_Place.FOURTEEN + seat, seat)} {' '.join(cards)} "
    for at, (kind, seat) in enumerate(round.before):
        yield f"{'Grosses ' if kind == 'grand' else ''}Tichu: {named(_Place.BEFORE + at, seat)}"
    if has_exchange:
        yield MARKS[EXCHANGE]
    for seat, gifts in enumerate(round.gifts):
        if gifts:
            place = _Place.GIFTS + 4 * seat
            given = [f"{name(place + way, (seat + way) % 4)}: {card} - " for way, card in enumerate(gifts, 1)]
            yield f"{named(place, seat)} gibt: {''.join(given)}"
    if round.bombs is not None:
        yield f"BOMBE: {''.join([f'{named(_Place.BOMBS + seat, seat)} ' for seat in round.bombs])}"
    if has_play:
        yield MARKS[PLAY]
    for place, line in enumerate(round.lines, _Place.BEFORE + len(round.before)):
        match line.kind:
            case "play":
                yield f"{named(place, line.seat)}: {' '.join(line.cards)} "
            case "pass":
                yield f"{named(place, line.seat)} passt."
            case "wish":
                yield f"Wunsch:{_RANKS[line.rank]}"
            case "tichu":
                yield f"Tichu: {named(place, line.seat)}"
            case "dragon":
                yield f"Drache an: {named(place, line.seat)}"
    if round.result is not None:
        yield _result(round.result)


def _result(result: tuple[int, int]) -> str:
    return f"Ergebnis: {result[0]} - {result[1]}"


_RANKS = {value: rank for rank, value in RANKS.items()}


# --- storing ----------------------------------------------------------------------------------------------------------


class _Packed(Struct, array_like=True):
    """A round as it is stored.

    All cards and lines are one list of symbols: the hands and gifts of all seats, one after the other, then the lines,
    those of a play after its cards. A card is 0..55, a line a number from LINES on; a word that is no card is itself.

    :ivar hand_names: None if they are the ``names``.
    :ivar lengths: of hands and gifts; None if they are the usual ones.
    :ivar symbols: msgpack, compressed by itself: in so little text the names would cost more than they save.
    """

    line: int
    names: tuple[str, ...]
    hand_names: tuple[str, ...] | None
    before: tuple[tuple[str, int], ...]
    bombs: tuple[int, ...] | None
    result: tuple[int, int] | None
    other_names: tuple[tuple[int, str], ...]
    lengths: tuple[int, ...] | None
    symbols: bytes


LINES = len(LABELS)  # + 4 * kind + how many seats after the line before
WISH = LINES + 16  # + rank
KINDS = ("pass", "play", "tichu", "dragon")
USUAL_LENGTHS = (8, 8, 8, 8, 14, 14, 14, 14, 3, 3, 3, 3)

_CODES = {label: code for code, label in enumerate(LABELS)}
_KINDS = {kind: LINES + 4 * code for code, kind in enumerate(KINDS)}
_symbols = msgpack.Decoder(list[int | str])
_packed = msgpack.Decoder(_Packed)


def pack(round: LoggedRound) -> bytes:
    """A round in some 230 bytes."""
    parts = [*round.eight, *round.fourteen, *round.gifts]
    labels = [label for part in parts for label in part]
    symbols: list[int | str] = [_CODES.get(label, label) for label in labels]
    seat = 0
    for line in round.lines:
        if line.kind == "wish":
            symbols.append(WISH + line.rank)
        else:
            symbols += [_CODES.get(label, label) for label in line.cards]
            symbols.append(_KINDS[line.kind] + (line.seat - seat) % 4)
            seat = line.seat
    lengths = tuple(map(len, parts))
    packed = _Packed(
        round.line,
        round.names,
        None if round.hand_names == round.names else round.hand_names,
        round.before,
        round.bombs,
        round.result,
        round.other_names,
        None if lengths == USUAL_LENGTHS else lengths,
        zlib.compress(msgpack.encode(symbols), wbits=-zlib.MAX_WBITS),
    )
    return msgpack.encode(packed)


def unpack(data: bytes) -> LoggedRound:
    """A round from its bytes."""
    packed = _packed.decode(data)
    symbols = iter(_symbols.decode(zlib.decompress(packed.symbols, wbits=-zlib.MAX_WBITS)))
    lengths = packed.lengths or USUAL_LENGTHS
    parts = [tuple(map(_label, islice(symbols, length))) for length in lengths]
    lines = []
    cards: list[Label] = []
    seat = 0
    for symbol in symbols:
        if isinstance(symbol, str) or symbol < LINES:
            cards.append(_label(symbol))
        elif symbol > WISH:
            lines.append(Line("wish", rank=symbol - WISH))
        else:
            kind, way = divmod(symbol - LINES, 4)
            seat = (seat + way) % 4
            lines.append(Line(KINDS[kind], seat, tuple(cards)))
            cards = []
    return LoggedRound(
        packed.line,
        packed.names if packed.hand_names is None else packed.hand_names,
        packed.names,
        tuple(parts[:4]),
        tuple(parts[4:8]),
        packed.before,
        tuple(parts[8:]),
        packed.bombs,
        tuple(lines),
        packed.result,
        packed.other_names,
    )


def _label(symbol: int | str) -> Label:
    return symbol if isinstance(symbol, str) else LABELS[symbol]
