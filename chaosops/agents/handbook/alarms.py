"""Alarms without an outage, in the two forms that they take."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.handbook.pages import APP_NETWORK, Cure, Page, page
from chaosops.env.models import ActionType, AgentRole, FailureType, Sign

_DEV = AgentRole.DEV
_S, _F = Sign, FailureType

CHECKS: Final[Mapping[FailureType, Page]] = MappingProxyType(
    {
        _F.FALSE_ALARM: page(
            {_S.CHECK_REFUSED},
            {_S.CHECKS_FAIL: -1.0, _S.FIGURES_LATE: -2.0, _S.NEW_BUILD_FAILS: -4.0},
            (APP_NETWORK,),
            (Cure(_DEV, ActionType.ROTATE),),
        ),
    }
)
"""A check that fails by itself."""

THRESHOLDS: Final[Mapping[FailureType, Page]] = MappingProxyType(
    {
        _F.FALSE_ALARM: page(
            {_S.FEW_COUNTED},
            {_S.CHECKS_FAIL: -1.0, _S.FIGURES_LATE: -2.0, _S.NEW_BUILD_FAILS: -4.0},
            (APP_NETWORK,),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="config",
        ),
    }
)
"""A rule that rests on a few requests."""
