"""What each turn cost, in one process and in several."""

from __future__ import annotations

import pytest

from chaosops.agents.runner import EpisodeStep, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER
from chaosops.env.world_sim import Scenario
from chaosops.play.counterfactuals import hindsight, played_on
from tests.worlds import SRE, scenario


def game(name: str) -> tuple[Scenario, tuple[EpisodeStep, ...], list[int]]:
    """A game of the heuristic, and the first turns of its SRE."""
    incident = scenario(name, 2)
    seats = seat_policies(dict.fromkeys(TURN_ORDER, "heuristic"), incident)
    steps = run_episode(ChaosOpsEnvironment(), incident, seats).steps
    return incident, steps, [step.turn for step in steps if step.role is SRE][:5]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["paying-ends-in-an-error", "search-p99-high"])
def test_several_processes_find_the_same_costs_and_tell_the_same_progress(name: str) -> None:
    incident, steps, people = game(name)
    told: dict[int, list[float]] = {1: [], 2: []}
    found = {}
    for jobs, shares in told.items():

        def tick(done: float, shares: list[float] = shares) -> bool:
            shares.append(done)
            return True

        found[jobs] = hindsight(incident, steps, people, tick, jobs=jobs)
    assert found[1] == found[2]
    assert found[1] is not None
    assert found[1].costs
    assert told[1] == told[2] == sorted(told[1])
    assert (told[1][0], told[1][-1]) == (0.0, 1.0)
    actions = [step.action for step in steps]
    score = sum(step.reward for step in steps)
    for cost in found[1].costs:
        before = played_on(incident, actions[: cost.turn]).score
        after = played_on(incident, actions[: cost.turn + 1]).score
        assert cost.lost <= max(0.0, before - max(after, score))
    gap = found[1].gap
    assert gap.own == sum(cost.lost for cost in found[1].costs)
    assert gap.total == found[1].expert.score - score
    assert min(gap) >= 0.0


@pytest.mark.few(1)
@pytest.mark.parametrize("jobs", [1, 2])
def test_it_can_be_stopped(jobs: int) -> None:
    incident, steps, people = game("paying-ends-in-an-error")
    assert hindsight(incident, steps, people, lambda done: done < 0.3, jobs=jobs) is None
