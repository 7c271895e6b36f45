"""The second key of a risky move: a reading of its target, and the Manager's approval."""

from __future__ import annotations

from chaosops.agents.acting import act, can
from chaosops.env.models import ActionType, ApprovalRequest, ChaosOpsAction, RoleView


def backed(view: RoleView) -> tuple[ApprovalRequest, ...]:
    """Return the requests that can be approved, since the team has a reading of their target."""
    return tuple(request for request in view.requests or () if request.readings)


def approved(view: RoleView) -> ChaosOpsAction | None:
    """Return the approval of the oldest request that can be approved, if the role can give it."""
    requests = backed(view)
    if not requests or not can(view, ActionType.APPROVE, None):
        return None
    return act(view, ActionType.APPROVE, None, {"request": requests[0].number})


def look_behind(view: RoleView) -> ChaosOpsAction | None:
    """Return a look at the target of a request that nobody has looked at, if the role can look."""
    for request in view.requests or ():
        if request.readings:
            continue
        for choice in view.allowed:
            if choice.action_type is ActionType.INVESTIGATE and request.target in choice.targets:
                source = choice.arguments[0].choices[0]
                return act(view, ActionType.INVESTIGATE, request.target, {"source": source})
    return None
