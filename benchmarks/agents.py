"""How strong and how fast the agents are: ``python -m benchmarks.agents [deals]``.

Each deal is played twice, the second time with the partnerships exchanged, so that good cards help nobody. Such a pair
is the unit of the standard error.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt
from random import Random
from statistics import mean, stdev
from typing import Any

from games.tichu._core import BOMB, Round
from games.tichu.agents.agent import TichuAgent
from games.tichu.agents.random import RandomAgent
from games.tichu.agents.rule import RuleAgent
from games.tichu.simulate import play_round

DECISIONS = ("announce", "schupf", "play", "bomb", "wish", "choose_dragon_recipient")
LEAST_POINTS = 200
MOST_MS = 0.1


class Watch:
    """What agents do, and the CPU time they take for it.

    :ivar decisions: how many questions they answered.
    """

    def __init__(self) -> None:
        self.decisions = self.bombs = 0
        self.seconds = 0.0

    def over(self, agent: TichuAgent) -> TichuAgent:
        for name in DECISIONS:
            setattr(agent, name, self._watched(getattr(agent, name)))
        return agent

    def _watched(self, decide: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*situation: Any, **options: Any) -> Any:
            start = time.process_time()
            decision = decide(*situation, **options)
            self.seconds += time.process_time() - start
            self.decisions += 1
            self.bombs += isinstance(decision, tuple) and len(decision) == 2 and decision[1] >> 16 & 0xFF == BOMB
            return decision

        return watched


def duplicate(seed: int, ours: Sequence[TichuAgent], theirs: Sequence[TichuAgent]) -> tuple[int, int]:
    """Our points less theirs on one deal, from each side."""
    first = play_round(Round.random(seed), [ours[0], theirs[0], ours[1], theirs[1]]).score()
    second = play_round(Round.random(seed), [theirs[0], ours[0], theirs[1], ours[1]]).score()
    return first[0] - first[1], second[1] - second[0]


def strength(deals: int, *, calls: bool) -> None:
    """RuleAgent against RandomAgent."""
    ours: list[TichuAgent] = [RuleAgent("rule"), RuleAgent("rule")]
    theirs: list[TichuAgent] = [RandomAgent("random", Random(seed), calls=calls) for seed in range(2)]
    pairs = [mean(duplicate(seed, ours, theirs)) for seed in range(deals)]
    points, error = mean(pairs), stdev(pairs) / sqrt(deals)
    who = "RandomAgent, calling" if calls else "RandomAgent, never calling"
    print(f"  {who:35} {points:+6.1f} ± {error:.1f} (at least +{LEAST_POINTS}: {verdict(points >= LEAST_POINTS)})")


def behaviour(deals: int) -> None:
    """RuleAgent against itself, beside what people do (the archive of the Brettspielwelt)."""
    watch = Watch()
    agents = [watch.over(RuleAgent("rule")) for _ in range(4)]
    panel: Counter[str] = Counter()
    for seed in range(deals):
        round = play_round(Round.random(seed), agents)
        panel["double"] += round.double_victory
        for seat in range(4):
            call = round.call(seat)
            panel[f"calls {call}"] += 1
            panel[f"made {call}"] += round.finished[0] == seat
    seats = 4 * deals
    tichu, made_tichu = panel["calls 1"] / seats, panel["made 1"] / max(1, panel["calls 1"])
    grand, made_grand = panel["calls 2"] / seats, panel["made 2"] / max(1, panel["calls 2"])
    ms = 1000 * watch.seconds / watch.decisions
    print(f"RuleAgent against itself, {deals} deals                    people (archives of the Brettspielwelt)")
    print(f"  Tichu calls per seat, made          {tichu:6.1%}  {made_tichu:6.1%}   13.9 %  73.4 %")
    print(f"  grand Tichu calls per seat, made    {grand:6.1%}  {made_grand:6.1%}    7.8 %  61.8 %")
    print(f"  double victories                    {panel['double'] / deals:6.1%}           23.7 %")
    print(f"  bombs per round                     {watch.bombs / deals:6.2f}             0.44")
    print(f"  CPU time per decision               {ms:6.3f} ms (at most {MOST_MS} ms: {verdict(ms <= MOST_MS)})")


def verdict(reached: bool) -> str:
    return "ok" if reached else "MISSED"


def main(deals: int = 1000) -> None:
    print(f"RuleAgent, {deals} deals played twice, points a round against")
    strength(deals, calls=False)
    strength(deals, calls=True)
    behaviour(deals)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
