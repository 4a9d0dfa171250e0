"""Moments of a match, as a server would tell them: each scene is what one client receives after it has connected.

They show what a real round shows rarely, and the same thing each time: for pictures, sizes and accessibility.
Lena (seat 0) looks at the table; Jonas sits right of her, Mira opposite, an agent left.
"""

import json
from typing import Any

from playwright.sync_api import Page, WebSocketRoute

Message = dict[str, Any]
Json = Any

SUITS = {"S": 1, "B": 2, "G": 3, "R": 4}
SPECIALS = {"Hu": [0, 0], "Ma": [1, 0], "Dr": [15, 0], "Ph": [16, 0]}
RANKS = "  23456789ZBDKA"

HAND = "Ph Dr RA SK GK BD BB RZ GZ S9 B8 G7 R7 Ma"
PAIR, FULLHOUSE, STREET, BOMB = 2, 5, 6, 7


def cards(labels: str) -> list[list[int]]:
    """``"S7 Dr"`` as on the wire."""
    return [SPECIALS.get(label) or [RANKS.index(label[1]), SUITS[label[0]]] for label in labels.split()]


def notification(event: str, **context: Json) -> Message:
    return {"type": "notification", "payload": {"event": event, "context": context}}


def play_request(legal: list[Json], *, may_pass: bool, proposal: str, top: list[int], wish: int = 0) -> Message:
    """The payload of a request to play."""
    return {
        "action": "play",
        "request_id": "1-0",
        "remaining_ms": None,
        "context": {
            "hand_cards": [],
            "trick_combination": top,
            "wish_value": wish,
            "legal": legal,
            "may_pass": may_pass,
            "proposal": cards(proposal),
        },
    }


def joined(request: Message | None = None, hand: str = "", **state: Json) -> Message:
    """The own ``player_joined``: a running match unless ``state`` says otherwise."""
    private = {name: state.pop(name, None) for name in ("given_schupf_cards", "received_schupf_cards")}
    chances = state.pop("chances", {"can_announce": False, "bombs": []})
    connected = state.pop("connected", [True] * 4)
    options = {"rules": "house", "target_score": 1000, "turn_limit_s": 0, "strengths": ["RuleAgent"] * 4}
    public = {
        "table_name": "Kranich",
        "player_names": ["Lena", "Jonas", "Mira", "RuleAgent_4"],
        "host_index": 0,
        "is_running": True,
        "current_turn_index": -1,
        "start_player_index": 0,
        "count_hand_cards": [len(hand.split()), 14, 14, 14],
        "played_cards": [],
        "announcements": [0, 0, 0, 0],
        "wish_value": -1,
        "dragon_recipient": -1,
        "trick_owner_index": -1,
        "trick_cards": [],
        "trick_combination": [0, 0, 0],
        "trick_points": 0,
        "tricks": [],
        "points": [0, 0, 0, 0],
        "winner_index": -1,
        "loser_index": -1,
        "is_round_over": False,
        "is_double_victory": False,
        "game_score": [[155, 35, 130], [45, 65, 70]],
        "trick_counter": 9,
        **state,
    }
    return notification(
        "player_joined",
        session_id="5a1f8bd0-0000-4000-8000-000000000000",
        public_state=public,
        private_state={"player_index": 0, "hand_cards": cards(hand), **private},
        pending_action=request["action"] if request else "",
        pending_request=request,
        number=10,
        options=options,
        agents=["MixedAgent", "RuleAgent", "PolicyAgent", "RandomAgent"],
        connected=connected,
        chances=chances,
    )


def request(action: str, **context: Json) -> Message:
    """The payload of a request."""
    return {"action": action, "request_id": "1-0", "remaining_ms": None, "context": context}


def trick(*plays: tuple[int, str, list[int]]) -> dict[str, Json]:
    """The state of an open trick, after another one that was taken."""
    last = [
        [1, cards("S5 R5"), [2, 2, 5]],
        [2, cards("B9 G9"), [2, 2, 9]],
        [3, [], [0, 0, 0]],
        [0, cards("RD SD"), [2, 2, 12]],
    ]
    turns = [[seat, cards(labels), combination] for seat, labels, combination in plays]
    owner, top, combination = next(turn for turn in reversed(turns) if turn[1])
    return {
        "tricks": [last, turns],
        "trick_owner_index": owner,
        "trick_cards": top,
        "trick_combination": combination,
        "trick_points": 20,
        "count_hand_cards": [14, 9, 11, 12],
    }


PAIR_OF_TENS = [PAIR, 2, 10]
TENS = trick((1, "S5 R5", [PAIR, 2, 5]), (2, "", [0, 0, 0]), (3, "", [0, 0, 0]), (1, "BZ SZ", PAIR_OF_TENS))
KINGS = {"values": [13, 13], "combination": [PAIR, 2, 13]}
PHOENIX_KING = {"values": [16, 13], "combination": [PAIR, 2, 13]}
ANSWER_TENS = play_request([KINGS, PHOENIX_KING], may_pass=True, proposal="SK GK", top=PAIR_OF_TENS)
NOTHING_FITS = play_request([], may_pass=True, proposal="", top=[PAIR, 2, 14])
LEAD = play_request([KINGS, {"values": [1], "combination": [1, 1, 1]}], may_pass=False, proposal="Ma", top=[0, 0, 0])
MAY_CALL = {"can_announce": True, "bombs": []}
SIXES = "RA BK SD GB RZ S9 R7 S6 B6 G6 R6 S3 G2 Hu"
BOMBS = {
    "can_announce": True,
    "bombs": [{"cards": cards("S6 B6 G6 R6"), "combination": [BOMB, 4, 6], "playable": True}],
}
LEFT_HANDS = {"hand_cards": [[], cards("RA BK BZ S9 R4"), cards("GK G8 B2"), cards("Dr R3")]}
GONE_OUT = [
    [0, cards("S4 S5 S6 S7 S8"), [6, 5, 8]],
    [0, cards("B9 G9 R9 BZ GZ"), [5, 5, 9]],
    [0, cards("RD SD BK GK"), [4, 4, 13]],
]

SCENES: dict[str, list[Message]] = {
    "lobby": [
        joined(is_running=False, start_player_index=-1, game_score=[[], []]),
        notification("chat", scope="all", name="Mira", player_index=2, text="Hallo zusammen!"),
        notification("chat", scope="all", name="Jonas", player_index=1, text="Moin. Bis 1000?"),
    ],
    "guest": [joined(is_running=False, start_player_index=-1, host_index=1, game_score=[[], []])],
    "grand": [
        joined(
            request("announce_grand_tichu"), "Dr Ph RA SK GK BD BB RZ", start_player_index=-1, count_hand_cards=[8] * 4
        )
    ],
    "exchange": [
        joined(
            request("schupf", hand_cards=cards(HAND)),
            HAND,
            start_player_index=-1,
            announcements=[0, 0, 0, 2],
            chances=MAY_CALL,
        )
    ],
    "given": [
        joined(
            hand="Ph Dr SK GK BD BB RZ GZ G7 R7 Ma",
            start_player_index=-1,
            given_schupf_cards=cards("B8 RA S9"),
            count_hand_cards=[11, 11, 11, 14],
        )
    ],
    "receive": [
        joined(
            hand="Ph Dr SK GK BD BB RZ GZ G7 R7 Ma",
            start_player_index=-1,
            given_schupf_cards=cards("B8 RA S9"),
            announcements=[0, 1, 0, 0],
            chances=MAY_CALL,
        ),
        notification("start_playing", start_player_index=0, received_schupf_cards=cards("B3 SA R2")),
        {"type": "request", "payload": LEAD},
    ],
    "lead": [
        joined(LEAD, HAND, current_turn_index=0, received_schupf_cards=cards("Ma B8 RA"), chances=MAY_CALL),
    ],
    "turn": [joined(ANSWER_TENS, HAND, current_turn_index=0, announcements=[0, 0, 1, 0], chances=MAY_CALL, **TENS)],
    "turn-none": [
        joined(
            NOTHING_FITS,
            HAND,
            current_turn_index=0,
            **trick((3, "SA GA", [PAIR, 2, 14])),
        )
    ],
    "opponent": [
        joined(
            hand="Ph Dr RA SK GK BD BB RZ GZ S9 B8 G7",
            current_turn_index=1,
            **{
                **trick((2, "SB GZ B9 R8 S7 G6 B5", [STREET, 7, 11]), (3, "", [0, 0, 0])),
                "count_hand_cards": [12, 9, 7, 12],
            },
        )
    ],
    "called": [
        joined(
            hand=SIXES,
            current_turn_index=2,
            announcements=[1, 2, 1, 0],
            wish_value=9,
            chances=BOMBS,
            **TENS,
        )
    ],
    "out": [
        joined(
            hand="RA GK RZ G4 Hu",
            current_turn_index=3,
            announcements=[0, 0, 1, 0],
            winner_index=1,
            connected=[True, True, False, True],
            **{
                **trick((2, "S8 G8 R8 BZ SZ", [FULLHOUSE, 5, 8])),
                "tricks": [
                    [[1, *turn[1:]] for turn in GONE_OUT],
                    [[2, cards("S8 G8 R8 BZ SZ"), [FULLHOUSE, 5, 8]]],
                ],
                "count_hand_cards": [5, 0, 6, 2],
            },
        )
    ],
    "out-me": [
        joined(
            current_turn_index=1,
            announcements=[1, 0, 0, 0],
            winner_index=0,
            tricks=[GONE_OUT],
            count_hand_cards=[0, 5, 3, 2],
        ),
        notification("hands_shown", **LEFT_HANDS),
    ],
    "wish": [
        joined(
            request("wish"),
            HAND.removesuffix(" Ma"),
            current_turn_index=0,
            **{**trick((0, "Ma", [1, 1, 1])), "count_hand_cards": [13, 14, 14, 14], "trick_points": 0, "wish_value": 0},
        )
    ],
    "dragon": [
        joined(
            request("give_dragon_away"),
            "Ph RA SK GK BD BB RZ GZ",
            current_turn_index=0,
            announcements=[0, 1, 0, 0],
            **{**trick((0, "Dr", [1, 1, 15])), "trick_points": 45, "count_hand_cards": [8, 6, 9, 3]},
        )
    ],
    "bomb": [
        joined(
            play_request([], may_pass=True, proposal="", top=[BOMB, 4, 6]),
            "Dr Ph RA SK GK BD BB RZ GZ",
            current_turn_index=0,
            **{
                **trick((1, "GA SA", [PAIR, 2, 14]), (3, "S6 B6 G6 R6", [BOMB, 4, 6])),
                "trick_points": 40,
                "count_hand_cards": [9, 5, 7, 8],
            },
        )
    ],
    "round-over": [
        joined(
            current_turn_index=1,
            announcements=[0, 1, 1, 0],
            winner_index=2,
            tricks=[[[seat, *turn[1:]] for turn in GONE_OUT] for seat in (2, 0, 3)],
            count_hand_cards=[0, 4, 0, 0],
        ),
        notification("round_over", points=[40, -80, 125, 15], loser_index=1, is_double_victory=False),
    ],
    "result": [
        joined(
            game_score=[[155, 35, 130, 165, 60, 200, 300], [45, 65, 70, -65, 40, 0, 100]],
            count_hand_cards=[0, 3, 0, 0],
            winner_index=0,
        ),
        notification("game_over", game_score=[[155, 35, 130, 165, 60, 200, 300], [45, 65, 70, -65, 40, 0, 100]]),
    ],
}


class Stage:
    """A page at a table whose server is played here.

    :ivar page: the page.
    :ivar sent: what the page has sent.
    """

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.sent: list[Message] = []
        self._sockets: list[WebSocketRoute] = []
        page.route_web_socket("**/ws*", self._serve)
        page.goto(url)
        page.wait_for_selector(".login")

    def _serve(self, socket: WebSocketRoute) -> None:
        self._sockets.append(socket)
        socket.on_message(lambda text: self.sent.append(json.loads(text)))

    def sit_down(self) -> None:
        """Joins the table; the scenes follow."""
        self.page.fill("#name", "Lena")
        self.page.fill("#table", "Kranich")
        self.page.click(".join .btn")
        self.page.wait_for_selector(".loading")

    def say(self, *messages: Message) -> None:
        """Sends messages as the server."""
        for message in messages:
            self._sockets[-1].send(json.dumps(message))

    def show(self, scene: str) -> None:
        """Shows a moment, whatever was shown before."""
        first, *rest = SCENES[scene]
        session = {"session_id": f"session of {scene}"}
        first = {**first, "payload": {**first["payload"], "context": {**first["payload"]["context"], **session}}}
        self.say(first, *rest)
        self.page.wait_for_function("name => User.sessionId === 'session of ' + name", arg=scene)
        self.page.evaluate("new Promise(resolve => setTimeout(resolve, 30))")

    def hang_up(self, code: int) -> None:
        """Closes the socket as the server."""
        self._sockets[-1].close(code=code)
