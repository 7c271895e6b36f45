"""Presents what waits for an answer: the team's risky moves, and what agents ask for."""

from __future__ import annotations

from typing import Final

from chaosops.env.models import AgentRequest, ApprovalRequest, Status
from chaosops.presenter.rows import Entry, Moment, RowCell, TakenAction, Wording

_ASKED: Final = Wording(
    "{time} request {number} by {agent}: {act} {target}; measured {signal} {value} {unit}; "
    "{share} % of its traffic; policy: {policy}; lapses {lapses}, then it is not done"
)
_REQUEST: Final = Wording("{time} request {number} by {who}: {act}, lapses {lapses}; {readings}")


def asked_entry(request: AgentRequest, status: Status) -> Entry:
    """Present what an automation agent asks leave for."""
    claim = request.claim
    entry = _ASKED.row(
        time=Moment(status, request.asked),
        number=str(request.number),
        agent=request.agent,
        act=request.command,
        target=request.target,
        signal=claim.signal,
        value=claim.value,
        unit=claim.unit or "counted",
        share=request.share,
        policy=request.policy,
        lapses=Moment(status, request.lapses),
    )
    if request.gates is not None:
        passed = f"{request.gates.passed}/{request.gates.asked}"
        entry = entry.with_cell(RowCell("gates", passed, "; gates passed "))
    return entry


def request_entry(request: ApprovalRequest, status: Status) -> Entry:
    """Present a move that waits for the Manager's approval, and what is known of its target."""
    return _REQUEST.row(
        time=Moment(status, request.asked),
        number=str(request.number),
        who=request.role,
        act=TakenAction(request.action_type, request.target, request.args),
        lapses=Moment(status, request.lapses),
        readings=_readings(request),
    )


def _readings(request: ApprovalRequest) -> str:
    """Say what the team knows of a request's target."""
    if not request.readings:
        return f"nobody has looked at {request.target} yet"
    return f"{request.readings} {'look' if request.readings == 1 else 'looks'} so far"
