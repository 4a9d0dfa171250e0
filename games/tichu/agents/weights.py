"""Weights of a network that decides, in a file, and what the network makes of them: numpy alone, no learning.

A file is what ``numpy.savez`` writes, floats of 16 bits, ``H`` units wide and ``N`` blocks deep::

    format         1
    fingerprint    of the action ids and the observation that it was trained on (:func:`fingerprint`)
    sheet          JSON: where it comes from and how strong it is
    inputs         [BITS + T, H]   inputs_bias   [H]
    gains          [N + 1, H]      shifts        [N + 1, H]     of the norm before each block, and before the outputs
    blocks         [N, H, H]       blocks_bias   [N, H]         from unit to unit
    outputs        [ACTIONS, H]    outputs_bias  [ACTIONS]
    hints          [HINT_BITS, H]  hints_bias    [HINT_BITS]

The network is a residual one (He et al. 2016) with a layer norm (Ba et al. 2016) at the entry of each block. It sees
the observation and, in ``T`` bits, the turns of the hand; to the output of an answer are added those of its hints
(:mod:`games.tichu.agents.hints`). A decision needs only the rows of the bits that are set and of the legal answers.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Self, TypeAlias
from zipfile import is_zipfile

import numpy as np
from numpy.typing import NDArray

from games.tichu.agents.actions import ACTIONS, DESCRIPTORS, PATTERNS, unpacked
from games.tichu.agents.hints import HINT_BITS, HINT_PIECES, TURNS_BITS, hints, own_turns
from games.tichu.agents.observations import BITS, PIECES

Floats: TypeAlias = NDArray[np.float32]

FORMAT = 1
EPSILON = 1e-5  # as in torch.nn.LayerNorm
ARRAYS = (
    "inputs",
    "inputs_bias",
    "gains",
    "shifts",
    "blocks",
    "blocks_bias",
    "outputs",
    "outputs_bias",
    "hints",
    "hints_bias",
)


@cache
def fingerprint() -> str:
    """SHA-256, in hex, of what action ids and bits of an observation mean; weights fit no other."""
    meaning = json.dumps([PATTERNS, PIECES, HINT_PIECES]).encode() + DESCRIPTORS.tobytes()
    return sha256(meaning).hexdigest()


@dataclass(frozen=True, eq=False)
class Weights:
    """A network.

    :ivar sheet: where it comes from and how strong it is; anything that JSON can say.
    :ivar inputs: float32[BITS + T, H]; the other arrays as in the file, all float32.

    :raises ValueError: an array has another shape, or numbers that are not finite.
    """

    sheet: Mapping[str, Any]
    inputs: Floats
    inputs_bias: Floats
    gains: Floats
    shifts: Floats
    blocks: Floats
    blocks_bias: Floats
    outputs: Floats
    outputs_bias: Floats
    hints: Floats
    hints_bias: Floats

    def __post_init__(self) -> None:
        count = len(self.blocks) if self.blocks.ndim else 0
        width = max((1, *self.inputs.shape[-1:]))
        shapes = {
            "inputs": (BITS + TURNS_BITS, width),
            "inputs_bias": (width,),
            "gains": (count + 1, width),
            "shifts": (count + 1, width),
            "blocks": (count, width, width),
            "blocks_bias": (count, width),
            "outputs": (ACTIONS, width),
            "outputs_bias": (ACTIONS,),
            "hints": (HINT_BITS, width),
            "hints_bias": (HINT_BITS,),
        }
        for name, shape in shapes.items():
            array = getattr(self, name)
            if array.shape != shape:
                raise ValueError(f"{name} has the shape {array.shape}, not {shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"{name} has numbers that are not finite")

    @property
    def net(self) -> str:
        """Its width and depth: ``"128x2"``."""
        return f"{self.inputs.shape[1]}x{len(self.blocks)}"

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """
        :raises OSError: there is no such file, or it cannot be read.
        :raises ValueError: it holds no weights, or those of other action ids or another observation.
        """
        with Path(path).open("rb") as stream:
            try:
                if not is_zipfile(stream):
                    raise ValueError("it is none of numpy's archives (.npz)")
                stream.seek(0)
                with np.load(stream, allow_pickle=False) as file:
                    return cls._of({name: file[name] for name in file.files})
            except KeyError as error:
                raise ValueError(f"{path} holds no weights that fit: {error} is missing") from error
            except Exception as error:  # whatever a file brings that is something else, or damaged
                raise ValueError(f"{path} holds no weights that fit: {error}") from error

    @classmethod
    def _of(cls, found: Mapping[str, NDArray[Any]]) -> Self:
        if (number := found["format"].item()) != FORMAT:
            raise ValueError(f"the format is {number!r}, not {FORMAT}")
        if (made_for := found["fingerprint"].item()) != fingerprint():
            raise ValueError(
                f"made for other action ids or observations, with the fingerprint {made_for} instead of {fingerprint()}"
            )
        for name in ARRAYS:
            if found[name].dtype != np.float16:
                raise ValueError(f"{name} is {found[name].dtype}, not float16")
        sheet = json.loads(found["sheet"].item())
        if not isinstance(sheet, dict):
            raise ValueError(f"the sheet is {sheet!r}, no object of JSON")
        return cls(sheet, **{name: found[name].astype(np.float32) for name in ARRAYS})

    def save(self, path: str | Path) -> None:
        """Writes the file, or leaves the one that is there as it is.

        :raises ValueError: numbers are beyond what 16 bits can hold.
        """
        path = Path(path)
        with np.errstate(over="ignore"):
            arrays = {name: getattr(self, name).astype(np.float16) for name in ARRAYS}
        for name, array in arrays.items():
            if not np.isfinite(array).all():
                raise ValueError(f"{name} has numbers beyond ±{np.finfo(np.float16).max}, which 16 bits do not hold")
        part = path.with_name(f"{path.name}.part")
        with part.open("wb") as file:
            np.savez(file, format=FORMAT, fingerprint=fingerprint(), sheet=json.dumps(self.sheet), **arrays)
        part.replace(path)

    def logits(self, observation: NDArray[np.uint64], legal: NDArray[np.intp]) -> Floats:
        """How much speaks for each answer.

        No product here is one of the BLAS, which would wake its threads for a few microseconds of work and keep the
        other cores spinning.

        :param observation: ``uint64[WORDS]`` (:mod:`games.tichu.agents.observations`).
        :param legal: the action ids that may be answered.
        :result: float32, one for each of ``legal``.
        """
        words = observation[None]
        turns = unpacked(own_turns(words)[0], TURNS_BITS)
        seen = np.flatnonzero(np.concatenate([unpacked(observation, BITS), turns]))
        units = _positive(self.inputs[seen].sum(axis=0) + self.inputs_bias)
        for i in range(len(self.blocks)):
            units += _positive(np.einsum("i,ij->j", self._norm(units, i), self.blocks[i]) + self.blocks_bias[i])
        last = self._norm(units, -1)
        said = np.einsum("ij,j->i", self.hints, last) + self.hints_bias
        told = unpacked(hints(words, np.zeros_like(legal), legal), HINT_BITS)
        own = np.einsum("ij,j->i", self.outputs[legal], last) + self.outputs_bias[legal]
        logits: Floats = own + np.einsum("ij,j->i", told.astype(np.float32), said)
        return logits

    def _norm(self, units: Floats, i: int) -> Floats:
        centred = units - units.mean()
        variance = np.einsum("i,i->", centred, centred) / len(units)
        normed: Floats = centred / np.sqrt(variance + EPSILON) * self.gains[i] + self.shifts[i]
        return normed


def _positive(units: Floats) -> Floats:
    positive: Floats = np.maximum(units, 0, out=units)
    return positive
