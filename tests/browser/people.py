"""People in a browser: they look at the page, press what may be pressed, and play whole rounds."""

import time
from collections.abc import Callable
from contextlib import suppress

from playwright.sync_api import Locator, Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

ROUND_S = 120

# What is open over the table, the phase, and the buttons that may be pressed: all of the same moment.
LOOK = """() => [
  document.querySelector('dialog[data-key=question], dialog[open], .ask')?.dataset.key || '',
  State.data.sent || State.data.isChoosing ? '' : Controls.phase(),
  [...document.querySelectorAll('.actions [data-action]:not([aria-disabled])')].map(button => button.dataset.action)
]"""


class Person:
    """Somebody who plays with mouse or finger.

    :ivar page: what the person looks at.
    """

    def __init__(self, page: Page) -> None:
        self.page = page

    # --- getting to the table -----------------------------------------------------------------------------------------

    def sit_down(self, url: str, name: str, table: str) -> None:
        """Opens the page and joins a table by name."""
        self.page.goto(url)
        self.page.fill("#name", name)
        self.page.fill("#table", table)
        self.page.click(".join .btn")
        self.page.wait_for_selector(".lobby, .table-view")

    def start(self) -> None:
        """Starts the match, as host."""
        self.page.click("[data-do='lobbyView:start']")
        self.page.wait_for_selector(".hand .card")

    def play_at_once(self, url: str) -> None:
        """Opens the page and starts against three agents."""
        self.page.goto(url)
        self.page.click("[data-do='loginView:playAtOnce']")
        self.page.wait_for_selector(".hand .card")

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def cards(self) -> Locator:
        return self.page.locator(".hand .card")

    def sees(self, selector: str) -> bool:
        return self.page.locator(selector).count() > 0

    @property
    def phase(self) -> str:
        """What the page is waiting for."""
        return str(self.page.evaluate("State.data.view === 'table' ? Controls.phase() : State.data.view"))

    @property
    def prompt(self) -> str:
        return self.page.locator("#prompt").inner_text()

    # --- acting -------------------------------------------------------------------------------------------------------

    def press(self, action: str) -> None:
        """Presses a button, unless it turns into another one meanwhile."""
        with suppress(PlaywrightTimeout):
            self.page.click(f"[data-action='{action}']", timeout=1000)

    def lay_out_three(self) -> None:
        """Chooses three cards for the others."""
        for relative in (1, 2, 3):
            self.cards.nth(0).click()
            self.page.click(f"[data-do='tableView:zone'][data-arg='{relative}']")

    def let_go(self) -> None:
        """Puts a selected card back, for it does not fit."""
        self.page.click(".hand [aria-selected='true'] >> nth=0", position={"x": 8, "y": 8})

    def wish(self) -> None:
        self.page.click(".ranks [data-arg='8']")
        self.page.click("[data-do='tableView:wish']")

    def give_dragon_away(self) -> None:
        self.page.click(".gift .btn >> nth=0")

    def answer(self) -> None:
        """Takes the first choice of a question."""
        self.page.click("dialog[data-key='question'] .sheet-foot .btn >> nth=0")

    def move(self, *, leaving: str = "") -> bool:
        """Does the next thing that is asked for.

        :param leaving: a dialog that stays open.
        :result: whether there was something to do.
        """
        opened, phase, actions = self.page.evaluate(LOOK)
        if opened and opened == leaving:
            return False
        answers = {
            "question": self.answer,
            "round": self.close_dialog,
            "result": self.close_dialog,
            "wish": self.wish,
            "dragon": self.give_dragon_away,
        }
        if opened:
            answers[opened]()
            self.page.wait_for_selector(f"[data-key='{opened}']", state="detached")
            return True
        for action in ("decline", "schupf", "take", "choose", "play"):
            if action in actions:
                self.press(action)
                return True
        if phase == "give":
            self.lay_out_three()
        elif phase == "turn" and self.sees(".hand [aria-selected='true']"):
            self.let_go()
        elif phase and "pass" in actions:
            self.press("pass")
        else:
            return False
        return True

    def close_dialog(self) -> None:
        self.page.click("dialog [data-do='modals:close'] >> nth=-1")

    def play_until(self, done: Callable[[], bool], seconds: float = ROUND_S, *, leaving: str = "") -> None:
        """Plays on until something is so.

        :param leaving: a dialog that stays open.
        """
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                raise AssertionError(f"still in {self.phase}: {self.prompt}")
            if not self.move(leaving=leaving):
                self.page.wait_for_timeout(25)

    def play_round(self) -> None:
        """Plays to the end of the round; its result is open then."""
        self.play_until(lambda: self.sees("dialog[data-key='round']"), leaving="round")


class KeyboardPerson(Person):
    """Somebody who never touches a mouse."""

    def tab_to(self, selector: str) -> None:
        """Moves the focus with the tab key."""
        for _ in range(60):
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the tab key does not lead to {selector}")

    def play_at_once(self, url: str) -> None:
        self.page.goto(url)
        self.page.wait_for_selector(".login")
        self.tab_to("[data-do='loginView:playAtOnce']")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(".hand .card")

    def press(self, action: str) -> None:
        keys = {"pass": "p", "choose": "s"}
        if action in keys:
            self.page.keyboard.press(keys[action])
        elif action == "decline":
            self.tab_to("[data-action='decline']")
            self.page.keyboard.press("Enter")
        else:
            self.tab_to(".hand .card")
            self.page.keyboard.press("Enter")

    def lay_out_three(self) -> None:
        for key in ("1", "2", "3"):
            self.tab_to(".hand .card")
            self.page.keyboard.press("ArrowRight")
            self.page.keyboard.press("Space")
            self.page.keyboard.press(key)

    def let_go(self) -> None:
        self.page.keyboard.press("Escape")

    def wish(self) -> None:
        self.tab_to(".ranks [role='radio']")
        for _ in range(3):
            self.page.keyboard.press("ArrowRight")
        self.tab_to("[data-do='tableView:wish']")
        self.page.keyboard.press("Enter")

    def give_dragon_away(self) -> None:
        self.tab_to(".gift .btn")
        self.page.keyboard.press("Enter")

    def answer(self) -> None:
        self.tab_to("dialog[data-key='question'] .btn")
        self.page.keyboard.press("Enter")

    def close_dialog(self) -> None:
        self.page.keyboard.press("Escape")
