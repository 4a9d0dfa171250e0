"""Modules without the compiler: the same files, loaded under other names."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from games.tichu import _core
from games.tichu.agents import outlook


def without_compiler(module: ModuleType) -> ModuleType:
    name = module.__name__.rpartition(".")[2]
    spec = spec_from_file_location(f"interpreted_{name}", Path(module.__file__ or "").with_name(f"{name}.py"))
    assert spec
    assert spec.loader
    loaded = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


interpreted = without_compiler(_core)
interpreted_outlook = without_compiler(outlook)
