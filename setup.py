"""Compiles the rules and the arithmetic on them where a C compiler is found; everything else stands in pyproject.toml.

A module is compiled if its C types stand beside it (``.pxd``). ``python setup.py build_ext --inplace`` does so for
development.
"""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# Compiled and interpreted runs agree to the last bit, so no multiplication may melt into the addition behind it.
ARGUMENTS = ["-O3", "-ffp-contract=off"]

modules = cythonize(
    [
        Extension(".".join(types.with_suffix("").parts), [str(types.with_suffix(".py"))], extra_compile_args=ARGUMENTS)
        for room in ("games", "arena")
        for types in sorted(Path(room).rglob("*.pxd"))
    ],
    build_dir="build",
)
for module in modules:
    module.optional = True  # without a compiler it runs interpreted; cythonize() would drop this from the Extension

setup(ext_modules=modules, package_data={"": ["*.pxd"]})  # the types travel with their modules
