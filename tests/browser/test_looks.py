"""Every view at six sizes in two languages: what lies where, what a screen reader finds, and a picture of it."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.scenes import SCENES, Stage
from tests.server import ROOT, Server

pytestmark = pytest.mark.browser

SIZES = [(320, 568), (360, 640), (390, 844), (740, 360), (768, 1024), (1366, 768)]
PICTURES = ROOT / "data" / "screenshots"

# What opens over a scene, and how.
DIALOGS = {
    "settings": "EventBus.emit('page:settings')",
    "score": "EventBus.emit('page:score')",
    "last": "EventBus.emit('page:last')",
    "chat": "Object.assign(State.data, {dialog: 'chat'}); ViewManager.draw()",
    "rules": "EventBus.emit('page:rules')",
    "question": "EventBus.emit('modals:leave')",
}

# A finger needs 44 px, and during a match no control lies outside the window.
TARGETS = """() => {
  const root = document.querySelector('dialog[open]') || document
  const seen = element => element.checkVisibility({visibilityProperty: true}) && !element.closest('.sr')
  const problems = []
  for (const element of root.querySelectorAll('button, input, select, a[href]')) {
    if (!seen(element)) { continue }
    const {left, top, right, bottom, width, height} = element.getBoundingClientRect()
    const name = (element.getAttribute('aria-label') || element.textContent).trim().slice(0, 30)
    if (width < 43.5 || height < 43.5) { problems.push(`${name}: ${width.toFixed()} x ${height.toFixed()}`) }
    if (document.querySelector('.table-view') && root === document &&
        (left < -0.5 || top < -0.5 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5)) {
      problems.push(`${name} is out of sight`)
    }
  }
  for (const element of document.querySelectorAll('.btn > span, .prompt, .caption b, .ask h2, .zone .to')) {
    const isInline = getComputedStyle(element).display === 'inline'
    if (seen(element) && !isInline && element.scrollWidth > element.clientWidth + 1) {
      problems.push(`cut off: ${element.textContent}`)
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) { problems.push('the page is too wide') }
  return problems
}"""

# How much of the face of each card shows beside its neighbours.
FACES = """() => [...document.querySelectorAll('.hand .card')].map(card => {
  const {left, top, right} = card.getBoundingClientRect()
  let shown = 0
  for (let x = left + 0.5; x < right; x += 0.5) {
    shown += document.elementFromPoint(x, top + 12)?.closest('.card') === card ? 0.5 : 0
  }
  return shown
})"""

COLOURS = "button => ['backgroundColor', 'borderColor', 'color'].map(name => getComputedStyle(button)[name])"


def serious_faults(page: Page) -> list[str]:
    """What axe finds, apart from advice."""
    violations = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:120]}"
        for fault in violations
        if fault["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_every_view_can_be_used(
    new_page: Callable[..., Page], server: Server, size: tuple[int, int], language: str
) -> None:
    width, height = size
    page = new_page(locale=language, viewport={"width": width, "height": height}, reduced_motion="reduce")
    stage = Stage(page, server.url)
    problems: list[str] = []

    def look(name: str) -> None:
        folder = PICTURES / language
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{name}-{width}x{height}.png")
        problems.extend(f"{name}: {problem}" for problem in page.evaluate(TARGETS))
        if language == "de":
            problems.extend(f"{name}: {fault}" for fault in serious_faults(page))

    look("login")
    stage.sit_down()
    look("loading")
    for scene in SCENES:
        stage.show(scene)
        look(scene)
        faces = page.evaluate(FACES) if scene in ("lead", "turn") else []
        problems.extend(f"{scene}: a card shows {shown} px" for shown in faces if shown < 40)
    stage.show("turn")
    for dialog, opening in DIALOGS.items():
        page.evaluate(opening)
        look(dialog)
        page.keyboard.press("Escape")
    stage.hang_up(4012)
    page.wait_for_selector(".banner")
    look("offline")
    assert problems == []


def test_a_button_that_is_off_looks_so_under_the_pointer(new_page: Callable[..., Page], server: Server) -> None:
    """Where a button was pressed the pointer still rests, and the next button there is often off."""
    page = new_page(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
    stage = Stage(page, server.url)
    stage.sit_down()
    seen = 0
    for scene in SCENES:
        stage.show(scene)
        for button in page.locator(".btn[aria-disabled=true]:visible").all():
            looks = []
            for point in (page.locator("body"), button):
                point.hover(force=True, position={"x": 2, "y": 20})
                looks.append(button.evaluate(COLOURS))
            assert looks[0] == looks[1], (scene, button.inner_text())
            seen += 1
    assert seen > 10
