"""Causes of instances that serve less than they should."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.handbook.pages import (
    APP_CHANGES,
    APP_LOGS,
    APP_METRICS,
    APP_RUNTIME,
    AUDIT,
    Cure,
    Page,
    Where,
    page,
)
from chaosops.env.models import ActionType, AgentRole, FailureType, Sign

_SRE, _DEV = AgentRole.SRE, AgentRole.DEV
_S, _F = Sign, FailureType

_AS_MANY_AS_POLICIES_ALLOW: Final = 6

PAGES: Final[Mapping[FailureType, Page]] = MappingProxyType(
    {
        _F.CPU_THROTTLING: page(
            {_S.CPU_THROTTLED},
            {_S.CPU_UNTHROTTLED: -5.0, _S.IDLE_BUT_SLOW: 1.0},
            (APP_RUNTIME, APP_CHANGES),
            (Cure(_SRE, ActionType.RAISE_LIMIT, args=MappingProxyType({"limit": "cpu"})),),
        ),
        _F.MEMORY_LEAK: page(
            {_S.HEAP_GROWTH},
            {_S.COLLECTION_LONG: 1.0, _S.COLLECTION_SHORT: -4.0, _S.LIVE_SET_LARGE: -5.0},
            (APP_RUNTIME, APP_CHANGES),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="deploy",
        ),
        _F.COLLECTOR_THRASH: page(
            {_S.LIVE_SET_LARGE},
            {_S.COLLECTION_LONG: 1.0, _S.COLLECTION_SHORT: -4.0, _S.HEAP_GROWTH: -5.0},
            (APP_RUNTIME, APP_CHANGES),
            (Cure(_DEV, ActionType.DISABLE_FEATURE),),
        ),
        _F.DESCRIPTOR_LIMIT: page(
            {_S.DESCRIPTORS_AT_LIMIT},
            {_S.DESCRIPTORS_FINE: -5.0},
            (APP_RUNTIME, APP_LOGS),
            (Cure(_SRE, ActionType.RAISE_LIMIT, args=MappingProxyType({"limit": "connections"})),),
        ),
        _F.THREAD_LIMIT: page(
            {_S.THREADS_AT_LIMIT},
            {_S.THREADS_FINE: -5.0},
            (APP_RUNTIME,),
            (Cure(_SRE, ActionType.RAISE_LIMIT, args=MappingProxyType({"limit": "threads"})),),
        ),
        _F.STRICT_PROBE: page(
            {_S.PROBES_FAIL},
            {_S.PROBES_PASS: -5.0},
            (APP_RUNTIME, APP_CHANGES),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="config",
        ),
        _F.BLOCKED_CAPACITY: page(
            {_S.REPLICAS_PENDING},
            {_S.REPLICAS_RUN: -5.0, _S.TRAFFIC_SURGE: 1.0, _S.CPU_SATURATED: 0.5},
            (APP_RUNTIME, APP_METRICS),
            (Cure(AgentRole.MANAGER, ActionType.ESCALATE),),
        ),
        _F.AUTOSCALER_COST_CUT: page(
            {_S.BEYOND_POLICY},
            {_S.REPLICAS_RUN: 0.3, _S.REPLICAS_PENDING: -4.0, _S.CPU_SATURATED: 0.5},
            (AUDIT, APP_RUNTIME),
            (
                Cure(
                    _SRE,
                    ActionType.SCALE,
                    Where.BY,
                    MappingProxyType({"replicas": _AS_MANY_AS_POLICIES_ALLOW}),
                ),
            ),
            agent="autoscaler",
        ),
        _F.UNAPPROVED_AI_CHANGE: page(
            {_S.RESTARTED_BEYOND_GRANT},
            {_S.PROBES_FAIL: -4.0, _S.REPLICAS_PENDING: -4.0},
            (AUDIT,),
            (Cure(_SRE, ActionType.RESTART, Where.BY),),
            agent="ops_agent",
        ),
        _F.MISROUTED_TRAFFIC: page(
            {_S.EJECTED_BEYOND_POLICY},
            {
                _S.PROBES_PASS: 0.3,
                _S.PROBES_FAIL: -4.0,
                _S.REPLICAS_PENDING: -4.0,
                _S.CPU_SATURATED: 0.5,
            },
            (AUDIT, APP_RUNTIME),
            (Cure(_SRE, ActionType.RESTART, Where.BY),),
            agent="health_checker",
        ),
    }
)
