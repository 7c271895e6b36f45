"""Causes of messages that wait."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.handbook.pages import QUEUE_RUNTIME, Cure, Page, Where, page
from chaosops.env.models import ActionType, AgentRole, FailureType, Sign

_SRE, _DEV = AgentRole.SRE, AgentRole.DEV
_S, _F = Sign, FailureType

PAGES: Final[Mapping[FailureType, Page]] = MappingProxyType(
    {
        _F.POISON_MESSAGE: page(
            {_S.SAME_MESSAGE_FAILS},
            {_S.GROUP_REBALANCES: -4.0, _S.PARTITION_SKEW: -1.0},
            (QUEUE_RUNTIME,),
            (Cure(_SRE, ActionType.TERMINATE),),
        ),
        _F.HOT_PARTITION: page(
            {_S.PARTITION_SKEW},
            {_S.PARTITIONS_EVEN: -5.0, _S.SAME_MESSAGE_FAILS: -8.0},
            (QUEUE_RUNTIME,),
            (Cure(_DEV, ActionType.ROLLBACK, Where.BY),),
            change="config",
        ),
        _F.REBALANCE_LOOP: page(
            {_S.GROUP_REBALANCES},
            {_S.GROUP_STABLE: -5.0},
            (QUEUE_RUNTIME,),
            (Cure(_DEV, ActionType.ROLLBACK, Where.BY),),
            change="config",
        ),
        _F.SLOW_CONSUMER: page(
            {_S.MESSAGES_SLOW},
            {_S.MESSAGES_FAST: -5.0, _S.GROUP_REBALANCES: -4.0},
            (QUEUE_RUNTIME,),
            (Cure(_DEV, ActionType.DISABLE_FEATURE, Where.BY),),
        ),
    }
)
