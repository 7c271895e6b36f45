from __future__ import annotations

import pytest

from chaosops.agents.runner import run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.errors import ChaosOpsError
from tests.worlds import DEV, SRE, hand_made


def test_seats_that_are_not_named_stay_empty() -> None:
    assert set(seat_policies({SRE: "expert", DEV: "noop"}, hand_made())) == {SRE, DEV}


def test_two_seats_with_the_random_policy_draw_different_numbers() -> None:
    seats = seat_policies({SRE: "random", DEV: "random"}, hand_made())
    frame = run_episode(ChaosOpsEnvironment(), hand_made(), {}, max_turns=1).steps[0]
    alike = [
        seats[SRE](frame.observation._replace(step=step), SRE)
        == seats[DEV](frame.observation._replace(step=step), SRE)
        for step in range(20)
    ]
    assert not all(alike)


def test_an_unknown_policy_is_an_error() -> None:
    with pytest.raises(ChaosOpsError, match="wizard"):
        seat_policies({SRE: "wizard"}, hand_made())
