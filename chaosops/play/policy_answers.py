"""What a policy came up with, whatever it does."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType

from chaosops.agents.policies import Policy, answered_by_program
from chaosops.env.models import AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.play.formatting import shown


@dataclass(frozen=True)
class PolicyAnswer:
    """An action, or the reason why there is none.

    Attributes:
        reason: Why this action, in the policy's own words; empty if it gives none.
        by_program: The policy asked a program of its own, such as a language model.
    """

    action: object = None
    fault: str = ""
    reason: str = ""
    by_program: bool = False


class _Fault(AbstractContextManager["_Fault"]):
    """Keeps an error from going further, whatever it is, and what to say about it."""

    text = ""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if isinstance(error, Exception):
            self.text = f"raised {type(error).__name__}: {error}"
        return isinstance(error, Exception)


def ask(policy: Policy, observation: ChaosOpsObservation, role: AgentRole) -> PolicyAnswer:
    """A policy's answer, whatever it does. May take as long as the policy likes."""
    action: object = None
    reason = ""
    with _Fault() as fault:
        action = policy(observation, role)
    if isinstance(action, ChaosOpsAction):
        reason = reason_of(policy, observation, role)
    return PolicyAnswer(action, fault.text, reason, answered_by_program(policy))


def reason_of(policy: Policy, observation: ChaosOpsObservation, role: AgentRole) -> str:
    """Why a policy does what it does here, in its own words; empty if it says nothing."""
    explain = getattr(policy, "explain", None)
    said: object = ""
    if callable(explain):
        with _Fault():
            said = explain(observation, role)
    return shown(said, 400) if isinstance(said, str) else ""
