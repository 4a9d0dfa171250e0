"""What a seat may do in a round, checked: the kernel does what it is told, these functions refuse what is forbidden.

Each takes the round, the seat and what it wants, and either does it or raises :class:`~games.game.IllegalAction` with
the code, the paragraph of the rules and the reason; then the round is as before. What is legal they ask the kernel.
The order of checks is that of docs/protocol.md 3: the cards are in the hand (103), are a play now (303).
"""

from games.game import IllegalAction, Seat
from games.messages import ErrorCode
from games.tichu import _core
from games.tichu._core import Round
from games.tichu.cards import CardSet, hand_order, ranks, to_wire
from games.tichu.combinations import Combination, CombinationType, readings, recognise


def grand(round: Round, seat: Seat, announced: bool) -> None:
    """Calls a grand Tichu or declines it (rules 3.1)."""
    _require(round.phase == _core.GRAND and not round.decided(seat), "announce_grand_tichu", "3.1")
    round.decide_grand(seat, announced)


def schupf(round: Round, seat: Seat, cards: tuple[CardSet, CardSet, CardSet]) -> None:
    """Chooses the cards for the right neighbour, the partner and the left neighbour (rules 3.3)."""
    _require(round.phase == _core.EXCHANGE and not round.decided(seat), "schupf", "3.3")
    right, partner, left = cards
    _require_in_hand(round, seat, right | partner | left)
    round.give(seat, right, partner, left)


def announce(round: Round, seat: Seat) -> None:
    """Calls a small Tichu (rules 7.2)."""
    if not round.can_call(seat):
        raise IllegalAction(ErrorCode.INVALID_ANNOUNCE, "7.2")
    round.announce(seat)


def play(round: Round, seat: Seat, cards: CardSet, rank: int | None = None) -> int:
    """Plays a combination in turn; no cards are a pass.

    :param rank: of the combination, where the phoenix leaves two readings; the higher one counts without it (4.8).
    :result: the meta of the play.
    """
    _require(round.phase == _core.PLAY, "play", "3.5")
    if round.turn != seat or round.owner == seat:
        raise IllegalAction(ErrorCode.NOT_YOUR_TURN, "3.5", action="play")
    _require_in_hand(round, seat, cards)
    legal = round.legal_plays()
    for meta in _readings(cards, round.trick_meta, rank):
        if any(meta == legal_meta and ranks(cards) == ranks(legal_cards) for legal_cards, legal_meta in legal):
            round.play(seat, cards, meta)
            return meta
    raise _not_playable(round, cards, rank)


def bomb(round: Round, seat: Seat, cards: CardSet) -> int:
    """Throws a bomb, in turn or out of turn (rules 5).

    :result: the meta of the play.
    """
    _require_in_hand(round, seat, cards)
    meta = recognise(cards)
    if meta is None or Combination.of_meta(meta).type != CombinationType.BOMB:
        raise _invalid(cards, "4.3", "not_a_combination")
    if round.phase == _core.PLAY and round.turn == seat != round.owner:
        return play(round, seat, cards)
    if reason := _no_bomb_now(round):
        raise IllegalAction(
            ErrorCode.INTERRUPT_DENIED, "4.11" if reason == "dog" else "5.1", reason=reason, action="bomb"
        )
    if (cards, meta) not in round.bombs(seat):
        raise _invalid(cards, "4.4", "does_not_beat")
    round.play(seat, cards, meta)
    return meta


def take(round: Round) -> None:
    """The owner takes the trick that has come back to him (rules 3.6)."""
    _require(round.phase == _core.PLAY and round.turn == round.owner, "take", "3.6")
    round.take()


def wish(round: Round, seat: Seat, value: int) -> None:
    """Wishes for a rank after the Mah Jong; 0 omits it where that is allowed (rules 6.1)."""
    _require(round.phase == _core.WISH and round.turn == seat, "wish", "6.1")
    if not (2 <= value <= 14 or (value == 0 and not round.rules & _core.WISH_REQUIRED)):
        raise IllegalAction(ErrorCode.INVALID_WISH, "6.1", wish_value=value)
    round.make_wish(value)


def give_dragon(round: Round, seat: Seat, recipient: Seat) -> None:
    """Gives the dragon's trick to an opponent (rules 8.1)."""
    _require(round.phase == _core.DRAGON and round.turn == seat, "give_dragon_away", "8.1")
    if recipient not in ((seat + 1) % 4, (seat + 3) % 4):
        raise IllegalAction(ErrorCode.INVALID_DRAGON_RECIPIENT, "8.1", dragon_recipient=recipient)
    round.give_dragon(recipient)


# --- refusals ---------------------------------------------------------------------------------------------------------


def _require(asked: bool, action: str, rule: str) -> None:
    """300: nobody asks this seat for that now."""
    if not asked:
        raise IllegalAction(ErrorCode.INVALID_ACTION, rule, reason="not_now", action=action)


def _require_in_hand(round: Round, seat: Seat, cards: CardSet) -> None:
    if cards & ~round.hand(seat):
        raise IllegalAction(ErrorCode.NOT_HAND_CARD, "1.1", cards=to_wire(hand_order(cards)))


def _no_bomb_now(round: Round) -> str | None:
    """Why nobody may throw a bomb out of turn now."""
    match round.phase:
        case _core.PLAY if round.dog_player >= 0:
            return "dog"
        case _core.PLAY:
            return None if round.trick_meta else "no_trick"
        case _core.WISH:
            return "wish_pending"
        case _core.DRAGON:
            return "taken"
    return "not_playing"


def _readings(cards: CardSet, top: int, rank: int | None) -> list[int]:
    """The metas of the cards on a top, of that rank if one is named; no cards are a pass, which has none."""
    if not cards:
        return [0]
    return [meta for meta in readings(cards, top) if rank in (None, Combination.of_meta(meta).rank)]


def _not_playable(round: Round, cards: CardSet, rank: int | None) -> IllegalAction:
    """Why these cards cannot be played now by the seat to move."""
    if cards and not _readings(cards, 0, rank) and not _readings(cards, round.trick_meta, rank):
        return _invalid(cards, "4.1", "not_a_combination")
    if cards and not _readings(cards, round.trick_meta, rank):
        return _invalid(cards, "3.5", "does_not_beat")
    if not cards and not round.trick_meta:
        return _invalid(cards, "3.5", "must_lead")
    return _invalid(cards, "6.2", "wish")


def _invalid(cards: CardSet, rule: str, reason: str) -> IllegalAction:
    return IllegalAction(ErrorCode.INVALID_COMBINATION, rule, reason=reason, cards=to_wire(hand_order(cards)))
