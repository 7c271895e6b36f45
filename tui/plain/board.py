"""What a role sees, in sentences: one function a part of the view, the same parts as the panes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    AgentRole,
    Finding,
    Health,
    InFlight,
    Message,
    RoleView,
    ServiceSignals,
    Severity,
    Status,
)
from tui.fleet import deepest_unwell, health_of, history_of, unwell_minutes
from tui.words import (
    ROLE_NAMES,
    clock,
    components,
    describe,
    in_flight_words,
    milliseconds,
    percent,
    proposal_words,
    shown,
    signed,
    verb_word,
)

_BEFORE = 10
"""Minutes back with which the present is compared."""

_LOG_TAIL = 20


class Part(NamedTuple):
    """A part of the view.

    Attributes:
        lines: What it says, from a view and a word to look for; None where the role has no such
            part.
        nothing: What an empty part says.
    """

    title: str
    lines: Callable[[RoleView, str], list[str] | None]
    nothing: str


def status_line(status: Status, score: float) -> str:
    """How users fare, what is left of the budget, and the score."""
    held = f", met for {status.held} of {status.hold} minutes" if status.held else ""
    return (
        f"Users: {percent(status.users_ok)} of requests succeed, the objective is "
        f"{percent(status.slo)}{held}. Error budget left: {status.budget} %. "
        f"Score {signed(score)}."
    )


def unwell_line(view: RoleView) -> str:
    """The services that are unwell, worst first, and where to look first."""
    health = health_of(view)
    if not health:
        return ""
    past = history_of(view)
    worst = list(Health)
    unwell = sorted(
        (name for name, state in health.items() if state is not Health.HEALTHY),
        key=lambda name: -worst.index(health[name]),
    )
    if not unwell:
        return "All services are healthy."
    told = [
        f"{shown(name, 40)} {health[name].value}{_since(past.get(name, ()))}" for name in unwell
    ]
    line = f"Unwell: {', '.join(told)}."
    roots = [shown(name, 40) for name in unwell if name in deepest_unwell(view.graph, health)]
    if roots:
        line += f" Look first at {' and '.join(roots)}: nothing it calls is unwell."
    return line


def _since(past: Sequence[ServiceSignals]) -> str:
    minutes, longer = unwell_minutes(past)
    if not minutes:
        return ""
    return f" for {'more than ' if longer else ''}{_minutes(minutes)}"


def _minutes(count: int) -> str:
    return "1 minute" if count == 1 else f"{count} minutes"


def flight_line(view: RoleView) -> str:
    """Everyone's actions under way."""
    items = sorted(view.in_flight, key=lambda item: (item.lands, item.taken))
    if not items:
        return "Nothing is in flight."
    words = "; ".join(in_flight_words(item, view.status.minute) for item in items)
    return f"In flight: {words}."


def _services(view: RoleView, wanted: str) -> list[str] | None:
    if view.services is None:
        if view.health is None:
            return None
        return [f"{shown(name, 40)}: {state.value}" for name, state in view.health]
    past = history_of(view)
    return [
        _service(item, past.get(item.service, []))
        for item in view.services
        if wanted in item.service.lower()
    ]


def _service(now: ServiceSignals, past: Sequence[ServiceSignals]) -> str:
    then = past[-_BEFORE - 1] if len(past) > _BEFORE else None
    parts = [f"errors {percent(now.errors)}{_was(then, 'errors', now, percent)}"]
    parts.append(f"p95 {milliseconds(now.p95_ms)}{_was(then, 'p95_ms', now, milliseconds)}")
    if now.rps is not None:
        parts.append(f"{now.rps} requests a second{_was(then, 'rps', now, str)}")
    for field in ("busy", "memory", "disk", "pool", "hit"):
        value = getattr(now, field)
        if value is not None:
            word = "cache hits" if field == "hit" else field
            parts.append(f"{word} {value} %{_was(then, field, now, str)}")
    if now.backlog:
        parts.append(f"{now.backlog} waiting{_was(then, 'backlog', now, str)}")
    if now.replicas is not None:
        parts.append(f"{now.replicas} instances{_was(then, 'replicas', now, str)}")
    if now.lag:
        parts.append(f"copies {now.lag} s behind")
    return f"{shown(now.service, 40)}: {now.health.value}{_since(past)}; {', '.join(parts)}"


def _was(
    then: ServiceSignals | None, field: str, now: ServiceSignals, word: Callable[[int], str]
) -> str:
    """What the figure was, where it has moved by more than a tenth."""
    before, value = getattr(then, field, None), getattr(now, field)
    if before is None or abs(value - before) <= max(abs(before) * 0.1, 0.005):
        return ""
    return f" (was {word(before)})"


def _alerts(view: RoleView, wanted: str) -> list[str]:
    return [
        f"{'page' if alert.severity is Severity.PAGE else 'ticket'} since "
        f"{clock(view.status, alert.minute)}, {shown(alert.service, 40)}: {shown(alert.text)}"
        for alert in view.alerts
    ]


def _logs(view: RoleView, wanted: str) -> list[str] | None:
    if view.logs is None:
        return None
    lines = [
        f"{clock(view.status, line.minute)} {shown(line.service, 40)} {line.level.value}: "
        f"{shown(line.text)}"
        for line in view.logs
    ]
    return [line for line in lines if wanted in line.lower()][-_LOG_TAIL:]


def _changes(view: RoleView, wanted: str) -> list[str] | None:
    if view.changes is None:
        return None
    now = view.status.minute
    return [
        f"{_ago(now - change.minute)}, {change.kind.value} of {shown(change.service, 40)} "
        f"{shown(change.version, 40)} by {shown(change.author, 60)}: {shown(change.text)}"
        for change in view.changes
    ]


def _ago(minutes: int) -> str:
    if minutes < 60:
        return f"{_minutes(minutes)} ago"
    hours = minutes // 60
    return f"{hours} h ago" if hours < 48 else f"{hours // 24} days ago"


def _audit(view: RoleView, wanted: str) -> list[str] | None:
    if view.audit is None:
        return None
    now = view.status.minute
    lines = [
        f"{_ago(now - event.minute)}, {shown(event.agent, 60)}: {shown(event.act)} "
        f"{shown(event.target, 60)}; reason: {shown(event.reason)}; approval: "
        f"{shown(event.approval)}"
        for event in view.audit
    ]
    for word, names in (("paused", view.paused), ("flagged", view.flagged)):
        if names:
            lines.append(f"{word}: {', '.join(shown(name, 60) for name in names)}")
    return [line for line in lines if wanted in line.lower()]


def _impact(view: RoleView, wanted: str) -> list[str] | None:
    impact = view.impact
    if impact is None:
        return None
    lines = [
        (
            f"{percent(impact.failed)} of user requests failed this minute, "
            f"{impact.lost:g} thousand since the page"
        )
    ]
    lines += [
        f"ticket at {clock(view.status, ticket.minute)}: {shown(ticket.text)}"
        for ticket in impact.tickets
    ]
    lines += [
        f"{ROLE_NAMES[item.role]} at {clock(view.status, item.minute)}: {shown(item.text)}"
        for item in impact.doing
    ]
    return lines


def _channel(view: RoleView, wanted: str) -> list[str]:
    messages = sorted([*view.channel, *view.inbox], key=lambda message: message.minute)
    lines = [message_line(view, message) for message in messages]
    return [line for line in lines if wanted in line.lower()]


def message_line(view: RoleView, message: Message) -> str:
    """Who said what to whom, and what it carries."""
    private = message in view.inbox
    to = f" to {ROLE_NAMES[message.to]}" if message.to else ""
    words = [
        (
            f"{clock(view.status, message.minute)} {ROLE_NAMES[message.sender]}{to}"
            f"{' in private' if private else ''}: {shown(message.text)}"
        )
    ]
    if message.proposal is not None:
        words.append(f"(proposes: {proposal_words(message.proposal)})")
    if message.finding is not None:
        words.append(f"(shares: {_finding(view, message.finding)})")
    return " ".join(words)


def said_since(steps: Sequence[EpisodeStep], view: RoleView) -> list[str]:
    """What others said to all since the role's last turn."""
    heard = next(
        (len(step.observation.view.channel) for step in reversed(steps) if step.role is view.role),
        0,
    )
    return [
        message_line(view, message)
        for message in view.channel[heard:]
        if message.sender is not view.role
    ]


def _findings(view: RoleView, wanted: str) -> list[str]:
    return [
        f"finding {number}: {_finding(view, found)}"
        for number, found in enumerate(view.findings, 1)
    ]


def _finding(view: RoleView, found: Finding) -> str:
    return (
        f"{clock(view.status, found.minute)} {found.source.value} of {shown(found.target, 60)}: "
        f"{shown(found.text)}"
    )


def _flight(view: RoleView, wanted: str) -> list[str]:
    lines = [
        f"in flight: {in_flight_words(item, view.status.minute)}"
        for item in sorted(view.in_flight, key=lambda item: item.lands)
    ]
    return lines + [_landed(view.status, item) for item in view.landed]


def _landed(status: Status, item: InFlight) -> str:
    what = f"{verb_word(item.action_type)} {shown(item.target, 60)}"
    return f"landed at {clock(status, item.lands)}: {what}, {ROLE_NAMES[item.role]}"


def _diagnoses(view: RoleView, wanted: str) -> list[str]:
    return [
        f"{clock(view.status, made.minute)} {ROLE_NAMES[made.role]}: "
        f"{made.cause.value.replace('_', ' ')}, {'right' if made.right else 'wrong'}"
        for made in view.diagnoses
    ]


def _graph(view: RoleView, wanted: str) -> list[str]:
    return [
        f"{shown(node.name, 40)} ({node.kind.value}) calls "
        f"{', '.join(shown(name, 40) for name in node.calls) or 'nothing'}"
        for node in view.graph
        if wanted in node.name.lower()
    ]


PARTS: Final[dict[str, Part]] = {
    "services": Part("Services", _services, "no service of that name"),
    "alerts": Part("Alerts", _alerts, "nothing fires"),
    "logs": Part("Logs", _logs, "no such line"),
    "changes": Part("Changes", _changes, "no change is known"),
    "audit": Part("What the automation did", _audit, "it did nothing"),
    "impact": Part("Customers", _impact, "nothing is known"),
    "channel": Part("Channel", _channel, "nobody has said anything"),
    "findings": Part("Your findings", _findings, "you have not looked anywhere yet"),
    "flight": Part("Fixes", _flight, "nothing is in flight, and nothing has landed"),
    "diagnoses": Part("Diagnoses", _diagnoses, "nobody has named a cause"),
    "graph": Part("Who calls whom", _graph, "no service of that name"),
}
"""The parts by name, in the order in which the whole board is told."""

FIRST_PART: Final[dict[AgentRole, str]] = {
    AgentRole.SRE: "services",
    AgentRole.OVERSIGHT: "audit",
    AgentRole.DEV: "changes",
    AgentRole.MANAGER: "impact",
}
"""What a role is told first."""


def part_lines(name: str, view: RoleView, wanted: str = "") -> list[str]:
    """A part with its title.

    Args:
        wanted: Only what has this in it, where the part can be searched.
    """
    part = PARTS[name]
    lines = part.lines(view, wanted.lower())
    if lines is None:
        return [f"{part.title}: {ROLE_NAMES[view.role]} does not see them. Ask a teammate."]
    if not lines:
        return [f"{part.title}: {part.nothing}."]
    return [f"{part.title}:", *(f"- {line}" for line in lines)]


def first_lines(view: RoleView) -> list[str]:
    """What a role is told when it sits down; of the services, those that are unwell."""
    name = FIRST_PART[view.role]
    if name != "services":
        return part_lines(name, view)
    past = history_of(view)
    unwell = [item for item in view.services or () if item.health is not Health.HEALTHY]
    lines = [f"- {_service(item, past.get(item.service, []))}" for item in unwell]
    return ["Services that are unwell, 'services' tells all:", *lines] if lines else []


def visible_parts(view: RoleView) -> list[str]:
    """The names of the parts that the role has."""
    return [name for name, part in PARTS.items() if part.lines(view, "") is not None]


def score_lines(steps: Sequence[EpisodeStep], viewer: AgentRole | None, last: int) -> list[str]:
    """The newest turns with what each paid, and the total."""
    rows = list(_score_rows(steps, viewer))
    if not rows:
        return ["Score: no turn has been taken yet."]
    return ["Score:", *(f"- {row}" for row in rows[-last:])]


def _score_rows(steps: Sequence[EpisodeStep], viewer: AgentRole | None) -> Iterator[str]:
    total = 0.0
    for step in steps:
        total += step.reward
        status = step.observation.view.status
        parts = ", ".join(f"{word} {signed(value)}" for word, value in components(step.breakdown))
        paid = f" {parts};" if parts else ""
        yield (
            f"turn {step.turn + 1}, {clock(status, status.minute)}, {ROLE_NAMES[step.role]}: "
            f"{describe(step.action, viewer)}.{paid} together {signed(step.reward)}, "
            f"total {signed(total)}"
        )
