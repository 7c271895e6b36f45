"""The signals of services as words: now, and as they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Final

from chaosops.env.models.signals import SIGNALS, SignalFormat, SignalSpec
from chaosops.presenter import ServicePast, SignalValue
from chaosops.text.blocks import Block
from chaosops.text.figures import number

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


def figure_words(figure: SignalValue, *, compares: bool) -> str:
    """Word a signal with its name; empty if it is left out.

    Args:
        compares: Add its previous value if it has moved.
    """
    spec = figure.spec
    told = f"{_value(spec, figure.value)}{_UNITS[spec.format]}"
    if not compares:
        return f"{spec.name} {told}"
    if figure.was is not None and _has_moved(figure):
        told += f" (was {_value(spec, figure.was)}{_UNITS[spec.format]})"
    elif spec.text_skips_zero and not figure.value:
        return ""
    return f"{spec.spoken or spec.name} {told}"


def movement_words(figure: SignalValue) -> str:
    """Word a signal that has moved or is close to its limit; empty for any other."""
    spec, value = figure.spec, figure.value
    if figure.was is not None and _has_moved(figure):
        return f"{spec.name} {_value(spec, figure.was)}>{_value(spec, value)}"
    least = _WRONG if spec.format is SignalFormat.SHARE else _HIGH
    return f"{spec.name} {_value(spec, value)}" if spec.is_of_a_limit and value >= least else ""


def _has_moved(figure: SignalValue) -> bool:
    """Return whether a signal has moved; a share has to move by half a percent."""
    was = figure.was or 0.0
    least = _WRONG if figure.spec.format is SignalFormat.SHARE else 0.0
    return abs(figure.value - was) > max(abs(was) * _MOVED, least)


def _value(spec: SignalSpec, value: float) -> str:
    return number(value * 100 if spec.format is SignalFormat.SHARE else value)


def trends(pasts: Sequence[ServicePast]) -> Block:
    """List every earlier value of the signals that changed."""
    minutes = max((len(past.health) for past in pasts), default=0)
    told = ((past.service, "; ".join(_series(past))) for past in pasts)
    return Block.under(
        f"signals over the last {minutes} minutes, oldest first, a value that repeats as "
        "value*times; those not named did not change",
        (f"{service}: {series}" for service, series in told if series),
    )


def _series(past: ServicePast) -> Iterator[str]:
    """The signals of one service that changed."""
    if len(set(past.health)) > 1:
        yield f"health {_runs(['-' if state is None else state.value for state in past.health])}"
    for spec in SIGNALS:
        series = past.series[spec.name]
        if len(set(series)) > 1:
            values = ["-" if value is None else _value(spec, value) for value in series]
            if len(set(values)) > 1:
                yield f"{spec.name} {_runs(values)}"


def _runs(values: Sequence[str]) -> str:
    parts = []
    for value, group in groupby(values):
        times = len(list(group))
        parts.append(value if times == 1 else f"{value}*{times}")
    return " ".join(parts)
