"""Who sits in the seats of a game by default."""

from __future__ import annotations

import pytest

from chaosops.agents.names import FORMER_NAMES, POLICY_NAMES
from chaosops.env.world_sim import Scenario
from chaosops.play.setup import SeatChoice, choices, default_setup, roster_of
from tests.worlds import DEV, MANAGER, OVERSIGHT, SRE


@pytest.mark.parametrize(
    "name", ["first-shift-1-product-pages", "paying-ends-in-an-error", "checkout-times-out"]
)
def test_the_default_teammate_is_steady_in_every_incident(name: str) -> None:
    roster = roster_of(default_setup(), Scenario.load(name))
    assert roster.people == {SRE}
    assert [roster.policy_name(role) for role in (OVERSIGHT, DEV, MANAGER)] == ["steady"] * 3


def test_the_default_teammate_of_older_settings_is_still_the_default_one() -> None:
    assert SeatChoice.of("default") == default_setup().seats[DEV]


def test_whoever_was_named_stays_in_the_seat() -> None:
    setup = default_setup().with_seats({DEV: SeatChoice.of("expert"), MANAGER: SeatChoice(False)})
    roster = roster_of(setup, Scenario.load("checkout-times-out"))
    assert roster.policy_name(DEV) == "expert"
    assert roster.policy_name(MANAGER) == "nobody"


def test_the_menu_offers_every_built_in_policy_by_its_present_name() -> None:
    words = {choice.word for choice in choices(())}
    assert words >= {*POLICY_NAMES} - {"noop"}
    assert not words & FORMER_NAMES.keys()
