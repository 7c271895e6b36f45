"""What is played as a baseline."""

from __future__ import annotations

import json
import os

import pytest

from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.evaluation.baselines.constant import constant_answers, constant_seats
from chaosops.evaluation.baselines.episodes import BaselineEpisode, play_baselines
from chaosops.evaluation.process_figures import process_of
from chaosops.scenarios.loader import open_scenario
from chaosops.worker_pool import WorkerPool
from tests.worlds import scenario

NAMES = ("paying-ends-in-an-error", "search-p99-high")


def raises(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    raise KeyError("oops")


def ends_its_process(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    if observation.step > 7:
        os._exit(5)
    return pass_turn(observation, role)


def played(*policies: str, jobs: int = 1, seeds: tuple[int, ...] = (0, 1)) -> list[BaselineEpisode]:
    sources = [open_scenario(name) for name in NAMES]
    with WorkerPool(jobs) as pool:
        return list(play_baselines(sources, seeds, policies, pool))


@pytest.mark.slow
def test_noop_and_the_constant_answer_are_always_played() -> None:
    found = played("random")
    assert [(one.scenario, one.seed, one.policy) for one in found] == [
        (name, seed, policy)
        for name in NAMES
        for seed in (0, 1)
        for policy in ("noop", "constant", "random")
    ]
    assert played("noop", "random", "random") == found


@pytest.mark.slow
def test_an_episode_is_what_the_policy_plays_in_all_seats() -> None:
    for one in played("expert")[2::3]:
        incident = scenario(one.scenario, one.seed)
        seats = seat_policies(dict.fromkeys(TURN_ORDER, "expert"), incident)
        result = run_episode(ChaosOpsEnvironment(), incident, seats)
        assert one.reward == result.cumulative_reward == sum(one.rewards)
        assert (one.resolved, one.turns) == (result.resolved, len(one.rewards))
        assert one.cause == str(incident.failure_type)
        assert one.process == process_of(result)


@pytest.mark.slow
def test_several_processes_give_the_same_rows() -> None:
    assert played("random", jobs=2) == played("random")


@pytest.mark.slow
def test_a_row_is_json_with_the_process_figures() -> None:
    (row, *_others) = (one.row() for one in played())
    assert json.loads(json.dumps(row)) == row
    assert {"grounded", "coverage", "looks", "time_to_ease", "rewards", "error"} <= set(row)
    assert row["error"] is None


def test_the_constant_answer_is_the_commonest_solution_and_sees_nothing() -> None:
    sources = [open_scenario(name) for name in ("paying-ends-in-an-error", "errors-come-and-go")]
    answers = constant_answers(sources, (0,))
    incident = scenario("paying-ends-in-an-error", 0)
    assert set(answers) == {incident.topology_id}
    result = run_episode(ChaosOpsEnvironment(), incident, constant_seats(incident, answers))
    taken = [step for step in result.steps if step.action.action_type != "noop"]
    solution = answers[incident.topology_id]
    done = {(step.role, step.action.action_type, step.action.target) for step in taken}
    assert done <= {(step.role, step.action, step.target) for step in solution}
    assert done
    other = scenario("errors-come-and-go", 0)
    again = run_episode(ChaosOpsEnvironment(), other, constant_seats(other, answers))
    first = [step.action for step in again.steps[:4]]
    assert first == [step.action for step in result.steps[:4]]


def test_the_constant_answer_is_from_seeds_that_are_not_played() -> None:
    sources = [open_scenario("search-p99-high")]
    assert constant_answers(sources, (0, 1)) == constant_answers(sources, (5,))


def test_a_policy_that_raises_is_counted_unresolved_with_its_error() -> None:
    found = played(f"{__name__}:raises", seeds=(0,))
    bad = [one for one in found if one.policy.endswith("raises")]
    assert len(bad) == 2
    assert all("KeyError" in one.error and not one.resolved for one in bad)
    idle = [one for one in found if one.policy == "noop"]
    assert [one.reward for one in bad] == [one.reward for one in idle]


@pytest.mark.slow
def test_a_policy_that_ends_its_process_costs_its_episodes_alone() -> None:
    found = played(f"{__name__}:ends_its_process", jobs=2, seeds=(0,))
    bad = [one for one in found if one.policy.endswith("process")]
    assert all("exit code 5" in one.error and not one.resolved for one in bad)
    assert [one for one in found if not one.error] == played(seeds=(0,))


@pytest.mark.few(1)
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_batch_leaves_no_process(jobs: int) -> None:
    sources = [open_scenario(name) for name in NAMES]
    with WorkerPool(jobs) as pool:
        rows = play_baselines(sources, range(50), ("random",), pool)
        assert next(rows).policy == "noop"
        rows.close()  # type: ignore[attr-defined]
