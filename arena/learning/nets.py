"""The networks that learn, in PyTorch.

A **policy** sees what a seat sees, and gives a logit to each legal answer; a **critic** sees all hands, and tells how
the round will end. Both are residual trunks over bits::

    bits -> inputs -> relu -> h          h = h + relu(block(norm(h)))   for each block          norm(h) -> outputs

The output row of an action id is ``own[id] + DESCRIPTORS[id] @ shared``: what ids have in common, like a rank or that
the phoenix is in it, is learned once, so an answer that hardly ever comes is not new when it does.

Nearly all answers are illegal at a time. So answers are lists of the legal ones, one decision's after the other's
(:class:`Answers`), and nothing else is ever turned into probabilities.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from arena.learning.size import Size
from games.tichu.agents.actions import ACTIONS, DESCRIPTORS, TICHUS
from games.tichu.agents.hints import HANDS_BITS, HINT_BITS, TURNS_BITS, hints, own_turns
from games.tichu.agents.observations import BITS, FIRST_BITS, HIDDEN_BITS
from games.tichu.agents.weights import Weights


class Answers(NamedTuple):
    """The legal answers of some decisions, one decision's after the other's.

    :ivar size: N, how many decisions.
    :ivar rows: int64[K], to which decision an answer belongs, ascending; ``ids``: int64[K], its action id.
    """

    size: int
    rows: Tensor
    ids: Tensor

    @classmethod
    def of(cls, masks: Tensor) -> Self:
        """
        :param masks: int64[N, MASK_WORDS].
        """
        rows, words = masks.nonzero(as_tuple=True)  # nearly all words are 0
        which, places = bits(masks[rows, words].unsqueeze(1), torch.bool).nonzero(as_tuple=True)
        return cls(len(masks), rows[which], 64 * words[which] + places)

    def log_probabilities(self, logits: Tensor) -> Tensor:
        """The softmax of each decision's answers: float32[K] of float[K]."""
        logits = logits.float()
        shifted = logits - self.most(logits.detach())[self.rows]
        return shifted - self.sums(shifted.exp()).log()[self.rows]

    def sums(self, values: Tensor) -> Tensor:
        """Of each decision's answers: float[N] of float[K]."""
        return values.new_zeros(self.size).index_add(0, self.rows, values)

    def most(self, values: Tensor) -> Tensor:
        """The largest value of each decision: float[N] of float[K]."""
        return values.new_full((self.size,), -torch.inf).scatter_reduce(0, self.rows, values, "amax")

    def best(self, values: Tensor) -> Tensor:
        """Where the largest value of each decision stands: int64[N], of 0..K-1."""
        return self._places(values == self.most(values)[self.rows])

    def sampled(self, log_probabilities: Tensor, chance: torch.Generator) -> Tensor:
        """Where an answer of each decision stands that is drawn (the Gumbel trick): int64[N], of 0..K-1."""
        noise = torch.empty_like(log_probabilities).exponential_(generator=chance)
        return self.best(log_probabilities - noise.log())

    def places(self, ids: Tensor) -> Tensor:
        """Where one answer of each decision stands: int64[N], of 0..K-1, of int64[N]."""
        return self._places(self.ids == ids[self.rows])

    def begins(self) -> Tensor:
        """Where the answers of each decision begin: int64[N]."""
        counts = torch.bincount(self.rows, minlength=self.size)
        return counts.cumsum(0) - counts

    def numbers(self) -> Tensor:
        """The place of each answer among those of its decision: int64[K], from 0 on."""
        return torch.arange(len(self.rows), device=self.rows.device) - self.begins()[self.rows]

    def _places(self, marked: Tensor) -> Tensor:
        """Where a marked answer of each decision stands, each of which has one."""
        at = marked.nonzero()[:, 0]
        places = at.new_zeros(self.size)
        places[self.rows[at]] = at
        return places


class Hints(NamedTuple):
    """What a policy is told besides what a seat sees (:mod:`games.tichu.agents.hints`).

    :ivar turns: int64[N, 1], of the hand of each decision; ``answers``: int64[K, 1], of each answer.
    """

    turns: Tensor
    answers: Tensor

    @classmethod
    def of(cls, observations: Tensor, answers: Answers) -> Self:
        """
        :param observations: int64[N, WORDS].
        """
        words, device = unsigned(observations), observations.device
        of_answers = hints(words, answers.rows.cpu().numpy(), answers.ids.cpu().numpy())
        return cls(signed(own_turns(words), device), signed(of_answers, device))


class Outputs(NamedTuple):
    """The last layer of a policy.

    :ivar rows: float[ACTIONS, width], by action id; ``biases``: float[ACTIONS].
    """

    rows: Tensor
    biases: Tensor


class Trunk(nn.Module):
    def __init__(self, bits: int, size: Size) -> None:
        super().__init__()
        width = size.width
        self.inputs = nn.Linear(bits, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(size.blocks + 1))
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(size.blocks))
        nn.init.normal_(self.inputs.weight, 0, 0.5 * (2 / 120) ** 0.5)  # some 120 bits are set at a time

    def forward(self, x: Tensor) -> Tensor:
        h = functional.relu(self.inputs(x))
        for norm, block in zip(self.norms, self.blocks, strict=False):
            h = h + functional.relu(block(norm(h)))
        last: Tensor = self.norms[-1](h)
        return last.to(x.dtype)


class Policy(nn.Module):
    """Chooses."""

    descriptors: Tensor

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size
        self.trunk = Trunk(BITS + TURNS_BITS, size)
        self.register_buffer("descriptors", torch.from_numpy(DESCRIPTORS).float(), persistent=False)
        self.shared = nn.Linear(size.width, DESCRIPTORS.shape[1])
        self.hints = nn.Linear(size.width, HINT_BITS)
        self.own = nn.Linear(size.width, ACTIONS)
        for layer in (self.shared, self.hints):
            nn.init.normal_(layer.weight, 0, 0.01 / size.width**0.5)
        for blank in (self.shared.bias, self.hints.bias, self.own.weight, self.own.bias):
            nn.init.zeros_(blank)
        with torch.no_grad():  # calls begin rare
            self.own.bias[[TICHUS + 1, TICHUS + 3]] = torch.tensor([-2.5, -3.0])

    def forward(self, observations: Tensor, answers: Answers, told: Hints, outputs: Outputs | None = None) -> Tensor:
        """
        :param observations: int64[N, WORDS].
        :param outputs: what :meth:`outputs` gives, if it is asked more than once with the same weights.
        :result: float[K], a logit for each answer.
        """
        dtype = working_type(observations.device)
        rows, ids = answers.rows, answers.ids
        h = self.trunk(torch.cat([bits(observations, dtype, BITS), bits(told.turns, dtype, TURNS_BITS)], dim=1))
        outputs = outputs or self.outputs()
        own = h.index_select(0, rows) * outputs.rows.index_select(0, ids)
        hints = self.hints(h).index_select(0, rows) * bits(told.answers, dtype, HINT_BITS)
        logits: Tensor = own.sum(1, dtype=torch.float32) + hints.sum(1, dtype=torch.float32)
        return logits + outputs.biases.index_select(0, ids)

    def outputs(self) -> Outputs:
        """What ids have in common, and what is their own."""
        rows = self.own.weight + self.descriptors @ self.shared.weight
        biases = self.own.bias + self.descriptors @ self.shared.bias
        return Outputs(rows.to(working_type(rows.device)), biases)

    @classmethod
    def of(cls, weights: Weights) -> Self:
        """The network of a file that plays: what ids have in common is then a matter of each id."""
        policy = cls(Size.parse(weights.net))
        state = policy.state_dict()
        arrays = {
            "trunk.inputs.weight": weights.inputs.T,
            "trunk.inputs.bias": weights.inputs_bias,
            "own.weight": weights.outputs,
            "own.bias": weights.outputs_bias,
            "hints.weight": weights.hints,
            "hints.bias": weights.hints_bias,
            "shared.weight": np.zeros(state["shared.weight"].shape, np.float32),
            "shared.bias": np.zeros(state["shared.bias"].shape, np.float32),
        }
        for i, (gain, shift) in enumerate(zip(weights.gains, weights.shifts, strict=True)):
            arrays |= {f"trunk.norms.{i}.weight": gain, f"trunk.norms.{i}.bias": shift}
        for i, (block, bias) in enumerate(zip(weights.blocks, weights.blocks_bias, strict=True)):
            arrays |= {f"trunk.blocks.{i}.weight": block.T, f"trunk.blocks.{i}.bias": bias}
        policy.load_state_dict({name: torch.tensor(array) for name, array in arrays.items()})
        return policy

    @torch.no_grad()
    def playable(self) -> dict[str, NDArray[np.float16]]:
        """The arrays of :class:`games.tichu.agents.weights.Weights`."""
        state, width = self.state_dict(), self.size.width
        outputs = self.outputs()

        def stacked(name: str, count: int, *shape: int) -> Tensor:
            layers = [state[f"trunk.{name}".format(i)] for i in range(count)]
            return torch.stack(layers) if layers else torch.zeros(0, *shape)

        arrays = {
            "inputs": state["trunk.inputs.weight"].T,
            "inputs_bias": state["trunk.inputs.bias"],
            "gains": stacked("norms.{}.weight", self.size.blocks + 1),
            "shifts": stacked("norms.{}.bias", self.size.blocks + 1),
            "blocks": stacked("blocks.{}.weight", self.size.blocks, width, width).mT,
            "blocks_bias": stacked("blocks.{}.bias", self.size.blocks, width),
            "outputs": outputs.rows,
            "outputs_bias": outputs.biases,
            "hints": state["hints.weight"],
            "hints_bias": state["hints.bias"],
        }
        return {name: half(array) for name, array in arrays.items()}


class Critic(nn.Module):
    """Tells how a round will end, and is told all hands.

    What a call brings follows from who goes out first (rules 8.3), so only the rest of the result is a matter of
    experience. A call is worth something to a critic that has never seen one.
    """

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size
        self.trunk = Trunk(BITS + HIDDEN_BITS + HANDS_BITS, size)
        self.result = nn.Linear(size.width, 1)
        self.first_out = nn.Linear(size.width, 4)
        for layer in (self.result, self.first_out):
            nn.init.zeros_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, observations: Tensor, hidden: Tensor, turns: Tensor) -> tuple[Tensor, Tensor]:
        """
        :param observations: int64[N, WORDS]; ``hidden``: int64[N, HIDDEN_WORDS]; ``turns``: int64[N,
            HANDS_WORDS], what :func:`games.tichu.agents.hints.all_turns` makes of it.
        :result: float[N], hundreds of points of the own team less those of the other at the end of the round; float[N,
            4], logits of the relative seats to be the first that is out.
        """
        dtype = working_type(observations.device)
        columns = ((observations, BITS), (hidden, HIDDEN_BITS), (turns, HANDS_BITS))
        h = self.trunk(torch.cat([bits(words, dtype, count) for words, count in columns], dim=1))
        first_out = self.first_out(h).float()
        brought = (called(observations) * (2 * first_out.detach().softmax(1) - 1)).sum(1)
        return self.result(h).squeeze(1).float() + brought, first_out


def called(observations: Tensor) -> Tensor:
    """What the calls bring that stand if they are made: float[N, 4], hundreds of points of the own team less those of
    the other, by relative seat.
    """
    seats = torch.arange(4, device=observations.device)
    places = (FIRST_BITS["tichu"] + seats, FIRST_BITS["grand_tichu"] + seats)
    tichus, grands = (observations[:, place // 64] >> place % 64 & 1 for place in places)
    signs = 1 - 2 * (seats % 2)
    return (signs * (tichus + 2 * grands)).float()


def working_type(device: torch.device) -> torch.dtype:
    """Of what layers multiply on a device."""
    return torch.get_autocast_dtype(device.type) if torch.is_autocast_enabled(device.type) else torch.float32


def bits(words: Tensor, dtype: torch.dtype, count: int | None = None) -> Tensor:
    """Packed bits one by one: dtype[N, count] of int64[N, words]."""
    selected = _bytes(dtype, words.device).index_select(0, words.contiguous().view(torch.uint8).flatten().int())
    return selected.view(len(words), 64 * words.shape[1])[:, :count]


def unsigned(words: Tensor) -> NDArray[np.uint64]:
    """Packed bits for the compiled modules."""
    array: NDArray[np.uint64] = words.cpu().numpy().view(np.uint64)
    return array


def signed(words: NDArray[np.uint64], device: torch.device) -> Tensor:
    """Packed bits for PyTorch, which computes with no other whole numbers: int64."""
    return torch.from_numpy(np.ascontiguousarray(words).view(np.int64)).to(device)


@cache
def _bytes(dtype: torch.dtype, device: torch.device) -> Tensor:
    """The bits of all bytes: looking them up is several times as fast as shifting."""
    return (torch.arange(256)[:, None] >> torch.arange(8) & 1).to(device, dtype)


def half(values: Tensor) -> NDArray[np.float16]:
    """As they stand in files."""
    return np.asarray(values.float().cpu().numpy(), np.float16)


def state_arrays(network: nn.Module) -> dict[str, NDArray[np.float16]]:
    """The parameters of a network, by name."""
    return {name: half(value) for name, value in network.state_dict().items()}


def load_arrays(network: nn.Module, arrays: Mapping[str, Any]) -> None:
    """Takes parameters over.

    :raises RuntimeError: they are of another network.
    """
    network.load_state_dict({name: torch.from_numpy(np.asarray(array, np.float32)) for name, array in arrays.items()})
