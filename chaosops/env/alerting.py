"""Alert rules over the signals: symptoms, never causes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from chaosops.env.models import Alert, ServiceSignals, Severity
from chaosops.env.topology import AlertRule, Signal, Topology
from chaosops.scenarios.schema import Incident

_COLUMN = {name: i for i, name in enumerate(ServiceSignals._fields)}


class _Watch(NamedTuple):
    """One rule on one service."""

    number: int
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
        self._page = Alert(
            0, topology.entries[0].service, Severity.PAGE, topology.pages[incident.page]
        )
        self._by_service: list[list[_Watch]] = [[] for _service in topology.services]
        self._on_users: list[_Watch] = []
        count = 0
        for rule in topology.alerts:
            bound = rule.above if rule.above is not None else rule.below
            if bound is None:
                continue
            for i, service in enumerate(topology.services):
                on_users = rule.signal is Signal.USERS_OK
                if on_users and i > 0:
                    break
                if on_users or service.name in rule.services or service.kind in rule.kinds:
                    name = topology.entries[0].service if on_users else service.name
                    column = -1 if on_users else _COLUMN[rule.signal.value]
                    above = rule.above is not None
                    watch = _Watch(count, column, bound, above, rule.minutes, _alert(rule, name))
                    (self._on_users if on_users else self._by_service[i]).append(watch)
                    count += 1
        rules = {rule.id: rule for rule in topology.alerts}
        self._stuck = tuple(
            _alert(rules[stuck.rule], stuck.service)._replace(minute=stuck.since)
            for stuck in incident.stuck_alerts
        )
        self._since: list[int | None] = [None] * count
        self._fired: list[Alert | None] = [None] * count
        self._pending = [True] * len(topology.services)
        self._last: tuple[ServiceSignals, ...] = ()
        self.firing: tuple[Alert, ...] = ()

    def advance(self, minute: int, signals: tuple[ServiceSignals, ...], users_ok: float) -> None:
        """Look at one more minute."""
        changed = minute == 0 or any(stuck.minute == minute for stuck in self._stuck)
        for watch in self._on_users:
            if self._look(watch, users_ok, minute):
                changed = True
        if signals is not self._last or True in self._pending:
            last = self._last or (None,) * len(signals)
            for i, (now, before) in enumerate(zip(signals, last, strict=True)):
                if now is before and not self._pending[i]:
                    continue
                values: Sequence[Any] = now
                pending = False
                for watch in self._by_service[i]:
                    number, column, bound, above, _minutes, _alert = watch
                    value = values[column]
                    if value is None:
                        continue
                    if (value > bound) if above else (value < bound):
                        if self._fired[number] is None:
                            changed = self._look(watch, value, minute) or changed
                            pending = pending or self._fired[number] is None
                    elif self._since[number] is not None:
                        changed = self._look(watch, value, minute) or changed
                self._pending[i] = pending
            self._last = signals
        if changed:
            page = (self._page,) if minute >= 0 else ()
            stuck_now = tuple(alert for alert in self._stuck if alert.minute <= minute)
            fired_now = tuple(alert for alert in self._fired if alert is not None)
            self.firing = page + stuck_now + fired_now

    def _look(self, watch: _Watch, value: float, minute: int) -> bool:
        """Whether the alert began or ceased to fire with this value."""
        number, _column, bound, above, minutes, alert = watch
        since, fired = self._since[number], self._fired[number]
        if (value > bound) if above else (value < bound):
            if since is None:
                since = self._since[number] = minute
            if fired is None and minute - since + 1 >= minutes:
                self._fired[number] = alert._replace(minute=minute)
                return True
            return False
        self._since[number] = self._fired[number] = None
        return fired is not None


def _alert(rule: AlertRule, service: str) -> Alert:
    return Alert(0, service, rule.severity, rule.text.replace("{service}", service))
