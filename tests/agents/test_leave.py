"""How the built-in policies answer what automation agents ask for."""

from __future__ import annotations

from collections import Counter

import pytest

from chaosops.agents.leave import answer_at_once, answer_request
from chaosops.agents.policies import expert_policy, oracle_policy, random_policy
from chaosops.agents.runner import EpisodeResult, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction
from chaosops.env.world_sim import Scenario

OVERSIGHT = AgentRole.OVERSIGHT
ANSWERS = {ActionType.GRANT, ActionType.DENY, ActionType.ASK}


def wrong_answers(result: EpisodeResult) -> int:
    """How many answers the last turn charges for."""
    last = result.steps[-1].breakdown
    return round(last.grant_penalty / -15.0)


def turns_of(result: EpisodeResult, *verbs: ActionType) -> list[ChaosOpsAction]:
    return [step.action for step in result.steps if step.action.action_type in verbs]


def played(name: str, seed: int, policy: str) -> EpisodeResult:
    scenario = Scenario.load(name, seed=seed)
    if policy == "oracle":
        seats = dict.fromkeys(TURN_ORDER, oracle_policy(scenario))
    else:
        make = expert_policy if policy == "expert" else random_policy
        seats = {role: make(seed) for role in TURN_ORDER}
    return run_episode(ChaosOpsEnvironment(), scenario, seats)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["site-errors-above-limit", "requests-fail-here-and-there"])
def test_the_expert_looks_who_is_guilty_and_then_answers_rightly_and_still_resolves(
    name: str,
) -> None:
    right = answered = in_haste = 0
    for seed in range(12):
        result = played(name, seed, "expert")
        assert result.resolved
        harmful = Scenario.load(name, seed=seed).harmful_requests
        for step in result.steps:
            if step.action.action_type in (ActionType.GRANT, ActionType.DENY):
                view = step.observation.view
                waiting = {one.number: one for one in view.agent_requests or ()}
                request = waiting[step.action.args["request"]]
                is_denied = step.action.action_type is ActionType.DENY
                looked = {finding.target for finding in view.findings}
                if not view.paused and not looked >= set(view.agents or ()):
                    # About to lapse: what nobody has seen evidence for is denied.
                    assert request.lapses <= view.status.minute + 5
                    assert is_denied or request.asked not in harmful
                    in_haste += 1
                    continue
                right += is_denied is (request.asked in harmful)
                answered += 1
    assert answered + in_haste >= 3
    assert right == answered


@pytest.mark.slow
def test_the_oracle_denies_what_was_drawn_to_do_harm_and_grants_the_rest() -> None:
    for seed in range(4):
        result = played("checkout-times-out", seed, "oracle")
        assert result.resolved
        assert wrong_answers(result) == 0


def test_a_random_seat_answers_only_what_is_open() -> None:
    verbs = Counter[ActionType]()
    for seed in range(4):
        result = played("profile-changes-lost", seed, "random")
        refused = [step for step in result.steps if step.observation.refused]
        assert refused == []
        verbs.update(ActionType(action.action_type) for action in turns_of(result, *ANSWERS))
    assert set(verbs) == ANSWERS


@pytest.mark.slow
def test_evidence_is_asked_for_once_and_decides() -> None:
    """The steps in that rest on an old reading are denied, and the others granted."""
    decided = Counter[tuple[bool, ActionType]]()
    for seed in range(14):
        scenario = Scenario.load("checkout-times-out", seed=seed)
        harmful = scenario.harmful_requests
        env = ChaosOpsEnvironment()
        seen = env.reset(scenario=scenario)
        asked = Counter[int]()
        while seen.view.status.minute < 20:
            action = None
            if seen.turn_role is OVERSIGHT:
                action = answer_request(seen.view)
            if action is not None:
                waiting = {one.number: one for one in seen.view.agent_requests or ()}
                request = waiting[action.args["request"]]
                if action.action_type is ActionType.ASK:
                    asked[request.number] += 1
                elif request.number in asked:
                    verb = ActionType(action.action_type)
                    decided[request.asked in harmful, verb] += 1
            seen = env.step(action or ChaosOpsAction(seen.turn_role, ActionType.NOOP))
            assert not seen.refused
        assert set(asked.values()) <= {1}
    assert decided[True, ActionType.DENY] > 0
    assert decided[False, ActionType.GRANT] > 0
    assert decided[True, ActionType.GRANT] == decided[False, ActionType.DENY] == 0


@pytest.mark.slow
def test_a_hurried_answer_reads_the_request_alone() -> None:
    verbs = set()
    for seed in range(6):
        env = ChaosOpsEnvironment()
        seen = env.reset(scenario=Scenario.load("checkout-times-out", seed=seed))
        for _turn in range(20):
            action = answer_at_once(seen.view) if seen.turn_role is OVERSIGHT else None
            verbs |= {action.action_type} if action is not None else set()
            seen = env.step(action or ChaosOpsAction(seen.turn_role, ActionType.NOOP))
    assert verbs == {ActionType.GRANT, ActionType.DENY}


def test_nobody_answers_where_nothing_is_asked() -> None:
    env = ChaosOpsEnvironment()
    seen = env.reset(scenario=Scenario.load("paying-ends-in-an-error", seed=0))
    assert answer_request(seen.view) is None
    assert answer_at_once(env.view_of(OVERSIGHT)) is None
