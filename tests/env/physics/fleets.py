"""Small fleets whose figures can be worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from chaosops.env.models.topology import Topology
from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.physics.component import Component
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.registry import new_mesh

IDLE = {"replicas": 2, "max_replicas": 8, "rps_per_replica": 100_000, "servers": 100, "base_ms": 10}
"""A service so large that nothing waits in it."""


def topology(services: Sequence[Mapping[str, Any]], rps: float = 100.0) -> Topology:
    """A topology whose users come in at the first service; the rest is padding."""
    padding = [
        {"name": f"spare-{i}", "kind": "app", **IDLE} for i in range(max(0, 10 - len(services)))
    ]
    return Topology.model_validate(
        {
            "id": "tiny",
            "title": "A fleet for a test",
            "slo": 0.99,
            "error_budget_minutes": 5,
            "entries": [{"service": services[0]["name"], "rps": rps}],
            "services": [*({**IDLE, **service} for service in services), *padding],
            "alerts": [
                {"id": "failing", "signal": "users_ok", "below": 0.99, "text": "users fail"}
            ],
            "pages": {"page": "Something fails"},
        }
    )


def mesh(
    services: Sequence[Mapping[str, Any]], rps: float = 100.0, *, people: bool = False
) -> Mesh:
    """A fleet in which nothing has happened yet.

    Args:
        people: Whether users react: who fails asks again, and leaves.
    """
    fleet = new_mesh(Blueprint(topology(services, rps)))
    if not people:
        others = [part for part in fleet.parts if part.name != "people"]
        fleet = Mesh(fleet.blueprint, others)
    return fleet


def part(fleet: Mesh, service: str, name: str) -> Any:
    """A component that is there."""
    found = fleet.part(fleet.blueprint.index[service], name)
    assert isinstance(found, Component)
    return found


def run(fleet: Mesh, minutes: int, faults: Sequence[tuple[Component, str, float]] = ()) -> None:
    """Advance some minutes, with the same faults injected in each."""
    for _minute in range(minutes):
        fleet.reset_parameters()
        for component, parameter, value in faults:
            component.inject(parameter, value, -1)
        fleet.advance(1.0)
