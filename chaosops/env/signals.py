"""The physical state of a minute as the figures a person would read on a dashboard."""

from __future__ import annotations

from chaosops.env.models import Health, ServiceSignals
from chaosops.env.physics import Physics, Plan

_TAIL = 3.0
_FIXED_TAIL = 1.25
_UNUSUAL = 2.5
_EXTREME = 8.0


class Dashboard:
    """Turns each minute into one `ServiceSignals` a service.

    A service whose figures did not change keeps its object, so that minutes share it.

    Attributes:
        usual: The figures of a good minute, to compare with; set by `learn`.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._names = tuple(spec.name for spec in plan.specs)
        self._has_disk = tuple(spec.disk is not None for spec in plan.specs)
        self._has_pool = tuple(spec.pool is not None for spec in plan.specs)
        self._has_hits = tuple(spec.hit_rate is not None for spec in plan.specs)
        self._external = tuple(spec.kind.value == "external" for spec in plan.specs)
        self._usual_p95 = [1e9] * plan.size
        self.usual: tuple[ServiceSignals, ...] = ()
        self._last: tuple[ServiceSignals, ...] = ()

    def learn(self) -> None:
        """Take the last minute that was read as the usual one."""
        self.usual = self._last
        self._usual_p95 = [max(float(signals.p95_ms), 1.0) for signals in self._last]

    def read(self, physics: Physics) -> tuple[ServiceSignals, ...]:
        """The signals of the minute that the physics just simulated."""
        last = self._last
        now = []
        for i, name in enumerate(self._names):
            errors = round(physics.errors[i], 4) + 0.0
            p95 = _round_ms(_FIXED_TAIL * physics.fixed_ms[i] + _TAIL * physics.wait_ms[i])
            serving = physics.serving[i]
            busy = int(physics.busy[i] * 100.0 + 0.5)
            own = not self._external[i]
            signals = ServiceSignals(
                name,
                self._health(i, errors, p95, busy, serving),
                int(physics.rps[i] + 0.5),
                errors,
                p95,
                busy if own else None,
                int(physics.memory[i] + 0.5) if own else None,
                int(physics.disk[i] + 0.5) if self._has_disk[i] else None,
                min(int(physics.pool[i] * 100.0 + 0.5), 100) if self._has_pool[i] else None,
                int(physics.hit[i] * 100.0 + 0.5) if self._has_hits[i] else None,
                int(physics.backlog[i]),
                int(serving + 0.5) if own else None,
            )
            if last and last[i] == signals:
                signals = last[i]
            now.append(signals)
        self._last = tuple(now)
        return self._last

    def _health(self, i: int, errors: float, p95: int, busy: int, serving: float) -> Health:
        usual = self._usual_p95[i]
        if errors > 0.9 or serving <= 0.0:
            return Health.DOWN
        if errors > 0.2 or p95 > _EXTREME * usual + 50.0:
            return Health.CRITICAL
        if errors > 0.02 or p95 > _UNUSUAL * usual + 20.0 or busy > 92:
            return Health.DEGRADED
        return Health.HEALTHY


def _round_ms(value: float) -> int:
    """Two significant digits above 100 ms, whole milliseconds below."""
    ms = int(value + 0.5)
    if ms < 100:
        return ms
    step = 10 if ms < 1000 else 100 if ms < 10_000 else 1000
    return (ms + step // 2) // step * step
