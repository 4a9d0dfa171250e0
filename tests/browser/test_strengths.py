"""Easy, medium and hard agents, chosen at each seat of the lobby (protocol 3: ``strengths``)."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from games.tichu.agents import AGENTS
from tests.browser.people import KeyboardPerson, Person
from tests.browser.test_looks import TARGETS, serious_faults
from tests.server import Server

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 640}
STRENGTHS = {"MixedAgent": "Leicht", "RuleAgent": "Mittel", "PolicyAgent": "Schwer"}
OFFERED = [agent for agent in STRENGTHS if agent in AGENTS]  # there is no hard agent without its weights
HARDEST = OFFERED[-1]


def choice(person: Person, seat: int) -> Locator:
    return person.page.locator(f".place[data-seat='{seat}'] select")


def strengths(person: Person) -> object:
    return person.page.evaluate("State.data.options.strengths.slice(1)")


def test_a_thumb_chooses_hard_agents_and_plays_them(person: Callable[..., Person], server: Server) -> None:
    anna = person(viewport=PHONE, has_touch=True, is_mobile=True)
    anna.sit_down(server.url, "Anna", "hard by thumb")
    expect(choice(anna, 1).locator("option")).to_have_text([STRENGTHS[agent] for agent in OFFERED])
    expect(choice(anna, 1)).to_have_value("RuleAgent")
    for seat in (1, 2, 3):
        choice(anna, seat).tap()
        choice(anna, seat).select_option(label=STRENGTHS[HARDEST])
        anna.page.wait_for_function("() => !State.data.sent")
    assert strengths(anna) == [HARDEST] * 3
    assert anna.page.evaluate(TARGETS) == []
    assert serious_faults(anna.page) == []
    anna.page.reload()
    expect(choice(anna, 3)).to_have_value(HARDEST)
    anna.page.tap("[data-do='lobbyView:start']")
    anna.page.wait_for_selector(".hand .card")
    anna.play_until(lambda: anna.page.evaluate("State.data.trickCounter") > 2)
    expect(anna.page.locator(".seat.e .name")).to_have_text("Agent 2")


def test_the_keyboard_chooses_hard_agents_and_plays_them(
    keyboard_person: Callable[..., KeyboardPerson], server: Server
) -> None:
    anna = keyboard_person(viewport={"width": 1366, "height": 768})
    anna.sit_down(server.url, "Anna", "hard by key")
    for seat in (1, 2, 3):
        for key, agent in (("Home", "MixedAgent"), ("End", HARDEST)):
            anna.tab_to(f".place[data-seat='{seat}'] select")
            anna.page.keyboard.press(key)
            anna.page.wait_for_function(
                "([seat, agent]) => State.data.options.strengths[seat] === agent", arg=[seat, agent]
            )
            expect(choice(anna, seat)).to_be_focused()
    anna.tab_to("[data-do='lobbyView:start']")
    anna.page.keyboard.press("Enter")
    anna.page.wait_for_selector(".hand .card")
    anna.play_until(lambda: anna.page.evaluate("State.data.trickCounter") > 2)
    assert strengths(anna) == [HARDEST] * 3


def test_guests_see_how_strong_the_agents_are(person: Callable[..., Person], server: Server) -> None:
    anna, ben = person(), person(locale="en")
    anna.sit_down(server.url, "Anna", "seen strengths")
    ben.sit_down(server.url, "Ben", "seen strengths")
    expect(ben.page.locator(".place[data-seat='2'] small")).to_have_text("Medium")
    choice(anna, 2).select_option("MixedAgent")
    expect(ben.page.locator(".place[data-seat='2'] small")).to_have_text("Easy")
    anna.page.click(".place[data-seat='2'] [data-do='lobbyView:swap']")
    anna.page.click(".place[data-seat='3'] [data-do='lobbyView:swap']")
    expect(ben.page.locator(".place[data-seat='3'] small")).to_have_text("Easy")
    expect(ben.page.locator(".place[data-seat='2'] small")).to_have_text("Medium")
