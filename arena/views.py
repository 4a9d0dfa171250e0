"""Replays of recorded rounds of the arena and of logs of the Brettspielwelt; the page itself is :mod:`games.views`."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import msgspec
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.brettspielwelt import log as text
from arena.brettspielwelt.findings import Code
from arena.brettspielwelt.log import LoggedRound
from arena.brettspielwelt.models import Game, Round, RoundFinding
from arena.brettspielwelt.replay import FLAGS, Replayed
from arena.brettspielwelt.replay import replay as replay_log
from arena.models import ArenaRun
from games import replay
from games.replay import Note, Replay, Score, Unplayed
from games.tichu import _core, notation
from games.tichu import cards as deck
from games.tichu.game import Options
from games.tichu.notation import Acted
from games.views import Refused, answer, replay_view, title_of

if TYPE_CHECKING:
    from arena.trajectories import Trajectory

SEATS = range(4)

# --- recorded runs ----------------------------------------------------------------------------------------------------


@replay_view("arena.view_arenarun")
def run(request: HttpRequest, pk: int, pair: int, half: int) -> HttpResponse:
    """A match of a recorded run, or a round if it was one of rounds. Half 1 has the partnerships exchanged."""
    row = ArenaRun.objects.filter(pk=pk).first()
    if row is None or half > 1 or pair >= row.pairs:
        raise Refused(404, _("There is no such match."))
    if not row.recording:
        raise Refused(404, _("The rounds of this run were not recorded."))
    slots = [str(seat.version.text) for seat in row.seats.select_related("version")]
    seats = [slots[seat ^ half] for seat in SEATS]
    trajectories = _recorded(row, pair, half)
    place = 2 * pair + half
    recorded = 2 * min(row.pairs, row.batches_played * row.batch_pairs)

    def address(place: int) -> str:
        return reverse("replay-run", args=[row.pk, *divmod(place, 2)]) if 0 <= place < recorded else ""

    def load(index: int) -> Replay:
        chosen = trajectories[index]
        dealt = _core.Round(chosen.first_eight, chosen.fourteen, chosen.rules)
        return Replay(
            ("run", row.name, pair, half),
            replay.teams(seats),
            replay.told_apart(seats),
            [trajectory.result for trajectory in trajectories],
            index + 1,
            replay.steps(notation.actions_of(dealt, chosen.moves), msgspec.convert({"rules": row.rules}, Options)),
            home=reverse("admin:arena_arenarun_change", args=[row.pk]),
            before=address(place - 1),
            after=address(place + 1),
        )

    return answer(request, f"{title_of(seats)} · {row.name}", load)


def _recorded(run: ArenaRun, pair: int, half: int) -> "list[Trajectory]":
    """The rounds of that half of the pair. Only the frame of its batch is read.

    :raises Refused: they are not there.
    """
    import numpy as np  # with this module a worker of the web would need it; who never looks at a run does not

    from arena.trajectories import Frame, RecordingError, read_batches

    try:
        with Path(run.recording).open("rb") as file:
            frame = next(read_batches(file, {pair // run.batch_pairs}), None)
    except (OSError, RecordingError) as error:
        why = f"{run.recording}, {getattr(error, 'strerror', error)}"
        raise Refused(404, _("The recording of this run cannot be read: {path}").format(path=why)) from error
    if frame is None:
        raise Refused(404, _("This pair has not been recorded yet."))
    ends = np.cumsum(frame.rounds["moves"])
    chosen = np.flatnonzero((frame.rounds["pair"] == pair) & (frame.rounds["half"] == half))
    if not len(chosen):
        raise Refused(404, _("This pair has not been recorded yet."))
    moves = [frame.moves[ends[at] - frame.rounds["moves"][at] : ends[at]] for at in chosen]
    return list(Frame(frame.rounds[chosen], np.concatenate(moves)).trajectories())


# --- logs of the Brettspielwelt ---------------------------------------------------------------------------------------


@replay_view("brettspielwelt.view_game")
def log(request: HttpRequest, key: str) -> HttpResponse:
    """A logged game. Where the rules contradict the log, its other lines follow as text."""
    game = Game.objects.filter(key=key).first()
    if game is None:
        raise Refused(404, _("There is no such match."))
    rounds = list(game.rounds.order_by("number"))
    source = _source(game, rounds[0])

    def load(index: int) -> Replay:
        round = rounds[index]
        logged = text.unpack(bytes(round.record.data))
        steps, rest = _played(logged, _findings(round, index, is_last=index == len(rounds) - 1))
        names, results = _names(logged), [*map(_result, rounds)]
        home = reverse("admin:brettspielwelt_game_change", args=[game.pk])
        return Replay(source, replay.teams(names), replay.told_apart(names), results, index + 1, steps, rest, home)

    names = [seat.player.name for seat in game.seats.select_related("player")]
    return answer(request, f"{title_of([*names, *'????'][:4])} · Brettspielwelt {source[1]}", load)


def _source(game: Game, first: Round) -> tuple[str | int, ...]:
    """A game without a number is named by its file, and by the line where it begins."""
    if game.number is not None:
        return "log", game.key
    return "file", PurePosixPath(game.source).name, text.unpack(bytes(first.record.data)).line


def _result(round: Round) -> Score | None:
    """By the rules; what the log says where they cannot tell."""
    if round.score_20 is not None and round.score_31 is not None:
        return round.score_20, round.score_31
    if round.logged_20 is not None and round.logged_31 is not None:
        return round.logged_20, round.logged_31
    return None


def _names(logged: LoggedRound) -> list[str]:
    names = [*(logged.names or logged.hand_names), "", "", "", ""]
    return [names[seat] or f"({seat})" for seat in SEATS]


def _findings(round: Round, index: int, *, is_last: bool) -> list[tuple[int, Note]]:
    """What is wrong in the round, with the index of its line: -1 before the play, :data:`END` after it."""
    own = Q(round=None, move=index) | (Q(round=None, move=-1) if is_last else Q())
    rows = RoundFinding.objects.filter(Q(round=round) | own, game=round.game_id)
    return [(_line(row), Note(row.code, row.detail, row.corrected)) for row in rows]


def _line(row: RoundFinding) -> int:
    if row.round_id and row.move >= 0:
        return row.move
    return END if row.code in AT_THE_END else -1


END = 2**31
AT_THE_END = {
    Code.TOO_SHORT,
    Code.RESTARTED,
    Code.SCORE_IMPOSSIBLE,
    Code.GRAND_NOT_SCORED,
    Code.SCORE_MISMATCH,
    Code.GAME_UNFINISHED,
}


def _played(logged: LoggedRound, findings: Sequence[tuple[int, Note]]) -> tuple[list[replay.Step], list[Unplayed]]:
    """The round as far as the rules can follow it, and the lines of the log after that."""
    replayed = replay_log(logged)
    actions = _actions(replayed)
    steps = replay.steps(actions, Options(rules="brettspielwelt"))
    lines = list(_lines(actions, replayed))
    printed = text.write([logged]).split("\n")[:-1]
    play = len(printed) - len(logged.lines) - (logged.result is not None)
    if not steps:
        end = 0
    elif steps[-1].result:
        end = len(printed)
    elif not replayed.moves:
        end = printed.index(text.MARKS[text.FOURTEEN]) + 5
    else:  # nothing is found behind a contradiction
        end = play + max([lines[-1] + 1, *(finding.move for finding in replayed.findings)])
    rest = [Unplayed(line) for line in printed[end:]]
    for line, note in findings:
        place: replay.Step | Unplayed
        if rest and (not steps or (line >= 0 and play + line >= end)):
            place = rest[min(max(play + line - end, 0), len(rest) - 1) if line >= 0 else 0]
        else:
            place = steps[max(bisect_right(lines, line) - 1, 0) if line >= 0 else 0]
        place.notes = [*place.notes, note]
    return steps, rest


def _actions(replayed: Replayed) -> list[Acted]:
    """Nothing if the log has no deal that is right."""
    hands = list(zip(replayed.first_eight, replayed.fourteen, strict=True))
    if sum(replayed.fourteen) != deck.DECK or any(eight & ~fourteen or not eight for eight, fourteen in hands):
        return []
    return notation.begun(_core.Round(replayed.first_eight, replayed.fourteen, FLAGS), replayed.moves)


def _lines(actions: Sequence[Acted], replayed: Replayed) -> Iterator[int]:
    """For each action the line that it comes from, ascending; -1 before the play."""
    lines = iter(replayed.lines)
    last = -1
    for seat, _action in actions:
        if seat is not None:
            last = max(last, next(lines))
        yield last
