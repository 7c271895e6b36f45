"""Samples of many cases: the first of each group plays always, the rest with the slow tests."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import cache
from typing import Any

import pytest

from chaosops.scenarios.rendering import ScenarioSource
from tests.worlds import some_ids


def first_of_each(
    cases: Iterable[tuple[Any, ...]], group: Callable[[tuple[Any, ...]], Hashable]
) -> list[Any]:
    """Return the cases as parameters, all but the first of each group marked as slow."""
    seen: set[Hashable] = set()
    made = []
    for case in cases:
        key = group(case)
        made.append(pytest.param(*case, marks=_slow_unless(key not in seen)))
        seen.add(key)
    return made


@cache
def sample() -> frozenset[str]:
    """The ids of a few incidents that have every level and every topology."""
    return frozenset(some_ids())


def chosen_evenly(count: int, chosen: int) -> frozenset[int]:
    """Return that many of the first `count` numbers, at even distances, with both ends."""
    if chosen >= count:
        return frozenset(range(count))
    steps = max(chosen - 1, 1)
    return frozenset(round(number * (count - 1) / steps) for number in range(chosen))


def sampled(ids: Iterable[str]) -> list[Any]:
    """Return incidents as parameters, all but those of the sample marked as slow."""
    return [pytest.param(name, marks=_slow_unless(name in sample())) for name in ids]


def sampled_sources(sources: Iterable[ScenarioSource]) -> list[Any]:
    """Return incidents with their files as parameters, as `sampled` does."""
    return [
        pytest.param(source, marks=_slow_unless(source.id in sample()), id=source.id)
        for source in sources
    ]


def sampled_cases(cases: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Return cases as parameters: the first of each incident of the sample, the rest slow."""
    seen: set[str] = set()
    made = []
    for case in cases:
        is_first = case[0] in sample() and case[0] not in seen
        seen.add(case[0])
        made.append(pytest.param(*case, marks=_slow_unless(is_first)))
    return made


def _slow_unless(is_always_played: bool) -> list[pytest.MarkDecorator]:
    return [] if is_always_played else [pytest.mark.slow]
