"""Two people with a browser each at one table."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.people import Person

pytestmark = pytest.mark.browser


def seat(person: Person, place: str) -> str:
    """Who sits there at the table: ``n`` opposite, ``w`` left, ``e`` right."""
    return person.page.locator(f".seat.{place} .name").inner_text()


@pytest.fixture
def anna_and_ben(person, server, request) -> tuple[Person, Person]:
    """Anna has opened a table, and Ben has followed the link to it."""
    anna, ben = person(), person(locale="en")
    anna.sit_down(server.url, "Anna", request.node.name[:30])
    link = anna.page.evaluate("LobbyView.invitation()")
    ben.page.goto(link)
    ben.page.fill("#name", "Ben")
    expect(ben.page.locator("#name")).to_be_focused()
    ben.page.click(".join .btn")
    ben.page.wait_for_selector(".lobby")
    anna.page.wait_for_selector(".place >> text=Ben")
    return anna, ben


def test_friends_swap_seats_chat_and_start(anna_and_ben):
    anna, ben = anna_and_ben
    expect(ben.page.locator(".lobby-start .seal")).to_have_attribute("aria-disabled", "true")
    anna.page.click(".place[data-seat='1'] [data-do='lobbyView:swap']")
    anna.page.click(".place[data-seat='2'] [data-do='lobbyView:swap']")
    for friend in anna_and_ben:
        expect(friend.page.locator(".place.n b")).to_have_text("Ben" if friend is anna else "Anna")
    ben.page.fill(".chat-form input", "Hello <b>Anna</b>")
    ben.page.keyboard.press("Enter")
    expect(anna.page.locator(".chat-log")).to_contain_text("Ben: Hello <b>Anna</b>")
    anna.start()
    ben.page.wait_for_selector(".hand .card")
    assert (seat(anna, "n"), seat(ben, "n")) == ("Ben", "Anna")
    assert seat(anna, "e") == "Agent 2"
    assert seat(ben, "e") == "Agent 4"


def test_one_closes_the_browser_comes_back_and_leaves(anna_and_ben):
    anna, ben = anna_and_ben
    anna.start()
    ben.page.wait_for_selector(".hand .card")
    hand = ben.page.evaluate("State.data.handCards")
    other = ben.page.context.new_page()
    ben.page.close()
    expect(anna.page.locator(".seat.e .note")).to_have_text("getrennt")
    other.goto(anna.page.url)
    other.wait_for_selector(".hand .card")
    assert other.evaluate("State.data.handCards") == hand
    expect(anna.page.locator(".seat.e .note")).not_to_have_text("getrennt")
    other.click("[data-do='page:settings']")
    other.click("[data-do='modals:leave']")
    other.click("[data-arg='yes']")
    other.wait_for_selector(".login")
    expect(anna.page.locator(".seat.e .name")).to_have_text("Agent 2")


def test_a_second_window_takes_the_seat_and_the_first_offers_to_go_on(anna_and_ben):
    """Protocol 1: 205."""
    anna, _ = anna_and_ben
    anna.start()
    other = anna.page.context.new_page()
    other.goto(anna.page.url)
    other.wait_for_selector(".hand .card")
    expect(anna.page.locator(".banner")).to_contain_text("anderswo offen")
    anna.page.click("[data-do='page:goOnHere']")
    expect(other.locator(".banner")).to_be_visible()
    expect(anna.page.locator(".banner")).to_have_count(0)


def test_the_host_sends_somebody_away(anna_and_ben):
    anna, ben = anna_and_ben
    anna.page.click(".place[data-seat='1'] [data-do='lobbyView:kick']")
    anna.page.click("[data-arg='yes']")
    expect(ben.page.locator(".login .warning")).to_have_text("The host has sent you away.")
    expect(anna.page.locator(".place[data-seat='1'] b")).to_have_text("Agent 2")


def test_options_of_the_host_are_seen_by_all(anna_and_ben):
    anna, ben = anna_and_ben
    anna.page.select_option("[data-arg='rules']", "pocket")
    expect(ben.page.locator(".options")).to_contain_text("Printed rules")
    anna.page.select_option("[data-arg='turnLimitS']", "30")
    expect(ben.page.locator(".options")).to_contain_text("30 seconds")
    anna.page.select_option(".place[data-seat='3'] select", "MixedAgent")
    expect(ben.page.locator(".place[data-seat='3'] small")).to_have_text("Easy")


def test_a_turn_limit_is_seen_running(anna_and_ben):
    anna, _ = anna_and_ben
    anna.page.select_option("[data-arg='turnLimitS']", "30")
    anna.start()
    expect(anna.page.locator(".seat.s .note")).to_have_text(re.compile(r"\d+ s"))


def test_a_name_that_is_taken_is_refused_at_the_start(person, server, anna_and_ben):
    third: Person = person()
    third.page.goto(server.url)
    third.page.fill("#name", "anna")
    third.page.fill("#table", anna_and_ben[0].page.evaluate("State.data.tableName"))
    third.page.click(".join .btn")
    expect(third.page.locator(".warning")).to_have_text("Dieser Name ist an diesem Tisch vergeben.")


@pytest.mark.parametrize("size", [(360, 640), (1366, 768)], ids=["phone", "desktop"])
def test_buttons_stay_put(person, server, anna_and_ben, size):
    """When open tables appear: else a click that has begun goes beside its button."""
    third: Person = person()
    third.page.set_viewport_size({"width": size[0], "height": size[1]})
    third.page.route("**/tables.json", lambda route: route.fulfill(json={"tables": []}))
    third.page.goto(server.url)
    button = third.page.locator(".join .btn")
    before = button.bounding_box()
    third.page.unroute("**/tables.json")
    expect(third.page.locator(".tables li").first).to_be_attached(timeout=15_000)
    assert button.bounding_box() == before


def test_open_tables_are_offered(person: Callable[..., Person], server, anna_and_ben):
    table = anna_and_ben[0].page.evaluate("State.data.tableName")
    third = person()
    third.page.goto(server.url)
    third.page.fill("#name", "Carla")
    third.page.click(f".tables li:has-text('{table}') .btn")
    third.page.wait_for_selector(".lobby")
    expect(anna_and_ben[0].page.locator(".place.n b")).to_have_text("Carla")
