"""Samples as the signals that a dashboard shows."""

from __future__ import annotations

from typing import Final

from chaosops.env.models import Health, ServiceKind, ServiceSignals
from chaosops.env.new_records import SignalPacker, signals_of
from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.samples import ServiceSample

_UNUSUAL: Final = 2.5
_EXTREME: Final = 8.0
_SHARES: Final = tuple(k / 10_000 for k in range(10_001))
_TIE: Final = 0.499_999
"""From here on, only `round` can tell which step is nearer."""

_OWN: Final = frozenset(ServiceKind) - {ServiceKind.EXTERNAL}


class Panel:
    """Turns a minute's samples into one `ServiceSignals` per service.

    Attributes:
        usual: The signals of a good minute, to compare with.
        packer: Packs what it reads.
    """

    def __init__(self, blueprint: Blueprint, good: list[ServiceSample]) -> None:
        self._names = [service.name for service in blueprint.services]
        self.packer = SignalPacker(tuple(self._names))
        self._own = [service.kind in _OWN for service in blueprint.services]
        usual = [max(sample.p95, 1.0) for sample in good]
        self._slow = [_UNUSUAL * p95 + 20.0 for p95 in usual]
        self._crawling = [_EXTREME * p95 + 50.0 for p95 in usual]
        self.usual = self.read(good)

    def read(self, samples: list[ServiceSample]) -> tuple[ServiceSignals, ...]:
        """Return the signals of a minute."""
        return tuple([self._signals(i, sample) for i, sample in enumerate(samples)])

    def _signals(self, i: int, sample: ServiceSample) -> ServiceSignals:
        own = self._own[i]
        errors = shown_share(sample.reported)
        p95 = shown_ms(sample.p95)
        busy = _percent(sample.busy)
        if errors > 0.9 or sample.instances <= 0.0:
            health = Health.DOWN
        elif errors <= 0.02 and p95 <= self._slow[i] and busy <= 92:
            health = Health.HEALTHY
        elif errors > 0.2 or p95 > self._crawling[i]:
            health = Health.CRITICAL
        else:
            health = Health.DEGRADED
        row = (
            self._names[i],
            health,
            int(sample.rps + 0.5),
            errors,
            p95,
            busy if own else None,
            _percent(sample.memory) if sample.memory >= 0.0 else None,
            _percent(sample.disk) if sample.disk >= 0.0 else None,
            _percent(sample.pool) if sample.pool >= 0.0 else None,
            _percent(sample.hit) if sample.hit >= 0.0 else None,
            int(sample.backlog),
            int(sample.instances + 0.5) if own else None,
            None,
        )
        return signals_of(row)


def shown_share(share: float) -> float:
    """Round a share to four decimals, as `round` does, from a table where the step is clear."""
    steps = share * 10_000.0
    step = int(steps + 0.5)
    return _SHARES[step] if -_TIE < steps - step < _TIE and step <= 10_000 else round(share, 4)


def shown_ms(ms: float) -> int:
    """Round milliseconds as they are shown: to 10 from 100 on, to 100 from 1,000 on."""
    whole = int(ms + 0.5)
    if whole < 100:
        return whole
    step = 10 if whole < 1000 else 100
    return (whole + step // 2) // step * step


def _percent(value: float) -> int:
    whole = int(value + 0.5)
    return 0 if whole < 0 else min(whole, 100)
