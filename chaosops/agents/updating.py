"""Status updates: sending a draft as it is, or amended by what the view shows."""

from __future__ import annotations

from chaosops.env.models import (
    ActionType,
    AgentRole,
    CauseFamily,
    ChaosOpsAction,
    RoleView,
    UpdateContent,
    UpdatePoint,
)
from chaosops.env.models.updates import families_of
from chaosops.env.status_desk import UpdateFacts, contradicted, drafted, moves_at


def as_drafted(view: RoleView) -> ChaosOpsAction | None:
    """Send the update that is due as it was drafted; None if it isn't this role's to send."""
    return None if view.due is None else _sent(view, view.due.draft)


def amended(view: RoleView) -> ChaosOpsAction | None:
    """Send the update that is due, with each point that the view contradicts put right."""
    due, facts = view.due, known_facts(view)
    if due is None or facts is None:
        return None
    said, right = due.draft, drafted(facts)
    for _point in UpdatePoint:
        wrong = contradicted(said, facts)
        if wrong is None:
            break
        said = said._replace(**{wrong.value: getattr(right, wrong.value)})
        if wrong is UpdatePoint.CAUSE:
            said = said._replace(place=right.place)
    return _sent(view, said)


def known_facts(view: RoleView) -> UpdateFacts | None:
    """Return what an update can be checked against; None for a role that doesn't see it."""
    if view.impact is None or not view.impact.journeys:
        return None
    shared = [one.finding.target for one in view.channel if one.finding is not None]
    shared = [place for place in shared if any(node.name == place for node in view.graph)]
    made = view.diagnoses[-1] if view.diagnoses else None
    under_way, fixed = moves_at(view.status.minute, (*view.in_flight, *view.landed))
    return UpdateFacts(
        view.impact.journeys,
        CauseFamily.NOT_KNOWN if made is None else families_of(made.cause)[0],
        made.place if made is not None else shared[-1] if shared else "",
        frozenset(shared),
        under_way or bool(view.requests),
        fixed,
    )


def _sent(view: RoleView, said: UpdateContent) -> ChaosOpsAction | None:
    if view.role is not AgentRole.MANAGER:
        return None
    return ChaosOpsAction(view.role, ActionType.UPDATE, None, said.args())
