"""Who sits in the seats of a game by default."""

from __future__ import annotations

import pytest

from chaosops.agents.names import FORMER_NAMES, POLICY_NAMES
from chaosops.env.world_sim import Scenario
from chaosops.play.setup import (
    DEFAULT,
    SeatChoice,
    Setup,
    choices,
    default_setup,
    roster_of,
    teammate_for,
)
from tests.worlds import DEV, MANAGER, OVERSIGHT, SRE


@pytest.mark.parametrize(
    ("name", "mate"), [("checkout-times-out", "steady"), ("paying-ends-in-an-error", "expert")]
)
def test_the_default_teammate_is_steady_in_situations_and_the_expert_elsewhere(
    name: str, mate: str
) -> None:
    scenario = Scenario.load(name)
    roster = roster_of(default_setup(), scenario)
    assert roster.people == {SRE}
    assert [roster.policy_name(role) for role in (OVERSIGHT, DEV, MANAGER)] == [mate] * 3
    assert teammate_for(scenario) == mate


def test_whoever_was_named_stays_in_the_seat() -> None:
    setup = default_setup().with_seats({DEV: SeatChoice.of("expert"), MANAGER: SeatChoice(False)})
    roster = roster_of(setup, Scenario.load("checkout-times-out"))
    assert roster.policy_name(DEV) == "expert"
    assert roster.policy_name(MANAGER) == "nobody"


@pytest.mark.parametrize("is_situation", [True, False])
def test_a_setup_for_one_incident_is_kept_for_all(*, is_situation: bool) -> None:
    setup = Setup.of((SRE,), copilot="expert").with_seats({DEV: SeatChoice.of("junior")})
    named = setup.named(is_situation=is_situation)
    assert DEFAULT not in {seat.word for seat in named.seats.values()}
    assert named.seats[DEV].word == "junior"
    assert named.unnamed(is_situation=is_situation) == setup


def test_the_menu_offers_every_built_in_policy_by_its_present_name() -> None:
    words = {choice.word for choice in choices(())}
    assert words >= {*POLICY_NAMES} - {"noop"}
    assert not words & FORMER_NAMES.keys()
    assert DEFAULT not in words
