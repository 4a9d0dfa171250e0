"""The mean of the weights of several policies.

Two trainings that went on from the same policy and ended apart are often better in their mean than either
(docs/decisions/0018; Wortsman et al. 2022). The mean of those that began apart knows nothing, and students begin apart
even if they have the same teacher.
"""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import numpy as np

from games.tichu.agents.weights import ARRAYS, Weights


def mean_of(policies: Sequence[Weights], facts: Mapping[str, Any]) -> Weights:
    """
    :param policies: at least one.
    :param facts: kind, command, revision and date, for the data sheet.
    :result: its data sheet has the pieces of all of them, those that they share once.
    :raises ValueError: they did not go on from the same one.
    """
    histories = [policy.sheet.get("pieces", []) for policy in policies]
    alike = takewhile(lambda at: all(piece == at[0] for piece in at), zip(*histories, strict=False))
    shared = [at[0] for at in alike]
    apart = [piece for history in histories for piece in history[len(shared) :]]
    are_students = any(piece["kind"] == "distill" for piece in apart)
    if not shared or are_students or len({policy.net for policy in policies}) > 1:
        raise ValueError("These did not begin with the same piece of training: their mean would know nothing.")
    pieces = shared + apart
    sheet = {
        "kind": policies[0].sheet["kind"],
        "net": policies[0].net,
        "minutes": sum(piece["minutes"] for piece in pieces),
        "rounds": sum(piece["rounds"] for piece in pieces),
        "pieces": [*pieces, {**facts, "minutes": 0.0, "rounds": 0}],
    }
    return Weights(sheet, **{name: np.mean([getattr(one, name) for one in policies], axis=0) for name in ARRAYS})
