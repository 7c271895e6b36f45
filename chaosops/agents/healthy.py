"""Which signs say that a reading is in the healthy range."""

from __future__ import annotations

from typing import Final

from chaosops.agents.perception import facts
from chaosops.env.models import Finding, Sign

HEALTHY: Final = frozenset(
    {
        Sign.ACCESS_FINE,
        Sign.AS_MANY_PEOPLE,
        Sign.BUILDS_ALIKE,
        Sign.CACHE_INVALIDATED,
        Sign.CACHE_WARM,
        Sign.CALLS_ARRIVE,
        Sign.CERTIFICATE_VALID,
        Sign.CHECKS_PASS,
        Sign.CLIENTS_THERE,
        Sign.CLOCKS_AGREE,
        Sign.COLLECTION_SHORT,
        Sign.CONFIG_UNCHANGED,
        Sign.CONNECTIONS_LAST,
        Sign.COPIES_CURRENT,
        Sign.CPU_UNTHROTTLED,
        Sign.DESCRIPTORS_FINE,
        Sign.DEVICE_FINE,
        Sign.GATE_PASSED,
        Sign.GROUP_STABLE,
        Sign.HOSTS_FINE,
        Sign.IDS_LEFT,
        Sign.KEYS_EVEN,
        Sign.MEMORY_FLAT,
        Sign.MESSAGES_FAST,
        Sign.NAME_LOOKUP_FINE,
        Sign.NETWORKS_ALIKE,
        Sign.NOBODY_WAITS,
        Sign.NOTHING_UNUSUAL,
        Sign.NO_PACKET_LOSS,
        Sign.NO_RECENT_CHANGE,
        Sign.OBJECTS_THERE,
        Sign.ONE_WRITER,
        Sign.OPEN_CONNECTIONS_FINE,
        Sign.PARTITIONS_EVEN,
        Sign.PORTS_FREE,
        Sign.PROBES_PASS,
        Sign.PROVIDER_FINE,
        Sign.QUERIES_EVEN,
        Sign.READS_FINE,
        Sign.REPLICAS_RUN,
        Sign.RETRIES_FEW,
        Sign.ROUTES_EVEN,
        Sign.ROUTES_FIT,
        Sign.SHARDS_EVEN,
        Sign.WITHIN_POLICY,
        Sign.ZONES_ALIKE,
    }
)
"""Signs of what is as it should be."""


def is_out_of_range(finding: Finding) -> bool:
    """Whether a finding shows anything outside the healthy range."""
    return any(fact.sign not in HEALTHY for fact in facts(finding))
