"""Checks for texts that give the answer away during play."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from chaosops.env.models import FailureType
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.fields import select
from chaosops.scenarios.problems import FieldPath, Wrong, shown

_F = FailureType

_SAYS_IT: Final[Mapping[FailureType, str]] = MappingProxyType(
    {
        _F.BAD_CONFIG_PUSH: r"broken (config|setting)|invalid (config|setting)",
        _F.LATENT_BUG: r"\bbug\b|null pointer|\bpanic",
        _F.DEAD_CODE_FLAG: r"dead code|old code",
        _F.MIGRATION_LOCK: r"exclusive lock|alter table",
        _F.HOT_CODE_PATH: r"regex|backtrack|\bhot\b",
        _F.MEMORY_LEAK: r"\bleak|out of memory|\bheap\b",
        _F.CPU_THROTTLING: r"throttl",
        _F.THREAD_LIMIT: r"thread limit|too many threads",
        _F.DISK_FULL: r"enospc|no space|disk is full|volume is full",
        _F.POOL_EXHAUSTED: r"pool (is )?(exhausted|empty)",
        _F.QUOTA_THROTTLING: r"\b429\b|quota|rate limit",
        _F.DB_DEADLOCK: r"deadlock|lock cycle",
        _F.ID_EXHAUSTION: r"out of range|overflow|2147483647",
        _F.REPLICA_LAG: r"replication lag|split brain",
        _F.HOT_SHARD: r"\bshard",
        _F.COLD_CACHE: r"cold cache|cache (is )?(cold|empty)",
        _F.POISON_MESSAGE: r"poison|cannot be parsed",
        _F.BLOCKED_CAPACITY: r"quota|pending",
        _F.RETRY_STORM: r"storm|retry budget",
        _F.RECONNECT_HERD: r"\bherd\b|reconnect",
        _F.CASCADE: r"cascad|retry storm|second failure",
        _F.DNS_OUTAGE: r"\bdns\b|servfail|nxdomain",
        _F.PACKET_LOSS: r"packet loss|packets lost|retransmi",
        _F.EXPIRED_CERTIFICATE: r"expired|notafter",
        _F.CLOCK_ERROR: r"\bclock\b|\bntp\b|skew",
        _F.ZONE_OUTAGE: r"zone (is )?(down|gone|out)\b|power",
        _F.AUTOSCALER_COST_CUT: r"cost cut|saving",
        _F.MISROUTED_TRAFFIC: r"misrout",
        _F.ROGUE_DEPLOY_BOT: r"rogue|gate failed|canary=fail",
        _F.UNFINISHED_RENEWAL: r"not reloaded|old certificate",
        _F.CLEANUP_OVERREACH: r"live (files|data)|still in use",
        _F.UNAPPROVED_AI_CHANGE: r"unapproved|not approved|nobody approved",
        _F.STALE_DNS_PLAN: r"stale|empty record|record is empty",
        _F.PATCH_EVERYWHERE: r"all hosts|everywhere at once",
        _F.FALSE_ALARM: r"false alarm|monitor is wrong",
        _F.ROW_LOCK: r"holds (the|a) lock|idle in transaction",
        _F.SLOW_DISK: r"disk latency|slow volume",
        _F.PLAN_FLIP: r"query plan|seq(uential)? scan",
        _F.COLLECTOR_THRASH: r"garbage collect|full gc",
        _F.DESCRIPTOR_LIMIT: r"too many open files|file descriptor",
        _F.STRICT_PROBE: r"probe (is )?too strict|probe timeout",
        _F.BAD_RELEASE: r"failed canary|canary (has )?failed",
        _F.STALE_CREDENTIAL: r"old (password|credential|secret)",
        _F.ACCESS_RULE: r"denied by (rule|policy)|firewall",
        _F.LOST_LEADER: r"no (primary|leader)|lease expired",
        _F.TWO_WRITERS: r"split.?brain|two primaries",
        _F.STALE_CACHE: r"stale|invalidat",
        _F.PORT_EXHAUSTION: r"eaddrnotavail|out of ports|no (free )?ports",
        _F.THIRD_PARTY_DOWN: r"(provider|bank|third party) (is )?(down|out)\b",
        _F.HOSTILE_TRAFFIC: r"\bbots?\b|attack|ddos",
        _F.TRAFFIC_SURGE: r"newspaper|more visitors|\bsurge",
        _F.HOT_PARTITION: r"hot key|one partition",
        _F.SLOW_CONSUMER: r"slow messages?|slow consumers?",
        _F.REBALANCE_LOOP: r"rebalanc",
    }
)
"""Words that would give a cause away, besides its name."""

_IN_PLAY: Final = (
    "id",
    "title",
    "tickets.*.text",
    "automation.*.duty",
    "automation.*.policy",
    "automation.*.events.*.act",
    "automation.*.events.*.reason",
    "automation.*.events.*.approval",
)


def says(text: str, cause: FailureType) -> str:
    """Return the words of a text that name a cause; empty if there are none.

    They count from where a word begins: `spending` says nothing of what is pending.
    """
    name = cause.value.replace("_", "[ _-]")
    found = re.search(rf"\b(?:{name}|{_SAYS_IT[cause]})", text, re.IGNORECASE)
    return found[0] if found else ""


def check_giveaways(data: Mapping[str, Any], causes: Iterable[Cause]) -> Iterator[Wrong]:
    """Find texts that are shown in play and name a cause that may be drawn, each with its field.

    Args:
        data: The data of a situation, of any shape.
        causes: The causes that it names.
    """
    kinds = sorted({c.diagnosis for c in causes if isinstance(c.diagnosis, FailureType)})
    for path, text in _texts(data):
        for kind in kinds:
            words = says(text, kind)
            if words:
                yield Wrong(
                    path,
                    f'"{shown(words)}" gives the answer away, {kind.value}; '
                    "describe the symptom, and leave the cause to the readings and the debrief",
                )
                break


def _texts(data: Mapping[str, Any]) -> Iterator[tuple[FieldPath, str]]:
    for pattern in _IN_PLAY:
        for path, text in select(data, pattern):
            if isinstance(text, str):
                yield path, text
