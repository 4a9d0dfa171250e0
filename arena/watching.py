"""An agent under observation: whatever it does, the round goes on, and what it does is counted and timed.

    play_round --asks--> Watched --asks--> agent        timed: perf_counter_ns before and after
                            |<--answer------'           Alarm: interrupts what is over its limit
        a legal action <----'                           counted: Behaviour

An answer is legal if it equals a legal one; the round goes on with that one. Where the agent raised, gave no legal
answer or took too long, it goes on with the first: no call, the pass (or the first play where none is allowed), no bomb,
the lowest wish, the right neighbour, and the three lowest cards for the exchange.
"""

import logging
import signal
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from operator import index
from reprlib import repr as short_repr
from time import perf_counter_ns
from typing import Any, TypeVar

import numpy as np

from arena.tally import BUCKETS_PER_OCTAVE, Behaviour
from games.tichu._core import BOMB
from games.tichu.agents.agent import TichuAgent
from games.tichu.cards import DOG, CardSet, hand_order
from games.tichu.notation import Move
from games.tichu.states import Play, PrivateState, PublicState, Triple

Answer = TypeVar("Answer")

NOTHING: Any = object()  # in place of an answer that does not count
CALLS = (False, True)
RANKS = tuple(range(2, 15))
logger = logging.getLogger(__name__)
told: set[tuple[str, str]] = set()


class Overtime(BaseException):
    """Ends a decision that is over its limit. No Exception, so that an agent does not catch it among its own."""


class Alarm:
    """Interrupts decisions that are over their limit, by one timer that ticks all the time, so that none need be set.

    It works in the main thread of a process, where signals are handled (not on Windows), and between two steps of the
    interpreter: a decision that stays in one call of a compiled library is interrupted when that returns. Elsewhere
    decisions are only measured when they are over: one that never ends is never ended.

    :ivar deadline: of the open decision, in nanoseconds of ``perf_counter_ns``; 0 while none is open.
    """

    def __init__(self) -> None:
        self.deadline = 0

    @contextmanager
    def ticking(self, seconds: float) -> Iterator[None]:
        """Looks so often. What used the timer before gets it back."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            yield
            return
        handler = signal.signal(signal.SIGALRM, self._tick)
        timer = signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler or signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, *timer)

    def _tick(self, *_: object) -> None:
        now = perf_counter_ns()
        if 0 < self.deadline < now:
            self.deadline = now + 1_000_000_000  # Python drops what is raised in a destructor: then once more
            raise Overtime


class Watched(TichuAgent):
    """Asks an agent in its place.

    :ivar behaviour: what it did; the calls and the outcome of rounds are left to who plays them.
    :ivar durations: of its decisions, nanoseconds.
    :ivar tricks: that it led; the dog leads none.
    :ivar moves: where its moves of the open round are to be added, if anywhere.

    :param limit: seconds that a decision may take.
    """

    def __init__(self, agent: TichuAgent, limit: float, alarm: Alarm) -> None:
        super().__init__(type(agent).__qualname__)
        self.behaviour = Behaviour()
        self.durations = array("q")
        self.tricks = 0
        self.moves: list[Move] | None = None
        self._agent = agent
        self._limit = int(limit * 1e9)
        self._alarm = alarm
        self._announce_grand = partial(agent.announce, grand=True)

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        answer = self._ask(self._announce_grand if grand else self._agent.announce, public, private)
        called = answer if answer is False else self._legal(answer, CALLS)
        if self.moves is not None and (grand or called):
            self.moves.append((private.player_index, "grand" if grand else "announce", called))
        return called

    def schupf(self, public: PublicState, private: PrivateState) -> Triple:
        answer = self._ask(self._agent.schupf, public, private)
        hand = private.hand_cards
        try:
            cards = three_of(hand, answer)
        except Exception:  # taking it apart may do anything
            self._reject(answer)
            right, partner, left = hand_order(hand)[-3:]
            cards = right, partner, left
        if self.moves is not None:
            self.moves.append((private.player_index, "schupf", cards))
        return cards

    def play(self, public: PublicState, private: PrivateState) -> Play:
        play = self._legal(self._ask(self._agent.play, public, private), private.legal_plays)
        cards, meta = play
        behaviour = self.behaviour
        if cards:
            behaviour.plays += 1
            if meta >> 16 == BOMB:
                behaviour.bombs += 1
            if not public.trick_combination and cards != DOG:
                self.tricks += 1
        else:
            behaviour.passes += 1
        if self.moves is not None:
            self.moves.append((private.player_index, "play", play))
        return play

    def bomb(self, public: PublicState, private: PrivateState) -> Play | None:
        choices = (None, *private.bombs)
        bomb = self._legal(self._ask(self._agent.bomb, public, private), choices)
        if bomb:
            self.behaviour.plays += 1
            self.behaviour.bombs += 1
            if self.moves is not None:
                self.moves.append((private.player_index, "bomb", bomb))
        return bomb

    def wish(self, public: PublicState, private: PrivateState) -> int:
        choices = RANKS if public.wish_required else (0, *RANKS)
        rank = self._legal(self._ask(self._agent.wish, public, private), choices)
        self.behaviour.wishes[rank] += 1
        if self.moves is not None:
            self.moves.append((private.player_index, "wish", rank))
        return rank

    def choose_dragon_recipient(self, public: PublicState, private: PrivateState) -> int:
        seat = private.player_index
        right, left = (seat + 1) % 4, (seat + 3) % 4
        recipient = self._legal(self._ask(self._agent.choose_dragon_recipient, public, private), (right, left))
        if recipient == right:
            self.behaviour.dragon_right += 1
        else:
            self.behaviour.dragon_left += 1
        if self.moves is not None:
            self.moves.append((seat, "dragon", recipient))
        return recipient

    def cleanup(self) -> None:
        try:
            self._agent.cleanup()
        except Exception:
            self.behaviour.raised += 1
            self._tell("raised when it was to clean up", traceback=True)

    # --- asking, judging ----------------------------------------------------------------------------------------------

    def _ask(
        self, decide: Callable[[PublicState, PrivateState], Any], public: PublicState, private: PrivateState
    ) -> Any:
        """The agent's answer; NOTHING if it raised or took too long.

        The alarm may go off until the deadline is taken back, also while an exception of the agent is handled: hence
        the outer ``try``.
        """
        alarm, limit = self._alarm, self._limit
        failed = False
        answer = NOTHING
        started = perf_counter_ns()
        try:
            try:
                alarm.deadline = started + limit
                answer = decide(public, private)
                alarm.deadline = 0
            except (KeyboardInterrupt, Overtime):
                raise
            except BaseException:  # SystemExit too
                alarm.deadline = 0
                failed = True
                self._tell("raised", traceback=True)
        except Overtime:
            alarm.deadline = 0
        took = perf_counter_ns() - started
        self.durations.append(took)
        if took > limit:
            self.behaviour.late += 1
            self._tell("took too long")
            return NOTHING
        if failed:
            self.behaviour.raised += 1
        return answer

    def _legal(self, answer: Any, choices: Sequence[Answer]) -> Answer:
        """The choice that the answer equals, or the first."""
        try:
            return choices[choices.index(answer)]
        except Exception:  # comparing may do anything
            self._reject(answer)
            return choices[0]

    def _reject(self, answer: Any) -> None:
        if answer is not NOTHING:
            self.behaviour.illegal += 1
            self._tell(f"answered illegally: {short_repr(answer)}")

    def _tell(self, what: str, *, traceback: bool = False) -> None:
        """Logs the first time that agents of this kind do this; the counters have the rest."""
        if (self.name, what[:8]) not in told:
            told.add((self.name, what[:8]))
            logger.warning("%s %s; a legal action took its place", self.name, what, exc_info=traceback)


def three_of(hand: CardSet, answer: Any) -> Triple:
    """The answer as three different cards of a hand.

    :raises TypeError, ValueError: if it is something else.
    """
    right, partner, left = map(index, answer)
    cards = right | partner | left
    if cards & ~hand or [card.bit_count() for card in (right, partner, left, cards)] != [1, 1, 1, 3]:
        raise ValueError("these are not three cards of the hand")
    return right, partner, left


def histogram(durations: "array[int]") -> dict[int, int]:
    """As :class:`arena.tally.Timing` keeps them.

    >>> histogram(array("q", [1, 1, 2, 1024]))
    {0: 2, 8: 1, 80: 1}
    """
    octaves = np.log2(np.maximum(np.array(durations, dtype=np.int64), 1))
    buckets, counts = np.unique((octaves * BUCKETS_PER_OCTAVE).astype(np.int64), return_counts=True)
    return dict(zip(buckets.tolist(), counts.tolist(), strict=True))
