# cython: language_level=3, infer_types=True, annotation_typing=False
"""An agent under observation: whatever it does, the round goes on, and what it does is counted and timed.

    play_round --asks--> Watched --asks--> agent        timed: perf_counter_ns before and after
                            |<--answer------'           Alarm: interrupts what is over its limit,
        a legal action <----'                           and ends the process where that does not help
                                                        counted: Behaviour

An answer is legal if it equals a legal one; the round goes on with that one. Where the agent raised, gave no legal
answer or took too long, it goes on with the first: no call, the pass (or the first play where it must play), no bomb,
the lowest wish, the right neighbour, and the three lowest cards for the exchange.

An agent that answers at once takes a microsecond for it; so as not to take longer ourselves, this file is compiled,
with the types of ``watching.pxd``. It does the same interpreted.
"""

import faulthandler
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import index
from random import Random
from reprlib import repr as short_repr
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from arena.tally import BUCKETS_PER_OCTAVE, Behaviour
from arena.teams import AgentSpec, UnknownAgent
from games.tichu.agents.agent import TichuAgent
from games.tichu.cards import CardSet, hand_order
from games.tichu.notation import Move
from games.tichu.states import Play, PrivateState, PublicState, Triple

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # only the compiler needs it
    from types import SimpleNamespace

    cython = SimpleNamespace(compiled=False)

if not cython.compiled:
    from math import log2

    BUCKETS = 512  # up to 2 ** 64 ns
    from games.tichu._core import BOMB, Plays, Round
    from games.tichu.cards import DOG

    if TYPE_CHECKING:  # the compiled kernel has it for compiled modules only
        from games.tichu._core import find_turn_plays

PER_OCTAVE = BUCKETS_PER_OCTAVE
NOTHING: Any = object()  # in place of an answer that does not count
CALLS = (False, True)
RANKS = tuple(range(2, 15))
PATIENCE = 5  # seconds that an agent has to end a decision that is over its limit
MAKING = 60.0  # seconds that an agent has at least to be made: it may have large files to read
SECOND = 1_000_000_000  # nanoseconds
STDERR = 2  # what sys.stderr is may have no descriptor
logger = logging.getLogger(__name__)
told: set[tuple[str, str]] = set()


class Overtime(BaseException):
    """Ends a decision that is over its limit. No Exception, so that an agent does not catch it among its own."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, as opposed to a KeyboardInterrupt that an agent raises."""


class Alarm:
    """Interrupts a decision that is over its limit, and ends the process if the decision goes on nevertheless.

    The process is ended by a thread of :mod:`faulthandler`, which needs no interpreter: it waits for a time to pass in
    which it is not told to wait anew. It writes where the agent hangs to standard error; the exit status is 1.

    :ivar deadline: of the open decision, in nanoseconds of ``perf_counter_ns``; 0 while none is open.
    :ivar rings: how often it has rung in the open decision.
    """

    def __init__(self) -> None:
        self.deadline = 0
        self.rings = 0
        self.longest = 0.0
        self.waits_until = 0

    def ring(self, *_: object) -> None:
        """
        :raises Overtime: once a second from the deadline on: Python drops what is raised in a destructor.
        """
        now = perf_counter_ns()
        if 0 < self.deadline < now:
            self.deadline = now + SECOND
            self.rings += 1
            if self.rings == 1:
                faulthandler.dump_traceback_later(PATIENCE, exit=True, file=STDERR)
            elif self.rings == 2:  # written at once: what the interruption has come into may hold the logger
                os.write(STDERR, b"An agent that is late goes on although it is interrupted; if it does not end, ")
                os.write(STDERR, b"its process does.\n")
            raise Overtime
        if not self.rings and now > self.waits_until:
            self.wait()

    def wait(self) -> None:
        """Has the process ended if nothing more is heard for longer than a decision may take."""
        self.rings = 0
        self.waits_until = perf_counter_ns() + SECOND
        faulthandler.dump_traceback_later(self.longest, exit=True, file=STDERR)


@contextmanager
def ticking(alarm: Alarm, seconds: float, limit: float) -> Iterator[None]:
    """Lets one timer ring the alarm all the time, so that no decision need set its own.

    It interrupts in the main thread of a process, where signals are handled (not on Windows), and between two steps of
    the interpreter: a decision that stays in one call of a compiled library is interrupted when that returns, and the
    process is ended if it does not. Elsewhere decisions are only measured when they are over, and one that never ends
    is never ended. What used the timer before gets it back. Ctrl-C ends the batch, unless somebody handles it.

    :param seconds: between two rings.
    :param limit: seconds that a decision of any agent may take at most.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    alarm.longest = limit + seconds + 1 + PATIENCE  # it is told to wait when a ring is due after a second
    ctrl_c = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    handler = signal.signal(signal.SIGALRM, alarm.ring)
    timer = signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        if ctrl_c:
            signal.signal(signal.SIGINT, _interrupt)
        alarm.wait()
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, handler or signal.SIG_DFL)
        if ctrl_c:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, *timer)


def _interrupt(*_: object) -> None:
    raise Interrupted


def made(spec: AgentSpec, rng: Random) -> TichuAgent:
    """Makes an agent, which has a minute for it, or as long as for a decision if that is longer.

    One that goes on although it is interrupted ends the process, as in a decision.

    :raises UnknownAgent: it cannot be made, or takes too long.
    """
    limit = max(spec.limit, MAKING)
    alarm = Alarm()
    agent = None
    started = perf_counter_ns()
    try:
        with ticking(alarm, limit / 100, limit):
            alarm.deadline = started + int(limit * SECOND)
            agent = spec.create(rng)
            alarm.deadline = 0
    except Overtime:
        pass
    if agent is None or perf_counter_ns() - started > limit * SECOND:
        raise UnknownAgent(f"{spec.text} took more than {limit:g} s to be made")
    return agent


class Watched:
    """Asks an agent in its place, and has all its decisions (:class:`TichuAgent`). Compiled, it can inherit none.

    :ivar durations: how many decisions took so long, by bucket (:class:`arena.tally.Timing`).
    :ivar plays, passes, bombs, ...: as :class:`Behaviour` has them.
    :ivar tricks: that it led; the dog leads none.
    :param limit: seconds that a decision may take.
    """

    def __init__(self, agent: TichuAgent, limit: float, alarm: Alarm) -> None:
        self.agent = agent
        self.limit = int(limit * 1e9)
        self.alarm = alarm
        self.tricks = self.plays = self.passes = self.bombs = self.dragon_right = self.dragon_left = 0
        self.raised = self.illegal = self.late = 0
        self.wishes = [0] * 15
        if not cython.compiled:
            self.durations = [0] * BUCKETS
        self.legal_plays = Plays()
        self.moves: list[Move] | None = None
        self.where = ""

    def sit(self, round: "Round", seat: int, moves: list[Move] | None = None, where: str = "") -> None:
        """Takes its seat in a round.

        :param moves: where its moves are to be added.
        :param where: which round it is, for the log.
        """
        self.round = round
        self.seat = seat
        self.moves = moves
        self.where = where

    def timing(self) -> dict[int, int]:
        """As :class:`arena.tally.Timing` keeps it."""
        return {bucket: self.durations[bucket] for bucket in range(BUCKETS) if self.durations[bucket]}

    def behaviour(self) -> Behaviour:
        """Without what shows only in the round: calls and who went out when."""
        return Behaviour(
            plays=self.plays,
            passes=self.passes,
            bombs=self.bombs,
            dragon_right=self.dragon_right,
            dragon_left=self.dragon_left,
            wishes=self.wishes,
            decisions=sum(self.timing().values()),
            raised=self.raised,
            illegal=self.illegal,
            late=self.late,
        )

    # --- decisions ----------------------------------------------------------------------------------------------------

    def announce(self, public: PublicState, private: PrivateState, grand: bool = False) -> bool:
        agent = self.agent
        answer = self.ask(self._grand if grand else agent.announce, public, private)
        called: bool = answer if answer is False else self.choice(answer, CALLS)
        if self.moves is not None and (grand or called):
            self.moves.append((self.seat, "grand" if grand else "announce", called))
        return called

    def _grand(self, public: PublicState, private: PrivateState) -> bool:
        return self.agent.announce(public, private, grand=True)

    def schupf(self, public: PublicState, private: PrivateState) -> Triple:
        answer = self.ask(self.agent.schupf, public, private)
        hand = private.hand_cards
        try:
            cards = three_of(hand, answer)
        except Exception:  # taking it apart may do anything
            self.reject(answer)
            right, partner, left = hand_order(hand)[-3:]
            cards = right, partner, left
        if self.moves is not None:
            self.moves.append((self.seat, "schupf", cards))
        return cards

    def play(self, public: PublicState, private: PrivateState) -> Play:
        answer = self.ask(self.agent.play, public, private)
        try:
            cards, meta = answer
            if type(cards) is not int or type(meta) is not int:  # numpy's are
                cards, meta = index(cards), index(meta)
            is_legal = self.is_legal(cards, meta)
        except Exception:
            is_legal = False
        if not is_legal:
            self.reject(answer)
            cards, meta = self.round.legal_plays()[0]
        if cards:
            self.plays += 1
            if meta >> 16 == BOMB:
                self.bombs += 1
            if not self.round.trick_meta and cards != DOG:
                self.tricks += 1
        else:
            self.passes += 1
        play = cards, meta
        if self.moves is not None:
            self.moves.append((self.seat, "play", play))
        return play

    def bomb(self, public: PublicState, private: PrivateState) -> Play | None:
        bomb: Play | None = self.choice(
            self.ask(self.agent.bomb, public, private), (None, *self.round.bombs(self.seat))
        )
        if bomb:
            self.plays += 1
            self.bombs += 1
            if self.moves is not None:
                self.moves.append((self.seat, "bomb", bomb))
        return bomb

    def wish(self, public: PublicState, private: PrivateState) -> int:
        choices = RANKS if public.wish_required else (0, *RANKS)
        rank: int = self.choice(self.ask(self.agent.wish, public, private), choices)
        self.wishes[rank] += 1
        if self.moves is not None:
            self.moves.append((self.seat, "wish", rank))
        return rank

    def choose_dragon_recipient(self, public: PublicState, private: PrivateState) -> int:
        right, left = (self.seat + 1) % 4, (self.seat + 3) % 4
        recipient: int = self.choice(self.ask(self.agent.choose_dragon_recipient, public, private), (right, left))
        if recipient == right:
            self.dragon_right += 1
        else:
            self.dragon_left += 1
        if self.moves is not None:
            self.moves.append((self.seat, "dragon", recipient))
        return recipient

    def cleanup(self) -> None:
        """Takes no longer than a decision may; one that does has raised."""
        try:
            try:
                self.alarm.deadline = perf_counter_ns() + self.limit
                self.agent.cleanup()
                self.alarm.deadline = 0
            except Interrupted:
                raise
            except BaseException:  # Overtime too
                self.alarm.deadline = 0
                self.raised += 1
                self.tell("raised when it was to clean up", traceback=True)
        except Overtime:
            self.raised += 1
        finally:
            self.alarm.deadline = 0
            if self.alarm.rings:
                self.alarm.wait()

    # --- asking, judging ----------------------------------------------------------------------------------------------

    def ask(
        self, decide: Callable[[PublicState, PrivateState], Any], public: PublicState, private: PrivateState
    ) -> Any:
        """The agent's answer; NOTHING if it raised or took too long.

        The alarm may ring until the deadline is taken back, also while an exception of the agent is handled: hence the
        outer ``try``.
        """
        failed = False
        answer = NOTHING
        started = perf_counter_ns()
        try:
            try:
                self.alarm.deadline = started + self.limit
                answer = decide(public, private)
                self.alarm.deadline = 0
            except (Interrupted, Overtime):
                raise
            except BaseException:  # SystemExit and KeyboardInterrupt too
                self.alarm.deadline = 0
                failed = True
                self.tell("raised", traceback=True)
        except Overtime:
            self.alarm.deadline = 0
        took = perf_counter_ns() - started
        self.durations[bucket_of(took)] += 1
        if took > self.limit:
            self.late += 1
            if self.alarm.rings:
                self.alarm.wait()
            self.tell("took too long")
            return NOTHING
        if failed:
            self.raised += 1
        return answer

    def is_legal(self, cards: CardSet, meta: int) -> bool:
        """Whether this is one of the legal plays, without making a list of them."""
        if not cython.compiled:
            return (cards, meta) in self.round.legal_plays()
        plays = self.legal_plays
        find_turn_plays(self.round._row, plays)
        for i in range(plays.count):  # noqa: SIM110 - a generator would be a Python object
            if plays.cards[i] == cards and plays.metas[i] == meta:
                return True
        return False

    def choice(self, answer: Any, choices: Sequence[Any]) -> Any:
        """The one that the answer equals, or the first."""
        try:
            return choices[choices.index(answer)]
        except Exception:  # comparing may do anything
            self.reject(answer)
            return choices[0]

    def reject(self, answer: Any) -> None:
        if answer is not NOTHING:
            self.illegal += 1
            self.tell("answered illegally", detail=short_repr(answer))

    def tell(self, what: str, *, detail: str = "", traceback: bool = False) -> None:
        """Logs the first time in this process that an agent of this class does this; the counters have the rest."""
        name = type(self.agent).__qualname__
        if (name, what) not in told:
            told.add((name, what))
            logger.warning(
                "%s %s (%s): a legal action takes its place. %s", name, what, self.where, detail, exc_info=traceback
            )


def three_of(hand: CardSet, answer: Any) -> Triple:
    """The answer as three different cards of a hand.

    :raises Exception: if it is something else.
    """
    right, partner, left = map(index, answer)
    cards = right | partner | left
    if cards & ~hand or [card.bit_count() for card in (right, partner, left, cards)] != [1, 1, 1, 3]:
        raise ValueError("these are not three cards of the hand")
    return right, partner, left


def bucket_of(nanoseconds: int) -> int:
    """
    >>> bucket_of(1024)  # two to the ten
    80
    """
    return int(PER_OCTAVE * log2(nanoseconds)) if nanoseconds > 1 else 0
