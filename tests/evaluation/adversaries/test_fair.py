"""Time to tell a cause, and mitigations that may be taken early."""

from __future__ import annotations

import pytest

from chaosops.env.models import FailureType
from chaosops.evaluation.adversaries import fair
from chaosops.evaluation.adversaries.fair import EnoughTime, minute_told, mitigations_help
from chaosops.evaluation.measurement import ALL_LEVELS
from chaosops.scenarios.incident import Incident
from chaosops.scenarios.rendering import ScenarioSource
from tests.evaluation.adversaries.helpers import study_of
from tests.worlds import scenario, situations


def cast_incident(name: str, seed: int) -> Incident:
    return scenario(name, seed).incident


def test_a_lock_is_told_in_the_first_turn_of_who_may_look_inside() -> None:
    """SRE has the first turn, and the sessions show the holder at once."""
    for seed in range(40):
        played = scenario("checkout-times-out", seed)
        if played.failure_type is FailureType.ROW_LOCK:
            assert minute_told(played, cast_incident("checkout-times-out", seed)) == 0
            return
    pytest.fail("no seed has drawn a row lock")


def test_a_cause_that_no_reading_settles_is_unfair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair, "facts", lambda finding: ())
    figure = EnoughTime().measure(study_of("search-p99-high"), ALL_LEVELS)["fair"]
    assert figure.value == 0.0


def test_a_step_that_comes_too_early_is_unfair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair, "AHEAD", 60)
    figure = EnoughTime().measure(study_of("search-p99-high"), ALL_LEVELS)["fair"]
    assert figure.value == 0.0


def test_a_mitigation_that_helps_nothing_is_told() -> None:
    """Restarting a service that no request depends on is a wrong fix."""
    for seed in range(40):
        incident = cast_incident("search-p99-high", seed)
        eases = incident.faults[0].mitigates
        if eases and eases[0].action.value == "restart":
            moved = eases[0].model_copy(update={"target": "notifications"})
            fault = incident.faults[0].model_copy(update={"mitigates": (moved,)})
            wrong = incident.model_copy(update={"faults": (fault,)})
            assert not any(mitigations_help(scenario("search-p99-high", seed), wrong))
            assert all(mitigations_help(scenario("search-p99-high", seed), incident))
            return
    pytest.fail("no seed has a restart that helps")


@pytest.mark.proof
@pytest.mark.parametrize("source", situations(), ids=lambda source: source.id)
def test_every_situation_leaves_time_and_no_early_mitigation_is_wrong(
    source: ScenarioSource,
) -> None:
    figures = EnoughTime().measure(study_of(source.id, seeds=tuple(range(40))), ALL_LEVELS)
    assert figures["fair"].value == 1.0
    assert figures["easing"].value == 1.0 or not figures["easing"].n
