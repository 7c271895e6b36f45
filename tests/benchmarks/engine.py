"""How fast the engine is, in a process of its own: as Python, or as the compiled core."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import NamedTuple

from chaosops.env.engine import is_compiled
from chaosops.env.models import FailureType
from chaosops.env.world_sim import Scenario
from tests.benchmarks.measures import turns_per_second


class Speed(NamedTuple):
    """Turns a second of random policies on one core.

    Attributes:
        whole: With the resets of their episodes.
        turns: Of the turns alone.
        compiled: Whether it is the compiled core's.
    """

    whole: float
    turns: float
    compiled: bool


def speed(env: dict[str, str] | None, *, episodes: int = 150, rounds: int = 5) -> Speed:
    """The best of some rounds, in a Python with that environment."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tests.benchmarks.engine", str(episodes), str(rounds)],
        env=env,
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return Speed(*json.loads(done.stdout))


def main(episodes: int, rounds: int) -> None:
    """Measure here, and print the speed as JSON."""
    scenario = Scenario.from_type(FailureType.DB_DEADLOCK)
    runs = [turns_per_second(scenario, episodes) for _round in range(rounds)]
    best = (max(run[0] for run in runs), max(run[1] for run in runs))
    sys.stdout.write(json.dumps([*best, is_compiled()]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
