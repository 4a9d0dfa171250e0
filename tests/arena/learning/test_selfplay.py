"""Self-play: the arithmetic of learning against plain loops, and who learns."""

from contextlib import suppress

import numpy as np
import pytest

from arena.batch import Batch
from arena.learning.size import Size
from benchmarks.ablations import QuietPolicy
from games.tichu._core import Round
from games.tichu.agents.actions import (
    ACTIONS,
    ASK_GRAND,
    ASK_PLAY,
    ASK_TICHU,
    GRANDS,
    TICHUS,
    decision,
    unpacked,
)
from games.tichu.agents.hints import all_turns
from games.tichu.agents.observations import ASKS, BITS, FIRST_BITS, hush
from games.tichu.agents.rule import RuleAgent
from games.tichu.states import PrivateState, PublicState

with suppress(ModuleNotFoundError):  # the tests are left out where it is missing
    import torch

    from arena.learning.calls import about_calls, answered, tossed
    from arena.learning.nets import Answers, Critic, Hints, Policy, bits, signed
    from arena.learning.plan import Others, Plan
    from arena.learning.selfplay import DECAY, Decisions, Selfplay

pytestmark = pytest.mark.training
TABLES, STEPS = 12, 6


@pytest.fixture(autouse=True)
def _one_thread():
    torch.set_num_threads(1)


def made(old=0.0, seed=1, **changes):
    torch.manual_seed(seed)
    size = Size(16, 1)
    plan = Plan(size, size, TABLES, STEPS, 32, others=Others(old=old), quiet=0.0)._replace(**changes)
    return Selfplay(plan, Policy(size), Critic(size), seed, 1)


@pytest.fixture
def filled():
    """A window of made-up decisions; at some tables rounds end in it."""
    training = made()
    window = training.tables.window
    chance = torch.Generator().manual_seed(7)
    window.seats[:] = torch.randint(0, 4, window.seats.shape, generator=chance)
    window.done[:] = torch.rand(window.done.shape, generator=chance) < 0.2
    rewards = torch.randint(-4, 5, window.rewards.shape, generator=chance).float()
    window.rewards[:] = torch.where(window.done, rewards, 0)
    window.first_out[:] = torch.randint(0, 4, window.first_out.shape, generator=chance)
    return training


def test_advantages_are_those_of_the_definition(filled):
    """Sum of the discounted surprises up to the end of the round (Schulman et al. 2016, equation 16), team by team."""
    window = filled.tables.window
    values = window.values.normal_(generator=torch.Generator().manual_seed(8))
    advantages, results = filled._advantages()
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


def test_who_goes_out_first_is_foretold_by_who_did_or_by_what_was_thought_later(filled):
    window = filled.tables.window
    window.chances[:] = torch.rand(window.chances.shape, generator=torch.Generator().manual_seed(9)).softmax(2)
    winners = filled._winners()
    assert torch.allclose(winners.sum(2), torch.ones(STEPS, TABLES))
    for table in range(TABLES):
        seats = window.seats[:, table].tolist()

        def thought(step, seat, table=table, seats=seats):
            return float(window.chances[step, table, (seat - seats[step]) % 4])

        for step in range(STEPS):
            for away in range(4):
                seat = (seats[step] + away) % 4
                expected, weight = 0.0, 1.0
                for later in range(step, STEPS):
                    if window.done[later, table]:
                        expected += weight * (int(window.first_out[later, table]) == seat)
                        break
                    is_last = later == STEPS - 1
                    expected += weight * (1 if is_last else 1 - DECAY) * thought(later + 1, seat)
                    weight *= DECAY
                assert float(winners[step, table, away]) == pytest.approx(expected, abs=1e-5)


def test_calls_are_counted_when_their_round_is_over():
    training = made()
    window = training.tables.window
    window.ids[:] = -1
    window.done[:] = False
    window.ids[1, 0], window.seats[1, 0] = TICHUS + 1, 2  # made
    window.ids[1, 1], window.seats[1, 1] = TICHUS + 1, 3  # lost
    window.ids[2, 2], window.seats[2, 2] = TICHUS + 3, 1  # a grand one, of a round that goes on
    window.done[4, :2] = True
    window.first_out[4, :2] = 2
    expected = torch.full(window.ids.shape, 0.25)
    tichu, grand = training.tables.calls_over(expected)
    assert (tichu.count, tichu.made, tichu.expected) == (2, 1, 0.5)
    assert grand.count == 0
    window.ids[:] = -1
    window.done[:] = False
    window.done[0, 2], window.first_out[0, 2] = True, 1
    tichu, grand = training.tables.calls_over(expected)
    assert (tichu.count, grand.count, grand.made, grand.expected) == (0, 1, 1, 0.25)


def test_a_share_of_the_calls_is_tossed_for_and_nothing_else():
    answers = Answers(2, torch.tensor([0, 0, 1, 1]), torch.tensor([TICHUS, TICHUS + 1, 0, 1]))
    log_probabilities = torch.tensor([0.99, 0.01, 0.7, 0.3]).log()
    assert tossed(answers, log_probabilities, 0.1).exp().tolist() == pytest.approx([0.941, 0.059, 0.7, 0.3])


def test_older_selves_sit_at_their_share_of_the_tables_and_nothing_is_learned_from_them():
    training = made(old=0.5)
    seated = [seats.bit_count() for seats in training.tables._old_seats.tolist()]
    assert [count > 0 for count in seated] == [True] * 6 + [False] * 6
    for _ in range(3):
        iteration = training.iterate(0.5)
        old = int((~training.tables.is_own(training.tables.window.seats[:-1])).sum())
        assert iteration.decisions == TABLES * STEPS - old < TABLES * STEPS


def test_nobody_calls_at_the_quiet_tables_which_all_are_told_and_no_call_is_learned_there():
    training = made(quiet=0.5, tables=32, coin=(1.0, 1.0))  # all calls are tossed for
    quiet = training.tables.quiet
    assert quiet.tolist() == [False] * 16 + [True] * 16
    learn, asked, called, loud = training._learn_policy, [], [], []

    def watched(flat, worth, order, *rest):
        places = torch.cat(order)
        asked.append(places[about_calls(flat.ids[places])] % 32)
        return learn(flat, worth, order, *rest)

    training._learn_policy = watched
    for _ in range(3):
        training.iterate(0.5)
        window = training.tables.window
        called.append(((window.ids == TICHUS + 1) | (window.ids == GRANDS + 1)).any(0))
        opened = bits(window.observations.flatten(0, 1), torch.int64)[:, FIRST_BITS["opened"] :][:, :4]
        everybody = opened.all(1).view(STEPS + 1, 32)
        assert everybody[:, quiet].all()
        loud.append(everybody[:, ~quiet])
    assert not torch.stack(loud).all()
    assert torch.stack(called).any(0)[~quiet].any()
    assert not torch.stack(called).any(0)[quiet].any()
    assert len(tables := torch.cat(asked))
    assert not quiet[tables].any()


def test_who_plays_where_nobody_calls_sees_what_was_seen_in_training():
    batch, agent = Batch(16, 3), QuietPolicy("quiet")
    for _ in range(60):
        batch.observe()
        hush(batch.observations)
        for table in range(16):
            round, seat = Round.from_row(batch.rows[table]), int(batch.seats[table])
            seen = agent.seen(PublicState(round), PrivateState(round, seat), int(batch.asks[table]), ())
            assert seen.tolist() == batch.observations[table].tolist()
        masks = unpacked(batch.legal, ACTIONS)
        batch.step(masks.argmax(1).astype(np.int64))


def test_others_than_elsewhere_sit_where_nobody_calls():
    training = made(quiet=0.5, tables=32, others=Others(old=0.5), quiet_others=Others(rule=0.75))
    assert [seats > 0 for seats in training.tables._old_seats.tolist()] == [True] * 8 + [False] * 24
    assert [seats > 0 for seats in training.tables._rule_seats.tolist()] == [False] * 20 + [True] * 12


def test_an_older_self_does_not_change_while_the_policy_learns():
    training = made(old=0.5)
    before = {name: value.clone() for name, value in training.tables._old.state_dict().items()}
    begun = {name: value.clone() for name, value in training.policy.state_dict().items()}
    for _ in range(3):
        training.iterate(0.5)
    assert all(torch.equal(before[name], value) for name, value in training.tables._old.state_dict().items())
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


def test_a_call_is_worth_what_the_critic_thinks_of_both_answers():
    """To a critic that knows nothing but that each of four is as likely to be out first: -50 points, or -100."""
    training = made()
    batch = Batch(64, 3)
    batch.observe()
    asked = signed(batch.observations, torch.device("cpu"))
    ids = torch.tensor([GRANDS, GRANDS + 1] * 32)
    told = {"hidden": signed(batch.hidden, asked.device), "all_turns": signed(all_turns(batch.hidden), asked.device)}
    blank = dict.fromkeys(set(Decisions._fields) - {"observations", "ids", *told}, torch.zeros(64))
    decisions = Decisions(observations=asked, ids=ids, **told, **blank)
    for base, expected in ((GRANDS, -1.0), (TICHUS, -0.5)):
        worth, chances = training._worth_of_calls(decisions._replace(ids=ids - GRANDS + base))
        assert worth.tolist() == pytest.approx([expected] * 64)
        assert chances.tolist() == pytest.approx([0.25] * 64)


def test_networks_are_told_the_same_when_they_learn_as_when_they_played():
    """It is computed once, and kept."""
    torch.manual_seed(1)
    size = Size(16, 1)
    plan = Plan(size, size, TABLES, STEPS, 32, others=Others(old=0.5), quiet_others=Others(old=0.5))
    training = Selfplay(plan, Policy(size), Critic(size), 1, 2)
    for _ in range(3):
        training.iterate(0.5)
        window = training.tables.window
        for step in range(STEPS):
            answers = Answers.of(window.legal[step])
            told = Hints.of(window.observations[step], answers)
            kept = training.tables.hints[window.begins[step][answers.rows] + answers.numbers()]
            assert torch.equal(kept, told.answers)
            assert torch.equal(window.turns[step], told.turns)
            hidden = window.hidden[step].numpy().view(np.uint64)
            assert torch.equal(window.all_turns[step], signed(all_turns(hidden), told.turns.device))


def test_who_has_answered_looks_on_with_the_call_that_was_made():
    batch = Batch(8, 3)
    batch.observe()
    asked = signed(batch.observations, torch.device("cpu"))
    after = answered(asked, torch.tensor([GRANDS, GRANDS + 1, TICHUS, TICHUS + 1] * 2))
    first = FIRST_BITS["tichu"]
    seen, before = bits(after, torch.int64, BITS), bits(asked, torch.int64, BITS)
    assert before[:, :ASKS].sum() == 8
    assert seen[:, :ASKS].sum() == 0
    assert seen[:, first : first + 8].nonzero().tolist() == [[1, 4], [3, 0], [5, 4], [7, 0]]
    seen[:, first : first + 8] = before[:, first : first + 8]
    assert torch.equal(seen[:, ASKS:], before[:, ASKS:])


def test_an_agent_by_rules_sits_at_its_share_of_the_tables_and_answers_as_at_any_other():
    training = made(others=Others(rule=0.5))
    assert [seats > 0 for seats in training.tables._rule_seats.tolist()] == [False] * 6 + [True] * 6
    part, window = training.tables._parts[0], training.tables.window
    for _ in range(12):
        rows = []

        def noting(ids, step=part.step, rows=rows):
            rows.append((part.batch.rows.copy(), part.batch.seats.copy(), part.batch.asks.copy(), ids.copy()))
            step(ids)

        part.step = noting
        training.iterate(0.5)
        del part.step
        for step, (now, seats, asks, ids) in enumerate(rows):
            for table in np.flatnonzero(~training.tables.is_own(window.seats[step]).numpy()):
                seat, ask = int(seats[table]), int(asks[table])
                round = Round.from_row(now[table])
                if ask == ASK_PLAY:
                    played = RuleAgent("rule").play(PublicState(round), PrivateState(round, seat))
                    assert decision(round, seat, ask, int(ids[table])) == played
                elif ask in (ASK_TICHU, ASK_GRAND):
                    called = RuleAgent("rule").announce(PublicState(round), PrivateState(round, seat), ask == ASK_GRAND)
                    assert decision(round, seat, ask, int(ids[table])) == called


def test_a_policy_is_mute_while_a_new_critic_learns():
    training = made(mute=2)
    begun = [value.clone() for value in training.policy.parameters()]
    of_critic = [value.clone() for value in training.critic.parameters()]
    for _ in range(2):
        assert np.isnan(training.iterate(0.5).loss)
    assert all(torch.equal(*pair) for pair in zip(begun, training.policy.parameters(), strict=True))
    assert not all(torch.equal(*pair) for pair in zip(of_critic, training.critic.parameters(), strict=True))
    assert not np.isnan(training.iterate(0.5).loss)
    assert not all(torch.equal(*pair) for pair in zip(begun, training.policy.parameters(), strict=True))
