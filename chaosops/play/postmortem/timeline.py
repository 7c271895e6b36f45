"""The timeline of a post-mortem: what happened to the system, and what the responders did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ApprovalRequest,
    Diagnosis,
    RoleView,
    StatusUpdate,
)
from chaosops.env.models.messages import SAY
from chaosops.env.models.verbs import AGENT_VERBS, ANSWERS, DECISIONS, FIXES
from chaosops.env.world_sim import Scenario
from chaosops.play.debrief import timeline
from chaosops.play.formatting import ROLE_NAMES, in_words, role_word, shown
from chaosops.play.happenings import measured_words
from chaosops.play.postmortem.played import PlayedIncident
from chaosops.play.verdicts import told_verdict
from chaosops.play.wording import describe, verb_word, without_line
from chaosops.presenter.parts import STAKES


class EventKind(StrEnum):
    """The kind of an event, as the table of the timeline names it."""

    PAGE = "page"
    FAULT = "fault"
    ALERT = "alert"
    USERS = "availability"
    AUTOMATION = "automation"
    LOOK = "look"
    SHARE = "share"
    MESSAGE = "message"
    ORDER = "order"
    LANDED = "landed"
    APPROVAL = "approval"
    ACCUSATION = "accusation"
    DIAGNOSIS = "diagnosis"
    UPDATE = "status update"
    ALL_CLEAR = "all-clear"
    TIMEOUT = "timeout"
    END = "end"


class IncidentEvent(NamedTuple):
    """A line of the timeline.

    Attributes:
        minute: From the page.
        role: Who acted; None if nobody on call did.
    """

    minute: int
    kind: EventKind
    text: str
    role: AgentRole | None = None


_LONGEST: Final = 240
_WORLD: Final = {
    "fault": EventKind.FAULT,
    "alert": EventKind.ALERT,
    "users": EventKind.USERS,
    "automation": EventKind.AUTOMATION,
}
_KINDS: Final = {
    ActionType.INVESTIGATE: EventKind.LOOK,
    ActionType.COMMUNICATE: EventKind.MESSAGE,
    ActionType.ASSIGN: EventKind.MESSAGE,
    ActionType.APPROVE: EventKind.APPROVAL,
    ActionType.REFUSE: EventKind.APPROVAL,
    ActionType.GRANT: EventKind.APPROVAL,
    ActionType.DENY: EventKind.APPROVAL,
    ActionType.ASK: EventKind.LOOK,
    ActionType.FLAG: EventKind.ACCUSATION,
    ActionType.DIAGNOSE: EventKind.DIAGNOSIS,
    ActionType.RESOLVE: EventKind.ALL_CLEAR,
    ActionType.UPDATE: EventKind.UPDATE,
    **dict.fromkeys((*FIXES, *AGENT_VERBS - {ActionType.FLAG}), EventKind.ORDER),
}


def events(played: PlayedIncident) -> tuple[IncidentEvent, ...]:
    """Return what happened, oldest first; turns in which somebody passed are left out."""
    found = [
        IncidentEvent(0, EventKind.PAGE, f"page: {played.status.title}"),
        *_of_the_world(played),
        *_turns(played),
        *_landings(played.views),
        *_end(played),
    ]
    order = {kind: place for place, kind in enumerate(EventKind)}
    first = {EventKind.PAGE: -1, EventKind.END: 99}
    found.sort(key=lambda event: (event.minute, first.get(event.kind, 0), order[event.kind]))
    return tuple(found)


def _of_the_world(played: PlayedIncident) -> Iterator[IncidentEvent]:
    last = played.steps[-1].observation if played.last is None else played.last
    page = f"{played.status.title} ("
    for entry in timeline(played.scenario, played.steps, last, frozenset()):
        kind = _WORLD.get(entry.kind)
        text = entry.text.removeprefix("alert: ")
        # The page is the first alert, and stands in the timeline already.
        is_page = kind is EventKind.ALERT and not entry.minute and text.startswith(page)
        if kind is not None and not is_page:
            yield IncidentEvent(entry.minute, kind, text)


def _turns(played: PlayedIncident) -> Iterator[IncidentEvent]:
    verdicts = {(made.role, made.minute): made for made in played.views[-1].diagnoses}
    updates = {sent.minute: sent for sent in played.views[-1].updates or ()}
    for number, step in enumerate(played.steps):
        view, verb = step.observation.view, ActionType(step.action.action_type)
        minute = view.status.minute
        if number in played.late:
            yield IncidentEvent(minute, EventKind.TIMEOUT, "passed, out of time", step.role)
            continue
        yield from _line(step)
        if verb is ActionType.NOOP:
            continue
        kind = _KINDS.get(verb, EventKind.ORDER)
        text = shown(describe(without_line(step.action), findings=view.findings), _LONGEST)
        if kind is EventKind.MESSAGE and step.action.args.get("finding") is not None:
            kind = EventKind.SHARE
        if verb in (*DECISIONS, *ANSWERS):
            text += _of_request(view, verb, step.action.args.get("request"))
        made = verdicts.get((step.role, minute))
        if kind is EventKind.DIAGNOSIS and made is not None:
            text = diagnosis_words(made, played.scenario)
        sent = updates.get(minute)
        if kind is EventKind.UPDATE and sent is not None:
            text = update_words(sent)
        if played.was_refused(number):
            text += " (not possible, the turn was lost)"
        elif kind is EventKind.ALL_CLEAR and step.breakdown.false_all_clear_penalty:
            text += ": too early"
        yield IncidentEvent(minute, kind, text, step.role)


def _line(step: EpisodeStep) -> Iterator[IncidentEvent]:
    """Yield the line that was said with an action, as an event of its own."""
    said = step.action.args.get(SAY)
    if isinstance(said, Mapping):
        found = step.observation.view.findings
        bare = describe(without_line(step.action), findings=found)
        words = describe(step.action, findings=found).removeprefix(f"{bare}; ")
        kind = EventKind.MESSAGE if said.get("finding") is None else EventKind.SHARE
        minute = step.observation.view.status.minute
        yield IncidentEvent(minute, kind, shown(words, _LONGEST), step.role)


def diagnosis_words(made: Diagnosis, scenario: Scenario | None) -> str:
    """Describe a diagnosis: "row lock at db, certain: right"."""
    at = f" at {shown(made.place, 80)}" if made.place else ""
    stake = "" if made.stake is None else f", {STAKES[made.stake]}"
    return f"{in_words(made.cause)}{at}{stake}: {told_verdict(made, scenario)}"


def update_words(sent: StatusUpdate) -> str:
    """Describe an update: "7 % of requests at edge fail, rising; cause: not known; next: fix"."""
    says = sent.content
    at = f" at {shown(says.place, 80)}" if says.place else ""
    untrue = "" if sent.calms else " (contradicted by the figures)"
    return (
        f"{says.failed} % of requests at {shown(says.journey, 80)} fail, {says.trend.value}; "
        f"cause: {in_words(says.cause)}{at}; next: {says.next.value}{untrue}"
    )


def _of_request(view: RoleView, verb: ActionType, number: object) -> str:
    """Return what a request was for, as a part of a sentence."""
    if verb in ANSWERS:
        wanted = (each for each in view.agent_requests or () if each.number == number)
        return "".join(f" ({each.agent}: {shown(each.command, 120)})" for each in wanted)
    asked = next((each for each in view.requests or () if each.number == number), None)
    return "" if asked is None else f" ({request_words(asked)})"


def request_words(asked: ApprovalRequest) -> str:
    """Describe a request: "failover db, asked for by SRE"."""
    what = f"{verb_word(asked.action_type)} {shown(asked.target, 80)}"
    return f"{what}, asked for by {role_word(asked.role)}"


def _landings(views: list[RoleView]) -> Iterator[IncidentEvent]:
    for item in views[-1].landings or ():
        what = f"{verb_word(item.action_type)} {shown(item.target, 80)}"
        measured = measured_words(item.measured)
        text = f"{what} took effect" + (f": {measured}" if measured else "")
        yield IncidentEvent(item.minute, EventKind.LANDED, text, item.role)
    if views[-1].landings is not None:
        return
    told = set()
    for view in views:
        for done in view.landed:
            key = (done.role, done.action_type, done.target, done.taken)
            if key not in told and done.lands > done.taken:
                told.add(key)
                what = f"{verb_word(done.action_type)} {shown(done.target, 80)}"
                yield IncidentEvent(done.lands, EventKind.LANDED, f"{what} took effect", done.role)


def _end(played: PlayedIncident) -> Iterator[IncidentEvent]:
    minute = played.status.minute + (played.last is None)
    if played.resolved:
        yield IncidentEvent(minute, EventKind.END, "the incident is resolved")
    elif played.finished:
        yield IncidentEvent(
            minute, EventKind.END, "the shift ends, and the incident is not resolved"
        )
    else:
        yield IncidentEvent(minute, EventKind.END, "the record ends; the incident goes on")


def who(event: IncidentEvent) -> str:
    """Return who acted; empty if nobody on call did."""
    return "" if event.role is None else ROLE_NAMES[event.role]
