"""Self-play: a policy learns from the rounds that it plays against itself, starting from nothing.

Proximal policy optimisation (Schulman et al. 2017) with one policy for the four seats. A round is seen as one sequence
of decisions of the whole table, in which the critic, who sees all hands, estimates after each decision how the round
will end; the generalised advantage (Schulman et al. 2016) of a decision is what these estimates gained by it, for the
team that made it. The reward is the difference of the teams' points, calls included, in hundreds, at the round's end.

One iteration::

    play    `steps` decisions at each of `tables` tables
    judge   the critic's estimates, and from them the advantage of each decision
    learn   `epochs` passes over all of them in minibatches, policy and critic side by side

**Calls are learned from the critic.** Under the policy gradient a call that is nearly never made is hardly ever learned
from, and grand Tichus die out. But the critic can be asked for both answers to "do you call?". What a yes is worth to
it, divided by ``CALL_SCALE``, is what the logit of the yes learns by least squares, from each question, whatever was
answered. A share of the calls is decided by the toss of a coin, so that the critic sees what comes of them.

**Who is sure learns nothing.** Where the policy gave its answer with a probability of nearly 1 there is next to no
gradient, so these decisions, about half of all, are left out when the policy learns.

**Others at the table.** At a share of the tables some seats are played by an earlier state of the policy, at another
share by ``RuleAgent``: mostly as both opponents, else as one of the four. Nothing is learned from their decisions, but
how to play with and against somebody else is.

**Nobody calls at a share of the tables.** Most of what two rounds differ in comes from their calls. Where all say no,
how to play is learned with far less noise, and to play well without a call is learned at all. All seats are told, as
those who hear it exchange other cards: they see what is seen otherwise once all have played and nobody may call.
"""

from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from itertools import accumulate, repeat
from math import log, nan
from random import Random
from typing import NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from arena.batch import Batch
from arena.learning.guests import Guest
from arena.learning.nets import CALL_IDS, Answers, Critic, Hints, Policy, Size, signed
from games.tichu._core import OUT
from games.tichu.agents.actions import GRANDS, MASK_WORDS, TICHUS
from games.tichu.agents.hints import HANDS_WORDS, all_turns
from games.tichu.agents.observations import ASKS, FIRST_BITS, HIDDEN_WORDS, WORDS
from games.tichu.agents.rule import RuleAgent

HUNDRED = 100  # points that count as 1
CALL_SCALE = 0.1  # worth of a call that its logit shows as 1: 10 points
DECAY = 0.95  # of the advantage, per decision of the table (lambda)
SURE = 0.98  # the policy does not learn from an answer that it gave with so much probability or more
ASKED = 0.5  # share of the calls that it learns from: they are a quarter of all decisions, and teach without noise
CLIP = 0.2  # how far the probability of an answer may move in an iteration, as a share
OLD_SELVES = 8  # that are kept
OLD_EVERY = 20  # iterations
OTHER_SEATS = 3 * (0b1010, 0b0101) + (0b0001, 0b0010)  # which seats others take, table by table
WARM_UP = 10  # iterations in which the learning rate rises
LAST_RATE = 0.02  # of it, at the end


class Others(NamedTuple):
    """At which shares of some tables others sit, too: older selves, and ``RuleAgent``."""

    old: float = 0.0
    rule: float = 0.0


class Plan(NamedTuple):
    """How is trained.

    Each pair of numbers is where something begins and where it ends when all the time is over.

    :ivar others: who else sits at the tables; ``quiet``: the share of them at which nobody calls; ``quiet_others``: who
        else sits there.
    :ivar rate: of learning, at its highest.
    :ivar entropy: what an evenly spread choice is worth; ``coin``: the share of the calls that are tossed for.
    :ivar memory: of the average of the policy's weights, which is what plays in the end: it reaches back over some
        hundred steps, and no further, as the last ones, with the lowest rate of learning, bring most.
    :ivar mute: iterations in which only the critic learns: one that knows nothing would spoil a policy that knows much.
    """

    policy: Size
    critic: Size
    tables: int
    steps: int = 32
    minibatch: int = 4096
    epochs: int = 2
    others: Others = Others()
    quiet: float = 0.6
    quiet_others: Others = Others()
    rate: float = 1e-3
    entropy: tuple[float, float] = (0.015, 0.003)
    coin: tuple[float, float] = (0.06, 0.01)
    memory: float = 0.99
    mute: int = 0


class Part:
    """Some of the tables, which are played in a thread of their own.

    :ivar tables: which; ``chance``: of their answers.
    """

    def __init__(self, tables: slice, size: int, seed: int, device: torch.device) -> None:
        self.tables = tables
        self.batch = Batch(size, seed)
        self.rule = Guest(RuleAgent("rule"))
        self.chance = torch.Generator(device).manual_seed(seed)
        self.batch.observe()

    def step(self, ids: NDArray[np.int64]) -> None:
        self.batch.step(ids)
        self.batch.observe()


@dataclass
class Calls:
    """Of one kind: how many, how many of them were made, and how many the critic expected to be made."""

    count: int = 0
    made: int = 0
    expected: float = 0.0


@dataclass
class Iteration:
    """What happened in an iteration.

    :ivar rounds: that ended; ``decisions``: that were learned from.
    :ivar loss: of the policy; ``critic_loss``; ``entropy`` of its choices; ``divergence`` from what it was before.
    :ivar explained: share of the variance of the results that the critic explains.
    :ivar tichu: calls of the rounds that ended; ``grand`` likewise.
    """

    rounds: int
    decisions: int
    loss: float
    critic_loss: float
    entropy: float
    divergence: float
    explained: float
    tichu: Calls
    grand: Calls


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


class Selfplay:
    """A policy in training.

    :param policy, critic: are trained on, and lie on the device that is used.
    :param seed: of the deals and of all chance.
    :param threads: that play.
    :param average: of the weights that the policy has had until now; None: it begins with the policy.
    :ivar average: the average of the policy's weights, which plays in the end.
    """

    def __init__(
        self, plan: Plan, policy: Policy, critic: Critic, seed: int, threads: int, average: Policy | None = None
    ) -> None:
        self.plan = plan
        self.policy = policy
        self.critic = critic
        self.average = deepcopy(average or policy).requires_grad_(False)
        self.device = next(policy.parameters()).device
        self._luck = Random(seed)
        self._chance = torch.Generator(self.device).manual_seed(seed)
        shares = [range(plan.tables)[i::threads] for i in range(threads)]
        self._parts = [
            Part(slice(share.start, share.stop, threads), len(share), seed * threads + i, self.device)
            for i, share in enumerate(shares)
        ]
        self._threads = ThreadPoolExecutor(max(threads, 2))
        self._half = max(1, threads // 2)
        self._policy_optimiser = optimiser_of(policy)
        self._critic_optimiser = optimiser_of(critic)
        self._iterations = 0
        self._window = Window.blank(plan.steps, plan.tables, self.device)
        self._hints = torch.empty(0, 1)  # of all answers in the window
        self._old = deepcopy(self.average)
        self._older: list[dict[str, Tensor]] = []
        tables = torch.arange(plan.tables, device=self.device)
        kinds = torch.tensor(OTHER_SEATS, device=self.device)[tables % len(OTHER_SEATS)]
        loud = plan.tables - round(plan.quiet * plan.tables)
        self._quiet = tables >= loud
        place = torch.where(self._quiet, (tables - loud) / max(1, plan.tables - loud), tables / max(1, loud))
        old, rule = (torch.where(self._quiet, *shares) for shares in zip(plan.quiet_others, plan.others, strict=True))
        self._old_seats = torch.where(place < old, kinds, 0)
        self._rule_seats = torch.where(place >= 1 - rule, kinds, 0)
        self._called = np.full((2, plan.tables, 4), np.nan)  # what the critic expected of calls that are open

    def iterate(self, fraction: float) -> Iteration:
        """
        :param fraction: 0..1, how much of the time is over.
        """
        plan = self.plan
        rate = plan.rate * min(1.0, (self._iterations + 1) / WARM_UP) * max(1 - fraction, LAST_RATE)
        entropy, coin = (start + (end - start) * fraction for start, end in (plan.entropy, plan.coin))
        for optimiser in self._policy_optimiser, self._critic_optimiser:
            for group in optimiser.param_groups:
                group["lr"] = rate
        self._remember()
        told = list(self._threads.map(self._play, self._parts, repeat(coin)))
        for part, begin in zip(self._parts, accumulate(map(len, told), initial=0), strict=False):
            self._window.of(part.tables).begins.add_(begin)
        self._hints = torch.cat(told)
        iteration = self._learn(entropy, coin)
        self._iterations += 1
        return iteration

    def _remember(self) -> None:
        """Now and then keeps an older self, and chooses one to play with."""
        if self._iterations % OLD_EVERY == 0:
            if len(self._older) == OLD_SELVES:  # any of them: so some are young, and a few are very old
                del self._older[self._luck.randrange(OLD_SELVES)]
            self._older.append({name: value.clone() for name, value in self.average.state_dict().items()})
        self._old.load_state_dict(self._luck.choice(self._older))

    # --- play and judge -----------------------------------------------------------------------------------------------

    @torch.no_grad()
    def _play(self, part: Part, coin: float) -> Tensor:
        """Fills the window of some tables.

        :result: int64[K, 1], the hints of all their answers.
        """
        torch.set_num_threads(1)  # of this thread: there is another one for each part
        window, batch = self._window.of(part.tables), part.batch
        hints: list[Tensor] = []
        count = 0
        old_seats, rule_seats = self._old_seats[part.tables], self._rule_seats[part.tables]
        quiet = self._quiet[part.tables]
        with in_16_bits(self.device):
            outputs, old_outputs = self.policy.outputs(), self._old.outputs()
            for step in range(self.plan.steps):
                self._look(part, step)
                window.legal[step] = signed(batch.legal, self.device)
                observations, answers = window.observations[step], Answers.of(window.legal[step])
                told = Hints.of(observations, answers)
                window.turns[step] = told.turns
                window.begins[step] = count + answers.begins()
                hints.append(told.answers)
                count += len(told.answers)
                logits = self.policy(observations, answers, told, outputs)
                log_probabilities = tossed(answers, answers.log_probabilities(logits), coin)
                places = sampled(answers, log_probabilities, part.chance)
                window.ids[step] = answers.ids[places]
                window.log_probabilities[step] = log_probabilities[places]
                if len(old := (old_seats >> window.seats[step] & 1).nonzero()[:, 0]):
                    observations, answers = observations[old], Answers.of(window.legal[step, old])
                    logits = self._old(observations, answers, Hints.of(observations, answers), old_outputs)
                    log_probabilities = answers.log_probabilities(logits)
                    window.ids[step, old] = answers.ids[sampled(answers, log_probabilities, part.chance)]
                if len(rule := (rule_seats >> window.seats[step] & 1).nonzero()[:, 0]):
                    window.ids[step, rule] = torch.from_numpy(part.rule.answers(batch, rule.tolist())).to(self.device)
                window.ids[step] = silenced(window.ids[step], quiet)
                part.step(window.ids[step].cpu().numpy())
                window.rewards[step] = torch.from_numpy(batch.rewards) / HUNDRED
                window.done[step] = torch.from_numpy(batch.done)
                window.first_out[step] = torch.from_numpy(batch.finished[:, OUT])
            self._look(part, self.plan.steps)
            for step in range(self.plan.steps + 1):
                seen = window.observations[step], window.hidden[step], window.all_turns[step]
                window.values[step], winners = self.critic(*seen)
                window.chances[step] = winners.softmax(1)
        return torch.cat(hints)

    def _look(self, part: Part, step: int) -> None:
        """Writes down what some tables show."""
        window, batch = self._window.of(part.tables), part.batch
        window.observations[step] = hushed(signed(batch.observations, self.device), self._quiet[part.tables])
        window.hidden[step] = signed(batch.hidden, self.device)
        window.all_turns[step] = signed(all_turns(batch.hidden), self.device)
        window.seats[step] = torch.from_numpy(batch.seats)

    def _is_own(self, seats: Tensor) -> Tensor:
        """Whether the policy answers, as it is now."""
        return ((self._old_seats | self._rule_seats) >> seats & 1) == 0

    # --- learn --------------------------------------------------------------------------------------------------------

    def _advantages(self) -> tuple[Tensor, Tensor]:
        """Generalised advantages, and the results that the critic should have expected: float[steps, tables] each, for
        the seat that was asked.
        """
        window = self._window
        signs = 1.0 - 2.0 * (window.seats % 2)
        of_20 = window.values * signs
        advantages = torch.zeros_like(window.rewards)
        last = torch.zeros_like(of_20[0])
        for step in reversed(range(self.plan.steps)):
            goes_on = (~window.done[step]).float()
            gain = window.rewards[step] + goes_on * of_20[step + 1] - of_20[step]
            advantages[step] = last = gain + DECAY * goes_on * last
        return advantages * signs[:-1], (advantages + of_20[:-1]) * signs[:-1]

    def _winners(self) -> Tensor:
        """How likely it was that each relative seat would be out first: float[steps, tables, 4].

        It is estimated like the results, by who was, or by what the critic thought later: rounds are longer than a
        window, and those that end in it are the short ones.
        """
        window = self._window
        away = torch.arange(4, device=self.device)
        by_seat = window.chances.gather(2, away - window.seats[..., None] & 3)
        winners = by_seat[:-1].clone()
        last = by_seat[-1]
        for step in reversed(range(self.plan.steps)):
            expected = DECAY * last + (1 - DECAY) * by_seat[step + 1]
            was = functional.one_hot(window.first_out[step], 4).float()
            winners[step] = last = torch.where(window.done[step, :, None], was, expected)
        return winners.gather(2, window.seats[:-1, :, None] + away & 3)

    def _calls(self, expected: Tensor) -> list[Calls]:
        """The calls of the rounds that ended, if it was the policy that made them.

        :param expected: float[steps, tables], the critic's chance that who calls there will be out first.
        """
        window = self._window
        result = [Calls(), Calls()]
        tables = np.arange(self.plan.tables)
        mine = self._is_own(window.seats)
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

    def _learn(self, entropy: float, coin: float) -> Iteration:
        """Policy and critic learn side by side, since neither asks the other."""
        window = self._window
        advantages, results = self._advantages()
        mine = self._is_own(window.seats[:-1])
        scaled = (advantages - advantages[mine].mean()) / (advantages[mine].std() + 1e-8)
        flat = Decisions(
            observations=window.observations[:-1].flatten(0, 1),
            hidden=window.hidden[:-1].flatten(0, 1),
            all_turns=window.all_turns[:-1].flatten(0, 1),
            legal=window.legal.flatten(0, 1),
            ids=window.ids.flatten(),
            log_probabilities=window.log_probabilities.flatten(),
            turns=window.turns.flatten(0, 1),
            begins=window.begins.flatten(),
            scaled=scaled.flatten(),
            results=results.flatten(),
            winners=self._winners().flatten(0, 1),
        )
        is_answer = calls(flat.ids)
        is_call = is_answer & ~self._quiet.repeat(self.plan.steps)
        luck = torch.rand(2, len(is_call), generator=self._chance, device=self.device)
        is_open = torch.where(is_answer, is_call & (luck[0] < ASKED), flat.log_probabilities < log(SURE))
        worth, expected = (torch.zeros_like(flat.results) for _ in range(2))
        worth[is_call], expected[is_call] = self._worth_of_calls(flat.at(is_call))
        is_mute = self._iterations < self.plan.mute
        orders = [] if is_mute else self._orders(mine.flatten() & is_open), self._orders(mine.flatten())
        of_policy = self._threads.submit(self._learn_policy, flat, worth, orders[0], entropy, coin)
        # Of half of the calls the critic learns what they were worth, of the others what could be expected before.
        is_over = is_answer & (luck[1] < 0.5)
        after = answered(flat.observations, flat.ids)
        flat = flat._replace(observations=torch.where(is_over[:, None], after, flat.observations))
        of_critic = self._threads.submit(self._learn_critic, flat, orders[1])
        loss, spread, divergence = of_policy.result()
        explained = 1 - (results - window.values[:-1]).var() / results.var()
        tichu, grand = self._calls(expected.view_as(window.ids))
        return Iteration(
            rounds=int(window.done.sum()),
            decisions=int(mine.sum()),
            loss=loss,
            critic_loss=of_critic.result(),
            entropy=spread,
            divergence=divergence,
            explained=float(explained),
            tichu=tichu,
            grand=grand,
        )

    @torch.no_grad()
    def _worth_of_calls(self, asked: "Decisions") -> tuple[Tensor, Tensor]:
        """What the critic thinks of a yes.

        :result: float[N], what it is worth, compared to a no, in hundreds of points; float[N], the chance to be out
            first then.
        """
        worth, chances = [], []
        for some in torch.split(torch.arange(len(asked.ids), device=self.device), self.plan.minibatch):
            of = asked.at(some)
            no = no_to(of.ids)
            with in_16_bits(self.device):
                if_not, _ = self.critic(answered(of.observations, no), of.hidden, of.all_turns)
                if_so, first_out = self.critic(answered(of.observations, no + 1), of.hidden, of.all_turns)
            worth.append(if_so - if_not)
            chances.append(first_out.softmax(1)[:, 0])
        return torch.cat(worth), torch.cat(chances)

    def _orders(self, which: Tensor) -> list[Tensor]:
        """Minibatches of some decisions, all of them in each epoch: int64[minibatch] each."""
        places = which.nonzero()[:, 0]
        found: list[Tensor] = []
        for _ in range(self.plan.epochs):
            order = torch.randperm(len(places), generator=self._chance, device=self.device)
            found += torch.split(places[order], self.plan.minibatch)
        return found

    def _learn_policy(
        self, flat: "Decisions", worth: Tensor, order: list[Tensor], entropy: float, coin: float
    ) -> list[float]:
        """
        :result: means of what :meth:`_policy_loss` gives.
        """
        torch.set_num_threads(self._half)
        sums = torch.zeros(3, device=self.device)
        for chosen in order:
            with in_16_bits(self.device):
                loss, spread, divergence = self._policy_loss(flat.at(chosen), worth[chosen], entropy, coin)
            descend(loss, self.policy, self._policy_optimiser)
            with torch.no_grad():
                torch._foreach_lerp_([*self.average.parameters()], [*self.policy.parameters()], 1 - self.plan.memory)
            sums += torch.stack([loss, spread, divergence]).detach()
        means: list[float] = (sums / len(order)).tolist() if order else [nan] * 3
        return means

    def _learn_critic(self, flat: "Decisions", order: list[Tensor]) -> float:
        """
        :result: the mean of the loss.
        """
        torch.set_num_threads(self._half)
        total = torch.zeros((), device=self.device)
        for chosen in order:
            with in_16_bits(self.device):
                loss = self._critic_loss(flat.at(chosen))
            descend(loss, self.critic, self._critic_optimiser)
            total += loss.detach()
        return float(total / len(order))

    def _policy_loss(
        self, of: "Decisions", worth: Tensor, entropy: float, coin: float
    ) -> tuple[Tensor, Tensor, Tensor]:
        """
        :param worth: float[N], of a yes to a call.
        :result: the loss; the entropy of a choice; by how much the choices diverge from those that were made.
        """
        answers = Answers.of(of.legal)
        told = Hints(of.turns, self._hints[of.begins[answers.rows] + answers.numbers()])
        logits = self.policy(of.observations, answers, told).float()
        log_probabilities = answers.log_probabilities(logits)
        places = answers.places(of.ids)
        change = tossed(answers, log_probabilities, coin)[places] - of.log_probabilities
        ratio = change.exp()
        gain = torch.minimum(ratio * of.scaled, ratio.clamp(1 - CLIP, 1 + CLIP) * of.scaled)
        is_call = calls(of.ids)
        no = torch.where(is_call, places - (of.ids - no_to(of.ids)), 0)
        yes = (no + 1).clamp(max=len(logits) - 1)
        error = (CALL_SCALE * logits[yes] - worth) ** 2 + (CALL_SCALE * logits[no]) ** 2
        spread = torch.where(is_call, 0, answers.sums(-log_probabilities * log_probabilities.exp())).mean()
        divergence = (ratio - 1 - change).mean()
        return torch.where(is_call, error, -gain).mean() - entropy * spread, spread, divergence

    def _critic_loss(self, of: "Decisions") -> Tensor:
        results, first_out = self.critic(of.observations, of.hidden, of.all_turns)
        return functional.mse_loss(results, of.results) + functional.cross_entropy(first_out, of.winners)


class Decisions(NamedTuple):
    """Decisions to learn from, as in :class:`Window`; ``scaled``: advantages, in their standard deviations; ``results``
    and ``winners``: what the critic should have expected.
    """

    observations: Tensor
    hidden: Tensor
    all_turns: Tensor
    legal: Tensor
    ids: Tensor
    log_probabilities: Tensor
    turns: Tensor
    begins: Tensor
    scaled: Tensor
    results: Tensor
    winners: Tensor

    def at(self, places: Tensor) -> "Decisions":
        """Some of them."""
        return Decisions(*(column[places] for column in self))


def sampled(answers: Answers, log_probabilities: Tensor, chance: torch.Generator) -> Tensor:
    """Draws an answer for each decision (the Gumbel trick): int64[N], of 0..K-1."""
    noise = torch.empty_like(log_probabilities).exponential_(generator=chance)
    return answers.best(log_probabilities - noise.log())


def calls(ids: Tensor) -> Tensor:
    """Which ids answer whether somebody calls."""
    return (ids >= TICHUS) & (ids < TICHUS + CALL_IDS)


def no_to(ids: Tensor) -> Tensor:
    """The no to the question that such an id answers, which is about a call."""
    return ids - (ids - TICHUS) % 2


def answered(observations: Tensor, ids: Tensor) -> Tensor:
    """What seats see who have been asked whether they call, when they have answered and look on: int64[N, WORDS]."""
    after = observations.clone()
    after[:, 0] &= -1 << ASKS
    for yes, piece in ((TICHUS + 1, "tichu"), (GRANDS + 1, "grand_tichu")):
        place = FIRST_BITS[piece]  # of the seat itself
        after[:, place // 64] |= (ids == yes).long() << place % 64
    return after


def hushed(observations: Tensor, quiet: Tensor) -> Tensor:
    """What seats see who know that nobody calls, as if all had played already: int64[N, WORDS].

    :param quiet: bool[N], where that is.
    """
    told = observations.clone()
    place = FIRST_BITS["opened"]
    told[:, place // 64] |= quiet.long() * 0b1111 << place % 64
    return told


def silenced(ids: Tensor, quiet: Tensor) -> Tensor:
    """What is answered where nobody calls: int64[N].

    :param quiet: bool[N], where that is.
    """
    return torch.where(calls(ids) & quiet, no_to(ids), ids)


def tossed(answers: Answers, log_probabilities: Tensor, coin: float) -> Tensor:
    """The probabilities when a share of the calls is decided by a coin."""
    mixed = torch.log((1 - coin) * log_probabilities.exp() + coin / 2)
    return torch.where(calls(answers.ids), mixed, log_probabilities)


def descend(loss: Tensor, network: nn.Module, optimiser: torch.optim.Optimizer) -> None:
    optimiser.zero_grad(set_to_none=True)
    torch.autograd.backward(loss)
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimiser.step()


def in_16_bits(device: torch.device) -> torch.autocast:
    """Layers multiply in bfloat16 where the device knows how, which is then several times as fast.

    Each context copies the weights once, so none must outlive a step of learning.
    """
    knows_how = device.type == "cuda" or bool(torch.cpu.get_capabilities().get("avx512_bf16"))
    return torch.autocast(device.type, torch.bfloat16, enabled=knows_how)


def optimiser_of(network: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adam(network.parameters(), betas=(0.9, 0.98), eps=1e-6, fused=True)
