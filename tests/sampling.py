"""Samples of many cases: the first of each group plays always, the rest with the slow tests."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import pytest


def first_of_each(
    cases: Iterable[tuple[Any, ...]], group: Callable[[tuple[Any, ...]], Hashable]
) -> list[Any]:
    """Return the cases as parameters, all but the first of each group marked as slow."""
    seen: set[Hashable] = set()
    made = []
    for case in cases:
        key = group(case)
        marks = [pytest.mark.slow] if key in seen else []
        seen.add(key)
        made.append(pytest.param(*case, marks=marks))
    return made
