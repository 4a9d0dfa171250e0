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
from math import log, nan
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from arena.learning.calls import CALL_SCALE, Calls, about_calls, answered, no_to, tossed
from arena.learning.descent import descend, in_16_bits, optimiser_of
from arena.learning.nets import Answers, Critic, Hints, Policy
from arena.learning.plan import Plan
from arena.learning.tables import Tables

DECAY = 0.95  # of the advantage, per decision of the table (lambda)
SURE = 0.98  # the policy does not learn from an answer that it gave with so much probability or more
ASKED = 0.5  # share of the calls that it learns from: they are a quarter of all decisions, and teach without noise
CLIP = 0.2  # how far the probability of an answer may move in an iteration, as a share
WARM_UP = 10  # iterations in which the learning rate rises
LAST_RATE = 0.02  # of it, at the end


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
        self.tables = Tables(plan, self.average, seed, threads)
        self._chance = torch.Generator(self.device).manual_seed(seed)
        self._threads = ThreadPoolExecutor(2)  # one for the policy, one for the critic
        self._half = max(1, threads // 2)
        self._policy_optimiser = optimiser_of(policy)
        self._critic_optimiser = optimiser_of(critic)
        self._iterations = 0

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
        self.tables.play(self.policy, self.critic, self.average, coin)
        iteration = self._learn(entropy, coin)
        self._iterations += 1
        return iteration

    def _advantages(self) -> tuple[Tensor, Tensor]:
        """Generalised advantages, and the results that the critic should have expected: float[steps, tables] each, for
        the seat that was asked.
        """
        window = self.tables.window
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
        window = self.tables.window
        away = torch.arange(4, device=self.device)
        by_seat = window.chances.gather(2, away - window.seats[..., None] & 3)
        winners = by_seat[:-1].clone()
        last = by_seat[-1]
        for step in reversed(range(self.plan.steps)):
            expected = DECAY * last + (1 - DECAY) * by_seat[step + 1]
            was = functional.one_hot(window.first_out[step], 4).float()
            winners[step] = last = torch.where(window.done[step, :, None], was, expected)
        return winners.gather(2, window.seats[:-1, :, None] + away & 3)

    def _learn(self, entropy: float, coin: float) -> Iteration:
        """Policy and critic learn side by side, since neither asks the other."""
        window = self.tables.window
        advantages, results = self._advantages()
        mine = self.tables.is_own(window.seats[:-1])
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
        is_answer = about_calls(flat.ids)
        is_call = is_answer & ~self.tables.quiet.repeat(self.plan.steps)
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
        tichu, grand = self.tables.calls_over(expected.view_as(window.ids))
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
        told = Hints(of.turns, self.tables.hints[of.begins[answers.rows] + answers.numbers()])
        logits = self.policy(of.observations, answers, told).float()
        log_probabilities = answers.log_probabilities(logits)
        places = answers.places(of.ids)
        change = tossed(answers, log_probabilities, coin)[places] - of.log_probabilities
        ratio = change.exp()
        gain = torch.minimum(ratio * of.scaled, ratio.clamp(1 - CLIP, 1 + CLIP) * of.scaled)
        is_call = about_calls(of.ids)
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
    """Decisions to learn from, as in :class:`arena.learning.tables.Window`.

    :ivar scaled: advantages, in their standard deviations; ``results`` and ``winners``: what the critic should have
        expected.
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
