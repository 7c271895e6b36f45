import gc
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from chaosops.env import topology_context
from chaosops.env.topology_context import TopologyContext
from chaosops.recording import recorded_scenario
from chaosops.scenarios import scenario
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.rendering import ScenarioSource
from tests.sampling import chosen_evenly
from tests.worlds import built_in

_ANYWHERE = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("chaosops", _ANYWHERE, max_examples=40)
settings.register_profile("thorough", _ANYWHERE)
settings.load_profile("chaosops")

# Processes that tests start would otherwise compile every module that they import.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell has what it runs in the background ignore interrupts, and so would those processes.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers() -> int:
    """Two for each core: a test of a screen waits as much as it works."""
    return 2 * (os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases of a test as slow, but for a few of them at even distances."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("few") and not item.get_closest_marker("slow"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for found in cases.values():
        marker = found[0].get_closest_marker("few")
        assert marker is not None
        kept = chosen_evenly(len(found), *marker.args)
        for number, item in enumerate(found):
            if number not in kept:
                item.add_marker(pytest.mark.slow)


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
def topologies_settled_once() -> Iterator[None]:
    """Let all environments of a thread share what is worked out for a topology, as one does."""
    own = threading.local()

    class Shared:
        @staticmethod
        def of(played: scenario.Scenario, before: TopologyContext | None) -> TopologyContext:
            firsts: list[TopologyContext] = own.__dict__.setdefault("firsts", [])
            topology = played.topology
            first = next((each for each in firsts if each.topology == topology), None)
            context = TopologyContext.of(played, first)
            if first is None:
                firsts.append(context)
            return context

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topology_context, "TopologyContext", Shared)
        yield


@pytest.fixture(scope="session")
def easiest() -> str:
    """The id of the first incident in the list."""
    return built_in()[0].id
