"""The coach's sentences."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from chaosops.agents.perception import facts
from chaosops.agents.reasoning import CauseBelief, symptoms
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    InFlight,
    RoleView,
    ServiceKind,
    Sign,
    Source,
    Stake,
)
from chaosops.env.models.failures import CauseName
from chaosops.play.action_form.suggestions import proposals_to, same_act
from chaosops.play.coach.evidence import (
    CauseEvidence,
    cures_ordered,
    evidence_of,
    failed_fix,
    fixes_ordered,
    open_question,
    unsupported,
)
from chaosops.play.coach.plan import CoachAim, CoachPlan
from chaosops.play.coach.tutorial import TutorialLesson
from chaosops.play.formatting import ROLE_NAMES, in_words, shown
from chaosops.play.service_tree import deepest_unhealthy, health_of
from chaosops.play.wording import finding_word, verb_word

READS: Final[Mapping[Source, str]] = MappingProxyType(
    {
        Source.METRICS: "They are charts: find the line that changed when the failure began.",
        Source.LOGS: "They are what a service says itself: read what the ERROR lines share.",
        Source.TRACES: "Each is one request, a bar for each call: find the longest bar.",
        Source.RUNTIME: "It is the inside of a service: its instances, and what its kind has.",
        Source.NETWORK: "It tells whether calls from each neighbour get through.",
        Source.AUTOMATION: "Automation lists what an agent did beside its policy.",
        Source.CHANGES: "Changes are what was released or set, with the lines that differ.",
        Source.CONFIG: "Config shows the settings in use, and which were rejected.",
    }
)
"""How each instrument is read."""

_CLUES: Final[Mapping[Sign, str]] = MappingProxyType(
    {
        Sign.POOL_EXHAUSTED: (
            "Requests of {place} wait for connections to its database. Two suspects: {place} "
            "doesn't give them back (a leak), or the database keeps them busy (a lock, say)."
        ),
        Sign.OBJECTS_MISSING: (
            'Objects that {place} needs are gone ("stored objects"). Two suspects: a person or '
            "build deleted them, or an agent that cleans up."
        ),
        Sign.NODES_RESTARTED_TOGETHER: (
            'All instances of {place} started at once ("instances"). Two suspects: they crash, '
            "or something restarts them."
        ),
    }
)
"""What signs that prove nothing leave open."""

_WELCOME: Final[Mapping[AgentRole, str]] = MappingProxyType(
    {
        AgentRole.OVERSIGHT: "You watch the automation: the audit log has its acts and reasons.",
        AgentRole.DEV: "You see recent changes and the state of the apps.",
        AgentRole.MANAGER: "You see the customer impact, and you can ask each role to act.",
    }
)

_DUTIES: Final[Mapping[ActionType, str]] = MappingProxyType(
    {
        ActionType.UPDATE: "Users are owed an update. Check the draft against what you see",
        ActionType.APPROVE: "A move waits for you, and what is known speaks for it: approve it",
        ActionType.REFUSE: "A move waits for you, and what is known speaks against it: refuse it",
        ActionType.GRANT: "An agent asks for leave, and its claim holds: grant it",
        ActionType.DENY: "An agent asks for leave, and its claim doesn't hold: deny it",
        ActionType.ASK: "An agent asks for leave. Ask for its evidence before you decide",
        ActionType.RESUME: "An agent is paused that did its duty: resume it",
        ActionType.ESCALATE: "This is beyond your team: escalate",
        ActionType.PAUSE: "Stop the agent that went beyond its policy",
        ActionType.FLAG: "What you paused acted against its policy: flagging it earns points if "
        "you're right",
        ActionType.RESOLVE: "Users have been fine for the whole hold: declare the incident over",
    }
)
"""What the coach says of the duties of a seat."""


def opening(view: RoleView, made: CoachPlan, *, on_screen: bool) -> str:
    """Say what the board shows on the first turn, and where that leads.

    Args:
        on_screen: Whether the board has marks.
    """
    if view.status.users_ok >= view.status.slo:
        return "An alert fired, and users are within the objective now. See what caused it."
    if view.role in _WELCOME:
        return f"Users get errors. {_WELCOME[view.role]}"
    target = str(made.action.target)
    if made.aim is not CoachAim.LOOK:
        return "Users get errors."
    if target in deepest_unhealthy(view.graph, health_of(view)):
        marked = ", marked ◂," if on_screen else ""
        return f"Users get errors. {target}{marked} is unwell; what it calls looks well."
    if any(fact.sign is Sign.HIT_RATE_LOW and fact.place == target for fact in symptoms(view)):
        return (
            f"Users get errors. The stores are busy because {target} in front of them finds less "
            "than usual (HIT)."
        )
    return "Users get errors."


def step(view: RoleView, made: CoachPlan, lesson: TutorialLesson | None, *, on_screen: bool) -> str:
    """Say what to do, and why, from what the role sees.

    Args:
        on_screen: Whether a reading opens with keys of its own.
    """
    said = [*_before(view, made), _step(view, made, lesson)]
    if on_screen and made.aim is CoachAim.LOOK and not view.findings:
        said.append("Its keys stand in its last line; Esc leads back.")
    return " ".join(said)


def _before(view: RoleView, made: CoachPlan) -> list[str]:
    """Say what went wrong, what is left, and who waits for an answer."""
    said = []
    failed = failed_fix(view, view.status.minute - 4)
    if failed is not None:
        said.append(f'What you did failed: "{move_words(failed)}" did not help.')
    wrong = unsupported(view)
    if wrong is not None and made.aim is not CoachAim.NAME:
        said.append(f"You named {_cause(wrong.cause)}, but no reading of the team shows it.")
    if made.is_masked and not (failed and not made.sure):
        if made.sure:
            said.append("Users are well for now, but what is proven has not been fixed.")
        else:
            said.append(
                "Users are well for now, but nothing that the team has seen explains the failure."
            )
    question = open_question(view)
    if question is not None and made.aim is not CoachAim.ANSWER:
        asks = f'{_name_of(question.sender)} asks: "{shown(question.text, 80)}"'
        said.append(_sentence(asks))
    return said


def _step(view: RoleView, made: CoachPlan, lesson: TutorialLesson | None) -> str:
    action, aim, top = made.action, made.aim, made.top
    what = move_words(action)
    if aim is CoachAim.LOOK:
        return _look(view, made, lesson)
    if aim is CoachAim.NAME:
        return _name(view, made)
    if aim is CoachAim.FIX:
        return f"You know enough to act: {what}. {_likely(top)}"
    if aim is CoachAim.SHARE:
        index = int(action.args["finding"])
        found = f"finding {index + 1}, {finding_word(view.findings[index])}"
        told = f"Nobody else has seen what shows the cause: share {found}, with all."
        return f"{_hold(view, made)}{told}"
    if aim is CoachAim.PROPOSE:
        return _propose(view, made, lesson)
    if aim is CoachAim.ACCEPT:
        who = next(one.who for one in proposals_to(view) if same_act(one.action, action))
        return f"{who} asks you to {what}, and what is known speaks for it: do it."
    if aim is CoachAim.ANSWER:
        to = _sentence(_name_of(AgentRole(str(action.args["to"]))))
        return f"{to} waits for an answer, and no reading speaks for it: write no."
    if aim is CoachAim.DUTY:
        told = _DUTIES.get(ActionType(action.action_type), "There is something to do")
        return f"{told}: {what}."
    return f"Pass (0): {_waiting(view, made)}"


def _hold(view: RoleView, made: CoachPlan) -> str:
    """Say that only the hold is left, and what that is."""
    status = view.status
    if status.users_ok < status.slo or not cures_ordered(view, made.top):
        return ""
    return f"Users are fine. It is over once they stay so for {status.hold} min (the hold). "


def _look(view: RoleView, made: CoachPlan, lesson: TutorialLesson | None) -> str:
    source, target = Source(str(made.action.args["source"])), str(made.action.target)
    own = {finding.source for finding in view.findings}
    parts = [*_clues(view), f"Look at the {source.value} of {target}."]
    if lesson is not None and source is lesson.instrument and source not in own:
        parts.append(lesson.read)
    elif source is Source.RUNTIME and target in _databases(view):
        parts.append('Its part "sessions" shows who waits for whom.')
    elif source not in own:
        parts.append(READS[source])
    return " ".join(parts)


def _databases(view: RoleView) -> frozenset[str]:
    return frozenset(node.name for node in view.graph if node.kind is ServiceKind.DATABASE)


def _clues(view: RoleView) -> list[str]:
    """Say what the newest own finding leaves open, if it proves nothing."""
    if not view.findings:
        return []
    for fact in facts(view.findings[-1]):
        if fact.sign in _CLUES:
            return [_CLUES[fact.sign].format(place=fact.place)]
    return []


def _name(view: RoleView, made: CoachPlan) -> str:
    place = made.action.args.get("place")
    where = f" at {place}" if place else ""
    wrong = unsupported(view)
    verb = "Name the cause"
    if wrong is not None:
        verb = f"You named {_cause(wrong.cause)}, and the readings show another cause. Name it"
    shows = _shows(view, made.top)
    stake = ""
    if not view.diagnoses:
        stake = _STAKES[Stake(str(made.action.args.get("stake", Stake.WORKING.value)))]
    share = round(made.top.share * 100)
    return (
        f"{verb}: {_cause(made.top.cause)}{where}. {shows}It is the likeliest ({share} %).{stake}"
    )


def _shows(view: RoleView, top: CauseBelief) -> str:
    found = evidence_of(view, top)
    if found is None:
        return ""
    return f"{_reading(found)} shows it: {_sign(found.sign)}. "


def _reading(found: CauseEvidence) -> str:
    part = f', part "{found.part}",' if found.part else ""
    by = f" (shared by {_name_of(found.by)})" if found.by is not None else ""
    return f"The {finding_word(found.finding)}{part}{by}"


def _propose(view: RoleView, made: CoachPlan, lesson: TutorialLesson | None) -> str:
    action = made.action
    is_manager = action.action_type is ActionType.ASSIGN
    to = _name_of(AgentRole(str(action.target if is_manager else action.args["to"])))
    proposal = action.args["proposal"]
    what = proposed_words(proposal)
    how = f"assign {to}" if is_manager else f"propose to {to}"
    if proposal["action_type"] == ActionType.INVESTIGATE:
        read = ""
        if lesson is not None and lesson.instrument is Source.AUTOMATION:
            read = f" {lesson.read}"
        clues = "".join(f"{clue} " for clue in _clues(view))
        return f"{clues}Only {to} can look there: {how} to {what}.{read}"
    if proposal["action_type"] == ActionType.PAUSE:
        agent = proposal["target"]
        return f"{agent} went beyond its policy; only {to} can stop it: {how} to {what}."
    return f"Only {to} can do the fix: {how} to {what}. {_likely(made.top)}"


def _likely(top: CauseBelief) -> str:
    where = f" at {top.named_place}" if top.named_place else ""
    return _sentence(f"{_cause(top.cause)}{where} is the likeliest ({round(top.share * 100)} %).")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _name_of(role: AgentRole) -> str:
    """Name a role inside a sentence."""
    return "the Manager" if role is AgentRole.MANAGER else ROLE_NAMES[role]


def _waiting(view: RoleView, made: CoachPlan) -> str:
    """Say what a pass is for."""
    status = view.status
    if made.aim is CoachAim.ON_ITS_WAY:
        last = cures_ordered(view, made.top)[-1]
        left = last.lands - status.minute
        return f'"{move_words(last)}" is in flight and lands in {left} min.'
    if made.aim is CoachAim.ASKED:
        return "a teammate has your proposal; see what comes of it."
    if made.aim is CoachAim.SETTLE:
        return "the fix has landed; give it some minutes to show."
    if made.aim is CoachAim.HOLD:
        left = status.hold - status.held
        more = f"{left} more minutes" if left > 1 else "a minute more"
        return (
            f"users are fine, and the fix fits what was read. It is over once they stay so for "
            f"the hold of {status.hold} min: {more}."
            if left > 0
            else "users are fine, and the fix fits what was read; the hold ends now."
        )
    if fixes_ordered(view) and any(item.lands > status.minute for item in view.in_flight):
        return "see what the actions in flight do."
    if view.requests:
        return "the Manager decides on a move."
    return "see what your teammates find."


def move_words(action: ChaosOpsAction | InFlight) -> str:
    """Word an action as a sentence has it: "drain one instance of db"."""
    return _words(ActionType(action.action_type), str(action.target or ""), action.args)


def proposed_words(proposal: Mapping[str, Any]) -> str:
    """Word what a proposal asks for."""
    verb = ActionType(str(proposal["action_type"]))
    return _words(verb, str(proposal.get("target") or ""), proposal.get("args") or {})


def _words(verb: ActionType, target: str, args: Mapping[str, Any]) -> str:
    place = shown(target, 80)
    if verb is ActionType.INVESTIGATE:
        return f"look at the {shown(args.get('source'), 40)} of {place}"
    if verb is ActionType.RAISE_LIMIT:
        return f"raise the limit of {in_words(args.get('limit', ''))} at {place}"
    if verb is ActionType.DRAIN and args.get("unit"):
        return f"drain one {shown(args['unit'], 40)} of {place}"
    if verb is ActionType.SCALE:
        return f"scale {place} to {shown(args.get('replicas'), 10)}"
    if verb is ActionType.SHED_LOAD:
        return f"shed {shown(args.get('percent'), 10)} % of the load at {place}"
    if verb is ActionType.TERMINATE:
        return f"terminate the sessions of {place}"
    if verb is ActionType.ROLLBACK:
        change = f" (change {shown(args['change'], 40)})" if args.get("change") else ""
        return f"roll back {place}{change}"
    if verb is ActionType.DISABLE_FEATURE:
        return f"disable the feature of {place}"
    if verb is ActionType.ROTATE:
        return f"rotate the credential of {place}"
    if verb in (ActionType.APPROVE, ActionType.REFUSE, ActionType.GRANT, ActionType.DENY):
        return f"{verb.words} request {shown(args.get('request'), 10)}"
    return f"{verb_word(verb)} {place}".strip()


def _cause(cause: CauseName) -> str:
    return in_words(cause)


def _sign(sign: Sign) -> str:
    return _SIGNS.get(sign, in_words(sign))


_STAKES: Final[Mapping[Stake, str]] = MappingProxyType(
    {
        Stake.CERTAIN: ' The stake is "certain": more points if right, 30 lost if wrong.',
        Stake.WORKING: ' The stake is "working": fewer points, and 5 lost if wrong.',
    }
)
"""What the stake of a diagnosis is; 30 and 5 are what `RewardWeights` has."""

_SIGNS: Final[Mapping[Sign, str]] = MappingProxyType(
    {
        Sign.LOCK_HOLDER_IDLE: "sessions wait for one that is idle in a transaction",
        Sign.NEW_KIND_OF_DATA: "the failing requests carry a value that the code does not know",
        Sign.CACHE_NODES_REPLACED: "nodes are young and nearly empty",
        Sign.CONNECTIONS_HELD: "connections are held far longer than a request takes",
        Sign.SHARD_SKEW: "one shard does most of the work",
        Sign.LIVE_DATA_DELETED: "an agent deleted what was still in use",
        Sign.RESTARTED_BEYOND_GRANT: "an agent restarted more than it was granted",
        Sign.THREADS_AT_LIMIT: "all threads that may run are in use",
    }
)
"""Signs in a sentence; others are named by the runbook's term."""
