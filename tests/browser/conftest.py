"""People and pages; every page is watched for errors of its scripts and for what its content policy forbids."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import ConsoleMessage, Page

from tests.browser.people import KeyboardPerson, Person

SOCKET_LOST = "WebSocket connection to"  # the browser's own words when a server goes away


@pytest.fixture
def new_page(open_page: Callable[..., Page]) -> Iterator[Callable[..., Page]]:
    """Opens a page in a profile of its own; at the end nothing may have gone wrong in it."""
    problems: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(SOCKET_LOST):
            problems.append(message.text)

    def new_page(**options: Any) -> Page:
        page = open_page(**options)
        page.on("console", hear)
        page.on("pageerror", lambda error: problems.append(str(error)))
        return page

    yield new_page
    assert problems == []


@pytest.fixture
def person(new_page: Callable[..., Page]) -> Callable[..., Person]:
    """Somebody with a browser of his own: ``person(locale="en")``."""
    return lambda **options: Person(new_page(**options))


@pytest.fixture
def keyboard_person(new_page: Callable[..., Page]) -> Callable[..., KeyboardPerson]:
    """Somebody without a mouse."""
    return lambda **options: KeyboardPerson(new_page(**options))
