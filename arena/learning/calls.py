"""Calls at many tables at a time: which answers they are, and what they change of what is seen."""

from dataclasses import dataclass

import torch
from torch import Tensor

from arena.learning.nets import Answers
from games.tichu.agents.actions import GRANDS, TICHUS
from games.tichu.agents.observations import ASKS, FIRST_BITS

CALL_SCALE = 0.1  # worth of a call that its logit shows as 1: 10 points
CALL_IDS = 4  # from TICHUS on: no, yes to a Tichu, no, yes to a grand Tichu


@dataclass
class Calls:
    """Of one kind: how many, how many of them were made, and how many the critic expected to be made."""

    count: int = 0
    made: int = 0
    expected: float = 0.0


def about_calls(ids: Tensor) -> Tensor:
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


def silenced(ids: Tensor, quiet: Tensor) -> Tensor:
    """What is answered where nobody calls: int64[N].

    :param quiet: bool[N], where that is.
    """
    return torch.where(about_calls(ids) & quiet, no_to(ids), ids)


def tossed(answers: Answers, log_probabilities: Tensor, coin: float) -> Tensor:
    """The probabilities when a share of the calls is decided by a coin."""
    mixed = torch.log((1 - coin) * log_probabilities.exp() + coin / 2)
    return torch.where(about_calls(answers.ids), mixed, log_probabilities)
