"""Alert rules over the signals: symptoms, never causes."""

from __future__ import annotations

from typing import NamedTuple

from chaosops.env.models import Alert, ServiceSignals, Severity
from chaosops.env.topology import AlertRule, Signal, Topology
from chaosops.scenarios.schema import Incident

_COLUMN = {name: i for i, name in enumerate(ServiceSignals._fields)}


class _Watch(NamedTuple):
    """One rule on one service. `column` is -1 for the users of the whole topology."""

    service: int
    column: int
    bound: float
    above: bool
    minutes: int
    alert: Alert


class Alerting:
    """Which alerts fire, and since when.

    Attributes:
        firing: The page first, then the others in the order of the rules; the same object as
            long as nothing changed.
    """

    def __init__(self, topology: Topology, incident: Incident) -> None:
        names = topology.names()
        self._page = Alert(
            0, topology.entries[0].service, Severity.PAGE, topology.pages[incident.page]
        )
        self._watches = tuple(
            watch for rule in topology.alerts for watch in _watches(rule, topology, names)
        )
        self._stuck = tuple(
            _alert(next(r for r in topology.alerts if r.id == stuck.rule), stuck.service)._replace(
                minute=stuck.since
            )
            for stuck in incident.stuck_alerts
        )
        self._since: list[int | None] = [None] * len(self._watches)
        self._fired: list[Alert | None] = [None] * len(self._watches)
        self.firing: tuple[Alert, ...] = ()

    def advance(
        self, minute: int, signals: tuple[ServiceSignals, ...], users_ok: float
    ) -> tuple[Alert, ...]:
        """Look at a minute; returns the alerts that began to fire with it."""
        began: list[Alert] = []
        changed = minute == 0
        since = self._since
        for k, (service, column, bound, above, minutes, alert) in enumerate(self._watches):
            value = users_ok if column < 0 else signals[service][column]
            if (
                value is not None
                and not isinstance(value, str)
                and ((value > bound) if above else (value < bound))
            ):
                first = since[k]
                if first is None:
                    first = since[k] = minute
                if self._fired[k] is None and minute - first + 1 >= minutes:
                    fired = alert._replace(minute=minute)
                    self._fired[k] = fired
                    began.append(fired)
                    changed = True
            elif since[k] is not None:
                since[k] = None
                if self._fired[k] is not None:
                    self._fired[k] = None
                    changed = True
        for stuck in self._stuck:
            if stuck.minute == minute:
                began.append(stuck)
                changed = True
        if changed:
            page = (self._page,) if minute >= 0 else ()
            stuck_now = tuple(alert for alert in self._stuck if alert.minute <= minute)
            fired_now = tuple(alert for alert in self._fired if alert is not None)
            self.firing = page + stuck_now + fired_now
        return tuple(began)


def _watches(rule: AlertRule, topology: Topology, names: tuple[str, ...]) -> list[_Watch]:
    above = rule.above is not None
    bound = rule.above if rule.above is not None else rule.below
    assert bound is not None
    if rule.signal is Signal.USERS_OK:
        alert = _alert(rule, topology.entries[0].service)
        return [_Watch(0, -1, bound, above, rule.minutes, alert)]
    return [
        _Watch(i, _COLUMN[rule.signal.value], bound, above, rule.minutes, _alert(rule, name))
        for i, name in enumerate(names)
        if name in rule.services or topology.services[i].kind in rule.kinds
    ]


def _alert(rule: AlertRule, service: str) -> Alert:
    return Alert(0, service, rule.severity, rule.text.replace("{service}", service))
