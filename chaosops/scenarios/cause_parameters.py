"""What each parameter that a cause can inject a fault into is, in a few words for the guide."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

MEANINGS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "node": {
            "errors": "share of requests that the service fails",
            "cpu": "factor of the CPU time of a request",
            "delay_ms": "extra time of a request that uses no CPU",
            "lost": "share of calls that don't reach it",
            "demand": "factor of the requests that it gets",
            "capacity": "factor of its capacity, below 1 for less",
        },
        "instances": {
            "errors": "share of requests that an instance with the change fails",
            "speed": "factor of its capacity, below 1 for less",
            "delay_ms": "extra time of each request there",
        },
        "link": {
            "broken": "share of the caller's calls that fail after a wait",
            "refused": "share that is refused at once",
            "stalled": "share that waits for something else than CPU",
        },
        "cache": {"forgets": "share of its entries that is lost"},
        "certificate": {
            "expired": "share of calls that open a connection since it expired",
            "stale": "share of calls that open one since the serial before was revoked",
        },
        "clock": {"offset_s": "seconds by which the clocks are behind"},
        "disk": {
            "slow": "factor of the time of an operation",
            "fill": "percent that fills up in a minute",
            "scans": "more operations a second",
        },
        "handles": {
            "lost": "descriptors that an instance has leaked since the onset",
            "limit": "a lower limit",
        },
        "intake": {
            "people": "more user calls, in multiples of the usual ones",
            "bots": "calls by programs, as a share of the capacity beyond it",
            "retries": "repeated calls, as a share of the capacity beyond it",
            "connects": "new connections, as a share of what the instances can complete",
            "batch": "calls of a batch job, as a share of what the others get",
            "burning": "share of requests that run until they are killed",
        },
        "invalidations": {"stale": "share of one caller's requests that get something old"},
        "locks": {
            "blocked": "share of one caller's calls that wait for a lock",
            "deadlocked": "share that ends in a deadlock",
        },
        "memory": {
            "leak": "percent of the limit that leaks in a minute",
            "leaked": "what has leaked since the onset, as a share of what was free",
            "live": "growth of the live set, as a share of what was free",
        },
        "monitor": {
            "checks": "share of failures that only the checks have, of what is counted",
            "counted": "share of failures that is counted on top",
            "late": "minutes by which the newest figures are old",
        },
        "names": {
            "missing": "share of look-ups that find no address",
            "old": "share that get addresses of before",
            "deaf": "share that a resolver doesn't answer",
        },
        "objects": {"missing": "share of requests that ask for a deleted object"},
        "partitions": {
            "stuck": "share of the messages in a partition that gets no further",
            "skew": "share of the others' messages that moves onto one",
            "paused": "share of the time in which consumers rebalance",
        },
        "people": {"demand": "factor of the user requests"},
        "plans": {"flipped": "share of one caller's calls with a bad plan"},
        "pool": {
            "leaked": "connections that an instance has leaked since the onset",
            "hold_ms": "time for which each call holds its connection longer",
        },
        "ports": {"fresh": "share of the calls that no longer share a connection"},
        "probes": {"rejects": "share of the instances that a probe rejects"},
        "quota": {"cut": "share of the CPU quota that is taken away"},
        "replication": {
            "leaderless": "share of the time without a primary",
            "lag_s": "seconds that the copies are held behind",
            "split": "share of the writes that go to a second primary",
        },
        "sequences": {"spent": "share of one caller's calls that get no id"},
        "sessions": {
            "extra": "sessions that something else keeps open",
            "left": "share of one caller's sessions whose clients have gone",
        },
        "shards": {"skew": "share of the others' load that moves onto the hot shard"},
        "zones": {
            "lost": "share of the packets between two zones that is lost",
            "down": "share of the requests that the hosts of a zone fail",
            "astray": "share of the requests that is sent to a zone without instances",
            "hangs": "share of the requests that hang before they are served",
            "full": "CPU utilization of the instances at the usual load",
        },
    }
)
"""The meaning of each parameter, by its part and its name."""
