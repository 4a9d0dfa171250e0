"""Plays a batch of a job: pairs of deals or of matches, from both sides.

    half 0    seats 0 1 2 3 <- slots 0 1 2 3
    half 1    seats 0 1 2 3 <- slots 1 0 3 2    the same deals

All chance comes from hashes of the job's seed, so a batch is the same wherever it is played: a deal by the pair and
the round of the match, an agent's by the batch and the slot.
"""

from collections.abc import Callable
from hashlib import blake2b
from random import Random
from time import perf_counter, process_time
from typing import cast

from arena import trajectories
from arena.jobs import Job
from arena.tally import BatchResult, Tally, Timing
from arena.teams import parse_team
from arena.trajectories import Trajectory
from arena.watching import Alarm, Watched, made, ticking
from games.tichu._core import Round
from games.tichu.agents.agent import TichuAgent
from games.tichu.notation import Move
from games.tichu.rules import RuleSet
from games.tichu.simulate import play_round
from games.tichu.states import Four

MOST_ROUNDS = 1000  # of a match; people need about ten, but agents that always lose their calls would never end


def play_batch(job: Job, number: int) -> BatchResult:
    """
    :raises UnknownAgent: if an agent cannot be found or made; nothing has been played then.
    """
    seconds, cpu_seconds = perf_counter(), process_time()
    batch = Batch(job, number)
    batch.play()
    return BatchResult(
        number,
        batch.tally,
        Timing(
            perf_counter() - seconds,
            process_time() - cpu_seconds,
            [agent.timing() for agent in batch.slots],
        ),
        trajectories.encode(batch.trajectories) if job.record else b"",
    )


class Batch:
    """A batch while it is played.

    :ivar slots: the agents, made for this batch.
    """

    def __init__(self, job: Job, number: int) -> None:
        self.job = job
        self.pairs = job.batch(number)
        self.rules: int = getattr(RuleSet, job.rules)().flags
        self.tally = Tally()
        self.trajectories: list[Trajectory] = []
        teams = [parse_team(text).agents for text in job.teams]
        specs = [teams[slot % 2][slot // 2] for slot in range(4)]
        self.alarm = Alarm()
        self.limits = [spec.limit for spec in specs]  # seconds
        self.slots = [
            Watched(made(spec, Random(hashed("agent", job.seed, number, slot))), spec.limit, self.alarm)
            for slot, spec in enumerate(specs)
        ]

    def play(self) -> None:
        with ticking(self.alarm, max(0.01, min(self.limits) / 10), max(self.limits)):
            try:
                for pair in self.pairs:
                    self.play_pair(pair)
            finally:
                for agent in self.slots:
                    agent.cleanup()
        tally = self.tally
        tally.tricks = sum(agent.tricks for agent in self.slots)
        tally.behaviour = [
            behaviour + agent.behaviour() for behaviour, agent in zip(tally.behaviour, self.slots, strict=True)
        ]
        for behaviour in tally.behaviour:
            behaviour.rounds = tally.rounds

    def play_pair(self, pair: int) -> None:
        tally = self.tally
        halves = [self.play_half(pair, half) for half in range(2)]
        rounds = halves[0] + halves[1]
        tally.rounds += len(rounds)
        tally.points.add(sum(rounds), len(rounds))
        tally.round_score.add(sum(map(tally.round_outcomes.add, rounds)), len(rounds))
        for difference in rounds:
            tally.results[difference] = tally.results.get(difference, 0) + 1
        if self.job.unit == "games":
            tally.matches += 2
            tally.match_score.add(sum(tally.match_outcomes.add(sum(half)) for half in halves), 2)

    def play_half(self, pair: int, half: int) -> list[int]:
        """A match, or one round.

        A match that is not over after ``MOST_ROUNDS`` goes to the team with more points, or is a draw.

        :result: per round, the points of the first team less those of the second.
        """
        job = self.job
        agents = [self.slots[seat ^ half] for seat in range(4)]
        score: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())  # as PublicState has it
        differences: list[int] = []
        for number in range(MOST_ROUNDS if job.unit == "games" else 1):
            round = Round.random(hashed("deal", job.seed, pair, number), self.rules)
            moves: list[Move] = []
            where = f"seed {job.seed}, pair {pair}, half {half}, round {number}"
            for seat, agent in enumerate(agents):
                agent.sit(round, seat, moves if job.record else None, where)
            play_round(round, cast("list[TichuAgent]", agents), score, job.target_score)
            result = round.score()
            if job.record:
                self.trajectories.append(
                    Trajectory(
                        pair=pair,
                        half=half,
                        number=number,
                        rules=self.rules,
                        target_score=job.target_score,
                        score=(sum(score[0]), sum(score[1])),
                        first_eight=four(round.first_eight),
                        fourteen=four(round.fourteen),
                        moves=moves,
                        result=result,
                    )
                )
            self.count(round, half)
            differences.append(result[half] - result[1 - half])
            score = (*score[0], result[0]), (*score[1], result[1])
            totals = sum(score[0]), sum(score[1])
            if max(totals) >= job.target_score and totals[0] != totals[1]:  # rules 8.6
                break
        return differences

    def count(self, round: Round, half: int) -> None:
        """Adds to the behaviour of the four what only shows when a round is over."""
        first, second, *_ = round.finished
        of = [self.tally.behaviour[seat ^ half] for seat in range(4)]
        of[first].first_out += 1
        if round.double_victory:
            of[first].double_victories += 1
            of[second].double_victories += 1
        for seat, behaviour in enumerate(of):
            call = round.call(seat)
            if call == 1:
                behaviour.tichu += 1
                behaviour.tichu_made += seat == first
            elif call == 2:
                behaviour.grand += 1
                behaviour.grand_made += seat == first


def four(per_seat: Callable[[int], int]) -> Four:
    return per_seat(0), per_seat(1), per_seat(2), per_seat(3)


def hashed(*of: str | int) -> int:
    """62 bits, as many as a deal takes; the same on every machine."""
    return int.from_bytes(blake2b(repr(of).encode(), digest_size=8).digest()) >> 2
