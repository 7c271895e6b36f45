"""How a team worked, computed from frames."""

from __future__ import annotations

import pytest

from chaosops.agents.runner import run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER
from chaosops.evaluation.process_figures import (
    ProcessFigures,
    ProcessMeans,
    process_figures,
    process_of,
)
from tests.worlds import Move, hand_made, move, play, scenario

PLAYED = hand_made(casts=[{"cause": "deadlock", "places": ["db"]}])
"""Both the sessions and the log of `db` tell a deadlock."""

RUNTIME = move("investigate", "db", source="runtime")
LOGS = move("investigate", "db", source="logs")
METRICS = move("investigate", "db", source="metrics")
RIGHT = move("diagnose", None, cause="db_deadlock")
WRONG = move("diagnose", None, cause="memory_leak")
NAME = "checkout-times-out"


def figures(moves: dict[int, Move], turns: int | None = None) -> ProcessFigures:
    return process_figures(PLAYED, play(PLAYED, moves, turns=turns).steps)


def test_a_team_that_passes_has_looked_at_nothing_and_named_nothing() -> None:
    assert figures({}) == ProcessFigures(None, 0.0, 0, 0, None, None)


def test_a_diagnosis_is_grounded_if_a_supporting_reading_was_seen_before_it() -> None:
    assert figures({0: RUNTIME, 4: RIGHT}, 6).grounded is True
    assert figures({0: RIGHT, 4: RUNTIME}, 9).grounded is False
    assert figures({0: RUNTIME, 2: RIGHT}, 6).grounded is True
    assert (
        figures({0: move("investigate", "cart", source="runtime"), 4: RIGHT}, 6).grounded is False
    )


def test_a_reading_supports_the_cause_that_it_tells_and_no_other() -> None:
    assert figures({0: RUNTIME, 4: WRONG}, 6).grounded is False
    assert figures({0: METRICS, 4: RIGHT}, 6).grounded is False


def test_the_last_diagnosis_is_the_one_that_has_to_be_grounded() -> None:
    both = figures({0: RUNTIME, 2: RIGHT, 4: WRONG}, 6)
    assert both.grounded is False
    assert both.time_to_diagnose == 2


def test_coverage_is_the_share_of_the_telling_places_that_were_looked_at() -> None:
    assert figures({0: RUNTIME}, 6).coverage == 0.5
    assert figures({0: RUNTIME, 2: LOGS}, 8).coverage == 1.0
    assert figures({0: METRICS}, 6).coverage == 0.0


def test_a_look_in_the_last_round_counts_though_no_later_frame_shows_it() -> None:
    assert figures({0: RUNTIME}, 1).coverage == 0.5
    assert figures({2: LOGS}, 3).coverage == 0.5
    assert figures({0: METRICS}, 1).coverage == 0.0


def test_a_refused_action_is_no_look_and_no_diagnosis() -> None:
    bad = move("investigate", "nowhere", source="runtime")
    found = figures({0: bad, 4: move("diagnose", None, cause="")}, 6)
    assert (found.looks, found.grounded) == (0, None)
    assert figures({0: bad}, 1).looks == 0


def test_a_look_that_shows_nothing_new_is_redundant() -> None:
    assert figures({0: RUNTIME, 4: RUNTIME, 8: RUNTIME}, 10).redundant_looks == 2
    other = figures({0: RUNTIME, 4: METRICS}, 6)
    assert (other.looks, other.redundant_looks) == (2, 0)


def test_a_look_after_something_landed_checks_it_and_is_not_redundant() -> None:
    restart = move("restart", "cart")
    steps = play(PLAYED, {0: RUNTIME, 4: restart, 12: RUNTIME}, turns=14).steps
    assert any(item.lands <= 12 for item in steps[12].observation.view.landed)
    assert process_figures(PLAYED, steps).redundant_looks == 0


def test_a_look_that_a_teammate_took_before_is_redundant_too() -> None:
    assert figures({0: LOGS, 2: LOGS}, 6).redundant_looks == 1


def test_users_are_eased_once_a_fix_has_landed_and_half_as_many_requests_fail() -> None:
    played = hand_made()
    stepper = play(played, {4: move("terminate", "db")})
    found = process_figures(played, stepper.steps)
    statuses = [step.observation.view.status for step in stepper.steps]
    minute = found.time_to_ease
    assert minute is not None
    landed = next(item.lands for step in stepper.steps for item in step.observation.view.landed)
    worst = max(1.0 - status.users_ok for status in statuses[:minute])
    assert landed <= minute
    assert 1.0 - statuses[minute].users_ok <= max(worst / 2, 1.0 - statuses[minute].slo)
    assert process_figures(played, play(played).steps).time_to_ease is None


def test_what_the_automation_or_the_world_eases_is_not_the_teams_doing() -> None:
    played = scenario("checkout-times-out", 2)
    assert process_figures(played, play(played).steps).time_to_ease is None


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["checkout-times-out", "sign-in-errors", "search-p99-high"])
def test_a_situation_has_the_telling_readings_of_the_cause_that_was_drawn(name: str) -> None:
    for seed in range(3):
        played = scenario(name, seed)
        (first, *_others) = played.incident.evidence
        look = move("investigate", first.at, source=first.source.value)
        cause = move("diagnose", None, cause=str(played.failure_type))
        seat = 2 if first.source.value in ("changes", "config", "traces", "logs") else 0
        steps = play(played, {seat: look, seat + 4: cause}, turns=seat + 6).steps
        found = process_figures(played, steps)
        assert found.looks == 1
        assert found.grounded is True
        assert found.coverage is not None
        assert found.coverage > 0.0


def test_the_acts_of_a_guilty_agent_are_a_telling_reading() -> None:
    played = next(
        one
        for one in (scenario("search-p99-high", seed) for seed in range(40))
        if any(agent.is_guilty for agent in one.incident.automation)
    )
    (agent,) = (agent.name for agent in played.incident.automation if agent.is_guilty)
    look = move("investigate", agent, source="automation")
    found = process_figures(played, play(played, {1: look}, turns=3).steps)
    assert found.coverage is not None
    assert found.coverage > 0.0


@pytest.mark.slow
def test_an_expert_works_better_than_one_who_guesses() -> None:
    means = {name: ProcessMeans() for name in ("expert", "oracle", "heuristic")}
    for name, total in means.items():
        for seed in range(3):
            played = scenario(NAME, seed)
            seats = seat_policies(dict.fromkeys(TURN_ORDER, name), played)
            total.add(process_of(run_episode(ChaosOpsEnvironment(), played, seats)))
    expert, oracle, heuristic = (total.figures() for total in means.values())
    assert expert["grounded_share"] == 1.0
    assert oracle["grounded_share"] == 0.0
    assert (oracle["looks"], oracle["time_to_diagnose"]) == (0.0, pytest.approx(2, abs=2))
    assert expert["coverage"] is not None
    assert heuristic["coverage"] is not None
    assert expert["coverage"] > heuristic["coverage"]


def test_means_leave_out_what_there_is_not() -> None:
    means = ProcessMeans()
    assert set(means.figures().values()) == {None}
    means.add(ProcessFigures(True, 0.5, 4, 1, 10, None))
    means.add(ProcessFigures(None, 1.0, 2, 0, None, None))
    assert means.figures() == {
        "grounded_share": 1.0,
        "coverage": 0.75,
        "looks": 3.0,
        "redundant_looks": 0.5,
        "time_to_ease": 10.0,
        "time_to_diagnose": None,
    }


def test_figures_can_be_dumped_and_validated() -> None:
    found = ProcessFigures(True, 0.5, 4, 1, 10, None)
    assert ProcessFigures.model_validate(found.model_dump()) == found
