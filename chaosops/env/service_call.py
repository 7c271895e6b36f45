"""A call between two services: its retries, its timeout, and what lost packets add to it.

A packet that is lost is sent again after 200 ms, so loss shows as latency in steps of 200 ms.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from chaosops.env.plan import Edge

if TYPE_CHECKING:
    from chaosops.env.service import Service

_SURELY: Final = 0.999
_RESEND_MS: Final = 200.0
_PACKETS: Final = 10
_TAIL_SHARE: Final = 0.05


def resend_ms(loss: float) -> float:
    """Return what lost packets add to a call of ten packets at the 95th percentile, in ms.

    Every round that loses at least one packet costs another 200 ms; there are as many as happen
    to at least one call in twenty: none at 0.5 % loss, one at 1 %, three at 5 %.
    """
    any_lost = 1.0 - math.pow(1.0 - min(loss, 0.5), _PACKETS)
    if any_lost < _TAIL_SHARE:
        return 0.0
    return _RESEND_MS * int(math.log(_TAIL_SHARE) / math.log(any_lost) + 1e-9)


class ServiceCall:
    """A call that a service makes, with its results in the last minute.

    Attributes:
        behind: The cache in front of the called service: only its misses get there.
        late_ms: The called service is never late while its slowest answers take less.
        fail: Share of the attempts that failed.
        ms: Mean time of an attempt as the caller sees it.
        attempts: Attempts per request.
        hold_ms: How long an attempt keeps a connection of the pool.
    """

    __slots__ = (
        "attempts",
        "behind",
        "fail",
        "hold_ms",
        "late_ms",
        "ms",
        "per_request",
        "pooled",
        "required",
        "retries",
        "timeout_ms",
        "to",
        "waits",
    )

    def __init__(self, edge: Edge, to: Service, behind: Service | None) -> None:
        self.to = to
        self.behind = behind
        self.per_request = edge.per_request
        self.required = edge.required
        self.waits = edge.waits
        self.timeout_ms = edge.timeout_ms
        self.late_ms = edge.timeout_ms * _SURELY
        self.retries = float(edge.retries)
        self.pooled = edge.pooled
        self.fail = 0.0
        self.ms = to.fixed_ms
        self.attempts = 1.0
        self.hold_ms = to.fixed_ms

    def count_attempts(self) -> None:
        """Compute the attempts again if the retries have changed since the last minute."""
        self.attempts = self.outcome(self.fail)[1]

    def outcome(self, fail: float) -> tuple[float, float]:
        """Return the share of requests that fails after all retries, and the attempts per request.

        With a failed share f and r retries that is f^(r+1), and (1 - f^(r+1)) / (1 - f) a request.
        """
        extra = self.retries + self.to.extra_retries
        if fail <= 1e-4 or extra <= 0.0:
            return fail, 1.0
        lost: float = fail ** (extra + 1.0)
        return lost, extra + 1.0 if fail > 0.9999 else (1.0 - lost) / (1.0 - fail)
