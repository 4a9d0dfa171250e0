"""Texts in the language of a client."""

from django.utils import translation


def translated(text: str, language: str) -> str:
    """A text of :mod:`games.messages` in that language."""
    with translation.override(language):
        return translation.gettext(text)
