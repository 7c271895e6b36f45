"""How policies answer what automation agents ask Oversight for.

A request is denied where what it says of itself is out of bounds: a build that failed gates, most
instances at once, a certificate that not all of them load, a plan that is older than the one it
would replace. Otherwise it is granted; what an act of that kind rests on is asked for first where
the request alone can't tell, and has to be fresh, of the target, and within the written policy.
"""

from __future__ import annotations

from typing import Final

from chaosops.agents.acting import act
from chaosops.agents.cells import number
from chaosops.env.models import ActionType, AgentDeed, AgentRequest, ChaosOpsAction, RoleView
from chaosops.env.models.readings import Reading, TableKind, column

_FRESH: Final = 10
_LAST_CHANCE: Final = 5
_RESTS_ON_A_READING: Final = frozenset(
    {AgentDeed.SCALE_IN, AgentDeed.DELETE, AgentDeed.RESTART, AgentDeed.EJECT}
)


def answer_request(view: RoleView) -> ChaosOpsAction | None:
    """Return the answer to the oldest request, or ask for the evidence that it takes."""
    for request in view.agent_requests or ():
        if is_out_of_bounds(request):
            return _answer(view, ActionType.DENY, request)
        if request.deed not in _RESTS_ON_A_READING:
            return _answer(view, ActionType.GRANT, request)
        evidence = _evidence(view, request)
        if evidence is None:
            return _answer(view, ActionType.ASK, request)
        verb = ActionType.GRANT if _supports(evidence, request) else ActionType.DENY
        return _answer(view, verb, request)
    return None


def answer_in_time(view: RoleView) -> ChaosOpsAction | None:
    """Return the answer to a request that lapses before the role could ask for evidence and answer.

    What rests on a reading that nobody has seen is denied, since few such acts help users.
    """
    for request in view.agent_requests or ():
        if request.lapses <= view.status.minute + _LAST_CHANCE:
            unsafe = is_out_of_bounds(request) or request.deed in _RESTS_ON_A_READING
            return _answer(view, ActionType.DENY if unsafe else ActionType.GRANT, request)
    return None


def answer_at_once(view: RoleView) -> ChaosOpsAction | None:
    """Return the answer to the oldest request from what it says of itself alone."""
    for request in view.agent_requests or ():
        verb = ActionType.DENY if is_out_of_bounds(request) else ActionType.GRANT
        return _answer(view, verb, request)
    return None


def is_out_of_bounds(request: AgentRequest) -> bool:
    """Whether a request shows by itself that the act would do harm."""
    args, deed = request.args, request.deed
    if request.gates is not None and request.gates.passed < request.gates.asked:
        return True
    if deed in (AgentDeed.EJECT, AgentDeed.PATCH, AgentDeed.RESTART):
        return 2 * int(args["change"]) > int(args["of"])
    if deed is AgentDeed.RENEW:
        return int(args["reloaded"]) < int(args["of"])
    if deed is AgentDeed.APPLY:
        return int(args["plan"]) < int(args["over"])
    return False


def _answer(view: RoleView, verb: ActionType, request: AgentRequest) -> ChaosOpsAction:
    return act(view, verb, None, {"request": request.number})


def _evidence(view: RoleView, request: AgentRequest) -> Reading | None:
    """Return the reading with what a request rests on, if it was asked for."""
    for finding in reversed(view.findings):
        if finding.target != request.agent or finding.reading is None:
            continue
        table = finding.reading.table(TableKind.EVIDENCE)
        if table is not None and request.number in column(table, "request"):
            return finding.reading
    return None


def _supports(evidence: Reading, request: AgentRequest) -> bool:
    """Whether what a request rests on is fresh, of its target, and within the policy."""
    table = evidence.table(TableKind.EVIDENCE)
    assert table is not None
    age = request.asked - number(column(table, "minute")[0])
    if age > _FRESH or column(table, "service")[0] != request.target:
        return False
    policy = evidence.table(TableKind.POLICY)
    if policy is None or request.deed is not AgentDeed.DELETE:
        return True
    limits = dict(zip(column(policy, "parameter"), column(policy, "value"), strict=True))
    return request.claim.value >= number(limits.get("kept days", 0))
