"""What a fleet on paper has to be."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from chaosops.env.models.topology import Topology
from tests.worlds import fleet, sources

_LEAF = {"kind": "app", "rps_per_replica": 10, "base_ms": 5}


def _service(name: str, *calls: str, **more: Any) -> dict[str, Any]:
    return {"name": name, **_LEAF, "calls": [{"to": to} for to in calls], **more}


def test_every_caller_comes_before_what_it_calls() -> None:
    for topology in {source.topology.id: source.topology for source in sources()}.values():
        place = {i: k for k, i in enumerate(topology.order())}
        names = topology.names()
        assert sorted(place) == list(range(len(names)))
        for i, service in enumerate(topology.services):
            for call in service.calls:
                assert place[i] < place[names.index(call.to)]


@pytest.mark.parametrize(
    ("services", "message"),
    [
        ([_service("a", "b"), _service("b", "a")], "a -> b -> a"),
        ([_service("a", "a")], "a -> a"),
        ([_service("a", "nowhere")], "'nowhere'"),
        ([_service("a"), _service("a")], "must differ: a"),
        ([_service("a", "b", "b"), _service("b")], "twice"),
        ([_service("a", replicas=5, max_replicas=4)], "max_replicas"),
        ([_service("a", pool={"to": "b", "size": 2}), _service("b")], "pool of a"),
        ([_service("a", colour="red")], "colour"),
    ],
)
def test_a_fleet_that_does_not_hang_together_is_refused(
    services: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        fleet(services)


def test_a_topology_has_ten_services_or_more() -> None:
    for source in sources():
        assert len(source.topology.services) >= 10
    raw = fleet([_service("a")]).model_dump()
    raw["services"] = raw["services"][:9]
    with pytest.raises(ValidationError, match="services"):
        Topology.model_validate(raw)
