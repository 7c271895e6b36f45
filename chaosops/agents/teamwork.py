"""How a scripted teammate handles requests."""

from __future__ import annotations

from typing import Final

from chaosops.env.models import (
    REPLY,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    FailureType,
    Message,
    Proposal,
    ReplyKind,
    RoleView,
)

_FRESH: Final = 8
_REFUSALS: Final = frozenset({ReplyKind.DECLINES, ReplyKind.NOT_OVER})


def open_proposal(view: RoleView) -> Message | None:
    """Return the newest proposal to this role that it has neither acted on nor finally answered."""
    for message in sorted((*view.channel, *view.inbox), key=lambda m: -m.minute):
        if (
            message.to is view.role
            and message.proposal is not None
            and message.sender is not view.role
            and _is_fresh(message, view)
            and not _is_answered(message, view)
        ):
            return message
    return None


def _is_fresh(message: Message, view: RoleView) -> bool:
    return message.minute >= view.status.minute - _FRESH


def _is_answered(message: Message, view: RoleView) -> bool:
    proposal = message.proposal
    assert proposal is not None
    replied = any(
        _reply_to(message, mine, view) in _REFUSALS for mine in (*view.channel, *view.inbox)
    )
    return replied or was_done(view, proposal.action_type, proposal.target, since=message.minute)


def was_done(view: RoleView, verb: ActionType, target: str | None, *, since: int) -> bool:
    """Whether the role can see that an action was taken or is in flight since a minute."""
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


def _reply_to(message: Message, mine: Message, view: RoleView) -> ReplyKind | None:
    """Return how a message of the role answers a proposal; None if it doesn't."""
    reply, proposal = mine.reply, message.proposal
    if reply is None or proposal is None or not reply.proposal.asks_the_same(proposal):
        return None
    is_own = mine.sender is view.role and mine.to is message.sender
    return reply.kind if is_own and mine.minute > message.minute else None


def decline(
    message: Message, role: AgentRole, reason: str, kind: ReplyKind = ReplyKind.DECLINES
) -> ChaosOpsAction:
    """Decline a proposal with a private answer."""
    proposal = _proposal_of(message)
    return reply(message, role, kind, f"I would rather not {asked_for(proposal)}: {reason}")


def _proposal_of(message: Message) -> Proposal:
    if message.proposal is None:
        raise ValueError("the message carries no proposal")
    return message.proposal


def reply(message: Message, role: AgentRole, kind: ReplyKind, text: str) -> ChaosOpsAction:
    """Answer a proposal in private."""
    proposal = _proposal_of(message)
    asked = {
        "action_type": proposal.action_type.value,
        "target": proposal.target,
        "args": dict(proposal.args),
    }
    args = {
        "to": message.sender.value,
        "text": text,
        REPLY: {"kind": kind.value, "proposal": asked},
    }
    return ChaosOpsAction(role, ActionType.COMMUNICATE, None, args)


def asked_for(proposal: Proposal) -> str:
    """Word what a proposal asks for: "raise limit catalog threads"."""
    rest = [str(value).replace("_", " ") for value in proposal.args.values()]
    return " ".join([words(proposal.action_type), *filter(None, (proposal.target, *rest))])


def words(name: ActionType | FailureType | str) -> str:
    """Word a verb or a cause."""
    return name.replace("_", " ")
