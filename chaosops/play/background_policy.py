"""Asks a policy without blocking the screen."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress

from chaosops.agents.policies import Policy, stop_asking
from chaosops.env.models import AgentRole, ChaosOpsObservation
from chaosops.play.policy_answers import PolicyAnswer, ask, ask_copilot


class Question:
    """A policy working on one turn. `give_up` answers without it.

    The policy runs in its own thread, which doesn't keep the process alive: one that never
    answers costs its turn, not the game.
    """

    def __init__(
        self,
        policy: Policy,
        observation: ChaosOpsObservation,
        role: AgentRole,
        *,
        as_copilot: bool = False,
    ) -> None:
        """Start the policy; needs a running event loop.

        Args:
            as_copilot: Whether it is asked for candidates instead of an action.
        """
        self._loop = asyncio.get_running_loop()
        self._policy = policy
        self._future: asyncio.Future[PolicyAnswer] = self._loop.create_future()

        def work() -> None:
            answer = (ask_copilot if as_copilot else ask)(policy, observation, role)
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._settle, answer)

        threading.Thread(target=work, name=f"policy-{role.value}", daemon=True).start()

    async def answer(self) -> PolicyAnswer:
        """Return the policy's answer, or the one that says why there is none."""
        return await self._future

    def give_up(self) -> None:
        """Stop waiting; the answer says that the policy gave none."""
        self._settle(PolicyAnswer(fault="did not answer"))
        stop_asking(self._policy)

    def _settle(self, answer: PolicyAnswer) -> None:
        if not self._future.done():
            self._future.set_result(answer)
