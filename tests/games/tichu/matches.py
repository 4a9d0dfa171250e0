"""Matches for tests: played at random by what the wire says, or started with chosen hands."""

from collections.abc import Iterator
from random import Random

from games.engine import GameEngine, Step
from games.game import Action, Event, Seat
from games.tichu import cards as deck
from games.tichu.game import Options, Tichu

TICHU = Tichu()


def wire(labels: str) -> list[list[int]]:
    """Cards as a client sends them."""
    return deck.to_wire(deck.from_labels(labels))


def names(events: list[Event]) -> list[str]:
    return [event.name for event in events]


def do(engine: GameEngine, seat: Seat | None, action: str, **data: object) -> Step:
    """Does something that is legal."""
    step = engine.prepare(seat, {"action": action, **data})
    engine.commit(step)
    return step


def play(engine: GameEngine, seat: Seat, labels: str = "", **data: object) -> Step:
    """Plays cards by their labels; none are a pass."""
    return do(engine, seat, "play", cards=wire(labels), **data)


def bomb(engine: GameEngine, seat: Seat, labels: str) -> Step:
    return do(engine, seat, "bomb", cards=wire(labels))


def dealt(*hands: str, **options: object) -> GameEngine:
    """A match after its first deal; hands may be small."""
    engine = GameEngine(TICHU, Options(**options))
    do(engine, None, "deal", hands=list(hands))
    return engine


def exchanging(*hands: str, **options: object) -> GameEngine:
    """A match in the exchange."""
    engine = dealt(*hands, **options)
    for seat in range(4):
        do(engine, seat, "announce_grand_tichu", announced=False)
    return engine


def playing(*hands: str, **options: object) -> GameEngine:
    """A match that has come to the first lead with these hands, at least three cards each.

    Everybody has got the first three cards of its hand in the exchange, and the Mah Jong is in one of the hands.
    """
    wanted = [hand.split() for hand in hands]
    # The seat so far to the right, in the order of the exchange, has these for us.
    given = [[wanted[(seat + away) % 4][3 - away] for away in (1, 2, 3)] for seat in range(4)]
    before = [" ".join([*given[seat], *wanted[seat][3:]]) for seat in range(4)]
    engine = exchanging(*before, **options)
    for seat in range(4):
        do(engine, seat, "schupf", given_schupf_cards=wire(" ".join(given[seat])))
    return engine


def random_action(engine: GameEngine, seat: Seat, rng: Random) -> Action:
    """A legal answer to the seat's open request, found in the request alone, as a client would."""
    request = engine.requests[seat].request
    context = request.context
    match request.action:
        case "announce_grand_tichu":
            return {"action": request.action, "announced": rng.random() < 0.1}
        case "schupf":
            return {"action": request.action, "given_schupf_cards": rng.sample(context["hand_cards"], 3)}
        case "play":
            entries = [*context["legal"], *([None] if context["may_pass"] else [])]
            entry = rng.choice(entries)
            if entry is None:
                return {"action": "play", "cards": []}
            cards = entry.get("cards") or select(context["hand_cards"], entry["values"], context["legal"])
            return {"action": "play", "cards": cards, "rank": entry["combination"][2]}
        case "wish":
            ranks = range(2, 15) if engine.options.rules == "house" else [0, *range(2, 15)]
            return {"action": "wish", "wish_value": rng.choice(ranks)}
    return {"action": "give_dragon_away", "dragon_recipient": (seat + rng.choice((1, 3))) % 4}


def select(hand: list[list[int]], values: list[int], legal: list[dict]) -> list[list[int]]:
    """Cards of these values that are not just a bomb of one suit."""
    bombs = [entry["cards"] for entry in legal if "cards" in entry]
    chosen, left = [], list(hand)
    for value in values:
        card = next(card for card in left if card[0] == value)
        left.remove(card)
        chosen.append(card)
    for at, card in enumerate(chosen):
        if chosen not in bombs:
            break
        other = next((other for other in left if other[0] == card[0]), None)
        if other:
            chosen = [*chosen[:at], other, *chosen[at + 1 :]]
    return chosen


def random_match(
    seed: int, calls: float = 0.05, bombs: float = 0.5, **options: object
) -> Iterator[tuple[GameEngine, Step]]:
    """A whole match: after each action its engine and the step."""
    rng = Random(seed)
    engine = GameEngine(TICHU, Options(**options))
    while engine.result is None:
        step = _unasked(engine, rng, calls, bombs)
        if step is None and engine.pause is not None:
            step = engine.proceed(rng)
        if step is None:
            seat = rng.choice(sorted(engine.requests))
            step = engine.prepare(seat, random_action(engine, seat, rng))
        engine.commit(step)
        yield engine, step


def _unasked(engine: GameEngine, rng: Random, calls: float, bombs: float) -> Step | None:
    for seat in range(4):
        chances = TICHU.private(engine.state, seat)["chances"]
        throws = [bomb["cards"] for bomb in chances["bombs"] if bomb["playable"]]
        if throws and rng.random() < bombs:
            return engine.act(seat, "bomb", {"cards": rng.choice(throws)})
        if chances["can_announce"] and rng.random() < calls:
            return engine.act(seat, "announce", {})
    return None


def public(engine: GameEngine) -> dict:
    """What everybody sees."""
    return TICHU.observe(engine.state, 0)["public_state"]


def asked(engine: GameEngine) -> dict[Seat, str]:
    """Who is asked for what."""
    return {seat: opened.request.action for seat, opened in engine.requests.items()}


# Positions: the whole deck in four hands, and a hand with a bomb.
FULL = [" ".join(deck.label(card) for card in list(deck.each(deck.DECK))[seat::4]) for seat in range(4)]
BOMBER = "G9 S9 B9 R9 G2"
