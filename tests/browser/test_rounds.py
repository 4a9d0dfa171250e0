"""Whole rounds in a browser, against three agents and a real server."""

import pytest

from tests.browser.people import Person

pytestmark = pytest.mark.browser


def test_a_round_is_played_by_clicking(person, server):
    anna: Person = person()
    anna.play_at_once(server.url)
    anna.play_round()
    assert "Runde 1 ist vorbei" in anna.page.locator("dialog h2").inner_text()
    us, them = (int(cell.replace("−", "-")) for cell in anna.page.locator(".breakdown .sum:not(.l)").all_inner_texts())
    assert (us + them) % 100 == 0
    anna.close_dialog()
    assert anna.phase == "grand"


def test_a_round_is_played_without_a_mouse(keyboard_person, server):
    anna = keyboard_person(locale="en-GB", viewport={"width": 1366, "height": 768})
    anna.play_at_once(server.url)
    anna.play_round()
    assert "Round 1 is over" in anna.page.locator("dialog h2").inner_text()
    anna.close_dialog()
    assert anna.phase == "grand"


def test_a_match_ends_in_the_lobby(person, server):
    anna: Person = person()
    anna.sit_down(server.url, "Anna", "short match")
    anna.page.evaluate("EventBus.emit('lobbyView:option', {arg: 'targetScore', value: 100})")
    anna.page.wait_for_selector(".lobby >> text=Bis 100")
    anna.start()
    anna.play_until(lambda: anna.sees("dialog[data-key='result']"), seconds=120, leaving="result")
    anna.page.click("dialog[data-key='result'] >> text=Zur Lobby")
    anna.page.wait_for_selector(".lobby")


def test_a_grand_tichu_wants_a_long_press(person, server):
    """page.md 3."""
    anna: Person = person()
    anna.play_at_once(server.url)
    anna.press("grand")
    assert anna.prompt == "Lange drücken für Ansage."
    anna.page.locator("[data-action='grand']").click(delay=900)
    anna.page.wait_for_selector(".seat.s .seal-mark.grand")


def test_a_screen_reader_hears_each_event_once(person, server):
    anna: Person = person()
    anna.page.add_init_script(
        """window.said = []
        document.addEventListener('DOMContentLoaded', () => new MutationObserver(records => records.forEach(
          record => record.target.ariaLive && record.addedNodes.forEach(node => window.said.push(node.textContent))
        )).observe(document.body, {childList: true, subtree: true}))"""
    )
    anna.play_at_once(server.url)
    anna.play_round()
    anna.page.wait_for_function("() => document.querySelector('dialog .live').textContent")
    said = anna.page.evaluate("window.said")
    assert said[0] == "Runde 1. Du hast acht Karten. Großes Tichu ansagen?"
    assert sum(sentence.startswith("Du bekommst: ") for sentence in said) == 1
    taken = sum(" den Stich, " in sentence for sentence in said)
    assert taken == anna.page.evaluate("State.data.trickCounter")
    assert sum(sentence.startswith("Runde 1: Wir ") for sentence in said) == 1


@pytest.mark.parametrize("wanted", ["reduce", "no-preference"])
def test_cards_move_unless_the_person_wants_stillness(person, server, wanted):
    anna: Person = person(reduced_motion=wanted)
    anna.page.goto(server.url)
    anna.page.evaluate(
        """window.moved = 0
        const look = () => {
          window.moved = Math.max(window.moved, document.getAnimations().length)
          requestAnimationFrame(look)
        }
        look()"""
    )
    anna.page.click("[data-do='loginView:playAtOnce']")
    anna.page.wait_for_selector("[data-action='decline']:not([aria-disabled])")
    anna.page.wait_for_timeout(300)
    anna.press("decline")
    anna.page.wait_for_selector(".zones")
    anna.page.wait_for_timeout(300)
    assert (anna.page.evaluate("window.moved") > 0) == (wanted == "no-preference")
