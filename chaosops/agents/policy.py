"""What a policy is: any callable that takes an observation and a role and returns an action."""

from __future__ import annotations

from collections.abc import Callable
from traceback import format_exception_only

from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.errors import ChaosOpsError
from chaosops.text_safety import clean

Policy = Callable[[ChaosOpsObservation, AgentRole], ChaosOpsAction]


def answered_by_program(policy: object) -> bool:
    """Whether a policy's last answer came from another program, such as a language model.

    Such a policy has an attribute `answered_by_program`; it can change it with
    each answer, for example when it falls back to its own.
    """
    return getattr(policy, "answered_by_program", False) is True


def trouble_of(policy: object) -> str:
    """Return why a policy had no answer of its own, so that what it returned only passes.

    Such a policy has an attribute `trouble`, a sentence that is empty if all is well.
    """
    trouble = getattr(policy, "trouble", "")
    return trouble if isinstance(trouble, str) else ""


def stop_asking(policy: object) -> None:
    """Tell a policy that nobody waits for its answer any more, if it has a method `stop`."""
    stop = getattr(policy, "stop", None)
    if callable(stop):
        stop()


def pass_turn(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    """The policy of an empty seat."""
    return ChaosOpsAction(role=role, action_type=ActionType.NOOP)


def words_of(fault: Exception) -> str:
    """Describe a foreign error in one short line that is safe to print."""
    text = str(fault) if isinstance(fault, ChaosOpsError) else "".join(format_exception_only(fault))
    return " ".join(clean(text).split())[:200]
