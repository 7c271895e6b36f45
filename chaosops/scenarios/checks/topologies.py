"""Checks of a topology across its fields: names that must exist, calls and alert rules.

These checks look at plain data and skip whatever has the wrong shape, so that they find what they
can also in a file that pydantic refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chaosops.env.models import ActionType, Signal
from chaosops.env.models.signals import SIGNALS
from chaosops.env.models.topology import AlertRule
from chaosops.env.models.verb_spec import TargetKind
from chaosops.env.models.verbs import LANDING, VERBS
from chaosops.scenarios.fields import get, names, parts, select
from chaosops.scenarios.problems import FieldPath, Wrong, instead, shown

_LONGEST = 60
"""The most minutes that an action can be in flight: no incident is longer."""

_SCALES: Mapping[str, int] = {Signal.USERS_OK.value: 1} | {
    spec.field: spec.most for spec in SIGNALS if spec.most is not None
}
"""The limits of a signal's values."""


@dataclass(frozen=True, slots=True)
class _Known:
    """Names of one kind that a file may use."""

    sort: str
    names: Mapping[str, None]
    where: str = ""

    @classmethod
    def of(cls, sort: str, names: Iterable[str], where: str = "") -> _Known:
        return cls(sort, dict.fromkeys(names), where)

    def check(self, path: FieldPath, name: Any) -> Iterator[Wrong]:
        if isinstance(name, str) and name not in self.names:
            cure = instead(name, self.names)
            yield Wrong(path, f'no {self.sort} "{shown(name)}"{self.where}; {cure}')


def check_topology(data: Mapping[str, Any]) -> list[Wrong]:
    """Find impossible values in a topology's data, each with its field."""
    services = _Known.of("service", names(data, "services.*.name"))
    wrong = [
        *_twice(data, "services.*.name"),
        *_check_all(
            data, ("services.*.calls.*.to", "entries.*.service", "alerts.*.services.*"), services
        ),
        *_twice(data, "alerts.*.id"),
    ]
    calls: dict[str, list[tuple[str, FieldPath]]] = {}
    for path, service in select(data, "services.*"):
        here = [
            (call, (*path, *at))
            for at, call in select(service, "calls.*.to")
            if isinstance(call, str)
        ]
        name = get(service, "name")
        if isinstance(name, str):
            calls.setdefault(name, here)
        called = _Known.of("call", tuple(call for call, _ in here), f" from {shown(str(name))}")
        for at, target in (*select(service, "pool.to"), *select(service, "calls.*.behind")):
            wrong += called.check((*path, *at), target)
    return [*wrong, *_cycle(calls), *_check_times(data), *_check_alerts(data)]


def _works_on(verb: ActionType, kind: str) -> bool:
    spec = VERBS[verb]
    return spec.target is TargetKind.ENTRY or kind in spec.kinds


def _check_times(data: Mapping[str, Any]) -> Iterator[Wrong]:
    """Check times in flight: that they are valid, and that something takes them."""
    for of_kind, times in select(data, "minutes_in_flight"):
        for kind, by_verb in times.items() if isinstance(times, dict) else ():
            for verb, minutes in by_verb.items() if isinstance(by_verb, dict) else ():
                path = (*of_kind, kind, verb)
                if verb not in LANDING:
                    if verb in ActionType.__members__.values():
                        yield Wrong(path, f"'{verb}' acts immediately; remove this")
                elif not _works_on(ActionType(verb), kind):
                    yield Wrong(path, f"'{verb}' does not work on a {shown(kind)}; remove it")
                elif type(minutes) is int and not 1 <= minutes <= _LONGEST:
                    words = f"this must be 1 to {_LONGEST} minutes, not {shown(str(minutes))}"
                    yield Wrong(path, words)


def _check_alerts(data: Mapping[str, Any]) -> Iterator[Wrong]:
    """Find rules that never fire, or always."""
    kinds = names(data, "services.*.kind")
    for path, rule in parts(data, "alerts.*", AlertRule):
        watched = rule.services or any(kind in kinds for kind in rule.kinds)
        if rule.signal is not Signal.USERS_OK and not watched:
            words = "it watches no service of this topology; name some under 'services' or 'kinds'"
            yield Wrong(path, words)
        most = _SCALES.get(rule.signal)
        name = "above" if rule.above is not None else "below"
        bound = rule.above if rule.above is not None else rule.below
        if most is not None and bound is not None and not 0 <= bound <= most:
            words = f"{rule.signal.value} is between 0 and {most}; use a number in that range"
            yield Wrong((*path, name), words)


def _cycle(calls: Mapping[str, list[tuple[str, FieldPath]]]) -> Iterator[Wrong]:
    """Find the first cycle, at the call that closes it."""
    done: set[str] = set()
    for root in calls:
        trail = [root]
        steps = [iter(calls[root])]
        while steps:
            call, path = next(steps[-1], (None, ()))
            if call is None:
                steps.pop()
                done.add(trail.pop())
            elif call in trail:
                loop = [*trail[trail.index(call) :], call]
                words = shown(" -> ".join(loop), 300)
                yield Wrong(path, f"the calls form a cycle: {words}; remove one of them")
                return
            elif call not in done and call in calls:
                trail.append(call)
                steps.append(iter(calls[call]))


def _check_all(data: Any, patterns: Iterable[str], known: _Known) -> Iterator[Wrong]:
    for pattern in patterns:
        for path, name in select(data, pattern):
            yield from known.check(path, name)


def _twice(data: Any, pattern: str) -> Iterator[Wrong]:
    seen: set[str] = set()
    for path, name in select(data, pattern):
        if isinstance(name, str):
            if name in seen:
                yield Wrong(path, f'"{shown(name)}" is already taken; choose another')
            seen.add(name)
