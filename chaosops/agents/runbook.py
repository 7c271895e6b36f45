"""The runbook: what each root cause looks like, what proves it, and what fixes it.

It is public knowledge, with one entry per failure type. It only refers to signs and verbs, not to
any scenario.
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
    """Where to look for a cause, and who can."""

    role: AgentRole
    source: Source


class Fix(NamedTuple):
    """What to do at the service with the cause.

    `minutes` is how long to wait for its effect before trying anything else.
    """

    role: AgentRole
    verb: ActionType
    args: Mapping[str, Any] = MappingProxyType({})
    minutes: int = 6


class RunbookEntry(NamedTuple):
    """One root cause.

    Attributes:
        settled_by: Signs each of which is close to proof.
        weights: Evidence for (above 0) and against, in natural log odds.
        checks: Where to look, the most informative place first.
        fixes: What fixes it, the best first.
        is_automated: Whether an automation agent causes it, which has to be paused and flagged.
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
) -> RunbookEntry:
    return RunbookEntry(
        frozenset(settled_by), MappingProxyType(weights), checks, fixes, is_automated
    )


_RUNTIME = Check(_SRE, Source.RUNTIME)
_METRICS = Check(_SRE, Source.METRICS)
_NETWORK = Check(_SRE, Source.NETWORK)
_SRE_LOGS = Check(_SRE, Source.LOGS)
_TRACES = Check(_SRE, Source.TRACES)
_CHANGES = Check(_DEV, Source.CHANGES)
_CONFIG = Check(_DEV, Source.CONFIG)
_DEV_LOGS = Check(_DEV, Source.LOGS)
_DEV_TRACES = Check(_DEV, Source.TRACES)
_AUDIT = Check(_OVERSIGHT, Source.AUTOMATION)

_S, _F = Sign, FailureType
_RESTART = Fix(_SRE, ActionType.RESTART)
_ROLLBACK = Fix(_DEV, ActionType.ROLLBACK)
_ZONE = MappingProxyType({"unit": "zone"})

RUNBOOK: Final[Mapping[FailureType, RunbookEntry]] = MappingProxyType(
    {
        _F.BAD_CONFIG_PUSH: _entry(
            {_S.CONFIG_REJECTED},
            {_S.CONFIG_CHANGED: 1.0, _S.CONFIG_UNCHANGED: -3.0, _S.NO_RECENT_CHANGE: -1.5},
            (_RUNTIME, _CONFIG, _CHANGES),
            (_ROLLBACK,),
        ),
        _F.LATENT_BUG: _entry(
            {_S.NEW_KIND_OF_DATA},
            {_S.CRASH_LOOP: 2.0, _S.NO_RECENT_CHANGE: 0.5, _S.DEPLOYED_RECENTLY: -1.5},
            (_DEV_LOGS, _CHANGES, _SRE_LOGS),
            (Fix(_DEV, ActionType.DISABLE_FEATURE),),
        ),
        _F.DEAD_CODE_FLAG: _entry(
            {_S.MIXED_VERSIONS},
            {_S.FLAG_SWITCHED: 2.0, _S.FIGURES_WRONG: 1.5, _S.CONFIG_UNCHANGED: -2.0},
            (_RUNTIME, _CONFIG, _CHANGES),
            (Fix(_DEV, ActionType.DISABLE_FEATURE), Fix(_SRE, ActionType.DRAIN)),
        ),
        _F.MIGRATION_LOCK: _entry(
            {_S.SCHEMA_CHANGE_WAITS},
            {_S.LOCK_WAIT: 1.5, _S.IDLE_BUT_SLOW: 0.5, _S.DEADLOCK_CYCLE: -3.0},
            (_RUNTIME, _CHANGES, _DEV_LOGS),
            (Fix(_SRE, ActionType.TERMINATE), Fix(_DEV, ActionType.TERMINATE)),
        ),
        _F.HOT_CODE_PATH: _entry(
            {_S.ONE_RULE_HOT},
            {_S.CPU_SATURATED: 1.5, _S.TRAFFIC_SURGE: -2.0, _S.REPLICAS_BELOW_DEMAND: -2.0},
            (_RUNTIME, _DEV_TRACES, _CHANGES),
            (Fix(_DEV, ActionType.DISABLE_FEATURE),),
        ),
        _F.MEMORY_LEAK: _entry(
            {_S.HEAP_GROWTH},
            {_S.OOM_KILLS: 2.0, _S.MEMORY_HIGH: 1.5, _S.MEMORY_FLAT: -2.0},
            (_RUNTIME, _CHANGES),
            (_RESTART, Fix(_DEV, ActionType.RESTART), _ROLLBACK),
        ),
        _F.CPU_THROTTLING: _entry(
            {_S.CPU_THROTTLED},
            {_S.IDLE_BUT_SLOW: 2.0, _S.CPU_SATURATED: -1.0},
            (_CONFIG, _RUNTIME),
            (Fix(_SRE, ActionType.RAISE_LIMIT, MappingProxyType({"limit": "cpu"})),),
        ),
        _F.THREAD_LIMIT: _entry(
            {_S.THREADS_AT_LIMIT},
            {_S.IDLE_BUT_SLOW: 0.5},
            (_RUNTIME, _SRE_LOGS, _DEV_LOGS),
            (
                Fix(_SRE, ActionType.RAISE_LIMIT, MappingProxyType({"limit": "threads"})),
                Fix(_SRE, ActionType.DRAIN),
            ),
        ),
        _F.DISK_FULL: _entry(
            {_S.WRITES_REFUSED},
            {_S.DISK_NEAR_LIMIT: 3.0, _S.ID_OUT_OF_RANGE: -3.0},
            (_RUNTIME, _METRICS),
            (
                Fix(_SRE, ActionType.PURGE),
                Fix(_SRE, ActionType.SCALE, MappingProxyType({"replicas": 4})),
            ),
        ),
        _F.POOL_EXHAUSTED: _entry(
            {_S.IDLE_IN_TRANSACTION},
            {_S.POOL_EXHAUSTED: 1.5, _S.LOCK_WAIT: -2.0, _S.DEADLOCK_CYCLE: -3.0},
            (_RUNTIME, _DEV_TRACES, _CHANGES),
            (Fix(_DEV, ActionType.TERMINATE), Fix(_SRE, ActionType.TERMINATE), _ROLLBACK),
        ),
        _F.QUOTA_THROTTLING: _entry(
            {_S.ONE_NOISY_CALLER},
            {_S.QUOTA_REACHED: 3.5, _S.REPLICAS_PENDING: -3.5},
            (_METRICS, _DEV_LOGS, _TRACES),
            (Fix(_DEV, ActionType.DISABLE_FEATURE),),
        ),
        _F.DB_DEADLOCK: _entry(
            {_S.DEADLOCK_CYCLE},
            {_S.LOCK_WAIT: 2.0, _S.IDLE_BUT_SLOW: 1.0, _S.SCHEMA_CHANGE_WAITS: -3.0},
            (_DEV_LOGS, _RUNTIME),
            (Fix(_SRE, ActionType.TERMINATE), _RESTART),
        ),
        _F.ID_EXHAUSTION: _entry(
            {_S.ID_OUT_OF_RANGE},
            {_S.READS_FINE: 1.0, _S.DISK_NEAR_LIMIT: -2.0},
            (_RUNTIME, _DEV_LOGS, _CONFIG),
            (_ROLLBACK,),
        ),
        _F.REPLICA_LAG: _entry(
            {_S.TWO_WRITERS},
            {_S.COPIES_BEHIND: 2.5, _S.LATENCY_HIGH: -0.5},
            (_DEV_LOGS, _METRICS, _RUNTIME),
            (Fix(_SRE, ActionType.TERMINATE), Fix(_SRE, ActionType.DRAIN)),
        ),
        _F.HOT_SHARD: _entry(
            {_S.SHARD_SKEW},
            {_S.SHARDS_EVEN: -3.0, _S.CPU_SATURATED: -0.5},
            (_DEV_TRACES, _RUNTIME),
            (Fix(_SRE, ActionType.DRAIN),),
        ),
        _F.COLD_CACHE: _entry(
            {_S.CACHE_NODES_REPLACED},
            {_S.HIT_RATE_LOW: 2.5, _S.LOCK_WAIT: -1.0},
            (_METRICS, _RUNTIME),
            (Fix(_SRE, ActionType.SHED_LOAD, MappingProxyType({"percent": 25})),),
        ),
        _F.POISON_MESSAGE: _entry(
            {_S.SAME_MESSAGE_FAILS},
            {_S.CRASH_LOOP: 1.0},
            (_DEV_LOGS, _SRE_LOGS, _RUNTIME),
            (Fix(_DEV, ActionType.TERMINATE), Fix(_SRE, ActionType.TERMINATE)),
        ),
        _F.BLOCKED_CAPACITY: _entry(
            {_S.REPLICAS_PENDING},
            {_S.TRAFFIC_SURGE: 1.5, _S.QUOTA_REACHED: 1.0},
            (_RUNTIME, _METRICS),
            (Fix(_MANAGER, ActionType.ESCALATE),),
        ),
        _F.RETRY_STORM: _entry(
            {_S.TRIGGER_IS_OVER},
            {_S.RETRIES_HIGH: 2.0, _S.TRAFFIC_SURGE: 0.5},
            (_METRICS, _TRACES, _CONFIG),
            (
                Fix(_DEV, ActionType.DISABLE_FEATURE),
                Fix(_SRE, ActionType.SHED_LOAD, MappingProxyType({"percent": 75})),
            ),
        ),
        _F.RECONNECT_HERD: _entry(
            {_S.NEW_CONNECTIONS_SURGE},
            {_S.TRIGGER_IS_OVER: 0.5, _S.TRAFFIC_SURGE: 0.5},
            (_DEV_LOGS, _NETWORK, _METRICS),
            (Fix(_SRE, ActionType.SHED_LOAD, MappingProxyType({"percent": 50})),),
        ),
        _F.CASCADE: _entry(
            {_S.RETRIES_HIGH},
            {
                _S.POOL_EXHAUSTED: 1.5,
                _S.LOCK_WAIT: -3.0,
                _S.DEADLOCK_CYCLE: -3.0,
                _S.TRIGGER_IS_OVER: -4.0,
            },
            (_DEV_LOGS, _RUNTIME, _TRACES),
            (_RESTART,),
        ),
        _F.DNS_OUTAGE: _entry(
            {_S.NAME_LOOKUP_FAILS},
            {
                _S.OPEN_CONNECTIONS_FINE: 2.0,
                _S.NAME_LOOKUP_FINE: -3.0,
                _S.TRAFFIC_DROP: 1.0,
                _S.RECORD_EMPTY: -4.0,
            },
            (_NETWORK, _DEV_LOGS),
            (_RESTART, Fix(_DEV, ActionType.RESTART)),
        ),
        _F.PACKET_LOSS: _entry(
            {_S.LOSS_BETWEEN_ZONES},
            {_S.NO_PACKET_LOSS: -3.0, _S.IDLE_BUT_SLOW: 1.0},
            (_DEV_TRACES, _NETWORK, _METRICS),
            (Fix(_SRE, ActionType.DRAIN, _ZONE),),
        ),
        _F.EXPIRED_CERTIFICATE: _entry(
            {_S.CERTIFICATE_EXPIRED},
            {
                _S.OPEN_CONNECTIONS_FINE: 2.0,
                _S.CERTIFICATE_VALID: -3.0,
                _S.OLD_CERTIFICATE_SERVED: -4.0,
            },
            (_NETWORK, _DEV_LOGS),
            (Fix(_DEV, ActionType.ROTATE),),
        ),
        _F.CLOCK_ERROR: _entry(
            {_S.CLOCK_OFF},
            {_S.CONFIG_UNCHANGED: 0.3},
            (_DEV_LOGS, _RUNTIME),
            (Fix(_SRE, ActionType.DRAIN),),
        ),
        _F.ZONE_OUTAGE: _entry(
            {_S.ONE_ZONE_FAILS},
            {_S.ZONES_ALIKE: -3.0, _S.LOSS_BETWEEN_ZONES: -3.0, _S.PROVIDER_FAILS: 2.0},
            (_DEV_TRACES, _METRICS, _NETWORK),
            (Fix(_SRE, ActionType.DRAIN, _ZONE),),
        ),
        _F.AUTOSCALER_COST_CUT: _entry(
            set(),
            {
                _S.REPLICAS_BELOW_DEMAND: 4.0,
                _S.CPU_SATURATED: 0.5,
                _S.BEYOND_POLICY: 2.0,
                _S.GATE_FAILED: -3.0,
                _S.UNEVEN_TRAFFIC: -3.0,
            },
            (_AUDIT, _METRICS),
            (Fix(_SRE, ActionType.SCALE, MappingProxyType({"replicas": 4})),),
            is_automated=True,
        ),
        _F.MISROUTED_TRAFFIC: _entry(
            {_S.UNEVEN_TRAFFIC},
            {_S.BEYOND_POLICY: 1.0, _S.GATE_FAILED: -3.0},
            (_NETWORK, _AUDIT),
            (Fix(_MANAGER, ActionType.ESCALATE),),
            is_automated=True,
        ),
        _F.ROGUE_DEPLOY_BOT: _entry(
            {_S.GATE_FAILED},
            {
                _S.DEPLOYED_RECENTLY: 1.0,
                _S.BEYOND_POLICY: 0.5,
                _S.GATE_PASSED: -3.0,
                _S.NO_RECENT_CHANGE: -1.0,
            },
            (_AUDIT, _CHANGES),
            (_ROLLBACK,),
            is_automated=True,
        ),
        _F.UNFINISHED_RENEWAL: _entry(
            {_S.OLD_CERTIFICATE_SERVED},
            {
                _S.OPEN_CONNECTIONS_FINE: 2.0,
                _S.CERTIFICATE_EXPIRED: 1.0,
                _S.BEYOND_POLICY: 0.5,
                _S.CERTIFICATE_VALID: -3.0,
            },
            (_NETWORK, _AUDIT),
            (_RESTART,),
            is_automated=True,
        ),
        _F.CLEANUP_OVERREACH: _entry(
            {_S.LIVE_DATA_DELETED},
            {_S.BEYOND_POLICY: 0.5},
            (_AUDIT, _DEV_LOGS, _SRE_LOGS),
            (_ROLLBACK,),
            is_automated=True,
        ),
        _F.UNAPPROVED_AI_CHANGE: _entry(
            {_S.CHANGE_IN_FREEZE},
            {_S.BEYOND_POLICY: 0.5, _S.CONFIG_CHANGED: 0.5},
            (_AUDIT, _CHANGES, _CONFIG),
            (_ROLLBACK,),
            is_automated=True,
        ),
        _F.STALE_DNS_PLAN: _entry(
            {_S.RECORD_EMPTY},
            {
                _S.OPEN_CONNECTIONS_FINE: 2.0,
                _S.PLAN_STALE: 2.0,
                _S.NAME_LOOKUP_FAILS: 0.5,
                _S.BEYOND_POLICY: 0.5,
            },
            (_NETWORK, _AUDIT),
            (_ROLLBACK,),
            is_automated=True,
        ),
        _F.PATCH_EVERYWHERE: _entry(
            {_S.NODES_RESTARTED_TOGETHER},
            {_S.BEYOND_POLICY: 0.5, _S.ONE_ZONE_FAILS: -3.0},
            (_AUDIT, _RUNTIME, _SRE_LOGS),
            (Fix(_SRE, ActionType.SCALE, MappingProxyType({"replicas": 6})),),
            is_automated=True,
        ),
        _F.FALSE_ALARM: _entry(
            {_S.MONITOR_FAULTY},
            {_S.ERRORS_HIGH: -4.0, _S.LATENCY_HIGH: -2.0, _S.NOTHING_UNUSUAL: 0.3},
            (_METRICS, _DEV_LOGS),
            (Fix(_MANAGER, ActionType.RESOLVE),),
        ),
    }
)


def entry_of(cause: FailureType | str) -> RunbookEntry | None:
    """Return the entry of a cause; None for an author's own one."""
    return RUNBOOK.get(cause) if isinstance(cause, FailureType) else None
