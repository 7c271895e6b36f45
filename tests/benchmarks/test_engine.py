"""The engine's speed is measured where it is asked for."""

from __future__ import annotations

import pytest

from tests.benchmarks.engine import speed
from tests.benchmarks.measures import environment

pytestmark = pytest.mark.benchmark


def test_a_python_without_the_compiled_core_says_so() -> None:
    one = speed(environment(), episodes=2, rounds=1)
    assert 0.0 < one.whole <= one.turns
    assert not one.compiled
