"""Runs and the ladder in a real browser: readable at every size and in the dark, and up to date by themselves."""

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.test_looks import PICTURES
from tests.server import ROOT, Server

pytestmark = pytest.mark.browser

SIZES = [(360, 640), (1366, 768)]
FILL = """
from django.contrib.auth.models import User
from arena.models import Rating
from tests.arena.made_up import stored_run, version
User.objects.create_superuser("root", password="secret")
stored_run("night", batches=64, batch_pairs=40)
stored_run("partners", team_20="rule+random", team_31="my.long.module.path.MyAgent:depth=3,width=2.5", batches=9)
stored_run("mirror", team_31="rule", state="failed", error="ValueError: no cards")
stored_run("old", team_31="rule", batches=2, state="stopped")
stored_run("live", pairs=1000, state="running")
Rating.objects.create(version=version("rule"), elo=212, low=200, high=225, rounds=40000)
mine = version("my.long.module.path.MyAgent:depth=3,width=2.5")
Rating.objects.create(version=mine, elo=90, low=40, high=140, rounds=900)
Rating.objects.create(version=version("random"), elo=0, low=0, high=0, rounds=40000)
"""
expect.set_options(timeout=15_000)
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"
CHARTS = "[...document.querySelectorAll('.arena-report img')].map(image => image.complete && image.naturalWidth > 0)"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with some runs and the account root, secret."""
    directory = tmp_path_factory.mktemp("arena")
    server = Server(directory, DATA_DIR=str(directory))
    server.start()
    change(server, FILL)
    yield server
    server.stop()


def change(server: Server, code: str) -> None:
    """Runs this with the server's database."""
    code = f"import django\ndjango.setup()\n{code}"
    environment = {**os.environ, **server.settings, "DJANGO_SETTINGS_MODULE": "tichu_site.settings"}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)


def serious_faults(page: Page) -> list[str]:
    """What axe finds, apart from advice."""
    violations = Axe().run(page, options={"preload": False}).response["violations"]  # its preloading breaks the policy
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:120]}"
        for fault in violations
        if fault["impact"] in ("serious", "critical")
    ]


def log_in(page: Page, server: Server) -> None:
    page.goto(f"{server.url}/admin/")
    page.fill("#id_username", "root")
    page.fill("#id_password", "secret")
    page.click("[type=submit]")
    page.wait_for_selector(".app-arena")


def go(page: Page, *steps: str) -> None:
    """From the index by links."""
    page.goto(page.url.split("/admin/")[0] + "/admin/")
    for step in steps:
        page.locator("#content").get_by_role("link", name=step, exact=True).first.click()
        page.wait_for_load_state("networkidle")


PLACES = {
    "runs": ["Arena runs"],
    "versions": ["Agent versions"],
    "run": ["Arena runs", "night"],
    "partners": ["Arena runs", "partners"],
    "ladder": ["Ratings"],
    "cross": ["Ratings", "Cross table"],
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_page_can_be_read(
    new_page: Callable[..., Page], filled: Server, size: tuple[int, int], scheme: str
) -> None:
    width, height = size
    page = new_page(locale="en", viewport={"width": width, "height": height}, color_scheme=scheme)
    log_in(page, filled)
    PICTURES.joinpath("arena").mkdir(parents=True, exist_ok=True)
    problems = []
    for name, steps in PLACES.items():
        go(page, *steps)
        page.screenshot(path=PICTURES / "arena" / f"{name}-{width}x{height}-{scheme}.png", full_page=True)
        problems += [f"{name}: {fault}" for fault in serious_faults(page)]
        if page.evaluate(TOO_WIDE):
            problems.append(f"{name} is too wide")
        if not all(page.evaluate(CHARTS)):
            problems.append(f"{name}: a chart is missing")
    assert problems == []


def set_live(server: Server, **fields: object) -> None:
    """Does to the run "live" what its command would do."""
    change(
        server,
        "from django.utils import timezone\nfrom arena.models import ArenaRun\n"
        f"ArenaRun.objects.filter(name='live').update(updated=timezone.now(), **{fields})",
    )


def test_the_list_and_the_page_of_a_run_renew_themselves(new_page: Callable[..., Page], filled: Server) -> None:
    set_live(filled, state="running", pairs_played=150)
    listed, shown = new_page(locale="en"), new_page(locale="en")
    for page in (listed, shown):
        log_in(page, filled)
    go(listed, "Arena runs")
    go(shown, "Arena runs", "live")
    for page in (listed, shown):
        page.evaluate("window.isTheSame = true")
    shown.locator("summary").first.click()
    set_live(filled, pairs_played=500)
    for page in (listed, shown):
        expect(page.locator("[data-live*=progress], [data-live=report]").first).to_contain_text(
            "500 of 1,000 pairs, 50%"
        )
    assert shown.locator("details").first.get_attribute("open") is not None
    assert [page.evaluate("window.isTheSame") for page in (listed, shown)] == [True, True]
    set_live(filled, state="finished")
    expect(listed.locator("[data-live-status]")).to_have_text("0 runs are being played.")
    assert listed.evaluate("window.isTheSame")
    expect(shown.get_by_role("button", name="Run again")).to_be_visible()
    expect(shown.get_by_role("button", name="Stop")).to_have_count(0)


def test_nobody_is_asked_while_nothing_is_played(new_page: Callable[..., Page], filled: Server) -> None:
    set_live(filled, state="running")
    page = new_page(locale="en")
    log_in(page, filled)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/live/" in request.url else None)
    go(page, "Arena runs", "live")
    set_live(filled, state="finished")
    expect(page.get_by_role("button", name="Run again")).to_be_visible()
    asked.clear()
    page.wait_for_timeout(2500)
    assert asked == []


def exported(page: Page, kind: str) -> bytes:
    """What the browser has downloaded."""
    go(page, "Arena runs")
    page.get_by_label("Select all objects on this page").check()
    page.locator("select[name=action]").select_option(label=f"Export {kind}")
    with page.expect_download() as download:
        page.get_by_role("button", name="Go").click()
    return download.value.path().read_bytes()


def test_an_export_holds_all_runs(new_page: Callable[..., Page], filled: Server) -> None:
    """Browsers decompress the first part (RFC 1952, member) of what comes compressed, and nothing that follows."""
    page = new_page(locale="en", accept_downloads=True)
    log_in(page, filled)
    rows = list(csv.DictReader(io.StringIO(exported(page, "CSV").decode())))
    entries = json.loads(exported(page, "JSON"))
    assert len(rows) == len(entries) >= 5
    assert [row["name"] for row in rows] == [entry["name"] for entry in entries]


def test_run_again_plays_and_the_page_fills(new_page: Callable[..., Page], filled: Server) -> None:
    """The real command, started from the page of a run."""
    page = new_page(locale="en")
    log_in(page, filled)
    go(page, "Arena runs", "night")
    page.get_by_role("button", name="Run again").click()
    expect(page.locator(".messagelist")).to_contain_text("The run night-2 has begun.", timeout=60_000)
    expect(page.locator("h2").first).to_have_text("night-2")
    expect(page.locator("[data-live=report]")).to_contain_text("2,560 of 2,560 pairs, 100%", timeout=60_000)
    expect(page.locator("[data-live=report]")).to_contain_text("finished", timeout=60_000)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(CHARTS) == [True] * 4


def test_what_other_code_has_played_is_played_anew(new_page: Callable[..., Page], filled: Server) -> None:
    """The command refuses to go on with it (arena.runs)."""
    page = new_page(locale="en")
    log_in(page, filled)
    go(page, "Arena runs", "old")
    page.get_by_role("button", name="Run again").click()
    expect(page.locator(".messagelist")).to_have_text("The run old-2 has begun.", timeout=60_000)
    expect(page.locator("h2").first).to_have_text("old-2")
