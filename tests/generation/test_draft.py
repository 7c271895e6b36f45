"""What a draft is written as, and which places a cast can have."""

from __future__ import annotations

import pytest
import yaml

from chaosops.env.models.topology import Topology
from chaosops.generation.draft import expressible, flow, quoted, scalar
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.fitting import Placement, placements
from chaosops.scenarios.folders import cause_files, topology_files


def shop() -> Topology:
    path = next(path for path in topology_files(()) if path.stem == "shop")
    topology = FileReader(()).topology(path).topology
    assert topology is not None
    return topology.in_situations()


def cause(name: str) -> Cause:
    found = FileReader(()).cause(cause_files(())[name]).cause
    assert found is not None
    return found


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        "with: a colon",
        "a # sign",
        "commas, in a list",
        "no",
        "[brackets]",
        "12:30",
        "It's 50 % of {things}",
        'a "quote"',
        "- a dash",
        "",
        "naïve",
    ],
)
def test_a_text_is_read_back_as_it_was_written_in_a_block_and_on_one_line(text: str) -> None:
    assert yaml.safe_load(f"key: {scalar(text)}") == {"key": text}
    assert yaml.safe_load(f"{{key: {scalar(text)}, more: 1}}") == {"key": text, "more": 1}
    assert yaml.safe_load(quoted(text)) == text


def test_data_on_one_line_is_read_back() -> None:
    data = {
        "kind": "deploy_bot",
        "steps": [30, 60, 100],
        "value": 0.25,
        "ms": 420.0,
        "is_set": True,
    }
    assert yaml.safe_load(flow(data)) == data
    assert flow({"ms": 420.0, "steps": (30, 60)}) == "{ms: 420, steps: [30, 60]}"


def test_a_cast_has_all_spots_that_its_places_and_callers_name() -> None:
    expired, topology = cause("expired_certificate"), shop()
    every = set(placements(expired, topology))
    auth_from_edge, cart_from_checkout = Placement("auth", "edge"), Placement("cart", "checkout")
    assert {auth_from_edge, cart_from_checkout, Placement("auth", "checkout")} <= every
    # The two alone can't be written: auth is called by checkout as well.
    assert expressible(expired, [auth_from_edge, cart_from_checkout], topology) != (
        cart_from_checkout,
        auth_from_edge,
    )
    kept = expressible(expired, [auth_from_edge, Placement("cart", "edge")], topology)
    assert set(kept) == {auth_from_edge, Placement("cart", "edge")}
    assert set(expressible(expired, every, topology)) == every
    assert expressible(expired, [], topology) == ()
    assert expressible(expired, [Placement("bank", "payments")], topology) == ()
