"""Messages that no honest client sends, with what the server has to say to each.

The scene: a person has the lead against three agents (house rules), the first round is in its play phase.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Card = list[int]


@dataclass(frozen=True)
class Scene:
    """What a hostile client knows.

    :ivar hand: its cards, highest first.
    :ivar request_id: of its open `play` request.
    :ivar old_request_id: of its exchange, long answered.
    """

    hand: list[Card]
    request_id: str
    old_request_id: str

    @property
    def foreign(self) -> Card:
        """A card of somebody else."""
        return next([value, suit] for value in range(2, 15) for suit in range(1, 5) if [value, suit] not in self.hand)

    @property
    def no_combination(self) -> list[Card]:
        """Two cards that are no pair."""
        ranks = [card for card in self.hand if 2 <= card[0] <= 14]
        return next([one, other] for one in ranks for other in ranks if one[0] > other[0])


Frame = str | bytes
Build = Callable[[Scene], Frame]
CLOSED = -1  # instead of an error code: the socket is closed, and the session goes on with the next one


def message(type_: Any, payload: Any = None, **keys: Any) -> Build:
    """A message that is the same in every scene."""
    content = {"type": type_, **({} if payload is None else {"payload": payload}), **keys}
    return lambda scene: json.dumps(content)


def play(cards: Any, **data: Any) -> Build:
    return message("response", {"action": "play", "response_data": {"cards": cards, **data}})


def playing(cards: Callable[[Scene], Any], **data: Any) -> Build:
    return lambda scene: play(cards(scene), **data)(scene)


def answer(action: Any, data: Any = None, **payload: Any) -> Build:
    return message("response", {"action": action, "response_data": data or {}, **payload})


def raw(frame: Frame) -> Build:
    return lambda scene: frame


HOSTILE: dict[str, tuple[Build, int]] = {
    # no message at all
    "nothing": (raw(""), 101),
    "no JSON": (raw("hello"), 101),
    "cut JSON": (raw('{"type": "ping"'), 101),
    "two messages": (raw('{"type": "ping"}{"type": "ping"}'), 101),
    "null": (raw("null"), 101),
    "a number": (raw("5"), 101),
    "a string": (raw('"ping"'), 101),
    "a list": (raw('[{"type": "ping"}]'), 101),
    "an empty object": (raw("{}"), 101),
    "deep lists": (raw("[" * 4000), 101),
    "deep closed lists": (raw("[" * 3000 + "]" * 3000), 101),
    "deep objects": (raw('{"type": "chat", "payload": {"text": ' + '{"a":' * 500 + "1" + "}" * 502), 101),
    "a binary frame": (raw(b'{"type": "ping"}'), 101),
    "binary noise": (raw(bytes(range(256))), 101),
    "9 KB": (message("chat", {"text": "x" * 9000}), 101),
    "NaN": (raw('{"type": "response", "payload": {"action": "play", "response_data": {"cards": NaN}}}'), 101),
    "infinity": (raw('{"type": "sync", "payload": {"since": Infinity}}'), 101),
    "a lone surrogate": (raw('{"type": "\\ud800"}'), 101),
    # the envelope
    "no type": (raw('{"payload": {}}'), 101),
    "type null": (message(None), 101),
    "type a number": (message(7), 101),
    "unknown type": (message("cheat"), 101),
    "reserved type": (message("spectate"), 101),
    "type __proto__": (message("__proto__"), 101),
    "type __class__": (message("__class__", {}), 101),
    "payload a list": (message("announce", []), 101),
    "payload a string": (message("announce", "now"), 101),
    "id a number": (message("ping", {}, id=5), 101),
    "id too long": (message("ping", {}, id="x" * 65), 101),
    "id empty": (message("ping", {}, id=""), 101),
    # cards
    "no cards": (answer("play"), 101),
    "cards null": (play(None), 101),
    "cards true": (play(True), 101),
    "cards a string": (play("S7"), 101),
    "cards an object": (play({"0": [2, 1]}), 101),
    "true as a card": (play([True]), 102),
    "true as a rank": (play([[True, 0]]), 102),
    "a float as a rank": (play([[2.0, 1]]), 102),
    "half a card": (play([[2]]), 102),
    "a card and a half": (play([[2, 1, 1]]), 102),
    "a label as a card": (play(["S2"]), 102),
    "rank 99": (play([[99, 1]]), 102),
    "suit 9": (play([[2, 9]]), 102),
    "a two without suit": (play([[2, 0]]), 102),
    "a dragon with suit": (play([[15, 1]]), 102),
    "a negative rank": (play([[-1, 1]]), 102),
    "a huge rank": (play([[10**30, 1]]), 102),
    "the same card twice": (playing(lambda scene: [scene.hand[0]] * 2), 302),
    "another's card": (playing(lambda scene: [scene.foreign]), 103),
    "the whole deck": (play([[value, suit] for value in range(2, 15) for suit in range(1, 5)]), 103),
    "no combination": (playing(lambda scene: scene.no_combination), 303),
    "a pass on the lead": (play([]), 303),
    "a reading that is none": (playing(lambda scene: scene.hand[-1:], rank=9), 303),
    "a reading that is a string": (playing(lambda scene: scene.hand[-1:], rank="high"), 101),
    "a bomb that is none": (lambda scene: message("bomb", {"cards": scene.hand[:1]})(scene), 303),
    "a bomb of another": (lambda scene: message("bomb", {"cards": [scene.foreign]})(scene), 103),
    "a bomb without cards": (message("bomb", {}), 101),
    "a bomb of nothing": (message("bomb", {"cards": []}), 303),
    # answers
    "an answer to nothing": (message("response", {}), 101),
    "an answer to a number": (answer(7), 101),
    "an answer to an unknown request": (answer("resign"), 301),
    "an answer that is a list": (message("response", {"action": "play", "response_data": []}), 101),
    "a wish without request": (answer("wish", {"wish_value": 5}), 301),
    "a dragon without request": (answer("give_dragon_away", {"dragon_recipient": 1}), 301),
    "a grand Tichu too late": (answer("announce_grand_tichu", {"announced": True}), 301),
    "an exchange too late": (
        lambda scene: answer("schupf", {"given_schupf_cards": scene.hand[:3]}, request_id=scene.old_request_id)(scene),
        310,
    ),
    "a play for an old request": (
        lambda scene: answer("play", {"cards": scene.hand[:1]}, request_id=scene.old_request_id)(scene),
        310,
    ),
    "a request id that is a number": (answer("play", {"cards": []}, request_id=1), 101),
    # the table
    "swap with oneself": (message("swap_players", {"player_index_1": 1, "player_index_2": 1}), 101),
    "swap with nobody": (message("swap_players", {"player_index_1": 1, "player_index_2": 4}), 101),
    "swap with -1": (message("swap_players", {"player_index_1": -1, "player_index_2": 2}), 101),
    "swap with true": (message("swap_players", {"player_index_1": True, "player_index_2": 2}), 101),
    "swap with a string": (message("swap_players", {"player_index_1": "1", "player_index_2": 2}), 101),
    "swap half": (message("swap_players", {"player_index_1": 1}), 101),
    "swap in the match": (message("swap_players", {"player_index_1": 1, "player_index_2": 2}), 400),
    "start in the match": (message("start_game"), 400),
    "options in the match": (message("options", {"target_score": 500}), 400),
    "kick an agent": (message("kick", {"player_index": 1}), 300),
    "kick oneself": (message("kick", {"player_index": 0}), 300),
    "kick nobody": (message("kick", {"player_index": 7}), 101),
    "chat a number": (message("chat", {"text": 5}), 101),
    "chat blanks": (message("chat", {"text": " \n\t "}), 101),
    "chat too long": (message("chat", {"text": "x" * 501}), 101),
    "sync to the past": (message("sync", {"since": -1}), 101),
    "sync to a string": (message("sync", {"since": "now"}), 101),
    # the socket
    "10 MB": (lambda scene: json.dumps({"type": "chat", "payload": {"text": "x" * 10_000_000}}), CLOSED),
    "bad UTF-8": (lambda scene: b'{"type": "ping\xff"}', CLOSED),  # in a text frame
}
