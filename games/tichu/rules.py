"""The options of the rules: chapter 9 of docs/rules.md."""

from typing import Literal

from msgspec import Struct

from games.tichu import _core


class RuleSet(Struct, frozen=True, kw_only=True):
    """One column of the table in rules 9; the defaults are the house rules.

    :ivar wish_required: whoever plays the Mah Jong must wish.
    :ivar bomb_instead_of_wish: a bomb may be played although the wish could be fulfilled (rules 6.3).
    :ivar tichu_during_exchange: whether a small Tichu may be called during the exchange; ``restart``: it may, and all
        seats choose their exchange cards anew.
    :ivar finished_seats_see_hands: who is out may look at the other hands (rules 3.7).
    :ivar target_score: a match ends when a team has so many points (rules 8.6).
    """

    wish_required: bool = True
    bomb_instead_of_wish: bool = True
    tichu_during_exchange: Literal["no", "yes", "restart"] = "no"
    finished_seats_see_hands: bool = True
    target_score: int = 1000

    @classmethod
    def house(cls, target_score: int = 1000) -> "RuleSet":
        """This project's rules."""
        return cls(target_score=target_score)

    @classmethod
    def pocket(cls, target_score: int = 1000) -> "RuleSet":
        """The published pocket rules."""
        return cls(
            wish_required=False,
            bomb_instead_of_wish=False,
            tichu_during_exchange="yes",
            finished_seats_see_hands=False,
            target_score=target_score,
        )

    @classmethod
    def brettspielwelt(cls, target_score: int = 1000) -> "RuleSet":
        """The rules of the Brettspielwelt server."""
        return cls(
            wish_required=False,
            tichu_during_exchange="yes",
            finished_seats_see_hands=False,
            target_score=target_score,
        )

    @property
    def flags(self) -> int:
        """What of it the kernel needs for a round."""
        flags = 0
        if self.wish_required:
            flags |= _core.WISH_REQUIRED
        if self.bomb_instead_of_wish:
            flags |= _core.BOMB_INSTEAD_OF_WISH
        if self.tichu_during_exchange != "no":
            flags |= _core.CALL_IN_EXCHANGE
        if self.tichu_during_exchange == "restart":
            flags |= _core.CALL_RESTARTS_EXCHANGE
        return flags
