"""Batches in several processes give what one process gives."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator

import pytest

from chaosops.agents.policies import expert_policy, pass_turn, random_policy
from chaosops.agents.runner import iter_batch, run_batch, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.env.world_sim import Scenario
from chaosops.worker_process import WorkerError
from tests.worlds import DEV, SRE, scenario

NAMES = ("paying-ends-in-an-error", "search-p99-high")


def played() -> list[Scenario]:
    return [scenario(name, seed) for name in NAMES for seed in range(3)]


def ends_its_process(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    if (
        observation.view.status.title == scenario("paying-ends-in-an-error", 0).page
        and observation.step > 7
    ):
        os._exit(5)
    return pass_turn(observation, role)


def raises(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    if observation.step > 7:
        raise KeyError("oops")
    return pass_turn(observation, role)


@pytest.mark.slow
def test_several_processes_give_the_results_of_one() -> None:
    policies = {role: expert_policy(k) for k, role in enumerate(TURN_ORDER)}
    alone = run_batch(played(), policies)
    assert run_batch(played(), policies, jobs=2) == alone
    assert [result.scenario.label for result in alone] == [one.label for one in played()]


@pytest.mark.slow
def test_results_can_go_without_their_frames() -> None:
    policies = {SRE: random_policy(3)}
    whole = run_batch(played(), policies)
    for jobs in (1, 2):
        short = run_batch(played(), policies, jobs=jobs, keep_steps=False)
        assert [result.steps for result in short] == [()] * len(whole)
        assert [result.model_copy(update={"steps": ()}) for result in whole] == short


@pytest.mark.slow
def test_a_policy_that_raises_costs_its_episode_as_in_one_process() -> None:
    found = run_batch(played()[:2], {DEV: raises}, jobs=2)
    assert found == run_batch(played()[:2], {DEV: raises})
    assert all("KeyError" in result.error for result in found)


@pytest.mark.slow
def test_a_policy_that_ends_its_process_costs_its_episode_alone() -> None:
    found = run_batch(played(), {SRE: ends_its_process}, jobs=2)
    passed = run_batch(played(), {})
    for result, idle in zip(found, passed, strict=True):
        if result.scenario.id == "paying-ends-in-an-error":
            assert "ended with exit code 5" in result.error
            assert not result.resolved
            assert result.steps == idle.steps
        else:
            assert result == idle


def test_a_policy_that_cannot_be_sent_is_an_error_that_names_its_role_and_the_cure() -> None:
    def local(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        return pass_turn(observation, role)

    policies = {SRE: pass_turn, DEV: local}
    with pytest.raises(WorkerError, match=r"policy of dev cannot be sent.*top level of a module"):
        iter_batch(played(), policies, jobs=2)


@pytest.mark.parametrize("jobs", [0, -1])
def test_no_process_is_an_error(jobs: int) -> None:
    with pytest.raises(ValueError, match="1 or more"):
        iter_batch(played(), {}, jobs=jobs)


@pytest.mark.slow
def test_scenarios_are_read_as_they_are_needed() -> None:
    read = []

    def endless() -> Iterator[Scenario]:
        seed = 0
        while True:
            read.append(seed)
            yield scenario("paying-ends-in-an-error", seed)
            seed += 1

    results = iter_batch(endless(), {}, jobs=2)
    first = [next(results) for _ in range(5)]
    assert isinstance(results, Generator)
    results.close()
    assert [result.scenario.seed for result in first] == list(range(5))
    assert len(read) < 500
    assert first[0] == run_episode(
        ChaosOpsEnvironment(), scenario("paying-ends-in-an-error", 0), {}
    )
