"""Logs in the admin in a real browser: uploaded, looked at, replayed; readable at every size and in the dark."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_arena_admin import SIZES, TOO_WIDE, change, go, serious_faults
from tests.browser.test_looks import PICTURES
from tests.server import ROOT, Server

pytestmark = pytest.mark.browser

SAMPLES = ROOT / "tests/data/bsw"
FILL = f"""
from pathlib import Path
from django.contrib.auth.models import User
from arena.brettspielwelt import importing, statistics
User.objects.create_superuser("root", password="secret")
names = ["900002.tch", "900005_crlf.tch", "900006_truncated.tch"]
importing.import_logs([Path({str(SAMPLES)!r}) / name for name in names])
statistics.refresh_players()
"""
PLACES = {
    "games": ["Games"],
    "game": ["Games", "900002"],
    "import": ["Games", "Import logs…"],
    "rounds": ["Rounds"],
    "players": ["Players"],
    "player": ["Players", "Saphir"],
    "file": ["Games", "900006_truncated.tch"],
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with some games and the account root, secret."""
    PICTURES.joinpath("brettspielwelt").mkdir(parents=True, exist_ok=True)
    directory = tmp_path_factory.mktemp("brettspielwelt")
    server = Server(directory, DATA_DIR=str(directory))
    server.start()
    change(server, FILL)
    yield server
    server.stop()


def log_in(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/admin/")
    page.fill("#id_username", "root")
    page.fill("#id_password", "secret")
    page.click("[type=submit]")
    page.wait_for_selector(".app-brettspielwelt")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_page_can_be_read(
    new_page: Callable[..., Page], filled: Server, size: tuple[int, int], scheme: str
) -> None:
    width, height = size
    page = new_page(locale="en", viewport={"width": width, "height": height}, color_scheme=scheme)
    log_in(page, filled)
    problems = []
    for name, steps in PLACES.items():
        go(page, *steps)
        picture = PICTURES / "brettspielwelt" / f"{name}-{width}x{height}-{scheme}.png"
        page.screenshot(path=picture, full_page=True)
        problems += [f"{name}: {fault}" for fault in serious_faults(page)]
        if page.evaluate(TOO_WIDE):
            problems.append(f"{name} is too wide")
    assert problems == []


def test_a_log_is_uploaded_and_stepped_through(new_page: Callable[..., Page], filled: Server) -> None:
    """On a phone; on a computer it is found stored already."""
    upload_and_step(new_page, filled, SIZES[0], "1 game stored")
    upload_and_step(new_page, filled, SIZES[1], "Nothing new")


def upload_and_step(new_page: Callable[..., Page], filled: Server, size: tuple[int, int], said: str) -> None:
    page = new_page(locale="en", viewport={"width": size[0], "height": size[1]})
    log_in(page, filled)
    go(page, "Games", "Import logs…")
    page.set_input_files("#id_logs", SAMPLES / "900001.tch")
    page.get_by_role("button", name="Import").click()
    expect(page.locator("#imported")).to_have_text(said)
    assert serious_faults(page) == []
    assert not page.evaluate(TOO_WIDE)
    page.screenshot(path=PICTURES / "brettspielwelt" / f"imported-{size[0]}x{size[1]}.png", full_page=True)
    page.get_by_role("link", name="900001", exact=True).click()
    page.get_by_role("link", name="replay of round 3", exact=True).click()
    page.wait_for_url("**/replay/log/900001/#r3.0")
    for step in (1, 2, 3):
        page.click("[data-do='replay:forward']")
        page.wait_for_url(f"**#r3.{step}")
    expect(page.locator("[aria-current=step] .nr")).to_have_text("3")
    page.click("[data-do='replay:last']")
    expect(page.locator(".says")).to_contain_text("The round is over")


def test_a_file_that_is_no_log_is_refused_with_the_reason(new_page: Callable[..., Page], filled: Server) -> None:
    page = new_page(locale="en")
    log_in(page, filled)
    go(page, "Games", "Import logs…")
    page.set_input_files("#id_logs", {"name": "cat.png", "mimeType": "image/png", "buffer": b"meow"})
    page.get_by_role("button", name="Import").click()
    expect(page.locator(".errorlist")).to_contain_text("cat.png is neither a log (.tch) nor a .zip")
    assert serious_faults(page) == []
