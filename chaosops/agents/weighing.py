"""How a scripted teammate judges a proposal by what it sees."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import Final, NamedTuple

from chaosops.agents.belief import Belief, findings_known, roots
from chaosops.agents.looking import Look
from chaosops.agents.runbook import RUNBOOK, entry_of
from chaosops.agents.teamwork import put_off_since, was_done, words
from chaosops.env.models import (
    ActionType,
    AgentRole,
    FailureType,
    Health,
    Message,
    Proposal,
    ReplyKind,
    RoleView,
    Sign,
    Source,
)
from chaosops.env.models.failures import cause_named

_PLAUSIBLE: Final = 0.15
_ALREADY_STRONG: Final = 0.6
_RULED_OUT: Final = 0.01
_JUST_DONE: Final = 6
_LOOK_AGAIN: Final = 12
_LOOKS: Final = 2
_DEFAULTS: Final[tuple[tuple[str, str | None], ...]] = (("unit", "instance"), ("limit", None))


class ProposalVerdict(NamedTuple):
    """Whether a proposal is accepted, and why.

    Attributes:
        look: What to investigate if the role knows too little to decide yet.
        reply: The kind of answer that declines it.
    """

    accepted: bool
    reason: str
    look: Look | None = None
    reply: ReplyKind = ReplyKind.DECLINES


def weigh(
    message: Message, view: RoleView, held: tuple[Belief, ...], signs: Mapping[str, set[Sign]]
) -> ProposalVerdict:
    """Judge whether a proposal fits what this role believes.

    Args:
        message: A message with a proposal.
        held: The role's beliefs, the likeliest first.
        signs: The signs that it knows of each service and agent.
    """
    proposal = message.proposal
    assert proposal is not None
    verb, target = proposal.action_type, proposal.target or ""
    if verb in (ActionType.INVESTIGATE, ActionType.NOOP, ActionType.ESCALATE, ActionType.RESUME):
        return ProposalVerdict(True, "it does no harm")
    if verb is ActionType.PAUSE:
        if Sign.WITHIN_POLICY in signs.get(target, set()):
            return ProposalVerdict(False, f"{target} keeps to its policy")
        return ProposalVerdict(True, "a pause can be taken back")
    if verb is ActionType.FLAG:
        if Sign.BEYOND_POLICY in signs.get(target, set()):
            return ProposalVerdict(True, f"{target} went beyond its policy")
        return ProposalVerdict(False, f"I have no proof against {target}; a pause would do for now")
    if verb is ActionType.RESOLVE:
        return _weigh_all_clear(view)
    if verb is ActionType.DIAGNOSE:
        return _weigh_diagnosis(cause_named(str(proposal.args.get("cause"))), view, held)
    if verb is ActionType.SCALE and _is_fewer(proposal, view):
        proposal = Proposal(ActionType.DRAIN, target)
    is_shed = verb is ActionType.SHED_LOAD
    places = tuple(signs) if is_shed else (target,)
    at = {sign for place in places for sign in signs.get(place, set())}
    return _weigh_fix(message, proposal, view, held, at)


def _weigh_all_clear(view: RoleView) -> ProposalVerdict:
    against = unfinished(view)
    if not against:
        return ProposalVerdict(True, "the cause is gone, and users are well")
    kind = ReplyKind.NOT_OVER if _is_refused(view) else ReplyKind.DECLINES
    return ProposalVerdict(False, against, reply=kind)


def unfinished(view: RoleView) -> str:
    """Explain what contradicts an all-clear; empty if nothing does."""
    status = view.status
    if status.users_ok < status.slo:
        return "users are not well yet"
    if view.in_flight:
        item = view.in_flight[0]
        return f"{words(item.action_type)} {item.target} is still on its way"
    if _is_refused(view):
        return "the last all-clear was wrong, and nothing has changed since"
    confirmed = [made for made in view.diagnoses if made.right]
    if not confirmed:
        return "the cause is not confirmed, and it may still be there"
    entry = entry_of(confirmed[-1].cause)
    cause = words(confirmed[-1].cause)
    done = {item.action_type for item in view.landed}
    if entry is not None:
        ends = {fix.verb for fix in entry.fixes}
        if ActionType.RESOLVE not in ends and not ends & done:
            return f"nothing that ends {cause} has landed yet"
        if entry.is_automated and ActionType.PAUSE not in done:
            return f"{cause} is an agent's doing, and no agent is paused"
    if status.held < 2 and view.landed:
        return "users have been well for a moment only"
    return ""


def _is_refused(view: RoleView) -> bool:
    """Whether the last all-clear was wrong and nothing has changed since."""
    refused = _last_refused(view)
    return refused is not None and not _changed_since(view, refused)


def _last_refused(view: RoleView) -> int | None:
    """Return when an all-clear was last known to be wrong: from an action, or from an own reply."""
    minutes = [
        did.minute
        for did in (view.impact.doing if view.impact else ())
        if did.role is AgentRole.MANAGER and did.action_type is ActionType.RESOLVE
    ]
    minutes += [
        mine.minute
        for mine in (*view.channel, *view.inbox)
        if mine.sender is view.role
        and mine.reply is not None
        and mine.reply.kind is ReplyKind.NOT_OVER
    ]
    return max(minutes, default=None)


def _changed_since(view: RoleView, minute: int) -> bool:
    return any(item.lands >= minute for item in view.landed) or any(
        made.minute >= minute for made in view.diagnoses
    )


def _weigh_diagnosis(
    cause: FailureType | str, view: RoleView, held: tuple[Belief, ...]
) -> ProposalVerdict:
    made = {diagnosis.cause: diagnosis.right for diagnosis in view.diagnoses}
    if cause in made:
        return ProposalVerdict(
            False, "it is confirmed already" if made[cause] else "it was not confirmed"
        )
    share = next((belief.share for belief in held if belief.cause is cause), 0.0)
    if share >= 2 * _PLAUSIBLE:
        return ProposalVerdict(True, "it fits what I see")
    top = held[0]
    confirmed = [words(other) for other, right in made.items() if right]
    if confirmed:
        return ProposalVerdict(
            False, f"I see no sign of it, and {confirmed[-1]} is confirmed already"
        )
    if top.cause is cause or top.share < 2 * _PLAUSIBLE:
        return ProposalVerdict(False, "I am not sure enough of it yet")
    return ProposalVerdict(False, f"what I see speaks for {words(top.cause)} rather")


def _weigh_fix(
    message: Message,
    proposal: Proposal,
    view: RoleView,
    held: tuple[Belief, ...],
    at: set[Sign],
) -> ProposalVerdict:
    """Judge whether a change fits.

    Args:
        at: What is known of its target; for shed load, of everything behind the entry.
    """
    verb, target = proposal.action_type, proposal.target or ""
    if verb is ActionType.SHED_LOAD and proposal.args.get("percent") == 0:
        return _weigh_giving_back(target, view)
    if was_done(view, verb, target, since=view.status.minute - _JUST_DONE):
        return ProposalVerdict(False, f"{words(verb)} {target} was done a moment ago")
    is_well = _health(view, target) is Health.HEALTHY
    if is_well and any(item.target == target for item in view.landed):
        return ProposalVerdict(False, f"{target} is well since the last change there")
    if any(at & RUNBOOK[cause].settled_by for cause in _ended_by(proposal)):
        return ProposalVerdict(True, "it fits what I see")
    if view.status.users_ok >= view.status.slo:
        return ProposalVerdict(False, "users are well, and a change could end that")
    if _is_likely(message, proposal, at, held):
        return ProposalVerdict(True, "it fits what I see")
    if is_well:
        return ProposalVerdict(
            False, f"{target} looks well from here, and a change would cost it a minute"
        )
    against = _is_pointless(proposal, view)
    if against:
        return ProposalVerdict(False, against)
    if _is_named(message, proposal, at):
        return ProposalVerdict(True, "it would end that, and nothing here speaks against it")
    against = _is_unlikely(proposal, view, held)
    if against:
        return ProposalVerdict(False, against)
    if _is_proven(proposal, view, held):
        return ProposalVerdict(True, "it ends what is proven, and that is where it shows")
    look = _telling_look(proposal, view, held)
    if look is None or _looks_taken(message, view) >= _LOOKS:
        return ProposalVerdict(False, f"nothing that I see in {target} speaks for it")
    return ProposalVerdict(False, f"I know too little of {target} yet", look)


def _is_fewer(proposal: Proposal, view: RoleView) -> bool:
    """Whether it removes replicas: that fixes what a drain fixes, not what a scale-out fixes."""
    now = {each.service: each.replicas for each in view.services or ()}.get(str(proposal.target))
    wanted = proposal.args.get("replicas")
    return now is not None and type(wanted) is int and wanted < now


def _health(view: RoleView, target: str) -> Health | None:
    """Return a service's health as this role sees it; None if it doesn't."""
    seen = {now.service: now.health for now in view.services or ()} | dict(view.health or ())
    return seen.get(target)


def _weigh_giving_back(target: str, view: RoleView) -> ProposalVerdict:
    shed = [
        item
        for item in view.landed
        if item.action_type is ActionType.SHED_LOAD and item.target == target
    ]
    if shed and shed[-1].args.get("percent") != 0:
        return ProposalVerdict(True, "those who were turned away can come in again")
    return ProposalVerdict(False, f"nobody is turned away at {target}")


def _ended_by(proposal: Proposal) -> tuple[FailureType, ...]:
    """Return the causes for which the runbook lists the proposed action."""
    return tuple(
        cause
        for cause, entry in RUNBOOK.items()
        if any(
            fix.verb is proposal.action_type
            and all(
                fix.args.get(name, usual) == proposal.args.get(name, usual)
                for name, usual in _DEFAULTS
            )
            for fix in entry.fixes
        )
    )


def _is_likely(
    message: Message, proposal: Proposal, at: set[Sign], held: tuple[Belief, ...]
) -> bool:
    """Whether the signs at the target point to a cause that the action fixes.

    Weak signs are enough if the sender names the same cause.
    """
    named = None if message.proposal is None else message.proposal.cause
    pointed = [
        belief
        for belief in held
        if belief.cause in _ended_by(proposal)
        and any(RUNBOOK[belief.cause].weights.get(sign, 0.0) > 0.0 for sign in at)
    ]
    is_named = any(belief.cause is named for belief in pointed)
    return is_named or fsum(belief.share for belief in pointed) >= _PLAUSIBLE


def _is_pointless(proposal: Proposal, view: RoleView) -> str:
    """Explain why the proposed action can't help; empty if it can."""
    verb, target = proposal.action_type, proposal.target
    if not _ended_by(proposal):
        return f"I know of no cause that ends with {words(verb)}"
    if verb in (ActionType.ROLLBACK, ActionType.DISABLE_FEATURE) and view.changes is not None:
        changed = {change.service for change in view.changes}
        return "" if target in changed else f"I see no change of {target} that could be taken back"
    return ""


def _is_unlikely(proposal: Proposal, view: RoleView, held: tuple[Belief, ...]) -> str:
    """Explain why no cause that the proposed action fixes is likely; empty if one is.

    An unhealthy service without unhealthy dependencies is not explained by a cause elsewhere: there
    may be two causes.
    """
    top = held[0]
    target = proposal.target
    is_elsewhere = top.place not in ("", target)
    is_explained = not is_elsewhere or target not in roots(view)
    ended = _ended_by(proposal)
    fits = top.cause in ended and not is_elsewhere
    if top.share >= _ALREADY_STRONG and is_explained and not fits:
        where = f" in {top.place}" if top.place else ""
        return f"what I see speaks for {words(top.cause)}{where}"
    fitting = fsum(belief.share for belief in held if belief.cause in ended)
    if is_explained and fitting < _RULED_OUT:
        return "what it would end is as good as ruled out"
    return ""


def _is_named(message: Message, proposal: Proposal, at: set[Sign]) -> bool:
    """Whether the sender names a cause that the action fixes, and no sign contradicts it."""
    named = None if message.proposal is None else message.proposal.cause
    return any(
        cause is named and fsum(RUNBOOK[cause].weights.get(sign, 0.0) for sign in sorted(at)) >= 0.0
        for cause in _ended_by(proposal)
    )


def _is_proven(proposal: Proposal, view: RoleView, held: tuple[Belief, ...]) -> bool:
    """Whether the action fixes a confirmed or settled cause where that seems to be.

    A cause by an agent is settled at the agent; where it shows is seen in the signals.
    """
    confirmed = {made.cause for made in view.diagnoses if made.right}
    ended = _ended_by(proposal)
    worst = next(iter(roots(view)), "")
    return any(
        (belief.place or worst) == proposal.target
        for belief in held
        if belief.cause in ended
        and (belief.cause in confirmed or (belief.settled and belief.share >= _ALREADY_STRONG))
    )


def _telling_look(proposal: Proposal, view: RoleView, held: tuple[Belief, ...]) -> Look | None:
    """Return the investigation of the target that best tells whether the proposed action helps."""
    target = proposal.target or ""
    looking = next((c for c in view.allowed if c.action_type is ActionType.INVESTIGATE), None)
    if looking is None or target not in looking.targets:
        return None
    ended = _ended_by(proposal)
    since = view.status.minute - _LOOK_AGAIN
    looked = {
        finding.source
        for finding in findings_known(view)
        if finding.target == target and finding.minute >= since
    }
    sources = [Source(str(choice)) for choice in looking.arguments[0].choices]
    found = [
        Look(
            fsum(
                belief.share / (1.0 + position)
                for belief in held
                if belief.cause in ended
                for position, check in enumerate(RUNBOOK[belief.cause].checks)
                if check.role is view.role and check.source is source
            ),
            source,
            target,
        )
        for source in sources
        if source not in looked
    ]
    best = max(found, key=lambda look: look.worth, default=None)
    return best if best is not None and best.worth > 0.0 else None


def _looks_taken(message: Message, view: RoleView) -> int:
    """Count how often the role has investigated there since it put the proposal off."""
    since = put_off_since(message, view)
    assert message.proposal is not None
    place = message.proposal.target
    return sum(
        since is not None and mine.target == place and mine.minute >= since
        for mine in view.findings
    )
