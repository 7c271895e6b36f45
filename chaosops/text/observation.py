"""An observation as words: everything in the role's view, and nothing else.

The words depend on the observation alone. They hold no markup and no control character but line
ends, and each fact stands on a line of its own: what players wrote is quoted as JSON text, so
that no message can pass for another line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from chaosops.env.models import (
    ActionType,
    ChaosOpsObservation,
    Impact,
    InFlight,
    Message,
    RoleView,
    ServiceSignals,
    Status,
    VerbChoice,
)
from chaosops.env.models import Finding as Found
from chaosops.env.text_safety import clean
from chaosops.text.actions import example, render_proposal, to_json


class _Signal(NamedTuple):
    """How a signal is called and which unit stands behind it; a share is shown in percent."""

    field: str
    name: str
    unit: str = ""
    is_share: bool = False


_SIGNALS: Final = (
    _Signal("rps", "rps"),
    _Signal("errors", "errors", " %", is_share=True),
    _Signal("p95_ms", "p95", " ms"),
    _Signal("busy", "busy", " %"),
    _Signal("memory", "memory", " %"),
    _Signal("disk", "disk", " %"),
    _Signal("pool", "pool", " %"),
    _Signal("hit", "hit", " %"),
    _Signal("backlog", "waiting"),
    _Signal("replicas", "replicas"),
    _Signal("lag", "lag", " s"),
)


def render_observation(observation: ChaosOpsObservation, *, minutes: int | None = None) -> str:
    """What the role sees, what came of the last turn, and what it may do now, with how to say it.

    Args:
        minutes: How many minutes of earlier signals to tell, by default all that the view has.
    """
    view = observation.view
    lines = [
        *_head(observation),
        *_listed("alerts", (_alert(alert) for alert in view.alerts)),
        *_services(view.services),
        *_trends(view.history, minutes),
        *_health(view),
        *_impact(view.impact),
        *_changes(view),
        *_audit(view),
        *_listed("actions in flight", (_act(item) for item in view.in_flight)),
        *_listed("actions that landed", (_act(item) for item in view.landed)),
        *_listed("diagnoses", _diagnoses(view)),
        *_listed("your findings", _numbered(view.findings)),
        *_listed("channel", (_message(message) for message in view.channel)),
        *_listed("your inbox", (_message(message) for message in view.inbox)),
        *_logs(view),
        *_listed("services and what they call", _graph(view)),
        *_allowed(view),
    ]
    return "\n".join(_one_line(line) for line in lines)


def clock(status: Status, minute: int) -> str:
    """The time of day of a minute, as HH:MM."""
    of_day = (status.paged_at + minute) % 1440
    return f"{of_day // 60:02d}:{of_day % 60:02d}"


def _head(observation: ChaosOpsObservation) -> Iterator[str]:
    view = observation.view
    status = view.status
    whose = "" if observation.turn_role is view.role else f", and it is {observation.turn_role}'s"
    yield f"You are {view.role.value}. Turn {observation.step + 1} of {status.turns}{whose}."
    if observation.done:
        yield "The incident is over."
    yield (
        f"page: {status.title} (at {clock(status, 0)}, now {clock(status, status.minute)}, "
        f"minute {status.minute})"
    )
    yield (
        f"users: {_percent(status.users_ok)} of requests succeed, the objective is "
        f"{_percent(status.slo)}, met for {status.held} of {status.hold} minutes, "
        f"error budget left {status.budget} %"
    )
    yield f"last turn: {observation.message} (reward {_number(observation.reward)})"


def _listed(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if not found:
        yield f"{title}: none"
        return
    yield f"{title}:"
    for line in found:
        yield f"- {line}"


def _alert(alert: tuple[int, str, str, str]) -> str:
    minute, service, severity, text = alert
    return f"[{minute}] {severity} {service}: {text}"


def _services(services: tuple[ServiceSignals, ...] | None) -> Iterator[str]:
    if services is not None:
        yield from _listed("services now", (_signals(now) for now in services))


def _signals(now: ServiceSignals) -> str:
    parts = [
        f"{signal.name} {value}{signal.unit}"
        for signal in _SIGNALS
        if (value := _value(now, signal)) is not None
    ]
    return f"{now.service} {now.health.value}: {', '.join(parts)}"


def _value(signals: ServiceSignals, signal: _Signal) -> str | None:
    value: float | None = getattr(signals, signal.field)
    if value is None:
        return None
    return _number(value * 100 if signal.is_share else value)


def _trends(
    history: tuple[tuple[ServiceSignals, ...], ...] | None, minutes: int | None
) -> Iterator[str]:
    if history is None:
        return
    kept = history if minutes is None else history[max(0, len(history) - minutes) :]
    names = list(dict.fromkeys(row.service for minute in kept for row in minute))
    rows = [{row.service: row for row in minute} for minute in kept]
    lines = []
    for name in names:
        series = list(_series([minute.get(name) for minute in rows]))
        if series:
            lines.append(f"{name}: {'; '.join(series)}")
    yield from _listed(
        f"signals over the last {len(kept)} minutes, oldest first, a value that repeats as "
        "value*times; those not named did not change",
        lines,
    )


def _series(rows: Sequence[ServiceSignals | None]) -> Iterator[str]:
    """The signals of one service that changed."""
    health = ["-" if row is None else row.health.value for row in rows]
    if len(set(health)) > 1:
        yield f"health {_runs(health)}"
    for signal in _SIGNALS:
        values = ["-" if row is None else _value(row, signal) or "-" for row in rows]
        if len(set(values)) > 1:
            yield f"{signal.name} {_runs(values)}"


def _runs(values: Sequence[str]) -> str:
    parts = []
    for value, group in groupby(values):
        times = len(list(group))
        parts.append(value if times == 1 else f"{value}*{times}")
    return " ".join(parts)


def _health(view: RoleView) -> Iterator[str]:
    if view.health is not None:
        yield from _listed("health", (f"{name} {state.value}" for name, state in view.health))


def _impact(impact: Impact | None) -> Iterator[str]:
    if impact is None:
        return
    yield (
        f"impact: {_percent(impact.failed)} of user requests failed this minute, "
        f"{_number(impact.lost)} thousand since the page"
    )
    tickets = (f"[{ticket.minute}] {ticket.text}" for ticket in impact.tickets)
    yield from _listed("support tickets", tickets)
    doing = (f"[{item.minute}] {item.role.value}: {item.text}" for item in impact.doing)
    yield from _listed("who did what last", doing)


def _changes(view: RoleView) -> Iterator[str]:
    if view.changes is not None:
        yield from _listed(
            "changes",
            (
                f"[{change.minute}] {change.kind.value} {change.service} {change.version} "
                f"by {change.author}: {change.text}"
                for change in view.changes
            ),
        )


def _audit(view: RoleView) -> Iterator[str]:
    for title, names in (
        ("automation agents", view.agents),
        ("paused agents", view.paused),
        ("flagged agents", view.flagged),
    ):
        if names is not None:
            yield f"{title}: {', '.join(names) or 'none'}"
    if view.audit is not None:
        yield from _listed(
            "audit log",
            (
                f"[{event.minute}] {event.agent}: {event.act} {event.target}; "
                f"reason: {event.reason}; approval: {event.approval}"
                for event in view.audit
            ),
        )


def _act(item: InFlight) -> str:
    args = f" {to_json(item.args)}" if item.args else ""
    return (
        f"[{item.taken}] {item.role.value}: {item.action_type.value} {item.target}{args}, "
        f"lands [{item.lands}]"
    )


def _diagnoses(view: RoleView) -> Iterator[str]:
    for made in view.diagnoses:
        verdict = "right" if made.right else "wrong"
        yield f"[{made.minute}] {made.role.value}: {made.cause.value}, {verdict}"


def _numbered(findings: tuple[Found, ...]) -> Iterator[str]:
    for number, found in enumerate(findings):
        yield f"finding {number}: {_finding(found)}"


def _finding(found: Found) -> str:
    signs = f" (signs: {', '.join(sign.value for sign in found.signs)})" if found.signs else ""
    return (
        f"[{found.minute}] {found.role.value}, {found.source.value} of {found.target}: "
        f"{found.text}{signs}"
    )


def _message(message: Message) -> str:
    to = "all" if message.to is None else message.to.value
    words = f"[{message.minute}] {message.sender.value} to {to}: {to_json(message.text)}"
    if message.proposal is not None:
        words += f"; proposal: {render_proposal(message.proposal)}"
    if message.finding is not None:
        words += f"; finding: {_finding(message.finding)}"
    return words


def _logs(view: RoleView) -> Iterator[str]:
    if view.logs is not None:
        yield from _listed(
            "log tail",
            (
                f"[{line.minute}] {line.service} {line.level.value} {line.text}"
                for line in view.logs
            ),
        )


def _graph(view: RoleView) -> Iterator[str]:
    for node in view.graph:
        yield f"{node.name} ({node.kind.value}): {', '.join(node.calls) or 'nothing'}"


def _allowed(view: RoleView) -> Iterator[str]:
    yield from _listed("you may now", (_verb(choice) for choice in view.allowed))
    if view.allowed:
        shown = next((choice for choice in view.allowed if choice.targets), view.allowed[0])
        yield f"for example {example(shown)}"


def _verb(choice: VerbChoice) -> str:
    low, high = choice.minutes
    lands = f", lands in {low} min" if low == high else f", lands in {low} to {high} min"
    words = f"{choice.action_type.value} ({choice.group}{lands if any(choice.minutes) else ''})"
    words += f" target: {', '.join(choice.targets) if choice.targets else 'null'}"
    for argument in choice.arguments:
        needed = "" if argument.required else " (optional)"
        options = ", ".join(to_json(option) for option in argument.choices)
        words += f"; {argument.name}{needed}: {options or _free(choice.action_type, argument.name)}"
    return words


def _free(verb: ActionType, name: str) -> str:
    if name == "proposal":
        to = "the target" if verb is ActionType.ASSIGN else "the one role in 'to'"
        return f'{{"action_type":VERB,"target":NAME,"args":{{...}}}} for {to} to do'
    return "the number of one of your findings" if name == "finding" else "text"


def _percent(share: float) -> str:
    return f"{_number(share * 100)} %"


def _number(value: float) -> str:
    """At most four decimals, and none that say nothing."""
    if isinstance(value, int):
        return str(value)
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _one_line(text: str) -> str:
    """The text without line ends and tabs, and without what could drive a terminal."""
    if text.isascii() and text.isprintable():
        return text
    return " ".join(clean(text).replace("\t", " ").split("\n"))
