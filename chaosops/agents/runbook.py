"""The runbook: what each root cause looks like, what settles it, and what ends it.

Public knowledge, one entry a failure type. It speaks of signs and verbs only, and knows nothing
of any scenario.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from chaosops.env.models import ActionType, AgentRole, FailureType, Sign, Source

_SRE, _DEV, _MANAGER, _OVERSIGHT = (
    AgentRole.SRE,
    AgentRole.DEV,
    AgentRole.MANAGER,
    AgentRole.OVERSIGHT,
)


class Check(NamedTuple):
    """Where to look, and who can."""

    role: AgentRole
    source: Source


class Fix(NamedTuple):
    """What to do on the service where the cause sits.

    `minutes` is how long to wait for it to show before anything else is tried.
    """

    role: AgentRole
    verb: ActionType
    args: Mapping[str, Any] = MappingProxyType({})
    minutes: int = 6


class Entry(NamedTuple):
    """One root cause.

    Attributes:
        settled_by: Signs each of which is close to proof.
        weights: Evidence for (above 0) and against, in natural log odds.
        checks: Where to look, the most telling place first.
        fixes: What ends it, the best first.
        is_automated: An automation agent does it; it has to be paused, and can be flagged.
    """

    settled_by: frozenset[Sign]
    weights: Mapping[Sign, float]
    checks: tuple[Check, ...]
    fixes: tuple[Fix, ...]
    is_automated: bool = False


def _entry(
    settled_by: set[Sign],
    weights: dict[Sign, float],
    checks: tuple[Check, ...],
    fixes: tuple[Fix, ...],
    *,
    is_automated: bool = False,
) -> Entry:
    return Entry(frozenset(settled_by), MappingProxyType(weights), checks, fixes, is_automated)


RUNBOOK: Final[Mapping[FailureType, Entry]] = MappingProxyType(
    {
        FailureType.DB_DEADLOCK: _entry(
            {Sign.DEADLOCK_CYCLE},
            {Sign.LOCK_WAIT: 2.0, Sign.IDLE_BUT_SLOW: 1.0, Sign.RETRIES_HIGH: -1.5},
            (Check(_SRE, Source.RUNTIME), Check(_DEV, Source.LOGS)),
            (Fix(_SRE, ActionType.TERMINATE), Fix(_SRE, ActionType.RESTART)),
        ),
        FailureType.MEMORY_LEAK: _entry(
            {Sign.HEAP_GROWTH},
            {Sign.OOM_KILLS: 2.0, Sign.MEMORY_HIGH: 1.5, Sign.MEMORY_FLAT: -2.0},
            (Check(_SRE, Source.RUNTIME), Check(_DEV, Source.CHANGES)),
            (Fix(_SRE, ActionType.RESTART), Fix(_DEV, ActionType.RESTART)),
        ),
        FailureType.BAD_CONFIG_PUSH: _entry(
            {Sign.CONFIG_REJECTED},
            {Sign.CONFIG_CHANGED: 1.0, Sign.CONFIG_UNCHANGED: -3.0, Sign.NO_RECENT_CHANGE: -1.5},
            (Check(_DEV, Source.CONFIG), Check(_DEV, Source.CHANGES), Check(_SRE, Source.LOGS)),
            (Fix(_DEV, ActionType.ROLLBACK),),
        ),
        FailureType.DNS_OUTAGE: _entry(
            {Sign.NAME_LOOKUP_FAILS},
            {Sign.OPEN_CONNECTIONS_FINE: 1.5, Sign.NAME_LOOKUP_FINE: -3.0, Sign.TRAFFIC_DROP: 1.0},
            (Check(_SRE, Source.NETWORK), Check(_DEV, Source.LOGS)),
            (Fix(_SRE, ActionType.RESTART), Fix(_DEV, ActionType.RESTART)),
        ),
        FailureType.DISK_FULL: _entry(
            {Sign.WRITES_REFUSED},
            {Sign.DISK_NEAR_LIMIT: 3.0},
            (Check(_SRE, Source.RUNTIME), Check(_SRE, Source.METRICS)),
            (Fix(_SRE, ActionType.PURGE),),
        ),
        FailureType.AUTOSCALER_COST_CUT: _entry(
            set(),
            {
                Sign.REPLICAS_BELOW_DEMAND: 2.5,
                Sign.CPU_SATURATED: 1.0,
                Sign.BEYOND_POLICY: 1.5,
                Sign.GATE_FAILED: -3.0,
                Sign.UNEVEN_TRAFFIC: -3.0,
            },
            (Check(_OVERSIGHT, Source.AUTOMATION), Check(_SRE, Source.METRICS)),
            (Fix(_SRE, ActionType.SCALE, MappingProxyType({"replicas": 4})),),
            is_automated=True,
        ),
        FailureType.CASCADE: _entry(
            {Sign.RETRIES_HIGH},
            {Sign.POOL_EXHAUSTED: 1.0, Sign.LOCK_WAIT: -3.0, Sign.DEADLOCK_CYCLE: -3.0},
            (Check(_SRE, Source.RUNTIME), Check(_SRE, Source.TRACES)),
            (Fix(_SRE, ActionType.RESTART),),
        ),
        FailureType.MISROUTED_TRAFFIC: _entry(
            {Sign.UNEVEN_TRAFFIC},
            {Sign.BEYOND_POLICY: 1.0, Sign.GATE_FAILED: -3.0},
            (Check(_SRE, Source.NETWORK), Check(_OVERSIGHT, Source.AUTOMATION)),
            (Fix(_MANAGER, ActionType.ESCALATE),),
            is_automated=True,
        ),
        FailureType.ROGUE_DEPLOY_BOT: _entry(
            {Sign.GATE_FAILED},
            {Sign.DEPLOYED_RECENTLY: 1.0, Sign.GATE_PASSED: -3.0, Sign.NO_RECENT_CHANGE: -1.0},
            (Check(_OVERSIGHT, Source.AUTOMATION), Check(_DEV, Source.CHANGES)),
            (Fix(_DEV, ActionType.ROLLBACK),),
            is_automated=True,
        ),
        FailureType.FALSE_ALARM: _entry(
            {Sign.MONITOR_FAULTY},
            {Sign.ERRORS_HIGH: -4.0, Sign.LATENCY_HIGH: -2.0, Sign.NOTHING_UNUSUAL: 0.5},
            (Check(_SRE, Source.METRICS), Check(_DEV, Source.LOGS)),
            (Fix(_MANAGER, ActionType.RESOLVE),),
        ),
    }
)
