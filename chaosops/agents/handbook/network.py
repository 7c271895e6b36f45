"""Pages on networks, zones and third parties."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.handbook.pages import (
    APP_CHANGES,
    APP_LOGS,
    APP_METRICS,
    APP_NETWORK,
    APP_RUNTIME,
    AUDIT,
    EXTERNAL_METRICS,
    Cure,
    Page,
    Where,
    page,
)
from chaosops.env.models import ActionType, AgentRole, FailureType, Sign

_S, _F = Sign, FailureType
_SRE, _DEV = AgentRole.SRE, AgentRole.DEV

PAGES: Final[Mapping[FailureType, Page]] = MappingProxyType(
    {
        _F.PACKET_LOSS: page(
            {_S.LOSS_BETWEEN_ZONES},
            {
                _S.ONE_ZONE_FAILS: 6.0,
                _S.ZONES_ALIKE: -0.5,
                _S.NEW_BUILD_FAILS: -4.0,
                _S.ROOM_ELSEWHERE: -6.0,
                _S.NO_ROOM_ELSEWHERE: -6.0,
            },
            (APP_NETWORK, APP_RUNTIME, APP_METRICS),
            (Cure(_SRE, ActionType.DRAIN, args=MappingProxyType({"unit": "zone"})),),
        ),
        _F.ZONE_OUTAGE: page(
            {_S.NO_ROOM_ELSEWHERE},
            {
                _S.ONE_ZONE_FAILS: 1.5,
                _S.ZONES_ALIKE: -1.0,
                _S.HOSTS_FINE: -2.0,
                _S.LOSS_BETWEEN_ZONES: -6.0,
            },
            (APP_RUNTIME, APP_METRICS, APP_NETWORK),
            (Cure(AgentRole.MANAGER, ActionType.ESCALATE),),
        ),
        _F.MISROUTED_TRAFFIC: page(
            {_S.ROUTE_ASTRAY},
            {_S.ROUTES_FIT: -4.0, _S.ONE_ZONE_FAILS: -3.0},
            (APP_RUNTIME, APP_CHANGES),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="config",
        ),
        _F.PATCH_EVERYWHERE: page(
            {_S.PATCHED_BEYOND_POLICY},
            {_S.NODES_RESTARTED_TOGETHER: 2.0, _S.ONE_ZONE_FAILS: -3.0},
            (AUDIT, APP_RUNTIME),
            (Cure(_SRE, ActionType.RESTART, Where.BY),),
            agent="patcher",
        ),
        _F.PORT_EXHAUSTION: page(
            {_S.PORTS_USED_UP},
            {_S.PORTS_FREE: -4.0, _S.PROVIDER_FAILS: -4.0, _S.PROVIDER_FINE: 0.5},
            (APP_RUNTIME, APP_LOGS),
            (Cure(_SRE, ActionType.RAISE_LIMIT, args=MappingProxyType({"limit": "connections"})),),
        ),
        _F.QUOTA_THROTTLING: page(
            {_S.PROVIDER_THROTTLES},
            {_S.PROVIDER_FAILS: 2.0, _S.PROVIDER_FINE: -5.0, _S.PROVIDER_REFUSES: -4.0},
            (APP_LOGS, EXTERNAL_METRICS),
            (Cure(AgentRole.MANAGER, ActionType.ESCALATE),),
        ),
        _F.THIRD_PARTY_DOWN: page(
            {_S.PROVIDER_REFUSES},
            {
                _S.PROVIDER_FAILS: 2.0,
                _S.PROVIDER_FINE: -5.0,
                _S.PORTS_USED_UP: -4.0,
                _S.PROVIDER_THROTTLES: -4.0,
                _S.CREDENTIAL_REFUSED: -4.0,
            },
            (APP_LOGS, EXTERNAL_METRICS),
            (Cure(_DEV, ActionType.DISABLE_FEATURE),),
        ),
    }
)

WITH_ROOM: Final[Mapping[FailureType, Page]] = MappingProxyType(
    {
        _F.ZONE_OUTAGE: page(
            {_S.ROOM_ELSEWHERE},
            {
                _S.ONE_ZONE_FAILS: 1.5,
                _S.ZONES_ALIKE: -1.0,
                _S.HOSTS_FINE: -2.0,
                _S.LOSS_BETWEEN_ZONES: -6.0,
            },
            (APP_RUNTIME, APP_METRICS, APP_NETWORK),
            (Cure(_SRE, ActionType.DRAIN, args=MappingProxyType({"unit": "zone"})),),
        ),
    }
)
"""The other form of an outage of a zone: the other zones have room."""
