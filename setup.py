"""Compiles the rules and the arithmetic on them where a C compiler is found; everything else stands in pyproject.toml.

A module is compiled if its C types stand beside it (``.pxd``). ``python setup.py build_ext --inplace`` does so for
development.
"""

from pathlib import Path
from sysconfig import get_config_var

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

ROOMS = ("games", "arena")
# Compiled and interpreted runs agree to the last bit, so no multiplication may melt into the addition behind it.
ARGUMENTS = ["-O3", "-ffp-contract=off"]


class AllOrNone(build_ext):
    """Compiles all modules or none: they share C types, and cannot be imported beside one that lacks them.

    Without a compiler all run interpreted.
    """

    def run(self) -> None:
        in_place, self.inplace = self.inplace, False
        try:
            super().run()
        except (CCompilerError, BaseError) as error:
            self.warn(f"no module is compiled, all run interpreted, since one could not be compiled: {error}")
            self.extensions = []
            remove_compiled(Path(self.build_lib))
        if in_place:
            self.inplace = True
            remove_compiled(Path())  # also those whose types have gone
            self.copy_extensions_to_source()


def remove_compiled(folder: Path) -> None:
    for room in ROOMS:
        for module in (folder / room).rglob(f"*{get_config_var('EXT_SUFFIX')}"):
            module.unlink()


modules = cythonize(
    [
        Extension(".".join(types.with_suffix("").parts), [str(types.with_suffix(".py"))], extra_compile_args=ARGUMENTS)
        for room in ROOMS
        for types in sorted(Path(room).rglob("*.pxd"))
    ],
    build_dir="build",
)

setup(
    ext_modules=modules,
    cmdclass={"build_ext": AllOrNone},
    package_data={"": ["*.pxd"], "games.tichu.agents": ["policy.npz"]},  # the types travel with their modules
)
