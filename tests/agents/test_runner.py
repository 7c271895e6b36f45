"""The one loop: the stepper that everything drives, and the two ways to drain it."""

from __future__ import annotations

import pytest

from chaosops.agents.policies import pass_turn, random_policy
from chaosops.agents.runner import (
    EpisodeStep,
    PolicyError,
    Stepper,
    iter_batch,
    run_batch,
    run_episode,
)
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
)
from tests.worlds import DEV, SRE, hand_made, move, play


def test_run_episode_is_the_stepper_drained() -> None:
    played = hand_made()
    policies = {role: random_policy(k) for k, role in enumerate(TURN_ORDER)}
    stepper = Stepper(ChaosOpsEnvironment(), played)
    while not stepper.done:
        stepper.take(policies[stepper.role](stepper.observation, stepper.role))
    assert run_episode(ChaosOpsEnvironment(), played, policies) == stepper.result()


def test_a_frame_has_what_the_role_acted_on_and_what_came_of_it() -> None:
    stepper = play(hand_made(), turns=0)
    before = stepper.observation
    action = ChaosOpsAction(SRE, ActionType.RESTART, "cart")
    frame = stepper.take(action)
    assert frame == EpisodeStep(
        0, SRE, before, action, frame.breakdown.total, frame.breakdown, False, frame.message
    )
    assert frame.observation is before
    assert frame.action is action
    after = stepper.observation
    assert (after.reward, after.done, after.message) == (frame.reward, False, frame.message)
    assert after.step == 1


def test_the_stepper_can_be_asked_for_the_result_at_any_time() -> None:
    stepper = play(hand_made(), {0: move("restart", "db")}, turns=2)
    result = stepper.result()
    assert (result.resolved, result.final_step, result.mttr_steps) == (False, 2, -1)
    assert result.steps == stepper.steps
    assert result.error == ""
    while not stepper.done:
        stepper.take(None)
    assert len(result.steps) == 2


@pytest.mark.parametrize("junk", [None, "restart", 7, object(), [], {}, ActionType.NOOP])
def test_what_is_no_action_costs_the_turn(junk: object) -> None:
    stepper = play(hand_made(), turns=0)
    frame = stepper.take(junk)
    assert frame.breakdown.miscommunication_penalty == -20.0
    assert frame.role is frame.action.role is SRE
    assert "no action" in frame.message
    assert stepper.role is TURN_ORDER[1]


def _raises_at(turn: int, error: Exception) -> object:
    def policy(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        if observation.step >= turn:
            raise error
        return pass_turn(observation, role)

    return policy


def test_a_policy_error_names_the_role_the_turn_and_the_scenario_and_keeps_the_cause() -> None:
    cause = KeyError("db")
    with pytest.raises(PolicyError, match="dev") as caught:
        run_episode(ChaosOpsEnvironment(), hand_made(), {DEV: _raises_at(5, cause)})
    assert caught.value.__cause__ is cause
    for named in ("KeyError", "turn 6", hand_made().label):
        assert named in str(caught.value)
    assert caught.value.result.final_step == 6
    assert not caught.value.result.resolved
    assert all(frame.breakdown.terminal_penalty == 0.0 for frame in caught.value.result.steps)


class _Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_a_policy_whose_error_cannot_be_told_is_still_reported() -> None:
    with pytest.raises(PolicyError, match="_Unspeakable"):
        run_episode(ChaosOpsEnvironment(), hand_made(), {SRE: _raises_at(0, _Unspeakable())})


def test_a_long_error_is_cut() -> None:
    with pytest.raises(PolicyError) as caught:
        run_episode(
            ChaosOpsEnvironment(), hand_made(), {SRE: _raises_at(0, ValueError("x" * 9999))}
        )
    said = str(caught.value).partition(f"{hand_made().label}: ")[2]
    assert said == ("ValueError: " + "x" * 9999)[:200]


def test_an_interrupt_is_not_a_policy_error() -> None:
    def interrupted(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_episode(ChaosOpsEnvironment(), hand_made(), {SRE: interrupted})


def test_a_seat_that_is_no_policy_is_reported_as_one_that_raised() -> None:
    with pytest.raises(PolicyError, match="sre"):
        run_episode(ChaosOpsEnvironment(), hand_made(), {SRE: "expert"})


def test_a_batch_hands_out_each_result_as_soon_as_it_is_there() -> None:
    played = [hand_made(seed) for seed in range(3)]
    results = iter_batch(iter(played), {})
    first = next(results)
    assert first == run_episode(ChaosOpsEnvironment(), played[0], {})
    assert [result.scenario for result in results] == played[1:]


def test_an_empty_batch_has_no_results() -> None:
    assert run_batch([], {}) == []


def test_results_of_the_same_episode_are_equal_and_of_others_are_not() -> None:
    again = [run_batch([hand_made()], {SRE: random_policy(2)})[0] for _ in range(2)]
    assert again[0] == again[1]
    assert again[0] != run_batch([hand_made()], {SRE: random_policy(3)})[0]
