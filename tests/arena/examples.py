"""The examples in the docstrings."""

import doctest
from types import ModuleType


def check_examples(module: ModuleType) -> None:
    failed, tried = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0
    assert tried > 0
