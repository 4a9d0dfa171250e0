"""Trainings in a real browser: readable at every size and in the dark, and up to date while they run."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_arena_admin import CHARTS, SIZES, TOO_WIDE, change, go, log_in, serious_faults
from tests.browser.test_looks import PICTURES
from tests.server import Server

pytestmark = pytest.mark.browser

FILL = """
from django.contrib.auth.models import User
from arena.models import Rating
from tests.arena.learning.made_up import stored_training
from tests.arena.made_up import version
User.objects.create_superuser("root", password="secret")
stored_training("laptop", pieces=2)
stored_training("early", minutes=0.5, state="running", sheet={}, files=[])
stored_training("lost", state="failed", error="Traceback (most recent call last):\\nTrainingError: it has lost its way")
for elo, agent in (520, "policy"), (431, "behavior:file=data/people.npz"), (212, "rule"), (0, "random"):
    Rating.objects.create(version=version(agent), elo=elo, low=elo and elo - 9, high=elo and elo + 9, rounds=40000)
"""
LIVE = """
from django.utils import timezone
from arena.learning.models import TrainingRun
TrainingRun.objects.filter(name="early")"""
PLACES = {
    "trainings": ["Training runs"],
    "training": ["Training runs", "laptop"],
    "begun": ["Training runs", "early"],
    "failed": ["Training runs", "lost"],
    "ladder": ["Ratings"],
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with some trainings, agents that have learned on the ladder, and the account root, secret."""
    directory = tmp_path_factory.mktemp("learning")
    server = Server(directory, DATA_DIR=str(directory))
    server.start()
    change(server, FILL)
    yield server
    server.stop()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_page_can_be_read(
    new_page: Callable[..., Page], filled: Server, size: tuple[int, int], scheme: str
) -> None:
    width, height = size
    page = new_page(locale="en", viewport={"width": width, "height": height}, color_scheme=scheme)
    log_in(page, filled)
    PICTURES.joinpath("learning").mkdir(parents=True, exist_ok=True)
    problems = []
    for name, steps in PLACES.items():
        go(page, *steps)
        page.locator("details").evaluate_all("all => all.forEach(details => { details.open = true })")
        page.screenshot(path=PICTURES / "learning" / f"{name}-{width}x{height}-{scheme}.png", full_page=True)
        problems += [f"{name}: {fault}" for fault in serious_faults(page)]
        if page.evaluate(TOO_WIDE):
            problems.append(f"{name} is too wide")
        if not all(page.evaluate(CHARTS)):
            problems.append(f"{name}: a chart is missing")
    assert problems == []


def test_the_page_of_a_training_renews_itself_until_it_ends(new_page: Callable[..., Page], filled: Server) -> None:
    change(filled, f"{LIVE}.update(updated=timezone.now())")
    page = new_page(locale="en")
    log_in(page, filled)
    go(page, "Training runs", "early")
    report = page.locator("[data-live=report]")
    expect(report).to_contain_text("running, 0.5 minutes")
    change(filled, f"{LIVE}.update(minutes=1.5, updated=timezone.now())")
    expect(report).to_contain_text("running, 1.5 minutes")
    change(filled, f"{LIVE}.update(state='finished')")
    expect(report).to_contain_text("finished, 1.5 minutes")
    expect(page.locator("[data-live-url]")).to_have_count(0)
