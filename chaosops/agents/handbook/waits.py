"""Causes of a database whose queries wait."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.handbook.pages import (
    APP_CHANGES,
    APP_LOGS,
    APP_RUNTIME,
    DB_CHANGES,
    DB_LOGS,
    DB_METRICS,
    DB_RUNTIME,
    Cure,
    Page,
    Where,
    page,
)
from chaosops.env.models import ActionType, AgentRole, FailureType, Sign

_SRE, _DEV = AgentRole.SRE, AgentRole.DEV
_S, _F = Sign, FailureType

PAGES: Final[Mapping[FailureType, Page]] = MappingProxyType(
    {
        _F.ROW_LOCK: page(
            {_S.LOCK_HOLDER_IDLE},
            {_S.LOCK_WAIT: 1.5, _S.NOBODY_WAITS: -4.0, _S.SCHEMA_CHANGE_WAITS: -4.0},
            (DB_RUNTIME, DB_LOGS, DB_METRICS),
            (Cure(_SRE, ActionType.TERMINATE),),
        ),
        _F.DB_DEADLOCK: page(
            {_S.DEADLOCK_CYCLE},
            {_S.LOCK_WAIT: 0.5, _S.NOBODY_WAITS: -3.0, _S.LOCK_HOLDER_IDLE: -4.0},
            (DB_RUNTIME, DB_LOGS, APP_CHANGES),
            (Cure(_DEV, ActionType.DISABLE_FEATURE, Where.BY),),
        ),
        _F.MIGRATION_LOCK: page(
            {_S.SCHEMA_CHANGE_WAITS},
            {_S.LOCK_WAIT: 1.5, _S.NOBODY_WAITS: -4.0, _S.LOCK_HOLDER_IDLE: -4.0},
            (DB_RUNTIME, DB_CHANGES, DB_METRICS),
            (Cure(_SRE, ActionType.TERMINATE),),
        ),
        _F.POOL_EXHAUSTED: page(
            {_S.CONNECTIONS_HELD},
            {
                _S.IDLE_IN_TRANSACTION: 3.0,
                _S.POOL_EXHAUSTED: 1.0,
                _S.NOBODY_WAITS: 0.5,
                _S.LOCK_WAIT: -3.0,
                _S.DEVICE_SLOW: -2.0,
            },
            (APP_RUNTIME, APP_LOGS, DB_RUNTIME),
            (Cure(_DEV, ActionType.ROLLBACK, Where.BY),),
            change="deploy",
        ),
        _F.SLOW_DISK: page(
            {_S.DEVICE_SLOW},
            {_S.DEVICE_FINE: -5.0, _S.LOCK_WAIT: -1.0, _S.ONE_QUERY_SLOW: -4.0},
            (DB_RUNTIME, DB_METRICS),
            (Cure(_SRE, ActionType.FAILOVER),),
        ),
        _F.PLAN_FLIP: page(
            {_S.ONE_QUERY_SLOW},
            {_S.QUERIES_EVEN: -4.0, _S.NOBODY_WAITS: 0.3},
            (DB_RUNTIME, DB_LOGS),
            (Cure(_DEV, ActionType.ROLLBACK),),
        ),
        _F.HOT_SHARD: page(
            {_S.SHARD_SKEW},
            {_S.SHARDS_EVEN: -4.0, _S.NOBODY_WAITS: 0.2},
            (DB_RUNTIME, DB_METRICS),
            (Cure(_SRE, ActionType.DRAIN, args=MappingProxyType({"unit": "instance"})),),
        ),
        _F.CASCADE: page(
            {_S.CLIENTS_GONE},
            {_S.CLIENTS_THERE: -5.0, _S.NOBODY_WAITS: 0.2},
            (DB_RUNTIME,),
            (Cure(_SRE, ActionType.DRAIN, Where.BY, MappingProxyType({"unit": "instance"})),),
        ),
    }
)
