"""Waiting for the CPU: a mean wait below saturation, a backlog above it.

- Below saturation the mean wait is Sakasegawa's approximation of an M/M/c queue (Sakasegawa 1977):
  S/c * u^(sqrt(2(c+1))-1) / (1-u) for c servers of service time S at utilisation u. For one server
  it is the exact M/M/1 result, so a request takes 1/(1-u) times its service: 2 times at 50 %, 5 at
  80 %, 10 at 90 %, 20 at 95 %.
- Above saturation what cannot be served waits, as much as the queue holds, and the rest is dropped.
  A backlog of b drains in b / (out - in) seconds.
"""

from __future__ import annotations

import math
from math import sqrt
from typing import Final

from chaosops.env.physics.node import Node

_SECONDS: Final = 60.0
_NO_WAIT_BELOW: Final = 0.2
_LEAST_SPARE: Final = 0.005
LONGEST_WAIT_MS: Final = 30_000.0


def mean_wait_ms(service_ms: float, servers: float, busy: float) -> float:
    """Return the mean wait for one of several servers, in milliseconds.

    >>> round(mean_wait_ms(10.0, 1.0, 0.9), 6)
    90.0
    """
    if busy < _NO_WAIT_BELOW:
        return 0.0
    spare = 1.0 - busy
    crowd = math.pow(busy, sqrt(2.0 * (servers + 1.0)) - 1.0)
    return service_ms / servers * crowd / (spare if spare > _LEAST_SPARE else _LEAST_SPARE)


def serve(node: Node, limit: float, load: float) -> float:
    """Serve a load for a minute, together with the backlog.

    Args:
        limit: Requests a second that can be served.
        load: Requests a second that come in.

    Returns:
        Requests a second that are served. `node` gets its backlog and what was dropped.
    """
    waiting = node.backlog
    if waiting <= 0.0 and load <= limit:
        node.dropped = 0.0
        return load
    served = load + waiting / _SECONDS
    if served > limit:
        served = limit
    waiting += (load - served) * _SECONDS
    node.dropped = 0.0
    most = node.traits.queue_limit
    if waiting > most:
        node.dropped = (waiting - most) / _SECONDS
        waiting = most
    node.backlog = waiting if waiting > 0.5 else 0.0
    return served


def backlog_ms(waiting: float, limit: float) -> float:
    """Return how long the last of a backlog waits, in milliseconds, at a rate per second."""
    if waiting <= 0.0:
        return 0.0
    if limit <= 0.0:
        return LONGEST_WAIT_MS
    ms = waiting / limit * 1000.0
    return ms if ms < LONGEST_WAIT_MS else LONGEST_WAIT_MS
