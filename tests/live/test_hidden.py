"""Hidden information (protocol 7): every raw frame of whole matches, against what its seat may know at that moment."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from games.tichu import cards as deck
from games.tichu.game import Tichu
from tests.live import journal
from tests.live.client import PHASES, Client
from tests.server import Server

# Lists of two numbers that are no cards.
NO_CARDS = {"game_score", "points", "count_hand_cards", "announcements", "combination", "trick_combination", "values"}
SECRETS = {"seed", "rng", "hands", "deck", "session"}
IN_THE_MATCH = PHASES.keys() | {
    "hand_cards_dealt",
    "player_announced",
    "player_schupfed",
    "player_played",
    "player_passed",
}
Card = tuple[int, int]


@dataclass(frozen=True)
class Knowledge:
    """What the seats may know after an action.

    :ivar number: of the table's last notification after it.
    :ivar cards: per seat the cards it has seen in this round.
    :ivar requests: per seat the id of the decision it is asked for.
    """

    number: int
    cards: list[set[Card]]
    private: list[dict[str, Any]]
    requests: dict[int, str]


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["house", "pocket", "brettspielwelt"])
async def test_no_frame_tells_a_seat_what_it_may_not_know(start_server: Callable[..., Server], rules: str) -> None:
    server = start_server()
    rng = Random(rules)
    clients = [Client(server.socket_url, name, "Hidden", rng) for name in ("Anna", "Ben", "Cleo", "Dora")]
    clients[0].options = {"target_score": 300, "rules": rules}
    async with asyncio.timeout(120):
        playing = [asyncio.create_task(client.run(lambda: all(c.matches for c in clients))) for client in clients]
        while any(client.seat < 0 for client in clients):
            await asyncio.sleep(0.02)
        await clients[0].start()
        await asyncio.gather(*playing)
    options, rows = journal.matches(server.database)[1]
    knowledge = list(learn(options, rows, sees_hands=rules == "house"))
    kinds = sum((check(client, knowledge) for client in clients), Counter())
    assert kinds["player_played"] > 80
    assert kinds["play"] > 40
    assert kinds["chances"] > 0


def learn(options: str, rows: list[journal.Row], *, sees_hands: bool) -> Iterator[Knowledge]:
    """What each seat learns from each action of a match."""
    game = Tichu()
    cards: list[set[Card]] = [set() for _ in range(4)]
    for row, engine, _ in journal.replay(options, rows):
        round_ = engine.state.round
        hands = [cards_of(round_.hand(seat)) for seat in range(4)]
        if row.action["action"] == "deal":
            cards = [set() for _ in range(4)]
        for seat in range(4):
            cards[seat] |= hands[seat] | cards_of(round_.played)
            if sees_hands and seat in round_.finished:
                cards[seat] |= set().union(*hands)
        yield Knowledge(
            row.table_number,
            [set(seen) for seen in cards],
            [journal.as_json(game.private(engine.state, seat)) for seat in range(4)],
            {seat: request.id for seat, request in engine.requests.items()},
        )


def check(client: Client, knowledge: list[Knowledge]) -> Counter[str]:
    """Goes through the frames of a client beside the actions of the match.

    :result: how many frames of which kind there were.
    """
    seat = client.seat
    own_requests = {now.requests[seat] for now in knowledge if seat in now.requests}
    own_private = [now.private[seat] for now in knowledge]
    following = iter(knowledge)
    now = Knowledge(0, [set() for _ in range(4)], [], {})  # before the first deal
    kinds: Counter[str] = Counter()
    for frame in client.frames:
        payload = frame.get("payload", {})
        if payload.get("event") in IN_THE_MATCH:
            while now.number < payload["number"]:
                now = next(following)
        kinds[payload.get("event") or payload.get("action") or frame["type"]] += 1
        assert not SECRETS & set(keys(payload)), frame
        assert set(cards_in(payload)) <= now.cards[seat], frame
        if frame["type"] == "request":
            assert payload["request_id"] in own_requests, frame
        if payload.get("event") in ("chances", "hands_shown"):
            assert payload["context"] in [private.get(payload["event"]) for private in own_private], frame
    return kinds


def cards_of(cards: int) -> set[Card]:
    return {(value, suit) for value, suit in deck.to_wire(deck.hand_order(cards))}


def keys(value: Any) -> Iterator[str]:
    """Every key in a message."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def cards_in(value: Any) -> Iterator[Card]:
    """Everything in a message that is a card."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in NO_CARDS:
                yield from cards_in(inner)
    elif isinstance(value, list):
        if len(value) == 2 and all(type(part) is int for part in value):
            yield value[0], value[1]
        else:
            for inner in value:
                yield from cards_in(inner)
