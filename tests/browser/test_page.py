"""What the page is made of: its own tests, its weight, its words."""

import gzip

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po
from playwright.sync_api import Response, expect

from tests.server import ROOT

LIGHT = 150_000  # bytes
FUNCTIONS = {"I18n.t": None, "I18n.rich": None, "I18n.n": (1, 2), "I18n.p": ((1, "c"), 2)}


@pytest.mark.browser
def test_the_pages_own_tests_are_green(new_page, server):
    page = new_page(locale="en")
    page.goto(f"{server.url}/static/tests.html")
    expect(page.locator("#summary")).to_contain_text(" failed", timeout=60_000)
    assert page.locator("#results .failed").all_inner_texts() == []
    assert page.locator("#results li").count() > 40


@pytest.mark.browser
def test_everything_up_to_the_lobby_is_light(person, server):
    anna = person()
    responses: list[Response] = []
    anna.page.on("response", lambda response: responses.append(response))
    anna.sit_down(server.url, "Anna", "scales")
    sizes = {response.url: len(gzip.compress(response.body())) for response in responses}
    assert any("cards" in url for url in sizes)
    assert sum(sizes.values()) <= LIGHT, sizes


@pytest.mark.browser
@pytest.mark.parametrize(
    ("locale", "title"), [("de-AT", "Sofort spielen"), ("en-US", "Play at once"), ("fr-FR", "Play at once")]
)
def test_the_browser_chooses_the_language(person, server, locale, title):
    anna = person(locale=locale)
    anna.page.goto(server.url)
    expect(anna.page.locator(".start .seal")).to_contain_text(title)


@pytest.mark.browser
def test_the_language_can_be_switched_and_is_remembered(person, server):
    anna = person(locale="de-DE")
    anna.page.goto(server.url)
    anna.page.click(".seg [data-arg='en']")
    expect(anna.page.locator(".start .seal")).to_contain_text("Play at once")
    anna.page.reload()
    expect(anna.page.locator(".start .seal")).to_contain_text("Play at once")
    assert anna.page.locator("html").get_attribute("lang") == "en"


@pytest.mark.browser
def test_a_closed_dialog_gives_the_focus_back(person, server):
    anna = person()
    anna.play_at_once(server.url)
    anna.page.click("[data-do='page:score']")
    anna.page.wait_for_selector("dialog[data-key='score']")
    anna.page.keyboard.press("Escape")
    expect(anna.page.locator("[data-do='page:score']")).to_be_focused()


@pytest.mark.browser
def test_the_content_policy_allows_nothing_unsafe(new_page, server):
    response = new_page().goto(server.url)
    policy = response.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'self'" in policy


def test_the_german_catalog_has_every_text_of_the_page_and_no_other():
    found = {
        (message, context)
        for file, _, message, _, context in extract_from_dir(
            ROOT / "static/js",
            method_map=[("**.js", "javascript")],
            options_map={"**.js": {"parse_template_string": True}},
            keywords=FUNCTIONS,
        )
        if not file.startswith("test")
    }
    with (ROOT / "locale/de/LC_MESSAGES/djangojs.po").open("rb") as file:
        catalog = {(message.id, message.context) for message in read_po(file, locale="de") if message.id}
    assert found == catalog
