"""Compiles the rules kernel where a C compiler is found; everything else stands in pyproject.toml.

``python setup.py build_ext --inplace`` compiles it for development.
"""

from Cython.Build import cythonize
from setuptools import Extension, setup

(core,) = cythonize(
    [Extension("games.tichu._core", ["games/tichu/_core.py"], extra_compile_args=["-O3"])],
    build_dir="build",
)
core.optional = True  # without a compiler the rules run interpreted; cythonize() would drop it from the Extension

setup(ext_modules=[core])
