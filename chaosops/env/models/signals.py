"""Signals: the figures of a service over one minute.

`SIGNALS` has everything that is specific to a signal. Whatever shows, words, checks or
describes signals reads it; a new one is a field of `ServiceSignals` and a row here.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Final, NamedTuple

from chaosops.env.models.roles import AgentRole
from chaosops.env.models.services import Health


class Signal(StrEnum):
    """A signal that an alert rule can watch."""

    USERS_OK = "users_ok"
    ERRORS = "errors"
    P95_MS = "p95_ms"
    RPS = "rps"
    BUSY = "busy"
    MEMORY = "memory"
    DISK = "disk"
    POOL = "pool"
    HIT = "hit"
    BACKLOG = "backlog"
    LAG = "lag"


class ServiceSignals(NamedTuple):
    """The golden signals of one service over one minute, and its saturation.

    What a role doesn't see, or a service doesn't have, is None. `SIGNALS` describes each
    signal.
    """

    service: str
    health: Health
    rps: int | None
    errors: float
    p95_ms: int
    busy: int | None
    memory: int | None
    disk: int | None
    pool: int | None
    hit: int | None
    backlog: int | None
    replicas: int | None
    lag: int | None = None


class SignalFormat(Enum):
    """The kind of a signal's values; each output formats them in its own way."""

    COUNT = "count"
    SHARE = "share"
    PERCENT = "percent"
    MILLISECONDS = "milliseconds"
    SECONDS = "seconds"


class SignalSpec(NamedTuple):
    """Everything that is specific to a signal.

    Attributes:
        field: Its field in `ServiceSignals`.
        name: Its name in prompts.
        spoken: Its name in texts for people; by default `name`.
        heading, width: The heading and width of its column on a screen.
        place: The position of that column, the lowest first.
        meaning, unit: For the documentation of recordings.
        help: For the screen that explains the columns.
        most: The highest threshold of an alert rule; None for no limit.
        is_common: Whether it has a column also on narrow screens.
        text_skips_zero, panes_skip_zero: Whether zero is left out there.
        is_of_a_limit: Whether it gets worse towards 100 %.
        seen_by: The roles that see it.
    """

    field: str
    name: str
    heading: str
    width: int
    place: int
    format: SignalFormat
    meaning: str
    unit: str
    help: str
    spoken: str = ""
    most: int | None = None
    is_common: bool = False
    text_skips_zero: bool = False
    panes_skip_zero: bool = False
    is_of_a_limit: bool = False
    seen_by: tuple[AgentRole, ...] = (AgentRole.SRE,)


_APPLICATION: Final = (AgentRole.SRE, AgentRole.DEV)

SIGNALS: Final = (
    SignalSpec(
        field="rps",
        name="rps",
        heading="rps",
        width=5,
        place=0,
        format=SignalFormat.COUNT,
        meaning="Incoming requests.",
        unit="per second",
        help="incoming requests per second.",
        spoken="requests per second",
        is_common=True,
    ),
    SignalSpec(
        field="errors",
        name="errors",
        heading="err",
        width=6,
        place=2,
        format=SignalFormat.SHARE,
        meaning="Failed requests.",
        unit="share, 0 to 1",
        help="error rate: the share of its requests that fail.",
        most=1,
        is_common=True,
        is_of_a_limit=True,
        seen_by=_APPLICATION,
    ),
    SignalSpec(
        field="p95_ms",
        name="p95",
        heading="p95",
        width=6,
        place=1,
        format=SignalFormat.MILLISECONDS,
        meaning="Latency at the 95th percentile.",
        unit="ms",
        help="95 of 100 requests are faster than this, including calls to dependencies.",
        is_common=True,
        seen_by=_APPLICATION,
    ),
    SignalSpec(
        field="busy",
        name="busy",
        heading="cpu",
        width=5,
        place=3,
        format=SignalFormat.PERCENT,
        meaning="CPU utilization.",
        unit="percent",
        help="CPU utilization. Low CPU and high latency: the service is waiting for something.",
        spoken="CPU",
        most=100,
        is_common=True,
        is_of_a_limit=True,
    ),
    SignalSpec(
        field="memory",
        name="memory",
        heading="mem",
        width=5,
        place=4,
        format=SignalFormat.PERCENT,
        meaning="Memory in use.",
        unit="percent of the limit",
        help="memory in use, as a percentage of the limit.",
        most=100,
        is_common=True,
        is_of_a_limit=True,
    ),
    SignalSpec(
        field="disk",
        name="disk",
        heading="disk",
        width=5,
        place=7,
        format=SignalFormat.PERCENT,
        meaning="Disk in use.",
        unit="percent",
        help="disk in use, percent.",
        most=100,
        is_of_a_limit=True,
    ),
    SignalSpec(
        field="pool",
        name="pool",
        heading="pool",
        width=5,
        place=8,
        format=SignalFormat.PERCENT,
        meaning="Connections in use.",
        unit="percent of the pool",
        help="connections in use, percent of the pool.",
        most=100,
        is_of_a_limit=True,
    ),
    SignalSpec(
        field="hit",
        name="hit",
        heading="hit",
        width=5,
        place=9,
        format=SignalFormat.PERCENT,
        meaning="Cache hits.",
        unit="percent",
        help="cache hits, percent of the look-ups.",
        spoken="cache hits",
        most=100,
    ),
    SignalSpec(
        field="backlog",
        name="waiting",
        heading="wait",
        width=5,
        place=6,
        format=SignalFormat.COUNT,
        meaning="Requests or messages that wait.",
        unit="count",
        help="requests or messages that queue.",
        text_skips_zero=True,
        panes_skip_zero=True,
    ),
    SignalSpec(
        field="replicas",
        name="replicas",
        heading="inst",
        width=5,
        place=5,
        format=SignalFormat.COUNT,
        meaning="Instances that serve.",
        unit="count",
        help="instances that serve.",
        spoken="instances",
        is_common=True,
    ),
    SignalSpec(
        field="lag",
        name="lag",
        heading="lag",
        width=5,
        place=10,
        format=SignalFormat.SECONDS,
        meaning="How far copies of the data are behind.",
        unit="seconds",
        help="seconds that copies of the data are behind.",
        spoken="copies behind by",
        text_skips_zero=True,
    ),
)
"""Every signal, in the order of the fields."""
