"""The engine: its version, and whether its core is compiled."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from typing import Final

ENGINE: Final = 8
"""Increased by every change that gives the same scenario, seed and actions other frames.

1: lists in views stood in the order of the scenario file. Recordings of it have no number.
2: they are sorted by a rule that does not depend on the cause, random streams follow a pinned
key of the file, and views tell what is in force.
3: the policy of a health checker has more parameters, and runtime shows ejected instances at rest.
4: more families of causes can be cast, and instruments have more columns.
5: more situations, seats say things to each other, and the automation's requests are answered.
6: spells of a cause begin a minute before the page, and false alarms open like outages.
7: every agent of the automation works near the onset, so that form does not tell who is guilty, and
the incidents of the first edition, with their world, are gone.
"""


def is_compiled() -> bool:
    """Whether the simulator's modules are compiled; imports none of them."""
    found = find_spec("chaosops.env.world")
    return bool(found and found.origin and found.origin.endswith(tuple(EXTENSION_SUFFIXES)))


def core() -> str:
    """Name what the simulator runs as: "compiled core" or "plain Python"."""
    return "compiled core" if is_compiled() else "plain Python"
