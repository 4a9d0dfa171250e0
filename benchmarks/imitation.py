"""Rounds between agents as logs of the Brettspielwelt, to prove imitation on: whoever has written them is known.

``python -m benchmarks.imitation RECORDING LOGS.zip`` writes what ``run_arena --record`` has recorded, by the rules of
the Brettspielwelt, a log for each match. Of a pair the first match is taken: agents without chance play the second one
just so. A log says neither who was asked nor what the phoenix stands for; so it is read with the same losses as those
of people.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from arena.brettspielwelt import log
from arena.brettspielwelt.log import Label, Line, LoggedRound
from arena.brettspielwelt.replay import CARDS
from arena.trajectories import Trajectory, read
from games.tichu import cards as deck
from games.tichu._core import ARMED, EXCHANGE, PLAY, Round
from games.tichu.notation import Move

NAMES = ("Anna", "Bert", "Carl", "Dora")
LABELS = {card: label for label, card in CARDS.items()}


def main(recording: Path, logs: Path) -> None:
    with recording.open("rb") as file, ZipFile(logs, "w", ZIP_DEFLATED) as members:
        for number, rounds in matches(read(file)):
            members.writestr(f"200701/{number}.tch", log.write([logged(round) for round in rounds]))


def matches(trajectories: Iterable[Trajectory]) -> Iterator[tuple[int, list[Trajectory]]]:
    """The first match of each pair, and its number from 1."""
    for (pair, half), rounds in groupby(trajectories, lambda round: (round.pair, round.half)):
        if half == 0:
            yield pair + 1, list(rounds)


def logged(trajectory: Trajectory) -> LoggedRound:
    """A round as the server would have printed it."""
    round = Round(trajectory.first_eight, trajectory.fourteen, trajectory.rules)
    before: list[tuple[str, int]] = []
    gifts: list[tuple[Label, ...]] = [()] * 4
    lines: list[Line] = []
    bombs = 0
    for at, (seat, decision, answer) in enumerate(trajectory.moves):
        if round.phase == PLAY and round.turn == round.owner and not _is_bombed(trajectory.moves[at:]):
            if round.hand(round.owner):  # whoever is out takes no trick
                lines.append(Line("pass", round.owner))
            round.take()
        match decision:
            case "grand":
                round.decide_grand(seat, answer)
                before += [("grand", seat)] if answer else []
            case "schupf":
                round.give(seat, *answer)
                gifts[seat] = _labels(answer)
                bombs = round.row[ARMED]
            case "announce":
                round.announce(seat)
                if round.phase == EXCHANGE:
                    before.append(("tichu", seat))
                else:
                    lines.append(Line("tichu", seat))
            case "play" | "bomb":
                round.play(seat, *answer)
                cards = _labels(deck.each(answer[0]))
                lines.append(Line("play", seat, cards) if cards else Line("pass", seat))
            case "wish":
                round.make_wish(answer)
                lines += [Line("wish", rank=answer)] if answer else []
            case "dragon":
                round.give_dragon(answer)
                lines.append(Line("dragon", answer))
    return LoggedRound(
        line=1,
        hand_names=NAMES,
        names=NAMES,
        eight=tuple(_labels(deck.each(cards)) for cards in trajectory.first_eight),
        fourteen=tuple(_labels(deck.each(cards)) for cards in trajectory.fourteen),
        before=tuple(before),
        gifts=tuple(gifts),
        bombs=tuple(seat for seat in range(4) if bombs >> seat & 1) or None,
        lines=tuple(lines),
        result=round.score(),
    )


def _is_bombed(moves: Sequence[Move]) -> bool:
    """Whether the next that happens with cards is a bomb out of turn."""
    return next((decision for _, decision, _ in moves if decision != "announce"), "") == "bomb"


def _labels(cards: Iterable[deck.CardSet]) -> tuple[Label, ...]:
    return tuple([LABELS[card] for card in cards])


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
