"""What is measured before a landing and after: of the target, or of one instance and the rest."""

from __future__ import annotations

from math import fsum
from typing import Final, NamedTuple

from chaosops.env.failing import failing_of
from chaosops.env.models import Measured
from chaosops.env.panel import shown_ms
from chaosops.env.physics.memory import Memory
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.pool import Pool
from chaosops.env.samples import ServiceSample

_LEAST_CHANGE: Final = 2.0


class InstanceSample(NamedTuple):
    """Signals of an instance, and the means of those of the rest.

    Attributes:
        number: Its number, from 1.
        signals: Name, value of the instance, and mean of the rest, each in percent.
    """

    number: int
    signals: tuple[tuple[str, float, float], ...]


def measure_one(mesh: Mesh, service: int, i: int, minute: int) -> InstanceSample | None:
    """Measure an instance and the rest; None if there is no such instance.

    Args:
        minute: The minute that was simulated last.
    """
    instances = mesh.instances[service]
    if i >= instances.count:
        return None
    serving = [k for k in range(instances.count) if instances.serves(k, minute)]
    failing = failing_of(mesh, service, minute)
    signals = [_row("errors", [100.0 * share for share in failing], i, serving)]
    memory = mesh.part(service, "memory")
    if isinstance(memory, Memory) and len(memory.leaked) == instances.count:
        used = [min(100.0, memory.of(k)) for k in range(instances.count)]
        signals.append(_row("memory", used, i, serving))
    pool = mesh.part(service, "pool")
    if isinstance(pool, Pool) and len(pool.leaked) == instances.count:
        held = [100.0 * min(1.0, leaked / pool.size) for leaked in pool.leaked]
        signals.append(_row("held connections", held, i, serving))
    return InstanceSample(i + 1, tuple(signals))


def _row(name: str, values: list[float], i: int, serving: list[int]) -> tuple[str, float, float]:
    rest = [values[k] for k in serving if k != i]
    return name, values[i], fsum(rest) / len(rest) if rest else 0.0


def measured_on_one(
    before: InstanceSample | None, after: InstanceSample | None
) -> tuple[Measured, ...]:
    """Compare the instance and the rest before a landing and after; nothing if it is gone.

    Errors are always told; the rest is where one of the two has changed or they differ.
    """
    if before is None or after is None:
        return ()
    rows: list[Measured] = []
    now = {name: (own, rest) for name, own, rest in after.signals}
    for name, own, rest in before.signals:
        own_now, rest_now = now.get(name, (own, rest))
        differs = max(abs(own_now - own), abs(rest_now - rest), abs(own - rest)) >= _LEAST_CHANGE
        if name != "errors" and not differs:
            continue
        one = f"{name} of instance {before.number}"
        rows.append(Measured(one, "%", round(own, 1), round(own_now, 1)))
        rows.append(Measured(f"{name} of the rest", "%", round(rest, 1), round(rest_now, 1)))
    return tuple(rows)


def measured_of(before: ServiceSample, after: ServiceSample) -> tuple[Measured, ...]:
    """Compare the signals of a target before and after a landing."""
    rows = [
        Measured("errors", "%", round(before.errors * 100.0, 1), round(after.errors * 100.0, 1)),
        Measured("p95", "ms", float(shown_ms(before.p95)), float(shown_ms(after.p95))),
    ]
    for name, was, now in (
        ("memory", before.memory, after.memory),
        ("disk", before.disk, after.disk),
        ("pool", before.pool, after.pool),
    ):
        if abs(now - was) >= 2.0:
            rows.append(Measured(name, "%", round(was, 0), round(now, 0)))
    if abs(after.instances - before.instances) >= 0.5:
        rows.append(Measured("instances", "", before.instances, after.instances))
    return tuple(rows)
