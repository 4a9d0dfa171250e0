"""Modules that lean on each other's compiled functions, all without the compiler: the same files, loaded together."""

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType


def uncompiled(*names: str) -> list[ModuleType]:
    """Fresh modules of these names. Each sees those before it instead of the compiled ones."""
    compiled = {name: import_module(name) for name in names}
    loaded = []
    try:
        for name, module in compiled.items():
            last = name.rpartition(".")[2]
            spec = spec_from_file_location(f"uncompiled_{last}", Path(module.__file__ or "").with_name(f"{last}.py"))
            assert spec
            assert spec.loader
            sys.modules[name] = module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
            loaded.append(sys.modules[name])
    finally:
        sys.modules.update(compiled)
    return loaded
