"""Presents the services of a view: their health, and each signal that the role sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from chaosops.env.models import Health, RoleView, ServiceSignals
from chaosops.env.models.signals import SIGNALS
from chaosops.presenter.rows import Entry, RowCell, Section, SignalValue, Weight

_BEFORE: Final = 10
"""Signals are compared with their values so many minutes ago."""

_UNKNOWN: Final = (None,) * len(ServiceSignals._fields)


class ServicePast(NamedTuple):
    """The past of a service by minutes, oldest first; None for a minute that is not known.

    Attributes:
        series: The values of each signal, by its name.
    """

    service: str
    health: tuple[Health | None, ...]
    series: Mapping[str, tuple[float | None, ...]]


def service_sections(view: RoleView) -> Iterator[Section]:
    """Present the services with their signals, or with their health alone."""
    if view.services is not None:
        then = _some_minutes_ago(view)
        entries = tuple(_service(now, then.get(now.service)) for now in view.services)
        yield Section("services", "services now", entries)
    if view.health is not None:
        entries = tuple(
            Entry(_named(name, health), _weight(health)) for name, health in view.health
        )
        yield Section("health", "health", entries)


def _service(now: ServiceSignals, then: ServiceSignals | None) -> Entry:
    cells = list(_named(now.service, now.health))
    joint = ": "
    for spec in SIGNALS:
        value: float | None = getattr(now, spec.field)
        if value is not None:
            was = None if then is None else getattr(then, spec.field)
            cells.append(RowCell(spec.name, SignalValue(spec, value, was), joint))
            joint = ", "
    return Entry(tuple(cells), _weight(now.health))


def _named(service: str, health: Health) -> tuple[RowCell, ...]:
    return RowCell("service", service, ""), RowCell("health", health)


def _weight(health: Health) -> Weight:
    return Weight.NORMAL if health is Health.HEALTHY else Weight.URGENT


def _some_minutes_ago(view: RoleView) -> Mapping[str, ServiceSignals]:
    past = view.history or ()
    return {row.service: row for row in past[-_BEFORE - 1]} if len(past) > _BEFORE else {}


def service_pasts(view: RoleView, minutes: int | None = None) -> tuple[ServicePast, ...] | None:
    """Present the past of each service; None where the role does not see it.

    Args:
        minutes: How many of the last minutes, by default all.
    """
    if view.history is None:
        return None
    kept = view.history if minutes is None else view.history[max(0, len(view.history) - minutes) :]
    rows = [{row.service: row for row in minute} for minute in kept]
    names = dict.fromkeys(row.service for minute in kept for row in minute)
    return tuple(_past(name, [minute.get(name) for minute in rows]) for name in names)


def _past(service: str, rows: Sequence[ServiceSignals | None]) -> ServicePast:
    _names, health, *series = zip(*(_UNKNOWN if row is None else row for row in rows), strict=True)
    names = (spec.name for spec in SIGNALS)
    return ServicePast(service, health, dict(zip(names, series, strict=True)))
