"""What an agent sees: windows on the round that is being played.

    Round <--- PublicState     what the whole table knows
      ^------- PrivateState    what one seat knows besides

Names are those of the wire (docs/protocol.md 2), values those of the kernel: a card set instead of a list of cards, a
play as ``(cards, meta)``, a combination as its meta. Nothing is copied, and nothing is built before it is looked at; a
window made at the deal shows every later position of the same round. No name leads to a card that is hidden from it.
"""

from collections.abc import Sequence
from typing import TypeAlias

from games.tichu._core import DONE, WISH_REQUIRED, Round
from games.tichu.cards import DECK, CardSet, points

Meta: TypeAlias = int
Play: TypeAlias = tuple[CardSet, Meta]
Triple: TypeAlias = tuple[CardSet, CardSet, CardSet]  # for or from the right neighbour, the partner, the left neighbour
Four: TypeAlias = tuple[int, int, int, int]  # one value per seat


class PublicState:
    """What all seats know.

    :ivar game_score: points of the rounds before, ``(team 20 per round, team 31 per round)``.
    :ivar target_score: the points that end the match.
    """

    __slots__ = ("_round", "game_score", "target_score")

    def __init__(
        self, round: Round, game_score: tuple[Sequence[int], Sequence[int]] = ((), ()), target_score: int = 1000
    ) -> None:
        self._round = round
        self.game_score = game_score
        self.target_score = target_score

    @property
    def current_turn_index(self) -> int:
        """The seat to move; -1 before the exchange is over."""
        return self._round.turn

    @property
    def start_player_index(self) -> int:
        """The seat that leads the first trick; -1 before the exchange is over."""
        return self._round.starter

    @property
    def count_hand_cards(self) -> Four:
        count = self._round.count
        return count(0), count(1), count(2), count(3)

    @property
    def played_cards(self) -> CardSet:
        return self._round.played

    @property
    def announcements(self) -> Four:
        """Per seat: 0 none, 1 Tichu, 2 grand Tichu."""
        call = self._round.call
        return call(0), call(1), call(2), call(3)

    @property
    def wish_value(self) -> int:
        """The open wish 2..14; -1 before the Mah Jong was played, 0 none or fulfilled."""
        return self._round.wish

    @property
    def wish_required(self) -> bool:
        """Whether the player of the Mah Jong must wish (rules 9)."""
        return self._round.rules & WISH_REQUIRED != 0

    @property
    def dragon_recipient(self) -> int:
        """The seat that got the dragon; -1."""
        return self._round.recipient

    @property
    def trick_owner_index(self) -> int:
        """The seat that played the top of the trick; -1 in an empty trick."""
        return self._round.owner

    @property
    def trick_cards(self) -> CardSet:
        """The top of the trick."""
        return self._round.top_cards

    @property
    def trick_combination(self) -> Meta:
        """The combination to beat; 0 in an empty trick."""
        return self._round.trick_meta

    @property
    def trick_points(self) -> int:
        return points(self._round.trick_cards)

    @property
    def points(self) -> Four:
        """What the tricks of each seat count so far."""
        of = self._round.points
        return of(0), of(1), of(2), of(3)

    @property
    def finished(self) -> tuple[int, ...]:
        """The seats that are out, in the order they went out."""
        return self._round.finished

    @property
    def winner_index(self) -> int:
        """The seat that went out first; -1."""
        finished = self._round.finished
        return finished[0] if finished else -1

    @property
    def loser_index(self) -> int:
        """The seat that is left with cards when three are out; -1."""
        finished = self._round.finished
        return 6 - sum(finished) if len(finished) == 3 else -1

    @property
    def is_round_over(self) -> bool:
        return self._round.phase == DONE

    @property
    def is_double_victory(self) -> bool:
        return self._round.double_victory


class PrivateState:
    """What one seat knows besides.

    :ivar player_index: the seat.
    """

    __slots__ = ("_round", "player_index")

    def __init__(self, round: Round, seat: int) -> None:
        self._round = round
        self.player_index = seat

    @property
    def hand_cards(self) -> CardSet:
        return self._round.hand(self.player_index)

    @property
    def given_schupf_cards(self) -> Triple | None:
        return self._round.given(self.player_index)

    @property
    def received_schupf_cards(self) -> Triple | None:
        return self._round.received(self.player_index)

    @property
    def hidden_cards(self) -> CardSet:
        """The cards that the seat cannot see: those in the other hands, and before the second deal those not dealt."""
        return DECK & ~(self._round.played | self._round.hand(self.player_index))

    @property
    def legal_plays(self) -> list[Play]:
        """What the seat may play now, the pass ``(0, 0)`` included where it may pass; [] if it is not to move."""
        return self._round.legal_plays() if self._round.turn == self.player_index else []

    @property
    def bombs(self) -> list[Play]:
        """The bombs that the seat may throw now, in turn or out of turn."""
        return self._round.bombs(self.player_index)

    @property
    def can_announce(self) -> bool:
        """Whether the seat may call a small Tichu now."""
        return self._round.can_call(self.player_index)
