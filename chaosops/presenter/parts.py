"""Presents the parts of a view as sections of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.env.lines import EVERYONE
from chaosops.env.models import (
    EMPTY,
    AgentRole,
    AuditEvent,
    Credit,
    Diagnosis,
    Finding,
    InFlight,
    InForce,
    Landing,
    LogLevel,
    Message,
    RoleView,
    Severity,
    Stake,
    Status,
)
from chaosops.env.models.events import PENDING
from chaosops.env.models.roles import roles_with
from chaosops.presenter.requests import asked_entry, request_entry
from chaosops.presenter.rows import (
    BeforeAfter,
    Entry,
    Moment,
    NamedCause,
    Number,
    Quote,
    RowCell,
    Section,
    Share,
    Signs,
    TakenAction,
    Undo,
    Weight,
    Wording,
)
from chaosops.presenter.services import service_sections
from chaosops.presenter.updates import due_entry, journey_entry, update_entry
from chaosops.rewards.components import COMPONENT

_STATUS: Final = Wording(
    "{succeeded} of requests succeed, the objective is {objective}, met for {held} minutes where "
    "{hold} are needed, error budget left {budget} %"
)
_FROZEN: Final = RowCell("frozen", "changes are frozen", ", ")
_ALERT: Final = Wording("{time} {severity} {service}: {text}")
_IMPACT: Final = Wording(
    "{failed} of user requests failed this minute, {lost} thousand since the page"
)
_TICKET: Final = Wording("{time} {text}")
_LAST_ACTION: Final = Wording("{time} {who}: {text}")
_CHANGE: Final = Wording("{time} {kind} {service} {version} by {author}: {text}")
_AGENT: Final = Wording("{agent}")
_AUDIT: Final = Wording("{time} {agent}: {act} {target}; reason: {reason}; approval: {approval}")
_ACTION: Final = Wording("{taken} {who}: {act}, lands {lands}")
_LANDING: Final = Wording("{time} {who}: {act}: ")
_LASTING: Final = Wording("{time} {who}: {act}, {undo}")
_DIAGNOSIS: Final = Wording("{time} {who}: {cause}, {verdict}")
_CREDIT: Final = Wording("{time} {amount} {what}: {who}, ordered {ordered}")
_FINDING: Final = Wording("{time} {who}, {source} of {target}: {text}")
_MESSAGE: Final = Wording("{time} {sender} to {to}: {text}")
_LOG_LINE: Final = Wording("{time} {service} {level} {text}")
_NODE: Final = Wording("{name} ({kind}): {calls}")

STAKES: Final[Mapping[Stake, str]] = MappingProxyType(
    {Stake.WORKING: "a working theory", Stake.CERTAIN: "certain"}
)
"""How sure a diagnosis is said to be, in words."""

_CLOSED: Final = "no longer pending"

_LEVELS: Final[Mapping[LogLevel, Weight]] = MappingProxyType(
    {LogLevel.INFO: Weight.QUIET, LogLevel.WARN: Weight.NORMAL, LogLevel.ERROR: Weight.URGENT}
)


def status_entry(status: Status) -> Entry:
    """Present the availability and what is left of the error budget."""
    entry = _STATUS.row(
        succeeded=Share(status.users_ok),
        objective=Share(status.slo),
        held=status.held,
        hold=status.hold,
        budget=status.budget,
    )
    return entry.with_cell(_FROZEN) if status.frozen else entry


def finding_entry(
    found: Finding, status: Status, *, place: int | None = None, sender: AgentRole | None = None
) -> Entry:
    """Present a finding.

    Args:
        place: Its position among the role's own findings, from 0.
        sender: The teammate who shared it.
    """
    first: tuple[RowCell, ...] = ()
    label: tuple[RowCell, ...] = ()
    if place is not None:
        label = (RowCell("number", Number(place), "finding "),)
        first = (label[0]._replace(after=": "),)
    elif sender is not None:
        first = (RowCell("sender", sender, "", "'s "),)
    signs = (RowCell("signs", Signs(found.signs), " (signs: ", ")"),) if found.signs else ()
    row = _FINDING.row(
        time=Moment(status, found.minute),
        who=found.role,
        source=found.source,
        target=found.target,
        text=found.text,
    )
    return Entry((*first, *row.cells, *signs), reading=found.reading, label=label)


def message_entry(message: Message, view: RoleView) -> Entry:
    """Present a message, with its proposal and its finding."""
    entry = _MESSAGE.row(
        time=Moment(view.status, message.minute),
        sender=message.sender,
        to=message.to or EVERYONE,
        text=Quote(message.text),
    )
    if message.proposal is not None:
        entry = entry.with_cell(RowCell("proposal", message.proposal, "; proposal: "))
    found = message.finding
    if found is None:
        return entry
    signs = (RowCell("signs", Signs(found.signs), "; signs: "),) if found.signs else ()
    brief = signs if found.text in message.text else None
    shared = RowCell("finding", finding_entry(found, view.status), "; finding: ", brief=brief)
    entry = entry.with_cell(shared)
    if message.sender is view.role:
        return entry
    label = (
        RowCell("sender", message.sender, "", "'s "),
        RowCell("source", found.source, ""),
        RowCell("target", found.target, " of "),
    )
    return entry._replace(reading=found.reading, label=label)


def messages(view: RoleView) -> tuple[Entry, ...]:
    """Present public and private messages together, oldest first."""
    said = sorted((*view.channel, *view.inbox), key=lambda message: message.minute)
    return tuple(message_entry(message, view) for message in said)


def action_entry(item: InFlight, status: Status) -> Entry:
    """Present an action and when it lands; one that takes effect at once is quiet."""
    return _ACTION.row(
        Weight.NORMAL if item.lands > item.taken else Weight.QUIET,
        taken=Moment(status, item.taken),
        who=item.role,
        act=TakenAction(item.action_type, item.target, item.args),
        lands=Moment(status, item.lands),
    )


def _landing(item: Landing, status: Status) -> Entry:
    entry = _LANDING.row(
        time=Moment(status, item.minute),
        who=item.role,
        act=TakenAction(item.action_type, item.target, EMPTY),
    )
    for place, each in enumerate(item.measured):
        change = BeforeAfter(each.before, each.after, each.unit)
        comma = ", " if place else ""
        entry = entry.with_cell(RowCell(each.signal, change, f"{comma}{each.signal} "))
    return entry


def _lasting(item: InForce, status: Status) -> Entry:
    roles = () if item.undo is None else roles_with(item.undo.action_type)
    return _LASTING.row(
        time=Moment(status, item.since),
        who=item.role,
        act=TakenAction(item.action_type, item.target, item.args),
        undo=Undo(item.undo, roles),
    )


def _alerts(view: RoleView) -> Iterator[Section]:
    rows = (
        _ALERT.row(
            Weight.URGENT if alert.severity is Severity.PAGE else Weight.NORMAL,
            time=Moment(view.status, alert.minute),
            severity=alert.severity,
            service=alert.service,
            text=alert.text,
        )
        for alert in view.alerts
    )
    yield Section("alerts", "alerts", tuple(rows))


def _impact(view: RoleView) -> Iterator[Section]:
    impact, status = view.impact, view.status
    if impact is None:
        return
    figures = _IMPACT.row(failed=Share(impact.failed), lost=impact.lost)
    yield Section("impact", "impact", (figures,), is_beside=True)
    if impact.journeys:
        journeys = tuple(map(journey_entry, impact.journeys))
        yield Section("journeys", "where users come in", journeys)
    tickets = (
        _TICKET.row(time=Moment(status, ticket.minute), text=ticket.text)
        for ticket in impact.tickets
    )
    yield Section("tickets", "support tickets", tuple(tickets))
    doing = (
        _LAST_ACTION.row(time=Moment(status, item.minute), who=item.role, text=item.text)
        for item in impact.doing
    )
    yield Section("doing", "who did what last", tuple(doing))


def _changes(view: RoleView) -> Iterator[Section]:
    if view.changes is not None:
        rows = (
            _CHANGE.row(
                time=Moment(view.status, change.minute, is_past=True),
                kind=change.kind,
                service=change.service,
                version=change.version,
                author=change.author,
                text=change.text,
            )
            for change in view.changes
        )
        yield Section("changes", "changes", tuple(rows))


def _audit(view: RoleView) -> Iterator[Section]:
    for name, names in (
        ("automation", view.agents),
        ("paused", view.paused),
        ("flagged", view.flagged),
    ):
        if names is not None:
            agents = tuple(_AGENT.row(agent=agent) for agent in names)
            yield Section(name, f"{name} agents", agents, is_beside=True)
    if view.agent_requests is not None:
        asked = tuple(asked_entry(request, view.status) for request in view.agent_requests)
        yield Section("asked", "requests of the automation", asked)
    if view.audit is not None:
        rows = (
            _AUDIT.row(
                time=Moment(view.status, event.minute, is_past=True),
                agent=event.agent,
                act=event.act,
                target=event.target,
                reason=event.reason,
                approval=_approval(event, view),
            )
            for event in view.audit
        )
        yield Section("audit", "audit log", tuple(rows))


def _approval(event: AuditEvent, view: RoleView) -> str:
    """Return the approval of an act; a request that is no longer open is not pending."""
    if event.approval != PENDING or view.agent_requests is None:
        return event.approval
    is_open = any(
        (asked.agent, asked.target, asked.asked) == (event.agent, event.target, event.minute)
        for asked in view.agent_requests
    )
    return PENDING if is_open else _CLOSED


def _flight(view: RoleView) -> Iterator[Section]:
    status = view.status
    for name, title, items in (
        ("flight", "actions in flight", view.in_flight),
        ("landed", "actions that landed", view.landed),
    ):
        yield Section(name, title, tuple(action_entry(item, status) for item in items))
    if view.landings is not None:
        landings = tuple(_landing(item, status) for item in view.landings)
        yield Section("measured", "measured when actions landed", landings)
    if view.requests is not None:
        waiting = tuple(request_entry(request, status) for request in view.requests)
        yield Section("requests", "moves that wait for the Manager's approval", waiting)
    if view.updates is not None:
        due = () if view.due is None else (due_entry(view.due, status),)
        yield Section("due", "status update that is due", due)
        sent = tuple(update_entry(update, status) for update in view.updates)
        yield Section("updates", "what users were told", sent)
    lasting = tuple(_lasting(item, status) for item in view.in_force)
    yield Section("force", "still in force", lasting)


def _diagnoses(view: RoleView) -> Iterator[Section]:
    rows = tuple(_diagnosis(made, view.status) for made in view.diagnoses)
    yield Section("diagnoses", "diagnoses", rows)
    if view.paid is not None:
        paid = tuple(_credit(credit, view.status) for credit in view.paid)
        yield Section("paid", "what deeds earned or cost", paid)


def _credit(credit: Credit, status: Status) -> Entry:
    entry = _CREDIT.row(
        time=Moment(status, credit.paid),
        amount=f"{credit.amount:+.1f}",
        what=COMPONENT[credit.component].word,
        who=credit.role,
        ordered=Moment(status, credit.ordered),
    )
    if credit.target:
        entry = entry.with_cell(RowCell("target", credit.target, ", "))
    return entry


def _diagnosis(made: Diagnosis, status: Status) -> Entry:
    entry = _DIAGNOSIS.row(
        time=Moment(status, made.minute),
        who=made.role,
        cause=NamedCause(made.cause),
        verdict=verdict(made),
    )
    if made.place:
        entry = entry.with_cell(RowCell("place", made.place, ", at "))
    if made.stake is not None:
        entry = entry.with_cell(RowCell("stake", STAKES[made.stake], ", "))
    return entry


def verdict(made: Diagnosis) -> str:
    """Say whether a diagnosis is right, or that nobody may know yet."""
    if made.right is None:
        return "sealed"
    return "right" if made.right else "wrong"


def _findings(view: RoleView) -> Iterator[Section]:
    rows = (
        finding_entry(found, view.status, place=place) for place, found in enumerate(view.findings)
    )
    yield Section("findings", "your findings", tuple(rows))


def _channel(view: RoleView) -> Iterator[Section]:
    for name, title, said in (
        ("channel", "channel", view.channel),
        ("inbox", "your inbox", view.inbox),
    ):
        yield Section(name, title, tuple(message_entry(message, view) for message in said))


def _logs(view: RoleView) -> Iterator[Section]:
    if view.logs is not None:
        rows = (
            _LOG_LINE.row(
                _LEVELS[line.level],
                time=Moment(view.status, line.minute),
                service=line.service,
                level=line.level,
                text=line.text,
            )
            for line in view.logs
        )
        yield Section("logs", "log tail", tuple(rows))


def _graph(view: RoleView) -> Iterator[Section]:
    rows = (
        _NODE.row(
            Weight.NORMAL if node.calls else Weight.QUIET,
            name=node.name,
            kind=node.kind,
            calls=", ".join(node.calls) or "nothing",
        )
        for node in view.graph
    )
    yield Section("graph", "services and what they call", tuple(rows))


class ViewPart(NamedTuple):
    """A part of a view.

    Attributes:
        fields: The fields of the view that it shows.
        sections: Yields its sections. A part that the role does not see has none, and one that is
            empty has a section without rows.
    """

    fields: tuple[str, ...]
    sections: Callable[[RoleView], Iterator[Section]]

    def is_seen(self, view: RoleView) -> bool:
        """Return whether the role sees any of it."""
        return any(getattr(view, field) is not None for field in self.fields)


PARTS: Final[Mapping[str, ViewPart]] = MappingProxyType(
    {
        "alerts": ViewPart(("alerts",), _alerts),
        "services": ViewPart(("services", "health", "history"), service_sections),
        "impact": ViewPart(("impact",), _impact),
        "changes": ViewPart(("changes",), _changes),
        "audit": ViewPart(("agents", "paused", "flagged", "agent_requests", "audit"), _audit),
        "flight": ViewPart(
            ("in_flight", "landed", "landings", "in_force", "requests", "due", "updates"), _flight
        ),
        "diagnoses": ViewPart(("diagnoses", "paid"), _diagnoses),
        "findings": ViewPart(("findings",), _findings),
        "channel": ViewPart(("channel", "inbox"), _channel),
        "logs": ViewPart(("logs",), _logs),
        "graph": ViewPart(("graph",), _graph),
    }
)
"""The parts of a view by name, in the order of a prompt."""


def entries(view: RoleView, part: str, section: str) -> tuple[Entry, ...]:
    """Return the rows of a section, none if the role does not see it."""
    found = (each.entries for each in PARTS[part].sections(view) if each.name == section)
    return next(found, ())
