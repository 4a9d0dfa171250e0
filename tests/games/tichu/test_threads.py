"""Agents think in threads beside the engine: the kernel answers each of them as if it were alone."""

import gc
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from games.tichu import _core
from games.tichu.cards import DECK, each
from tests.games.tichu.interpreted import interpreted


def let_others_in(phase: str, info: dict[str, int]) -> None:
    """What a finaliser may do in the middle of a compiled function."""
    time.sleep(0)


@pytest.fixture
def _busy_threads():
    """Threads change as often as they can: between any two instructions, and whenever garbage is collected."""
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-5)
    gc.set_threshold(50)
    gc.callbacks.append(let_others_in)
    yield
    gc.callbacks.remove(let_others_in)
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("_busy_threads")
@pytest.mark.parametrize("kernel", [_core, interpreted], ids=["as installed", "interpreted"])
def test_the_kernel_answers_several_threads_at_once(kernel):
    rng, deck = Random(1), list(each(DECK))
    hands = [sum(rng.sample(deck, 14)) for _ in range(300)]
    alone = [kernel.legal_plays(hand, 0, 0, 0) for hand in hands]
    with ThreadPoolExecutor(3) as threads:
        answers = [threads.submit(lambda: [kernel.legal_plays(hand, 0, 0, 0) for hand in hands]) for _ in range(3)]
    assert [answer.result() for answer in answers] == [alone] * 3
