"""Tichu on the wire (docs/protocol.md 2 to 4): what may be said, and how cards and plays look as JSON.

client -> ACTIONS -> action        what a seat does: the journal keeps it in this shape
state  -> EVENTS, REQUESTS, PublicState, PrivateState -> client
"""

from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct

from games.messages import Bomb, Context, Empty, Json, Nothing, Shape, TableState, Vocabulary
from games.tichu import cards as deck
from games.tichu._core import BOMB, Round, legal_plays
from games.tichu.states import PublicState as PublicWindow

CardSet: TypeAlias = int
Play: TypeAlias = tuple[CardSet, int]  # cards and meta, as the kernel has them; (0, 0) is the pass

# --- shapes: what a seat does -----------------------------------------------------------------------------------------


class AnnounceGrandTichu(Struct):
    announced: bool


class Schupf(Struct):
    given_schupf_cards: Annotated[list[Json], Meta(min_length=3, max_length=3)]


class PlayCards(Struct, omit_defaults=True):
    """``rank`` of the combination names the reading of the phoenix."""

    cards: list[Json]
    rank: int | None = None


class Wish(Struct):
    wish_value: int


class GiveDragonAway(Struct):
    dragon_recipient: int


ACTIONS: dict[str, type[Struct]] = {
    "announce_grand_tichu": AnnounceGrandTichu,
    "schupf": Schupf,
    "announce": Empty,
    "play": PlayCards,
    "bomb": Bomb,
    "wish": Wish,
    "give_dragon_away": GiveDragonAway,
}

# --- shapes: what everybody is told -----------------------------------------------------------------------------------

Seat: TypeAlias = Annotated[int, Meta(ge=0, le=3)]
SeatOrNone: TypeAlias = Annotated[int, Meta(ge=-1, le=3)]
Rank: TypeAlias = Annotated[int, Meta(ge=2, le=14)]
Card: TypeAlias = tuple[Annotated[int, Meta(ge=0, le=16)], Annotated[int, Meta(ge=0, le=4)]]
Cards: TypeAlias = list[Card]
Triple: TypeAlias = tuple[Card, Card, Card]
Combination: TypeAlias = tuple[
    Annotated[int, Meta(ge=0, le=7)], Annotated[int, Meta(ge=0, le=14)], Annotated[int, Meta(ge=0, le=15)]
]
Turn: TypeAlias = tuple[Seat, Cards, Combination]
GameScore: TypeAlias = tuple[list[int], list[int]]
PerSeat: TypeAlias = tuple[int, int, int, int]


class PublicState(TableState):
    current_turn_index: SeatOrNone
    start_player_index: SeatOrNone
    count_hand_cards: PerSeat
    played_cards: Cards
    announcements: PerSeat
    wish_value: Annotated[int, Meta(ge=-1, le=14)]
    dragon_recipient: SeatOrNone
    trick_owner_index: SeatOrNone
    trick_cards: Cards
    trick_combination: Combination
    trick_points: int
    tricks: list[list[Turn]]
    points: PerSeat
    winner_index: SeatOrNone
    loser_index: SeatOrNone
    is_round_over: bool
    is_double_victory: bool
    game_score: GameScore
    trick_counter: int


class PrivateState(Shape):
    player_index: Seat
    hand_cards: Cards
    given_schupf_cards: Triple | None
    received_schupf_cards: Triple | None


class Dealt(Shape):
    player_index: Seat
    count: int


class HandCards(Shape):
    hand_cards: Cards


class Announced(Shape):
    player_index: Seat
    grand: bool


class SeatOnly(Shape):
    player_index: Seat


class Given(Shape):
    given_schupf_cards: Triple


class StartPlaying(Shape):
    start_player_index: Seat


class OwnStartPlaying(Shape):
    start_player_index: Seat
    received_schupf_cards: Triple


class TurnChanged(Shape):
    current_turn_index: Seat


class Played(Shape):
    turn: Turn
    trick_points: int
    winner_index: SeatOrNone


class WishMade(Shape):
    wish_value: Rank


class TrickTaken(Shape):
    player_index: Seat
    points: int
    dragon_recipient: SeatOrNone


class RoundOver(Shape):
    points: PerSeat
    loser_index: SeatOrNone
    is_double_victory: bool


class GameOver(Shape):
    game_score: GameScore


class BombChance(Shape):
    cards: Cards
    combination: Combination
    playable: bool


class Chances(Shape):
    can_announce: bool
    bombs: list[BombChance]


class HandsShown(Shape):
    hand_cards: tuple[Cards, Cards, Cards, Cards]


EVENTS: dict[str, tuple[type[Struct], ...]] = {
    "game_started": (Nothing,),
    "round_started": (Nothing,),
    "hand_cards_dealt": (Dealt, HandCards),
    "player_announced": (Announced,),
    "player_schupfed": (SeatOnly, Given),
    "start_playing": (StartPlaying, OwnStartPlaying),
    "player_turn_changed": (TurnChanged,),
    "player_played": (Played,),
    "player_passed": (SeatOnly,),
    "wish_made": (WishMade,),
    "wish_fulfilled": (Nothing,),
    "trick_taken": (TrickTaken,),
    "round_over": (RoundOver,),
    "game_over": (GameOver,),
    "chances": (Chances,),
    "hands_shown": (HandsShown,),
}


class LegalPlay(Shape, omit_defaults=True):
    values: list[Annotated[int, Meta(ge=0, le=16)]]
    combination: Combination
    cards: Cards | None = None


class PlayRequest(Shape):
    hand_cards: Cards
    trick_combination: Combination
    wish_value: Annotated[int, Meta(ge=-1, le=14)]
    legal: list[LegalPlay]
    may_pass: bool
    proposal: Cards


REQUESTS: dict[str, type[Struct]] = {
    "announce_grand_tichu": Nothing,
    "schupf": HandCards,
    "play": PlayRequest,
    "wish": Nothing,
    "give_dragon_away": Nothing,
}

VOCABULARY = Vocabulary(EVENTS, REQUESTS, PublicState, PrivateState)

# --- values -----------------------------------------------------------------------------------------------------------


def hand(cards: CardSet) -> Json:
    """Cards in the order of a hand."""
    return deck.to_wire(deck.hand_order(cards))


def triple(cards: tuple[CardSet, CardSet, CardSet] | None) -> Json:
    """Exchange cards: right, partner, left; null before."""
    return deck.to_wire(cards) if cards else None


def combination(meta: int) -> list[int]:
    """``[type, length, rank]``; ``[0, 0, 0]`` for the pass and the empty trick."""
    return [meta >> 16 & 0xFF, meta >> 8 & 0xFF, (meta & 0xFF) >> 1]


def played(cards: CardSet, meta: int) -> Json:
    """Cards that lie on the table, in the order of the ranks they stand for."""
    return deck.to_wire(deck.played_order(cards, meta >> 24))


def turn(seat: int, cards: CardSet, meta: int) -> Json:
    return [seat, played(cards, meta), combination(meta)]


def is_bomb(meta: int) -> bool:
    return meta >> 16 & 0xFF == BOMB


def top(round: Round) -> int:
    """The meta of what lies on the table; the dog lies there although the trick counts as empty (protocol 2)."""
    return DOG_META if round.dog_player >= 0 else round.trick_meta


DOG_META = legal_plays(deck.DOG, 0, 0, 0)[0][1]


# --- requests ---------------------------------------------------------------------------------------------------------


def play_request(round: Round) -> Context:
    """What the seat to move needs to choose, so that its page needs no rules."""
    cards = round.hand(round.turn)
    plays = round.legal_plays()
    return {
        "hand_cards": hand(cards),
        "trick_combination": combination(top(round)),
        "wish_value": round.wish,
        "legal": [_legal_play(*play) for play in plays if play[0]],
        "may_pass": (0, 0) in plays,
        "proposal": hand(proposal(cards, plays)),
    }


def _legal_play(cards: CardSet, meta: int) -> Context:
    entry: dict[str, Any] = {"values": list(deck.ranks(cards)), "combination": combination(meta)}
    if is_bomb(meta):
        entry["cards"] = hand(cards)
    return entry


def proposal(held: CardSet, plays: list[Play]) -> CardSet:
    """The cards a page selects first: as many as possible, of the lowest rank, no bomb broken; a bomb if need be.

    Alone the phoenix is the last single to think of, although it is only half a rank above what it beats.

    :param held: the cards in hand.
    :param plays: what may be played now.
    :result: 0 where nothing fits.
    """
    bombed = 0
    for cards, _ in bombs_in(held):
        bombed |= cards

    def order(play: Play) -> tuple[bool, bool, int, int]:
        cards, meta = play
        bomb = is_bomb(meta)
        rank = 2 * deck.ranks(cards)[0] if cards == deck.PHOENIX else meta & 0xFF
        return not bomb and bool(cards & bombed), bomb, -cards.bit_count(), rank

    return min((play for play in plays if play[0]), key=order, default=(0, 0))[0]


# --- chances ----------------------------------------------------------------------------------------------------------


def bombs_in(held: CardSet) -> list[Play]:
    """All bombs of a hand, whether they may be thrown now or not."""
    return [(cards, meta) for cards, meta in legal_plays(held, ABOVE_ALL_SINGLES, 0, 0) if is_bomb(meta)]


ABOVE_ALL_SINGLES = legal_plays(deck.DRAGON, 0, 0, 0)[0][1]


def chances(round: Round | None, seat: int) -> Context:
    """What a seat may do unasked; nobody else is told."""
    if round is None:
        return {"can_announce": False, "bombs": []}
    playable = {cards for cards, _ in round.bombs(seat)}
    return {
        "can_announce": round.can_call(seat),
        "bombs": [
            {"cards": hand(cards), "combination": combination(meta), "playable": cards in playable}
            for cards, meta in bombs_in(round.hand(seat))
        ],
    }


def hands_shown(round: Round) -> Context:
    """All hands, to a seat that is out (rules 3.7)."""
    return {"hand_cards": [hand(round.hand(seat)) for seat in range(4)]}


# --- states -----------------------------------------------------------------------------------------------------------

NO_ROUND: Context = {
    "current_turn_index": -1,
    "start_player_index": -1,
    "count_hand_cards": [0, 0, 0, 0],
    "played_cards": [],
    "announcements": [0, 0, 0, 0],
    "wish_value": -1,
    "dragon_recipient": -1,
    "trick_owner_index": -1,
    "trick_cards": [],
    "trick_combination": [0, 0, 0],
    "trick_points": 0,
    "points": [0, 0, 0, 0],
    "winner_index": -1,
    "loser_index": -1,
    "is_round_over": False,
    "is_double_victory": False,
}


def public_round(round: Round | None) -> Context:
    """The part of the public state that is new in each round."""
    if round is None:
        return NO_ROUND
    public = PublicWindow(round)
    dog_lies = round.dog_player >= 0
    meta = top(round)
    return {
        "current_turn_index": public.current_turn_index,
        "start_player_index": public.start_player_index,
        "count_hand_cards": public.count_hand_cards,
        "played_cards": hand(public.played_cards),
        "announcements": public.announcements,
        "wish_value": public.wish_value,
        "dragon_recipient": public.dragon_recipient,
        "trick_owner_index": round.dog_player if dog_lies else public.trick_owner_index,
        "trick_cards": played(deck.DOG if dog_lies else public.trick_cards, meta),
        "trick_combination": combination(meta),
        "trick_points": public.trick_points,
        "points": round.final_points() if public.is_round_over else public.points,
        "winner_index": public.winner_index,
        "loser_index": public.loser_index,
        "is_round_over": public.is_round_over,
        "is_double_victory": public.is_double_victory,
    }


def private_state(round: Round | None, seat: int) -> Context:
    return {
        "player_index": seat,
        "hand_cards": hand(round.hand(seat)) if round else [],
        "given_schupf_cards": triple(round.given(seat)) if round else None,
        "received_schupf_cards": triple(round.received(seat)) if round else None,
    }
