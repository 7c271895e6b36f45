"""Every field of a view is part of a row, and what a role does not see is in none."""

from __future__ import annotations

from chaosops.env.models import (
    EMPTY,
    TURN_ORDER,
    AgentDeed,
    AgentRequest,
    AgentRole,
    AuditEvent,
    Claim,
    RoleView,
)
from chaosops.presenter import PARTS, entries, recent
from tests.text.samples import seen

HEAD = {"role", "status", "allowed"}
"""Fields of which prompts and screens have heads and menus instead."""


def test_every_field_of_a_view_belongs_to_one_part() -> None:
    fields = [field for part in PARTS.values() for field in part.fields]
    assert len(set(fields)) == len(fields)
    assert set(fields) | HEAD == set(RoleView._fields)


def test_a_part_that_a_role_does_not_see_has_no_section(easiest: str) -> None:
    for observation in seen(easiest)[: len(TURN_ORDER)]:
        view = observation.view
        for part in PARTS.values():
            assert part.is_seen(view) is any(True for _section in part.sections(view))


def test_what_is_recent_is_what_the_role_did_not_see_before(easiest: str) -> None:
    for observation in seen(easiest):
        view = observation.view
        assert recent(view, view) == ((), (), (), ())
        everything = recent(view, None)
        assert everything.findings == entries(view, "findings", "findings")
        others = [said.sender for said in view.channel if said.sender is not view.role]
        assert [said.find("sender") for said in everything.channel] == others


def test_a_request_is_pending_in_the_audit_log_only_while_it_is_open(easiest: str) -> None:
    view = next(o.view for o in seen(easiest) if o.view.role is AgentRole.OVERSIGHT)
    asked = AuditEvent(3, "deploy_bot", "request: promote r2", "edge", "canary", "pending")
    other = AuditEvent(2, "deploy_bot", "promote r1", "edge", "canary", "standing policy")
    claim = Claim("canary", "edge", 4, "min")
    request = AgentRequest(
        1, "deploy_bot", AgentDeed.PROMOTE, "edge", EMPTY, "promote r2", claim, None, "", 30, 3, 11
    )
    for requests, approval in (((request,), "pending"), ((), "no longer pending")):
        now = view.model_copy(update={"audit": (other, asked), "agent_requests": requests})
        rows = [entry.find("approval") for entry in entries(now, "audit", "audit")]
        assert rows == ["standing policy", approval]
