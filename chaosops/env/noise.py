"""Seeded noise without a stream: a number for each seed, minute and key.

A stream of random numbers has a state that every fork would have to copy, and that one more
reader would shift. A hash of the number's purpose has neither problem: looking changes nothing.
"""

from __future__ import annotations

from typing import Final

_MASK: Final = 0x3FFF_FFFF
_SCALE: Final = 1.0 / 0x4000_0000


def uniform(seed: int, minute: int, key: int) -> float:
    """Return a number from 0 up to 1 for a minute and a key; always the same one.

    A mix of 30 bits by multiplication and shift, as in the finalizers of hash functions (Appleby's
    MurmurHash3). No factor has more than 30 bits and no sum more than 62, so that it compiles to
    plain integers.
    """
    z = ((seed & _MASK) * 0x1E3779B1) & _MASK
    z += ((minute & _MASK) * 0x27D4EB2F) & _MASK
    z += ((key & _MASK) * 0x165667B1) & _MASK
    z = (z + 0x1234567) & _MASK
    z = ((z ^ (z >> 15)) * 0x2C1B3C6D) & _MASK
    z = ((z ^ (z >> 12)) * 0x297A2D39) & _MASK
    z ^= z >> 15
    return z * _SCALE


def around(seed: int, minute: int, key: int) -> float:
    """Return a number from -1 to 1 with a triangular distribution around 0."""
    return uniform(seed, minute, key) + uniform(seed, minute, key + 7919) - 1.0
