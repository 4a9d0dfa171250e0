"""``manage.py prepare``: makes what the server needs and the repository does not hold.

1. Compiled translations (``*.mo``), where the texts are newer.
2. Static files under their hashed names in ``data/static``, where one is new or changed.
3. The database's tables.

``play`` calls it at every start, so it does nothing where nothing has changed.
"""

import re
import sys
from argparse import ArgumentParser
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage, staticfiles_storage
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.utils.translation.reloader import translation_file_changed


class Command(BaseCommand):
    help = "Makes translations, static files and tables where they are missing or old."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-migrate", dest="migrate", action="store_false", help="leave the database alone")

    def handle(self, *, migrate: bool, verbosity: int, **options: Any) -> None:
        if remark := kernel_remark():
            self.stderr.write(remark)
        compile_translations()
        if not static_files_are_fresh():
            # Files under old names stay: another server may be running, and pages that it has sent ask for them.
            call_command("collectstatic", interactive=False, verbosity=0)
        if migrate:
            call_command("migrate", interactive=False, verbosity=verbosity)


def kernel_remark() -> str:
    """What is to be said about the modules that Cython compiles (setup.py), and the command that helps: nothing where
    all of them run compiled, as their sources are now."""
    interpreted, compiled, old = [], [], []
    files = [path for room in ("games", "arena") for path in (settings.BASE_DIR / room).rglob("*.*")]
    kinds = (".pxd", *EXTENSION_SUFFIXES)
    for module in sorted({path.with_name(path.name.partition(".")[0]) for path in files if path.name.endswith(kinds)}):
        source = module.with_suffix(".py")
        binary = next((path for suffix in EXTENSION_SUFFIXES if (path := module.with_suffix(suffix)).exists()), None)
        if binary is None:
            interpreted.append(source.name)
            continue
        compiled.append(source.name)
        changed = [path.stat().st_mtime for path in (source, *_types_of(module)) if path.exists()]
        if max(changed, default=0) > binary.stat().st_mtime:
            old.append(source.name)
    command = f"`{sys.executable} setup.py build_ext --inplace`"
    if interpreted and compiled:
        some = f"ONLY SOME MODULES ARE COMPILED ({', '.join(interpreted)} not), and cannot run together:"
        return f"{some} run {command}."
    if old:
        return f"Compiled modules are OLDER THAN THEIR SOURCE ({', '.join(old)}): run {command}."
    if interpreted:
        slow = f"Modules run interpreted ({', '.join(interpreted)}): correct, but up to 50 times slower."
        return f"{slow} With a C compiler {command} compiles them."
    return ""


def _types_of(module: Path) -> set[Path]:
    """The C types that a module is compiled with: its own, and those of the modules that these cimport."""
    found: set[Path] = set()
    todo = [module.with_suffix(".pxd")]
    while todo:
        types = todo.pop()
        if types.is_file() and types not in found:
            found.add(types)
            names = re.findall(r"^from ([\w.]+) cimport", types.read_text(), re.MULTILINE)
            todo += [settings.BASE_DIR / f"{name.replace('.', '/')}.pxd" for name in names]
    return found


def compile_translations() -> None:
    """Turns each ``.po`` that is newer than its ``.mo`` into it. Django has read the ``.mo`` before that, when it set
    itself up: it reads the new one."""
    for directory in settings.LOCALE_PATHS:
        for source in Path(directory).glob("*/LC_MESSAGES/*.po"):
            target = source.with_suffix(".mo")
            if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
                continue
            with source.open("rb") as texts:
                catalog = read_po(texts, locale=source.parts[-3])
            with target.open("wb") as compiled:
                write_mo(compiled, catalog)
            translation_file_changed(None, target)


def static_files_are_fresh() -> bool:
    """Whether all static files, and no others, have been collected since they changed."""
    if not isinstance(staticfiles_storage, ManifestStaticFilesStorage):
        return True  # in development they are served from where they lie
    manifest = Path(settings.STATIC_ROOT) / staticfiles_storage.manifest_name
    if not manifest.exists():
        return False
    collected = manifest.stat().st_mtime
    sources = {path: Path(storage.path(path)) for finder in get_finders() for path, storage in finder.list([])}
    return sources.keys() == staticfiles_storage.hashed_files.keys() and all(
        source.stat().st_mtime <= collected for source in sources.values()
    )
