import pytest
from hypothesis import HealthCheck, settings

from chaosops.scenarios.loader import find_scenarios

settings.register_profile(
    "chaosops",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("chaosops")


@pytest.fixture(scope="session")
def easiest() -> str:
    """The id of the first incident in the list."""
    return find_scenarios()[0].id
