"""What every Tichu agent decides.

The arena asks for the decisions themselves (:mod:`games.tichu.simulate`). The live table asks :meth:`TichuAgent.decide`
and :meth:`TichuAgent.interrupt`, which turn them into the actions of the wire (docs/protocol.md 3).
"""

from abc import abstractmethod
from typing import Any

from games.players import Agent
from games.tichu.cards import PHOENIX, hand_order, to_wire
from games.tichu.combinations import Combination
from games.tichu.states import Play, PrivateState, PublicState, Triple


class TichuAgent(Agent):
    """Every decision gets what all seats know and what its own seat knows, and must be legal."""

    @abstractmethod
    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        """Whether to call.

        :param grand: a grand Tichu with the first eight cards. Otherwise a small one: the question comes each time that
            the seat is to move, until its first play.
        """

    @abstractmethod
    def schupf(self, public: PublicState, private: PrivateState) -> Triple:
        """The cards for the right neighbour, the partner, the left neighbour."""

    @abstractmethod
    def play(self, public: PublicState, private: PrivateState) -> Play:
        """One of ``private.legal_plays``."""

    @abstractmethod
    def bomb(self, public: PublicState, private: PrivateState) -> Play | None:
        """One of ``private.bombs`` while another seat is to move, or None."""

    @abstractmethod
    def wish(self, public: PublicState, private: PrivateState) -> int:
        """A rank 2..14; 0 for none, unless ``public.wish_required``."""

    @abstractmethod
    def choose_dragon_recipient(self, public: PublicState, private: PrivateState) -> int:
        """The opponent who gets the trick of the dragon."""

    def decide(self, state: Any, seat: int, request: str) -> dict[str, Any]:
        public, private = _windows(state, seat)
        match request:
            case "announce_grand_tichu":
                return {"action": request, "announced": self.announce(public, private, grand=True)}
            case "schupf":
                return {"action": request, "given_schupf_cards": to_wire(self.schupf(public, private))}
            case "play":
                cards, meta = self.play(public, private)
                rank = {"rank": Combination.of_meta(meta).rank} if cards & PHOENIX else {}
                return {"action": request, "cards": to_wire(hand_order(cards)), **rank}
            case "wish":
                return {"action": request, "wish_value": self.wish(public, private)}
            case "give_dragon_away":
                return {"action": request, "dragon_recipient": self.choose_dragon_recipient(public, private)}
        raise ValueError(f"no decision of Tichu: {request!r}")

    def interrupt(self, state: Any, seat: int, choices: tuple[str, ...]) -> dict[str, Any] | None:
        public, private = _windows(state, seat)
        to_play = public.current_turn_index == seat != public.trick_owner_index
        if "announce" in choices and to_play and self.announce(public, private):
            return {"action": "announce"}
        if "bomb" in choices and not to_play and (bomb := self.bomb(public, private)):
            return {"action": "bomb", "cards": to_wire(hand_order(bomb[0]))}
        return None


def _windows(state: Any, seat: int) -> tuple[PublicState, PrivateState]:
    """What a seat sees of a :class:`games.tichu.game.MatchState`."""
    public = PublicState(state.round, state.game_score, state.options.target_score)
    return public, PrivateState(state.round, seat)
