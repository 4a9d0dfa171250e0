"""Every single mutation of real rounds: what makes the record impossible or changes its score is noticed.

A mutation that is not noticed must be one that the log could as well have said. Another replayer decides so
(:mod:`tests.games.tichu.bsw`): it reads the lines of the written log, and lets the live table's functions check them.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.brettspielwelt.findings import Code
from arena.brettspielwelt.log import LABELS, Line, LoggedRound, write
from arena.brettspielwelt.replay import replay
from tests.arena.brettspielwelt.test_replay import CUT_OFF, GRAND_NOT_SCORED, ROUNDS
from tests.games.tichu import bsw

Mutation = tuple[str, LoggedRound]

CLEAN = sorted(ROUNDS.keys() - CUT_OFF - GRAND_NOT_SCORED)
QUICK = ["own_dragon_bombed-1", "tichu_before_schupfen-1"]


UNNOTICED = {  # of 378,774 mutations of the 66 clean rounds
    "dragon: removed": 37,  # either opponent makes the same score, as below
    "dragon: seat": 37,
    "exchanged card": 79,  # two cards that nobody plays, or that play the same
    "grand before: seat": 2,  # lost by the partner
    "grand before: twice": 8,  # counts once, as below
    "pass: added": 27,  # before a bomb out of turn
    "pass: removed": 18,
    "pass: swapped with the next line": 5,  # a call
    "play: card removed": 35,
    "play: card replaced": 384,  # by one that plays the same, the other stays in hand to the end or plays the same, too
    "play: removed": 5,  # before a bomb; the card stays in hand to the end
    "play: swapped with the next line": 17,  # a call of somebody else
    "tichu before: twice": 1,
    "tichu: seat": 3,
    "tichu: twice": 31,
    "wish: rank": 114,  # nobody who had it could have played it
    "wish: removed": 57,
    "wish: swapped with the next line": 6,  # a call
}


def mutations(logged: LoggedRound) -> Iterator[Mutation]:
    """All of them, with their kinds."""
    yield from of_the_score(logged)
    yield from of_the_exchange(logged)
    lines = logged.lines
    for at, line in enumerate(lines):
        for kind, other in of_a_line(line):
            yield kind, replace(logged, lines=put(lines, at, other))
        yield f"{line.kind}: removed", replace(logged, lines=put(lines, at))
        yield f"{line.kind}: twice", replace(logged, lines=put(lines, at, line, line))
        if lines[at + 1 : at + 2] not in ((), (line,)):
            swapped = (*lines[:at], lines[at + 1], line, *lines[at + 2 :])
            yield f"{line.kind}: swapped with the next line", replace(logged, lines=swapped)
    for at in range(len(lines) + 1):
        for seat in range(4):
            yield "pass: added", replace(logged, lines=(*lines[:at], Line("pass", seat), *lines[at:]))


def of_the_score(logged: LoggedRound) -> Iterator[Mutation]:
    assert logged.result
    team_20, team_31 = logged.result
    for more in (-400, -200, -100, -50, -5, 5, 50, 100, 200, 400):
        yield "score", replace(logged, result=(team_20 + more, team_31))
        yield "score", replace(logged, result=(team_20, team_31 + more))
        yield "score", replace(logged, result=(team_20 + more, team_31 - more))
    if team_20 != team_31:
        yield "score", replace(logged, result=(team_31, team_20))


def of_the_exchange(logged: LoggedRound) -> Iterator[Mutation]:
    for at, (kind, seat) in enumerate(logged.before):
        yield f"{kind} before: removed", replace(logged, before=put(logged.before, at))
        yield f"{kind} before: twice", replace(logged, before=put(logged.before, at, (kind, seat), (kind, seat)))
        for other in others(seat, range(4)):
            yield f"{kind} before: seat", replace(logged, before=put(logged.before, at, (kind, other)))
    for seat, cards in enumerate(logged.gifts):
        gifts = [put(cards, at, other) for at, card in enumerate(cards) for other in others(card, LABELS)]
        right, partner, left = cards
        gifts += [(partner, right, left), (left, partner, right), (right, left, partner)]
        for gift in gifts:
            yield "exchanged card", replace(logged, gifts=put(logged.gifts, seat, gift))


def of_a_line(line: Line) -> Iterator[tuple[str, Line]]:
    if line.kind == "wish":
        for rank in others(line.rank, range(2, 15)):
            yield "wish: rank", replace(line, rank=rank)
    else:
        for seat in others(line.seat, range(4)):
            yield f"{line.kind}: seat", replace(line, seat=seat)
    for at, card in enumerate(line.cards):
        yield "play: card removed", replace(line, cards=put(line.cards, at))
        for other in others(card, LABELS):
            yield "play: card replaced", replace(line, cards=put(line.cards, at, other))
    if line.cards:
        for other in LABELS:
            yield "play: card added", replace(line, cards=(*line.cards, other))


def put(items: tuple[Any, ...], at: int, *instead: Any) -> tuple[Any, ...]:
    return (*items[:at], *instead, *items[at + 1 :])


def others(one: Any, all_of_them: Any) -> list[Any]:
    return [other for other in all_of_them if other != one]


def judge(name: str, tmp_path: Path) -> tuple[Counter[str], Counter[str]]:
    """How many mutations of a round there are, and how many of them are not noticed, by kind.

    Corrected findings do not count as noticed.
    """
    logged = replace(ROUNDS[name], other_names=())
    tried: Counter[str] = Counter()
    unnoticed: list[Mutation] = []
    for kind, mutation in mutations(logged):
        tried[kind] += 1
        replayed = replay(mutation)
        if all(finding.corrected for finding in replayed.findings):
            assert replayed.usable, (kind, mutation)
            assert replayed.score == mutation.result, (kind, mutation)
            unnoticed.append((kind, mutation))
    path = tmp_path / f"{name}.tch"
    written = [(kind, other) for kind, mutation in unnoticed for other in with_the_dragon(mutation)]
    path.write_text(write([mutation for _, mutation in written]), encoding="utf-8")
    for (kind, mutation), log in zip(written, bsw.logs(path), strict=True):
        assert bsw.replay(log).score() == mutation.result, (kind, mutation)
    return tried, Counter(kind for kind, _ in unnoticed)


def with_the_dragon(logged: LoggedRound) -> list[LoggedRound]:
    """The round; if it lacks the line of the dragon, with that for the one and the other opponent."""
    replayed = replay(logged)
    for finding in replayed.findings:
        if finding.code == Code.DRAGON_NOT_GIVEN:
            giver = next(seat for seat, decision, _ in replayed.moves if decision == "dragon")
            before, after = logged.lines[: finding.move], logged.lines[finding.move :]
            return [replace(logged, lines=(*before, Line("dragon", (giver + away) % 4), *after)) for away in (1, 3)]
    return [logged]


@pytest.mark.parametrize("name", QUICK)
def test_what_is_not_noticed_replays_to_the_logged_score(name: str, tmp_path: Path) -> None:
    tried, unnoticed = judge(name, tmp_path)
    assert unnoticed.total() < tried.total() / 100


@pytest.mark.slow
def test_in_all_rounds_what_is_not_noticed_replays_to_the_logged_score(tmp_path: Path) -> None:
    tried: Counter[str] = Counter()
    unnoticed: Counter[str] = Counter()
    for name in CLEAN:
        of_round = judge(name, tmp_path)
        tried += of_round[0]
        unnoticed += of_round[1]
    assert tried.total() == 378_774
    assert unnoticed == UNNOTICED


def test_a_missing_line_of_the_dragon_matters_if_the_opponents_make_different_scores() -> None:
    """Where it was corrected, either of them was tried; here the one and the other is written into the log."""
    for name in CLEAN:
        logged = ROUNDS[name]
        for at, line in enumerate(logged.lines):
            if line.kind == "dragon":
                other = replay(replace(logged, lines=put(logged.lines, at, replace(line, seat=(line.seat + 2) % 4))))
                missing = replay(replace(logged, lines=put(logged.lines, at)))
                assert missing.usable == (other.score == logged.result)
