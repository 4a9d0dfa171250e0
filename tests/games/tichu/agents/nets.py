"""Networks that have learned nothing."""

import numpy as np

from games.tichu.agents.actions import ACTIONS, GRANDS, TICHUS
from games.tichu.agents.hints import HINT_BITS, TURNS_BITS
from games.tichu.agents.observations import BITS
from games.tichu.agents.weights import Floats, Weights


def random_weights(width: int = 16, depth: int = 2, seed: int = 1) -> Weights:
    """Of numbers that a file of 16 bits holds as they are. They seldom call: who always does never wins a match."""
    rng = np.random.default_rng(seed)

    def around(mean: float, scale: float, *shape: int) -> Floats:
        return rng.normal(mean, scale, shape).astype(np.float16).astype(np.float32)

    outputs_bias = around(0, 0.3, ACTIONS)
    outputs_bias[[TICHUS + 1, GRANDS + 1]] -= 6
    return Weights(
        {"kind": "random", "seed": seed},
        inputs=around(0, 0.3, BITS + TURNS_BITS, width),
        inputs_bias=around(0, 0.3, width),
        gains=around(1, 0.3, depth + 1, width),
        shifts=around(0, 0.3, depth + 1, width),
        blocks=around(0, width**-0.5, depth, width, width),
        blocks_bias=around(0, 0.3, depth, width),
        outputs=around(0, width**-0.5, ACTIONS, width),
        outputs_bias=outputs_bias.astype(np.float16).astype(np.float32),
        hints=around(0, 0.3 * width**-0.5, HINT_BITS, width),
        hints_bias=around(0, 0.1, HINT_BITS),
    )
