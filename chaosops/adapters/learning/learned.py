"""A trained policy: its file, and the policy that plays by it.

The file is JSON and has no code in it. Weights stand by the names of features and of parts of
moves, so that a file says itself when it is of another version.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final

from chaosops.adapters.learning.encoding import encode, feature_names
from chaosops.adapters.learning.linear import LinearPolicy
from chaosops.adapters.learning.moves import part_names, parts
from chaosops.adapters.learning.training import TrainingPlan
from chaosops.agents.policies import Policy
from chaosops.env.models import AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.errors import ChaosOpsError
from chaosops.files import read_bytes, replace_file, why

FORMAT: Final = 1
DEFAULT_FILE: Final = "learned.json"
FILE_VARIABLE: Final = "CHAOSOPS_LEARNED"
"""The environment variable that names the file which `seated` loads."""

_MOST_BYTES: Final = 16 * 1024 * 1024
_DIGITS: Final = 5


class LearnedFileError(ChaosOpsError):
    """A file of a trained policy that can't be used."""


@dataclass(frozen=True, slots=True)
class LearnedPolicy:
    """A trained policy with what it was trained on."""

    plan: TrainingPlan
    policy: LinearPolicy

    def save(self, path: Path) -> None:
        """Write the file atomically.

        Raises:
            OSError: It can't be written; an existing file is unchanged.
        """
        role = self.plan.role
        kept = {
            "format": FORMAT,
            "plan": {**self.plan._asdict(), "seeds": _spans(self.plan.seeds)},
            "features": feature_names(role),
            "value": self.policy.value,
            "parts": dict(zip(part_names(role), self.policy.rows, strict=True)),
        }
        replace_file(path, json.dumps(kept) + "\n")

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the likeliest possible move.

        Raises:
            ChaosOpsError: It was trained for another seat.
        """
        if role is not self.plan.role:
            trained = self.plan.role.value
            raise ChaosOpsError(
                f"this policy was trained as {trained}, not as {role.value}: seat it as {trained}"
            )
        seen = encode(observation.view)
        action = seen.actions[self.policy.best(seen)]
        assert action is not None
        return action


def rounded(policy: LinearPolicy) -> LinearPolicy:
    """Return the policy with its weights rounded, which makes its file small."""
    return LinearPolicy(
        policy.parts,
        [[round(weight, _DIGITS) for weight in row] for row in policy.rows],
        [round(weight, _DIGITS) for weight in policy.value],
    )


def seated() -> Policy:
    """Return the policy in the file that `CHAOSOPS_LEARNED` names, `learned.json` by default.

    It is what `--policy sre=chaosops.adapters.learning.learned:seated` seats.
    """
    return load(Path(os.environ.get(FILE_VARIABLE) or DEFAULT_FILE))


def load(path: Path) -> LearnedPolicy:
    """Read a trained policy.

    Raises:
        LearnedFileError: There is no such file, or it can't be used.
    """
    try:
        kept = json.loads(read_bytes(path, _MOST_BYTES))
    except OSError as error:
        raise LearnedFileError(
            f"{path} can't be read: {why(error)}; name the file that training wrote, in "
            f"{FILE_VARIABLE} where a policy is named by its place"
        ) from error
    except (ValueError, RecursionError) as error:
        raise _broken(path, "it is not JSON") from error
    if not isinstance(kept, Mapping) or kept.get("format") != FORMAT:
        raise _broken(path, f"its format is not {FORMAT}")
    plan = _plan(path, kept.get("plan"))
    names, labels = feature_names(plan.role), list(part_names(plan.role))
    rows = kept.get("parts")
    if kept.get("features") != list(names) or not isinstance(rows, Mapping):
        raise _broken(path, "its features are those of another version")
    if list(rows) != labels:
        raise _broken(path, "its moves are those of another version")
    weights = [_row(path, rows[label], label, len(names)) for label in labels]
    value = _row(path, kept.get("value"), "value", len(names))
    return LearnedPolicy(plan, LinearPolicy(parts(plan.role), weights, value))


def _broken(path: Path, what: str) -> LearnedFileError:
    return LearnedFileError(f"{path} is no trained policy of this version: {what}; train it again")


def _plan(path: Path, kept: Any) -> TrainingPlan:
    try:
        return TrainingPlan(
            AgentRole(kept["role"]),
            str(kept["others"]),
            tuple([str(name) for name in kept["incidents"]]),
            tuple([seed for first, stop in kept["seeds"] for seed in range(int(first), int(stop))]),
            int(kept["episodes"]),
            int(kept["seed"]),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _broken(path, "its plan is incomplete") from error


def _row(path: Path, kept: Any, label: str, length: int) -> list[float]:
    is_row = isinstance(kept, list) and len(kept) == length
    if not is_row or not all(type(x) in (int, float) and isfinite(x) for x in kept):
        raise _broken(path, f"the weights of '{label}' are not {length} numbers")
    return [float(weight) for weight in kept]


def _spans(seeds: Sequence[int]) -> list[tuple[int, int]]:
    """Return seeds as spans from a first one to before another."""
    spans: list[tuple[int, int]] = []
    for seed in seeds:
        if spans and spans[-1][1] == seed:
            spans[-1] = spans[-1][0], seed + 1
        else:
            spans.append((seed, seed + 1))
    return spans
