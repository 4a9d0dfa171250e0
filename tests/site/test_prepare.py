"""What ``manage.py prepare`` and the installation make."""

import os
import shutil
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from django.core.management import call_command

from tichu_site.management.commands import prepare

ROOT = Path(__file__).resolve().parents[2]


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


@pytest.mark.slow
def test_without_a_compiler_all_runs_interpreted_and_one_line_says_so(tmp_path):
    for name in ("games", "tichu_site", "lobby", "arena", "static", "locale", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for name in ("setup.py", "manage.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "CC": "false", "DATA_DIR": str(tmp_path / "data")}
        return subprocess.run(
            [sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )

    run("setup.py", "build_ext", "--inplace")
    said = run("manage.py", "prepare", "--no-migrate").stderr.splitlines()
    assert len(said) == 1
    assert said[0].startswith("Modules run interpreted (")
    assert "_core.py" in said[0]
