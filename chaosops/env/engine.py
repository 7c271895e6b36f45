"""The number of the engine."""

from __future__ import annotations

from typing import Final

ENGINE: Final = 2
"""Raised with every change that gives the same scenario, seed and actions other frames.

1: lists in views stood in the order of the scenario file. Recordings of it have no number.
2: they are sorted by a rule that does not depend on the cause, random streams follow a pinned
key of the file, and views tell what is in force.
"""
