"""The signals of services as words: now, and as they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.env.models import Health, RoleView, ServiceSignals
from chaosops.env.models.signals import SIGNALS, SignalFormat, SignalSpec
from chaosops.text.blocks import Block
from chaosops.text.dialect import Dialect
from chaosops.text.figures import number

_BEFORE: Final = 10
"""Minutes back with which the present is compared."""

_MOVED: Final = 0.1
"""The share by which a figure has to have moved for it to be told."""


_HIGH: Final = 80
"""From this percentage of a limit on, a figure is told though it has not moved."""

_WRONG: Final = 0.005
"""By this share of failed requests they have to move; from it on, they are told anyway."""

_UNITS: Final[Mapping[SignalFormat, str]] = MappingProxyType(
    {
        SignalFormat.COUNT: "",
        SignalFormat.SHARE: " %",
        SignalFormat.PERCENT: " %",
        SignalFormat.MILLISECONDS: " ms",
        SignalFormat.SECONDS: " s",
    }
)


_TIMES: Final = (SignalFormat.MILLISECONDS, SignalFormat.SECONDS)


def units_in_words() -> str:
    """The units that figures have where none stands behind them: "p95 is in ms, lag in s"."""
    units = [
        *((spec.name, _UNITS[spec.format].strip()) for spec in SIGNALS if spec.format in _TIMES),
        ("shares", "%"),
    ]
    return ", ".join(
        f"{name} {'in' if place else 'is in'} {unit}" for place, (name, unit) in enumerate(units)
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


class Movement(NamedTuple):
    """What is worth telling of a service: how it is, and the signals that moved or are high.

    Attributes:
        name: The service with its health; `words` goes on from there.
        is_well: It is healthy.
        is_plain: It is, and there is nothing to tell.
    """

    service: str
    name: str
    words: str
    is_well: bool
    is_plain: bool


def movements(view: RoleView) -> Iterator[Movement]:
    """The services, each with what has moved within ten minutes, and what is close to its limit."""
    then = _some_minutes_ago(view)
    for now in view.services or ():
        told = list(_moved(now, then.get(now.service)))
        name = f"{now.service} {now.health.value}"
        words = f"{name}: {', '.join(told)}" if told else name
        is_well = now.health is Health.HEALTHY
        yield Movement(now.service, name, words, is_well, is_well and not told)


def _moved(now: ServiceSignals, then: ServiceSignals | None) -> Iterator[str]:
    for signal in SIGNALS:
        told = _value(now, signal)
        if told is None:
            continue
        value = getattr(now, signal.field)
        if then is not None and _has_moved(then, now, signal):
            yield f"{signal.name} {_value(then, signal)}>{told}"
        elif signal.is_of_a_limit and value >= _least_told(signal):
            yield f"{signal.name} {told}"


def _least_told(signal: SignalSpec) -> float:
    return _WRONG if signal.format is SignalFormat.SHARE else _HIGH


def _some_minutes_ago(view: RoleView) -> Mapping[str, ServiceSignals]:
    past = view.history or ()
    return {row.service: row for row in past[-_BEFORE - 1]} if len(past) > _BEFORE else {}


def _service(now: ServiceSignals, dialect: Dialect, then: ServiceSignals | None) -> str:
    parts = []
    for signal in SIGNALS:
        told = _value(now, signal)
        if told is None:
            continue
        name = signal.name
        if dialect.compares:
            was = _was(then, now, signal)
            if signal.text_skips_zero and told == "0" and not was:
                continue
            name, told = signal.spoken or name, f"{told}{_UNITS[signal.format]}{was}"
        else:
            told = f"{told}{_UNITS[signal.format]}"
        parts.append(f"{name} {told}")
    return f"{now.service} {now.health.value}: {', '.join(parts)}"


def _was(then: ServiceSignals | None, now: ServiceSignals, signal: SignalSpec) -> str:
    """What the signal was, where it has moved; a share has to have moved by half a percent."""
    if then is None or not _has_moved(then, now, signal):
        return ""
    return f" (was {_value(then, signal)}{_UNITS[signal.format]})"


def _has_moved(then: ServiceSignals, now: ServiceSignals, signal: SignalSpec) -> bool:
    before: float | None = getattr(then, signal.field)
    after: float | None = getattr(now, signal.field)
    if before is None or after is None:
        return False
    least = _WRONG if signal.format is SignalFormat.SHARE else 0.0
    return abs(after - before) > max(abs(before) * _MOVED, least)


def _value(signals: ServiceSignals, signal: SignalSpec) -> str | None:
    value: float | None = getattr(signals, signal.field)
    if value is None:
        return None
    return number(value * 100 if signal.format is SignalFormat.SHARE else value)


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
    for signal in SIGNALS:
        values = ["-" if row is None else _value(row, signal) or "-" for row in rows]
        if len(set(values)) > 1:
            yield f"{signal.name} {_runs(values)}"


def _runs(values: Sequence[str]) -> str:
    parts = []
    for value, group in groupby(values):
        times = len(list(group))
        parts.append(value if times == 1 else f"{value}*{times}")
    return " ".join(parts)
