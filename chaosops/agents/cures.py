"""What fixes a cause, and which evidence calls for it, as the handbook has it."""

from __future__ import annotations

from typing import Final

from chaosops.agents.acting import act
from chaosops.agents.handbook import HANDBOOK, Cure
from chaosops.agents.perception import facts
from chaosops.agents.reasoning import CauseBelief, findings_known, known, relapsed_since, suspects
from chaosops.env.models import (
    ActionType,
    ChaosOpsAction,
    Finding,
    Proposal,
    RoleView,
    Sign,
    Source,
)
from chaosops.env.models.scope import instance_number
from chaosops.env.models.verbs import FIXES

SURE: Final = 0.75
"""The share of belief from which a cause counts as proven."""

PAGES: Final = tuple(page for pages in HANDBOOK.values() for page in pages)
"""Every page of the handbook."""

_PATIENCE: Final = 6

OUT_OF_BOUNDS: Final = frozenset(
    {
        Sign.GATE_FAILED,
        Sign.BEYOND_POLICY,
        Sign.EJECTED_BEYOND_POLICY,
        Sign.LIVE_DATA_DELETED,
        Sign.PATCHED_BEYOND_POLICY,
        Sign.RENEWED_BEYOND_POLICY,
        Sign.PLAN_BEYOND_POLICY,
        Sign.RESTARTED_BEYOND_GRANT,
    }
)
"""Signs that an agent acted beyond its policy or its gates."""


def proven(held: tuple[CauseBelief, ...]) -> CauseBelief | None:
    """Return the likeliest cause if there is evidence close to proof."""
    top = held[0]
    return top if top.settled and top.share >= SURE else None


def next_cure(view: RoleView, belief: CauseBelief) -> tuple[Cure, str] | None:
    """Return the first cure that is neither in flight nor recent."""
    page = belief.page
    if page.is_automated and not _is_contained(view):
        return None
    waits = {(each.action_type, each.target) for each in view.requests or ()}
    since = relapsed_since(view)
    for cure in page.cures:
        target = belief.at(cure.at) or next(iter(suspects(view)), "")
        if not target:
            continue
        done = [
            item
            for item in (*view.in_flight, *view.landed)
            if item.action_type is cure.verb and item.target == target
            if not instance_number(item.args)
            if since is None or item.lands > since
        ]
        if (cure.verb, target) in waits:
            return None
        if not done:
            return cure, target
        if view.status.minute < done[-1].lands + _PATIENCE:
            return None
        if cure.verb is ActionType.ROLLBACK:
            return cure, target
    return None


def _is_contained(view: RoleView) -> bool:
    return any(item.action_type is ActionType.PAUSE for item in view.landed)


def is_open(view: RoleView) -> bool:
    """Whether users are hurt, or are well and the incident goes on after the hold.

    What is cured ends with the hold; what goes on was only eased.
    """
    status = view.status
    return status.users_ok < status.slo or status.held > status.hold


def is_untreated(view: RoleView) -> bool:
    """Whether nobody has ordered a fix yet."""
    return not any(item.action_type in FIXES for item in (*view.in_flight, *view.landed))


def roll_back(view: RoleView, belief: CauseBelief, target: str) -> ChaosOpsAction | None:
    """Roll back the change behind a cause; read the changes first if it is not known.

    What was rolled back before an agent was paused may have been released again.
    """
    paused = [item.lands for item in view.landed if item.action_type is ActionType.PAUSE]
    contained = max(paused, default=-1)
    own = [change for change in view.changes or () if change.service == target]
    tried = {
        item.args.get("change")
        for item in (*view.in_flight, *view.landed)
        if item.action_type is ActionType.ROLLBACK
        and item.target == target
        and not instance_number(item.args)
        and item.lands > contained
    }
    left = [change.version for change in own if change.version not in tried]
    if not own:
        return act(view, ActionType.ROLLBACK, target)
    if belief.detail in left:
        return act(view, ActionType.ROLLBACK, target, {"change": belief.detail})
    read = [
        diff
        for finding in findings_known(view)
        if finding.target == target and finding.source is Source.CHANGES and finding.reading
        for diff in finding.reading.diffs()
    ]
    if len(left) > 1 and not read:
        args = {"source": Source.CHANGES.value}
        return act(view, ActionType.INVESTIGATE, target, args)
    kind = belief.page.change
    fitting = [
        diff.version
        for diff in read
        if diff.version in left
        and (belief.detail in diff.touches if belief.detail else True)
        and (not kind or diff.kind == kind)
    ]
    chosen = (*reversed(fitting), *reversed(left))
    return act(view, ActionType.ROLLBACK, target, {"change": chosen[0]}) if chosen else None


def telling(view: RoleView, belief: CauseBelief) -> int | None:
    """Return the newest own finding that settles a belief."""
    settled_by = belief.page.settled_by
    for index in range(len(view.findings) - 1, -1, -1):
        if any(fact.sign in settled_by for fact in facts(view.findings[index])):
            return index
    return None


def tells(finding: Finding) -> bool:
    """Whether a finding settles a cause."""
    seen = facts(finding)
    return any(fact.sign in page.settled_by for page in PAGES for fact in seen)


def supported(proposal: Proposal, view: RoleView) -> bool:
    """Whether a known fact proves a cause that the action fixes at its target."""
    for page in PAGES:
        for cure in page.cures:
            if cure.verb is not proposal.action_type:
                continue
            for fact in known(view):
                if fact.sign in page.settled_by and proposal.target in (fact.place, fact.by):
                    return True
    return False
