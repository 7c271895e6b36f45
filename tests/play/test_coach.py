"""The coach says only what is true of the game, whatever the player does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.agents.policies import expert_policy, random_policy, steady_policy
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, Difficulty
from chaosops.env.models.verbs import FIXES
from chaosops.play.action_form.suggestions import offers_of
from chaosops.play.coach import Advice, advise
from tests.worlds import built_in, scenario

LESSONS = [source.id for source in built_in() if source.level is Difficulty.TUTORIAL]


def contradictions(stepper: Stepper, advice: Advice) -> list[str]:
    """What the advice says that the view contradicts."""
    view, action = stepper.observation.view, advice.action
    text = f"{advice.opening} {advice.text}"
    is_well = view.status.users_ok >= view.status.slo
    found = []
    if action is not None:
        offered = {choice.action_type: choice for choice in view.allowed}
        choice = offered.get(ActionType(action.action_type))
        if choice is None or (choice.targets and action.target not in choice.targets):
            found.append("an action that the role can't take")
        if action.action_type in FIXES and any(
            (item.action_type, item.target) == (action.action_type, action.target)
            for item in view.in_flight
        ):
            found.append("a fix that is in flight already")
        if ("pass (0)" in text) is not (action.action_type is ActionType.NOOP):
            found.append("a pass beside something to do")
    if "in flight" in text and not view.in_flight:
        found.append("actions in flight, and there are none")
    if "Users get errors" in text and is_well:
        found.append("errors, and users are well")
    if "users are fine" in text.lower() and not is_well:
        found.append("that users are fine, and they are not")
    if "What you found" in text and not view.findings:
        found.append("findings, and there are none")
    if "owed an update" in text and view.due is None:
        found.append("an update, and none is due")
    if "A move waits" in text and not view.requests:
        found.append("a move that waits, and none does")
    return found


@pytest.mark.few(1)
@pytest.mark.parametrize("lesson", LESSONS)
@settings(max_examples=6)
@given(
    seed=st.integers(0, 10_000),
    role=st.sampled_from(TURN_ORDER),
    guided=st.booleans(),
    sense=st.integers(0, 3),
)
def test_no_advice_contradicts_the_state_over_random_play(
    lesson: str, seed: int, role: AgentRole, guided: bool, sense: int
) -> None:
    """The player follows the expert in `sense` of four turns, and does anything in the others."""
    played = scenario(lesson, seed % 50)
    stepper = Stepper(ChaosOpsEnvironment(), played)
    expert, mate, dice = expert_policy(seed), steady_policy(seed), random_policy(seed)
    offers = offers_of(played)
    while not stepper.done:
        if stepper.role is role:
            told = advise(stepper.observation, stepper.steps, expert, offers, guided=guided)
            assert not contradictions(stepper, told), told.text
            player = expert if len(stepper.steps) // 4 % 4 < sense else dice
            stepper.take(player(stepper.observation, role))
        else:
            stepper.take(mate(stepper.observation, stepper.role))


@pytest.mark.few(1)
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_is_resolved_by_the_advice_alone(lesson: str) -> None:
    played = scenario(lesson, 1)
    stepper = Stepper(ChaosOpsEnvironment(), played)
    expert, offers = expert_policy(1), offers_of(played)
    while not stepper.done:
        told = advise(stepper.observation, stepper.steps, expert, offers, guided=True)
        assert told.action is not None
        stepper.take(told.action)
    assert stepper.result().resolved
