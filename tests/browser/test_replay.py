"""The replay page in a real browser: a match that is over, step by step, at both sizes and in both languages."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_arena_admin import change, serious_faults
from tests.browser.test_looks import PICTURES
from tests.server import ROOT, Server

pytestmark = pytest.mark.browser

SIZES = [(360, 640), (640, 360), (768, 1024), (1366, 768)]
FILL = """
from django.contrib.auth.models import User
from games import journal
from games.game import Result
from games.tichu.game import Options
from tests.games.tichu.matches import TICHU, random_match
User.objects.create_superuser("root", password="secret")
seats = [("Ada", ""), ("RuleAgent_2", "RuleAgent"), ("Maximilian von Habsburg-Lothringen", ""), ("Dora", "")]
for over in (True, False):
    match = journal.create("Stammtisch", TICHU, Options(target_score=300), seats)
    for _, step in random_match(seed=3, target_score=300):
        journal.append(match.pk, step, step.number)
    if over:
        journal.finish(match.pk, Result((310, 90), winners=(0, 2)))
"""
LOG = """
from pathlib import Path
from arena.brettspielwelt import importing
importing.import_logs([Path({folder!r})], workers=0)
"""
TOO_SMALL = """() => [...document.querySelectorAll('button, select, a')].filter(each => {
  const { width, height } = each.getBoundingClientRect()
  return width && (width < 44 || height < 44)
}).map(each => each.outerHTML.slice(0, 120))"""
PARTS = ".seat, .cards, .middle, .list, .controls, .keys .btn, .bar"
BOXES = """parts => [...document.querySelectorAll(parts)].map(each => {
  const { x, y, width, height } = each.getBoundingClientRect()
  return [x, y, width, height].map(Math.round)
})"""
SHOWN_OF_CARDS = """() => {
  const lefts = [...document.querySelectorAll('.plays .card')].map(each => each.getBoundingClientRect().left)
  return Math.min(...lefts.slice(1).map((left, index) => left - lefts[index]))
}"""  # pixels of the narrowest one
CUT_OFF = """() => {
  const { right, bottom } = document.querySelector('.middle').getBoundingClientRect()
  return [...document.querySelectorAll('.plays .card')].map(each => each.getBoundingClientRect())
    .filter(box => box.right > right + 1 || box.bottom > bottom + 1).length
}"""
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with two matches, the second still running, and the account root, secret."""
    PICTURES.joinpath("replay").mkdir(parents=True, exist_ok=True)
    directory = tmp_path_factory.mktemp("replay")
    server = Server(directory, DATA_DIR=str(directory))
    server.start()
    change(server, FILL)
    yield server
    server.stop()


@pytest.fixture
def watch(new_page: Callable[..., Page], filled: Server) -> Callable[..., Page]:
    """Opens the replay of the match that is over: ``watch("#r2.5", locale="en-US")``."""

    def watch(fragment: str = "", match: int = 1, **options: object) -> Page:
        page = new_page(**{"locale": "en-US", **options})
        page.goto(f"{filled.url}/replay/match/{match}/{fragment}")
        page.fill("#id_username", "root")
        page.fill("#id_password", "secret")
        page.click("[type=submit]")
        page.wait_for_url("**/replay/**")
        return page

    return watch


def shown(page: Page) -> str:
    """The position, as the address has it."""
    return page.url.partition("#")[2]


def at(page: Page, place: str) -> None:
    """Waits until the address names that position, and looks whether the page shows it."""
    page.wait_for_url(f"**#{place}")
    expect(page.locator("[aria-current=step] .nr")).to_have_text(place.partition(".")[2])


def hands(page: Page) -> list[int]:
    return page.evaluate("[...document.querySelectorAll('.cards')].map(each => each.children.length)")


@pytest.mark.parametrize(
    ("size", "locale"), [*((size, "de-DE") for size in SIZES), (SIZES[0], "en-US"), (SIZES[-1], "en-US")]
)
def test_every_position_can_be_read(watch: Callable[..., Page], size: tuple[int, int], locale: str) -> None:
    width, height = size
    page = watch("#r1.0", locale=locale, viewport={"width": width, "height": height})
    last = int(page.locator(".place").inner_text().split("/")[1])
    problems = []
    for step in (0, 6, 9, 40, last):
        page.locator(".steps button").nth(step).click()
        at(page, f"r1.{step}")
        page.screenshot(
            path=PICTURES / "replay" / f"{locale[:2]}-{width}x{height}-{step if step < last else 'end'}.png"
        )
        problems += [f"{step}: {fault}" for fault in serious_faults(page)]
        if page.evaluate(TOO_WIDE):
            problems.append(f"{step} does not fit")
    problems += page.evaluate(TOO_SMALL)
    assert problems == []


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_nothing_jumps_from_step_to_step(watch: Callable[..., Page], size: tuple[int, int]) -> None:
    page = watch("#r1.0", viewport={"width": size[0], "height": size[1]})
    at(page, "r1.0")
    boxes = page.evaluate(BOXES, PARTS)
    for _ in range(60):
        page.keyboard.press("ArrowRight")
        assert page.evaluate(BOXES, PARTS) == boxes, shown(page)


def test_buttons_step_and_jump(watch: Callable[..., Page]) -> None:
    page = watch()
    at(page, "r1.0")
    page.click("[data-do='replay:forward']")
    page.click("[data-do='replay:forward']")
    at(page, "r1.2")
    page.click("[data-do='replay:back']")
    at(page, "r1.1")
    page.click("[data-do='replay:last']")
    assert hands(page).count(0) >= 2
    expect(page.locator(".says")).to_contain_text("The round is over")
    page.click("[data-do='replay:forward']")
    at(page, "r2.0")
    page.click("[data-do='replay:back']")
    expect(page.locator(".says")).to_contain_text("The round is over")
    page.click("[data-do='replay:first']")
    at(page, "r1.0")
    page.select_option("[data-do='replay:round']", "2")
    at(page, "r2.0")
    page.locator(".steps button").nth(12).click()
    at(page, "r2.12")


def test_the_keyboard_does_all_of_it(watch: Callable[..., Page]) -> None:
    page = watch()
    at(page, "r1.0")
    for key, place in [
        ("ArrowRight", "r1.1"),
        ("ArrowLeft", "r1.0"),
        ("PageDown", "r2.0"),
        ("PageUp", "r1.0"),
        ("ArrowLeft", "r1.0"),
    ]:
        page.keyboard.press(key)
        at(page, place)
    page.keyboard.press("End")
    expect(page.locator(".says")).to_contain_text("The round is over")
    page.keyboard.press("Home")
    at(page, "r1.0")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".plays li:not(.more)")).to_have_count(1)
    page.locator("[data-do='replay:help']").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    assert serious_faults(page) == []
    page.screenshot(path=PICTURES / "replay" / "help.png")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator("[data-do='replay:help']")).to_be_focused()


def test_it_plays_by_itself_at_the_chosen_speed_and_pauses(watch: Callable[..., Page]) -> None:
    page = watch()
    at(page, "r1.0")
    page.select_option("[data-do='replay:speed']", "4")
    page.locator("h1").click()
    page.keyboard.press("Space")
    page.wait_for_url("**#r1.6", timeout=5000)
    page.keyboard.press("Space")
    place = shown(page)
    page.wait_for_timeout(700)
    assert shown(page) == place


def test_playing_ends_with_the_match(watch: Callable[..., Page]) -> None:
    page = watch("#r1.0")
    at(page, "r1.0")
    rounds = page.locator("[data-do='replay:round'] option").count()
    page.evaluate(f"location.hash = '#r{rounds}.99999'")
    expect(page.get_by_role("alert")).to_have_text("There is no such position here.")
    assert shown(page).startswith(f"r{rounds}.")
    page.click("[data-do='replay:back']")
    page.click("[data-do='replay:play']")
    expect(page.locator("[data-do='replay:play']")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("[data-do='replay:play']")).to_have_attribute("aria-label", "Play")


def test_a_link_leads_to_a_position_and_a_changed_one_moves(watch: Callable[..., Page]) -> None:
    page = watch("#r2.17")
    at(page, "r2.17")
    before = page.evaluate("history.length")
    page.keyboard.press("ArrowRight")
    at(page, "r2.18")
    assert page.evaluate("history.length") == before
    page.evaluate("location.hash = '#r1.5'")
    at(page, "r1.5")
    page.evaluate("location.hash = '#r2'")
    at(page, "r2.0")
    page.evaluate("location.hash = '#r99.1'")
    expect(page.get_by_role("alert")).to_have_text("There is no such position here.")
    at(page, "r1.0")


def test_the_list_is_one_stop_of_the_tabulator_and_moves_with_the_step(watch: Callable[..., Page]) -> None:
    page = watch("#r1.3")
    at(page, "r1.3")
    page.locator(".steps [tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    at(page, "r1.4")
    expect(page.locator("[aria-current=step]")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.controls') !== null")


def test_arrows_step_after_a_round_was_chosen(watch: Callable[..., Page]) -> None:
    page = watch("#r1.0")
    at(page, "r1.0")
    page.select_option("[data-do='replay:round']", "2")
    page.locator("[data-do='replay:round']").focus()
    at(page, "r2.0")
    page.keyboard.press("ArrowRight")
    at(page, "r2.1")


def test_the_end_of_a_round_is_read_out_and_listed(watch: Callable[..., Page]) -> None:
    page = watch("#r1.0")
    at(page, "r1.0")
    page.keyboard.press("End")
    expect(page.locator("#live")).to_contain_text("The round is over")
    expect(page.locator("[aria-current=step] .ended")).to_contain_text("The round is over")


def test_who_was_logged_out_logs_in_and_is_back_where_he_was(watch: Callable[..., Page]) -> None:
    page = watch("#r1.7")
    at(page, "r1.7")
    page.context.clear_cookies()
    page.keyboard.press("PageDown")
    expect(page.get_by_role("alert")).to_contain_text("You have been logged out.")
    at(page, "r1.7")
    page.get_by_role("button", name="Log in").click()
    page.fill("#id_username", "root")
    page.fill("#id_password", "secret")
    page.click("[type=submit]")
    at(page, "r1.7")


@pytest.mark.parametrize("width", [360, 640, 900, 1366])
def test_no_card_of_a_long_street_is_cut_off(watch: Callable[..., Page], filled: Server, width: int) -> None:
    change(filled, LOG.format(folder=str(ROOT / "tests/data/bsw")))
    page = watch(viewport={"width": width, "height": 360 if width == 640 else 700})
    page.goto(f"{filled.url}/replay/log/900002/#r6.22")
    expect(page.locator(".plays .card")).to_have_count(12)
    assert page.evaluate(SHOWN_OF_CARDS) > 9
    assert page.evaluate(CUT_OFF) == 0


def test_of_a_trick_that_is_too_long_the_first_plays_are_counted(watch: Callable[..., Page], filled: Server) -> None:
    change(filled, LOG.format(folder=str(ROOT / "tests/data/bsw")))
    page = watch(viewport={"width": 360, "height": 640})
    page.goto(f"{filled.url}/replay/log/900001/#r1.0")
    at(page, "r1.0")
    most = 0
    for _ in range(80):
        page.keyboard.press("ArrowRight")
        left_out = page.locator(".plays li.sr").count()
        most = max(most, left_out)
        assert page.locator(".plays .more:visible").all_inner_texts() == ([f"+{left_out}"] if left_out else [])
    assert most > 0


def test_the_list_follows_and_the_exchange_is_shown(watch: Callable[..., Page]) -> None:
    page = watch("#r1.0", viewport={"width": 360, "height": 640})
    at(page, "r1.0")
    while not page.locator(".exchange").count():
        page.keyboard.press("ArrowRight")
    expect(page.locator(".exchange .card")).to_have_count(3)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".exchange .card")).to_have_count(12)
    expect(page.locator("[data-new]")).to_have_count(12)
    page.keyboard.press("End")
    expect(page.locator("[aria-current=step]")).to_be_in_viewport(ratio=0.95)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_log_is_shown_up_to_a_contradiction(
    watch: Callable[..., Page], filled: Server, tmp_path: Path, size: tuple[int, int]
) -> None:
    log = (ROOT / "tests/data/bsw/defects/own_dragon_bombed.tch").read_text()
    (tmp_path / "77.tch").write_text(log.replace("(2)Lotus22: SB RB ", "(2)Lotus22: SA RB ", 1))
    change(filled, LOG.format(folder=str(tmp_path)))
    page = watch(locale="de-DE", viewport={"width": size[0], "height": size[1]})
    page.goto(f"{filled.url}/replay/log/77/#r1.99")
    why = page.locator(".rest .finding").first
    expect(why).to_have_text("Die Karte ist nicht auf der Hand: Lotus22: SA")
    expect(page.locator(".rest code").first).to_have_text("(2)Lotus22: SA RB")
    expect(page.locator(".says")).to_have_text(why.inner_text())
    expect(page.locator("#live")).to_contain_text(why.inner_text())
    page.locator(".steps").focus()
    page.keyboard.press("End")
    expect(page.locator(".rest").last).to_be_in_viewport()
    expect(page).to_have_title("Ähre-9 & Lotus22 – Kranich & Mimose · Brettspielwelt, Partie 77")
    why.scroll_into_view_if_needed()
    page.screenshot(path=PICTURES / "replay" / f"log-{size[0]}x{size[1]}.png")
    assert serious_faults(page) == []


def test_a_running_match_says_why_nothing_is_shown(filled: Server, watch: Callable[..., Page]) -> None:
    page = watch(viewport={"width": 360, "height": 640})
    response = page.request.get(f"{filled.url}/replay/match/2/", headers={"Accept-Language": "en"})
    assert response.status == 403
    assert "still being played" in response.text()
    page.set_content(response.text().replace('="/static/', f'="{filled.url}/static/'))
    page.screenshot(path=PICTURES / "replay" / "refused.png")
    assert serious_faults(page) == []
    assert page.evaluate(TOO_SMALL) == []
