"""Imported games for training, streamed: neither the games nor the file are ever in memory as a whole.

``json``    a line for each round, :class:`ExportedRound`
``npz``     arrays as recordings of the arena have them (:data:`arena.trajectories.ROUND`, ``MOVE``)
``tch``     the logs again, ``<YYYYMM>/<number>.tch``, from the stored fields

They come in the order they were imported in, which is that of their numbers in an archive.
"""

from collections.abc import Callable, Iterator
from datetime import date
from itertools import groupby, islice
from typing import BinaryIO, NamedTuple, cast
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from django.db.models import QuerySet
from msgspec import Struct, field, json

from arena import trajectories
from arena.brettspielwelt import log
from arena.brettspielwelt.archive import SEPARATOR
from arena.brettspielwelt.findings import Code, Finding
from arena.brettspielwelt.log import LoggedRound
from arena.brettspielwelt.models import Game, Round, RoundFinding, RoundSeat
from arena.brettspielwelt.replay import FLAGS, replay
from arena.trajectories import Four, Trajectory
from games.tichu import notation
from games.tichu._core import Round as Position

CHUNK = 200  # games that are read at a time
MEMBER = 4096  # rounds in an array
TARGET = 1000  # points that end a game

Score = tuple[int, int]


class ExportedRound(Struct):
    """A line of the JSON.

    :ivar game: its key (:class:`arena.brettspielwelt.models.Game`).
    :ivar month: its first day.
    :ivar round: its number in the game, from 1.
    :ivar players: names of the seats 0, 1, 2, 3.
    :ivar before: the points before the round, by the rules; of a round that is not usable the log's count.
    :ivar text: the deal and the moves (:mod:`games.tichu.notation`); up to the first contradiction unless usable; ""
        without a deal.
    :ivar score: by the rules; None unless usable. ``logged``: as the log has it; None if it has none.
    :ivar findings: what is wrong with the round. ``move`` is the index of the line of the log's play.
    :ivar elo: of the players, as it is now.
    """

    game: str
    month: date | None
    round: int
    players: tuple[str, ...]
    before: Score
    text: str
    usable: bool
    score: Score | None
    logged: Score | None
    findings: list[Finding] = field(default_factory=list)
    elo: tuple[float, ...] = ()


class ExportedGame(NamedTuple):
    """A game and its rounds; ``before`` are the points before each of them."""

    game: Game
    rounds: list[Round]
    logged: list[LoggedRound]
    before: list[Score]


Show = Callable[[int], object]
"""Is told each time that some games more have been written."""


def games(first: date | None = None, last: date | None = None, *, clean: bool = False) -> Iterator[ExportedGame]:
    """The games of some months.

    :param first, last: first days of months, both included; games without a month belong to none.
    :param clean: only usable rounds, and games that have one.
    """
    chosen = _chosen(first, last).order_by("pk")
    at = 0
    while chunk := list(chosen.filter(pk__gt=at)[:CHUNK]):
        at = chunk[-1].pk
        rows = Round.objects.filter(game__in=chunk).select_related("record").order_by("game_id", "number")
        rounds = {game_id: list(of_game) for game_id, of_game in groupby(rows, lambda round: round.game_id)}
        for game in chunk:
            exported = _game(game, rounds.get(game.pk, []), clean=clean)
            if exported.rounds:
                yield exported


def count(first: date | None = None, last: date | None = None) -> int:
    """How many games :func:`games` has at most."""
    return _chosen(first, last).count()


def write_json(file: BinaryIO, games: Iterator[ExportedGame], show: Show) -> None:
    encoder = json.Encoder()
    while chunk := list(islice(games, CHUNK)):
        findings: dict[int, list[Finding]] = {}
        for found in RoundFinding.objects.filter(game__in=[it.game for it in chunk], round__isnull=False):
            finding = Finding(Code(found.code), found.move, found.detail, found.corrected)
            findings.setdefault(found.round_id or 0, []).append(finding)
        elo = _ratings([it.game for it in chunk])
        for it in chunk:
            for row, logged, before in zip(it.rounds, it.logged, it.before, strict=True):
                round = ExportedRound(
                    it.game.key,
                    it.game.month,
                    row.number,
                    logged.names,
                    before,
                    _text(logged),
                    row.is_usable,
                    _score(row.score_20, row.score_31),
                    logged.result,
                    findings.get(row.pk, []),
                    elo.get(row.pk, ()),
                )
                file.write(encoder.encode(round) + b"\n")
        show(len(chunk))


def write_npz(file: BinaryIO, games: Iterator[ExportedGame], show: Show) -> None:
    """Writes ``rounds_00000``, ``moves_00000``, ``rounds_00001``, …, some thousand rounds in each, as ``numpy.load``
    reads them one by one.

    In an array of rounds ``pair`` is the number of the game, or minus the key of its row where its log had none,
    ``number`` that of the round in its game, from 0. Only usable rounds are there.
    """
    played = _trajectories(games, show)
    with ZipFile(file, "w", ZIP_DEFLATED) as members:
        number = 0
        while chunk := list(islice(played, MEMBER)):
            frame = trajectories.decode(trajectories.encode(chunk))
            for name, array in zip(("rounds", "moves"), frame, strict=True):
                with members.open(f"{name}_{number:05}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, array, allow_pickle=False)
            number += 1


def write_tch(write: Callable[[str, bytes], object], games: Iterator[ExportedGame], show: Show) -> None:
    """Writes a log for each file that was read.

    :param write: takes the name of a file and what is in it.
    """
    for _, of_file in groupby(games, lambda it: it.game.number or it.game.key):
        several = list(of_file)
        game = several[0].game
        folder = f"{game.month:%Y%m}/" if game.month else ""
        text = f"{SEPARATOR.decode()}\n".join(log.write(it.logged) for it in several)
        write(f"{folder}{game.number or game.key}.tch", text.encode())
        show(len(several))


# --- what they have in common -----------------------------------------------------------------------------------------


def _chosen(first: date | None, last: date | None) -> QuerySet[Game]:
    months = {"month__gte": first, "month__lte": last}
    return Game.objects.filter(**{name: month for name, month in months.items() if month})


def _game(game: Game, rounds: list[Round], *, clean: bool) -> ExportedGame:
    exported = ExportedGame(game, [], [], [])
    team_20 = team_31 = 0
    for round in rounds:
        if round.is_usable or not clean:
            exported.rounds.append(round)
            exported.logged.append(log.unpack(bytes(round.record.data)))
            exported.before.append((team_20, team_31))
        points = _score(round.score_20, round.score_31) or _score(round.logged_20, round.logged_31) or (0, 0)
        team_20, team_31 = team_20 + points[0], team_31 + points[1]
    return exported


def _score(team_20: int | None, team_31: int | None) -> Score | None:
    return None if team_20 is None or team_31 is None else (team_20, team_31)


def _ratings(games: list[Game]) -> dict[int, tuple[float, ...]]:
    """By the keys of rounds, of who played on each seat."""
    found: dict[int, list[float]] = {}
    seats = RoundSeat.objects.filter(round__game__in=games).order_by("round_id", "seat")
    for round_id, elo in seats.values_list("round_id", "player__elo"):
        found.setdefault(round_id, []).append(elo)
    return {key: tuple(of) for key, of in found.items()}


def _text(logged: LoggedRound) -> str:
    replayed = replay(logged)
    if not replayed.moves:
        return ""
    return notation.text_of(Position(replayed.first_eight, replayed.fourteen, FLAGS), replayed.moves)


def _trajectories(games: Iterator[ExportedGame], show: Show) -> Iterator[Trajectory]:
    for it in games:
        for row, logged, before in zip(it.rounds, it.logged, it.before, strict=True):
            replayed = replay(logged)
            if replayed.score is not None:
                yield Trajectory(
                    it.game.number or -it.game.pk,
                    0,
                    row.number - 1,
                    FLAGS,
                    TARGET,
                    before,
                    cast(Four, replayed.first_eight),
                    cast(Four, replayed.fourteen),
                    replayed.moves,
                    replayed.score,
                )
        show(1)
