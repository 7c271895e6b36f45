"""The handbook: what points to each second-edition cause, and what fixes it.

It is public knowledge about signs and verbs, and knows nothing about particular situations.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from chaosops.env.models import ActionType, AgentRole, FailureType, ServiceKind, Sign, Source


class Where(Enum):
    """Where a cure is applied: at the place of the decisive sign, or at the service behind it."""

    PLACE = "place"
    BY = "by"


class Cure(NamedTuple):
    """An action that fixes a cause, and who can take it."""

    role: AgentRole
    verb: ActionType
    at: Where = Where.PLACE
    args: Mapping[str, Any] = MappingProxyType({})


class InstrumentCheck(NamedTuple):
    """Where to look for a cause: which role, at which kind of service, with which instrument."""

    role: AgentRole
    source: Source
    kinds: frozenset[ServiceKind]


class Page(NamedTuple):
    """A cause.

    Attributes:
        settled_by: Signs each of which is close to proof.
        weights: Other evidence for it (above 0) or against it, in natural log odds.
        checks: Where to look, the most informative first.
        cures: What fixes it, the best first.
        change: The kind of change that causes it, if any.
        is_automated: Whether an agent causes it, which has to be paused before any fix lasts.
    """

    settled_by: frozenset[Sign]
    weights: Mapping[Sign, float]
    checks: tuple[InstrumentCheck, ...]
    cures: tuple[Cure, ...]
    is_automated: bool = False
    change: str = ""


_SRE, _DEV = AgentRole.SRE, AgentRole.DEV
_STORES: Final = frozenset({ServiceKind.DATABASE})
_APPS: Final = frozenset({ServiceKind.APP, ServiceKind.EDGE})
_S, _F = Sign, FailureType

_AS_MANY_AS_POLICIES_ALLOW: Final = 6

_AUDIT = InstrumentCheck(AgentRole.OVERSIGHT, Source.AUTOMATION, frozenset())
_DB_RUNTIME = InstrumentCheck(_SRE, Source.RUNTIME, _STORES)
_DB_METRICS = InstrumentCheck(_SRE, Source.METRICS, _STORES)
_DB_LOGS = InstrumentCheck(_DEV, Source.LOGS, _STORES)
_APP_RUNTIME = InstrumentCheck(_SRE, Source.RUNTIME, _APPS)
_APP_LOGS = InstrumentCheck(_DEV, Source.LOGS, _APPS)
_APP_CHANGES = InstrumentCheck(_DEV, Source.CHANGES, _APPS)
_DB_CHANGES = InstrumentCheck(_DEV, Source.CHANGES, _STORES)
_APP_TRACES = InstrumentCheck(_DEV, Source.TRACES, _APPS)


def _page(
    settled_by: set[Sign],
    weights: dict[Sign, float],
    checks: tuple[InstrumentCheck, ...],
    cures: tuple[Cure, ...],
    *,
    is_automated: bool = False,
    change: str = "",
) -> Page:
    return Page(
        frozenset(settled_by), MappingProxyType(weights), checks, cures, is_automated, change
    )


HANDBOOK: Final[Mapping[FailureType, Page]] = MappingProxyType(
    {
        _F.ROW_LOCK: _page(
            {_S.LOCK_HOLDER_IDLE},
            {_S.LOCK_WAIT: 1.5, _S.NOBODY_WAITS: -4.0, _S.SCHEMA_CHANGE_WAITS: -4.0},
            (_DB_RUNTIME, _DB_LOGS, _DB_METRICS),
            (Cure(_SRE, ActionType.TERMINATE),),
        ),
        _F.DB_DEADLOCK: _page(
            {_S.DEADLOCK_CYCLE},
            {_S.LOCK_WAIT: 0.5, _S.NOBODY_WAITS: -3.0, _S.LOCK_HOLDER_IDLE: -4.0},
            (_DB_RUNTIME, _DB_LOGS, _APP_CHANGES),
            (Cure(_DEV, ActionType.DISABLE_FEATURE, Where.BY),),
        ),
        _F.MIGRATION_LOCK: _page(
            {_S.SCHEMA_CHANGE_WAITS},
            {_S.LOCK_WAIT: 1.5, _S.NOBODY_WAITS: -4.0, _S.LOCK_HOLDER_IDLE: -4.0},
            (_DB_RUNTIME, _DB_CHANGES, _DB_METRICS),
            (Cure(_SRE, ActionType.TERMINATE),),
        ),
        _F.POOL_EXHAUSTED: _page(
            {_S.CONNECTIONS_HELD},
            {
                _S.IDLE_IN_TRANSACTION: 3.0,
                _S.POOL_EXHAUSTED: 1.0,
                _S.NOBODY_WAITS: 0.5,
                _S.LOCK_WAIT: -3.0,
                _S.DEVICE_SLOW: -2.0,
            },
            (_APP_RUNTIME, _APP_LOGS, _DB_RUNTIME),
            (Cure(_DEV, ActionType.ROLLBACK, Where.BY),),
            change="deploy",
        ),
        _F.SLOW_DISK: _page(
            {_S.DEVICE_SLOW},
            {_S.DEVICE_FINE: -5.0, _S.LOCK_WAIT: -1.0, _S.ONE_QUERY_SLOW: -4.0},
            (_DB_RUNTIME, _DB_METRICS),
            (Cure(_SRE, ActionType.FAILOVER),),
        ),
        _F.PLAN_FLIP: _page(
            {_S.ONE_QUERY_SLOW},
            {_S.QUERIES_EVEN: -4.0, _S.NOBODY_WAITS: 0.3},
            (_DB_RUNTIME, _DB_LOGS),
            (Cure(_DEV, ActionType.ROLLBACK),),
        ),
        _F.HOT_SHARD: _page(
            {_S.SHARD_SKEW},
            {_S.SHARDS_EVEN: -4.0, _S.NOBODY_WAITS: 0.2},
            (_DB_RUNTIME, _DB_METRICS),
            (Cure(_SRE, ActionType.DRAIN, args=MappingProxyType({"unit": "instance"})),),
        ),
        _F.CPU_THROTTLING: _page(
            {_S.CPU_THROTTLED},
            {_S.CPU_UNTHROTTLED: -5.0, _S.IDLE_BUT_SLOW: 1.0},
            (_APP_RUNTIME, InstrumentCheck(_DEV, Source.CHANGES, _APPS)),
            (Cure(_SRE, ActionType.RAISE_LIMIT, args=MappingProxyType({"limit": "cpu"})),),
        ),
        _F.MEMORY_LEAK: _page(
            {_S.HEAP_GROWTH},
            {_S.COLLECTION_LONG: 1.0, _S.COLLECTION_SHORT: -4.0, _S.LIVE_SET_LARGE: -5.0},
            (_APP_RUNTIME, _APP_CHANGES),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="deploy",
        ),
        _F.COLLECTOR_THRASH: _page(
            {_S.LIVE_SET_LARGE},
            {_S.COLLECTION_LONG: 1.0, _S.COLLECTION_SHORT: -4.0, _S.HEAP_GROWTH: -5.0},
            (_APP_RUNTIME, _APP_CHANGES),
            (Cure(_DEV, ActionType.DISABLE_FEATURE),),
        ),
        _F.DESCRIPTOR_LIMIT: _page(
            {_S.DESCRIPTORS_AT_LIMIT},
            {_S.DESCRIPTORS_FINE: -5.0},
            (_APP_RUNTIME, _APP_LOGS),
            (Cure(_SRE, ActionType.RAISE_LIMIT, args=MappingProxyType({"limit": "connections"})),),
        ),
        _F.STRICT_PROBE: _page(
            {_S.PROBES_FAIL},
            {_S.PROBES_PASS: -5.0},
            (_APP_RUNTIME, _APP_CHANGES),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="config",
        ),
        _F.BLOCKED_CAPACITY: _page(
            {_S.REPLICAS_PENDING},
            {_S.REPLICAS_RUN: -5.0, _S.TRAFFIC_SURGE: 1.0, _S.CPU_SATURATED: 0.5},
            (_APP_RUNTIME, InstrumentCheck(_SRE, Source.METRICS, _APPS)),
            (Cure(AgentRole.MANAGER, ActionType.ESCALATE),),
        ),
        _F.AUTOSCALER_COST_CUT: _page(
            {_S.BEYOND_POLICY},
            {_S.REPLICAS_RUN: 0.3, _S.REPLICAS_PENDING: -4.0, _S.CPU_SATURATED: 0.5},
            (_AUDIT, _APP_RUNTIME),
            (
                Cure(
                    _SRE,
                    ActionType.SCALE,
                    Where.BY,
                    MappingProxyType({"replicas": _AS_MANY_AS_POLICIES_ALLOW}),
                ),
            ),
            is_automated=True,
        ),
        _F.MISROUTED_TRAFFIC: _page(
            {_S.EJECTED_BEYOND_POLICY},
            {
                _S.PROBES_PASS: 0.3,
                _S.PROBES_FAIL: -4.0,
                _S.REPLICAS_PENDING: -4.0,
                _S.CPU_SATURATED: 0.5,
            },
            (_AUDIT, _APP_RUNTIME),
            (Cure(_SRE, ActionType.RESTART, Where.BY),),
            is_automated=True,
        ),
        _F.BAD_RELEASE: _page(
            {_S.NEW_BUILD_FAILS},
            {_S.BUILDS_ALIKE: -3.0, _S.GATE_FAILED: -4.0, _S.DEPLOYED_RECENTLY: 0.5},
            (_APP_RUNTIME, _APP_CHANGES, _AUDIT),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="deploy",
        ),
        _F.ROGUE_DEPLOY_BOT: _page(
            {_S.GATE_FAILED},
            {_S.NEW_BUILD_FAILS: 2.0, _S.GATE_PASSED: -4.0, _S.BUILDS_ALIKE: -1.0},
            (_AUDIT, _APP_RUNTIME),
            (Cure(_DEV, ActionType.ROLLBACK, Where.BY),),
            is_automated=True,
            change="deploy",
        ),
        _F.BAD_CONFIG_PUSH: _page(
            {_S.CONFIG_REJECTED},
            {_S.CONFIG_UNCHANGED: -4.0, _S.NEW_BUILD_FAILS: -3.0, _S.BUILDS_ALIKE: 0.5},
            (InstrumentCheck(_DEV, Source.CONFIG, _APPS), _APP_RUNTIME, _APP_CHANGES),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="config",
        ),
        _F.LATENT_BUG: _page(
            {_S.NEW_KIND_OF_DATA},
            {_S.BUILDS_ALIKE: 0.5, _S.NEW_BUILD_FAILS: -3.0},
            (_APP_LOGS, InstrumentCheck(_SRE, Source.LOGS, _APPS), _APP_RUNTIME),
            (Cure(_DEV, ActionType.DISABLE_FEATURE),),
        ),
        _F.STALE_CREDENTIAL: _page(
            {_S.CREDENTIAL_REFUSED},
            {_S.BUILDS_ALIKE: 0.5, _S.NEW_BUILD_FAILS: -3.0},
            (_APP_LOGS, InstrumentCheck(_SRE, Source.LOGS, _APPS), _APP_RUNTIME),
            (Cure(_DEV, ActionType.ROTATE),),
        ),
        _F.ACCESS_RULE: _page(
            {_S.ACCESS_REFUSED},
            {_S.ACCESS_FINE: -4.0, _S.BUILDS_ALIKE: 0.5, _S.NEW_BUILD_FAILS: -3.0},
            (InstrumentCheck(_SRE, Source.NETWORK, _STORES), _DB_CHANGES),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="config",
        ),
    }
)
