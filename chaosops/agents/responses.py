"""The expert's responses: one function each, which returns None if it doesn't apply."""

from __future__ import annotations

from typing import Any, Final

from chaosops.agents.acting import act, can, is_fixed
from chaosops.agents.belief import Belief, known, suspects
from chaosops.agents.runbook import RUNBOOK, Fix, RunbookEntry, entry_of
from chaosops.agents.teamwork import decline, open_proposal, put_off, put_off_since, was_done, words
from chaosops.agents.weighing import unfinished, weigh
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Finding,
    Health,
    RoleView,
    ServiceKind,
    Sign,
)

_SURE: Final = 0.8
_LIKELY: Final = 0.4
_FAR_AHEAD: Final = 8.0
_SHED_MINUTES: Final = 3
_ASK_AGAIN: Final = 12


def answer(view: RoleView, held: tuple[Belief, ...]) -> ChaosOpsAction | None:
    """Do what a teammate proposes, or explain why not."""
    message = open_proposal(view)
    if message is None or message.proposal is None:
        return None
    proposal = message.proposal
    if not can(view, proposal.action_type, proposal.target):
        return decline(message, view.role, "that is not mine to do")
    verdict = weigh(message, view, held, _signs_by_place(view))
    if verdict.accepted:
        return act(view, proposal.action_type, proposal.target, dict(proposal.args))
    look = verdict.look
    if look is None:
        return decline(message, view.role, verdict.reason, verdict.reply)
    if put_off_since(message, view) is None:
        return put_off(message, view.role, verdict.reason)
    return act(view, ActionType.INVESTIGATE, look.target, {"source": look.source.value})


def _signs_by_place(view: RoleView) -> dict[str, set[Sign]]:
    signs: dict[str, set[Sign]] = {}
    for fact in known(view):
        signs.setdefault(fact.place, set()).add(fact.sign)
    return signs


def contain(view: RoleView, _held: tuple[Belief, ...]) -> ChaosOpsAction | None:
    """Pause an agent that went beyond its policy, tell the others, then flag it.

    It is flagged at once if availability is fine already, since the incident may end soon.
    """
    if view.agents is None or view.paused is None or view.flagged is None:
        return None
    for finding in view.findings:
        if Sign.BEYOND_POLICY not in finding.signs:
            continue
        if finding.target not in view.paused:
            return act(view, ActionType.PAUSE, finding.target)
        flag = act(view, ActionType.FLAG, finding.target)
        nearly_over = view.status.users_ok >= view.status.slo
        if nearly_over and finding.target not in view.flagged:
            return flag
        told = share(view)
        if told is not None:
            return told
        if finding.target not in view.flagged:
            return flag
    return None


def declare_over(view: RoleView, _held: tuple[Belief, ...]) -> ChaosOpsAction | None:
    """Give the all-clear if nothing contradicts it and a rogue agent has been flagged."""
    if view.role is not AgentRole.MANAGER or unfinished(view):
        return None
    is_flagged = any(item.action_type is ActionType.FLAG for item in view.landed)
    confirmed = [made for made in view.diagnoses if made.right]
    entry = entry_of(confirmed[-1].cause)
    if entry is not None and entry.is_automated and not is_flagged:
        return None
    return act(view, ActionType.RESOLVE, None)


def conviction(held: tuple[Belief, ...]) -> Belief | None:
    """Return the cause that is certain enough to be named; of two proven ones, the likelier."""
    top, second = held[0], held[1]
    both = top.settled and second.settled and top.place != second.place
    sure = top.share >= _SURE or (both and top.share + second.share >= _SURE)
    return top if sure else None


def suspicions(held: tuple[Belief, ...]) -> tuple[Belief, ...]:
    """Return the causes that are likely enough to act on without waiting for proof.

    That is the first one and each that is proven at another place: there may be two faults.
    """
    top, second = held[0], held[1]
    is_ahead = top.share >= _LIKELY and top.share >= _FAR_AHEAD * second.share
    found = [top] if top.share >= _SURE or is_ahead else []
    for belief in held:
        places = {other.place for other in found}
        if belief.settled and belief.place and belief.place not in places:
            found.append(belief)
    return tuple(found)


def fix(view: RoleView, held: tuple[Belief, ...]) -> ChaosOpsAction | None:
    """Fix or mitigate the likeliest cause if this role can."""
    for belief in suspicions(held):
        place = _place(view, belief)
        entry = RUNBOOK[belief.cause]
        remedy = _next_fix(view, entry, place)
        if remedy is None or remedy.verb is ActionType.RESOLVE:
            continue
        if not any(mine.role is view.role and mine.verb is remedy.verb for mine in entry.fixes):
            continue
        target = _target(view, remedy, place)
        if not belief.place and _was_guessed(view, remedy.verb):
            continue
        if can(view, remedy.verb, target):
            return act(view, remedy.verb, target, dict(remedy.args))
    return None


def _was_guessed(view: RoleView, verb: ActionType) -> bool:
    """Whether a fix was tried already: a place without evidence is guessed only once."""
    return any(item.action_type is verb for item in (*view.in_flight, *view.landed))


def _target(view: RoleView, fix: Fix, place: str) -> str:
    """Return where a fix is applied: shedding at an entry, everything else at the cause's place."""
    if fix.verb is not ActionType.SHED_LOAD:
        return place
    entries = next((c.targets for c in view.allowed if c.action_type is fix.verb), ())
    sick = [name for name in suspects(view) if name in entries]
    return (*sick, *entries, place)[0]


def give_back(view: RoleView, _held: tuple[Belief, ...]) -> ChaosOpsAction | None:
    """Stop shedding load once the services have recovered."""
    shed = {item.target: item for item in view.landed if item.action_type is ActionType.SHED_LOAD}
    if view.services is None:
        return None
    if any(now.health in (Health.CRITICAL, Health.DOWN) for now in view.services):
        return None
    for target, item in shed.items():
        is_early = view.status.minute < item.lands + _SHED_MINUTES
        is_given_back = item.args.get("percent") == 0
        if not (is_early or is_given_back) and can(view, ActionType.SHED_LOAD, target):
            return act(view, ActionType.SHED_LOAD, target, {"percent": 0})
    return None


def _next_fix(view: RoleView, entry: RunbookEntry, place: str) -> Fix | None:
    """Return the first fix that is not in flight, not recent, and not known to be useless."""
    if not place:
        return None
    minute = view.status.minute
    for number, fix in enumerate(entry.fixes):
        if number and view.services is None and not entry.is_automated:
            return None
        done = [
            item
            for item in (*view.in_flight, *view.landed)
            if item.action_type is fix.verb and item.target == _target(view, fix, place)
        ]
        if not done:
            return fix
        if _is_well(view, place):
            return None
        if entry.is_automated and _paused_since(view, done[-1].lands):
            return fix
        if minute < done[-1].lands + fix.minutes:
            return None
        if entry.is_automated:
            return fix
    return None


def _paused_since(view: RoleView, minute: int) -> bool:
    return any(
        item.action_type is ActionType.PAUSE and item.lands >= minute for item in view.landed
    )


def _is_well(view: RoleView, place: str) -> bool:
    if view.services is not None:
        return all(now.health is Health.HEALTHY for now in view.services if now.service == place)
    return view.status.users_ok >= view.status.slo


def _place(view: RoleView, belief: Belief) -> str:
    if belief.place:
        return belief.place
    first = suspects(view)
    return first[0] if first else ""


def diagnose(view: RoleView, held: tuple[Belief, ...]) -> ChaosOpsAction | None:
    """Name the cause once it is certain, unless someone has named one."""
    top = conviction(held)
    if top is None or view.diagnoses or not can(view, ActionType.DIAGNOSE, None):
        return None
    return act(view, ActionType.DIAGNOSE, None, {"cause": top.cause.value})


def share(view: RoleView, _held: tuple[Belief, ...] = ()) -> ChaosOpsAction | None:
    """Share the newest informative finding that nobody has shared yet."""
    told = {
        (m.finding.source, m.finding.target, m.finding.signs) for m in view.channel if m.finding
    }
    for index in range(len(view.findings) - 1, -1, -1):
        finding = view.findings[index]
        if (finding.source, finding.target, finding.signs) in told or not _is_telling(finding):
            continue
        if is_fixed(view, finding.target):
            continue
        text = f"{finding.source.value} of {finding.target}: {finding.text}"
        return act(
            view, ActionType.COMMUNICATE, None, {"to": "all", "text": text, "finding": index}
        )
    return None


def _is_telling(finding: Finding) -> bool:
    return any(
        sign in entry.settled_by or entry.weights.get(sign, 0.0) >= 2.0
        for entry in RUNBOOK.values()
        for sign in finding.signs
    )


def ask(view: RoleView, held: tuple[Belief, ...]) -> ChaosOpsAction | None:
    """Ask a role that can act to fix the cause."""
    for belief in suspicions(held):
        if belief.share >= _SURE or belief.settled:
            asked = _ask_for(view, belief)
            if asked is not None:
                return asked
    return None


def _ask_for(view: RoleView, belief: Belief) -> ChaosOpsAction | None:
    users_well = view.status.users_ok >= view.status.slo
    if view.services is None and (users_well or not belief.place):
        return None
    place = _place(view, belief)
    fix = _next_fix(view, RUNBOOK[belief.cause], place)
    if fix is None or fix.role is view.role or fix.verb is ActionType.RESOLVE:
        return None
    target = _target(view, fix, place)
    if fix.verb not in (ActionType.ESCALATE, ActionType.SHED_LOAD) and not _is_own(view, target):
        return None
    if fix.verb is ActionType.SHED_LOAD and view.role is not fix.role:
        target = _entry_for(view, target)
    recent = view.status.minute - _ASK_AGAIN
    asked = any(
        m.proposal is not None
        and m.proposal.action_type is fix.verb
        and m.proposal.target == target
        and m.minute >= recent
        for m in (*view.channel, *view.inbox)
    )
    if asked or was_done(view, fix.verb, target, since=recent):
        return None
    proposal: dict[str, Any] = {
        "action_type": fix.verb.value,
        "target": target,
        "args": dict(fix.args),
    }
    text = f"please {words(fix.verb)} {target}: it looks like {words(belief.cause)}"
    if view.role is AgentRole.MANAGER:
        return act(view, ActionType.ASSIGN, fix.role.value, {"proposal": proposal})
    proposal["cause"] = belief.cause.value
    return act(
        view,
        ActionType.COMMUNICATE,
        None,
        {"to": fix.role.value, "text": text, "proposal": proposal},
    )


def _entry_for(view: RoleView, place: str) -> str:
    """Guess the entry where load is shed for a place, for a role that can't shed it."""
    called = {callee for node in view.graph for callee in node.calls}
    return place if place not in called or not view.alerts else view.alerts[0].service


def _is_own(view: RoleView, place: str) -> bool:
    return any(node.name == place and node.kind is not ServiceKind.EXTERNAL for node in view.graph)
