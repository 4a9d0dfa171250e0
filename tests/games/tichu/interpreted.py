"""The kernel without the compiler: the same file, loaded under another name."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from games.tichu import _core


def _load() -> ModuleType:
    spec = spec_from_file_location("interpreted_core", Path(_core.__file__).parent / "_core.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


interpreted = _load()
