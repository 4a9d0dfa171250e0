"""Networks in PyTorch: they compute what plays, and lists of legal answers give what plain loops make of them."""

import math
from contextlib import suppress

import numpy as np
import pytest

from arena.batch import Batch
from arena.learning.size import Size
from games.tichu.agents.actions import ACTIONS, TICHUS, unpacked
from games.tichu.agents.observations import BITS
from games.tichu.agents.weights import Weights

with suppress(ModuleNotFoundError):  # the tests are left out where it is missing
    import torch

    from arena.learning.nets import Answers, Critic, Hints, Policy, bits, load_arrays, state_arrays

pytestmark = pytest.mark.training


@pytest.fixture(scope="module")
def tables():
    """Some decisions from the midst of rounds."""
    batch = Batch(64, 5)
    for _ in range(150):
        batch.step(batch.random_ids())
    batch.observe()
    return batch


def signed(words):
    return torch.from_numpy(words.view(np.int64).copy())


def trained_policy(size):
    """One whose outputs are not all alike, as they are at first."""
    torch.manual_seed(3)
    policy = Policy(Size.parse(size))
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    return policy


@pytest.mark.parametrize("size", ["32x0", "64x2"])
def test_what_plays_gives_the_logits_of_what_was_trained(tables, size, tmp_path):
    policy = trained_policy(size)
    observations, answers = signed(tables.observations), Answers.of(signed(tables.legal))
    with torch.no_grad():
        logits = policy(observations, answers, Hints.of(observations, answers)).numpy()
    saved = Weights({}, **{name: array.astype(np.float32) for name, array in policy.playable().items()})
    saved.save(tmp_path / "policy.npz")
    played = Weights.load(tmp_path / "policy.npz")
    for table in range(64):
        legal = np.flatnonzero(unpacked(tables.legal[table], ACTIONS))
        mine = logits[answers.rows.numpy() == table]
        assert np.abs(played.logits(tables.observations[table], legal) - mine).max() < 0.02 * max(1, np.ptp(mine))


def test_bits_are_those_of_the_words(tables):
    found = bits(signed(tables.observations), torch.float32, BITS).numpy()
    assert found.shape == (64, BITS)
    assert all((found[table] == unpacked(tables.observations[table], BITS)).all() for table in range(64))


def test_answers_are_the_legal_ones_in_order(tables):
    answers = Answers.of(signed(tables.legal))
    pairs = [(row, id) for row in range(64) for id in np.flatnonzero(unpacked(tables.legal[row], ACTIONS))]
    assert list(zip(answers.rows.tolist(), answers.ids.tolist(), strict=True)) == pairs


MADE_UP = [(0, 5), (0, 9), (1, 2), (2, 0), (2, 7), (2, 8)]  # decisions and ids
LOGITS = [1.0, 3.0, -4.0, 0.5, 900.0, 899.0]


def made_up():
    rows, ids = zip(*MADE_UP, strict=True)
    return Answers(3, torch.tensor(rows), torch.tensor(ids))


def test_probabilities_add_up_within_each_decision():
    found = made_up().log_probabilities(torch.tensor(LOGITS)).tolist()
    for (row, _), logit, log_probability in zip(MADE_UP, LOGITS, found, strict=True):
        others = [other for (their, _), other in zip(MADE_UP, LOGITS, strict=True) if their == row]
        expected = logit - max(others) - math.log(sum(math.exp(other - max(others)) for other in others))
        assert log_probability == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_the_best_answer_and_the_place_of_an_answer_stand_where_they_stand():
    assert made_up().best(torch.tensor(LOGITS)).tolist() == [1, 2, 4]
    assert made_up().places(torch.tensor([9, 2, 8])).tolist() == [1, 2, 5]
    assert made_up().most(torch.tensor(LOGITS)).tolist() == [3.0, -4.0, 900.0]
    assert made_up().begins().tolist() == [0, 2, 3]
    assert made_up().numbers().tolist() == [0, 1, 0, 0, 1, 2]
    assert made_up().sums(torch.tensor([1.0, 2, 3, 4, 5, 6])).tolist() == [3, 3, 15]


def test_calls_begin_rare(tables):
    policy = Policy(Size(16, 1))
    answers = Answers(2, torch.tensor([0, 0, 1, 1]), torch.tensor([TICHUS + i for i in range(4)]))
    observations = signed(tables.observations[:2])
    chances = policy(observations, answers, Hints.of(observations, answers)).detach()
    assert answers.log_probabilities(chances).exp()[[1, 3]].tolist() == pytest.approx([0.076, 0.047], abs=0.02)


@pytest.mark.parametrize("kind", ["policy", "critic"])
def test_a_network_comes_back_from_its_arrays(kind):
    one, other = ((Policy, Critic)[kind == "critic"](Size(16, 2)) for _ in range(2))
    load_arrays(other, state_arrays(one))
    pairs = zip(one.state_dict().values(), other.state_dict().values(), strict=True)
    assert all(torch.allclose(mine, theirs, atol=1e-3) for mine, theirs in pairs)


def test_arrays_of_another_network_are_refused():
    with pytest.raises(RuntimeError):
        load_arrays(Critic(Size(16, 1)), state_arrays(Policy(Size(16, 1))))


@pytest.mark.parametrize("text", ["", "256", "x2", "256x", "4x2", "256x-1", "ax2", "256x2x2"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ValueError, match="WIDTHxBLOCKS"):
        Size.parse(text)


def test_no_decisions_have_no_bits_and_no_answers():
    """Where no older self is to decide."""
    assert bits(torch.zeros(0, 18, dtype=torch.int64), torch.float32, BITS).shape == (0, BITS)
    assert Answers.of(torch.zeros(0, 25, dtype=torch.int64)).ids.tolist() == []
