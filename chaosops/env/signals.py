"""The physical state of a minute as the figures a person would read on a dashboard."""

from __future__ import annotations

from chaosops.env.models import Health, ServiceKind, ServiceSignals
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
        self._services = tuple(
            (
                spec.name,
                spec.kind is not ServiceKind.EXTERNAL,
                spec.disk is not None,
                spec.pool is not None,
                spec.hit_rate is not None,
                spec.kind is ServiceKind.DATABASE,
            )
            for spec in plan.specs
        )
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
        rps, errors, busy, memory = physics.rps, physics.errors, physics.busy, physics.memory
        fixed, wait, serving = physics.fixed_ms, physics.wait_ms, physics.serving
        for i, (name, is_own, has_disk, has_pool, has_hits, has_copies) in enumerate(
            self._services
        ):
            failed = errors[i]
            failed = round(failed, 4) if failed > 0.00005 else 0.0
            p95 = int(_FIXED_TAIL * fixed[i] + _TAIL * wait[i] + 0.5)
            if p95 >= 100:
                step = 10 if p95 < 1000 else 100 if p95 < 10_000 else 1000
                p95 = (p95 + step // 2) // step * step
            busy_now = int(busy[i] * 100.0 + 0.5)
            usual = self._usual_p95[i]
            if failed > 0.9 or serving[i] <= 0.0:
                health = Health.DOWN
            elif failed > 0.2 or p95 > _EXTREME * usual + 50.0:
                health = Health.CRITICAL
            elif failed > 0.02 or p95 > _UNUSUAL * usual + 20.0 or busy_now > 92:
                health = Health.DEGRADED
            else:
                health = Health.HEALTHY
            signals = ServiceSignals(
                name,
                health,
                int(rps[i] + 0.5),
                failed,
                p95,
                busy_now if is_own else None,
                int(memory[i] + 0.5) if is_own else None,
                int(physics.disk[i] + 0.5) if has_disk else None,
                min(int(physics.pool[i] * 100.0 + 0.5), 100) if has_pool else None,
                int(physics.hit[i] * 100.0 + 0.5) if has_hits else None,
                int(physics.backlog[i]),
                int(serving[i] + 0.5) if is_own else None,
                int(physics.lag[i]) if has_copies else None,
            )
            now.append(last[i] if last and last[i] == signals else signals)
        self._last = tuple(now)
        return self._last
