# cython: language_level=3, infer_types=True, annotation_typing=False
"""Rounds between agents, without a table around them: no messages, no journal, no pauses.

Compiled with the types of ``simulate.pxd``, so that an agent that answers at once waits for nobody.
"""

from collections.abc import Sequence

from games.tichu._core import Round
from games.tichu.agents.agent import TichuAgent
from games.tichu.states import PrivateState, PublicState

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # only the compiler needs it
    from types import SimpleNamespace

    cython = SimpleNamespace(compiled=False)

if not cython.compiled:
    from games.tichu._core import DONE, DRAGON, PLAY


def play_round(
    round: Round,
    agents: Sequence[TichuAgent],
    game_score: tuple[Sequence[int], Sequence[int]] = ((), ()),
    target_score: int = 1000,
) -> Round:
    """Plays a dealt round to its end.

    A seat is asked for a small Tichu each time that it is to move before its first play, and for a bomb after each play
    and pass of another one.

    :param agents: one per seat.
    :param game_score, target_score: of the match, for the agents (:class:`PublicState`).
    :result: the same round.
    """
    public = PublicState(round, game_score, target_score)
    privates = [PrivateState(round, seat) for seat in range(4)]
    for seat in range(4):
        round.decide_grand(seat, agents[seat].announce(public, privates[seat], grand=True))
    for seat in range(4):
        right, partner, left = agents[seat].schupf(public, privates[seat])
        round.give(seat, right, partner, left)
    while (phase := round.phase) != DONE:
        seat = round.turn
        agent, private = agents[seat], privates[seat]
        if phase == PLAY:
            if (armed := round.bombers()) and _is_bombed(round, agents, public, privates, armed):
                continue
            if seat == round.owner:
                round.take()
                continue
            if round.can_call(seat) and agent.announce(public, private):
                round.announce(seat)
            cards, meta = agent.play(public, private)
            round.play(seat, cards, meta)
        elif phase == DRAGON:
            round.give_dragon(agent.choose_dragon_recipient(public, private))
        else:
            round.make_wish(agent.wish(public, private))
    return round


def _is_bombed(
    round: Round, agents: Sequence[TichuAgent], public: PublicState, privates: Sequence[PrivateState], armed: int
) -> bool:
    """Asks the seats that can bomb out of turn, in the order of play; the first bomb counts (rules 5.4)."""
    for away in range(1, 5):
        seat = round.owner + away & 3
        if armed >> seat & 1 and (seat != round.turn or seat == round.owner):
            bomb = agents[seat].bomb(public, privates[seat])
            if bomb:
                cards, meta = bomb
                round.play(seat, cards, meta)
                return True
    return False
