"""Causes for which nobody gets through to a service: names, certificates and clocks."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.handbook.pages import (
    APP_CHANGES,
    APP_NETWORK,
    AUDIT,
    Cure,
    Page,
    Where,
    page,
)
from chaosops.env.models import ActionType, AgentRole, FailureType, Sign

_SRE, _DEV = AgentRole.SRE, AgentRole.DEV
_S, _F = Sign, FailureType
_ONE: Final = MappingProxyType({"unit": "instance"})
_UNREACHED: Final = MappingProxyType({_S.CALLS_DO_NOT_ARRIVE: 2.5, _S.CALLS_ARRIVE: -4.5})

PAGES: Final[Mapping[FailureType, Page]] = MappingProxyType(
    {
        _F.DNS_OUTAGE: page(
            {_S.NAME_LOOKUP_FAILS},
            {**_UNREACHED, _S.NAME_LOOKUP_FINE: -4.0, _S.RECORD_EMPTY: -4.0, _S.PLAN_STALE: -4.0},
            (APP_NETWORK,),
            (Cure(_SRE, ActionType.RESTART),),
        ),
        _F.STALE_DNS_PLAN: page(
            {_S.PLAN_STALE, _S.PLAN_BEYOND_POLICY},
            {**_UNREACHED, _S.NAME_LOOKUP_FINE: -4.0, _S.RECORD_EMPTY: -4.0},
            (AUDIT, APP_NETWORK),
            (Cure(AgentRole.MANAGER, ActionType.ESCALATE, Where.BY),),
            agent="dns_automation",
        ),
        _F.EXPIRED_CERTIFICATE: page(
            {_S.CERTIFICATE_EXPIRED},
            {**_UNREACHED, _S.CERTIFICATE_VALID: -4.0, _S.OLD_CERTIFICATE_SERVED: -4.0},
            (APP_NETWORK,),
            (Cure(_DEV, ActionType.ROTATE),),
        ),
        _F.UNFINISHED_RENEWAL: page(
            {_S.OLD_CERTIFICATE_SERVED, _S.RENEWED_BEYOND_POLICY},
            {**_UNREACHED, _S.CERTIFICATE_VALID: -4.0, _S.CERTIFICATE_EXPIRED: -4.0},
            (AUDIT, APP_NETWORK),
            (Cure(_SRE, ActionType.RESTART, Where.BY),),
            agent="certificate_renewer",
        ),
        _F.CLOCK_ERROR: page(
            {_S.CLOCK_OFF},
            {**_UNREACHED, _S.CLOCKS_AGREE: -4.0},
            (APP_NETWORK,),
            (Cure(_SRE, ActionType.DRAIN, args=_ONE),),
        ),
    }
)

RECORDS: Final[Mapping[FailureType, Page]] = MappingProxyType(
    {
        _F.DNS_OUTAGE: page(
            {_S.RECORD_EMPTY},
            {
                **_UNREACHED,
                _S.NAME_LOOKUP_FINE: -4.0,
                _S.NAME_LOOKUP_FAILS: -4.0,
                _S.PLAN_STALE: -4.0,
            },
            (APP_NETWORK, APP_CHANGES),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="config",
        ),
    }
)
"""The other form of an outage of DNS: every resolver answers, and the record has no address."""
