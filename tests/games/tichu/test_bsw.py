"""Real games of the Brettspielwelt, replayed with this project's rules."""

from pathlib import Path

import pytest

from tests.games.tichu.bsw import Log, logs, replay

SAMPLES = Path(__file__).parents[2] / "data" / "bsw"
ROUNDS = [
    pytest.param(log, id=f"{path.stem}-{number}")
    for path in sorted(SAMPLES.rglob("*.tch"))
    for number, log in enumerate(logs(path), start=1)
]


@pytest.mark.parametrize("log", ROUNDS)
def test_a_real_round_has_the_logged_score(log: Log) -> None:
    """The server ignored the second of two grand Tichus of a team, which rules 7.4 counts."""
    grand = [line for line in log.exchange if line.startswith("Grosses Tichu")]
    round = replay(log)
    if len(grand) == 2:
        difference = [own - logged for own, logged in zip(round.score(), log.score, strict=True)]
        assert sorted(map(abs, difference)) == [0, 200]
    else:
        assert round.score() == log.score


def test_66_of_68_rounds_have_the_logged_score() -> None:
    rounds = [(replay(log), log) for (log,) in (parameter.values for parameter in ROUNDS)]
    assert len(rounds) == 68
    assert sum(round.score() == log.score for round, log in rounds) == 66
