"""What a fleet on paper has to be."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from chaosops.env.models.topology import PoolSpec, Topology
from tests.worlds import built_in, fleet

_LEAF = {"kind": "app", "rps_per_replica": 10, "base_ms": 5}


def _service(name: str, *calls: str, **more: Any) -> dict[str, Any]:
    return {"name": name, **_LEAF, "calls": [{"to": to} for to in calls], **more}


def test_every_caller_comes_before_what_it_calls() -> None:
    for topology in {source.topology.id: source.topology for source in built_in()}.values():
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


def test_a_topology_has_eight_services_or_more() -> None:
    for source in built_in():
        assert len(source.topology.services) >= 8
    raw = fleet([_service("a")]).model_dump()
    raw["services"] = raw["services"][:7]
    with pytest.raises(ValidationError, match="services"):
        Topology.model_validate(raw)


def _with_situations(**details: Any) -> Topology:
    raw = fleet([_service("a", "b"), _service("b")]).model_dump(mode="json")
    return Topology.model_validate(raw | {"situations": details})


def test_a_fleet_can_have_finer_details_in_situations() -> None:
    rule = fleet([_service("a")]).alerts[0].id
    made = _with_situations(
        error_budget_minutes=3,
        services=[{"name": "a", "disk": 40, "pool": {"to": "b", "size": 4}}],
        alert_kinds={rule: ["cache"]},
    )
    plain, finer = made.services[0], made.in_situations()
    assert (plain.disk, plain.pool) == (None, None)
    changed = {"disk": 40.0, "pool": finer.services[0].pool}
    assert finer.services[0] == plain.model_copy(update=changed)
    assert finer.services[0].pool == PoolSpec(to="b", size=4)
    assert finer.services[1:] == made.services[1:]
    assert finer.error_budget_minutes == 3
    assert [one.value for one in finer.alerts[0].kinds] == ["cache"]
    assert finer.in_situations() == finer


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ({"services": [{"name": "nobody", "disk": 40}]}, "'nobody'"),
        ({"services": [{"name": "b", "pool": {"to": "a", "size": 2}}]}, "pool of b"),
        ({"services": [{"name": "a", "colour": "red"}]}, "colour"),
        ({"alert_kinds": {"no-such-rule": ["app"]}}, "'no-such-rule'"),
    ],
)
def test_details_of_what_a_fleet_does_not_have_are_refused(
    details: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        _with_situations(**details)


def test_every_incident_is_played_on_the_finer_fleet() -> None:
    for source in built_in():
        assert source.topology == source.topology.in_situations()
