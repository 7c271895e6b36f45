"""What an incident of a shift takes over changes its fleet and its budget, and nothing else."""

from __future__ import annotations

import pytest

from chaosops.agents.policies import expert_policy, pass_turn
from chaosops.agents.runner import EpisodeResult, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ServiceKind
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.carryover import Carryover, Improvement, matters

FRESH = Carryover(budget=100, worth=100)


def carrying(name: str, seed: int, improvement: Improvement | None = None, **what: int) -> Scenario:
    carried = Carryover(**{"budget": 100, "worth": 100, **what}, improvement=improvement)
    return Scenario.load(name, seed).carrying(carried)


def left_alone(scenario: Scenario) -> EpisodeResult:
    return run_episode(ChaosOpsEnvironment(), scenario, dict.fromkeys(TURN_ORDER, pass_turn))


def failed(scenario: Scenario) -> float:
    """The mean failed share of the first half hour if nobody acts."""
    steps = left_alone(scenario).steps[:30]
    return sum(1.0 - step.observation.view.status.users_ok for step in steps) / len(steps)


def test_a_full_budget_of_its_own_size_and_no_improvement_give_the_ordinary_game() -> None:
    plain = left_alone(Scenario.load("checkout-times-out", 1_000))
    shift = left_alone(carrying("checkout-times-out", 1_000))
    assert shift.steps == plain.steps


def test_the_budget_begins_where_the_last_incident_left_it() -> None:
    scenario = carrying("checkout-times-out", 1_000, budget=41, worth=180)
    first = ChaosOpsEnvironment().reset(scenario)
    assert first.view.status.budget == 41


def test_a_larger_budget_is_spent_more_slowly() -> None:
    own = left_alone(carrying("checkout-times-out", 1_000)).steps[20]
    larger = left_alone(carrying("checkout-times-out", 1_000, worth=200)).steps[20]
    spent, less = (100 - step.observation.view.status.budget for step in (own, larger))
    assert less == pytest.approx(spent / 2, abs=1)


def test_an_incident_is_over_when_the_shifts_budget_is_spent() -> None:
    short = left_alone(carrying("checkout-times-out", 1_000, budget=10, worth=100))
    whole = left_alone(carrying("checkout-times-out", 1_000))
    assert short.final_step < whole.final_step
    assert not short.resolved


def test_what_an_incident_spent_of_its_own_budget_is_told_from_the_shifts() -> None:
    carried = Carryover(budget=80, worth=180)
    assert carried.own_budget(80) == 100.0
    assert carried.own_budget(60) == pytest.approx(64.0)
    assert carried.own_budget(0) < 0.0


def test_headroom_adds_instances_at_the_edge_and_in_the_app_tier_alone() -> None:
    plain = Scenario.load("checkout-times-out", 1_000)
    grown = carrying("checkout-times-out", 1_000, Improvement.HEADROOM)
    assert grown.topology.names() == plain.topology.names()
    for before, after in zip(plain.topology.services, grown.topology.services, strict=True):
        app = before.kind in (ServiceKind.EDGE, ServiceKind.APP)
        assert (after.replicas > before.replicas) is (app and before.replicas < before.max_replicas)
        assert after.replicas <= after.max_replicas


def test_headroom_eases_a_bad_release_on_some_instances() -> None:
    plain = Scenario.load("site-errors-above-limit", 1_002)
    assert plain.failure_type == "bad_release"
    grown = carrying("site-errors-above-limit", 1_002, Improvement.HEADROOM)
    assert failed(grown) < 0.8 * failed(plain)


def test_a_retry_budget_eases_a_lack_of_capacity() -> None:
    plain = Scenario.load("search-p99-high", 1_000)
    assert plain.failure_type == "blocked_capacity"
    budgeted = carrying("search-p99-high", 1_000, Improvement.RETRY_BUDGET)
    assert failed(budgeted) < 0.95 * failed(plain)


def test_a_freeze_stops_promotions_and_requests_of_a_deploy_bot() -> None:
    plain = Scenario.load("checkout-times-out", 1_000)
    frozen = carrying("checkout-times-out", 1_000, Improvement.DEPLOY_FREEZE)
    before, after = left_alone(plain), left_alone(frozen)

    def promotions(result: EpisodeResult) -> set[object]:
        return {
            event
            for step in result.steps
            for event in step.observation.view.audit or ()
            if event.agent == "deploy_bot" and event.act.startswith("promote")
        }

    assert promotions(before)
    assert not promotions(after)
    assert all(one.agent != "deploy_bot" for one in frozen.incident.asked)
    assert {one.author for one in plain.incident.changes} >= {"deploy_bot"}
    assert "deploy_bot" not in {one.author for one in frozen.incident.changes}


def test_a_bot_that_is_the_cause_does_not_keep_to_the_freeze() -> None:
    source = Scenario.load("sign-in-errors", 0).source
    seeds = range(1_000, 1_200)
    drawn = (Scenario.of(source, seed) for seed in seeds)
    rogue = next(one for one in drawn if one.failure_type == "rogue_deploy_bot")
    frozen = rogue.carrying(Carryover(budget=100, worth=100, improvement=Improvement.DEPLOY_FREEZE))
    assert failed(frozen) > 0.5 * failed(rogue)
    expert = dict.fromkeys(TURN_ORDER, expert_policy(rogue.seed))
    assert run_episode(ChaosOpsEnvironment(), frozen, expert).resolved


def test_a_freeze_matters_only_where_a_bot_deploys() -> None:
    without = Scenario.load("pages-stall-now-and-then", 1_000)
    with_bot = Scenario.load("checkout-times-out", 1_000)
    freeze = Improvement.DEPLOY_FREEZE
    assert not matters(freeze, without.topology, without.incident)
    assert matters(freeze, with_bot.topology, with_bot.incident)


@pytest.mark.parametrize("improvement", Improvement)
def test_the_cause_is_the_same_with_every_improvement(improvement: Improvement) -> None:
    plain = Scenario.load("errors-come-and-go", 1_004)
    better = carrying("errors-come-and-go", 1_004, improvement)
    assert better.incident.drawn.cause == plain.incident.drawn.cause
    assert better.incident.drawn.place == plain.incident.drawn.place
    assert better.incident.solution == plain.incident.solution


def test_one_environment_plays_both_kinds_of_games_as_new_ones_would() -> None:
    plain = Scenario.load("search-p99-high", 1_000)
    budgeted = carrying("search-p99-high", 1_000, Improvement.RETRY_BUDGET)
    expert = dict.fromkeys(TURN_ORDER, expert_policy(plain.seed))
    shared = ChaosOpsEnvironment()
    for scenario in (plain, budgeted, plain):
        again = run_episode(shared, scenario, expert)
        assert again.steps == run_episode(ChaosOpsEnvironment(), scenario, expert).steps


def test_a_scenario_with_a_carryover_survives_being_dumped_and_validated() -> None:
    scenario = carrying("checkout-times-out", 1_000, Improvement.HEADROOM, budget=55, worth=180)
    again = Scenario.model_validate_json(scenario.model_dump_json())
    assert again == scenario
    assert again != Scenario.load("checkout-times-out", 1_000)
    assert again.topology == scenario.topology


def test_another_seed_of_it_takes_over_the_same() -> None:
    scenario = carrying("checkout-times-out", 1_000, Improvement.DEPLOY_FREEZE, budget=55)
    other = scenario.with_seed(1_001)
    expected = carrying("checkout-times-out", 1_001, Improvement.DEPLOY_FREEZE, budget=55)
    assert other == expected
    assert other.incident == expected.incident


def test_a_scenario_takes_over_something_once() -> None:
    with pytest.raises(ValueError, match="an incident of a shift already"):
        carrying("checkout-times-out", 1_000).carrying(FRESH)
