"""The steady teammate in incidents of the first edition."""

from __future__ import annotations

from typing import Final

from chaosops.agents.acting import act
from chaosops.agents.belief import beliefs, suspects
from chaosops.agents.healthy import is_out_of_range
from chaosops.agents.looking import looks
from chaosops.agents.responses import answer
from chaosops.agents.weighing import unfinished
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, RoleView

_FIRST_LOOK: Final = {AgentRole.SRE: "metrics", AgentRole.DEV: "logs"}


def decide(view: RoleView) -> ChaosOpsAction:
    """Answer requests, share what is out of range, and look once."""
    held = beliefs(view)
    answered = answer(view, held)
    if answered is not None:
        return answered
    if view.role is AgentRole.MANAGER:
        verb = ActionType.NOOP if unfinished(view) else ActionType.RESOLVE
        return act(view, verb, None)
    told = {
        (message.finding.source, message.finding.target)
        for message in view.channel
        if message.finding is not None
    }
    for index, finding in enumerate(view.findings):
        if (finding.source, finding.target) not in told and is_out_of_range(finding):
            return act(view, ActionType.COMMUNICATE, None, {"to": "all", "finding": index})
    if view.findings:
        return act(view, ActionType.NOOP, None)
    if view.agents is not None:
        found = sorted(looks(view, held), key=lambda look: (-look.worth, look.target))
        if not found:
            return act(view, ActionType.NOOP, None)
        return act(view, ActionType.INVESTIGATE, found[0].target, {"source": "automation"})
    worst = next(iter(suspects(view)), view.graph[0].name)
    return act(view, ActionType.INVESTIGATE, worst, {"source": _FIRST_LOOK[view.role]})
