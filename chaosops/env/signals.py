"""The physical state of a minute as the figures a person would read on a dashboard."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from chaosops.env.models import Health, ServiceKind, ServiceSignals
from chaosops.env.physics import Physics
from chaosops.env.plan import Plan

_TAIL: Final = 3.0
_FIXED_TAIL: Final = 1.25
_UNUSUAL: Final = 2.5
_EXTREME: Final = 8.0
_SHARES: Final = tuple(k / 10_000 for k in range(10_001))
"""Every share of four decimals once, so that frames share them and few have to be rounded."""

_TIE: Final = 0.499_999
"""From here on only `round` can tell which step is nearer."""

_MANY: Final = 10_000
_WHOLE: Final = tuple(range(_MANY + 1))
"""Whole numbers once, so that frames share them too."""

_SHOWN_MS: Final = tuple(
    _WHOLE[ms if ms < 100 else (ms + 5) // 10 * 10 if ms < 1000 else (ms + 50) // 100 * 100]
    for ms in range(_MANY)
)
"""Milliseconds as they are shown: to 10 from 100 on, to 100 from 1,000 on."""

_HEALTHY: Final = Health.HEALTHY
_DEGRADED: Final = Health.DEGRADED
_CRITICAL: Final = Health.CRITICAL
_DOWN: Final = Health.DOWN


class _Panel(NamedTuple):
    """Which figures a service has."""

    service: int
    name: str
    is_own: bool
    has_disk: bool
    has_pool: bool
    has_hits: bool
    has_copies: bool


class Panels:
    """Which figures the services of a topology have; the same for every episode on it."""

    def __init__(self, plan: Plan) -> None:
        self.of_services = tuple(
            _Panel(
                i,
                spec.name,
                spec.kind is not ServiceKind.EXTERNAL,
                spec.disk is not None,
                spec.pool is not None,
                spec.hit_rate is not None,
                spec.kind is ServiceKind.DATABASE,
            )
            for i, spec in enumerate(plan.specs)
        )


class Dashboard:
    """Turns each minute into one `ServiceSignals` a service.

    A service whose figures did not change keeps its object, so that minutes share it.

    Attributes:
        usual: The figures of a good minute, to compare with; set by `learn`.
    """

    def __init__(self, plan: Plan, panels: Panels | None = None) -> None:
        self._panels = panels or Panels(plan)
        self._slow = [1e10] * plan.size
        self._crawling = [1e10] * plan.size
        self.usual: tuple[ServiceSignals, ...] = ()
        self._last: tuple[ServiceSignals, ...] = ()
        self._now: list[Any] = [()] * plan.size
        self._memory, self._disk = _Column(), _Column()
        self._replicas, self._lag = _Column(), _Column()

    def learn(self) -> None:
        """Take the last minute that was read as the usual one."""
        self.usual = self._last
        usual_p95 = [max(float(signals.p95_ms), 1.0) for signals in self._last]
        self._slow = [_UNUSUAL * p95 + 20.0 for p95 in usual_p95]
        self._crawling = [_EXTREME * p95 + 50.0 for p95 in usual_p95]

    def read(self, physics: Physics) -> tuple[ServiceSignals, ...]:
        """The signals of the minute that the physics just simulated."""
        if _read(
            self._panels.of_services,
            self._now,
            self._slow,
            self._crawling,
            physics.rps,
            physics.errors,
            physics.fixed_ms,
            physics.wait_ms,
            physics.busy,
            self._memory.rounded(physics.memory, 0.5),
            self._disk.rounded(physics.disk, 0.5),
            physics.serving,
            self._replicas.rounded(physics.serving, 0.5),
            self._lag.rounded(physics.lag, 0.0),
            physics.pool,
            physics.hit,
            physics.backlog,
        ):
            self._last = tuple(self._now)
        return self._last


class _Column:
    """Figures that change seldom as whole numbers, worked out again only when they did."""

    def __init__(self) -> None:
        self._exact: list[float] = []
        self._whole: list[int] = []

    def rounded(self, exact: list[float], up: float) -> list[int]:
        if exact != self._exact:
            self._exact = exact.copy()
            self._whole = [int(value + up) for value in exact]
        return self._whole


def _read(
    panels: tuple[_Panel, ...],
    shown: list[Any],
    slow: list[float],
    crawling: list[float],
    rps: list[float],
    errors: list[float],
    fixed: list[float],
    wait: list[float],
    busy: list[float],
    memory: list[int],
    disk: list[int],
    serving: list[float],
    replicas: list[int],
    lag: list[int],
    pool: list[float],
    hit: list[float],
    backlog: list[float],
) -> bool:
    """Replace what is not `shown` any more, in place; whether there was anything."""
    make, service_signals = tuple.__new__, ServiceSignals
    changed = False
    for i, name, is_own, has_disk, has_pool, has_hits, has_copies in panels:
        failed = errors[i]
        if failed > 0.00005:
            steps = failed * 10_000.0
            step = int(steps + 0.5)
            failed = _SHARES[step] if -_TIE < steps - step < _TIE else round(failed, 4)
        else:
            failed = 0.0
        p95 = int(_FIXED_TAIL * fixed[i] + _TAIL * wait[i] + 0.5)
        p95 = _SHOWN_MS[p95] if p95 < _MANY else (p95 + 500) // 1000 * 1000
        busy_now = int(busy[i] * 100.0 + 0.5)
        if failed > 0.9 or serving[i] <= 0.0:
            health = _DOWN
        elif failed <= 0.02 and p95 <= slow[i] and busy_now <= 92:
            health = _HEALTHY
        elif failed > 0.2 or p95 > crawling[i]:
            health = _CRITICAL
        else:
            health = _DEGRADED
        load = int(rps[i] + 0.5)
        load = _WHOLE[load] if load < _MANY else load
        waiting = int(backlog[i])
        figures = (
            name,
            health,
            load,
            failed,
            p95,
            busy_now if is_own else None,
            memory[i] if is_own else None,
            disk[i] if has_disk else None,
            (min(int(pool[i] * 100.0 + 0.5), 100)) if has_pool else None,
            int(hit[i] * 100.0 + 0.5) if has_hits else None,
            waiting,
            replicas[i] if is_own else None,
            lag[i] if has_copies else None,
        )
        if shown[i] != figures:
            shown[i] = make(service_signals, figures)
            changed = True
    return changed
