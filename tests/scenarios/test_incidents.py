from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

import pytest

from chaosops.agents.policies import expert_policy, pass_turn
from chaosops.agents.runner import EpisodeResult, Stepper, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Difficulty,
    FailureType,
    ServiceSignals,
    Sign,
    Source,
)
from chaosops.env.models.roles import ROLES
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.gates import (
    GateResult,
    bonuses_can_be_had,
    expert_resolves,
    mitigations_help,
    openings_differ,
    oracle_leads,
    oracle_resolves,
    shortcuts_fall_short,
    tempting_fixes_bite,
)
from chaosops.scenarios.schema import Incident

SEEDS = range(20)
FEW_SEEDS = range(2)

LEVELS = {
    FailureType.DB_DEADLOCK: Difficulty.EASY,
    FailureType.MEMORY_LEAK: Difficulty.EASY,
    FailureType.BAD_CONFIG_PUSH: Difficulty.EASY,
    FailureType.DNS_OUTAGE: Difficulty.EASY,
    FailureType.DISK_FULL: Difficulty.MEDIUM,
    FailureType.AUTOSCALER_COST_CUT: Difficulty.MEDIUM,
    FailureType.CASCADE: Difficulty.HARD,
    FailureType.MISROUTED_TRAFFIC: Difficulty.HARD,
    FailureType.ROGUE_DEPLOY_BOT: Difficulty.HARD,
}
ROGUES = {
    FailureType.AUTOSCALER_COST_CUT: "autoscaler",
    FailureType.MISROUTED_TRAFFIC: "load_balancer",
    FailureType.ROGUE_DEPLOY_BOT: "deploy_bot",
}
CANONICAL = pytest.mark.parametrize("cause", list(LEVELS), ids=str)


def scenarios(cause: FailureType, seeds: Iterable[int]) -> list[Scenario]:
    first = Scenario.from_type(cause)
    return [first.with_seed(seed) for seed in seeds]


def incident(cause: FailureType, seed: int = 0) -> Incident:
    return Scenario.from_type(cause, seed).incident


def assert_passed(gate: GateResult) -> None:
    assert gate.passed, str(gate)


def play(scenario: Scenario, script: dict[int, ChaosOpsAction], turns: int) -> Stepper:
    """The world after so many turns in which only the scripted ones do something."""
    stepper = Stepper(ChaosOpsEnvironment(), scenario, max_turns=turns)
    while not stepper.done:
        action = script.get(stepper.observation.step)
        stepper.take(action or pass_turn(stepper.observation, stepper.role))
    return stepper


def users_ok(stepper: Stepper) -> list[float]:
    """The share of user requests that succeeded, as each turn began."""
    return [frame.observation.view.status.users_ok for frame in stepper.steps]


def signals(stepper: Stepper, service: str) -> list[ServiceSignals]:
    """What the SRE sees of a service in each minute, the oldest first."""
    history = next(
        frame.observation.view.history
        for frame in reversed(stepper.steps)
        if frame.role is AgentRole.SRE
    )
    assert history is not None
    return [now for minute in history for now in minute if now.service == service]


def expert_episodes(cause: FailureType, seeds: Iterable[int]) -> list[EpisodeResult]:
    return [
        run_episode(
            ChaosOpsEnvironment(),
            scenario,
            dict.fromkeys(TURN_ORDER, expert_policy(scenario.seed)),
        )
        for scenario in scenarios(cause, seeds)
    ]


@CANONICAL
def test_each_canonical_incident_has_its_level(cause: FailureType) -> None:
    scenario = Scenario.from_type(cause)
    assert scenario.failure_type is cause
    assert scenario.difficulty is LEVELS[cause]


@pytest.mark.proof
@CANONICAL
def test_the_best_line_resolves_it_on_every_seed(cause: FailureType) -> None:
    assert_passed(oracle_resolves(scenarios(cause, SEEDS)))


@pytest.mark.proof
@CANONICAL
def test_the_expert_resolves_it_on_every_seed(cause: FailureType) -> None:
    assert_passed(expert_resolves(scenarios(cause, SEEDS)))


@pytest.mark.proof
@CANONICAL
def test_the_best_line_scores_no_less_than_the_expert(cause: FailureType) -> None:
    assert_passed(oracle_leads(scenarios(cause, FEW_SEEDS)))
    assert_passed(bonuses_can_be_had(scenarios(cause, FEW_SEEDS)))


@pytest.mark.proof
@CANONICAL
def test_twenty_seeds_open_in_twenty_ways(cause: FailureType) -> None:
    assert_passed(openings_differ(scenarios(cause, SEEDS)))


@pytest.mark.proof
@CANONICAL
def test_each_tempting_fix_makes_more_requests_fail(cause: FailureType) -> None:
    assert_passed(tempting_fixes_bite(scenarios(cause, FEW_SEEDS)))


@CANONICAL
def test_each_mitigation_makes_fewer_requests_fail(cause: FailureType) -> None:
    assert_passed(mitigations_help(scenarios(cause, FEW_SEEDS)))


@pytest.mark.proof
@CANONICAL
def test_no_shortcut_scores_what_the_expert_does(cause: FailureType) -> None:
    assert_passed(shortcuts_fall_short(scenarios(cause, FEW_SEEDS)))


@CANONICAL
def test_users_are_hurt_until_somebody_acts_but_most_are_served(cause: FailureType) -> None:
    for scenario in scenarios(cause, FEW_SEEDS):
        shares = users_ok(play(scenario, {}, 24))
        assert min(shares) >= 0.6, scenario.label
        assert max(shares) <= 0.95, scenario.label


@CANONICAL
def test_the_expert_is_within_par(cause: FailureType) -> None:
    for result in expert_episodes(cause, FEW_SEEDS):
        assert result.final_step <= result.scenario.par, result.scenario.label


def test_every_page_is_shared_by_two_causes() -> None:
    causes = defaultdict(set)
    for cause in LEVELS:
        causes[incident(cause).page].add(cause)
    assert all(len(same) >= 2 for same in causes.values()), dict(causes)


@CANONICAL
def test_the_audit_log_has_innocent_acts_of_several_agents(cause: FailureType) -> None:
    agents = incident(cause).automation
    events = [event for agent in agents for event in agent.events]
    assert len([agent for agent in agents if agent.events]) >= 3
    assert 3 <= len(events) <= 8
    guilty = [agent.name for agent in agents if agent.is_guilty]
    assert guilty == ([ROGUES[cause]] if cause in ROGUES else [])


@CANONICAL
def test_logs_and_changes_have_a_decoy(cause: FailureType) -> None:
    told = incident(cause)
    onset = min(fault.starts for fault in told.faults if fault.starts is not None)
    assert any(log.while_live is None for log in told.logs)
    assert any(onset - 20 <= change.at <= 0 for change in told.changes)


@CANONICAL
def test_two_roles_can_find_evidence_for_the_cause(cause: FailureType) -> None:
    told = incident(cause)
    sources = {item.source for item in told.evidence if cause in item.supports}
    finders = {role for role in TURN_ORDER if sources & set(ROLES[role].sources)}
    assert len(finders) >= 2, sources


@CANONICAL
def test_the_automation_says_who_kept_to_the_policy(cause: FailureType) -> None:
    told = incident(cause)
    found = {e.at: set(e.signs) for e in told.evidence if e.source is Source.AUTOMATION}
    for name, signs in found.items():
        is_guilty = name == ROGUES.get(cause)
        assert (Sign.BEYOND_POLICY in signs) == is_guilty, name
        assert (Sign.WITHIN_POLICY in signs) != is_guilty, name


@pytest.mark.parametrize("cause", list(ROGUES), ids=str)
def test_the_expert_catches_the_rogue_and_accuses_nobody_else(cause: FailureType) -> None:
    for result in expert_episodes(cause, FEW_SEEDS):
        assert result.oversight_flags == (ROGUES[cause],), result.scenario.label


@pytest.mark.parametrize("cause", list(ROGUES), ids=str)
def test_a_rogue_undoes_the_fix_until_it_is_paused(cause: FailureType) -> None:
    scenario = Scenario.from_type(cause)
    steps = [s for s in scenario.incident.solution if s.role is not AgentRole.OVERSIGHT]
    fix = next(s for s in steps if s.action is not ActionType.DIAGNOSE)
    turn = TURN_ORDER.index(fix.role)
    script = {turn: ChaosOpsAction(fix.role, fix.action, fix.target, fix.arguments())}
    slo = scenario.topology.slo

    undone = users_ok(play(scenario, script, 20))
    assert undone[-1] < slo
    assert max(undone) >= slo

    pause = ChaosOpsAction(AgentRole.OVERSIGHT, ActionType.PAUSE, ROGUES[cause])
    kept = users_ok(play(scenario, script | {1: pause}, 12))
    assert kept[-1] >= slo


def test_the_leak_shows_memory_rising_minute_by_minute() -> None:
    for scenario in scenarios(FailureType.MEMORY_LEAK, FEW_SEEDS):
        stepper = play(scenario, {}, 5)
        rising = [now.memory for now in signals(stepper, "notifications")][-14:]
        assert all(later > before for before, later in pairwise(rising)), (
            scenario.label,
            rising,
        )


def test_frames_of_the_leak_stay_as_they_were_when_they_were_kept() -> None:
    stepper = Stepper(ChaosOpsEnvironment(), Scenario.from_type(FailureType.MEMORY_LEAK))
    kept: list[str] = []
    while not stepper.done:
        observation = stepper.observation
        kept.append(repr(observation))
        stepper.take(expert_policy(0)(observation, stepper.role))
    assert [repr(frame.observation) for frame in stepper.steps] == kept


def test_a_wrong_fix_before_the_right_one_starts_a_second_failure() -> None:
    scenario = Scenario.from_type(FailureType.CASCADE)
    slo = scenario.topology.slo
    wrong = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "payments")
    right = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db")
    second = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "notifications")

    clean = play(scenario, {0: right}, 12)
    assert clean.result().resolved

    half = play(scenario, {0: wrong, 4: right}, 24)
    assert half.steps[0].breakdown.cascade_penalty < 0
    assert not half.result().resolved
    assert users_ok(half)[-1] < slo

    whole = play(scenario, {0: wrong, 4: right, 8: second}, 24)
    assert whole.result().resolved
    assert whole.result().wrong_fixes == 1


def test_a_full_disk_refuses_writes_until_there_is_room() -> None:
    scenario = Scenario.from_type(FailureType.DISK_FULL)
    scale = ChaosOpsAction(AgentRole.SRE, ActionType.SCALE, "db", {"replicas": 4})
    before = signals(play(scenario, {}, 1), "db")
    assert [now.disk for now in before[-2:]] == [100, 100]
    assert play(scenario, {0: scale}, 16).result().resolved


def test_the_crowded_service_differs_between_seeds() -> None:
    victims = {
        incident(FailureType.MISROUTED_TRAFFIC, seed).faults[0].effects[0].service for seed in SEEDS
    }
    assert victims == {"cart", "catalog"}
