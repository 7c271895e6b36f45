"""The process figures that a debrief tells, computed anew from the frames of played games."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from chaosops.agents.policies import expert_policy
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType
from chaosops.evaluation.process_figures import process_figures
from chaosops.play.process_words import process_words
from chaosops.scenarios.scenario import Scenario


def eased(steps: Sequence[EpisodeStep], landed: Sequence[int]) -> int | None:
    """The first minute of two in which users had relief after something had landed."""
    worst, run = 0.0, 0
    for step in steps:
        status = step.observation.view.status
        failed, allowed = 1 - status.users_ok, 1 - status.slo
        worst = max(worst, failed)
        has_acted = any(minute <= status.minute for minute in landed)
        has_relief = worst > allowed and (failed <= worst / 2 or failed <= allowed)
        run = run + 1 if has_acted and has_relief else 0
        if run == 2:
            return status.minute - 1
    return None


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("checkout-times-out", 3),
        ("slow-then-errors", 2),
        ("paying-ends-in-an-error", 3),
    ],
)
def test_grounded_and_the_time_to_ease_are_what_the_frames_of_a_game_say(
    name: str, seed: int
) -> None:
    scenario, expert = Scenario.load(name, seed=seed), expert_policy(seed)
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    while not stepper.done:
        stepper.take(expert(stepper.observation, stepper.role))
    figures = process_figures(scenario, stepper.steps)
    landed = [item.minute for item in stepper.observation.view.landings or ()]
    minute = eased(stepper.steps, landed)
    assert minute is not None
    assert figures.time_to_ease == minute
    by_verb = [(step.action.action_type, step) for step in stepper.steps]
    named = [step for verb, step in by_verb if verb is ActionType.DIAGNOSE][-1]
    telling = {
        (item.source.value, item.at)
        for item in scenario.incident.evidence
        if named.action.args["cause"] in item.supports
    }
    before = {
        (step.action.args["source"], step.action.target)
        for verb, step in by_verb
        if verb is ActionType.INVESTIGATE and step.turn < named.turn
    }
    assert figures.grounded is bool(telling & before)
    told = list(process_words(figures))
    assert any(f" {minute} min after the page" in sentence for sentence in told)
    assert told[0].startswith("Grounded diagnosis" if telling & before else "Ungrounded diagnosis")
