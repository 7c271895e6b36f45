"""The moving world: its turns against a world that stands still, its size, and its readings."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from chaosops.agents.runner import Stepper
from chaosops.env.engine import is_compiled
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole, Source
from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.physics.registry import new_mesh
from chaosops.env.samples import measure
from chaosops.env.world import World
from chaosops.env.world_sim import Scenario
from tests.benchmarks.measures import bytes_per_frame, turns_per_second
from tests.benchmarks.still_services import still_turns_per_second
from tests.env.physics.fleets import topology

SITUATIONS = ("checkout-times-out", "search-p99-high", "sign-in-errors")
LOOKS = (
    Source.METRICS,
    Source.LOGS,
    Source.TRACES,
    Source.RUNTIME,
    Source.NETWORK,
    Source.CHANGES,
    Source.CONFIG,
)


class LivingSpeed(NamedTuple):
    """What the moving world costs.

    Attributes:
        turns: Turns a second of random policies, resets apart; `whole` is with resets.
        still: Turns a second of the loop over four services that stand still.
        reset_turns: A reset, in turns.
        forty: A minute of 40 services, over one of 12.
        reading_ms: The slowest reading, in milliseconds.
        reading_bytes: The largest reading as JSON.
        frame_bytes: A kept frame of a game without looks.
        compiled: Whether this is the compiled core's.
    """

    turns: float
    whole: float
    still: float
    reset_turns: float
    forty: float
    reading_ms: float
    reading_bytes: int
    frame_bytes: float
    compiled: bool


def living_speed(env: dict[str, str] | None, *, episodes: int = 40, rounds: int = 5) -> LivingSpeed:
    """Measure in a Python with that environment; the best of some rounds."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tests.benchmarks.living", str(episodes), str(rounds)],
        env=env,
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return LivingSpeed(*json.loads(done.stdout))


def slowest_reading(scenario: Scenario) -> tuple[float, int]:
    """Return the milliseconds of the slowest look of a game's first minute, the best of three.

    Also returns the size of the largest reading as JSON.
    """
    env = ChaosOpsEnvironment()
    env.reset(scenario=scenario)
    assert env._episode is not None
    world = env._episode._world
    slowest, largest = 0.0, 0
    for service in scenario.topology.services:
        for source in LOOKS:
            best = 1.0
            for _round in range(3):
                begun = time.perf_counter()
                finding = world.look(AgentRole.SRE, source, service.name)
                best = min(best, time.perf_counter() - begun)
            view = env.view_of(AgentRole.SRE)
            size = len(view.model_copy(update={"findings": (finding,)}).model_dump_json())
            size -= len(view.model_copy(update={"findings": ()}).model_dump_json())
            slowest, largest = max(slowest, best), max(largest, size)
    return slowest * 1000.0, largest


def minute_cost(services: int, minutes: int = 400) -> float:
    """Return the seconds of a minute of a fleet in which two services of three are applications."""
    fleet = new_mesh(Blueprint(topology(list(_services(services)), rps=900.0)))
    world = World(fleet, [], 7, 1.0, 0)
    begun = time.perf_counter()
    for minute in range(minutes):
        world.advance()
        measure(world.mesh, 7, minute)
    return (time.perf_counter() - begun) / minutes


def _services(count: int) -> Iterator[dict[str, Any]]:
    """Yield an edge over applications, of which each calls the next one and a database."""
    stores = (count - 1) // 3
    apps = count - 1 - stores
    yield {
        "name": "edge",
        "kind": "edge",
        "calls": [{"to": f"app-{i}", "timeout_ms": 800} for i in range(min(3, apps))],
    }
    for i in range(apps):
        calls = [{"to": f"db-{i % stores}", "timeout_ms": 400, "table": f"t{i}"}]
        if i + 3 < apps:
            calls.append({"to": f"app-{i + 3}", "timeout_ms": 600})
        pool = {"to": f"db-{i % stores}", "size": 40}
        yield {"name": f"app-{i}", "kind": "app", "calls": calls, "pool": pool, "memory": 40}
    for i in range(stores):
        yield {
            "name": f"db-{i}",
            "kind": "database",
            "disk": 50,
            "disk_gb": 100,
            "sessions": 4_000,
        }


def idle_frame_bytes(scenario: Scenario) -> float:
    """Return the bytes of a kept frame of a game in which all pass."""
    return bytes_per_frame(scenario, 2, roster=lambda _seed: {})


def reset_cost(scenario: Scenario, episodes: int) -> float:
    """Return the seconds of a reset on a topology that is known."""
    env = ChaosOpsEnvironment()
    Stepper(env, scenario)
    played = [scenario.with_seed(scenario.seed) for _episode in range(episodes)]
    begun = time.perf_counter()
    for each in played:
        Stepper(env, each)
    return (time.perf_counter() - begun) / episodes


def main(episodes: int, rounds: int) -> None:
    """Measure here, and print it as JSON."""
    scenarios = [Scenario.load(name, seed=3) for name in SITUATIONS]
    runs = [
        turns_per_second(scenario, episodes) for _round in range(rounds) for scenario in scenarios
    ]
    by_round = [runs[k : k + len(scenarios)] for k in range(0, len(runs), len(scenarios))]
    turns = max(len(one) / sum(1.0 / alone for _whole, alone in one) for one in by_round)
    whole = max(len(one) / sum(1.0 / whole for whole, _alone in one) for one in by_round)
    still = max(still_turns_per_second(episodes * 2) for _round in range(rounds))
    reset = min(reset_cost(scenarios[0], 5) for _round in range(rounds))
    forty = min(minute_cost(40) for _round in range(rounds))
    twelve = min(minute_cost(12) for _round in range(rounds))
    readings = [slowest_reading(scenario) for scenario in scenarios]
    figures = (
        turns,
        whole,
        still,
        reset * turns,
        forty / twelve,
        max(ms for ms, _size in readings),
        max(size for _ms, size in readings),
        max(idle_frame_bytes(scenario) for scenario in scenarios),
        is_compiled(),
    )
    sys.stdout.write(json.dumps(figures))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
