"""Self-play: a policy learns from the rounds that it plays against itself, starting from nothing.

Proximal policy optimisation (Schulman et al. 2017) with one policy for the four seats. A round is seen as one sequence
of decisions of the whole table, in which the critic, who sees all hands, estimates after each decision how the round
will end; the generalised advantage (Schulman et al. 2016) of a decision is what these estimates gained by it, for the
team that made it. The reward is the difference of the teams' points, calls included, in hundreds, at the round's end.

One iteration::

    play    `steps` decisions at each of `tables` tables
    judge   the critic's estimates, and from them the advantage of each decision
    learn   `epochs` passes over all of them in minibatches, policy and critic each by itself

**Calls are learned by regression.** Under the policy gradient a call that is nearly never made is hardly ever learned
from, and grand Tichus die out. So the logit of an answer to "do you call?" is its advantage, divided by ``CALL_SCALE``,
learned by least squares; a share of the calls is decided by the toss of a coin so that both answers go on being tried.

**Older selves.** On a share of the tables some seats are played by an earlier state of the policy: as both opponents,
or as one of the four. Nothing is learned from its decisions, but how to play with and against somebody else is.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from arena.batch import Batch
from arena.learning.nets import CALL_IDS, Answers, Critic, Policy, Size
from games.tichu._core import OUT
from games.tichu.agents.actions import GRANDS, MASK_WORDS, TICHUS
from games.tichu.agents.observations import HIDDEN_WORDS, WORDS

HUNDRED = 100  # points that count as 1
CALL_SCALE = 0.1  # advantage of a call that its logit shows as 1: 10 points
DECAY = 0.95  # of the advantage, per decision of the table (lambda)
CLIP = 0.2  # how far the probability of an answer may move in an iteration, as a share
OLD_SELVES = 8  # that are kept
OLD_EVERY = 20  # iterations
OLD_SEATS = (0b1010, 0b0101, 0b0001, 0b0100, 0b0010, 0b1000)  # which seats they take, table by table
WARM_UP = 10  # iterations in which the learning rate rises
LAST_RATE = 0.02  # of it, at the end


class Plan(NamedTuple):
    """How is trained.

    Each pair of numbers is where something begins and where it ends when all the time is over.

    :ivar old: the share of the tables at which older selves sit.
    :ivar rate: of learning, at its highest.
    :ivar entropy: what an evenly spread choice is worth; ``coin``: the share of the calls that are tossed for.
    :ivar memory: of the average of the policy's weights, which is what plays in the end.
    """

    policy: Size
    critic: Size
    tables: int
    steps: int = 32
    minibatch: int = 4096
    epochs: int = 2
    old: float = 0.2
    rate: float = 1e-3
    entropy: tuple[float, float] = (0.015, 0.003)
    coin: tuple[float, float] = (0.06, 0.01)
    memory: float = 0.998


class Seen(NamedTuple):
    """What all tables show between two steps.

    :ivar observations: int64[tables, WORDS]; ``hidden``: int64[tables, HIDDEN_WORDS]; ``legal``: int64[tables,
        MASK_WORDS]; ``seats``: int64[tables], who is to decide.
    :ivar rewards: int64[tables], points of team 20 less those of team 31 if a round ended in the last step, else 0;
        ``done``: bool[tables], whether one did; ``first_out``: int64[tables], the seat that went out first in it.
    """

    observations: Tensor
    hidden: Tensor
    legal: Tensor
    seats: Tensor
    rewards: Tensor
    done: Tensor
    first_out: Tensor


class Tables:
    """Batches that play side by side, each in a thread of its own."""

    def __init__(self, size: int, seed: int, threads: int) -> None:
        cuts = [size * i // threads for i in range(threads + 1)]
        self._parts = [slice(*cut) for cut in pairwise(cuts)]
        self._batches = [Batch(part.stop - part.start, seed * threads + i) for i, part in enumerate(self._parts)]
        self._threads = ThreadPoolExecutor(threads)

    def look(self) -> Seen:
        list(self._threads.map(Batch.observe, self._batches))

        def joined(of: Callable[[Batch], NDArray[Any]]) -> Tensor:
            return torch.from_numpy(np.concatenate([of(batch) for batch in self._batches]))

        return Seen(
            joined(lambda batch: batch.observations.view(np.int64)),
            joined(lambda batch: batch.hidden.view(np.int64)),
            joined(lambda batch: batch.legal.view(np.int64)),
            joined(lambda batch: batch.seats),
            joined(lambda batch: batch.rewards),
            joined(lambda batch: batch.done),
            joined(lambda batch: batch.finished[:, OUT]),
        )

    def step(self, ids: NDArray[np.int64]) -> None:
        list(self._threads.map(lambda batch, part: batch.step(ids[part]), self._batches, self._parts))


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
    tichu: Calls = field(default_factory=Calls)
    grand: Calls = field(default_factory=Calls)


class Window:
    """The decisions of an iteration, by step and table."""

    def __init__(self, steps: int, tables: int, device: torch.device) -> None:
        def blank(*shape: int, dtype: torch.dtype = torch.int64) -> Tensor:
            return torch.zeros(*shape, dtype=dtype, device=device)

        # One step more of what the critic looks at.
        self.observations = blank(steps + 1, tables, WORDS)
        self.hidden = blank(steps + 1, tables, HIDDEN_WORDS)
        self.seats = blank(steps + 1, tables)
        self.legal = blank(steps, tables, MASK_WORDS)
        self.ids = blank(steps, tables)
        self.log_probabilities = blank(steps, tables, dtype=torch.float32)
        self.rewards = blank(steps, tables, dtype=torch.float32)  # hundreds of points, for team 20
        self.done = blank(steps, tables, dtype=torch.bool)
        self.first_out = blank(steps, tables)


class Selfplay:
    """A policy in training.

    :param policy, critic: are trained on, and lie on the device that is used.
    :param seed: of the deals and of all chance.
    :param threads: that play.
    :ivar average: the average of the policy's weights, which plays in the end.
    """

    def __init__(self, plan: Plan, policy: Policy, critic: Critic, seed: int, threads: int) -> None:
        self.plan = plan
        self.policy = policy
        self.critic = critic
        self.average = deepcopy(policy).requires_grad_(False)
        self.device = next(policy.parameters()).device
        self._luck = Random(seed)
        self._chance = torch.Generator(self.device).manual_seed(seed)
        self._policy_optimiser = optimiser_of(policy)
        self._critic_optimiser = optimiser_of(critic)
        self._iterations = 0
        self._updates = 0
        self._tables = Tables(plan.tables, seed, threads)
        self._seen = self._tables.look()
        self._window = Window(plan.steps, plan.tables, self.device)
        self._old = deepcopy(self.average)
        self._older: list[dict[str, Tensor]] = []
        mixed = torch.arange(plan.tables, device=self.device) < plan.old * plan.tables
        kinds = torch.tensor(OLD_SEATS, device=self.device).repeat(plan.tables // len(OLD_SEATS) + 1)[: plan.tables]
        self._old_seats = torch.where(mixed, kinds, 0)
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
        with in_16_bits(self.device):
            self._play(coin)
            values, first_out = self._judge()
        iteration = self._learn(values, entropy, coin)
        iteration.tichu, iteration.grand = self._calls(first_out)
        self._iterations += 1
        return iteration

    def _remember(self) -> None:
        """Now and then keeps an older self, and chooses one to play with."""
        if self._iterations % OLD_EVERY == 0:
            if len(self._older) == OLD_SELVES:  # any of them: so some are young, and a few are very old
                del self._older[self._luck.randrange(OLD_SELVES)]
            self._older.append({name: value.clone() for name, value in self.average.state_dict().items()})
        self._old.load_state_dict(self._luck.choice(self._older))

    # --- play ---------------------------------------------------------------------------------------------------------

    @torch.no_grad()
    def _play(self, coin: float) -> None:
        """Fills the window, but for what the critic thinks of it."""
        window, head, old_head = self._window, self.policy.head(), self._old.head()
        for step in range(self.plan.steps):
            seen = self._seen
            window.observations[step] = seen.observations
            window.hidden[step] = seen.hidden
            window.legal[step] = seen.legal
            window.seats[step] = seen.seats
            answers = Answers.of(window.legal[step])
            logits = self.policy(window.observations[step], answers, head)
            log_probabilities = tossed(answers, answers.log_probabilities(logits), coin)
            places = self._sample(answers, log_probabilities)
            window.ids[step] = answers.ids[places]
            window.log_probabilities[step] = log_probabilities[places]
            if self.plan.old:
                old = self._is_old(window.seats[step]).nonzero()[:, 0]
                answers = Answers.of(window.legal[step, old])
                logits = self._old(window.observations[step, old], answers, old_head)
                places = self._sample(answers, answers.log_probabilities(logits))
                window.ids[step, old] = answers.ids[places]
            self._tables.step(window.ids[step].cpu().numpy())
            self._seen = seen = self._tables.look()
            window.rewards[step] = seen.rewards / HUNDRED
            window.done[step] = seen.done
            window.first_out[step] = seen.first_out
        window.observations[-1] = seen.observations
        window.hidden[-1] = seen.hidden
        window.seats[-1] = seen.seats

    def _sample(self, answers: Answers, log_probabilities: Tensor) -> Tensor:
        """Draws an answer for each decision (the Gumbel trick): int64[N], of 0..K-1."""
        noise = torch.empty_like(log_probabilities).exponential_(generator=self._chance)
        return answers.best(log_probabilities - noise.log())

    def _is_old(self, seats: Tensor) -> Tensor:
        return (self._old_seats >> seats & 1).bool()

    # --- judge --------------------------------------------------------------------------------------------------------

    @torch.no_grad()
    def _judge(self) -> tuple[Tensor, Tensor]:
        """What the critic thinks of the window.

        :result: float[steps + 1, tables], how the round will end for the seat that is asked; likewise the chance that
            it is out first.
        """
        window, size = self._window, self.plan.minibatch
        words = [torch.split(of.flatten(0, 1), size) for of in (window.observations, window.hidden)]
        results, first_out = zip(*(self.critic(*of) for of in zip(*words, strict=True)), strict=True)
        shape = window.seats.shape
        return torch.cat(results).view(shape), torch.cat(first_out).softmax(1)[:, 0].view(shape)

    def _advantages(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """Generalised advantages, and the results that the critic should have expected: float[steps, tables] each, for
        the seat that was asked.
        """
        window = self._window
        signs = 1.0 - 2.0 * (window.seats % 2)
        of_20 = values * signs
        advantages = torch.zeros_like(window.rewards)
        last = torch.zeros_like(of_20[0])
        for step in reversed(range(self.plan.steps)):
            goes_on = (~window.done[step]).float()
            gain = window.rewards[step] + goes_on * of_20[step + 1] - of_20[step]
            advantages[step] = last = gain + DECAY * goes_on * last
        return advantages * signs[:-1], (advantages + of_20[:-1]) * signs[:-1]

    def _winners(self) -> Tensor:
        """Who went out first in the round of each decision, relative to who decided; -1 if it is not over: int64[steps,
        tables].
        """
        window = self._window
        winners = torch.full_like(window.ids, -1)
        last = winners[-1]
        for step in reversed(range(self.plan.steps)):
            last = torch.where(window.done[step], window.first_out[step], last)
            winners[step] = torch.where(last < 0, -1, last - window.seats[step] & 3)
        return winners

    def _calls(self, expected: Tensor) -> list[Calls]:
        """The calls of the rounds that ended, if no older self made them.

        :param expected: the critic's chance that who is asked will be out first.
        """
        window = self._window
        result = [Calls(), Calls()]
        tables = np.arange(self.plan.tables)
        mine = ~self._is_old(window.seats)
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

    # --- learn --------------------------------------------------------------------------------------------------------

    def _learn(self, values: Tensor, entropy: float, coin: float) -> Iteration:
        plan, window = self.plan, self._window
        advantages, results = self._advantages(values)
        mine = ~self._is_old(window.seats[:-1])
        scaled = (advantages - advantages[mine].mean()) / (advantages[mine].std() + 1e-8)
        decisions = mine.flatten().nonzero()[:, 0]
        flat = Decisions(
            *(column.flatten(0, 1) for column in (window.observations[:-1], window.hidden[:-1], window.legal)),
            *(
                c.flatten()
                for c in (window.ids, window.log_probabilities, advantages, scaled, results, self._winners())
            ),
        )
        sums = torch.zeros(4, device=self.device)
        for _ in range(plan.epochs):
            order = decisions[torch.randperm(len(decisions), generator=self._chance, device=self.device)]
            for chosen in torch.split(order, plan.minibatch):
                some = Decisions(*(column[chosen] for column in flat))
                with in_16_bits(self.device):
                    loss, of_choice, divergence = self._policy_loss(some, entropy, coin)
                    critic_loss = self._critic_loss(some)
                descend(loss, self.policy, self._policy_optimiser)
                descend(critic_loss, self.critic, self._critic_optimiser)
                self._updates += 1
                memory = min(plan.memory, (self._updates + 1) / (self._updates + 10))
                for average, now in zip(self.average.parameters(), self.policy.parameters(), strict=True):
                    average.lerp_(now.detach(), 1 - memory)
                sums += torch.stack([loss, critic_loss, of_choice, divergence]).detach() * len(chosen)
        means = (sums / (len(decisions) * plan.epochs)).tolist()
        explained = 1 - (results - values[:-1]).var() / results.var()
        loss, critic_loss, spread, divergence = means
        return Iteration(
            rounds=int(window.done.sum()),
            decisions=len(decisions),
            loss=loss,
            critic_loss=critic_loss,
            entropy=spread,
            divergence=divergence,
            explained=float(explained),
        )

    def _policy_loss(self, of: "Decisions", entropy: float, coin: float) -> tuple[Tensor, Tensor, Tensor]:
        """
        :result: the loss; the entropy of a choice; by how much the choices diverge from those that were made.
        """
        answers = Answers.of(of.legal)
        logits = self.policy(of.observations, answers).float()
        log_probabilities = answers.log_probabilities(logits)
        places = answers.places(of.ids)
        change = tossed(answers, log_probabilities, coin)[places] - of.log_probabilities
        ratio = change.exp()
        gain = torch.minimum(ratio * of.scaled, ratio.clamp(1 - CLIP, 1 + CLIP) * of.scaled)
        is_call = calls(of.ids)
        error = (CALL_SCALE * logits[places] - of.advantages) ** 2
        spread = torch.where(is_call, 0, answers.sums(-log_probabilities * log_probabilities.exp())).mean()
        divergence = (ratio - 1 - change).mean()
        return torch.where(is_call, error, -gain).mean() - entropy * spread, spread, divergence

    def _critic_loss(self, of: "Decisions") -> Tensor:
        results, first_out = self.critic(of.observations, of.hidden)
        known = of.winners >= 0
        errors = functional.cross_entropy(first_out, of.winners.clamp(min=0), reduction="none")
        return functional.mse_loss(results, of.results) + torch.where(known, errors, 0).mean()


class Decisions(NamedTuple):
    """Decisions to learn from; ``advantages`` in hundreds of points, ``scaled`` in their standard deviations."""

    observations: Tensor
    hidden: Tensor
    legal: Tensor
    ids: Tensor
    log_probabilities: Tensor
    advantages: Tensor
    scaled: Tensor
    results: Tensor
    winners: Tensor


def calls(ids: Tensor) -> Tensor:
    """Which ids answer whether somebody calls."""
    return (ids >= TICHUS) & (ids < TICHUS + CALL_IDS)


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
