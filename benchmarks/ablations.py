"""What the policy owes to what: ``python -m benchmarks.ablations [FILE] [pairs]`` prints what docs/agents.md shows.

Each line is a pair of teams that play the same deals from both sides. FILE is a policy, by default the one of the
package; 2,000 pairs take about a minute and a half a line on two cores.
"""

import sys
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.arena import Arena
from arena.executors import Pool, usable_cores
from arena.jobs import Job
from arena.reporting import Report, report
from arena.stopping import parse_stop
from games.tichu.agents.nnet import SHIPPED_POLICY, PolicyAgent
from games.tichu.agents.observations import hush
from games.tichu.agents.rule import RuleAgent
from games.tichu.cards import CardSet
from games.tichu.states import PrivateState, PublicState, Triple

HERE = "benchmarks.ablations"


class QuietRule(RuleAgent):
    """Never calls."""

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        return False


class QuietPolicy(PolicyAgent):
    """Never calls, and knows that nobody does."""

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        return False

    def seen(
        self, public: PublicState, private: PrivateState, ask: int, gifts: Sequence[CardSet]
    ) -> NDArray[np.uint64]:
        words = super().seen(public, private, ask, gifts)
        hush(words)
        return words


class WithRule(PolicyAgent):
    """Leaves some of its decisions to the rules of thumb."""

    def __init__(self, name: str, rng: Random | None = None, **options: Any) -> None:
        super().__init__(name, rng, **options)
        self.rule = RuleAgent(name)


class RuleCalls(WithRule):
    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        return self.rule.announce(public, private, grand)


class RuleExchange(WithRule):
    def schupf(self, public: PublicState, private: PrivateState) -> Triple:
        return self.rule.schupf(public, private)


LINES = (
    ("all by the network", "policy:{}", "rule"),
    ("nobody calls", f"{HERE}.QuietPolicy:{{}}", f"{HERE}.QuietRule"),
    ("calls by `rule`", f"{HERE}.RuleCalls:{{}}", "rule"),
    ("exchange by `rule`", f"{HERE}.RuleExchange:{{}}", "rule"),
    ("the partner is `rule`", "policy:{}+rule", "rule"),
    ("all partners are `mixed`, who err like beginners", "policy:{}+mixed", "rule+mixed"),
    (
        "all partners have temperature 3: good play with many slips",
        "policy:{0}+policy:{0},temperature=3",
        "rule+policy:{0},temperature=3",
    ),
    ("temperature 0.5", "policy:{},temperature=0.5", "rule"),
    ("temperature 1", "policy:{},temperature=1", "rule"),
)


def main(file: str = SHIPPED_POLICY, pairs: int = 2000) -> None:
    print("| | points a round | Tichus | grand Tichus | out first |\n|---|---:|---:|---:|---:|", flush=True)
    with Pool(usable_cores()) as pool:
        for what, ours, theirs in LINES:
            teams = ours.format(f"file={file}"), theirs.format(f"file={file}")
            print(line(what, played(pool, teams, pairs)), flush=True)


def played(pool: Pool, teams: tuple[str, str], pairs: int) -> Report:
    job = Job(teams=teams, unit="rounds", pairs=pairs, batch_pairs=50, seed=77)
    arena = Arena(job, pool, parse_stop("none"))
    for _ in arena.run():
        pass
    return report(job, arena.tally, arena.timing, 0)


def line(what: str, result: Report) -> str:
    points, panel = result.points_per_round, result.agents[0]
    calls = []
    for kind in (panel.tichu, panel.grand_tichu):
        made = f", {kind.made:.0%} made" if kind.made is not None else ""
        calls.append(f"{kind.per_seat or 0:.1%}{made}")
    first = f"{panel.first_out:.1%}" if panel.first_out is not None else ""
    said = f"{points.mean:+.1f} ({points.low:+.1f} to {points.high:+.1f})"
    return f"| {what} | {said} | {calls[0]} | {calls[1]} | {first} |"


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:3]))
