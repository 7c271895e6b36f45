"""The expert: a first responder that reasons from its own observations alone.

It answers what it is asked, mitigates before it diagnoses, shares what settles the matter, asks
whoever can act, and otherwise looks where an answer tells most.
"""

from __future__ import annotations

from math import fsum
from typing import Any, Final, NamedTuple

from chaosops.agents.belief import Belief, beliefs, findings_known, known, roots, suspects
from chaosops.agents.runbook import RUNBOOK, Entry, Fix
from chaosops.agents.teamwork import Verdict, open_proposal, reply, was_done, weigh, words
from chaosops.agents.uniform import Dice
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Finding,
    Health,
    RoleView,
    ServiceKind,
    Sign,
    Source,
)

_SURE: Final = 0.8
_LIKELY: Final = 0.4
_FAR_AHEAD: Final = 8.0
_SHED_MINUTES: Final = 3
_LOOK_AGAIN: Final = 12
_NEAR: Final = 40
_INSIDE: Final = frozenset({"runtime", "changes", "config", "traces"})
_CHANGES: Final = frozenset(
    {
        ActionType.RESTART,
        ActionType.TERMINATE,
        ActionType.ROLLBACK,
        ActionType.DISABLE_FEATURE,
        ActionType.PURGE,
        ActionType.SCALE,
        ActionType.ROTATE,
        ActionType.DRAIN,
        ActionType.RAISE_LIMIT,
    }
)
_DULL: Final = frozenset(
    {
        Sign.NOTHING_UNUSUAL,
        Sign.MEMORY_FLAT,
        Sign.NO_RECENT_CHANGE,
        Sign.CONFIG_UNCHANGED,
        Sign.NAME_LOOKUP_FINE,
    }
)


class Look(NamedTuple):
    """A place to look, and how much an answer there would tell."""

    worth: float
    source: Source
    target: str


class Expert:
    """Plays any role. The seed only decides between looks that are worth the same."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """The action for this turn."""
        view = observation.view
        held = beliefs(view)
        return (
            _answer(view, held)
            or _contain(view)
            or _declare_over(view)
            or _give_back(view)
            or _fix(view, held)
            or _ask(view, held)
            or _diagnose(view, held)
            or _share(view)
            or self._look(observation, held)
            or ChaosOpsAction(role, ActionType.NOOP)
        )

    def _look(
        self, observation: ChaosOpsObservation, held: tuple[Belief, ...]
    ) -> ChaosOpsAction | None:
        view = observation.view
        looks = _agent_looks(view) if view.agents is not None else _service_looks(view, held)
        if not looks:
            return None
        best = max(look.worth for look in looks)
        equal = [look for look in looks if look.worth == best]
        look = equal[Dice(self._seed, observation.step).below(len(equal))]
        return _act(view, ActionType.INVESTIGATE, look.target, {"source": look.source.value})


def _act(
    view: RoleView, verb: ActionType, target: str | None, args: dict[str, Any] | None = None
) -> ChaosOpsAction:
    return ChaosOpsAction(view.role, verb, target, args or {})


def _can(view: RoleView, verb: ActionType, target: str | None) -> bool:
    return any(
        choice.action_type is verb and (not choice.targets or target in choice.targets)
        for choice in view.allowed
    )


def _answer(view: RoleView, held: tuple[Belief, ...]) -> ChaosOpsAction | None:
    message = open_proposal(view)
    if message is None or message.proposal is None:
        return None
    proposal = message.proposal
    if not _can(view, proposal.action_type, proposal.target):
        return reply(message, view.role, Verdict(False, "that is not mine to do"))
    verdict = weigh(proposal, view, held, _signs_by_place(view))
    if not verdict.accepted:
        return reply(message, view.role, verdict)
    return _act(view, proposal.action_type, proposal.target, dict(proposal.args))


def _signs_by_place(view: RoleView) -> dict[str, set[Sign]]:
    signs: dict[str, set[Sign]] = {}
    for fact in known(view):
        signs.setdefault(fact.place, set()).add(fact.sign)
    return signs


def _contain(view: RoleView) -> ChaosOpsAction | None:
    """Pause an agent that went beyond its policy, tell the others, then flag it."""
    if view.agents is None or view.paused is None or view.flagged is None:
        return None
    for finding in view.findings:
        if Sign.BEYOND_POLICY not in finding.signs:
            continue
        if finding.target not in view.paused:
            return _act(view, ActionType.PAUSE, finding.target)
        told = _share(view)
        if told is not None:
            return told
        if finding.target not in view.flagged:
            return _act(view, ActionType.FLAG, finding.target)
    return None


def _declare_over(view: RoleView) -> ChaosOpsAction | None:
    """The all-clear: users are well, the cause is confirmed, its fix has landed."""
    if view.role is not AgentRole.MANAGER or view.in_flight:
        return None
    status = view.status
    confirmed = [made for made in view.diagnoses if made.right]
    if not confirmed or status.users_ok < status.slo:
        return None
    entry = RUNBOOK[confirmed[-1].cause]
    fixed = any(item.action_type is fix.verb for item in view.landed for fix in entry.fixes) or any(
        fix.verb is ActionType.RESOLVE for fix in entry.fixes
    )
    done = {item.action_type for item in view.landed}
    contained = not entry.is_automated or {ActionType.PAUSE, ActionType.FLAG} <= done
    if fixed and contained and (status.held >= 2 or not view.landed):
        return _act(view, ActionType.RESOLVE, None)
    return None


def _conviction(held: tuple[Belief, ...]) -> Belief | None:
    """The cause that is sure enough to be named; of two that are both proven, the likelier."""
    top, second = held[0], held[1]
    both = top.settled and second.settled and top.place != second.place
    sure = top.share >= _SURE or (both and top.share + second.share >= _SURE)
    return top if sure else None


def _suspicions(held: tuple[Belief, ...]) -> tuple[Belief, ...]:
    """Causes likely enough to act on: users wait while others make sure.

    The first one, and each that is proven at a place of its own: there may be two faults.
    """
    top, second = held[0], held[1]
    is_ahead = top.share >= _LIKELY and top.share >= _FAR_AHEAD * second.share
    found = [top] if top.share >= _SURE or is_ahead else []
    for belief in held:
        places = {other.place for other in found}
        if belief.settled and belief.place and belief.place not in places:
            found.append(belief)
    return tuple(found)


def _fix(view: RoleView, held: tuple[Belief, ...]) -> ChaosOpsAction | None:
    for belief in _suspicions(held):
        place = _place(view, belief)
        entry = RUNBOOK[belief.cause]
        fix = _next_fix(view, entry, place)
        if fix is None or fix.verb is ActionType.RESOLVE:
            continue
        if not any(mine.role is view.role and mine.verb is fix.verb for mine in entry.fixes):
            continue
        target = _target(view, fix, place)
        if _can(view, fix.verb, target):
            return _act(view, fix.verb, target, dict(fix.args))
    return None


def _target(view: RoleView, fix: Fix, place: str) -> str:
    """Where the fix is done: load is shed at an entry, everything else where the cause sits."""
    if fix.verb is not ActionType.SHED_LOAD:
        return place
    entries = next((c.targets for c in view.allowed if c.action_type is fix.verb), ())
    sick = [name for name in suspects(view) if name in entries]
    return (*sick, *entries, place)[0]


def _give_back(view: RoleView) -> ChaosOpsAction | None:
    """Let the users in again that were turned away, once the services have recovered."""
    shed = [item for item in view.landed if item.action_type is ActionType.SHED_LOAD]
    if not shed or shed[-1].args.get("percent") == 0 or view.services is None:
        return None
    is_early = view.status.minute < shed[-1].lands + _SHED_MINUTES
    if is_early or any(now.health in (Health.CRITICAL, Health.DOWN) for now in view.services):
        return None
    if not _can(view, ActionType.SHED_LOAD, shed[-1].target):
        return None
    return _act(view, ActionType.SHED_LOAD, shed[-1].target, {"percent": 0})


def _next_fix(view: RoleView, entry: Entry, place: str) -> Fix | None:
    """The first fix that is not on its way, not just done, and not known to be useless."""
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


def _is_mended(view: RoleView, place: str) -> bool:
    """Whether something was done there that has landed, and the service is well since."""
    landed = any(
        item.target == place and item.action_type in _CHANGES and item.lands < view.status.minute
        for item in view.landed
    )
    if not landed or view.services is None:
        return False
    return any(
        now.service == place and now.health is Health.HEALTHY and now.errors < 0.01
        for now in view.services
    )


def _place(view: RoleView, belief: Belief) -> str:
    if belief.place:
        return belief.place
    first = suspects(view)
    return first[0] if first else ""


def _diagnose(view: RoleView, held: tuple[Belief, ...]) -> ChaosOpsAction | None:
    top = _conviction(held)
    if top is None or view.diagnoses or not _can(view, ActionType.DIAGNOSE, None):
        return None
    return _act(view, ActionType.DIAGNOSE, None, {"cause": top.cause.value})


def _share(view: RoleView) -> ChaosOpsAction | None:
    """Tell everyone the newest finding that says something and that nobody shared yet."""
    told = {
        (m.finding.source, m.finding.target, m.finding.signs) for m in view.channel if m.finding
    }
    for index in range(len(view.findings) - 1, -1, -1):
        finding = view.findings[index]
        if (finding.source, finding.target, finding.signs) in told or not _is_telling(finding):
            continue
        if _is_mended(view, finding.target):
            continue
        text = f"{finding.source.value} of {finding.target}: {finding.text}"
        return _act(
            view, ActionType.COMMUNICATE, None, {"to": "all", "text": text, "finding": index}
        )
    return None


def _is_telling(finding: Finding) -> bool:
    return any(
        sign in entry.settled_by or entry.weights.get(sign, 0.0) >= 2.0
        for entry in RUNBOOK.values()
        for sign in finding.signs
    )


def _ask(view: RoleView, held: tuple[Belief, ...]) -> ChaosOpsAction | None:
    """Ask whoever can act to do what the cause calls for."""
    for belief in _suspicions(held):
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
        target = view.alerts[0].service if view.alerts else target
    recent = view.status.minute - _LOOK_AGAIN
    asked = any(
        m.proposal is not None
        and m.proposal.action_type is fix.verb
        and m.proposal.target == target
        and m.minute >= recent
        for m in (*view.channel, *view.inbox)
    )
    if asked or was_done(view, fix.verb, target, since=recent):
        return None
    proposal = {"action_type": fix.verb.value, "target": target, "args": dict(fix.args)}
    text = f"please {words(fix.verb)} {target}: it looks like {words(belief.cause)}"
    if view.role is AgentRole.MANAGER:
        return _act(view, ActionType.ASSIGN, fix.role.value, {"proposal": proposal})
    return _act(
        view,
        ActionType.COMMUNICATE,
        None,
        {"to": fix.role.value, "text": text, "proposal": proposal},
    )


def _is_own(view: RoleView, place: str) -> bool:
    return any(node.name == place and node.kind is not ServiceKind.EXTERNAL for node in view.graph)


def _agent_looks(view: RoleView) -> list[Look]:
    """Agents whose acts are near the onset, and near what suffers, first."""
    looked = {finding.target for finding in findings_known(view)}
    sick = set(suspects(view))
    looks = []
    for name in view.agents or ():
        if name in looked:
            continue
        acts = [event for event in view.audit or () if event.agent == name]
        worth = 0.1
        for event in acts:
            near = max(0.0, 1.0 - abs(event.minute) / _NEAR)
            worth = max(worth, near + (1.0 if event.target in sick else 0.0))
        looks.append(Look(round(worth, 3), Source.AUTOMATION, name))
    return looks


def _service_looks(view: RoleView, held: tuple[Belief, ...]) -> list[Look]:
    sources = next(
        (
            choice.arguments[0].choices
            for choice in view.allowed
            if choice.action_type is ActionType.INVESTIGATE
        ),
        (),
    )
    facts = findings_known(view)
    since = view.status.minute - _LOOK_AGAIN
    looked = {(f.source.value, f.target) for f in facts if f.minute >= since}
    before = {(f.source.value, f.target) for f in facts}
    dull = [f.target for f in facts if _DULL.issuperset(f.signs)]
    foreign = {node.name for node in view.graph if node.kind is ServiceKind.EXTERNAL}
    mended = {node.name for node in view.graph if _is_mended(view, node.name)}
    likely = roots(view)
    looks = []
    for rank, target in enumerate(_in_question(view)[:7]):
        doubt = 1.0 + 0.3 * rank if target in likely else 3.0 + rank
        doubt *= 2.0 ** dull.count(target)
        for source in sources:
            if (source, target) in looked or (target in foreign and source in _INSIDE):
                continue
            if target in mended:
                continue
            worth = fsum(
                belief.share / (1.0 + position)
                for belief in held
                for position, check in enumerate(RUNBOOK[belief.cause].checks)
                if check.role is view.role and check.source.value == source
            )
            if (source, target) in before:
                worth /= 3.0
            looks.append(Look(round(worth / doubt, 4), Source(str(source)), target))
    return looks


def _in_question(view: RoleView) -> tuple[str, ...]:
    """The suspects; where a quota is reached, whoever calls there comes first."""
    spent = {fact.place for fact in known(view) if fact.sign is Sign.QUOTA_REACHED}
    callers = [node.name for node in view.graph if spent.intersection(node.calls)]
    return tuple(dict.fromkeys((*callers, *suspects(view))))
