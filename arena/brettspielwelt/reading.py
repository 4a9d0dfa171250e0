"""Logs read, replayed and judged, as they will be stored: what an import does in its worker processes.

    Source --log.parse--> games of rounds --replay--> findings, scores, figures --log.pack--> rows

This is pure: a worker knows nothing of the database, and what it sends home is small.
"""

import os
from collections.abc import Iterator, Sequence
from datetime import date
from hashlib import sha256
from itertools import pairwise
from multiprocessing import parent_process
from threading import Thread
from typing import Any, NamedTuple, TypeAlias
from unicodedata import category

from arena.brettspielwelt import log
from arena.brettspielwelt.archive import Source
from arena.brettspielwelt.findings import Code, Finding
from arena.brettspielwelt.log import LoggedGame, LoggedRound
from arena.brettspielwelt.replay import Replayed, beginnings, final_score, judge_game, replay

NAME_LENGTH = 100  # characters
MOST_ROUNDS = 32_767  # of a game: what a column can number
MOST_POINTS = 10**9

Found: TypeAlias = tuple[int, Finding]  # in which round, from 0; -1 is the game's own


class ReadRound(NamedTuple):
    """A round.

    :ivar columns: of :class:`arena.brettspielwelt.models.Round` in its order, from ``state`` on.
    :ivar names: per seat, like ``calls``, ``places`` and ``bombs``.
    """

    record: bytes
    is_usable: bool
    columns: tuple[Any, ...]
    names: tuple[str, ...]
    calls: tuple[int, ...]
    places: tuple[int, ...]
    bombs: tuple[int, ...]


class ReadGame(NamedTuple):
    """The columns of a game, and its rounds.

    :ivar key: the number in the file's name; a checksum of the game as it is written again if there is none.
    :ivar score: when a team had won, as the server counted; at the end if none has.
    :ivar found: what was not corrected before what was, the game's own before that of its rounds.
    """

    key: str
    is_finished: bool
    score: tuple[int, int]
    found: list[Found]
    rounds: list[ReadRound]


class ReadFile(NamedTuple):
    """What a source is.

    :ivar checksum: of its text.
    :ivar games: those that have a round.
    :ivar why: there is none; "" otherwise.
    :ivar found: what is wrong where no round is.
    """

    name: str
    number: int | None
    month: date | None
    checksum: str
    games: Sequence[ReadGame] = ()
    why: str = ""
    found: Sequence[Finding] = ()


def read(sources: Sequence[Source | ReadFile]) -> list[ReadFile]:
    """Reads logs. None of them stops the others.

    :param sources: what needs no reading keeps its place among them.
    """
    return [_read(source) if isinstance(source, Source) else source for source in sources]


def begin_worker() -> None:
    """Lets this process end with its parent, however that ends."""
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)


def unread(source: Source) -> ReadFile:
    """What is known of a source without reading it.

    Games without a number are copied from file to file; so what stands around them, and how their lines end, is not in
    the checksum.
    """
    data = source.data if source.number is not None else source.data.replace(b"\r", b"").strip(b" \n")
    return ReadFile(printable(source.name), source.number, source.month, sha256(data).hexdigest())


def _read(source: Source) -> ReadFile:
    file = unread(source)
    try:
        parsed = log.parse(source.data, source.line)
        games = [
            _game(source.number, place, game, replayed)
            for place, (game, replayed) in enumerate((each for game in parsed for each in _games(game)), 1)
        ]
    except Exception as error:  # an error of this program, but a hundred thousand games come after this one
        return file._replace(why=printable(f"{type(error).__name__}: {error}"))
    found = [finding for game in parsed if not game.rounds for _, finding in game.findings]
    if not games:
        first = found[0] if found else Finding(Code.EMPTY)
        return file._replace(why=printable(first.detail or first.code), found=found or [first])
    return file._replace(games=games, found=found)


def _games(game: LoggedGame) -> Iterator[tuple[LoggedGame, list[Replayed]]]:
    """The games in what the grammar takes for one, replayed; what is in no round belongs to the first."""
    replayed = [replay(logged) for logged in game.rounds]
    for first, end in pairwise([*beginnings(game.rounds, replayed), len(game.rounds)]):
        found = [(at - first, finding) for at, finding in game.findings if first <= max(at, 0) < end]
        yield LoggedGame(game.rounds[first:end], found), replayed[first:end]


def _game(number: int | None, place: int, game: LoggedGame, replayed: Sequence[Replayed]) -> ReadGame:
    """
    :param number: of its file.
    :param place: of the game in its file, from 1.
    :raises ValueError: it has too many rounds.
    """
    if len(game.rounds) > MOST_ROUNDS:
        raise ValueError(f"a game of {len(game.rounds)} rounds")
    if number is None:
        key = sha256(log.write(game.rounds).encode(errors="replace")).hexdigest()
    else:
        key = f"{number}#{place}" if place > 1 else str(number)
    own = [finding for at, finding in game.findings if at < 0] + judge_game(game.rounds, replayed)
    found = [(-1, finding) for finding in own]
    rounds = []
    for at, (logged, result) in enumerate(zip(game.rounds, replayed, strict=True)):
        findings = [finding for where, finding in game.findings if where == at]
        codes = {finding.code for finding in findings}  # a text that is cut makes a round that is
        findings += [finding for finding in result.findings if finding.code not in codes]
        findings.sort(key=_is_corrected)
        found += [(at, finding) for finding in findings]
        rounds.append(_round(logged, result, findings))
    score = final_score(game.rounds, replayed)
    return ReadGame(
        key,
        all(finding.code != Code.GAME_UNFINISHED for finding in own),
        (_bounded(score[0]), _bounded(score[1])),
        sorted(found, key=lambda found: found[1].corrected),
        rounds,
    )


def _round(logged: LoggedRound, result: Replayed, findings: Sequence[Finding]) -> ReadRound:
    columns = (
        findings[0].code.value if findings else "",
        result.usable,
        *(result.score or (None, None)),
        *(logged.result or (None, None)),
        4 - result.calls.count(0),
        sum(result.bombs),
        result.bombs_held,
        result.double_victory,
        result.tricks,
        result.moves_count,
        result.wish,
        result.dragon,
    )
    names = tuple([clean(name)[:NAME_LENGTH] for name in (*logged.names, "", "", "", "")[:4]])
    return ReadRound(log.pack(logged), result.usable, columns, names, result.calls, result.places, result.bombs)


def clean(text: str) -> str:
    """What any database takes as a text."""
    return text if text.isprintable() else text.replace("\0", "\ufffd").encode(errors="replace").decode()


def printable(text: str) -> str:
    """What any terminal shows as a text, and any database takes: nothing in it is a command."""
    if text.isprintable():
        return text
    return "".join([sign if sign.isprintable() or category(sign) == "Zs" else "\ufffd" for sign in text])


def _bounded(score: int) -> int:
    """What a column takes; some logs say anything."""
    return max(-MOST_POINTS, min(score, MOST_POINTS))


def _is_corrected(finding: Finding) -> bool:
    return finding.corrected
