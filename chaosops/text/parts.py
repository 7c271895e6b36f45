"""What a role sees, part by part, in the words of a dialect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from chaosops.env.models import (
    EMPTY,
    Diagnosis,
    Finding,
    InFlight,
    InForce,
    Landing,
    Message,
    RoleView,
    Status,
)
from chaosops.env.models.roles import roles_with
from chaosops.text.blocks import Block
from chaosops.text.dialect import Dialect
from chaosops.text.figures import figure, number, percent
from chaosops.text.readings import READING_CHARACTERS, reading_texts
from chaosops.text.signals import service_blocks


def users_words(status: Status) -> str:
    """How users fare, and what is left of the error budget."""
    return (
        f"{percent(status.users_ok)} of requests succeed, the objective is "
        f"{percent(status.slo)}, met for {status.held} minutes where {status.hold} are needed, "
        f"error budget left {status.budget} %"
    )


def message_words(message: Message, status: Status, dialect: Dialect) -> str:
    """Who said what to whom, and what came with it."""
    to = "all" if message.to is None else dialect.role(message.to)
    words = (
        f"{dialect.at(status, message.minute)} {dialect.role(message.sender)} to {to}: "
        f"{dialect.quoted(message)}"
    )
    if message.proposal is not None:
        words += f"; proposal: {dialect.proposal(message.proposal)}"
    found = message.finding
    if found is not None and (dialect.repeats or found.text not in message.text):
        words += f"; finding: {_finding(found, status, dialect)}"
    elif found is not None and found.signs:
        words += f"; signs: {dialect.signs(found.signs)}"
    return words


def finding_words(view: RoleView, place: int, dialect: Dialect) -> str:
    """One of the role's own findings, with the number by which it is shared.

    Args:
        place: Its place among them, from 0.
    """
    said = _finding(view.findings[place], view.status, dialect)
    return f"finding {place + dialect.first_finding}: {said}"


def reading_words(
    view: RoleView, place: int, dialect: Dialect, *, room: int = READING_CHARACTERS
) -> Iterator[str]:
    """What the instrument showed for one of the role's own findings, a line for each part.

    Args:
        room: Characters for all of them together.
    """
    reading = view.findings[place].reading
    if reading is not None:
        for text in reading_texts(reading, view.status, dialect, room=room):
            yield f"finding {place + dialect.first_finding}, {text}"


def shared_words(
    message: Message, view: RoleView, dialect: Dialect, *, room: int = READING_CHARACTERS
) -> Iterator[str]:
    """What the instrument showed for the finding that a teammate shared, a line for each part."""
    found = message.finding
    if found is None or found.reading is None or message.sender is view.role:
        return
    who = f"{dialect.role(message.sender)}'s {found.source.value} of {found.target}"
    for text in reading_texts(found.reading, view.status, dialect, room=room):
        yield f"{who}, {text}"


def _finding(found: Finding, status: Status, dialect: Dialect) -> str:
    signs = f" (signs: {dialect.signs(found.signs)})" if found.signs else ""
    return (
        f"{dialect.at(status, found.minute)} {dialect.role(found.role)}, "
        f"{found.source.value} of {found.target}: {found.text}{signs}"
    )


def _alerts(view: RoleView, dialect: Dialect) -> Iterator[Block]:
    yield Block.under(
        "alerts",
        (
            f"{dialect.at(view.status, alert.minute)} {alert.severity.value} {alert.service}: "
            f"{alert.text}"
            for alert in view.alerts
        ),
    )


def _impact(view: RoleView, dialect: Dialect) -> Iterator[Block]:
    impact, at = view.impact, partial(dialect.at, view.status)
    if impact is None:
        return
    failed = (
        f"{percent(impact.failed)} of user requests failed this minute, "
        f"{number(impact.lost)} thousand since the page"
    )
    yield Block.after("impact", (failed,))
    tickets = (f"{at(ticket.minute)} {ticket.text}" for ticket in impact.tickets)
    yield Block.under("support tickets", tickets)
    doing = (f"{at(item.minute)} {dialect.role(item.role)}: {item.text}" for item in impact.doing)
    yield Block.under("who did what last", doing)


def _changes(view: RoleView, dialect: Dialect) -> Iterator[Block]:
    if view.changes is not None:
        yield Block.under(
            "changes",
            (
                f"{dialect.past(view.status, change.minute)} {change.kind.value} "
                f"{change.service} {change.version} by {change.author}: {change.text}"
                for change in view.changes
            ),
        )


def _audit(view: RoleView, dialect: Dialect) -> Iterator[Block]:
    for title, names in (
        ("automation agents", view.agents),
        ("paused agents", view.paused),
        ("flagged agents", view.flagged),
    ):
        if names is not None:
            yield Block.after(title, names)
    if view.audit is not None:
        yield Block.under(
            "audit log",
            (
                f"{dialect.past(view.status, event.minute)} {event.agent}: {event.act} "
                f"{event.target}; reason: {event.reason}; approval: {event.approval}"
                for event in view.audit
            ),
        )


def _flight(view: RoleView, dialect: Dialect) -> Iterator[Block]:
    for title, items in (
        ("actions in flight", view.in_flight),
        ("actions that landed", view.landed),
    ):
        yield Block.under(title, (_act(item, view.status, dialect) for item in items))
    if view.landings is not None:
        measured = (
            f"{dialect.at(view.status, item.minute)} {landing_words(item, dialect)}"
            for item in view.landings
        )
        yield Block.under("measured when actions landed", measured)
    lasting = (_lasting(item, view.status, dialect) for item in view.in_force)
    yield Block.under("still in force", lasting)


def landing_words(item: Landing, dialect: Dialect) -> str:
    """Who did what, and the signals of its target before it landed and after."""
    act = InFlight(item.role, item.action_type, item.target, EMPTY, item.minute, item.minute)
    figures = ", ".join(
        f"{each.signal} {figure(each.after, each.unit)} (was {figure(each.before, each.unit)})"
        for each in item.measured
    )
    return f"{dialect.role(item.role)}: {dialect.act(act)}: {figures}"


def landed_words(item: InFlight, status: Status, dialect: Dialect) -> str:
    """Who did what, and when it was taken."""
    taken = dialect.at(status, item.taken)
    return f"{dialect.role(item.role)}: {dialect.act(item)}, taken {taken}"


def _act(item: InFlight, status: Status, dialect: Dialect) -> str:
    return (
        f"{dialect.at(status, item.taken)} {dialect.role(item.role)}: {dialect.act(item)}, "
        f"lands {dialect.at(status, item.lands)}"
    )


def _lasting(item: InForce, status: Status, dialect: Dialect) -> str:
    undo = "cannot be undone"
    if item.undo is not None:
        who = " or ".join(dialect.role(role) for role in roles_with(item.undo.action_type))
        undo = f"to undo ({who}): {dialect.proposal(item.undo)}"
    return (
        f"{dialect.at(status, item.since)} {dialect.role(item.role)}: {dialect.act(item)}, {undo}"
    )


def diagnosis_words(made: Diagnosis, dialect: Dialect) -> str:
    """Who named which cause, and whether it is the right one."""
    verdict = "right" if made.right else "wrong"
    return f"{dialect.role(made.role)}: {dialect.name(made.cause)}, {verdict}"


def _diagnoses(view: RoleView, dialect: Dialect) -> Iterator[Block]:
    yield Block.under(
        "diagnoses",
        (
            f"{dialect.at(view.status, made.minute)} {diagnosis_words(made, dialect)}"
            for made in view.diagnoses
        ),
    )


def _findings(view: RoleView, dialect: Dialect) -> Iterator[Block]:
    lines: list[str] = []
    for place in range(len(view.findings)):
        lines.append(finding_words(view, place, dialect))
        if dialect.opens_findings:
            lines += reading_words(view, place, dialect)
    yield Block.under("your findings", lines)


def _channel(view: RoleView, dialect: Dialect) -> Iterator[Block]:
    for title, messages in (("channel", view.channel), ("your inbox", view.inbox)):
        lines: list[str] = []
        for message in messages:
            lines.append(message_words(message, view.status, dialect))
            if dialect.opens_findings:
                lines += shared_words(message, view, dialect)
        yield Block.under(title, lines)


def _logs(view: RoleView, dialect: Dialect) -> Iterator[Block]:
    if view.logs is not None:
        yield Block.under(
            "log tail",
            (
                f"{dialect.at(view.status, line.minute)} {line.service} {line.level.value} "
                f"{line.text}"
                for line in view.logs
            ),
        )


def _graph(view: RoleView, dialect: Dialect) -> Iterator[Block]:
    yield Block.under(
        "services and what they call",
        (
            f"{node.name} ({node.kind.value}): {', '.join(node.calls) or 'nothing'}"
            for node in view.graph
        ),
    )


PARTS: Final[Mapping[str, Callable[[RoleView, Dialect], Iterator[Block]]]] = MappingProxyType(
    {
        "alerts": _alerts,
        "services": service_blocks,
        "impact": _impact,
        "changes": _changes,
        "audit": _audit,
        "flight": _flight,
        "diagnoses": _diagnoses,
        "findings": _findings,
        "channel": _channel,
        "logs": _logs,
        "graph": _graph,
    }
)
"""The parts of a view by name, in the order in which all of it is told.

A part of which the role sees nothing has no block; one that is empty has a block without items.
"""
