import os

import pytest
from hypothesis import HealthCheck, settings

from tests.worlds import built_in

settings.register_profile(
    "chaosops",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("chaosops")


def pytest_xdist_auto_num_workers() -> int:
    """Two for each core: a test of a screen waits as much as it works."""
    return 2 * (os.cpu_count() or 1)


@pytest.fixture(scope="session")
def easiest() -> str:
    """The id of the first incident in the list."""
    return built_in()[0].id
