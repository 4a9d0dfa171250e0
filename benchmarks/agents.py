"""How strong and how fast the agents are: ``python -m benchmarks.agents [deals]`` prints what docs/benchmarks.md shows.

Each deal is played twice, the second time with the partnerships exchanged, so that good cards help nobody. Such a pair
is the unit of the standard error.
"""

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from pathlib import Path
from random import Random
from statistics import mean, median, stdev
from typing import Any

import numpy as np

from benchmarks.rules import Row
from games.engine import GameEngine
from games.tichu._core import BOMB, Round
from games.tichu.agents.actions import ACTIONS, ASK_PLAY
from games.tichu.agents.agent import TichuAgent
from games.tichu.agents.hints import HINT_BITS, TURNS_BITS
from games.tichu.agents.nnet import NNetAgent
from games.tichu.agents.observations import BITS
from games.tichu.agents.random import RandomAgent
from games.tichu.agents.rule import RuleAgent
from games.tichu.agents.weights import Floats, Weights
from games.tichu.cards import CardSet
from games.tichu.game import Options, Tichu
from games.tichu.simulate import play_round
from games.tichu.states import PrivateState, PublicState

NETS = (128, 2), (384, 2), (1024, 3)
ACTIONS_AT_TABLE = 1000
DECISIONS = ("announce", "schupf", "play", "bomb", "wish", "choose_dragon_recipient")


def main(deals: int = 1000) -> None:
    print("| agents | figure | wanted |\n|---|---|---|")
    print(strength(deals, calls=False), flush=True)
    print(strength(deals, calls=True), flush=True)
    print(speed(deals), flush=True)
    watch, rounds = self_play(deals)
    print(decision_time(watch))
    for net in NETS:
        for row in network(*net):
            print(row, flush=True)
    print("\n| RuleAgent against itself | figure | people |\n|---|---|---|")
    for row in behaviour(watch, rounds):
        print(row)


# --- strength and speed -----------------------------------------------------------------------------------------------


def strength(deals: int, *, calls: bool) -> Row:
    """What RuleAgent wins from RandomAgent."""
    ours: list[TichuAgent] = [RuleAgent("rule"), RuleAgent("rule")]
    theirs: list[TichuAgent] = [RandomAgent("random", Random(seed), calls=calls) for seed in range(2)]
    pairs = [mean(duplicate(seed, ours, theirs)) for seed in range(deals)]
    points, error = mean(pairs), stdev(pairs) / sqrt(deals)
    what = f"RuleAgent against RandomAgent {'calling' if calls else 'never calling'}, {deals} deals twice"
    return Row(what, f"{points:+.1f} ± {error:.1f} points a round", "≥ +200", points >= 200)


def duplicate(seed: int, ours: Sequence[TichuAgent], theirs: Sequence[TichuAgent]) -> tuple[int, int]:
    """Our points less theirs on one deal, from each side."""
    first = play_round(Round.random(seed), [ours[0], theirs[0], ours[1], theirs[1]]).score()
    second = play_round(Round.random(seed), [theirs[0], ours[0], theirs[1], ours[1]]).score()
    return first[0] - first[1], second[1] - second[0]


def speed(deals: int) -> Row:
    """What the windows and the loop of the arena leave to an agent that thinks nothing."""
    agents = [RandomAgent("random", Random(seed)) for seed in range(4)]
    start = time.process_time()
    for seed in range(deals):
        play_round(Round.random(seed), agents)
    rate = deals / (time.process_time() - start)
    return Row("RandomAgent against itself", f"{rate:,.0f} rounds per CPU-second", "≥ 4,000", rate >= 4000)


# --- networks ---------------------------------------------------------------------------------------------------------


class Timed(NNetAgent):
    """Notes the CPU seconds of each decision between several answers."""

    def __init__(self, name: str, rng: Random, file: str) -> None:
        super().__init__(name, rng, file=file)
        self.seconds: list[float] = []

    def _answer(self, public: PublicState, private: PrivateState, ask: int, gifts: Sequence[CardSet] = ()) -> Any:
        start = time.process_time()
        answer = super()._answer(public, private, ask, gifts)
        seconds = time.process_time() - start
        if ask != ASK_PLAY or len(private.legal_plays) > 1:
            self.seconds.append(seconds)
        return answer


def network(width: int, depth: int) -> Iterable[Row]:
    """What the decisions of a network cost that has learned nothing: those of a good one cost the same."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "net.npz")
        random_weights(width, depth).save(file)
        agents = [Timed("net", Random(seed), file) for seed in range(4)]
        for seed in range(10):
            play_round(Round.random(seed), agents)
        ms = 1000 * median(second for agent in agents for second in agent.seconds)
        yield Row(f"network {width}x{depth}, CPU time per decision, median", f"{ms:.3f} ms", "≤ 2 ms", ms <= 2)
        share = 10 * at_the_table(agents)
        what = f"ten tables with three networks {width}x{depth} each, an action a second"
        yield Row(what, f"{100 * share:.1f} % of a core", "< 10 %", share < 0.1)


def at_the_table(networks: Sequence[NNetAgent]) -> float:
    """CPU seconds that three networks and RuleAgent compute for an action of a match: as a live table asks them."""
    engine = GameEngine(Tichu(), Options())
    agents = [*networks[:3], RuleAgent("rule")]
    rng = Random(1)
    seconds = 0.0
    while engine.number < ACTIONS_AT_TABLE:
        start = time.process_time()
        seat, action = wanted(engine, agents)
        seconds += time.process_time() - start
        engine.commit(engine.prepare(seat, action) if action else engine.proceed(rng))
    return seconds / ACTIONS_AT_TABLE


def wanted(engine: GameEngine, agents: Sequence[TichuAgent]) -> tuple[int, dict[str, Any] | None]:
    """What a seat does now; no action if the table goes on by itself."""
    for seat, agent in enumerate(agents):
        choices = tuple(engine.game.spontaneous(engine.state, seat))
        if choices and (action := agent.interrupt(engine.state, seat, choices)):
            return seat, action
    for seat, opened in engine.requests.items():
        return seat, agents[seat].decide(engine.state, seat, opened.request.action)
    return -1, None


def random_weights(width: int, depth: int) -> Weights:
    rng = np.random.default_rng(1)

    def numbers(*shape: int) -> Floats:
        return rng.normal(0, width**-0.5, shape).astype(np.float32)

    return Weights(
        {},
        inputs=numbers(BITS + TURNS_BITS, width),
        inputs_bias=numbers(width),
        gains=1 + numbers(depth + 1, width),
        shifts=numbers(depth + 1, width),
        blocks=numbers(depth, width, width),
        blocks_bias=numbers(depth, width),
        outputs=numbers(ACTIONS, width),
        outputs_bias=numbers(ACTIONS),
        hints=numbers(HINT_BITS, width),
        hints_bias=numbers(HINT_BITS),
    )


# --- RuleAgent against itself -----------------------------------------------------------------------------------------


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


def self_play(deals: int) -> tuple[Watch, list[Round]]:
    watch = Watch()
    agents = [watch.over(RuleAgent("rule")) for _ in range(4)]
    return watch, [play_round(Round.random(seed), agents) for seed in range(deals)]


def decision_time(watch: Watch) -> Row:
    ms = 1000 * watch.seconds / watch.decisions
    return Row("RuleAgent, CPU time per decision", f"{ms:.3f} ms", "≤ 0.1 ms", ms <= 0.1)


def behaviour(watch: Watch, rounds: Sequence[Round]) -> Iterable[Row]:
    """The same figures from large archives of the Brettspielwelt stand beside them."""
    called: Counter[int] = Counter()
    made: Counter[int] = Counter()
    for round in rounds:
        for seat in range(4):
            called[round.call(seat)] += 1
            made[round.call(seat)] += round.finished[0] == seat
    for call, name, people in (1, "Tichu", "13.9 %, 73.4 %"), (2, "grand Tichu", "7.8 %, 61.8 %"):
        share, success = called[call] / (4 * len(rounds)), made[call] / max(1, called[call])
        yield Row(f"{name}: calls per seat, made", f"{100 * share:.1f} %, {100 * success:.1f} %", people)
    doubles = mean(round.double_victory for round in rounds)
    yield Row("double victories", f"{100 * doubles:.1f} %", "23.7 %")
    yield Row("bombs per round", f"{watch.bombs / len(rounds):.2f}", "0.44")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
