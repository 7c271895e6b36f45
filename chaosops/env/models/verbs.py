"""Verbs: who may use which, on what, with which arguments, and how long each is in flight."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.env.models.actions import ActionType
from chaosops.env.models.failures import FailureType
from chaosops.env.models.observation import ArgumentChoice
from chaosops.env.models.roles import TURN_ORDER, AgentRole
from chaosops.env.models.signals import ServiceKind
from chaosops.env.models.sources import Source
from chaosops.env.models.topology import Topology

ROLE_VERBS: Final[Mapping[AgentRole, tuple[ActionType, ...]]] = MappingProxyType(
    {
        AgentRole.SRE: (
            ActionType.INVESTIGATE,
            ActionType.COMMUNICATE,
            ActionType.RESTART,
            ActionType.SCALE,
            ActionType.FAILOVER,
            ActionType.DRAIN,
            ActionType.SHED_LOAD,
            ActionType.PURGE,
            ActionType.RAISE_LIMIT,
            ActionType.TERMINATE,
            ActionType.DIAGNOSE,
            ActionType.NOOP,
        ),
        AgentRole.OVERSIGHT: (
            ActionType.INVESTIGATE,
            ActionType.COMMUNICATE,
            ActionType.PAUSE,
            ActionType.RESUME,
            ActionType.FLAG,
            ActionType.NOOP,
        ),
        AgentRole.DEV: (
            ActionType.INVESTIGATE,
            ActionType.COMMUNICATE,
            ActionType.ROLLBACK,
            ActionType.DISABLE_FEATURE,
            ActionType.RESTART,
            ActionType.TERMINATE,
            ActionType.ROTATE,
            ActionType.DIAGNOSE,
            ActionType.NOOP,
        ),
        AgentRole.MANAGER: (
            ActionType.ASSIGN,
            ActionType.COMMUNICATE,
            ActionType.ESCALATE,
            ActionType.DIAGNOSE,
            ActionType.RESOLVE,
            ActionType.NOOP,
        ),
    }
)
"""What each role may do, in the order a picker shows it."""

ROLE_SOURCES: Final[Mapping[AgentRole, tuple[Source, ...]]] = MappingProxyType(
    {
        AgentRole.SRE: (
            Source.METRICS,
            Source.LOGS,
            Source.TRACES,
            Source.RUNTIME,
            Source.NETWORK,
        ),
        AgentRole.OVERSIGHT: (Source.AUTOMATION,),
        AgentRole.DEV: (Source.CHANGES, Source.CONFIG, Source.LOGS, Source.TRACES),
        AgentRole.MANAGER: (),
    }
)
"""Where each role can look."""

_ANY_OWN = frozenset(
    {ServiceKind.EDGE, ServiceKind.APP, ServiceKind.CACHE, ServiceKind.QUEUE, ServiceKind.DATABASE}
)
KINDS: Final[Mapping[ActionType, frozenset[ServiceKind]]] = MappingProxyType(
    {
        ActionType.RESTART: _ANY_OWN,
        ActionType.SCALE: _ANY_OWN,
        ActionType.FAILOVER: frozenset(
            {ServiceKind.CACHE, ServiceKind.QUEUE, ServiceKind.DATABASE}
        ),
        ActionType.DRAIN: frozenset(
            {ServiceKind.EDGE, ServiceKind.APP, ServiceKind.QUEUE, ServiceKind.DATABASE}
        ),
        ActionType.PURGE: frozenset({ServiceKind.CACHE, ServiceKind.QUEUE, ServiceKind.DATABASE}),
        ActionType.RAISE_LIMIT: frozenset({ServiceKind.APP, ServiceKind.DATABASE}),
        ActionType.TERMINATE: frozenset({ServiceKind.APP, ServiceKind.QUEUE, ServiceKind.DATABASE}),
        ActionType.ROLLBACK: frozenset({ServiceKind.EDGE, ServiceKind.APP, ServiceKind.DATABASE}),
        ActionType.DISABLE_FEATURE: frozenset({ServiceKind.APP}),
        ActionType.ROTATE: frozenset({ServiceKind.EDGE, ServiceKind.APP}),
        ActionType.ESCALATE: _ANY_OWN | {ServiceKind.EXTERNAL},
    }
)
"""The kinds of service that a verb works on."""

FIXES: Final = frozenset(KINDS) - {ActionType.ESCALATE} | {ActionType.SHED_LOAD}
"""The verbs that change the world, and can therefore be wrong."""

AGENT_VERBS: Final = frozenset({ActionType.PAUSE, ActionType.RESUME, ActionType.FLAG})
"""The verbs that are used on automation agents."""

ALL_CAUSES: Final = tuple(cause.value for cause in FailureType)
"""What a diagnosis can name."""

_SECOND_EDITION: Final = frozenset(
    {
        FailureType.ROW_LOCK,
        FailureType.SLOW_DISK,
        FailureType.PLAN_FLIP,
        FailureType.COLLECTOR_THRASH,
        FailureType.DESCRIPTOR_LIMIT,
        FailureType.STRICT_PROBE,
        FailureType.BAD_RELEASE,
        FailureType.STALE_CREDENTIAL,
        FailureType.ACCESS_RULE,
    }
)

FIRST_EDITION_CAUSES: Final = tuple(
    cause.value for cause in FailureType if cause not in _SECOND_EDITION
)
"""What a diagnosis can name in an incident of the first edition."""

ARGUMENTS: Final[Mapping[ActionType, tuple[ArgumentChoice, ...]]] = MappingProxyType(
    {
        ActionType.SCALE: (ArgumentChoice("replicas", (1, 2, 3, 4, 5, 6, 8, 10, 12), True),),
        ActionType.SHED_LOAD: (ArgumentChoice("percent", (0, 10, 25, 50, 75), True),),
        ActionType.DRAIN: (ArgumentChoice("unit", ("instance", "zone"), False),),
        ActionType.RAISE_LIMIT: (
            ArgumentChoice("limit", ("memory", "connections", "cpu", "threads"), True),
        ),
        ActionType.DIAGNOSE: (ArgumentChoice("cause", FIRST_EDITION_CAUSES, True),),
        ActionType.ASSIGN: (ArgumentChoice("proposal", (), True),),
    }
)
"""What a verb takes, where it takes the same from every role."""

_MINUTES: Final[Mapping[ActionType, int]] = MappingProxyType(
    {
        ActionType.RESTART: 1,
        ActionType.SCALE: 2,
        ActionType.FAILOVER: 5,
        ActionType.DRAIN: 2,
        ActionType.SHED_LOAD: 1,
        ActionType.PURGE: 1,
        ActionType.RAISE_LIMIT: 1,
        ActionType.TERMINATE: 1,
        ActionType.ROLLBACK: 3,
        ActionType.DISABLE_FEATURE: 1,
        ActionType.ROTATE: 2,
        ActionType.ESCALATE: 4,
    }
)


def roles_with(verb: ActionType) -> tuple[AgentRole, ...]:
    """The roles that may use a verb, in the order of their turns."""
    return tuple(role for role in TURN_ORDER if verb in ROLE_VERBS[role])


def roles_looking_at(source: Source) -> tuple[AgentRole, ...]:
    """The roles that can look there, in the order of their turns."""
    return tuple(role for role in TURN_ORDER if source in ROLE_SOURCES[role])


def services_for(verb: ActionType, topology: Topology) -> tuple[str, ...]:
    """The services that a verb works on, in the file's order."""
    if verb is ActionType.SHED_LOAD:
        return tuple(entry.service for entry in topology.entries)
    kinds = KINDS.get(verb, frozenset())
    return tuple(service.name for service in topology.services if service.kind in kinds)


def minutes_in_flight(topology: Topology, verb: ActionType, kind: ServiceKind) -> int:
    """Minutes from taking an action to its landing, 0 for one that acts at once."""
    return topology.minutes_in_flight.get(kind, {}).get(verb, _MINUTES.get(verb, 0))
