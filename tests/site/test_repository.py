"""What must agree with what in the repository."""

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[2]
GERMAN = sorted((ROOT / "locale/de").rglob("*.po"))
MARKDOWN = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_the_newest_version_in_the_changelog_is_the_version(settings):
    newest = re.search(r"^## \[(\d.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest
    assert newest[1] == settings.VERSION


@pytest.mark.django_db
def test_every_change_of_a_model_has_its_migration():
    call_command("makemigrations", check_changes=True, dry_run=True, verbosity=0)


@pytest.mark.parametrize("path", GERMAN, ids=lambda path: path.stem)
def test_every_text_has_its_german(path):
    with path.open("rb") as file:
        catalog = read_po(file, locale="de")
    assert len(catalog) > 0
    assert [message.id for message in catalog if message.id and (message.fuzzy or not message.string)] == []


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_in_the_documentation_lead_somewhere(path):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text())
    assert [link for link in links if not (path.parent / link).exists()] == []
