from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from chaosops.agents.policies import expert_policy, make_policy
from chaosops.agents.runner import run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction, Health
from chaosops.scenarios.scenario import Scenario
from tests import sampling
from tests.env.situations import (
    harmful_cases,
    left_alone,
    sampled_cases,
    scenario,
    seeds_by_cause,
    sources,
)

CASES = sampled_cases()


@pytest.mark.few(1)
@pytest.mark.parametrize(("source", "cause"), sampling.sampled_cases(harmful_cases()))
def test_left_alone_it_gets_worse_until_it_is_taken_away(source: str, cause: str) -> None:
    made = scenario(source, cause)
    seen = left_alone(made)
    failed = [1.0 - one.view.status.users_ok for one in seen]
    assert 0.008 <= failed[0] <= 0.05
    early = sum(failed[0:5]) / 5
    late = sum(failed[26:31]) / 5
    assert late > 2.0 * early
    last = seen[-1].view.status
    assert last.budget == 0
    assert 1.2 * made.par <= last.minute <= 1.7 * made.par


@pytest.mark.few(1)
@pytest.mark.parametrize(("source", "cause"), CASES)
def test_no_ten_minutes_pass_without_anything_to_be_seen(source: str, cause: str) -> None:
    made = scenario(source, cause)
    seen = left_alone(made)
    told = [
        (
            sum(ticket.at <= one.view.status.minute for ticket in made.incident.tickets),
            tuple(alert.text for alert in one.view.alerts),
            tuple(now.health for now in one.view.services or ()),
            round(40.0 * (1.0 - one.view.status.users_ok)),
        )
        for one in seen
        if one.turn_role is AgentRole.SRE
    ]
    same = 0
    for before, now in pairwise(told):
        same = same + 4 if before == now else 0
        assert same < 12, one_line(now)


def one_line(told: object) -> str:
    return str(told)[:200]


@pytest.mark.few(1)
@pytest.mark.parametrize("source", sampling.sampled_sources(sources()))
def test_seeds_draw_every_cause_and_none_too_often(source: object) -> None:
    made = [Scenario.of(source, seed).incident for seed in range(140)]  # type: ignore[arg-type]
    counted = Counter(one.drawn.cause.id for one in made)
    assert set(counted) == set(seeds_by_cause(made[0].id))
    assert max(counted.values()) <= 2.2 * 140 / len(counted)


def test_the_same_seed_and_actions_give_the_same_frames() -> None:
    made = scenario("checkout-times-out", "pool_leak")
    policies = {role: make_policy("random", made, 4) for role in AgentRole}
    once = run_episode(ChaosOpsEnvironment(), made, policies)
    env = ChaosOpsEnvironment()
    run_episode(env, scenario("checkout-times-out", "row_lock"), policies)
    assert run_episode(env, made, policies).steps == once.steps


@pytest.mark.slow
def test_twenty_seeds_open_in_twenty_ways() -> None:
    env = ChaosOpsEnvironment()
    openings = {
        repr(env.reset(Scenario.load("checkout-times-out", seed)).view.history)
        for seed in range(20)
    }
    assert len(openings) == 20


@pytest.mark.few(1)
@pytest.mark.parametrize(("source", "cause"), CASES)
def test_the_expert_resolves_it_and_the_best_line_does(source: str, cause: str) -> None:
    made = scenario(source, cause)
    env = ChaosOpsEnvironment()
    expert = run_episode(env, made, {role: expert_policy(1) for role in AgentRole})
    assert expert.resolved
    assert expert.wrong_fixes == 0
    oracle = run_episode(env, made, {role: make_policy("oracle", made, 1) for role in AgentRole})
    assert oracle.resolved
    assert oracle.cumulative_reward >= expert.cumulative_reward


def _play(made: Scenario, turns: dict[int, ChaosOpsAction], last: int) -> ChaosOpsEnvironment:
    env = ChaosOpsEnvironment()
    seen = env.reset(made)
    while seen.step < last and not seen.done:
        action = turns.get(seen.step, ChaosOpsAction(seen.turn_role, ActionType.NOOP))
        seen = env.step(action)
    return env


def test_a_wrong_fix_is_charged_when_it_lands_and_not_when_it_is_taken() -> None:
    made = scenario("checkout-times-out", "row_lock")
    fix = ChaosOpsAction(AgentRole.SRE, ActionType.FAILOVER, "db")
    approval = ChaosOpsAction(AgentRole.MANAGER, ActionType.APPROVE, None, {"request": 1})
    look = ChaosOpsAction(AgentRole.DEV, ActionType.INVESTIGATE, "db", {"source": "logs"})
    line = {0: fix, 2: look, 3: approval}
    assert _play(made, line, 7).state.wrong_fixes == 0  # five minutes in flight
    assert _play(made, line, 8).state.wrong_fixes == 1


def test_what_has_not_landed_at_the_end_is_not_charged() -> None:
    made = scenario("checkout-times-out", "row_lock")
    env = ChaosOpsEnvironment()
    seen = env.reset(replace(made, max_steps=1))
    seen = env.step(ChaosOpsAction(AgentRole.SRE, ActionType.FAILOVER, "db"))
    seen = env.step(ChaosOpsAction(AgentRole.OVERSIGHT, ActionType.NOOP))
    look = ChaosOpsAction(AgentRole.DEV, ActionType.INVESTIGATE, "db", {"source": "logs"})
    seen = env.step(look)
    seen = env.step(ChaosOpsAction(AgentRole.MANAGER, ActionType.APPROVE, None, {"request": 1}))
    assert seen.done
    assert seen.view.in_flight
    assert env.state.wrong_fixes == 0


def test_a_landing_says_what_was_measured_and_not_whether_the_cause_is_gone() -> None:
    made = scenario("checkout-times-out", "row_lock")
    env = ChaosOpsEnvironment()
    seen = env.reset(made)
    assert seen.view.landings == ()
    seen = env.step(ChaosOpsAction(AgentRole.SRE, ActionType.TERMINATE, "db"))
    seen = env.step(ChaosOpsAction(seen.turn_role, ActionType.NOOP))
    assert seen.view.landings is not None
    landing = seen.view.landings[0]
    assert (landing.action_type, landing.target) == (ActionType.TERMINATE, "db")
    assert [row.signal for row in landing.measured][:2] == ["errors", "p95"]
    assert landing.minute == 1


@pytest.mark.few(1)
@pytest.mark.parametrize(("source", "cause"), CASES)
def test_no_line_that_is_seen_without_a_look_names_the_cause(source: str, cause: str) -> None:
    made = scenario(source, cause)
    env = ChaosOpsEnvironment()
    seen = env.reset(made)
    words = set(cause.split("_")) | {"lock", "deadlock", "pool", "disk", "shard", "plan", "leak"}
    words -= {"slow", "row", "ddl", "hot"}
    while not seen.done and seen.step < 24:
        view = seen.view
        free = [line.text for line in view.logs or ()]
        free += [ticket.text for ticket in (view.impact.tickets if view.impact else ())]
        for text in free:
            assert not words & set(text.lower().replace(":", " ").split()), text
        seen = env.step(ChaosOpsAction(seen.turn_role, ActionType.NOOP))


@pytest.mark.proof
@pytest.mark.parametrize("source", sampling.sampled_sources(sources()))
def test_causes_that_open_alike_cannot_be_told_by_their_alerts(source: object) -> None:
    """Of the causes of a situation each shares its set of unhealthy services with two others."""
    env = ChaosOpsEnvironment()
    opened: dict[str, set[frozenset[str]]] = {}
    for seed in range(60):
        made = Scenario.of(source, seed)  # type: ignore[arg-type]
        services = env.reset(made).view.services or ()
        sick = frozenset(now.service for now in services if now.health is not Health.HEALTHY)
        opened.setdefault(made.incident.drawn.cause.id, set()).add(sick)
    for cause, own in opened.items():
        alike = [other for other, theirs in opened.items() if other != cause and own & theirs]
        if cause not in ("slow_disk", "hot_shard"):
            assert len(alike) >= 2, (cause, own)


def test_a_fork_logs_and_shows_the_acts_of_controllers_as_its_original() -> None:
    env = ChaosOpsEnvironment()
    env.reset(scenario("search-p99-high", "rogue_scale_in"))
    told = []
    for each in (env.fork(), env):
        for turn in range(20):
            each.step(ChaosOpsAction(TURN_ORDER[turn % 4], ActionType.NOOP))
        each.step(ChaosOpsAction(AgentRole.SRE, ActionType.NOOP))
        args = {"source": "automation"}
        each.step(ChaosOpsAction(AgentRole.OVERSIGHT, ActionType.INVESTIGATE, "autoscaler", args))
        view = each.view_of(AgentRole.OVERSIGHT)
        told.append((view.findings, view.audit))
    assert told[0] == told[1]
    assert told[0][0][0].reading is not None
