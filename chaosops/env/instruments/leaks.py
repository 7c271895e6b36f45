"""How old the connections are that an application's pools have leaked."""

from __future__ import annotations

from chaosops.env.physics.pool import Pool
from chaosops.env.scene import Scene

_MINUTE_S = 60.0


def ages_s(scene: Scene, pool: Pool, i: int) -> list[float]:
    """Return for how long an instance has kept each leaked connection, the oldest first.

    Its k-th one has been out since the minute in which it had leaked k.
    """
    if scene.is_quiet(pool.service):
        return []
    leaked = [
        sample.by_pool[i] if i < len(sample.by_pool) else 0.0
        for sample in scene.history.of(pool.service)
    ]
    ages: list[float] = []
    since = len(leaked)
    for k in range(int(pool.leaked[i])):
        since = 1
        while since < len(leaked) and leaked[-since - 1] >= k + 1.0:
            since += 1
        part = scene.chance(7_800 + 31 * i + k, scene.minute - since)
        ages.append(_MINUTE_S * (since - 1) + 2.0 + 56.0 * part)
    return sorted(ages, reverse=True)
