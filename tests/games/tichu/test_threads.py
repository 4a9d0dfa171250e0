"""Agents think in threads beside the engine: the kernel answers each of them as if it were alone."""

import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from games.tichu import _core
from games.tichu.cards import DECK, each
from tests.games.tichu.interpreted import interpreted


@pytest.fixture
def _busy_threads():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_busy_threads")
@pytest.mark.parametrize("kernel", [_core, interpreted], ids=["as installed", "interpreted"])
def test_the_kernel_answers_several_threads_at_once(kernel):
    rng, deck = Random(1), list(each(DECK))
    hands = [sum(rng.sample(deck, 14)) for _ in range(300)]
    alone = [kernel.legal_plays(hand, 0, 0, 0) for hand in hands]
    with ThreadPoolExecutor(3) as threads:
        answers = [threads.submit(lambda: [kernel.legal_plays(hand, 0, 0, 0) for hand in hands]) for _ in range(3)]
    assert [answer.result() for answer in answers] == [alone] * 3
