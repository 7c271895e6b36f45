"""Prints a digest of the frames of some episodes, one a line: run by other interpreters.

Needs no test tool, so that a Python with the simulator's two libraries alone can run it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from chaosops.agents.runner import EpisodeStep, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ChaosOpsAction, SignalRows
from tests.worlds import scenario, some_ids

POLICIES = ("random", "expert")
SEED = 2**32 - 1


def _values(value: Any) -> Any:
    """Lists, objects and scalars with the names of their types, so that nothing looks alike."""
    if isinstance(value, ChaosOpsAction):
        return [_values(part) for part in (value.role, value.action_type, value.target, value.args)]
    if isinstance(value, Mapping):
        return {key: _values(item) for key, item in value.items()}
    if isinstance(value, SignalRows):
        value = tuple(value)
    if isinstance(value, tuple):
        return [type(value).__name__, *(_values(item) for item in value)]
    return value


def frame_lines(steps: tuple[EpisodeStep, ...]) -> Iterator[str]:
    """Every frame without its history, which the frames before it have; the last round whole."""
    whole = len(steps) - len(TURN_ORDER)
    for k, step in enumerate(steps):
        seen = step.observation
        if k < whole:
            seen = seen._replace(view=seen.view._replace(history=None))
        yield json.dumps(_values(step._replace(observation=seen)), allow_nan=False)


def digests() -> Iterator[str]:
    """A line for each incident and policy."""
    for name in some_ids():
        played = scenario(name, SEED)
        for policy in POLICIES:
            seats = seat_policies(dict.fromkeys(TURN_ORDER, policy), played)
            steps = run_episode(ChaosOpsEnvironment(), played, seats).steps
            digest = hashlib.sha256("\n".join(frame_lines(steps)).encode())
            yield f"{played.label} {policy} {len(steps)} {digest.hexdigest()}"


if __name__ == "__main__":
    sys.stdout.write("\n".join(digests()) + "\n")
