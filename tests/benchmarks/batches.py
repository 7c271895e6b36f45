"""How much faster two processes play a batch than one: `python -m tests.benchmarks.batches`.

Each way is measured in a process of its own, one after the other in each round, since a busy
machine slows both. It gives two processes less than two cores: the ratio of CPU times says what
would remain of the gain on an idle one.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from typing import NamedTuple

from chaosops.cli.played_episodes import EpisodePlayer
from chaosops.env.models import TURN_ORDER
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.loader import find_scenarios
from chaosops.worker_pool import WorkerPool

EPISODES = 400
LEAST_GAIN = 1.6


class BatchRun(NamedTuple):
    """A batch that was played.

    Attributes:
        seconds: From the first episode to the last.
        own_cpu: CPU seconds of this process.
        workers_cpu: CPU seconds of its workers.
        early_kib, late_kib: The most memory of this process, after a quarter of the batch and at
            its end.
        reward: The sum of the rewards, to compare.
    """

    seconds: float
    own_cpu: float
    workers_cpu: float
    early_kib: int
    late_kib: int
    reward: float


class Gain(NamedTuple):
    """One process compared with two.

    Attributes:
        wall: Ratio of the times that passed.
        cpu: Ratio of the CPU time of one process to that of the busiest of the others.
        growth: Growth of the parent's memory over the last three quarters of the batch.
    """

    wall: float
    cpu: float
    growth: float
    equal: bool


def gain(episodes: int = EPISODES, jobs: int = 2) -> Gain:
    """Play the batch in one process and then in several."""
    one, many = _run(episodes, 1), _run(episodes, jobs)
    busiest = max(many.own_cpu, many.workers_cpu / jobs)
    return Gain(
        one.seconds / many.seconds,
        one.own_cpu / busiest,
        many.late_kib / many.early_kib,
        one.reward == many.reward,
    )


def _run(episodes: int, jobs: int) -> BatchRun:
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.batches", str(episodes), str(jobs)],
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return BatchRun(*json.loads(done.stdout))


def _play(episodes: int, jobs: int) -> BatchRun:
    """Play experts on all incidents, with as many seeds as it takes."""
    sources = find_scenarios()
    player = EpisodePlayer(
        [Scenario.of(source) for source in sources], dict.fromkeys(TURN_ORDER, "expert")
    )
    seeds = -(-episodes // len(sources))
    batch = [(number, seed) for number in range(len(sources)) for seed in range(seeds)][:episodes]
    cpu, begun = os.times(), time.perf_counter()
    reward, early = 0.0, 0
    with WorkerPool(jobs) as pool:
        for count, row in enumerate(pool.spread(player, batch)):
            reward += row["reward"]
            if count == episodes // 4:
                early = _peak_kib()
        seconds = time.perf_counter() - begun
    after = os.times()
    return BatchRun(
        seconds,
        after.user + after.system - cpu.user - cpu.system,
        after.children_user + after.children_system - cpu.children_user - cpu.children_system,
        early,
        _peak_kib(),
        reward,
    )


def _peak_kib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main() -> None:
    """Print the gain of some rounds, with the load of the machine."""
    for _round in range(3):
        load = os.getloadavg()[0]
        one = gain()
        print(
            f"{EPISODES} episodes, two processes: x {one.wall:.2f} in time, x {one.cpu:.2f} in CPU "
            f"time (at least x {LEAST_GAIN}), rows equal: {one.equal}, parent's memory "
            f"x {one.growth:.2f}, load {load:.1f} on {os.cpu_count()} cores"
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.write(json.dumps(_play(*map(int, sys.argv[1:]))))
    else:
        main()
