from __future__ import annotations

from itertools import pairwise

import pytest

from chaosops.adapters.learning.encoding import encode, feature_names
from chaosops.adapters.seat_game import SeatGame
from chaosops.agents.policies import pass_turn
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction, RoleView
from tests.adapters.learning.views import observations
from tests.rewording import Translation
from tests.worlds import SRE, hand_made, some_ids


def named(view: RoleView) -> dict[str, float]:
    names = feature_names(view.role)
    return {names[k]: value for k, value in encode(view).features}


@pytest.mark.few(2)
@pytest.mark.parametrize("role", TURN_ORDER)
@pytest.mark.parametrize("name", some_ids())
def test_features_are_in_order_and_of_the_size_of_one(name: str, role: AgentRole) -> None:
    for observation in observations(name, role):
        features = encode(observation.view).features
        assert all(one[0] < other[0] for one, other in pairwise(features))
        assert features[-1][0] < len(feature_names(role))
        assert all(value and -4.0 <= value <= 4.0 for _k, value in features)


@pytest.mark.few(1)
@pytest.mark.parametrize("role", TURN_ORDER)
def test_texts_for_people_change_nothing(role: AgentRole) -> None:
    for observation in observations("checkout-times-out", role, 3):
        other = Translation().observation(observation)
        assert other != observation
        assert encode(other.view).features == encode(observation.view).features
        assert encode(other.view).possible == encode(observation.view).possible


def test_what_was_read_and_done_is_told() -> None:
    game = SeatGame(hand_made(), SRE, {})
    for _round in range(3):
        game.take(pass_turn(game.observation, SRE))
    before = named(game.observation.view)
    assert before["status users hurt"] == 1.0
    assert before["deepest is app"] == 1.0
    assert "sign lock_wait" not in before
    game.take(ChaosOpsAction(SRE, ActionType.INVESTIGATE, "db", {"source": "runtime"}))
    after = named(game.observation.view)
    assert after["sign lock_wait"] == 1.0
    assert after["evidence is database"] == 1.0
    assert after["done investigate evidence source=runtime"] == 1.0
    assert "done terminate evidence" not in after
    game.take(ChaosOpsAction(SRE, ActionType.TERMINATE, "db"))
    assert named(game.observation.view)["done terminate evidence"] == 1.0
