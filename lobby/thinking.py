"""Agents at a table: asked in an executor, on a state that does not change, and shown at a person's pace.

Nobody waits for an agent but the seat it sits on. Where one crashes, dawdles or breaks the rules, that goes to the log
and the game's plainest legal move is made instead; so a table never stops.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from random import Random
from typing import Any

from games.engine import GameEngine, OpenRequest
from games.game import Action, AnyGame, Seat
from games.players import Agent
from lobby.clock import Clock
from lobby.seating import agent_name

logger = logging.getLogger(__name__)

DECISION_PAUSE = (0.5, 1.5)  # seconds from the request to the answer
INTERRUPT_PAUSE = (0.3, 0.9)  # a bomb must fall before the trick is taken, which is after 1 s
PATIENCE = 10.0  # seconds of computing


@dataclass(frozen=True)
class Thought:
    """What an agent wants to do.

    :ivar number: of the engine, when it was asked.
    :ivar request_id: of the request that was open then, whether this answers it or not.
    :ivar stands_in: whether it acts for a person this once.
    """

    seat: Seat
    action: Action
    number: int
    request_id: str | None
    stands_in: bool = False


class Thinking:
    """The agents of one table at work.

    :param submit: gets each thought when its time has come.
    """

    def __init__(
        self,
        game: AnyGame,
        clock: Clock,
        executor: Executor,
        rng: Random,
        pace: float,
        submit: Callable[[Thought], None],
    ) -> None:
        self._game = game
        self._clock = clock
        self._executor = executor
        self._rng = rng
        self._pace = pace
        self._submit = submit
        self._agents: dict[Seat, Agent] = {}
        self._tasks: dict[Seat, tuple[str | int, asyncio.Task[None]]] = {}  # with what it is about, see consider
        self._computing: dict[Seat, asyncio.Future[Any]] = {}

    def consider(self, seat: Seat, kind: str, engine: GameEngine, shown: float) -> None:
        """Makes the agent on this seat think about what the engine asks of it, or lets it do.

        :param shown: when everybody will have seen the present state.
        """
        request = engine.requests.get(seat)
        choices = tuple(self._game.spontaneous(engine.state, seat))
        topic = request.id if request else engine.number
        thinking = self._tasks.get(seat)
        if thinking and thinking[0] == topic and not thinking[1].done():
            return
        self._cancel(seat)
        if request or choices:
            task = asyncio.create_task(self._think(seat, kind, engine.state, engine.number, request, choices, shown))
            self._tasks[seat] = topic, task

    def stand_in(self, seat: Seat, kind: str, engine: GameEngine) -> None:
        """Lets an agent make the one decision that a person did not make in time."""
        request = engine.requests[seat]
        self.leave(seat)
        task = asyncio.create_task(self._answer(seat, kind, engine.state, engine.number, request, stands_in=True))
        self._tasks[seat] = request.id, task

    def leave(self, seat: Seat) -> None:
        """A person sits there now, or another kind of agent."""
        self._cancel(seat)
        agent = self._agents.pop(seat, None)
        if agent:
            agent.cleanup()

    def stop(self) -> None:
        """The match is over."""
        for seat in [*self._agents, *self._tasks]:
            self.leave(seat)

    # --- one agent ----------------------------------------------------------------------------------------------------

    async def _think(
        self,
        seat: Seat,
        kind: str,
        state: Any,
        number: int,
        request: OpenRequest | None,
        choices: Sequence[str],
        shown: float,
    ) -> None:
        # The pauses are drawn before anything is computed: time must not tell who holds what.
        interrupt_due = shown + self._rng.uniform(*INTERRUPT_PAUSE) * self._pace
        decision_due = shown + self._rng.uniform(*DECISION_PAUSE) * self._pace
        if choices:
            action = await self._offer(seat, kind, state, tuple(choices))
            if action:
                await self._clock.reach(interrupt_due)
                self._submit(Thought(seat, action, number, request.id if request else None))
        if request:
            await self._answer(seat, kind, state, number, request, decision_due)

    async def _answer(
        self,
        seat: Seat,
        kind: str,
        state: Any,
        number: int,
        request: OpenRequest,
        due: float = 0.0,
        *,
        stands_in: bool = False,
    ) -> None:
        """Answers with a legal action, whatever the agent does."""
        name = request.request.action
        try:
            agent = await self._agent(seat, kind)
            action = await self._compute(seat, agent.decide, state, seat, name)
            self._game.apply(self._game.copy(state), seat, action)
        except Exception:
            logger.exception("%s has no legal answer to %s", agent_name(kind, seat), name)
            action = self._game.fallback(state, seat)
        await self._clock.reach(due)
        self._submit(Thought(seat, action, number, request.id, stands_in))

    async def _offer(self, seat: Seat, kind: str, state: Any, choices: tuple[str, ...]) -> Action | None:
        """What the agent does unasked, if that is legal."""
        try:
            agent = await self._agent(seat, kind)
            action: Action | None = await self._compute(seat, agent.interrupt, state, seat, choices)
            if action:
                self._game.apply(self._game.copy(state), seat, action)
        except Exception:
            logger.exception("%s cannot say whether it interrupts", agent_name(kind, seat))
            return None
        return action

    async def _compute(self, seat: Seat, question: Callable[..., Any], *arguments: Any) -> Any:
        """Asks an agent in the executor; never twice at the same time on one seat."""
        before = self._computing.get(seat)
        if before and not before.done():
            await asyncio.wait([before], timeout=PATIENCE)
        answer = asyncio.get_running_loop().run_in_executor(self._executor, question, *arguments)
        self._computing[seat] = answer
        answer.add_done_callback(_forget)
        done, _ = await asyncio.wait([answer], timeout=PATIENCE)
        if not done:
            self._agents.pop(seat, None)  # it is still busy with this; a new one takes its place
            self._computing.pop(seat, None)
            raise TimeoutError(f"no answer within {PATIENCE} s")
        return answer.result()

    async def _agent(self, seat: Seat, kind: str) -> Agent:
        """The agent on this seat. It is made in the executor, too: it may have files to read."""
        if seat not in self._agents:
            rng = Random(self._rng.random())
            self._agents[seat] = await self._compute(seat, self._game.agents[kind], agent_name(kind, seat), rng)
        return self._agents[seat]

    def _cancel(self, seat: Seat) -> None:
        thinking = self._tasks.pop(seat, None)
        if thinking:
            thinking[1].cancel()


def _forget(answer: "asyncio.Future[Any]") -> None:
    """Nobody waits for it any more; its error would be reported as never retrieved."""
    if not answer.cancelled():
        answer.exception()
