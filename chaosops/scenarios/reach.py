"""How many users depend on each service of a topology."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from chaosops.env.models.topology import CallMode, Topology


def reach(topology: Topology) -> Mapping[str, float]:
    """Return the share of users who depend on each service, 0 to 1, in the topology's order.

    A user depends on an entry, and on what required calls from it lead to; a call that is made
    for some requests only counts for their share.
    """
    users = sum(entry.rps for entry in topology.entries)
    found = {spec.name: 0.0 for spec in topology.services}
    for entry in topology.entries:
        found[entry.service] += entry.rps / users
    for number in topology.order():
        spec = topology.services[number]
        for call in spec.calls:
            if call.mode is CallMode.REQUIRED:
                share = found[spec.name] * min(1.0, call.per_request)
                found[call.to] = max(found[call.to], share)
    return MappingProxyType(found)
