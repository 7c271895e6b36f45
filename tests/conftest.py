import gc
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from chaosops.env import living_world
from chaosops.env.topology_context import TopologyContext
from chaosops.recording import recorded_scenario
from chaosops.scenarios import scenario
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.rendering import ScenarioSource
from tests.worlds import built_in

settings.register_profile(
    "chaosops",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("chaosops")

# Processes that tests start would otherwise compile every module that they import.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_xdist_auto_num_workers() -> int:
    """Two for each core: a test of a screen waits as much as it works."""
    return 2 * (os.cpu_count() or 1)


def pytest_collection_finish() -> None:
    """Look for garbage less often, and never among what was imported: it takes a tenth of a run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)


@pytest.fixture(scope="session", autouse=True)
def incidents_opened_once() -> Iterator[None]:
    """Read the file of a built-in incident once for all tests that load it by its id."""
    built_in_one = lru_cache(maxsize=128)(open_scenario)

    def open_once(id_or_path: str | Path, folders: Sequence[Path] = ()) -> ScenarioSource:
        by_id = isinstance(id_or_path, str) and id_or_path.replace("-", "").isalnum()
        if by_id and not folders:
            return built_in_one(id_or_path)
        return open_scenario(id_or_path, folders)

    with pytest.MonkeyPatch.context() as patch:
        for module in (scenario, recorded_scenario):
            patch.setattr(module, "open_scenario", open_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def causes_cast_once() -> Iterator[None]:
    """Let all environments share what one of them caches: how strong a cause has to be."""
    firsts: list[TopologyContext] = []

    class Shared:
        @staticmethod
        def of(played: scenario.Scenario, before: TopologyContext | None) -> TopologyContext:
            context = TopologyContext.of(played, before)
            alike = (each for each in firsts if each.topology == context.topology)
            first = next(alike, None)
            if first is None:
                firsts.append(context)
            else:
                context._solved = first._solved
            return context

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(living_world, "TopologyContext", Shared)
        yield


@pytest.fixture(scope="session")
def easiest() -> str:
    """The id of the first incident in the list."""
    return built_in()[0].id
