"""The fleet of an incident before it begins: who calls whom, and what each service is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from chaosops.env.models import ServiceNode
from chaosops.env.models.services import ServiceKind
from chaosops.play.service_tree import Branch, tree

if TYPE_CHECKING:
    from chaosops.env.models.topology import ServiceSpec, Topology


class SketchedService(NamedTuple):
    """A line of the tree.

    Attributes:
        facts: What else is known of it before the incident, such as its size on a good day.
    """

    branch: Branch
    kind: ServiceKind
    facts: tuple[str, ...]


def sketch(topology: Topology) -> list[SketchedService]:
    """Return the services from the users down, each under its first caller."""
    specs = {spec.name: spec for spec in topology.services}
    entries = {entry.service for entry in topology.entries}
    callers = Counter(call.to for spec in topology.services for call in spec.calls)
    nodes = [
        ServiceNode(spec.name, spec.kind, tuple(call.to for call in spec.calls))
        for spec in topology.services
    ]
    return [
        SketchedService(
            branch,
            specs[branch.name].kind,
            _facts(specs[branch.name], callers[branch.name], is_entry=branch.name in entries),
        )
        for branch in tree(nodes)
    ]


def kinds(topology: Topology) -> str:
    """Count the services by kind: "1 edge, 8 app, 1 cache"."""
    counted = Counter(spec.kind for spec in topology.services)
    return ", ".join(f"{counted[kind]} {kind.value}" for kind in ServiceKind if counted[kind])


def _facts(spec: ServiceSpec, callers: int, *, is_entry: bool) -> tuple[str, ...]:
    facts = []
    if is_entry:
        facts.append("users come in here")
    if spec.kind is not ServiceKind.EXTERNAL:
        facts.append("1 instance" if spec.replicas == 1 else f"{spec.replicas} instances")
    if spec.shards > 1:
        facts.append(f"{spec.shards} shards")
    if spec.pool is not None:
        facts.append(f"pool of {spec.pool.size} to {spec.pool.to}")
    if callers > 1:
        facts.append(f"called by {callers}")
    return tuple(facts)
