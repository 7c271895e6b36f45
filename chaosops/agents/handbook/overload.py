"""Causes of applications that are asked for more than they can serve."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.handbook.pages import (
    APP_RUNTIME,
    CACHE_RUNTIME,
    Cure,
    Page,
    Where,
    page,
)
from chaosops.env.models import ActionType, AgentRole, FailureType, Sign

_SRE, _DEV = AgentRole.SRE, AgentRole.DEV
_S, _F = Sign, FailureType

_FOR_A_CROWD: Final = 8

PAGES: Final[Mapping[FailureType, Page]] = MappingProxyType(
    {
        _F.RETRY_STORM: page(
            {_S.RETRIES_HIGH},
            {_S.RETRIES_FEW: -5.0, _S.AS_MANY_PEOPLE: 0.3},
            (APP_RUNTIME,),
            (Cure(_DEV, ActionType.ROLLBACK, Where.BY),),
            change="config",
        ),
        _F.RECONNECT_HERD: page(
            {_S.NEW_CONNECTIONS_SURGE},
            {_S.CONNECTIONS_LAST: -5.0, _S.CPU_SATURATED: 0.3},
            (APP_RUNTIME,),
            (Cure(_SRE, ActionType.RAISE_LIMIT, args=MappingProxyType({"limit": "connections"})),),
        ),
        _F.HOSTILE_TRAFFIC: page(
            {_S.FEW_NETWORKS},
            {_S.NETWORKS_ALIKE: -5.0, _S.TRAFFIC_SURGE: 0.5},
            (APP_RUNTIME,),
            (Cure(AgentRole.MANAGER, ActionType.ESCALATE),),
        ),
        _F.TRAFFIC_SURGE: page(
            {_S.MORE_PEOPLE},
            {_S.AS_MANY_PEOPLE: -5.0, _S.FEW_NETWORKS: -4.0, _S.TRAFFIC_SURGE: 0.5},
            (APP_RUNTIME,),
            (Cure(_SRE, ActionType.SCALE, args=MappingProxyType({"replicas": _FOR_A_CROWD})),),
        ),
        _F.HOT_CODE_PATH: page(
            {_S.ONE_RULE_HOT},
            {_S.ROUTES_EVEN: -5.0, _S.CPU_SATURATED: 0.3},
            (APP_RUNTIME,),
            (Cure(_DEV, ActionType.DISABLE_FEATURE),),
        ),
        _F.QUOTA_THROTTLING: page(
            {_S.ONE_NOISY_CALLER},
            {_S.KEYS_EVEN: -5.0},
            (APP_RUNTIME,),
            (Cure(_SRE, ActionType.TERMINATE),),
        ),
        _F.COLD_CACHE: page(
            {_S.CACHE_NODES_REPLACED},
            {_S.CACHE_WARM: -5.0, _S.HIT_RATE_LOW: 3.0, _S.POOL_EXHAUSTED: 0.5},
            (CACHE_RUNTIME,),
            (Cure(AgentRole.MANAGER, ActionType.ESCALATE),),
        ),
    }
)
