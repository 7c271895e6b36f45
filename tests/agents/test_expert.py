import pytest

from chaosops.agents.expert import Expert
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, FailureType, Sign
from chaosops.env.world_sim import Scenario


def _play(name: str) -> list[tuple[ActionType | str, str]]:
    expert = Expert(0)
    stepper = Stepper(ChaosOpsEnvironment(), Scenario.load(name, seed=1))
    told = []
    while not stepper.done:
        observation = stepper.observation
        why = expert.explain(observation, stepper.role)
        told.append((stepper.take(expert(observation, stepper.role)).action.action_type, why))
    return told


@pytest.mark.parametrize(
    "name", ["paying-ends-in-an-error", "checkout-times-out", "errors-come-and-go"]
)
def test_the_expert_gives_one_sentence_for_every_turn(name: str) -> None:
    for _verb, why in _play(name):
        assert why.endswith(".")
        assert "\n" not in why
        assert not [name for name in (*FailureType, *Sign) if "_" in name and name in why]
        assert len(why) < 200


def test_the_reason_for_a_fix_names_the_cause_the_place_and_what_was_seen() -> None:
    why = next(why for verb, why in _play("site-errors-above-limit") if verb is ActionType.RESTART)
    assert why.startswith("It looks like memory leak at notifications (")
    assert "since notifications shows: heap growth" in why


def test_the_reason_for_a_pause_is_what_the_audit_log_shows() -> None:
    why = next(why for verb, why in _play("checkout-times-out") if verb is ActionType.PAUSE)
    assert why == "autoscaler went beyond its policy, as its audit log shows."
