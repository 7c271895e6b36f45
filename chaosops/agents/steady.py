"""The steady teammate: eyes, not hands.

It looks once, shares what is out of the healthy range, and acts when it is asked and there is
evidence for it. What to do is up to the person beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.acting import act, can
from chaosops.agents.cures import (
    OUT_OF_BOUNDS,
    is_open,
    next_cure,
    proven,
    roll_back,
    supported,
)
from chaosops.agents.duties import Duty, unasked
from chaosops.agents.handbook import HANDBOOK, Cure
from chaosops.agents.healthy import HEALTHY, is_out_of_range
from chaosops.agents.leave import answer_request
from chaosops.agents.perception import Fact, facts
from chaosops.agents.reasoning import CauseBelief, beliefs, known, looks, suspects
from chaosops.agents.saying import looked_for
from chaosops.agents.teamwork import reply, was_done
from chaosops.agents.updating import amended
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FailureType,
    Finding,
    Message,
    Proposal,
    ReplyKind,
    RoleView,
    Source,
)
from chaosops.env.models.failures import cause_named
from chaosops.env.models.roles import ROLES, roles_looking_at
from chaosops.env.models.verbs import AGENT_VERBS

Held = tuple[CauseBelief, ...]

_FRESH: Final = 8
_BETWEEN_QUESTIONS: Final = 12
_LIKELY: Final = 0.5
_POSSIBLE: Final = 0.1
_EASING: Final = frozenset({ActionType.SHED_LOAD, ActionType.SCALE, ActionType.RAISE_LIMIT})
_OBLIGING: Final = frozenset(
    {ActionType.INVESTIGATE, ActionType.ESCALATE, ActionType.RESUME, ActionType.NOOP}
)
"""What it does for anyone who asks: it can't do harm."""

_FIRST_LOOK: Final[Mapping[AgentRole, Source]] = MappingProxyType(
    {AgentRole.SRE: Source.METRICS, AgentRole.DEV: Source.LOGS}
)


class Steady:
    """Plays any role, by the duty table. It draws nothing: the seed is not needed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        view = observation.view
        held = beliefs(view)
        for duty in unasked("steady", view.role):
            action = _RESPONSES[duty](view, held)
            if action is not None:
                return action
        return act(view, ActionType.NOOP, None)


def _decide(view: RoleView, held: Held) -> ChaosOpsAction | None:
    """Approve what there is evidence for, refuse what contradicts it, and ask about the rest."""
    for request in view.requests or ():
        move = Proposal(request.action_type, request.target, request.args)
        number = {"request": request.number}
        if request.readings and _is_called_for(move, view, held):
            return act(view, ActionType.APPROVE, None, number)
        if _is_against(move, held):
            return act(view, ActionType.REFUSE, None, number)
        asked = _question(view, request.role, f"What shows that {request.target} needs it?")
        if asked is not None:
            return asked
    return None


def _keep_users_told(view: RoleView, _held: Held) -> ChaosOpsAction | None:
    """Send the status update that is due, with what the view shows."""
    return amended(view)


def _question(view: RoleView, to: AgentRole | None, text: str) -> ChaosOpsAction | None:
    """Ask a question, unless it asked one lately or has asked the same before.

    What it says without a proposal, a finding or a reply is always a question.
    """
    for message in (*view.channel, *view.inbox):
        said = message.proposal or message.finding or message.reply
        if message.sender is not view.role or said is not None:
            continue
        if message.minute > view.status.minute - _BETWEEN_QUESTIONS or message.text == text:
            return None
    args = {"to": "all" if to is None else to.value, "text": text}
    return act(view, ActionType.COMMUNICATE, None, args)


def _answer(view: RoleView, held: Held) -> ChaosOpsAction | None:
    """Carry out the newest request that there is evidence for, or name what is missing."""
    for message in sorted((*view.channel, *view.inbox), key=lambda m: -m.minute):
        proposal = message.proposal
        if (
            proposal is not None
            and message.to is view.role
            and message.sender is not view.role
            and message.minute >= view.status.minute - _FRESH
            and not was_done(view, proposal.action_type, proposal.target, since=message.minute)
            and can(view, proposal.action_type, proposal.target)
        ):
            action = _answer_to(message, proposal, view, held)
            if action is not None:
                return action
    return None


def _answer_to(
    message: Message, proposal: Proposal, view: RoleView, held: Held
) -> ChaosOpsAction | None:
    if _is_waiting(view, proposal):
        return None
    if _is_called_for(proposal, view, held):
        return _carry_out(proposal, view, held)
    refused = _refusals(view, proposal)
    if proposal.action_type is ActionType.RESOLVE:
        text = "Not yet: nothing shows that it is over."
        return None if refused else reply(message, view.role, ReplyKind.DECLINES, text)
    if not refused:
        missing = _missing(proposal, held)
        text = f"Not yet: show me {_in_words(*missing)} first{_who_can(missing[0], message)}."
        return reply(message, view.role, ReplyKind.DECLINES, text)
    if message.minute <= refused[-1]:
        return None
    # Asked again: it takes the missing look itself, and refuses once more if that shows nothing.
    missing = _missing(proposal, held)
    args = {"source": missing[0].value}
    looked = any(
        (finding.source, finding.target) == missing and finding.minute >= refused[0]
        for finding in view.findings
    )
    if not looked and _can_look(view, *missing):
        return looked_for(act(view, ActionType.INVESTIGATE, missing[1], args), view)
    if len(refused) > 1:
        return None
    text = f"Still nothing in {_in_words(*missing)} for it."
    return reply(message, view.role, ReplyKind.DECLINES, text)


def _who_can(source: Source, message: Message) -> str:
    """Name a role that can take a look, if the one who asks can't."""
    able = roles_looking_at(source)
    return "" if message.sender in able else f" ({ROLES[able[0]].name} can look)"


def _in_words(source: Source, place: str) -> str:
    return f"{source.value} of {place}" if place else source.value


def _carry_out(proposal: Proposal, view: RoleView, held: Held) -> ChaosOpsAction | None:
    target = proposal.target
    if proposal.action_type is ActionType.ROLLBACK and not proposal.args and target:
        behind = next((b for b in held if b.settled and target in (b.place, b.by)), held[0])
        return roll_back(view, behind, target)
    return looked_for(act(view, proposal.action_type, target, dict(proposal.args)), view)


def _is_waiting(view: RoleView, proposal: Proposal) -> bool:
    """Whether the move waits for an approval already."""
    return any(
        each.action_type is proposal.action_type and each.target == proposal.target
        for each in view.requests or ()
    )


def _refusals(view: RoleView, proposal: Proposal) -> list[int]:
    """Return when the role refused the same, oldest first."""
    return [
        mine.minute
        for mine in view.inbox
        if mine.sender is view.role
        and mine.reply is not None
        and mine.reply.kind is ReplyKind.DECLINES
        and mine.reply.proposal.asks_the_same(proposal)
    ]


def _is_called_for(proposal: Proposal, view: RoleView, held: Held) -> bool:
    """Whether a request does no harm, or what the role knows calls for it."""
    verb, target, args = proposal.action_type, proposal.target or "", proposal.args
    if verb in _OBLIGING or (verb is ActionType.SHED_LOAD and args.get("percent") == 0):
        return True
    if verb is ActionType.RESOLVE:
        top = proven(held)
        is_alarm = top is not None and top.cause is FailureType.FALSE_ALARM
        return is_alarm and view.status.held >= view.status.hold
    if verb in AGENT_VERBS:
        return any(fact.sign in OUT_OF_BOUNDS and fact.place == target for fact in known(view))
    if verb is ActionType.DIAGNOSE:
        cause = cause_named(str(args.get("cause")))
        return any(b.cause is cause and b.settled and b.share >= _LIKELY for b in held)
    if _eases(proposal, view):
        return True
    return supported(proposal, view) and not _is_against(proposal, held)


def _is_against(proposal: Proposal, held: Held) -> bool:
    """Whether a cause is proven, and nothing that may be behind it has this cure."""
    return proven(held) is not None and not any(
        cure.verb is proposal.action_type and proposal.target in (belief.place, belief.by)
        for belief in held
        if belief.settled and belief.share >= _POSSIBLE
        for cure in belief.page.cures
    )


def _eases(proposal: Proposal, view: RoleView) -> bool:
    """Whether an action can only ease, at a place that is known to be out of the healthy range.

    Load is shed where users come in, for the sake of any service.
    """
    if proposal.action_type not in _EASING:
        return False
    anywhere = proposal.action_type is ActionType.SHED_LOAD
    return any(
        fact.sign not in HEALTHY and (anywhere or proposal.target in (fact.place, fact.by))
        for fact in known(view)
    )


def _missing(proposal: Proposal, held: Held) -> tuple[Source, str]:
    """Return the investigation that would show whether an action is called for at its target."""
    target = proposal.target or ""
    if proposal.action_type in AGENT_VERBS:
        return Source.AUTOMATION, target
    curable = [
        belief
        for belief in held
        if any(cure.verb is proposal.action_type for cure in belief.page.cures)
    ]
    for belief in curable:
        if target in (belief.place, belief.by):
            return belief.page.checks[0].source, belief.place or target
    sources = (check.source for belief in curable for check in belief.page.checks)
    return next((one for one in sources if one is not Source.AUTOMATION), Source.METRICS), target


def _can_look(view: RoleView, source: Source, target: str) -> bool:
    return any(
        choice.action_type is ActionType.INVESTIGATE
        and target in choice.targets
        and source.value in choice.arguments[0].choices
        for choice in view.allowed
    )


def _share(view: RoleView, _held: Held) -> ChaosOpsAction | None:
    """Share its newest finding that shows something new, or that a teammate asked for."""
    told = [message for message in view.channel if message.finding is not None]
    for index in range(len(view.findings) - 1, -1, -1):
        finding = view.findings[index]
        same = [
            (message, shared)
            for message in told
            if (shared := message.finding) is not None
            and (shared.source, shared.target) == (finding.source, finding.target)
        ]
        if any(shared.minute >= finding.minute for _message, shared in same):
            continue
        asked = _asked_for(view, finding)
        if asked >= 0 and all(message.minute < asked for message, _shared in same):
            return _told_all(view, index)
        known = {_shown(fact) for _message, shared in same for fact in facts(shared)}
        is_new = not same or any(_shown(fact) not in known for fact in facts(finding))
        if is_new and is_out_of_range(finding):
            return _told_all(view, index)
    return None


def _told_all(view: RoleView, index: int) -> ChaosOpsAction:
    return act(view, ActionType.COMMUNICATE, None, {"to": "all", "finding": index})


def _shown(fact: Fact) -> Fact:
    """Return a fact without the minute in which it was seen."""
    return fact._replace(minute=0)


def _asked_for(view: RoleView, finding: Finding) -> int:
    """Return when a teammate last asked for a look before it was taken; -1 if nobody did."""
    return max(
        (
            message.minute
            for message in (*view.channel, *view.inbox)
            if message.to is view.role
            and message.proposal is not None
            and message.proposal.action_type is ActionType.INVESTIGATE
            and message.proposal.target == finding.target
            and message.minute <= finding.minute
        ),
        default=-1,
    )


def _separated(view: RoleView, held: Held) -> CauseBelief | None:
    """Return the cause that its own findings tell from its twins."""
    top = proven(held)
    if top is None:
        return None
    own = {fact.sign for finding in view.findings for fact in facts(finding)}
    return top if own & top.page.settled_by else None


def _propose(view: RoleView, held: Held) -> ChaosOpsAction | None:
    """Propose the fix of a cause that its own findings separate, once, to the role that can."""
    found = _separated_cure(view, held)
    if found is None:
        return None
    cure, target = found
    if cure.role is view.role:
        return None
    proposal = {"action_type": cure.verb.value, "target": target, "args": dict(cure.args)}
    args = {"to": cure.role.value, "proposal": proposal}
    return act(view, ActionType.COMMUNICATE, None, args)


def _separated_cure(view: RoleView, held: Held) -> tuple[Cure, str] | None:
    """Return the fix of a cause that its own findings separate, if nobody proposed or made it."""
    top = _separated(view, held)
    if top is None or not is_open(view):
        return None
    found = next_cure(view, top)
    if found is None or found[1] != top.at(found[0].at):
        return None
    return None if _was_proposed(view, found[0].verb, found[1]) else found


def _was_proposed(view: RoleView, verb: ActionType, target: str) -> bool:
    said = any(
        message.proposal is not None
        and message.proposal.action_type is verb
        and message.proposal.target == target
        for message in (*view.channel, *view.inbox)
    )
    return said or was_done(view, verb, target, since=0)


def _permit(view: RoleView, _held: Held) -> ChaosOpsAction | None:
    """Grant or deny what an agent asks for, or ask it for evidence."""
    return answer_request(view)


def _offer(view: RoleView, held: Held) -> ChaosOpsAction | None:
    """Ask whether it should make the fix that its own findings separate."""
    for fact in known(view):
        if fact.sign in OUT_OF_BOUNDS and fact.place in (view.agents or ()):
            if fact.place in (view.paused or ()):
                continue
            return _question(view, None, f"Shall I pause {fact.place}?")
    found = _separated_cure(view, held)
    if found is None or not can(view, found[0].verb, found[1]):
        return None
    return _question(view, None, f"Shall I {found[0].verb.asked} {found[1]}?")


def _look_once(view: RoleView, held: Held) -> ChaosOpsAction | None:
    """Investigate the worst place that its seat sees, once."""
    if view.findings:
        return None
    if view.agents is not None:
        return _look_at_agent(view, held)
    worst = next(iter(suspects(view)), view.graph[0].name)
    return act(view, ActionType.INVESTIGATE, worst, {"source": _FIRST_LOOK[view.role].value})


def _look_further(view: RoleView, held: Held) -> ChaosOpsAction | None:
    """Investigate the other agents when a cause is named that an agent can be behind."""
    return _look_at_agent(view, held) if _blames_automation(view) else None


def _look_at_agent(view: RoleView, held: Held) -> ChaosOpsAction | None:
    found = looks(view, held)
    if not found:
        return None
    args = {"source": Source.AUTOMATION.value}
    return act(view, ActionType.INVESTIGATE, found[0].target, args)


def _blames_automation(view: RoleView) -> bool:
    """Whether somebody has named a cause that an agent can be behind."""
    named = {made.cause for made in view.diagnoses}
    return any(
        page.is_automated for cause, pages in HANDBOOK.items() if cause in named for page in pages
    )


_RESPONSES: Final[Mapping[Duty, Callable[[RoleView, Held], ChaosOpsAction | None]]] = (
    MappingProxyType(
        {
            Duty.DECIDE: _decide,
            Duty.UPDATE: _keep_users_told,
            Duty.ANSWER: _answer,
            Duty.PERMIT: _permit,
            Duty.SHARE: _share,
            Duty.PROPOSE: _propose,
            Duty.OFFER: _offer,
            Duty.LOOK_ONCE: _look_once,
            Duty.LOOK: _look_further,
        }
    )
)
