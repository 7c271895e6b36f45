"""Generated fleets: as large as asked for, whole, and able to carry their own load."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.env.casting import settled
from chaosops.env.models import Difficulty, ServiceKind
from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.trials import try_topology
from chaosops.generation.cohort import noticed_services
from chaosops.generation.fleet_maker import make_fleet
from chaosops.generation.fleet_plan import counts_of
from chaosops.generation.fleets import fleet_id, fleet_of
from chaosops.generation.spec import FEWEST, MOST, SituationSpec
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.folders import TOPOLOGIES
from tests.generation.drafts import unproven


@settings(max_examples=15)
@given(st.integers(FEWEST, MOST), st.integers(0, 2**32 - 1))
def test_a_fleet_has_its_size_carries_its_load_and_nobody_in_it_is_idle(
    services: int, seed: int
) -> None:
    topology = make_fleet("fleet", services, seed).topology
    assert len(topology.services) == services
    assert list(try_topology(topology)) == []
    mesh = settled(Blueprint(topology))
    for node in mesh.nodes:
        assert 0.0 < node.busy < 0.7
    assert mesh.users_ok > 0.999
    assert len(noticed_services(topology)) >= 3


@pytest.mark.parametrize("services", [FEWEST, 14, 26, MOST])
def test_its_file_is_sound_and_says_the_same(services: int, tmp_path: Path) -> None:
    fleet = make_fleet("fleet-x", services, 5)
    assert fleet.text is not None
    path = tmp_path / TOPOLOGIES / "fleet-x.yaml"
    path.parent.mkdir()
    path.write_text(fleet.text, "utf-8")
    assert check_file(path) == []
    read = FileReader(()).topology(path).topology
    assert read == fleet.topology


@pytest.mark.parametrize("services", range(FEWEST, MOST + 1))
def test_every_size_has_each_part_that_causes_need(services: int) -> None:
    counts = counts_of(services)
    assert sum(counts) == services
    assert min(counts.edges, counts.cores - 2, counts.sides, counts.caches, counts.stores) >= 1
    assert counts.externals >= 1
    assert counts.queues >= (services >= 10)


def test_the_same_seed_makes_the_same_fleet_whatever_the_level() -> None:
    once, again = (
        fleet_of(SituationSpec(3, level, services=20))
        for level in (Difficulty.EASY, Difficulty.HARD)
    )
    assert once.text == again.text
    other = fleet_of(SituationSpec(4, Difficulty.EASY, services=20))
    assert other.topology.names() != once.topology.names()


def test_without_a_topology_the_seed_draws_a_built_in_one_or_makes_one() -> None:
    specs = [SituationSpec(seed, Difficulty.EASY) for seed in range(40)]
    ids = [fleet_id(spec) for spec in specs]
    made = [name for name in ids if name.startswith("fleet-")]
    assert 10 <= len(made) <= 30
    assert set(ids) - set(made) == {"pipeline", "shop", "storefront", "zones"}


def test_fleets_differ_in_theme_and_shape() -> None:
    fleets = [make_fleet("fleet", 18, seed) for seed in range(8)]
    assert len({fleet.product for fleet in fleets}) >= 3
    calls = {
        tuple(len(spec.calls) for spec in fleet.topology.services if spec.kind is ServiceKind.APP)
        for fleet in fleets
    }
    assert len(calls) == len(fleets)


@pytest.mark.few(1)
@pytest.mark.parametrize(("services", "seed"), [(12, 1), (24, 2), (40, 3)])
def test_a_draft_on_a_generated_fleet_is_a_sound_file(services: int, seed: int) -> None:
    draft = unproven(seed, Difficulty.MEDIUM, None, services)
    assert draft is not None
    assert draft.fleet.id == f"fleet-{services}-{seed}"
