"""The statistics of the Brettspielwelt in a real browser: readable at every size and in the dark, reached by links."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_arena_admin import CHARTS, SIZES, TOO_WIDE, change, go, serious_faults
from tests.browser.test_bw_admin import SAMPLES, log_in
from tests.browser.test_looks import PICTURES
from tests.server import Server

pytestmark = pytest.mark.browser

EMPTY = """
from django.contrib.auth.models import User
User.objects.create_superuser("root", password="secret")
"""
FILL = f"""
from pathlib import Path
from arena.brettspielwelt import importing, statistics
importing.import_logs([Path({str(SAMPLES)!r})])
statistics.refresh()
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with all sample games and the account root, secret."""
    PICTURES.joinpath("brettspielwelt").mkdir(parents=True, exist_ok=True)
    directory = tmp_path_factory.mktemp("statistics")
    server = Server(directory, DATA_DIR=str(directory))
    server.start()
    change(server, EMPTY + FILL)
    yield server
    server.stop()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_page_can_be_read(
    new_page: Callable[..., Page], filled: Server, size: tuple[int, int], scheme: str
) -> None:
    """Also with all of its tables open."""
    width, height = size
    page = new_page(locale="en", viewport={"width": width, "height": height}, color_scheme=scheme)
    log_in(page, filled)
    go(page, "Statistics")
    for state in ("closed", "open"):
        picture = f"statistics-{state}-{width}x{height}-{scheme}.png"
        page.screenshot(path=PICTURES / "brettspielwelt" / picture, full_page=True)
        assert serious_faults(page) == []
        assert not page.evaluate(TOO_WIDE)
        page.evaluate("for (const data of document.querySelectorAll('details')) data.open = true")
    assert page.evaluate(CHARTS) == [True] * 9
    assert page.get_by_role("img", name="13 games by year").count() == 1


def test_a_table_opens_by_keyboard(new_page: Callable[..., Page], filled: Server) -> None:
    page = new_page(locale="en")
    log_in(page, filled)
    go(page, "Statistics")
    page.get_by_text("Data: Wishes").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Wishes")).to_contain_text("none")
