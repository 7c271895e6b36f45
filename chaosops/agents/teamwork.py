"""How a scripted teammate deals with what others ask of it."""

from __future__ import annotations

from math import fsum
from typing import Final, NamedTuple

from chaosops.agents.belief import Belief, suspects
from chaosops.agents.runbook import RUNBOOK
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    FailureType,
    Health,
    Message,
    Proposal,
    RoleView,
    Sign,
)

_FRESH: Final = 8
_PLAUSIBLE: Final = 0.15
_ALREADY_STRONG: Final = 0.6


class Verdict(NamedTuple):
    """Whether a proposal is taken up, and why."""

    accepted: bool
    reason: str


def open_proposal(view: RoleView) -> Message | None:
    """The newest proposal to this role that it has neither acted on nor answered."""
    for message in sorted((*view.channel, *view.inbox), key=lambda m: -m.minute):
        if (
            message.to is view.role
            and message.proposal is not None
            and message.sender is not view.role
            and message.minute >= view.status.minute - _FRESH
            and not _is_answered(message, view)
        ):
            return message
    return None


def _is_answered(message: Message, view: RoleView) -> bool:
    proposal = message.proposal
    assert proposal is not None
    replied = any(
        mine.sender is view.role and mine.to is message.sender and mine.minute > message.minute
        for mine in (*view.channel, *view.inbox)
    )
    return replied or was_done(view, proposal.action_type, proposal.target, since=message.minute)


def was_done(view: RoleView, verb: ActionType, target: str | None, *, since: int) -> bool:
    """Whether the role can see that the act was done, or is on its way, since that minute."""
    if verb is ActionType.INVESTIGATE:
        return any(
            finding.target == target and finding.minute >= since for finding in view.findings
        )
    if verb is ActionType.DIAGNOSE:
        return any(made.minute >= since for made in view.diagnoses)
    return any(
        item.action_type is verb and item.target == target and item.taken >= since
        for item in (*view.in_flight, *view.landed)
    )


def weigh(
    proposal: Proposal, view: RoleView, held: tuple[Belief, ...], signs: dict[str, set[Sign]]
) -> Verdict:
    """Whether the proposal fits what this role believes.

    Args:
        held: The role's beliefs, the likeliest first.
        signs: What it knows of each service and agent.
    """
    verb, target = proposal.action_type, proposal.target or ""
    top = held[0]
    if verb in (ActionType.INVESTIGATE, ActionType.NOOP, ActionType.ESCALATE, ActionType.RESUME):
        return Verdict(True, "it does no harm")
    if verb is ActionType.PAUSE:
        if Sign.WITHIN_POLICY in signs.get(target, set()):
            return Verdict(False, f"{target} keeps to its policy")
        return Verdict(True, "a pause can be taken back")
    if verb is ActionType.FLAG:
        if Sign.BEYOND_POLICY in signs.get(target, set()):
            return Verdict(True, f"{target} went beyond its policy")
        return Verdict(False, f"I have no proof against {target}; a pause would do for now")
    if verb is ActionType.RESOLVE:
        if view.status.users_ok >= view.status.slo and view.status.held >= 2:
            return Verdict(True, "users are well")
        return Verdict(False, "users are not well yet")
    if verb is ActionType.DIAGNOSE:
        cause = FailureType(str(proposal.args.get("cause")))
        share = next(belief.share for belief in held if belief.cause is cause)
        if share >= 2 * _PLAUSIBLE:
            return Verdict(True, "it fits what I see")
        if top.cause is cause:
            return Verdict(False, "I am not sure enough of it yet")
        return Verdict(False, f"what I see speaks for {words(top.cause)} rather")
    return _weigh_fix(verb, target, view, held)


def _weigh_fix(verb: ActionType, target: str, view: RoleView, held: tuple[Belief, ...]) -> Verdict:
    top = held[0]
    if was_done(view, verb, target, since=view.status.minute - 6):
        return Verdict(False, f"{words(verb)} {target} was done a moment ago")
    now = {signals.service: signals.health for signals in view.services or ()}
    touched = any(item.target == target for item in view.landed)
    if touched and now.get(target) is Health.HEALTHY:
        return Verdict(False, f"{target} is well since the last change there")
    fitting = fsum(
        belief.share
        for belief in held
        if any(fix.verb is verb for fix in RUNBOOK[belief.cause].fixes)
        and belief.place in ("", target)
    )
    if fitting >= _PLAUSIBLE:
        return Verdict(True, "it fits what I see")
    is_mended = bool(top.place) and any(item.target == top.place for item in view.landed)
    if top.share >= _ALREADY_STRONG and not is_mended:
        where = f" in {top.place}" if top.place else ""
        return Verdict(False, f"what I see speaks for {words(top.cause)}{where}")
    if target in suspects(view)[:4]:
        return Verdict(True, f"{target} is in trouble, and I know nothing better")
    return Verdict(False, f"{target} looks well from here, and the change would cost it a minute")


def reply(message: Message, role: AgentRole, verdict: Verdict) -> ChaosOpsAction:
    """A private answer to whoever proposed something."""
    proposal = message.proposal
    assert proposal is not None
    what = f"{words(proposal.action_type)} {proposal.target or ''}".strip()
    lead = "I will" if verdict.accepted else "I would rather not"
    return ChaosOpsAction(
        role,
        ActionType.COMMUNICATE,
        None,
        {"to": message.sender.value, "text": f"{lead} {what}: {verdict.reason}"},
    )


def words(name: ActionType | FailureType) -> str:
    """A verb or a cause as a person writes it."""
    return name.value.replace("_", " ")
