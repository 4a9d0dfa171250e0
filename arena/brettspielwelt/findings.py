"""What can be wrong with a log, by stable codes."""

from enum import StrEnum

from msgspec import Struct


class Code(StrEnum):
    """In the order of this list where a round has several at the same place. Never renamed: they stand in databases."""

    # the text
    EMPTY = "empty"  # nothing but blanks
    TOO_SHORT = "too_short"  # the log ends inside the round
    RESTARTED = "restarted"  # a new round begins before this one was played
    UNREADABLE = "unreadable"  # a line that no rule of the grammar reads
    LABEL = "label"  # no card is called so
    # the deal and the exchange
    COUNT = "count"  # not eight, fourteen, three or so many cards as there must be
    DUPLICATE = "duplicate"  # a card twice
    NOT_IN_HAND = "not_in_hand"
    # the play
    ALREADY_PLAYED = "already_played"
    PASS_ON_LEAD = "pass_on_lead"  # noqa: S105
    WISH_NOT_FOLLOWED = "wish_not_followed"
    NOT_PLAYABLE = "not_playable"
    NOT_ON_TURN = "not_on_turn"
    TOO_LONG = "too_long"  # plays after the end of the round
    WISH_WITHOUT_MAH_JONG = "wish_without_mah_jong"
    DRAGON_NOT_GIVEN = "dragon_not_given"
    DRAGON_TO_OWN_TEAM = "dragon_to_own_team"
    DRAGON_WITHOUT_WINNING = "dragon_without_winning"
    CALL_TOO_LATE = "call_too_late"  # after the own first card
    CALL_TWICE = "call_twice"
    BOMBS_DIFFER = "bombs_differ"  # the line BOMBE names other seats than hold one
    # the score
    SCORE_IMPOSSIBLE = "score_impossible"  # no round can end so
    GRAND_NOT_SCORED = "grand_not_scored"  # the computed score less a call of a grand Tichu is the logged one
    SCORE_MISMATCH = "score_mismatch"
    # the game
    GAME_UNFINISHED = "game_unfinished"
    PLAYED_ON = "played_on"  # after a team had a thousand points
    PLAYER_CHANGED = "player_changed"
    NAMES_DIFFER = "names_differ"  # hands and exchange of one round name a seat differently


class Finding(Struct):
    """
    :ivar move: index into the lines of the round's play where it shows; -1 before the play or for the round as a whole.
    :ivar detail: what was there, for a person.
    :ivar corrected: whether the record was made good without a guess, so that the round counts.
    """

    code: Code
    move: int = -1
    detail: str = ""
    corrected: bool = False
