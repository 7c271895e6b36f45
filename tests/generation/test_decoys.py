"""What is wrong besides the cause in a generated situation: nothing that users notice."""

from __future__ import annotations

import pytest

from chaosops.env.casting import settled
from chaosops.env.decoy_trials import MOST_NOTICED, noticed_share
from chaosops.env.models import Difficulty
from chaosops.env.physics.blueprint import Blueprint
from chaosops.generation.decoys import draw_decoys
from chaosops.generation.dice import SeededDice
from chaosops.generation.fleets import fleet_of
from chaosops.generation.spec import SituationSpec
from chaosops.scenarios.fitting import _needed
from chaosops.scenarios.situation import Decoy

TOPOLOGIES = ["pipeline", "shop", "storefront", "zones"]


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_a_decoy_is_where_nobody_needs_an_answer(topology: str) -> None:
    fleet = fleet_of(SituationSpec(1, Difficulty.EASY, topology))
    mesh = settled(Blueprint(fleet.topology))
    for number in range(3):
        for decoy in draw_decoys(fleet.topology, ["search"], SeededDice(number)):
            assert decoy.at not in _needed(fleet.topology)
            assert decoy.at != "search"
            assert noticed_share(decoy, mesh) <= MOST_NOTICED


def test_delays_of_what_empties_a_queue_are_no_decoy() -> None:
    """The broker of the pipeline fills up, and then turns users away."""
    fleet = fleet_of(SituationSpec(1, Difficulty.EASY, "pipeline"))
    drawn = [draw_decoys(fleet.topology, [], SeededDice(number)) for number in range(10)]
    assert "enrich" not in {decoy.at for decoys in drawn for decoy in decoys}
    slow = Decoy(at="enrich", part="node", parameter="delay_ms", value=780.0, text="It was late")
    assert noticed_share(slow, settled(Blueprint(fleet.topology))) > 0.3
