"""Asking policies for actions and reasons, whatever they raise."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType

from chaosops.agents.candidates import Candidate, read_candidates
from chaosops.agents.policies import Policy, answered_by_program, trouble_of
from chaosops.env.models import AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.play.formatting import shown


@dataclass(frozen=True)
class PolicyAnswer:
    """An action, or why there is none.

    Attributes:
        reason: The policy's reason for the action; empty if it gives none.
        by_program: Whether the policy asked another program, such as a language model.
        trouble: Why the policy had no answer of its own, so that it passes; may be empty.
        others: What a copilot offers besides the action, the better first.
    """

    action: object = None
    fault: str = ""
    reason: str = ""
    by_program: bool = False
    trouble: str = ""
    others: tuple[Candidate, ...] = ()


class _Fault(AbstractContextManager["_Fault"]):
    """Catches any error, and describes it."""

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
    """Ask a policy for its answer, whatever it raises. Takes as long as the policy does."""
    action: object = None
    reason = ""
    with _Fault() as fault:
        action = policy(observation, role)
    if isinstance(action, ChaosOpsAction):
        reason = reason_of(policy, observation, role)
    return PolicyAnswer(
        action, fault.text, reason, answered_by_program(policy), shown(trouble_of(policy), 400)
    )


def ask_copilot(policy: Policy, observation: ChaosOpsObservation, role: AgentRole) -> PolicyAnswer:
    """Ask a policy what it would do as a copilot: up to three candidates if it has any to offer.

    A policy without a method `candidates` offers its action alone.
    """
    offers = getattr(policy, "candidates", None)
    if not callable(offers):
        return ask(policy, observation, role)
    found: tuple[Candidate, ...] = ()
    problem = ""
    with _Fault() as fault:
        found, problem = read_candidates(offers(observation, role))
    found = tuple(Candidate(each.action, shown(each.reason, 400)) for each in found)
    action, reason = found[0] if found else (None, "")
    return PolicyAnswer(
        action,
        fault.text or problem,
        reason,
        answered_by_program(policy),
        shown(trouble_of(policy), 400),
        found[1:],
    )


def reason_of(policy: Policy, observation: ChaosOpsObservation, role: AgentRole) -> str:
    """Return a policy's reason for its action; empty if it gives none."""
    explain = getattr(policy, "explain", None)
    said: object = ""
    if callable(explain):
        with _Fault():
            said = explain(observation, role)
    return shown(said, 400) if isinstance(said, str) else ""
