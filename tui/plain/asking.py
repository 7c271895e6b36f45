"""Asks a policy, and lets the player stop waiting for it."""

from __future__ import annotations

import queue
import threading

from chaosops.agents.policies import Policy, stop_asking
from chaosops.env.models import AgentRole, ChaosOpsObservation
from chaosops.play.policy_answers import PolicyAnswer, ask, ask_copilot
from tui.plain.console import Console

PATIENCE = 8.0
"""Seconds after which a policy that has not answered is named."""


def ask_patiently(
    console: Console,
    policy: Policy,
    observation: ChaosOpsObservation,
    role: AgentRole,
    *,
    who: str,
    patience: float = PATIENCE,
    as_copilot: bool = False,
) -> PolicyAnswer:
    """Return a policy's answer. The player can stop waiting with an 'x'.

    Args:
        who: The name of the policy while it is waited for.
        as_copilot: Whether it is asked for candidates instead of an action.
    """
    answers: queue.SimpleQueue[PolicyAnswer] = queue.SimpleQueue()

    def work() -> None:
        answers.put((ask_copilot if as_copilot else ask)(policy, observation, role))

    threading.Thread(target=work, name=f"policy-{role.value}", daemon=True).start()
    answer = console.wait_for(
        answers,
        patience=patience,
        notice=lambda seconds: (
            f"{who} hasn't answered for {seconds:.0f} s. Type x to go on without them."
        ),
        give_up=lambda line: line is None or line.strip().lower() == "x",
    )
    if answer is None:
        stop_asking(policy)
        return PolicyAnswer(fault="did not answer")
    return answer
