"""What ``manage.py prepare`` and the installation make."""

import os
import re
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils.translation import gettext

from tichu_site.management.commands import prepare

ROOT = Path(__file__).resolve().parents[2]


def copy_of_the_project(folder: Path, *without: str) -> None:
    for name in ("games", "tichu_site", "lobby", "arena", "static", "locale", "templates"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(*without))
    for name in ("setup.py", "manage.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)


def here(folder: Path) -> dict[str, str]:
    """The environment of commands that are run in a copy."""
    return {**os.environ, "DATA_DIR": str(folder / "data")}


@pytest.fixture
def static_files(tmp_path, settings) -> Path:
    """A folder of static files that have been collected."""
    settings.STATIC_ROOT = tmp_path / "collected"
    settings.STATICFILES_DIRS = [tmp_path / "static"]
    (tmp_path / "static").mkdir()
    (tmp_path / "static/page.js").write_text("'use strict'")
    call_command("prepare", migrate=False)
    return tmp_path / "static"


def test_static_files_are_collected_once(static_files):
    assert prepare.static_files_are_fresh()


@pytest.mark.parametrize("change", ["edit", "add", "remove"])
def test_a_changed_new_or_removed_file_is_noticed(static_files, change):
    page = static_files / "page.js"
    if change == "edit":
        later = page.stat().st_mtime + 10
        os.utime(page, (later, later))
    elif change == "add":
        (static_files / "other.js").write_text("")
    else:
        page.unlink()
    assert not prepare.static_files_are_fresh()


def test_translations_are_compiled_where_they_are_new(tmp_path, settings):
    settings.LOCALE_PATHS = [tmp_path]
    messages = tmp_path / "de/LC_MESSAGES"
    messages.mkdir(parents=True)
    (messages / "django.po").write_text('msgid ""\nmsgstr ""\n\nmsgid "Trick"\nmsgstr "Stich"\n')
    prepare.compile_translations()
    compiled = (messages / "django.mo").read_bytes()
    assert b"Stich" in compiled
    assert b"Trick" in compiled


def test_new_translations_hold_at_once(tmp_path, settings):
    settings.LOCALE_PATHS = [tmp_path]
    messages = tmp_path / "de/LC_MESSAGES"
    messages.mkdir(parents=True)
    assert gettext("Trick") == "Trick"
    (messages / "django.po").write_text('msgid ""\nmsgstr ""\n\nmsgid "Trick"\nmsgstr "Stich"\n')
    prepare.compile_translations()
    assert gettext("Trick") == "Stich"


def test_compiled_modules_that_are_missing_or_older_than_their_source_are_named(tmp_path, settings):
    settings.BASE_DIR = tmp_path
    (tmp_path / "games").mkdir()
    module = tmp_path / "games/fast.py"
    module.touch()
    assert prepare.kernel_remark() == ""
    module.with_suffix(".pxd").touch()
    assert "interpreted (fast.py)" in prepare.kernel_remark()
    compiled = module.with_suffix(EXTENSION_SUFFIXES[0])
    compiled.touch()
    assert prepare.kernel_remark() == ""
    os.utime(compiled, (0, 0))
    assert "OLDER THAN THEIR SOURCE (fast.py)" in prepare.kernel_remark()
    module.with_suffix(".pxd").unlink()  # what was compiled before it went is imported all the same
    assert "OLDER THAN THEIR SOURCE (fast.py)" in prepare.kernel_remark()


def test_compiled_modules_beside_interpreted_ones_are_named(tmp_path, settings):
    settings.BASE_DIR = tmp_path
    (tmp_path / "games").mkdir()
    for name in ("one.pxd", f"one{EXTENSION_SUFFIXES[0]}", "two.pxd"):
        (tmp_path / "games" / name).touch()
    assert "ONLY SOME MODULES ARE COMPILED (two.py not)" in prepare.kernel_remark()


def test_a_module_is_older_than_the_types_that_it_uses_by_another(tmp_path, settings):
    settings.BASE_DIR = tmp_path
    (tmp_path / "games").mkdir()
    for name in ("one", "two", "three"):
        (tmp_path / f"games/{name}.pxd").touch()
        (tmp_path / f"games/{name}{EXTENSION_SUFFIXES[0]}").touch()
    (tmp_path / "games/three.pxd").write_text("from games.two cimport some\n")
    (tmp_path / "games/two.pxd").write_text("cimport cython\nfrom games.one cimport (\n    few,\n)\n")
    for types in (tmp_path / "games").glob("*.pxd"):
        os.utime(types, (0, 0))
    assert prepare.kernel_remark() == ""
    os.utime(tmp_path / "games/two.pxd")
    assert "OLDER THAN THEIR SOURCE (three.py, two.py)" in prepare.kernel_remark()


@pytest.mark.slow
def test_where_a_module_does_not_compile_none_is_compiled(tmp_path):
    """Also none is left of those that were compiled before."""
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    for room in ("arena", "games"):
        (tmp_path / room).mkdir()
    for module in (tmp_path / "arena/one", tmp_path / "games/two"):
        module.with_suffix(".py").write_text("# cython: language_level=3\ndef twice(x):\n    return 2 * x\n")
        module.with_suffix(".pxd").write_text("cpdef long twice(long x)\n")

    def compiled() -> list[str]:
        build = [sys.executable, "setup.py", "build_ext", "--inplace"]
        subprocess.run(build, cwd=tmp_path, capture_output=True, check=True)
        return sorted(path.name.partition(".")[0] for path in tmp_path.rglob(f"*{EXTENSION_SUFFIXES[0]}"))

    assert compiled() == ["one", "one", "two", "two"]  # in build, and in place
    with (tmp_path / "games/two.pxd").open("a") as types:
        types.write('cdef extern from *:\n    """\n    #error broken\n    """\n')
    (tmp_path / "arena/one.py").touch()
    assert compiled() == []


@pytest.mark.slow
def test_compiled_modules_that_do_not_fit_together_say_what_helps(tmp_path):
    copy_of_the_project(tmp_path, "__pycache__")
    core = next((tmp_path / "games/tichu").glob("_core.*.so"), None)
    if core is None:
        pytest.skip("there is no C compiler")
    core.unlink()
    said = subprocess.run(
        [sys.executable, "manage.py", "check"], cwd=tmp_path, env=here(tmp_path), capture_output=True, text=True
    )
    assert said.returncode == 1
    assert re.search(r"^ONLY SOME MODULES ARE COMPILED \(.*_core.py.* not\)", said.stderr.splitlines()[-1])
    assert f"`{sys.executable} setup.py build_ext --inplace`" in said.stderr


@pytest.mark.slow
def test_without_a_compiler_all_runs_interpreted_and_one_line_says_so(tmp_path):
    copy_of_the_project(tmp_path, "*.so", "__pycache__")

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        environment = {**here(tmp_path), "CC": "false"}
        return subprocess.run(
            [sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )

    run("setup.py", "build_ext", "--inplace")
    said = run("manage.py", "prepare", "--no-migrate").stderr.splitlines()
    assert len(said) == 1
    assert said[0].startswith("Modules run interpreted (")
    assert "_core.py" in said[0]
