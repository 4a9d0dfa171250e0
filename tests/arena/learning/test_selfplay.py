"""Self-play: the arithmetic of learning against plain loops, and who learns."""

from contextlib import suppress

import pytest

with suppress(ModuleNotFoundError):  # the tests are left out where it is missing
    import torch

    from arena.learning.nets import Answers, Critic, Policy, Size
    from arena.learning.selfplay import DECAY, Plan, Selfplay, tossed
    from games.tichu.agents.actions import TICHUS

pytestmark = pytest.mark.training
TABLES, STEPS = 12, 6


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def made(old=0.0, seed=1, **changes):
    torch.manual_seed(seed)
    size = Size(16, 1)
    plan = Plan(size, size, TABLES, STEPS, 32, old=old)._replace(**changes)
    return Selfplay(plan, Policy(size), Critic(size), seed, 1)


@pytest.fixture
def filled():
    """A window of made-up decisions; at some tables rounds end in it."""
    training = made()
    window = training._window
    chance = torch.Generator().manual_seed(7)
    window.seats[:] = torch.randint(0, 4, window.seats.shape, generator=chance)
    window.done[:] = torch.rand(window.done.shape, generator=chance) < 0.2
    rewards = torch.randint(-4, 5, window.rewards.shape, generator=chance).float()
    window.rewards[:] = torch.where(window.done, rewards, 0)
    window.first_out[:] = torch.randint(0, 4, window.first_out.shape, generator=chance)
    return training


def test_advantages_are_those_of_the_definition(filled):
    """Sum of the discounted surprises up to the end of the round (Schulman et al. 2016, equation 16), team by team."""
    window = filled._window
    values = torch.randn(window.seats.shape, generator=torch.Generator().manual_seed(8))
    advantages, results = filled._advantages(values)
    for table in range(TABLES):
        sign = [1 if seat % 2 == 0 else -1 for seat in window.seats[:, table].tolist()]
        of_20 = [value * s for value, s in zip(values[:, table].tolist(), sign, strict=True)]
        for step in range(STEPS):
            expected, weight = 0.0, 1.0
            for later in range(step, STEPS):
                is_done = bool(window.done[later, table])
                then = 0.0 if is_done else of_20[later + 1]
                expected += weight * (float(window.rewards[later, table]) + then - of_20[later])
                weight *= DECAY
                if is_done:
                    break
            assert float(advantages[step, table]) == pytest.approx(sign[step] * expected, abs=1e-4)
            result = sign[step] * (expected + of_20[step])
            assert float(results[step, table]) == pytest.approx(result, abs=1e-4)


def test_who_went_out_first_is_known_to_all_of_the_round(filled):
    window, winners = filled._window, filled._winners()
    for table in range(TABLES):
        for step in range(STEPS):
            ends = [later for later in range(step, STEPS) if window.done[later, table]]
            expected = (int(window.first_out[ends[0], table]) - int(window.seats[step, table])) % 4 if ends else -1
            assert int(winners[step, table]) == expected


def test_calls_are_counted_when_their_round_is_over():
    training = made()
    window = training._window
    window.ids[:] = -1
    window.done[:] = False
    window.ids[1, 0], window.seats[1, 0] = TICHUS + 1, 2  # made
    window.ids[1, 1], window.seats[1, 1] = TICHUS + 1, 3  # lost
    window.ids[2, 2], window.seats[2, 2] = TICHUS + 3, 1  # a grand one, of a round that goes on
    window.done[4, :2] = True
    window.first_out[4, :2] = 2
    expected = torch.full(window.seats.shape, 0.25)
    tichu, grand = training._calls(expected)
    assert (tichu.count, tichu.made, tichu.expected) == (2, 1, 0.5)
    assert grand.count == 0
    window.ids[:] = -1
    window.done[:] = False
    window.done[0, 2], window.first_out[0, 2] = True, 1
    tichu, grand = training._calls(expected)
    assert (tichu.count, grand.count, grand.made, grand.expected) == (0, 1, 1, 0.25)


def test_a_share_of_the_calls_is_tossed_for_and_nothing_else():
    answers = Answers(2, torch.tensor([0, 0, 1, 1]), torch.tensor([TICHUS, TICHUS + 1, 0, 1]))
    log_probabilities = torch.tensor([0.99, 0.01, 0.7, 0.3]).log()
    assert tossed(answers, log_probabilities, 0.1).exp().tolist() == pytest.approx([0.941, 0.059, 0.7, 0.3])


def test_older_selves_sit_at_their_share_of_the_tables_and_nothing_is_learned_from_them():
    training = made(old=0.5)
    seated = [seats.bit_count() for seats in training._old_seats.tolist()]
    assert [count > 0 for count in seated] == [True] * 6 + [False] * 6
    for _ in range(3):
        iteration = training.iterate(0.5)
        old = int(training._is_old(training._window.seats[:-1]).sum())
        assert iteration.decisions == TABLES * STEPS - old < TABLES * STEPS


def test_an_older_self_does_not_change_while_the_policy_learns():
    training = made(old=0.5)
    before = {name: value.clone() for name, value in training._old.state_dict().items()}
    begun = {name: value.clone() for name, value in training.policy.state_dict().items()}
    for _ in range(3):
        training.iterate(0.5)
    assert all(torch.equal(before[name], value) for name, value in training._old.state_dict().items())
    assert any(not torch.equal(begun[name], value) for name, value in training.policy.state_dict().items())


def test_the_same_seed_learns_the_same_and_another_seed_something_else():
    def learned(seed):
        training = made(old=0.5, seed=seed)
        said = [training.iterate(0.5) for _ in range(3)]
        return torch.cat([value.flatten() for value in training.average.parameters()]), said[-1].loss

    (one, its_loss), (again, other_loss) = learned(4), learned(4)
    assert torch.equal(one, again)
    assert its_loss == other_loss
    assert not torch.equal(one, learned(5)[0])
