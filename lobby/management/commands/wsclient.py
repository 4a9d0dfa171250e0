"""``manage.py wsclient``: plays at a table in the terminal, over the same protocol as the page.

1. Connects, and takes a seat.
2. Shows what happens and what is asked; sends what is typed, or with ``--auto`` what it thinks of itself.
3. With ``--auto`` the host starts the match, everybody leaves after it, and the score is printed.
"""

import asyncio
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from threading import Thread
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lobby.client import Client, Message, answer

MANUAL = """\
what can be typed (cards: suit S sword, B pagoda, G jade, R star and rank 2..9 Z B D K A;
Hu dog, Ma Mah Jong, Dr dragon, Ph phoenix):
  start                     the host starts the match
  yes, no                   answers the question for a grand Tichu
  S2 G7 RA                  schupfs to the right, to the partner, to the left; or plays these cards
  play, pass                plays what is proposed; passes
  bomb S9 B9 G9 R9          throws a bomb out of turn
  tichu                     calls Tichu
  8                         wishes for a rank, 2..14
  right, left               gives the dragon to an opponent
  chat good luck            writes to the table
  leave                     leaves the table
"""

SPECIALS = {(0, 0): "Hu", (1, 0): "Ma", (15, 0): "Dr", (16, 0): "Ph"}
SUITS = " SBGR"
RANKS = "  23456789ZBDKA"


def label(card: list[int]) -> str:
    """The text of a card on the wire."""
    value, suit = card
    return SPECIALS.get((value, suit)) or SUITS[suit] + RANKS[value]


def labels(cards: list[list[int]]) -> str:
    """The text of cards on the wire."""
    return " ".join(map(label, cards))


CARDS = {label([value, suit]): [value, suit] for suit in range(1, 5) for value in range(2, 15)} | {
    text: list(card) for card, text in SPECIALS.items()
}


class Terminal:
    """One person at a terminal.

    :param is_auto: whether the program plays by itself.
    :param people: how many must sit at the table until a host that plays by itself starts.
    """

    def __init__(self, client: Client, out: Any, *, is_auto: bool, people: int) -> None:
        self._client = client
        self._out = out
        self._is_auto = is_auto
        self._people = people
        self._request: Message | None = None  # the open one
        self._names: list[str] = []
        self._host = -1
        self._is_running = False
        self.score: str = ""

    async def play(self) -> None:
        """Until the session is over."""
        if not self._is_auto:
            Thread(target=self._read, args=(asyncio.get_running_loop(),), daemon=True).start()
        async for message in self._client.messages():
            await self._show(message)

    # --- server to person ---------------------------------------------------------------------------------------------

    async def _show(self, message: Message) -> None:
        payload = message.get("payload", {})
        match message["type"]:
            case "request":
                await self._ask(payload)
            case "error":
                self._write(f"! {payload['message']} {payload['context'] or ''}")
            case "notification" if "session_id" in payload["context"]:
                await self._arrive(payload["context"])
            case "notification":
                await self._tell(payload["event"], payload["context"])

    async def _arrive(self, context: Message) -> None:
        public, private = context["public_state"], context["private_state"]
        self._names = public["player_names"]
        self._is_running = public["is_running"]
        self._write(f"You sit on seat {self._client.seat} at {public['table_name']}: {', '.join(self._names)}")
        if private["hand_cards"]:
            self._write(f"Your hand: {labels(private['hand_cards'])}")
        if context["pending_request"]:
            await self._ask(context["pending_request"])
        self._host = public["host_index"]
        await self._perhaps_start()

    async def _perhaps_start(self) -> None:
        people = [name for seat, name in enumerate(self._names) if not name.endswith(f"_{seat + 1}")]
        if self._is_auto and self._host == self._client.seat and not self._is_running and len(people) >= self._people:
            self._is_running = True
            await self._client.say("start_game")

    async def _ask(self, request: Message) -> None:
        self._request = request
        if self._is_auto:
            await self._client.answer(request, answer(request, self._client.seat))
            return
        context = request["context"]
        match request["action"]:
            case "announce_grand_tichu":
                self._write("Do you call a grand Tichu? (yes, no)")
            case "schupf":
                self._write(f"Which cards for the right, the partner, the left? {labels(context['hand_cards'])}")
            case "play":
                proposal = labels(context["proposal"]) or "nothing fits"
                passing = ", or pass" if context["may_pass"] else ""
                self._write(f"Your hand: {labels(context['hand_cards'])}")
                self._write(f"It is your turn (play: {proposal}{passing})")
            case "wish":
                self._write("Which rank do you wish for? (2..14)")
            case "give_dragon_away":
                self._write("Who gets the dragon? (right, left)")

    async def _tell(self, event: str, context: Message) -> None:
        who = self._names[context["player_index"]] if "player_index" in context else ""
        match event:
            case "player_joined" | "player_left":
                name = self._names[context["player_index"]] = context["player_name"]
                self._host = context.get("host_index", self._host)
                self._write(f"{who} is back" if name == who else f"{who} makes way for {name}")
                await self._perhaps_start()
            case "players_swapped":
                one, other = context["player_index_1"], context["player_index_2"]
                self._names[one], self._names[other] = self._names[other], self._names[one]
                if self._client.seat in (one, other):
                    self._client.seat = one + other - self._client.seat
                self._write(f"New seats: {', '.join(self._names)}")
            case "hand_cards_dealt" if "hand_cards" in context:
                self._write(f"Your hand: {labels(context['hand_cards'])}")
            case "start_playing":
                self._write(f"You receive {labels(context['received_schupf_cards'])}")
                self._write(f"{self._names[context['start_player_index']]} leads")
            case "player_played":
                seat, cards, _ = context["turn"]
                self._write(f"{self._names[seat]}: {labels(cards)}")
            case "player_passed":
                self._write(f"{who} passes")
            case "player_announced":
                self._write(f"{who} calls {'a grand Tichu' if context['grand'] else 'Tichu'}")
            case "wish_made":
                self._write(f"The wish is {context['wish_value']}")
            case "trick_taken":
                self._write(f"{who} takes the trick")
            case "round_over":
                self._write(f"The round is over: {context['points']}")
            case "chat":
                self._write(f"{context['name']}: {context['text']}")
            case "game_over":
                team_20, team_31 = map(sum, context["game_score"])
                self.score = f"Score: {team_20} : {team_31}"
                self._is_running = False
                self._write(self.score)
                if self._is_auto:
                    await self._client.say("leave")

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()

    # --- person to server ---------------------------------------------------------------------------------------------

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Reads lines, in a thread of its own: nothing else can wait for all kinds of input."""
        for line in sys.stdin:
            if line.strip():
                asyncio.run_coroutine_threadsafe(self._say(line.split()), loop)
        asyncio.run_coroutine_threadsafe(self._say(["leave"]), loop)

    async def _say(self, words: list[str]) -> None:
        try:
            await self._say_words(words[0].lower(), words[1:], words)
        except (KeyError, ValueError, TypeError):
            self._write(f"? {' '.join(words)}\n{MANUAL}")

    async def _say_words(self, verb: str, rest: list[str], words: list[str]) -> None:
        action = self._request["action"] if self._request else ""
        match verb:
            case "start":
                await self._client.say("start_game")
            case "leave":
                await self._client.say("leave")
            case "tichu":
                await self._client.say("announce")
            case "chat":
                await self._client.say("chat", text=" ".join(rest))
            case "bomb":
                await self._client.say("bomb", cards=[CARDS[word] for word in rest])
            case "yes" | "no":
                await self._answer({"announced": verb == "yes"})
            case "right" | "left":
                opponent = (self._client.seat + (1 if verb == "right" else 3)) % 4
                await self._answer({"dragon_recipient": opponent})
            case "pass":
                await self._answer({"cards": []})
            case "play":
                await self._answer({"cards": self._request and self._request["context"]["proposal"]})
            case _ if action == "wish":
                await self._answer({"wish_value": int(verb)})
            case _:
                name = "given_schupf_cards" if action == "schupf" else "cards"
                await self._answer({name: [CARDS[word] for word in words]})

    async def _answer(self, data: Message) -> None:
        if self._request is None:
            self._write("Nothing is asked of you.")
        else:
            await self._client.answer(self._request, data)


class Command(BaseCommand):
    help = "Plays Tichu in the terminal."
    requires_system_checks = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        return super().create_parser(
            prog_name, subcommand, epilog=MANUAL, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--url", default="ws://127.0.0.1:8000/ws", help="where the server is (%(default)s)")
        parser.add_argument("--name", required=True, help="your name")
        parser.add_argument("--table", required=True, help="the table's name")
        parser.add_argument("--auto", action="store_true", help="play by itself to the end of the match")
        parser.add_argument("--people", type=int, default=1, help="with --auto: the host waits for so many people")

    def handle(self, *, url: str, name: str, table: str, auto: bool, people: int, **options: Any) -> None:
        client = Client(url, name, table)
        terminal = Terminal(client, self.stdout, is_auto=auto, people=people)
        try:
            asyncio.run(terminal.play())
        except KeyboardInterrupt:
            return
        if auto and not terminal.score:
            raise CommandError(f"the match was not played to the end (closed with {client.close_code})")
