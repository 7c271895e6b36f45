import pytest

from chaosops.agents.expert import Expert
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, FailureType, Sign
from chaosops.env.world_sim import Scenario
from tests.worlds import DEPLOY_BOT, INNOCENT, ROGUE_PROMOTION, hand_made, scenario


def _play(played: Scenario) -> list[tuple[ActionType | str, str]]:
    expert = Expert(0)
    stepper = Stepper(ChaosOpsEnvironment(), played)
    told = []
    while not stepper.done:
        observation = stepper.observation
        why = expert.explain(observation, stepper.role)
        told.append((stepper.take(expert(observation, stepper.role)).action.action_type, why))
    return told


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "name", ["paying-ends-in-an-error", "checkout-times-out", "errors-come-and-go"]
)
def test_the_expert_gives_one_sentence_for_every_turn(name: str) -> None:
    for _verb, why in _play(scenario(name, 1)):
        assert why.endswith(".")
        assert "\n" not in why
        assert not [name for name in (*FailureType, *Sign) if "_" in name and name in why]
        assert len(why) < 200


def test_the_reason_for_a_fix_names_the_cause_and_the_place() -> None:
    """A session of `cart` holds a lock in `db`, and the fix is to terminate it there."""
    why = next(why for verb, why in _play(hand_made()) if verb is ActionType.TERMINATE)
    assert why.startswith("It looks like row lock at db (")
    assert why.endswith(" % sure).")


def test_the_reason_for_a_pause_is_what_the_audit_log_shows() -> None:
    played = hand_made(casts=[ROGUE_PROMOTION], automation=[INNOCENT, DEPLOY_BOT])
    why = next(why for verb, why in _play(played) if verb is ActionType.PAUSE)
    assert why == "deploy_bot went beyond its policy, as its audit log shows."
