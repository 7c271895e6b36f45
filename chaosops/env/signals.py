"""The physical state of a minute as the signals that a dashboard shows."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from chaosops.env.models import Health, ServiceKind, ServiceSignals
from chaosops.env.new_records import signals_of
from chaosops.env.plan import FleetPlan
from chaosops.env.service import Service
from chaosops.env.service_flow import Physics

_TAIL: Final = 3.0
_FIXED_TAIL: Final = 1.25
_UNUSUAL: Final = 2.5
_EXTREME: Final = 8.0
_SHARES: Final = tuple(k / 10_000 for k in range(10_001))
"""Every share with four decimals, so that frames share them and few have to be rounded."""

_TIE: Final = 0.499_999
"""From here on, only `round` can tell which step is nearer."""

_MANY: Final = 10_000
_WHOLE: Final = tuple(range(_MANY + 1))
"""Whole numbers, so that frames share them too."""

_SHOWN_MS: Final = tuple(
    _WHOLE[ms if ms < 100 else (ms + 5) // 10 * 10 if ms < 1000 else (ms + 50) // 100 * 100]
    for ms in range(_MANY)
)
"""Round milliseconds as they are shown: to 10 from 100 on, to 100 from 1,000 on."""

_HEALTHY: Final = Health.HEALTHY
_DEGRADED: Final = Health.DEGRADED
_CRITICAL: Final = Health.CRITICAL
_DOWN: Final = Health.DOWN


class _Panel(NamedTuple):
    """Which signals a service has."""

    service: int
    name: str
    is_own: bool
    has_disk: bool
    has_pool: bool
    has_hits: bool
    has_copies: bool


class Panels:
    """Which signals the services of a topology have; the same for every episode on it."""

    def __init__(self, plan: FleetPlan) -> None:
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
    """Turns each minute into one `ServiceSignals` per service.

    A service whose signals didn't change keeps its object, so that minutes share it.

    Attributes:
        usual: The signals of a good minute, to compare with; set by `learn`.
    """

    def __init__(self, plan: FleetPlan, panels: Panels | None = None) -> None:
        self._panels = panels or Panels(plan)
        self._slow = [1e10] * plan.size
        self._crawling = [1e10] * plan.size
        self.usual: tuple[ServiceSignals, ...] = ()
        self._last: tuple[ServiceSignals, ...] = ()
        self._now: list[Any] = [()] * plan.size

    def learn(self) -> None:
        """Use the last minute that was read as the usual one."""
        self.usual = self._last
        usual_p95 = [max(float(signals.p95_ms), 1.0) for signals in self._last]
        self._slow = [_UNUSUAL * p95 + 20.0 for p95 in usual_p95]
        self._crawling = [_EXTREME * p95 + 50.0 for p95 in usual_p95]

    def read(self, physics: Physics) -> tuple[ServiceSignals, ...]:
        """Return the signals of the minute that was just simulated."""
        if _read(self._panels.of_services, physics.services, self._now, self._slow, self._crawling):
            self._last = tuple(self._now)
        return self._last


def _read(
    panels: tuple[_Panel, ...],
    services: list[Service],
    shown: list[Any],
    slow: list[float],
    crawling: list[float],
) -> bool:
    """Replace what differs from `shown` in place; return whether anything did."""
    changed = False
    for i, name, is_own, has_disk, has_pool, has_hits, has_copies in panels:
        service = services[i]
        failed = service.errors
        if failed > 0.00005:
            steps = failed * 10_000.0
            step = int(steps + 0.5)
            failed = _SHARES[step] if -_TIE < steps - step < _TIE else round(failed, 4)
        else:
            failed = 0.0
        p95 = int(_FIXED_TAIL * service.fixed_ms + _TAIL * service.wait_ms + 0.5)
        p95 = _SHOWN_MS[p95] if p95 < _MANY else (p95 + 500) // 1000 * 1000
        busy = int(service.busy * 100.0 + 0.5)
        if failed > 0.9 or service.serving <= 0.0:
            health = _DOWN
        elif failed <= 0.02 and p95 <= slow[i] and busy <= 92:
            health = _HEALTHY
        elif failed > 0.2 or p95 > crawling[i]:
            health = _CRITICAL
        else:
            health = _DEGRADED
        load = int(service.rps + 0.5)
        # A plain tuple first, since most services look as they did a minute ago.
        row = (
            name,
            health,
            _WHOLE[load] if load < _MANY else load,
            failed,
            p95,
            busy if is_own else None,
            int(service.memory + 0.5) if is_own else None,
            int(service.disk + 0.5) if has_disk else None,
            min(int(service.pool * 100.0 + 0.5), 100) if has_pool else None,
            int(service.hit * 100.0 + 0.5) if has_hits else None,
            int(service.backlog),
            int(service.serving + 0.5) if is_own else None,
            int(service.lag) if has_copies else None,
        )
        if shown[i] != row:
            shown[i] = signals_of(row)
            changed = True
    return changed
