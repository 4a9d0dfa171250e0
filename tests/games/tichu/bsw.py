"""Replays rounds that people played on the Brettspielwelt server, from its ``.tch`` logs.

A log names cards, not combinations. Where the phoenix leaves two readings, or a play could be a lead or a bomb, every
position is kept that the lines so far allow; the lines that follow decide.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from games.game import IllegalAction
from games.tichu import _core
from games.tichu import round as rounds
from games.tichu._core import Round
from games.tichu.cards import CardSet, from_labels, parse
from games.tichu.combinations import Combination, readings
from games.tichu.rules import RuleSet

RANKS = {"B": 11, "D": 12, "K": 13, "A": 14, **{str(rank): rank for rank in range(2, 11)}}


@dataclass
class Log:
    """The lines of one round, and its score."""

    eight: list[str] = field(default_factory=list)
    fourteen: list[str] = field(default_factory=list)
    exchange: list[str] = field(default_factory=list)
    play: list[str] = field(default_factory=list)
    score: tuple[int, int] = (0, 0)


def logs(path: Path) -> Iterator[Log]:
    """The complete rounds of a file."""
    log = Log()
    lines = log.exchange
    for line in map(str.strip, path.read_text(encoding="utf-8").splitlines()):
        if "Gr.Tichukarten" in line:
            log = Log()
            lines = log.eight
        elif "Startkarten" in line:
            lines = log.fourteen
        elif "Rundenverlauf" in line:
            lines = log.play
        elif line.startswith("Ergebnis: "):
            team_20, team_31 = re.findall(r"(-?\d+)(?: - |$)", line)
            log.score = (int(team_20), int(team_31))
            yield log
        else:
            if lines is log.fourteen and len(lines) == 4:
                lines = log.exchange
            lines.append(line)


def replay(log: Log) -> Round:
    """The round at its end.

    :raises ValueError: the rules do not allow what the log says, or it leaves the score open.
    """
    positions = [start(log)]
    for line in log.play:
        following = [position for before in positions for position in follow(before, line)]
        positions = list({position.row: position for position in following}.values())
        if not positions:
            raise ValueError(f"not allowed: {line!r}")
    scores = {position.score() for position in positions if position.phase == _core.DONE}
    if len(scores) != 1:
        raise ValueError(f"the score is one of {scores}")
    return next(position for position in positions if position.phase == _core.DONE)


def start(log: Log) -> Round:
    """The round up to the first lead."""
    first8, hands = ([cards(line) for line in lines] for lines in (log.eight, log.fourteen))
    round = Round(first8, hands, RuleSet.brettspielwelt().flags)
    grand = {seat(line) for line in log.exchange if line.startswith("Grosses Tichu: ")}
    for player in range(4):
        rounds.grand(round, player, player in grand)
    for line in log.exchange:
        if line.startswith("Tichu: ") and round.can_call(seat(line)):
            rounds.announce(round, seat(line))
    for line in log.exchange:
        if " gibt: " in line:
            right, partner, left = (parse(label(word)) for word in re.findall(r": (\S+) -", line))
            rounds.schupf(round, seat(line), (right, partner, left))
    return round


def follow(before: Round, line: str) -> Iterator[Round]:
    """The positions that a line of play can lead to."""
    for attempt in attempts(before, line):
        round = before.copy()
        try:
            attempt(round)
        except IllegalAction:
            continue
        yield round


def attempts(round: Round, line: str) -> Iterator[Callable[[Round], object]]:
    """What a line can mean."""
    if line.startswith("Wunsch:"):
        yield partial(wish, value=RANKS[line.removeprefix("Wunsch:")])
    elif line.startswith("Tichu: "):
        yield partial(call, player=seat(line))
    elif line.startswith("Drache an: "):
        yield partial(give_dragon, recipient=seat(line))
    elif line.rstrip(".").endswith("passt"):
        yield partial(pass_or_take, player=seat(line))
    else:
        played = cards(line)
        yield partial(bomb, player=seat(line), played=played)
        metas = readings(played) + readings(played, round.trick_meta)
        for rank in {Combination.of_meta(meta).rank for meta in metas}:
            yield partial(play, player=seat(line), played=played, rank=rank)


def wish(round: Round, value: int) -> None:
    rounds.wish(round, round.turn, value)


def call(round: Round, player: int) -> None:
    if round.can_call(player):  # some stand there twice
        rounds.announce(round, player)


def give_dragon(round: Round, recipient: int) -> None:
    if round.phase != _core.DONE:  # in a double victory the line means nothing
        catch_up(round)
        rounds.give_dragon(round, round.owner, recipient)


def pass_or_take(round: Round, player: int) -> None:
    """An owner with cards logs a last pass when he takes his trick."""
    omit_wish(round)
    if round.owner == player:
        rounds.take(round)
    else:
        rounds.play(round, player, 0)


def bomb(round: Round, player: int, played: CardSet) -> None:
    omit_wish(round)
    rounds.bomb(round, player, played)


def play(round: Round, player: int, played: CardSet, rank: int) -> None:
    catch_up(round)
    rounds.play(round, player, played, rank)


def catch_up(round: Round) -> None:
    """What has happened without a line of its own: an owner without cards has taken his trick."""
    omit_wish(round)
    if round.phase == _core.PLAY and round.turn == round.owner and not round.hand(round.owner):
        rounds.take(round)


def omit_wish(round: Round) -> None:
    """A wish that is not logged was omitted."""
    if round.phase == _core.WISH:
        rounds.wish(round, round.turn, 0)


# --- words ------------------------------------------------------------------------------------------------------------


def seat(line: str) -> int:
    """The first seat that a line names."""
    return int(line[line.index("(") + 1])


def label(word: str) -> str:
    return word.replace("10", "Z")


def cards(line: str) -> CardSet:
    """The cards after a name; names have no blanks."""
    return sum(from_labels(label(line.partition(" ")[2])))
