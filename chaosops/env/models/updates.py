"""Status updates: what the Manager tells users, when it is due, and what was sent."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from chaosops.env.models.failures import FailureType

SHARES: Final = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 75, 100)
"""The percentages that an update can name; one of them is always near enough to be true."""


class Trend(StrEnum):
    """Where the share of failed requests is heading."""

    RISING = "rising"
    STEADY = "steady"
    FALLING = "falling"


class NextStep(StrEnum):
    """What the team does next, as users are told."""

    INVESTIGATE = "investigate"
    FIX = "fix"
    WATCH = "watch"


class CauseFamily(StrEnum):
    """The kind of cause that users are told of; the folders of the built-in causes."""

    NOT_KNOWN = "not_known"
    ALARMS = "alarms"
    CAPACITY = "capacity"
    CHANGE = "change"
    DATA = "data"
    DATABASE_WAITS = "database_waits"
    NAMES = "names"
    NETWORK = "network"
    OVERLOAD = "overload"
    QUEUES = "queues"
    OTHER = "other"


class UpdatePoint(StrEnum):
    """What an update says, point by point; the arguments of the verb in their order."""

    JOURNEY = "journey"
    FAILED = "failed"
    TREND = "trend"
    CAUSE = "cause"
    PLACE = "place"
    NEXT = "next"


class UpdateContent(NamedTuple):
    """What an update says.

    Attributes:
        journey: The service at which the users come in who are hurt most.
        failed: Percent of their requests that fail, one of `SHARES`.
        cause: What is known of the cause.
        place: The service where it is; if the cause is not known, where the team is looking. Empty
            if none is named.
    """

    journey: str
    failed: int
    trend: Trend
    cause: CauseFamily
    place: str
    next: NextStep

    def args(self) -> dict[str, Any]:
        """Return the arguments of the action that sends it."""
        return {
            name: value.value if isinstance(value, StrEnum) else value
            for name, value in self._asdict().items()
            if value != ""
        }

    @classmethod
    def of(cls, args: Mapping[str, Any]) -> UpdateContent:
        """Read it from the arguments of a well-formed action."""
        return cls(
            args["journey"],
            args["failed"],
            Trend(args["trend"]),
            CauseFamily(args["cause"]),
            args.get("place") or "",
            NextStep(args["next"]),
        )


class UpdateDue(NamedTuple):
    """An update that is due.

    Attributes:
        due: The minute in which it became due.
        late: The first minute in which it is late.
        closes: The minute from which on it can't be sent any more.
        draft: What it would say as it was drafted, which may be out of date in one point.
    """

    due: int
    late: int
    closes: int
    draft: UpdateContent


class StatusUpdate(NamedTuple):
    """An update that was sent.

    Attributes:
        minute: When it was sent.
        due: The minute in which it became due.
        content: What it says.
        calms: Whether the team's own figures bore it out, so that users reload less.
    """

    minute: int
    due: int
    content: UpdateContent
    calms: bool


class Journey(NamedTuple):
    """How the users fare who come in at one service.

    Attributes:
        service: Where they come in.
        failed: Share of their requests that failed this minute, 0 to 1, four decimals.
        before: The same five minutes ago.
    """

    service: str
    failed: float
    before: float


_FAMILIES: Final[Mapping[CauseFamily, tuple[FailureType, ...]]] = MappingProxyType(
    {
        CauseFamily.CAPACITY: (
            FailureType.MEMORY_LEAK,
            FailureType.CPU_THROTTLING,
            FailureType.THREAD_LIMIT,
            FailureType.BLOCKED_CAPACITY,
            FailureType.AUTOSCALER_COST_CUT,
            FailureType.COLLECTOR_THRASH,
            FailureType.DESCRIPTOR_LIMIT,
            FailureType.STRICT_PROBE,
            FailureType.MISROUTED_TRAFFIC,
            FailureType.UNAPPROVED_AI_CHANGE,
        ),
        CauseFamily.CHANGE: (
            FailureType.BAD_CONFIG_PUSH,
            FailureType.LATENT_BUG,
            FailureType.DEAD_CODE_FLAG,
            FailureType.ROGUE_DEPLOY_BOT,
            FailureType.BAD_RELEASE,
            FailureType.STALE_CREDENTIAL,
            FailureType.ACCESS_RULE,
        ),
        CauseFamily.DATA: (
            FailureType.ID_EXHAUSTION,
            FailureType.DISK_FULL,
            FailureType.REPLICA_LAG,
            FailureType.CLEANUP_OVERREACH,
            FailureType.LOST_LEADER,
            FailureType.TWO_WRITERS,
            FailureType.STALE_CACHE,
        ),
        CauseFamily.DATABASE_WAITS: (
            FailureType.MIGRATION_LOCK,
            FailureType.POOL_EXHAUSTED,
            FailureType.DB_DEADLOCK,
            FailureType.HOT_SHARD,
            FailureType.ROW_LOCK,
            FailureType.SLOW_DISK,
            FailureType.PLAN_FLIP,
            FailureType.CASCADE,
        ),
        CauseFamily.NAMES: (
            FailureType.DNS_OUTAGE,
            FailureType.EXPIRED_CERTIFICATE,
            FailureType.CLOCK_ERROR,
            FailureType.UNFINISHED_RENEWAL,
            FailureType.STALE_DNS_PLAN,
        ),
        CauseFamily.NETWORK: (
            FailureType.PACKET_LOSS,
            FailureType.ZONE_OUTAGE,
            FailureType.MISROUTED_TRAFFIC,
            FailureType.QUOTA_THROTTLING,
            FailureType.PATCH_EVERYWHERE,
            FailureType.PORT_EXHAUSTION,
            FailureType.THIRD_PARTY_DOWN,
            FailureType.STALE_CREDENTIAL,
        ),
        CauseFamily.OVERLOAD: (
            FailureType.HOT_CODE_PATH,
            FailureType.COLD_CACHE,
            FailureType.RETRY_STORM,
            FailureType.RECONNECT_HERD,
            FailureType.CASCADE,
            FailureType.QUOTA_THROTTLING,
            FailureType.HOSTILE_TRAFFIC,
            FailureType.TRAFFIC_SURGE,
        ),
        CauseFamily.QUEUES: (
            FailureType.POISON_MESSAGE,
            FailureType.HOT_PARTITION,
            FailureType.SLOW_CONSUMER,
            FailureType.REBALANCE_LOOP,
            FailureType.AUTOSCALER_COST_CUT,
        ),
        CauseFamily.ALARMS: (FailureType.FALSE_ALARM, FailureType.BAD_RELEASE),
    }
)


def families_of(cause: str) -> tuple[CauseFamily, ...]:
    """Return the families of a diagnosed cause, the usual one first; `OTHER` for an author's."""
    found = [family for family, causes in _FAMILIES.items() if cause in causes]
    return tuple(found) or (CauseFamily.OTHER,)
