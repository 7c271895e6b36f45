"""What would have prevented a cause, by the component that failed and by what triggered it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.scenarios.cause import Trigger

BY_PART: Final[Mapping[str, str]] = MappingProxyType(
    {
        "node": "Give every call to {place} a time limit, so that its callers survive its failure.",
        "instances": (
            "Stop a rollout at the first instance of {place} that fails more than the others do."
        ),
        "link": (
            "Let callers of {place} give up early, and answer without it where its answer is "
            "optional."
        ),
        "cache": "Warm {place} before it takes traffic, and limit the requests that misses cause.",
        "certificate": (
            "Renew the certificates of {place} at two thirds of their life, without a restart."
        ),
        "clock": "Keep every host of {place} in sync, and refuse to serve from one that is not.",
        "disk": "Give whatever fills or slows the disk of {place} a quota of its own.",
        "handles": "Close descriptors on every path, and test {place} for leaks under load.",
        "intake": "Limit each client of {place} at the edge, by key and by network.",
        "invalidations": (
            "Let cached entries expire soon as well, so that a lost invalidation heals by itself."
        ),
        "locks": "Set time limits for locks and for idle transactions on {place}.",
        "memory": "Run builds of {place} under load for hours before they are released.",
        "monitor": "Measure from outside as well as from inside before {place} pages anyone.",
        "names": (
            "Check a DNS plan against the names in use before it is applied, and serve the last "
            "good answer if the new one is empty."
        ),
        "objects": "Let clean-up jobs mark first, and delete some days later.",
        "partitions": "Choose keys that spread, and set a message aside after a few failed tries.",
        "people": (
            "Agree on a plan for peaks: the headroom, what is switched off first, and who decides."
        ),
        "plans": "Pin the plans of the most frequent queries of {place}.",
        "pool": "Limit how long a request may hold a connection of {place}.",
        "ports": "Share connections from {place} instead of opening one for each call.",
        "probes": "Try a changed probe on one instance of {place} before the others get it.",
        "quota": "Have changes of the CPU quota of {place} approved by the team that owns it.",
        "replication": (
            "Rehearse the failover of {place}, and fence the old primary before a new one writes."
        ),
        "sequences": "Use 64-bit ids in new tables of {place}, and widen the old ones in time.",
        "sessions": "Limit the sessions that each client may keep open on {place}.",
        "shards": "Limit what one key may ask of {place}, and split keys that are too popular.",
        "zones": "Keep enough room in the other zones of {place} to lose one, and rehearse it.",
    }
)
"""What prevents the failure of a component; `{place}` is the service that it belongs to."""

BY_TRIGGER: Final[Mapping[Trigger, str]] = MappingProxyType(
    {
        Trigger.CHANGE: (
            "Roll changes of {place} out in steps that stop by themselves when users are worse off."
        ),
        Trigger.TIME: "Put what runs out with time at {place} into the calendar of its owner.",
        Trigger.LOAD: "Test {place} at twice its usual peak, and know which limit comes first.",
        Trigger.PERSON: (
            "Let manual work on {place} go through a reviewed tool that has a time limit."
        ),
        Trigger.CAUSE: "Limit how much of {place} the failure of something else can take along.",
    }
)
"""What keeps a trigger from doing harm."""
