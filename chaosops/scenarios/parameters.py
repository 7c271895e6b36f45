"""The parameters of a service that a fault can change, in one table."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple


class Parameter(StrEnum):
    """A parameter of a service that a fault can change.

    Added to the service's own: `errors` and `unreachable` (shares), `latency_ms`, `hold_ms` (how
    long a pooled connection is kept), `memory_per_minute` and `disk_per_minute` (percent of the
    limit), `retries` (of calls to it), `skew` (0 to 1, how much of the load gathers on one shard),
    `loss` (share of packets to it), `lag_per_minute` (seconds its copies fall behind). Multiplied:
    `capacity`, `replicas`, `hit_rate`, `demand` (of users, where the service is an entry; of its
    own offered load elsewhere).
    """

    ERRORS = "errors"
    UNREACHABLE = "unreachable"
    LATENCY_MS = "latency_ms"
    HOLD_MS = "hold_ms"
    MEMORY = "memory_per_minute"
    DISK = "disk_per_minute"
    RETRIES = "retries"
    SKEW = "skew"
    LOSS = "loss"
    LAG = "lag_per_minute"
    CAPACITY = "capacity"
    REPLICAS = "replicas"
    HIT_RATE = "hit_rate"
    DEMAND = "demand"

    @property
    def is_factor(self) -> bool:
        """Whether its value is a factor, so that 1 means no effect."""
        return PARAMETERS[self].is_factor

    @property
    def is_share(self) -> bool:
        """Whether it changes a share, which stays between 0 and 1."""
        return PARAMETERS[self].is_share


class ParameterSpec(NamedTuple):
    """Everything that is specific to a parameter.

    Attributes:
        is_factor: Whether its value is a factor, so that 1 means no effect; others are added.
        is_share: Whether what it changes stays between 0 and 1.
        needs: The field of a service's specification without which it has no meaning.
        lacks: The end of the message for a service without the needed part.
    """

    is_factor: bool = False
    is_share: bool = False
    needs: str = ""
    lacks: str = ""


PARAMETERS: Final[Mapping[str, ParameterSpec]] = MappingProxyType(
    {
        Parameter.ERRORS: ParameterSpec(is_share=True),
        Parameter.UNREACHABLE: ParameterSpec(is_share=True),
        Parameter.LATENCY_MS: ParameterSpec(),
        Parameter.HOLD_MS: ParameterSpec(needs="pool", lacks="has no pool; choose one with a pool"),
        Parameter.MEMORY: ParameterSpec(),
        Parameter.DISK: ParameterSpec(needs="disk", lacks="has no disk; choose one with a disk"),
        Parameter.RETRIES: ParameterSpec(),
        Parameter.SKEW: ParameterSpec(
            needs="shards", lacks="has no shards; choose one with shards"
        ),
        Parameter.LOSS: ParameterSpec(),
        Parameter.LAG: ParameterSpec(),
        Parameter.CAPACITY: ParameterSpec(is_factor=True),
        Parameter.REPLICAS: ParameterSpec(is_factor=True),
        Parameter.HIT_RATE: ParameterSpec(
            is_factor=True, needs="hit_rate", lacks="is not a cache; choose a cache"
        ),
        Parameter.DEMAND: ParameterSpec(is_factor=True),
    }
)
"""Every parameter."""
