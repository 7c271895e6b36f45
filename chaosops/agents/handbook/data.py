"""Causes of data that are late, wrong or missing."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.handbook.pages import (
    APP_LOGS,
    APP_RUNTIME,
    AUDIT,
    CACHE_RUNTIME,
    DB_CHANGES,
    DB_RUNTIME,
    Cure,
    Page,
    Where,
    page,
)
from chaosops.env.models import ActionType, AgentRole, FailureType, Sign

_SRE, _DEV, _MANAGER = AgentRole.SRE, AgentRole.DEV, AgentRole.MANAGER
_S, _F = Sign, FailureType

PAGES: Final[Mapping[FailureType, Page]] = MappingProxyType(
    {
        _F.LOST_LEADER: page(
            {_S.PRIMARY_MISSING},
            {_S.COPIES_CURRENT: 0.3, _S.COPIES_BEHIND: -4.0, _S.ONE_WRITER: -4.0},
            (DB_RUNTIME, APP_LOGS),
            (Cure(_SRE, ActionType.FAILOVER),),
        ),
        _F.REPLICA_LAG: page(
            {_S.COPIES_BEHIND},
            {_S.COPIES_CURRENT: -4.0},
            (DB_RUNTIME, DB_CHANGES),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="migration",
        ),
        _F.TWO_WRITERS: page(
            {_S.TWO_WRITERS},
            {_S.ONE_WRITER: -4.0},
            (DB_RUNTIME, APP_LOGS),
            (Cure(_SRE, ActionType.DRAIN, args=MappingProxyType({"unit": "instance"})),),
        ),
        _F.ID_EXHAUSTION: page(
            {_S.ID_OUT_OF_RANGE},
            {_S.IDS_LEFT: -4.0},
            (DB_RUNTIME, APP_LOGS),
            (Cure(_DEV, ActionType.DISABLE_FEATURE, Where.BY),),
        ),
        _F.DISK_FULL: page(
            {_S.DISK_NEAR_LIMIT},
            {_S.SPACE_LEFT: -5.0},
            (DB_RUNTIME,),
            (Cure(_SRE, ActionType.PURGE),),
        ),
        _F.STALE_CACHE: page(
            {_S.CACHE_NOT_INVALIDATED},
            {_S.CACHE_INVALIDATED: -5.0, _S.IDS_LEFT: 0.5, _S.OBJECTS_THERE: 0.5},
            (CACHE_RUNTIME, APP_LOGS),
            (Cure(_SRE, ActionType.RESTART, Where.BY),),
        ),
        _F.CLEANUP_OVERREACH: page(
            {_S.LIVE_DATA_DELETED},
            {_S.OBJECTS_MISSING: 3.0, _S.OBJECTS_THERE: -5.0},
            (AUDIT, APP_RUNTIME),
            (Cure(_MANAGER, ActionType.ESCALATE, Where.BY),),
            agent="cleanup_job",
        ),
    }
)
