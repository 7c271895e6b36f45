"""Whether what a policy would have done may be told as advice once the truth is known."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from chaosops.env.models import ActionType, ChaosOpsAction, Credit, PaidFor, Source
from chaosops.env.models.failures import cause_named
from chaosops.env.models.verbs import ANSWERS, FIXES
from chaosops.env.world_sim import Scenario

Look = tuple[Source, str]
"""An instrument, and what it is used on."""

_MISTAKES: Final = frozenset(
    {PaidFor.WRONG_FIX, PaidFor.CASCADE, PaidFor.APPROVAL, PaidFor.GRANT, PaidFor.WRONG_ACCUSATION}
)


def telling_looks(scenario: Scenario) -> frozenset[Look]:
    """Return the looks that show the drawn cause, or the acts of a guilty agent."""
    incident = scenario.incident
    looks = {
        (item.source, item.at)
        for item in incident.evidence
        if scenario.failure_type in item.supports
    }
    guilty = {(Source.AUTOMATION, each.name) for each in incident.automation if each.is_guilty}
    return frozenset(looks | guilty)


def is_advice(
    move: ChaosOpsAction,
    taken: ChaosOpsAction,
    scenario: Scenario,
    telling: Collection[Look],
    charged: Collection[Credit],
    minute: int,
) -> bool:
    """Whether a move would have been better, as far as the truth and what followed it tell.

    A look is no better than another look if it shows nothing of the cause.

    Args:
        taken: What was done instead.
        telling: The looks that show the cause.
        charged: What deeds earned or cost where the move was made.
        minute: When it was made.
    """
    verb, target, args = _wanted(move)
    if verb == ActionType.INVESTIGATE:
        return shows_cause(move, telling) or _wanted(taken)[0] != ActionType.INVESTIGATE
    if verb == ActionType.DIAGNOSE:
        return cause_named(str(args.get("cause"))) == scenario.failure_type
    later = [each for each in charged if each.component in _MISTAKES and each.ordered >= minute]
    if verb in FIXES or verb in (ActionType.PAUSE, ActionType.FLAG):
        return not any(each.target == target for each in later)
    if verb in ANSWERS or verb in (ActionType.APPROVE, ActionType.REFUSE):
        return not any((each.role, each.ordered) == (move.role, minute) for each in later)
    return True


def shows_cause(move: ChaosOpsAction, telling: Collection[Look]) -> bool:
    """Whether a move takes or asks for one of the looks that show the cause."""
    verb, target, args = _wanted(move)
    return verb == ActionType.INVESTIGATE and (args.get("source"), target) in telling


def _wanted(move: ChaosOpsAction) -> tuple[object, object, Mapping[str, Any]]:
    """Return the verb, the target and the arguments of what a move does, or asks another for."""
    proposal = move.args.get("proposal")
    if not isinstance(proposal, Mapping):
        return move.action_type, move.target, move.args
    inner = proposal.get("args")
    args = inner if isinstance(inner, Mapping) else {}
    return proposal.get("action_type"), proposal.get("target"), args
