"""Logs with anything wrong in their bytes end in findings, never in an exception, and nothing is changed in silence."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.brettspielwelt.findings import Finding
from arena.brettspielwelt.log import LABELS, MARKS, pack, parse, unpack, write
from arena.brettspielwelt.replay import judge_game, replay
from games.tichu import notation
from games.tichu._core import Round
from games.tichu.rules import RuleSet

SAMPLES = Path(__file__).parents[2] / "data" / "bsw"
RULES = RuleSet.brettspielwelt().flags
ROUNDS = [
    write([round]).encode()
    for path in sorted(SAMPLES.rglob("*.tch"))
    for game in parse(path.read_bytes())
    for round in game.rounds
]
WORDS = [
    *(label.encode() for label in LABELS),
    *(mark.encode() + b"\n" for mark in MARKS.values()),
    *(b" passt.\n", b" passt", b" gibt: ", b": ", b" - ", b"Tichu: ", b"Grosses Tichu: ", b"Drache an: ", b"BOMBE: "),
    *(b"Wunsch:", b"Ergebnis: ", b"(0)", b"(1)", b"(2)", b"(3)", b"(4)", b"-175", b"10", b"9" * 5000, b"Z"),
    *(
        b"\n",
        b"\r",
        b"\0",
        b" ",
        b"  ",
        b"\xa0",
        b"\xc2\xa0",
        b"\xc2\x85",
        b"\x85",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\xc3",
    ),
]

Part = list[bytes]  # bytes, or lines


def flip(rng: Random, parts: Part) -> None:
    at = rng.randrange(len(parts))
    parts[at] = bytes([byte ^ 1 << rng.randrange(8) if rng.random() < 0.5 else byte for byte in parts[at]])


def delete(rng: Random, parts: Part) -> None:
    at = rng.randrange(len(parts))
    del parts[at : at + _length(rng)]


def insert(rng: Random, parts: Part) -> None:
    parts.insert(rng.randrange(len(parts) + 1), rng.choice(WORDS))


def duplicate(rng: Random, parts: Part) -> None:
    at = rng.randrange(len(parts))
    block = parts[at : at + _length(rng)]
    to = at if rng.random() < 0.5 else rng.randrange(len(parts) + 1)
    parts[to:to] = block


def swap(rng: Random, parts: Part) -> None:
    one, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    parts[one], parts[other] = parts[other], parts[one]


def cut(rng: Random, parts: Part) -> None:
    del parts[rng.randrange(len(parts)) :]


def _length(rng: Random) -> int:
    """One mostly, or a block."""
    return 1 if rng.random() < 0.7 else rng.randrange(1, 20)


MUTATIONS: list[Callable[[Random, Part], None]] = [flip, delete, insert, duplicate, swap, cut]


def mutated(number: int) -> bytes:
    """A round or two of the samples with one to five mutations of bytes, words and lines; always the same."""
    rng = Random(number)
    text = b"".join(rng.choices(ROUNDS, k=1 if rng.random() < 0.9 else 2))
    while text:
        kind = rng.randrange(4)
        if kind == 0:
            parts = [bytes([byte]) for byte in text]
            between = b""
        elif kind == 1:
            parts = text.split(b" ")
            between = b" "
        else:
            parts = text.splitlines(keepends=True)
            between = b""
        weights = [1, 1, 1, 1, 1, 0.2]
        rng.choices(MUTATIONS, weights)[0](rng, parts)
        text = between.join(parts)
        if rng.random() < 0.6:
            break
    return text


def lines(text: str) -> list[str]:
    """What must be kept of a text without a defect."""
    return [line for raw in text.split("\n") if (line := raw.rstrip(" \r")) not in ("", "--END GAME--")]


def check(data: bytes) -> None:
    """Reads, replays, stores and writes a log.

    :raises AssertionError: a finding says something that cannot be, a defect is not told, or something is lost.
    """
    games = parse(data)
    assert games
    findings: list[Finding] = []
    for game in games:
        assert game.rounds or game.findings
        assert all(-1 <= at < len(game.rounds) for at, _ in game.findings)
        findings += [finding for _, finding in game.findings]
        replayed = [replay(round) for round in game.rounds]
        judge_game(game.rounds, replayed)
        for round, result in zip(game.rounds, replayed, strict=True):
            assert unpack(pack(round)) == round
            assert result.usable == (result.score is not None)
            assert len(result.moves) == len(result.lines)
            assert all(-1 <= at < len(round.lines) for at in result.lines)
            assert result.usable or result.findings
            if result.usable:
                notation.actions_of(Round(result.first_eight, result.fourteen, RULES), result.moves)
    rounds = [round for game in games for round in game.rounds]
    written = write(rounds)
    if not findings:
        assert lines(written) == lines(data.decode("utf-8-sig"))
    again = [replace(round, line=0) for game in parse(written) for round in game.rounds]
    assert again == [replace(round, line=0) for round in rounds]


@pytest.mark.parametrize("first", range(0, 1000, 250))
def test_mutations_of_real_rounds_end_in_findings(first: int) -> None:
    for number in range(first, first + 250):
        check(mutated(number))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 50_000, 7000))
def test_fifty_thousand_mutations_of_real_rounds_end_in_findings(first: int) -> None:
    for number in range(first, first + 7000):
        check(mutated(number))


def test_the_mutations_reach_every_part_of_the_log() -> None:
    """Most of them are told, some of them leave a round that can be played."""
    texts = [mutated(number) for number in range(500)]
    with_findings = [any(game.findings for game in parse(text)) for text in texts]
    usable = [all(replay(round).usable for game in parse(text) for round in game.rounds) for text in texts]
    assert with_findings.count(True) > 150
    assert usable.count(True) > 20


@given(st.binary())
def test_no_bytes_raise(data: bytes) -> None:
    check(data)


@given(st.lists(st.sampled_from([*WORDS, *(line + b"\n" for line in ROUNDS[0].split(b"\n"))]), max_size=40))
def test_no_words_in_any_order_raise(words: list[bytes]) -> None:
    check(b"".join(words))
