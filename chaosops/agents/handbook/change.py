"""Causes that a change brought."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.handbook.pages import (
    APP_CHANGES,
    APP_CONFIG,
    APP_LOGS,
    APP_LOGS_OF_SRE,
    APP_RUNTIME,
    AUDIT,
    DB_CHANGES,
    DB_NETWORK,
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
        _F.BAD_RELEASE: page(
            {_S.NEW_BUILD_FAILS},
            {_S.BUILDS_ALIKE: -3.0, _S.GATE_FAILED: -4.0, _S.DEPLOYED_RECENTLY: 0.5},
            (APP_RUNTIME, APP_CHANGES, AUDIT),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="deploy",
        ),
        _F.ROGUE_DEPLOY_BOT: page(
            {_S.GATE_FAILED},
            {_S.NEW_BUILD_FAILS: 4.0, _S.GATE_PASSED: -4.0, _S.BUILDS_ALIKE: -1.0},
            (AUDIT, APP_RUNTIME),
            (Cure(_DEV, ActionType.ROLLBACK, Where.BY),),
            agent="deploy_bot",
            change="deploy",
        ),
        _F.BAD_CONFIG_PUSH: page(
            {_S.CONFIG_REJECTED},
            {_S.CONFIG_UNCHANGED: -4.0, _S.NEW_BUILD_FAILS: -3.0, _S.BUILDS_ALIKE: 0.5},
            (APP_CONFIG, APP_RUNTIME, APP_CHANGES),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="config",
        ),
        _F.LATENT_BUG: page(
            {_S.NEW_KIND_OF_DATA},
            {_S.BUILDS_ALIKE: 0.5, _S.NEW_BUILD_FAILS: -3.0},
            (APP_LOGS, APP_LOGS_OF_SRE, APP_RUNTIME),
            (Cure(_DEV, ActionType.DISABLE_FEATURE),),
        ),
        _F.DEAD_CODE_FLAG: page(
            {_S.OLD_PATH_RUNS},
            {_S.BUILDS_ALIKE: 0.2, _S.NEW_BUILD_FAILS: -3.0},
            (APP_LOGS_OF_SRE, APP_LOGS),
            (Cure(_DEV, ActionType.DISABLE_FEATURE),),
        ),
        _F.STALE_CREDENTIAL: page(
            {_S.CREDENTIAL_REFUSED},
            {_S.BUILDS_ALIKE: 0.5, _S.NEW_BUILD_FAILS: -3.0},
            (APP_LOGS, APP_LOGS_OF_SRE, APP_RUNTIME),
            (Cure(_DEV, ActionType.ROTATE),),
        ),
        _F.ACCESS_RULE: page(
            {_S.ACCESS_REFUSED},
            {_S.ACCESS_FINE: -4.0, _S.BUILDS_ALIKE: 0.5, _S.NEW_BUILD_FAILS: -3.0},
            (DB_NETWORK, DB_CHANGES),
            (Cure(_DEV, ActionType.ROLLBACK),),
            change="config",
        ),
    }
)
