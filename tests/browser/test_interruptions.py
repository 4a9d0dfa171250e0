"""Reloads, lost lines, a server that dies: the page goes on with the same hand."""

import pytest
from playwright.sync_api import expect

from tests.browser.people import Person
from tests.browser.scenes import SCENES, Stage

pytestmark = pytest.mark.browser

MEMORY = """() => ({
  phase: Controls.phase(), hand: State.data.handCards, score: State.score(), trick: State.openTrick(),
  calls: State.data.announcements, wish: State.data.wishValue, turn: State.data.currentTurnIndex,
  request: Controls.request()?.requestId
})"""
MOMENTS = [scene for scene in SCENES if scene not in ("lobby", "guest", "receive", "round-over", "result")]


def test_a_reload_in_any_phase_leads_back_to_it(person, server):
    anna: Person = person(reduced_motion="reduce")
    anna.play_at_once(server.url)
    reloaded = set()

    def wait_for_something_to_do() -> None:
        anna.page.wait_for_function(
            "() => ['grand', 'give', 'receive', 'turn', 'wish', 'dragon', 'out', 'over'].includes(Controls.phase())"
        )

    while not {"grand", "give", "turn"} <= reloaded or len(reloaded) < 4:
        wait_for_something_to_do()
        phase = anna.phase
        if phase not in reloaded and phase in ("grand", "give", "turn", "wish", "dragon"):
            before = anna.page.evaluate(MEMORY)
            anna.page.reload()
            anna.page.wait_for_selector(".hand")
            wait_for_something_to_do()
            assert anna.page.evaluate(MEMORY) == before
            reloaded.add(phase)
        elif phase in ("out", "over") and "turn" in reloaded:
            anna.page.reload()
            anna.page.wait_for_selector(".table-view, .lobby")
            reloaded.add(phase)
            if anna.sees(".lobby"):  # that was the last round of the match
                anna.start()
        anna.move()


@pytest.mark.parametrize("scene", MOMENTS)
def test_a_reload_shows_the_same_moment(new_page, server, scene):
    stage = Stage(new_page(reduced_motion="reduce"), server.url)
    stage.sit_down()
    stage.show(scene)
    before = stage.page.evaluate(MEMORY)
    stage.page.reload()
    stage.page.wait_for_selector(".loading")
    stage.show(scene)
    assert stage.page.evaluate(MEMORY) == before
    assert stage.page.evaluate("User.sessionId") == f"session of {scene}"


def test_received_cards_count_as_taken_up_after_a_reload(person, server):
    """page.md 3."""
    anna: Person = person(reduced_motion="reduce")
    anna.play_at_once(server.url)
    anna.play_until(lambda: anna.phase in ("receive", "turn", "idle"))
    anna.page.reload()
    anna.page.wait_for_selector(".hand .card")
    assert anna.phase in ("turn", "idle")


def test_the_server_is_killed_in_the_middle_of_a_trick(person, start_server):
    server = start_server()
    anna: Person = person(reduced_motion="reduce")
    anna.play_at_once(server.url)
    anna.play_until(lambda: anna.phase == "turn" and anna.page.evaluate("State.openTrick().length > 0"))
    anna.page.keyboard.press("Escape")
    anna.cards.nth(0).click()
    anna.play_until(lambda: anna.phase == "turn")  # the request may have been withdrawn for a moment
    anna.page.evaluate("window.isSamePage = true")
    before = anna.page.evaluate(MEMORY)
    selected = anna.page.evaluate("State.data.selection")
    server.kill()
    expect(anna.page.locator(".banner")).to_contain_text("Verbindung unterbrochen")
    server.start()
    expect(anna.page.locator(".banner")).to_have_count(0, timeout=15_000)
    assert anna.page.evaluate(MEMORY) == before
    assert anna.page.evaluate("State.data.selection") == selected
    assert len(selected) == 1
    anna.play_round()
    assert anna.page.evaluate("window.isSamePage")


def test_the_server_is_stopped_in_the_lobby(person, start_server):
    server = start_server()
    anna: Person = person(reduced_motion="reduce")
    anna.sit_down(server.url, "Anna", "survivor")
    server.stop()
    expect(anna.page.locator(".banner")).to_contain_text("Verbindung unterbrochen")
    server.start()
    anna.page.wait_for_function("() => State.data.connection === 'open'")
    anna.start()


def test_a_refusal_of_the_server_is_shown_and_the_controls_come_back(person, server):
    anna: Person = person(reduced_motion="reduce")
    anna.play_at_once(server.url)
    anna.play_until(lambda: anna.phase == "give")
    anna.page.evaluate("Network.send('bomb', {cards: [[2, 1], [2, 2], [2, 3], [2, 4]]})")
    expect(anna.page.locator("#prompt.no")).to_be_visible()
    anna.lay_out_three()
    assert anna.page.locator("[data-action='schupf']").get_attribute("aria-disabled") is None
