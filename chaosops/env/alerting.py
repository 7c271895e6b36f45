"""Alert rules over the signals: symptoms, never causes."""

from __future__ import annotations

from typing import NamedTuple

from chaosops.env.models import Alert, ServiceSignals, Severity, Signal
from chaosops.env.models.topology import AlertRule, Topology
from chaosops.env.new_records import SignalBound, beyond, new_alert
from chaosops.scenarios.incident import Incident


class _UserWatch(NamedTuple):
    """One rule on the share of user requests that succeed."""

    number: int
    bound: float
    above: bool


class Rules:
    """The alert rules of a topology by service; the same for every episode.

    Attributes:
        bounds: The bounds on each service's signals, one bit each; `numbers` are those of the
            rules, in the order of the bits.
        on_users: The rules that watch the users.
        alerts: The text of each rule on a service; `minutes` is how long it has to hold.
    """

    def __init__(self, topology: Topology) -> None:
        bounds: list[list[SignalBound]] = [[] for _service in topology.services]
        numbers: list[list[int]] = [[] for _service in topology.services]
        on_users: list[_UserWatch] = []
        self.alerts: list[Alert] = []
        self.minutes: list[int] = []
        for rule in topology.alerts:
            bound = rule.above if rule.above is not None else rule.below
            if bound is None:
                continue
            above = rule.above is not None
            if rule.signal is Signal.USERS_OK:
                on_users.append(_UserWatch(len(self.alerts), bound, above))
                self._add(rule, topology.entries[0].service)
                continue
            for i, service in enumerate(topology.services):
                if service.name in rule.services or service.kind in rule.kinds:
                    bit = 1 << len(bounds[i])
                    bounds[i].append(SignalBound.on(rule.signal.value, bit, bound, above=above))
                    numbers[i].append(len(self.alerts))
                    self._add(rule, service.name)
        self.on_users = tuple(on_users)
        self.bounds = tuple([tuple(of_service) for of_service in bounds])
        self.numbers = tuple([tuple(of_service) for of_service in numbers])

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
        self._fired: list[Alert | None] = [None] * len(rules.alerts)
        self._due: dict[int, int] = {}
        self._masks = [0] * len(rules.bounds)
        self._users_mask = [0] * len(rules.on_users)
        self._last: tuple[ServiceSignals | None, ...] = (None,) * len(rules.bounds)
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
        changed = minute == 0
        for k, watch in enumerate(self._rules.on_users):
            mask = int(users_ok > watch.bound if watch.above else users_ok < watch.bound)
            if mask != self._users_mask[k]:
                self._users_mask[k] = mask
                changed = self._turned(watch.number, mask, minute) or changed
        if signals is not self._last:
            rules = self._rules
            for i, before, mask in beyond(rules.bounds, signals, self._last, self._masks):
                for k, number in enumerate(rules.numbers[i]):
                    bit = 1 << k
                    if (before ^ mask) & bit:
                        changed = self._turned(number, mask & bit, minute) or changed
            self._last = signals
        if self._due:
            changed = self._fire(minute) or changed
        if changed:
            page = (self._page,) if minute >= 0 else ()
            firing = (*page, *sorted(alert for alert in self._fired if alert is not None))
            self.firing = self._all_that_fired.setdefault(firing, firing)

    def _turned(self, number: int, is_beyond: int, minute: int) -> bool:
        """Take in a value that crossed its bound; return whether an alert stopped."""
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


def _alert(rule: AlertRule, service: str) -> Alert:
    text = rule.text.replace("{service}", service)
    return Alert(0, service, rule.severity, text, rule.signal)
