"""What the team's readings show: which cause they prove, where, and what they leave unexplained."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.agents.cures import OUT_OF_BOUNDS, proven, tells
from chaosops.agents.handbook import pages_of
from chaosops.agents.perception import facts
from chaosops.agents.reasoning import CauseBelief, beliefs, findings_known, known
from chaosops.env.models import (
    ActionType,
    AgentRole,
    Diagnosis,
    FailureType,
    Finding,
    Health,
    InFlight,
    Message,
    ReplyKind,
    RoleView,
    Sign,
    Source,
)
from chaosops.env.models.duties import PaidFor
from chaosops.env.models.readings import Diff, Statement
from chaosops.env.models.verbs import FIXES

FRESH: Final = 8
"""Minutes for which a question or a proposal is open."""

_POSSIBLE: Final = 0.1

_DONE_BY_AGENTS: Final[Mapping[Sign, tuple[FailureType, ...]]] = MappingProxyType(
    {
        Sign.NODES_RESTARTED_TOGETHER: (
            FailureType.UNAPPROVED_AI_CHANGE,
            FailureType.PATCH_EVERYWHERE,
        ),
        Sign.OBJECTS_MISSING: (FailureType.CLEANUP_OVERREACH,),
    }
)
"""Causes by an agent that leave a sign which proves nothing, the more usual first."""


class CauseEvidence(NamedTuple):
    """What shows a cause.

    Attributes:
        part: The heading of the part of the reading in which it shows; empty if it has one part.
        by: Who shared it; None if the role looked itself.
    """

    finding: Finding
    sign: Sign
    part: str
    by: AgentRole | None


def grounded(view: RoleView) -> RoleView:
    """Return the view without what nothing rests on.

    These are diagnoses that no reading of the team supports, and the role's own readings of
    services that were well then and are not now: they can't show why these fail.
    """
    telling = tuple(one for one in view.findings if not _is_outdated(view, one))
    if len(telling) < len(view.findings):
        view = view._replace(findings=telling)
    held = beliefs(view)
    kept = tuple(made for made in view.diagnoses if _is_supported(made, held))
    return view if len(kept) == len(view.diagnoses) else view._replace(diagnoses=kept)


def _is_outdated(view: RoleView, finding: Finding) -> bool:
    ago = view.status.minute - finding.minute
    if not view.history or not 0 < ago < len(view.history):
        return False
    then, now = (
        next((row.health for row in rows if row.service == finding.target), Health.HEALTHY)
        for rows in (view.history[-1 - ago], view.history[-1])
    )
    return then is Health.HEALTHY and now is not Health.HEALTHY


def _is_supported(made: Diagnosis, held: tuple[CauseBelief, ...]) -> bool:
    return any(one.cause is made.cause and one.settled and one.share >= _POSSIBLE for one in held)


def unsupported(view: RoleView) -> Diagnosis | None:
    """Return the newest diagnosis if no reading of the team supports it."""
    kept = grounded(view).diagnoses
    if not view.diagnoses or view.diagnoses[-1] in kept:
        return None
    return view.diagnoses[-1]


def evidence_of(view: RoleView, belief: CauseBelief) -> CauseEvidence | None:
    """Return the newest reading that settles a belief, and the part of it that does."""
    shared = {
        (said.finding.source, said.finding.target, said.finding.minute): said.sender
        for said in (*view.channel, *view.inbox)
        if said.finding is not None and said.sender is not view.role
    }
    for finding in reversed(findings_known(view)):
        for fact in facts(finding):
            if fact.sign in belief.page.settled_by:
                key = finding.source, finding.target, finding.minute
                by = None if finding in view.findings else shared.get(key)
                return CauseEvidence(finding, fact.sign, _part(finding, fact.sign), by)
    return None


def _part(finding: Finding, sign: Sign) -> str:
    """Return the heading of the part that shows a sign; empty if there is only one."""
    reading = finding.reading
    if reading is None or len(reading.parts) < 2:
        return ""
    for part in reading.parts:
        alone = finding._replace(reading=reading._replace(parts=(part,)))
        if any(fact.sign is sign for fact in facts(alone)):
            if isinstance(part, Diff | Statement):
                return ""
            return part.title.partition(",")[0]
    return ""


def untold(view: RoleView) -> int | None:
    """Return the newest own finding that settles a cause, and that nobody has shared yet."""
    told = {
        (said.finding.source, said.finding.target)
        for said in view.channel
        if said.finding is not None
    }
    for index in range(len(view.findings) - 1, -1, -1):
        finding = view.findings[index]
        if (finding.source, finding.target) not in told and tells(finding):
            return index
    return None


def out_of_bounds(view: RoleView) -> str | None:
    """Return an agent that a reading shows beyond its policy, and that nobody has paused."""
    stopped = {
        item.target
        for item in (*view.in_flight, *view.landed)
        if item.action_type is ActionType.PAUSE
    }
    for fact in known(view):
        if fact.sign in OUT_OF_BOUNDS and fact.place not in stopped:
            return fact.place
    return None


def unread_agent(
    view: RoleView, held: tuple[CauseBelief, ...], agents: tuple[str, ...]
) -> str | None:
    """Return the agent that is most likely behind the failure, if nobody has read its log.

    Args:
        agents: The automation of the fleet.
    """
    read = {one.target for one in findings_known(view) if one.source is Source.AUTOMATION}
    for fact in known(view):
        for cause in _DONE_BY_AGENTS.get(fact.sign, ()):
            for page in pages_of(cause):
                if page.agent in agents and page.agent not in read:
                    return page.agent
    for belief in held:
        if belief.share < _POSSIBLE:
            return None
        if belief.page.agent in agents and belief.page.agent not in read:
            return belief.page.agent
    return None


def is_contained(view: RoleView) -> bool:
    """Whether an agent has been paused."""
    return any(item.action_type is ActionType.PAUSE for item in view.landed)


def cures_ordered(view: RoleView, belief: CauseBelief | None) -> list[InFlight]:
    """Return what was ordered that cures a cause where a reading shows it, oldest first.

    Nothing cures what an agent does, until it is paused.
    """
    if belief is None:
        return []
    since = -1
    if belief.page.is_automated:
        paused = [item.lands for item in view.landed if item.action_type is ActionType.PAUSE]
        if not paused:
            return []
        since = paused[0]
    wanted = {(cure.verb, belief.at(cure.at)): dict(cure.args) for cure in belief.page.cures}
    return [
        item
        for item in sorted((*view.landed, *view.in_flight), key=lambda one: one.lands)
        if item.lands >= since
        and (args := wanted.get((item.action_type, item.target))) is not None
        and all(item.args.get(name) == value for name, value in args.items())
    ]


def fixes_ordered(view: RoleView) -> list[InFlight]:
    """Return the fixes that were ordered, oldest first."""
    found = [item for item in (*view.landed, *view.in_flight) if item.action_type in FIXES]
    return sorted(found, key=lambda item: item.lands)


def failed_fix(view: RoleView, since: int) -> InFlight | None:
    """Return the newest fix of the role that was found wrong after a minute."""
    for credit in reversed(view.paid or ()):
        wrong = credit.component is PaidFor.WRONG_FIX and credit.role is view.role
        if not wrong or credit.paid < since:
            continue
        for item in view.landed:
            if (item.role, item.taken, item.target) == (view.role, credit.ordered, credit.target):
                return item
    return None


def open_question(view: RoleView) -> Message | None:
    """Return the newest question of a teammate that the role has not answered.

    What a teammate writes without a proposal, a finding or a reply is a question.
    """
    for said in sorted((*view.channel, *view.inbox), key=lambda one: -one.minute):
        if said.sender is view.role or said.to not in (None, view.role):
            continue
        if said.proposal or said.finding or said.reply:
            continue
        is_fresh = said.minute >= view.status.minute - FRESH
        return said if is_fresh and not _was_answered(view, said) else None
    return None


def _was_answered(view: RoleView, asked: Message) -> bool:
    return any(
        said.sender is view.role and said.minute > asked.minute and said.to in (None, asked.sender)
        for said in (*view.channel, *view.inbox)
    )


def was_asked(view: RoleView, verb: ActionType, target: str) -> bool:
    """Whether the role has proposed something lately that was neither refused nor done."""
    sent = [
        said.minute
        for said in (*view.channel, *view.inbox)
        if said.sender is view.role
        and said.proposal is not None
        and (said.proposal.action_type, said.proposal.target) == (verb, target)
    ]
    refused = [
        said.minute
        for said in (*view.channel, *view.inbox)
        if said.reply is not None
        and said.reply.kind is ReplyKind.DECLINES
        and (said.reply.proposal.action_type, said.reply.proposal.target) == (verb, target)
    ]
    if not sent or max(sent) < view.status.minute - FRESH:
        return False
    return not refused or max(refused) < max(sent)


def sure_cause(view: RoleView) -> CauseBelief | None:
    """Return the cause that readings prove."""
    return proven(beliefs(view))
