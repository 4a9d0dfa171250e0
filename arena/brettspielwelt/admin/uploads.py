"""Logs that come by the admin: what may be sent, and what came of it."""

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import PurePath
from typing import Any
from zipfile import ZipFile

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db import DatabaseError
from django.db.models import Q
from django.urls import reverse

from arena.brettspielwelt import archive, statistics
from arena.brettspielwelt.admin.lists import SEATS, players_of, words
from arena.brettspielwelt.importing import Summary, import_logs
from arena.brettspielwelt.models import Game

MEGABYTE = 10**6  # bytes
MOST_UPLOADED = 20 * MEGABYTE  # in one go
MOST_UNPACKED = 100 * MEGABYTE  # what the logs in zips may have: 30 seconds of reading
MOST_NAMED = 50  # games or files of an import
MOST_REFRESHED = 2_000  # games with which the figures of players are made within a second or two


class LogsInput(forms.FileInput):
    allow_multiple_selected = True


class LogsField(forms.FileField):
    """One or more files."""

    widget = LogsInput(attrs={"accept": ".tch,.zip"})
    default_error_messages = {"required": "Choose at least one file.", "empty": "This file is empty."}

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:
        files: list[UploadedFile] = [super(LogsField, self).clean(file, initial) for file in data or [None]]
        for file in files:
            if PurePath(str(file.name)).suffix.lower() not in (".tch", ".zip"):
                raise ValidationError(f"{file.name} is neither a log (.tch) nor a .zip with logs.")
        for size, most, are in (
            (sum(file.size or 0 for file in files), MOST_UPLOADED, "These files have"),
            (sum(map(_unpacked, files)), MOST_UNPACKED, "The logs in these files have"),
        ):
            if size > most:
                raise ValidationError(
                    f"{are} {size / MEGABYTE:,.1f} MB, at most {most // MEGABYTE} MB can be imported here. "
                    "For more there is the command: manage.py bw_import"
                )
        return files


def _unpacked(file: UploadedFile) -> int:
    """Bytes. ZipFile reads no more of a member than is said here."""
    if not str(file.name).lower().endswith(".zip"):
        return file.size or 0
    try:
        with ZipFile(file) as members:
            return sum(member.file_size for member in members.infolist())
    except Exception:  # whatever is wrong with it: the import says so
        return 0
    finally:
        file.seek(0)


class ImportForm(forms.Form):
    logs = LogsField(
        help_text=f"Logs (<number>.tch) or zips with logs, at most {MOST_UPLOADED // MEGABYTE} MB together. "
        "The month of a game is the name of its folder in a zip, or stands in the index.html beside it."
    )


class Imported:
    """What came of an upload.

    :ivar error: it ended early.
    :ivar games: some of those that the files hold, each with its players and the address of its replay.
    :ivar refreshed: whether the figures of players are up to date.
    """

    def __init__(self, files: Sequence[UploadedFile]) -> None:
        contents = [(str(file.name), file.read()) for file in files]
        self.summary = Summary()
        self.error = ""
        try:
            import_logs(_places(contents), summary=self.summary)
            self.refreshed = Game.objects.order_by()[: MOST_REFRESHED + 1].count() <= MOST_REFRESHED
            if self.refreshed and self.summary.games:
                statistics.refresh()
        except DatabaseError as error:
            self.error = str(error)
        self.games = [(game, players_of(game), reverse("replay-log", args=[game.key])) for game in _games_in(contents)]
        findings = sorted(self.summary.findings.items(), key=lambda item: (-item[1].games, item[0]))
        self.findings = [(words(code), count) for code, count in findings]
        self.broken = self.summary.broken[:MOST_NAMED]
        self.more_broken = len(self.summary.broken) - len(self.broken)
        self.more_games = max(self.summary.games + self.summary.skipped - len(self.games), 0)


def _places(contents: Sequence[tuple[str, bytes]]) -> list[archive.Place]:
    return [(name, BytesIO(content)) for name, content in contents]


def _games_in(contents: Sequence[tuple[str, bytes]]) -> Iterator[Game]:
    """Those that are stored, new or not."""
    names, numbers = set(), set()
    for source in archive.logs(_places(contents)):
        if isinstance(source, archive.Source):
            if source.number is None:
                names.add(source.name)
            else:
                numbers.add(source.number)
        if len(names) + len(numbers) >= MOST_NAMED:
            break
    games = Game.objects.filter(Q(number__in=numbers) | Q(number=None, source__in=names))
    yield from games.order_by("number", "pk").prefetch_related(*SEATS)[:MOST_NAMED]
