"""Alert rules over the signals: symptoms, never causes."""

from __future__ import annotations

from typing import NamedTuple

from chaosops.env.models import Alert, ServiceSignals, Severity, Signal
from chaosops.env.models.topology import AlertRule, Topology
from chaosops.env.new_records import new_alert
from chaosops.scenarios.schema import Incident


class _Watch(NamedTuple):
    """One rule on one service. Its `bit` is set while the value is beyond the bound."""

    number: int
    bit: int
    signal: str
    bound: float
    above: bool


_Watches = tuple[tuple[int, tuple[_Watch, ...]], ...]


class Rules:
    """The alert rules of a topology by service; the same for every episode.

    Attributes:
        watches: Each service with the rules that watch it.
        on_users: The rules that watch the users; their signal does not count.
        alerts: The text of each rule on a service; `minutes` is how long it has to hold.
    """

    def __init__(self, topology: Topology) -> None:
        by_service: list[list[_Watch]] = [[] for _service in topology.services]
        on_users: list[_Watch] = []
        self.alerts: list[Alert] = []
        self.minutes: list[int] = []
        for rule in topology.alerts:
            bound = rule.above if rule.above is not None else rule.below
            if bound is None:
                continue
            above = rule.above is not None
            if rule.signal is Signal.USERS_OK:
                on_users.append(_Watch(len(self.alerts), 1, rule.signal.value, bound, above))
                self._add(rule, topology.entries[0].service)
                continue
            for watches, service in zip(by_service, topology.services, strict=True):
                if service.name in rule.services or service.kind in rule.kinds:
                    bit = 1 << len(watches)
                    watches.append(_Watch(len(self.alerts), bit, rule.signal.value, bound, above))
                    self._add(rule, service.name)
        self.on_users = tuple(on_users)
        self.watches = tuple((i, tuple(watches)) for i, watches in enumerate(by_service))
        self.by_id = {rule.id: rule for rule in topology.alerts}

    def _add(self, rule: AlertRule, service: str) -> None:
        self.alerts.append(_alert(rule, service))
        self.minutes.append(rule.minutes)


class Alerting:
    """Which alerts fire, and since when.

    Attributes:
        firing: The page, then the others by the minute they began and by service; the same
            object for the same alerts.
    """

    def __init__(self, topology: Topology, incident: Incident, rules: Rules | None = None) -> None:
        self._topology, self._incident = topology, incident
        self._rules = rules = rules or Rules(topology)
        self._page = Alert(
            0, topology.entries[0].service, Severity.PAGE, topology.pages[incident.page]
        )
        self._stuck = tuple(
            _alert(rules.by_id[stuck.rule], stuck.service)._replace(minute=stuck.since)
            for stuck in incident.stuck_alerts
        )
        self._since = {alert.minute for alert in self._stuck} | {0}
        self._fired: list[Alert | None] = [None] * len(rules.alerts)
        self._due: dict[int, int] = {}
        self._masks = [0] * len(rules.watches)
        self._users_mask = [0] * len(rules.on_users)
        self._last: tuple[ServiceSignals | None, ...] = (None,) * len(rules.watches)
        self.firing: tuple[Alert, ...] = ()
        self._all_that_fired: dict[tuple[Alert, ...], tuple[Alert, ...]] = {}

    def copy(self) -> Alerting:
        """Return an independent copy."""
        twin = Alerting(self._topology, self._incident, self._rules)
        twin._fired, twin._due = self._fired.copy(), self._due.copy()
        twin._masks, twin._users_mask = self._masks.copy(), self._users_mask.copy()
        twin._last, twin.firing = self._last, self.firing
        twin._all_that_fired = self._all_that_fired
        return twin

    def advance(self, minute: int, signals: tuple[ServiceSignals, ...], users_ok: float) -> None:
        """Evaluate the rules on one more minute."""
        changed = minute in self._since
        for k, watch in enumerate(self._rules.on_users):
            mask = int(users_ok > watch.bound if watch.above else users_ok < watch.bound)
            if mask != self._users_mask[k]:
                self._users_mask[k] = mask
                changed = self._turned(watch, mask, minute) or changed
        if signals is not self._last:
            watches = self._rules.watches
            for i, before, mask in _breaches(watches, signals, self._last, self._masks):
                for watch in watches[i][1]:
                    if (before ^ mask) & watch.bit:
                        changed = self._turned(watch, mask & watch.bit, minute) or changed
            self._last = signals
        if self._due:
            changed = self._fire(minute) or changed
        if changed:
            page = (self._page,) if minute >= 0 else ()
            stuck_now = [alert for alert in self._stuck if alert.minute <= minute]
            fired_now = [alert for alert in self._fired if alert is not None]
            firing = (*page, *sorted(stuck_now + fired_now))
            self.firing = self._all_that_fired.setdefault(firing, firing)

    def tripped(self, service: str) -> str:
        """Return the text of a firing alert on the service's own signals; empty if none fires."""
        fired = (alert for alert in self._fired if alert is not None and alert.service == service)
        return next((alert.text for alert in fired), "")

    def _turned(self, watch: _Watch, is_beyond: int, minute: int) -> bool:
        """Take in a value that crossed its bound; return whether an alert stopped."""
        number = watch.number
        if is_beyond:
            self._due[number] = minute + self._rules.minutes[number] - 1
            return False
        self._due.pop(number, None)
        had_fired = self._fired[number] is not None
        self._fired[number] = None
        return had_fired

    def _fire(self, minute: int) -> bool:
        """Fire the alerts that are due; return whether there were any."""
        ripe = [number for number, due in self._due.items() if due <= minute]
        for number in ripe:
            del self._due[number]
            alert = self._rules.alerts[number]
            self._fired[number] = new_alert(
                minute, alert.service, alert.severity, alert.text, alert.signal
            )
        return bool(ripe)


def _breaches(
    watches: _Watches,
    signals: tuple[ServiceSignals, ...],
    last: tuple[ServiceSignals | None, ...],
    masks: list[int],
) -> list[tuple[int, int, int]]:
    """Update the masks of what is beyond its bound; return the services whose mask changed.

    Services whose signals are the same as in the last minute are skipped. A value of None is
    neither beyond a bound nor within it.

    Returns:
        The service, its previous mask and its mask now.
    """
    changed = []
    for i, of_service in watches:
        if signals[i] is not last[i]:
            mask = 0
            values = signals[i]
            for _number, bit, signal, bound, above in of_service:
                value = getattr(values, signal)
                if value is not None and (value > bound if above else value < bound):
                    mask += bit
            if mask != masks[i]:
                changed.append((i, masks[i], mask))
                masks[i] = mask
    return changed


def _alert(rule: AlertRule, service: str) -> Alert:
    text = rule.text.replace("{service}", service)
    return Alert(0, service, rule.severity, text, rule.signal)
