"""The examples in the docstrings."""

import doctest
from types import ModuleType

import pytest

from games.tichu import cards, combinations, notation
from tests.games.tichu.interpreted import interpreted, interpreted_outlook


@pytest.mark.parametrize("module", [cards, combinations, notation, interpreted, interpreted_outlook])
def test_examples_are_right(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module)
    assert failed == 0
    assert tried > 0
