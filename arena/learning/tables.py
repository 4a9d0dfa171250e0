"""The tables of self-play: who sits there, and what is decided."""

from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from itertools import accumulate, repeat
from random import Random
from typing import NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from arena.batch import Batch
from arena.learning.calls import Calls, silenced, tossed
from arena.learning.descent import in_16_bits
from arena.learning.guests import Guest
from arena.learning.nets import Answers, Critic, Hints, Policy, signed
from arena.learning.plan import Plan
from games.tichu._core import OUT
from games.tichu.agents.actions import GRANDS, MASK_WORDS, TICHUS
from games.tichu.agents.hints import HANDS_WORDS, all_turns
from games.tichu.agents.observations import HIDDEN_WORDS, WORDS, hush
from games.tichu.agents.rule import RuleAgent

HUNDRED = 100  # points that count as 1
OLD_SELVES = 8  # that are kept
OLD_EVERY = 20  # iterations
OTHER_SEATS = 3 * (0b1010, 0b0101) + (0b0001, 0b0010)  # which seats others take, table by table


class Part:
    """Some of the tables, which are played in a thread of their own.

    :ivar tables: which; ``chance``: of their answers.
    """

    def __init__(self, tables: slice, quiet: Tensor, seed: int) -> None:
        self.tables = tables
        self._quiet = quiet.cpu().numpy()
        self.batch = Batch(len(quiet), seed)
        self.rule = Guest(RuleAgent("rule"))
        self.chance = torch.Generator(quiet.device).manual_seed(seed)
        self._look()

    def step(self, ids: NDArray[np.int64]) -> None:
        self.batch.step(ids)
        self._look()

    def _look(self) -> None:
        self.batch.observe()
        hush(self.batch.observations, self._quiet)


class Window(NamedTuple):
    """The decisions of an iteration: all columns are by step and table, and some have one step more, the next one.

    :ivar observations: int64[steps + 1, tables, WORDS]; ``hidden``: int64[steps + 1, tables, HIDDEN_WORDS];
        ``all_turns``: int64[steps + 1, tables, HANDS_WORDS], what a critic is told besides.
    :ivar seats: int64[steps + 1, tables], who is to decide.
    :ivar values: float[steps + 1, tables], how the critic thinks that the round will end for that seat, in hundreds of
        points; ``chances``: float[steps + 1, tables, 4], that each relative seat will be out first.
    :ivar legal: int64[steps, tables, MASK_WORDS]; ``ids``: int64[steps, tables], what was answered;
        ``log_probabilities``: float[steps, tables], of it.
    :ivar turns: int64[steps, tables, 1], what a policy is told besides of the hand; ``begins``: int64[steps, tables],
        where among the hints of all answers those of the decision begin.
    :ivar rewards: float[steps, tables], hundreds of points of team 20 less those of team 31 if a round ended by it,
        else 0; ``done``: bool[steps, tables], whether one did; ``first_out``: int64[steps, tables], the seat that went
        out first in it.
    """

    observations: Tensor
    hidden: Tensor
    all_turns: Tensor
    seats: Tensor
    values: Tensor
    chances: Tensor
    legal: Tensor
    ids: Tensor
    log_probabilities: Tensor
    turns: Tensor
    begins: Tensor
    rewards: Tensor
    done: Tensor
    first_out: Tensor

    @classmethod
    def blank(cls, steps: int, tables: int, device: torch.device) -> Self:
        def column(more: int, *width: int, dtype: torch.dtype = torch.int64) -> Tensor:
            return torch.zeros(steps + more, tables, *width, dtype=dtype, device=device)

        return cls(
            observations=column(1, WORDS),
            hidden=column(1, HIDDEN_WORDS),
            all_turns=column(1, HANDS_WORDS),
            seats=column(1),
            values=column(1, dtype=torch.float32),
            chances=column(1, 4, dtype=torch.float32),
            legal=column(0, MASK_WORDS),
            ids=column(0),
            log_probabilities=column(0, dtype=torch.float32),
            turns=column(0, 1),
            begins=column(0),
            rewards=column(0, dtype=torch.float32),
            done=column(0, dtype=torch.bool),
            first_out=column(0),
        )

    def of(self, tables: slice) -> "Window":
        """The same memory, of some tables."""
        return Window(*(column[:, tables] for column in self))


class Tables:
    """All tables of a training.

    :param policy: one like those that will play, on the same device.
    :param seed: of the deals and of all chance; ``threads``: that play.
    :ivar window: what is decided in an iteration; ``hints``: int64[K, 1], of all answers in it.
    :ivar quiet: bool[tables], where nobody calls.
    """

    def __init__(self, plan: Plan, policy: Policy, seed: int, threads: int) -> None:
        self._steps = plan.steps
        self._device = next(policy.parameters()).device
        self._luck = Random(seed)
        self._threads = ThreadPoolExecutor(threads)
        self._iterations = 0
        self.window = Window.blank(plan.steps, plan.tables, self._device)
        self.hints = torch.empty(0, 1)
        self._old = deepcopy(policy).requires_grad_(False)
        self._older: list[dict[str, Tensor]] = []
        tables = torch.arange(plan.tables, device=self._device)
        kinds = torch.tensor(OTHER_SEATS, device=self._device)[tables % len(OTHER_SEATS)]
        loud = plan.tables - round(plan.quiet * plan.tables)
        self.quiet = tables >= loud
        place = torch.where(self.quiet, (tables - loud) / max(1, plan.tables - loud), tables / max(1, loud))
        old, rule = (torch.where(self.quiet, *shares) for shares in zip(plan.quiet_others, plan.others, strict=True))
        self._old_seats = torch.where(place < old, kinds, 0)
        self._rule_seats = torch.where(place >= 1 - rule, kinds, 0)
        shares = [slice(i, None, threads) for i in range(threads)]
        self._parts = [Part(share, self.quiet[share], seed * threads + i) for i, share in enumerate(shares)]
        self._called = np.full((2, plan.tables, 4), np.nan)  # what the critic expected of calls that are open

    def play(self, policy: Policy, critic: Critic, average: Policy, coin: float) -> None:
        """One iteration.

        :param average: of the policy; now and then its state is kept as an older self.
        :param coin: the share of the calls that are tossed for.
        """
        if self._iterations % OLD_EVERY == 0:
            if len(self._older) == OLD_SELVES:  # any of them: so some are young, and a few are very old
                del self._older[self._luck.randrange(OLD_SELVES)]
            self._older.append({name: value.clone() for name, value in average.state_dict().items()})
        self._old.load_state_dict(self._luck.choice(self._older))
        told = list(self._threads.map(self._play, self._parts, repeat(policy), repeat(critic), repeat(coin)))
        for part, begin in zip(self._parts, accumulate(map(len, told), initial=0), strict=False):
            self.window.of(part.tables).begins.add_(begin)
        self.hints = torch.cat(told)
        self._iterations += 1

    @torch.no_grad()
    def _play(self, part: Part, policy: Policy, critic: Critic, coin: float) -> Tensor:
        """Fills the window of some tables.

        :result: int64[K, 1], the hints of all their answers.
        """
        torch.set_num_threads(1)  # of this thread: there is another one for each part
        window, batch = self.window.of(part.tables), part.batch
        hints: list[Tensor] = []
        count = 0
        old_seats, rule_seats = self._old_seats[part.tables], self._rule_seats[part.tables]
        quiet = self.quiet[part.tables]
        with in_16_bits(self._device):
            outputs, old_outputs = policy.outputs(), self._old.outputs()
            for step in range(self._steps):
                self._look(part, step)
                window.legal[step] = signed(batch.legal, self._device)
                observations, answers = window.observations[step], Answers.of(window.legal[step])
                told = Hints.of(observations, answers)
                window.turns[step] = told.turns
                window.begins[step] = count + answers.begins()
                hints.append(told.answers)
                count += len(told.answers)
                logits = policy(observations, answers, told, outputs)
                log_probabilities = tossed(answers, answers.log_probabilities(logits), coin)
                places = answers.sampled(log_probabilities, part.chance)
                window.ids[step] = answers.ids[places]
                window.log_probabilities[step] = log_probabilities[places]
                if len(old := (old_seats >> window.seats[step] & 1).nonzero()[:, 0]):
                    observations, answers = observations[old], Answers.of(window.legal[step, old])
                    logits = self._old(observations, answers, Hints.of(observations, answers), old_outputs)
                    log_probabilities = answers.log_probabilities(logits)
                    window.ids[step, old] = answers.ids[answers.sampled(log_probabilities, part.chance)]
                if len(rule := (rule_seats >> window.seats[step] & 1).nonzero()[:, 0]):
                    window.ids[step, rule] = torch.from_numpy(part.rule.answers(batch, rule.tolist())).to(self._device)
                window.ids[step] = silenced(window.ids[step], quiet)
                part.step(window.ids[step].cpu().numpy())
                window.rewards[step] = torch.from_numpy(batch.rewards) / HUNDRED
                window.done[step] = torch.from_numpy(batch.done)
                window.first_out[step] = torch.from_numpy(batch.finished[:, OUT])
            self._look(part, self._steps)
            for step in range(self._steps + 1):
                seen = window.observations[step], window.hidden[step], window.all_turns[step]
                window.values[step], winners = critic(*seen)
                window.chances[step] = winners.softmax(1)
        return torch.cat(hints)

    def _look(self, part: Part, step: int) -> None:
        """Writes down what some tables show."""
        window, batch = self.window.of(part.tables), part.batch
        window.observations[step] = signed(batch.observations, self._device)
        window.hidden[step] = signed(batch.hidden, self._device)
        window.all_turns[step] = signed(all_turns(batch.hidden), self._device)
        window.seats[step] = torch.from_numpy(batch.seats)

    def is_own(self, seats: Tensor) -> Tensor:
        """Whether the policy answers, as it is now: bool of int64, a seat for each table."""
        return ((self._old_seats | self._rule_seats) >> seats & 1) == 0

    def calls_over(self, expected: Tensor) -> list[Calls]:
        """The calls of the rounds that ended, if it was the policy that made them.

        :param expected: float[steps, tables], the critic's chance that who calls there will be out first.
        """
        window = self.window
        result = [Calls(), Calls()]
        tables = np.arange(len(self.quiet))
        mine = self.is_own(window.seats)
        columns = (window.ids, window.seats, expected, mine, window.done, window.first_out)
        for ids, seats, chances, is_mine, done, first_out in zip(*(c.cpu().numpy() for c in columns), strict=False):
            for kind, yes in enumerate((TICHUS + 1, GRANDS + 1)):
                called = is_mine & (ids == yes)
                self._called[kind, tables[called], seats[called]] = chances[called]
                over = self._called[kind, done]
                is_call = ~np.isnan(over)
                result[kind].count += int(is_call.sum())
                result[kind].expected += float(over[is_call].sum())
                result[kind].made += int(is_call[np.arange(len(over)), first_out[done]].sum())
                self._called[kind, done] = np.nan
        return result
