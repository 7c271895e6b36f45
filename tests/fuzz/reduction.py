"""Makes a failing burst short."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def reduced(
    acts: Sequence[str], fails: Callable[[tuple[str, ...]], bool], limit: int = 200
) -> tuple[str, ...]:
    """A shorter sequence that still fails: parts are left out, ever smaller ones.

    Args:
        fails: Whether a sequence still fails.
        limit: How many are tried at most.
    """
    best = tuple(acts)
    size = max(1, len(best) // 2)
    tried = 0
    while tried < limit:
        at, before = 0, len(best)
        while at < len(best) and tried < limit:
            shorter = best[:at] + best[at + size :]
            tried += 1
            if fails(shorter):
                best = shorter
            else:
                at += size
        if size == 1 and len(best) == before:
            break
        size = max(1, size // 2)
    return best
