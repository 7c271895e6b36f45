"""Checks across fields: names that must exist, and minutes that must be reached.

These checks look at plain data and skip whatever has the wrong shape, so that they find what they
can also in a file that pydantic refuses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, FailureType, Sign, Signal, Source
from chaosops.env.models.signals import SIGNALS
from chaosops.env.models.topology import AlertRule, ServiceSpec, Topology
from chaosops.env.models.verbs import AGENT_VERBS, LANDING, VERBS, TargetKind
from chaosops.scenarios.fields import get, names, parts, select
from chaosops.scenarios.parameters import PARAMETERS
from chaosops.scenarios.problems import FieldPath, Wrong, instead, listed, shown
from chaosops.scenarios.schema import StuckAlert

_ON_NOTHING = tuple(verb for verb, spec in VERBS.items() if spec.target is TargetKind.NOTHING)
_MOVES = ("faults.*.clears.*", "faults.*.mitigates.*", "tempting.*", "solution.*")
_EFFECTS = ("faults.*.effects.*", "tempting.*.effects.*")
_NAMED_SERVICES = (*(f"{effects}.service" for effects in _EFFECTS), "logs.*.service")
_ACTED_ON = ("automation.*.events.*.target", "automation.*.rogue.target")
_NAMED_FAULTS = (
    "logs.*.while_live",
    "evidence.*.while_live",
    "tempting.*.starts",
    "cascades.*.starts",
    "cascades.*.while_live",
    "automation.*.rogue.keeps_up.*",
)


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


def check_incident(data: Mapping[str, Any], topology: Topology | None) -> list[Wrong]:
    """Find impossible values in an incident's data, each with its field.

    Args:
        data: Rendered data, of any shape.
        topology: None if it can't be read; what needs it is then not checked.
    """
    faults = _Known.of("fault", names(data, "faults.*.id"))
    agents = _Known.of("agent", names(data, "automation.*.name"), " under 'automation'")
    wrong = [
        *_check_all(data, _NAMED_FAULTS, faults),
        *_twice(data, "faults.*.id"),
        *_twice(data, "automation.*.name"),
        *_check_rogues(data),
        *_check_minutes(data),
        *_check_starts(data),
    ]
    if topology is not None:
        wrong += _check_names(data, topology, agents)
    return wrong


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


def _check_names(data: Mapping[str, Any], topology: Topology, agents: _Known) -> Iterator[Wrong]:
    where = f" in topology {topology.id}"
    services = _Known.of("service", topology.names(), where)
    anything = _Known.of("service or agent", (*services.names, *agents.names))
    roles = _Known.of("role", tuple(role.value for role in AgentRole))
    rules = _Known.of("alert rule", tuple(rule.id for rule in topology.alerts), where)
    pages = _Known.of("page", tuple(topology.pages), where)
    yield from pages.check(("page",), data.get("page"))
    yield from _check_all(
        data, (*_NAMED_SERVICES, "changes.*.service", "stuck_alerts.*.service"), services
    )
    yield from _check_all(data, ("stuck_alerts.*.rule",), rules)
    yield from _check_all(data, _ACTED_ON, anything)
    for path, stuck in parts(data, "stuck_alerts.*", StuckAlert):
        yield from _check_stuck(path, stuck, topology)
    for path, item in select(data, "evidence.*"):
        known = agents if get(item, "source") == Source.AUTOMATION else services
        yield from known.check((*path, "at"), get(item, "at"))
    for pattern in _MOVES:
        for path, move in select(data, pattern):
            verb, target = get(move, "action"), get(move, "target")
            at = (*path, "target")
            if not isinstance(verb, str):
                continue
            if verb in _ON_NOTHING:
                if target is not None:
                    yield Wrong(at, f"'{verb}' takes no target; remove it")
            elif verb in AGENT_VERBS:
                yield from agents.check(at, target)
            elif verb == ActionType.ASSIGN:
                yield from roles.check(at, target)
            elif verb == ActionType.INVESTIGATE:
                yield from anything.check(at, target)
            else:
                yield from services.check(at, target)
    yield from _check_effects(data, topology)


def _check_stuck(path: FieldPath, stuck: StuckAlert, topology: Topology) -> Iterator[Wrong]:
    """Check that a stuck alert's rule watches its service."""
    rule = next((rule for rule in topology.alerts if rule.id == stuck.rule), None)
    if rule is None or stuck.service not in topology.names():
        return
    if rule.signal is Signal.USERS_OK:
        watched = [topology.entries[0].service]
    else:
        watched = [
            service.name
            for service in topology.services
            if service.name in rule.services or service.kind in rule.kinds
        ]
    if stuck.service not in watched:
        words = f'"{rule.id}" does not watch {stuck.service}; use one of: {listed(watched)}'
        yield Wrong((*path, "service"), words)


def _check_effects(data: Mapping[str, Any], topology: Topology) -> Iterator[Wrong]:
    specs = {spec.name: spec for spec in topology.services}
    for pattern in _EFFECTS:
        for path, effect in select(data, pattern):
            name, parameter = get(effect, "service"), get(effect, "parameter")
            spec = specs.get(name) if isinstance(name, str) else None
            if spec is None:
                continue
            kind = PARAMETERS.get(parameter) if isinstance(parameter, str) else None
            if kind and kind.needs and not _has(spec, kind.needs):
                yield Wrong((*path, "parameter"), f'"{spec.name}" {kind.lacks}')


def _has(spec: ServiceSpec, part: str) -> bool:
    return bool(getattr(spec, part) != ServiceSpec.model_fields[part].default)


def _check_rogues(data: Mapping[str, Any]) -> Iterator[Wrong]:
    """Check that a rogue agent has acted, and that evidence shows it violated its policy.

    Otherwise, the missing evidence, while every innocent agent has some, would be
    the answer.
    """
    convicted = [
        get(item, "at")
        for _path, item in select(data, "evidence.*")
        if get(item, "source") == Source.AUTOMATION
        and any(sign == Sign.BEYOND_POLICY for _at, sign in select(item, "signs.*"))
    ]
    for path, agent in select(data, "automation.*"):
        if get(agent, "rogue") is None:
            continue
        if not get(agent, "events"):
            yield Wrong(
                (*path, "rogue"),
                "a rogue without events never acts; list what it did under 'events'",
            )
        elif get(agent, "name") not in convicted:
            yield Wrong(
                (*path, "rogue"),
                "nothing proves this agent guilty; add evidence with source automation at its name "
                "and the sign beyond_policy",
            )


def _check_starts(data: Mapping[str, Any]) -> Iterator[Wrong]:
    if not data.get("faults") and data.get("failure_type") != FailureType.FALSE_ALARM:
        yield Wrong(("faults",), "only a false alarm has no fault; add one")
    started = {
        name
        for pattern in ("cascades.*.starts", "tempting.*.starts")
        for _, name in select(data, pattern)
        if isinstance(name, str)
    }
    for path, fault in select(data, "faults.*"):
        name = get(fault, "id")
        if isinstance(name, str) and get(fault, "starts") is None and name not in started:
            words = f"the fault \"{shown(name)}\" never starts; set 'starts' to a minute"
            yield Wrong(path, words)


def _check_minutes(data: Mapping[str, Any]) -> Iterator[Wrong]:
    rounds = data.get("max_steps")
    turns = rounds * len(TURN_ORDER) if type(rounds) is int else None
    if turns is not None:
        late = f"the incident ends at turn {turns} (max_steps rounds of {len(TURN_ORDER)})"
        for key in ("par", "diagnosis_budget"):
            if type(data.get(key)) is int and data[key] > turns:
                yield Wrong((key,), f"{late}; use a smaller number")
        for path, item in select(data, "evidence.*"):
            since = get(item, "since")
            if type(since) is int and since >= turns:
                yield Wrong((*path, "since"), f"this is never shown: {late}; use an earlier minute")
    for path, item in select(data, "evidence.*"):
        since, until = get(item, "since"), get(item, "until")
        since = -240 if since is None else since
        if type(since) is int and type(until) is int and until < max(since, 0):
            least = max(since, 0)
            yield Wrong((*path, "until"), f"this is never shown: it ends before minute {least}")


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
