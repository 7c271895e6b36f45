"""The true state of an episode."""

from __future__ import annotations

from typing import NamedTuple

from chaosops.env.models.failures import FailureType
from chaosops.env.models.records import Record


class _ChaosOpsState(NamedTuple):
    resolved: bool
    step_count: int
    cumulative_reward: float
    wrong_fixes: int
    oversight_flags: tuple[str, ...]
    declared_root_cause: FailureType | str | None
    done: bool
    faults_live: tuple[str, ...]
    users_ok: float


class ChaosOpsState(_ChaosOpsState, Record):
    """The true state of an episode, which no player sees."""

    __slots__ = ()
