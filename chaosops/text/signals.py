"""The signals of services as words: now, and as they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from chaosops.env.models import RoleView, ServiceSignals
from chaosops.text.blocks import Block
from chaosops.text.dialect import Dialect
from chaosops.text.figures import number

_BEFORE: Final = 10
"""Minutes back with which the present is compared."""

_MOVED: Final = 0.1
"""The share by which a figure has to have moved for it to be told."""


class _Signal(NamedTuple):
    """How a signal is called and which unit stands behind it.

    Attributes:
        spoken: What it is called where it is told to people.
        is_share: It is shown in percent.
        is_quiet: To people, none of it says nothing.
    """

    field: str
    name: str
    unit: str = ""
    spoken: str = ""
    is_share: bool = False
    is_quiet: bool = False


_SIGNALS: Final = (
    _Signal("rps", "rps", spoken="requests a second"),
    _Signal("errors", "errors", " %", is_share=True),
    _Signal("p95_ms", "p95", " ms"),
    _Signal("busy", "busy", " %"),
    _Signal("memory", "memory", " %"),
    _Signal("disk", "disk", " %"),
    _Signal("pool", "pool", " %"),
    _Signal("hit", "hit", " %", spoken="cache hits"),
    _Signal("backlog", "waiting", is_quiet=True),
    _Signal("replicas", "replicas", spoken="instances"),
    _Signal("lag", "lag", " s", spoken="copies behind by", is_quiet=True),
)


def service_blocks(view: RoleView, dialect: Dialect) -> Iterator[Block]:
    """The services as the role sees them: with their signals, or their health alone."""
    if view.services is not None:
        then = _some_minutes_ago(view) if dialect.compares else {}
        lines = (_service(now, dialect, then.get(now.service)) for now in view.services)
        yield Block.under("services now", lines)
    if view.history is not None and not dialect.compares:
        yield _trends(view.history, dialect.minutes)
    if view.health is not None:
        yield Block.under("health", (f"{name} {state.value}" for name, state in view.health))


def _some_minutes_ago(view: RoleView) -> Mapping[str, ServiceSignals]:
    past = view.history or ()
    return {row.service: row for row in past[-_BEFORE - 1]} if len(past) > _BEFORE else {}


def _service(now: ServiceSignals, dialect: Dialect, then: ServiceSignals | None) -> str:
    parts = []
    for signal in _SIGNALS:
        told = _value(now, signal)
        if told is None:
            continue
        name = signal.name
        if dialect.compares:
            was = _was(then, now, signal)
            if signal.is_quiet and told == "0" and not was:
                continue
            name, told = signal.spoken or name, f"{told}{signal.unit}{was}"
        else:
            told = f"{told}{signal.unit}"
        parts.append(f"{name} {told}")
    return f"{now.service} {now.health.value}: {', '.join(parts)}"


def _was(then: ServiceSignals | None, now: ServiceSignals, signal: _Signal) -> str:
    """What the signal was, where it has moved; a share has to have moved by half a percent."""
    before: float | None = None if then is None else getattr(then, signal.field)
    if then is None or before is None:
        return ""
    least = 0.005 if signal.is_share else 0.0
    if abs(getattr(now, signal.field) - before) <= max(abs(before) * _MOVED, least):
        return ""
    return f" (was {_value(then, signal)}{signal.unit})"


def _value(signals: ServiceSignals, signal: _Signal) -> str | None:
    value: float | None = getattr(signals, signal.field)
    if value is None:
        return None
    return number(value * 100 if signal.is_share else value)


def _trends(history: tuple[tuple[ServiceSignals, ...], ...], minutes: int | None) -> Block:
    kept = history if minutes is None else history[max(0, len(history) - minutes) :]
    names = list(dict.fromkeys(row.service for minute in kept for row in minute))
    rows = [{row.service: row for row in minute} for minute in kept]
    lines = []
    for name in names:
        series = list(_series([minute.get(name) for minute in rows]))
        if series:
            lines.append(f"{name}: {'; '.join(series)}")
    return Block.under(
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
