"""What can be wrong with a log, by stable codes.

The parser (:mod:`arena.brettspielwelt.log`) finds what is wrong with the text, :mod:`arena.brettspielwelt.replay` the
rest. Of a round's findings the first one is its state; those that were corrected come last.
"""

from enum import StrEnum

from msgspec import Struct


class Code(StrEnum):
    """Never renamed: they stand in databases.

    Those marked ``-`` end the replay, so the round has no score of its own; ``+`` can be corrected.
    """

    # the text
    EMPTY = "empty"  # nothing but blanks
    TOO_SHORT = "too_short"  # - the log ends inside the round
    RESTARTED = "restarted"  # - a new round begins before this one was played
    UNREADABLE = "unreadable"  # - a line that no rule of the grammar reads
    ENCODING = "encoding"  # + always: bytes that are no UTF-8 are read as cp1252
    LABEL = "label"  # - no card is called so
    # the deal and the exchange
    COUNT = "count"  # - not eight, fourteen, three or so many cards as there must be
    DUPLICATE = "duplicate"  # - a card twice
    NOT_IN_HAND = "not_in_hand"  # -
    BOMBS_DIFFER = "bombs_differ"  # the line BOMBE names other seats than hold one
    # the play
    ALREADY_PLAYED = "already_played"  # -
    PASS_ON_LEAD = "pass_on_lead"  # noqa: S105  # -
    WISH_NOT_FOLLOWED = "wish_not_followed"  # -
    NOT_PLAYABLE = "not_playable"  # - no combination, or it does not beat the trick, or the trick was not taken before
    NOT_ON_TURN = "not_on_turn"  # -
    TOO_LONG = "too_long"  # something after the end of the round; ignored
    WISH_WITHOUT_MAH_JONG = "wish_without_mah_jong"  # ignored
    DRAGON_NOT_GIVEN = (
        "dragon_not_given"  # + no line says who got it; corrected if either opponent makes the same score
    )
    DRAGON_TO_OWN_TEAM = "dragon_to_own_team"  # - but ignored in a double victory
    DRAGON_WITHOUT_WINNING = "dragon_without_winning"  # nobody has just taken a dragon's trick; ignored
    CALL_TOO_LATE = "call_too_late"  # after the own first card; ignored
    CALL_TWICE = "call_twice"  # + the same counts once; a Tichu beside a grand Tichu is ignored, but not corrected
    # the score
    SCORE_IMPOSSIBLE = "score_impossible"  # no round can end so
    GRAND_NOT_SCORED = "grand_not_scored"  # the computed score less a call of a grand Tichu is the logged one
    SCORE_MISMATCH = "score_mismatch"
    # the game
    GAME_UNFINISHED = "game_unfinished"
    PLAYED_ON = "played_on"  # after a team had a thousand points
    PLAYER_CHANGED = "player_changed"  # + always: each round is its own players'
    NAMES_DIFFER = "names_differ"  # + always: hands and exchange of one round name a seat differently; the seat counts


class Finding(Struct):
    """
    :ivar move: index into the lines of the round's play where it shows, their number at the end of the play, -1 before
        it and for the round as a whole; of a game's findings the index of the round, -1 for the game as a whole.
    :ivar detail: what was there, for a person; at most 200 characters.
    :ivar corrected: whether the record was made good without a guess, so that the round counts.
    """

    code: Code
    move: int = -1
    detail: str = ""
    corrected: bool = False
