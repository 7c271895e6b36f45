"""What an investigation shows: the scenario's evidence if there is any, else true figures.

If a scenario has no evidence for a place, the answer comes from the simulated fleet, so that
investigating the wrong place still shows something true.
"""

from __future__ import annotations

from chaosops.env.models import (
    AgentRole,
    Change,
    ChangeKind,
    Finding,
    Health,
    LogLevel,
    ServiceSignals,
    Sign,
    Source,
)
from chaosops.env.models.readings import LogEvent
from chaosops.env.world_sim import FleetWorld

_LOOK_BACK = 10
_RECENT_CHANGE = 120
_MANY_FAILURES = 0.05
_SLOPE = 0.8
_NEARLY_ALL = 90


def investigate(world: FleetWorld, role: AgentRole, source: Source, target: str) -> Finding:
    """Investigate a target now.

    Args:
        target: A service, or an automation agent if the source is the automation.
    """
    text, signs = _declared(world, role, source, target) or _LOOKS[source](world, target)
    return Finding(world.minute, role, source, target, text, tuple(sorted(signs)))


_Shown = tuple[str, tuple[Sign, ...]]


def _declared(world: FleetWorld, role: AgentRole, source: Source, target: str) -> _Shown | None:
    for item in world.incident.evidence:
        if (
            item.source is source
            and item.at == target
            and item.seen_by in (None, role)
            and item.since <= world.minute
            and (item.until is None or world.minute <= item.until)
            and world.board.is_live(item.while_live)
        ):
            return item.text, item.signs
    return None


def _metrics(world: FleetWorld, target: str) -> _Shown:
    i = world.plan.index[target]
    now, usual = world.history[-1][i], world.dashboard.usual[i]
    signs = _signal_signs(now, usual)
    text = (
        f"{_figures(now)}; usually {usual.rps} rps, {_percent(usual.errors)} errors, "
        f"p95 {usual.p95_ms} ms"
    )
    if signs:
        return text, signs
    standing = world.alerting.tripped(target)
    if not standing and now.health is not Health.HEALTHY:
        standing = f"{target} is {now.health.value}"
    if standing:
        return f"{standing}: {text}", ()
    return f"Nothing unusual: {text}", (Sign.NOTHING_UNUSUAL,)


def _figures(signals: ServiceSignals) -> str:
    parts = [
        f"{signals.rps} rps, {_percent(signals.errors)} errors, p95 {signals.p95_ms} ms",
        "" if signals.busy is None else f"{signals.busy} % busy",
        "" if signals.memory is None else f"memory {signals.memory} %",
        "" if signals.disk is None else f"disk {signals.disk} %",
        "" if signals.pool is None else f"pool {signals.pool} %",
        "" if signals.hit is None else f"hit rate {signals.hit} %",
        "" if not signals.backlog else f"{signals.backlog} waiting",
        "" if not signals.lag else f"copies {signals.lag} s behind",
        "" if signals.replicas is None else _instances(signals.replicas),
    ]
    return ", ".join(part for part in parts if part)


def _instances(count: int) -> str:
    return "1 replica" if count == 1 else f"{count} replicas"


def _signal_signs(now: ServiceSignals, usual: ServiceSignals) -> tuple[Sign, ...]:
    slow = now.p95_ms > 2.5 * usual.p95_ms + 20
    rps, usual_rps = now.rps or 0, usual.rps or 0
    busy, usual_busy = now.busy or 0, usual.busy or 0
    shown = {
        Sign.ERRORS_HIGH: now.errors > _MANY_FAILURES,
        Sign.LATENCY_HIGH: slow,
        Sign.CPU_SATURATED: busy >= 90,
        Sign.IDLE_BUT_SLOW: slow and busy <= usual_busy + 5,
        Sign.TRAFFIC_SURGE: rps > 1.3 * usual_rps + 5,
        Sign.TRAFFIC_DROP: rps < 0.7 * usual_rps - 5,
        Sign.MEMORY_HIGH: (now.memory or 0) >= 85,
        Sign.DISK_NEAR_LIMIT: (now.disk or 0) >= 90,
        Sign.POOL_EXHAUSTED: (now.pool or 0) >= 95,
        Sign.REPLICAS_BELOW_DEMAND: busy >= 90 and (now.replicas or 0) < (usual.replicas or 0),
    }
    return tuple(sign for sign, is_shown in shown.items() if is_shown)


def _logs(world: FleetWorld, target: str) -> _Shown:
    recent = [
        line
        for line in world.logbook.tail(apps_only=False)
        if line.service == target
        and line.minute > world.minute - _LOOK_BACK
        and line.level is not LogLevel.INFO
    ]
    if not recent:
        return (
            f"Nothing unusual: {target} logged no warning and no error in {_LOOK_BACK} minutes",
            (Sign.NOTHING_UNUSUAL,),
        )
    lines = "line" if len(recent) == 1 else "lines"
    text = (
        f"{len(recent)} {lines} at WARN or above in {_LOOK_BACK} minutes, the newest: "
        f"{recent[-1].text}"
    )
    fails = any(
        line.level is LogLevel.ERROR or line.event is LogEvent.CALLS_FAIL for line in recent
    )
    return text, (Sign.ERRORS_HIGH,) if fails else ()


def _traces(world: FleetWorld, target: str) -> _Shown:
    usual = world.dashboard.usual
    worst = None
    for call in world.physics.services[world.plan.index[target]].calls:
        if not call.waits:
            continue
        fail, took = call.fail, call.ms
        slow = took > 3.0 * max(float(usual[call.to.number].p95_ms), 5.0)
        if (fail > _MANY_FAILURES or slow) and (worst is None or (fail, took) > worst[:2]):
            worst = (fail, took, call.to.name, slow)
    if worst is None:
        return (
            f"Nothing unusual: the calls {target} makes return in their usual time",
            (Sign.NOTHING_UNUSUAL,),
        )
    fail, took, name, slow = worst
    signs: tuple[Sign, ...] = (Sign.FAILING_DEPENDENCY,) if fail > _MANY_FAILURES else ()
    signs += (Sign.SLOW_DEPENDENCY,) if slow else ()
    return (
        (
            f"The time and the failures are in the calls to {name}: {_percent(fail)} fail, "
            f"{round(took)} ms each"
        ),
        signs,
    )


def _runtime(world: FleetWorld, target: str) -> _Shown:
    i = world.plan.index[target]
    now = world.history[-1][i]
    if now.memory is None:
        return f"{target} is run by a third party: there is no runtime to investigate", ()
    back = min(_LOOK_BACK, len(world.history) - 1)
    slope = (now.memory - (world.history[-1 - back][i].memory or 0)) / back
    kills = sum(
        1
        for line in world.logbook.tail(apps_only=False)
        if line.service == target and line.event is LogEvent.MEMORY_KILL
    )
    pool = "" if now.pool is None else f", pool {now.pool} % in use"
    text = (
        f"memory {now.memory} %, {slope:+.1f} points a minute over {back} minutes, "
        f"{kills} kills, {now.busy} % busy, {_instances(now.replicas or 0)}{pool}"
    )
    signs = {
        Sign.HEAP_GROWTH: slope >= _SLOPE,
        Sign.MEMORY_HIGH: now.memory >= 85,
        Sign.OOM_KILLS: kills > 0,
        Sign.POOL_EXHAUSTED: (now.pool or 0) >= 95,
        Sign.CPU_SATURATED: (now.busy or 0) >= 90,
    }
    shown = tuple(sign for sign, is_shown in signs.items() if is_shown)
    if not shown and (now.pool or 0) < _NEARLY_ALL:
        return f"Nothing unusual: {text}", (Sign.NOTHING_UNUSUAL, Sign.MEMORY_FLAT)
    if not {Sign.HEAP_GROWTH, Sign.OOM_KILLS, Sign.MEMORY_HIGH} & set(shown):
        shown += (Sign.MEMORY_FLAT,)
    return text, shown


def _network(world: FleetWorld, target: str) -> _Shown:
    lost = world.physics.services[world.plan.index[target]].lost
    if lost > _MANY_FAILURES:
        return f"{_percent(lost)} of new connections to {target} do not come about", ()
    return (
        f"Nothing unusual: the name of {target} resolves, connections come about, no loss",
        (Sign.NOTHING_UNUSUAL, Sign.NAME_LOOKUP_FINE),
    )


def changes_of(world: FleetWorld) -> tuple[Change, ...]:
    """Return the changes so far, oldest first; within a minute, by service."""
    return tuple(
        sorted(
            Change(spec.at, spec.service, spec.kind, spec.version, spec.author, spec.text)
            for spec in world.incident.changes
            if spec.at <= world.minute
        )
    )


def _recent_changes(world: FleetWorld, target: str) -> tuple[Change, ...]:
    return tuple(
        change
        for change in changes_of(world)
        if change.service == target and change.minute > world.minute - _RECENT_CHANGE
    )


def _changes(world: FleetWorld, target: str) -> _Shown:
    recent = _recent_changes(world, target)
    if not recent:
        return (
            f"Nothing unusual: nobody changed {target} in the last {_RECENT_CHANGE // 60} hours",
            (Sign.NO_RECENT_CHANGE,),
        )
    newest = recent[-1]
    is_config = newest.kind in (ChangeKind.CONFIG, ChangeKind.FLAG)
    return (
        (
            f"{len(recent)} in the last {_RECENT_CHANGE // 60} hours, the newest "
            f"{world.minute - newest.minute} minutes ago: {newest.kind.value} {newest.version}, "
            f"{newest.text}"
        ),
        (Sign.CONFIG_CHANGED if is_config else Sign.DEPLOYED_RECENTLY,),
    )


def _config(world: FleetWorld, target: str) -> _Shown:
    recent = [
        change
        for change in _recent_changes(world, target)
        if change.kind in (ChangeKind.CONFIG, ChangeKind.FLAG)
    ]
    if not recent:
        return (
            (
                f"Nothing unusual: the running configuration of {target} is the reviewed one, and "
                "every instance has it"
            ),
            (Sign.CONFIG_UNCHANGED,),
        )
    return (
        (
            f"Version {recent[-1].version}, {world.minute - recent[-1].minute} minutes old, is "
            "loaded by every instance and parses"
        ),
        (Sign.CONFIG_CHANGED,),
    )


def _automation(world: FleetWorld, target: str) -> _Shown:
    agent = world.automation.agents[target]
    acts = [event for event in world.automation.audit if event.agent == target]
    if not acts:
        return f"{target} has not acted. Its policy: {agent.policy}", (Sign.WITHIN_POLICY,)
    last = acts[-1]
    count = "1 act" if len(acts) == 1 else f"{len(acts)} acts"
    text = (
        f"{count} in the log, the last: {last.act} {last.target} ({last.reason}; {last.approval}). "
        f"Its policy: {agent.policy}"
    )
    return text, () if agent.rogue else (Sign.WITHIN_POLICY,)


def _percent(share: float) -> str:
    return f"{share * 100:.1f} %"


_LOOKS = {
    Source.METRICS: _metrics,
    Source.LOGS: _logs,
    Source.TRACES: _traces,
    Source.RUNTIME: _runtime,
    Source.NETWORK: _network,
    Source.CHANGES: _changes,
    Source.CONFIG: _config,
    Source.AUTOMATION: _automation,
}
