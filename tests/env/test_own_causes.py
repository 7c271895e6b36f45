"""Games in which a diagnosis can name the causes of an author."""

from __future__ import annotations

import json

import pytest

from chaosops.agents.policies import POLICY_NAMES
from chaosops.agents.runner import EpisodeResult, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FailureType,
    PaidFor,
)
from chaosops.env.models.verbs import ALL_CAUSES
from chaosops.evaluation.adversaries.fair import minute_told
from chaosops.evaluation.shortcuts import shortcuts
from chaosops.evaluation.study import truth_of
from chaosops.scenarios.scenario import Scenario
from chaosops.text import parse_action, render_action, render_observation
from chaosops.text.actions import ActionTextError
from chaosops.text.schemas import action_schema
from tests.own_folder import DEFINED, NOT_CAST, OWN, drawing, write_folder

SRE, DEV = AgentRole.SRE, AgentRole.DEV


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    """The situation with a seed that draws an author's cause."""
    home = tmp_path_factory.mktemp("home")
    write_folder(home)
    return drawing(home)


def started(world: Scenario, role: AgentRole) -> tuple[ChaosOpsEnvironment, ChaosOpsObservation]:
    """A game at the first turn of a role."""
    env = ChaosOpsEnvironment()
    seen = env.reset(world)
    while seen.turn_role is not role:
        seen = env.step(ChaosOpsAction(seen.turn_role, ActionType.NOOP))
    return env, seen


def offered(seen: ChaosOpsObservation) -> tuple[str | int, ...]:
    choice = next(c for c in seen.view.allowed if c.action_type is ActionType.DIAGNOSE)
    return choice.arguments[0].choices


def diagnosis(cause: str) -> ChaosOpsAction:
    return ChaosOpsAction(SRE, ActionType.DIAGNOSE, None, {"cause": cause})


def test_every_game_of_the_situation_offers_the_same_list(world: Scenario) -> None:
    lists = {offered(started(world.with_seed(seed), SRE)[1]) for seed in range(6)}
    assert lists == {tuple(sorted((*ALL_CAUSES, OWN, DEFINED, NOT_CAST)))}


def judged(world: Scenario, cause: str) -> tuple[ChaosOpsEnvironment, ChaosOpsObservation]:
    """A game in which the SRE names a cause at its place, and which is over."""
    env, seen = started(world, SRE)
    incident = world.incident
    args = {"cause": cause, "place": incident.drawn.place, "stake": "certain"}
    seen = env.step(ChaosOpsAction(SRE, ActionType.DIAGNOSE, None, args))
    assert f"diagnosed {cause.replace('_', ' ')} at " in seen.message
    while not seen.done:
        seen = env.step(ChaosOpsAction(seen.turn_role, ActionType.NOOP))
    return env, seen


def paid_for_diagnoses(seen: ChaosOpsObservation) -> list[tuple[PaidFor, float]]:
    """What the diagnoses earned or cost."""
    named = (PaidFor.RIGHT_DIAGNOSIS, PaidFor.WRONG_DIAGNOSIS)
    return [(p.component, p.amount) for p in seen.view.paid or () if p.component in named]


def test_the_right_diagnosis_of_an_authors_cause_is_text(world: Scenario) -> None:
    env, seen = judged(world, OWN)
    declared = env.state.declared_root_cause
    assert (type(declared), declared) == (str, OWN)
    (made,) = seen.view.diagnoses
    assert (made.cause, made.right) == (OWN, True)
    assert paid_for_diagnoses(seen) == [(PaidFor.RIGHT_DIAGNOSIS, 30.0)]
    assert f"sre: {OWN}" in render_observation(seen)


@pytest.mark.few(1)
@pytest.mark.parametrize("cause", [DEFINED, NOT_CAST, "row_lock"])
def test_another_cause_is_as_wrong_as_any(cause: str, world: Scenario) -> None:
    env, seen = judged(world, cause)
    assert paid_for_diagnoses(seen) == [(PaidFor.WRONG_DIAGNOSIS, -30.0)]
    assert isinstance(env.state.declared_root_cause, FailureType) is (cause == "row_lock")


def test_an_authors_cause_can_be_staked_on_a_place_as_any(world: Scenario) -> None:
    _env, seen = started(world, SRE)
    choice = next(c for c in seen.view.allowed if c.action_type is ActionType.DIAGNOSE)
    assert [argument.name for argument in choice.arguments] == ["cause", "place", "stake"]


@pytest.mark.parametrize(
    "cause",
    ["luck", "x" * 10_000, "vacuum lock", "\x1b[2J"],
    ids=["unknown", "long", "words", "escape"],
)
def test_what_nobody_offers_costs_the_turn(cause: str, world: Scenario) -> None:
    env, _seen = started(world, SRE)
    seen = env.step(diagnosis(cause))
    assert seen.refused
    assert len(seen.message) < 3_000
    assert "\x1b" not in seen.message


def test_built_in_games_do_not_take_an_authors_cause() -> None:
    env, _seen = started(Scenario.load("checkout-times-out", 3), SRE)
    assert env.step(diagnosis(OWN)).refused


def proposing(cause: str, role: AgentRole = DEV, to: str = "sre") -> ChaosOpsAction:
    wanted = {"action_type": "terminate", "target": "db", "args": {}, "cause": cause}
    return ChaosOpsAction(role, ActionType.COMMUNICATE, None, {"to": to, "proposal": wanted})


def test_a_proposal_names_an_authors_cause_where_one_can_be_diagnosed(world: Scenario) -> None:
    env, seen = started(world, DEV)
    action = proposing(OWN)
    assert parse_action(render_action(action), seen.view) == action
    assert not env.step(action).refused
    message = env.view_of(SRE).inbox[-1]
    assert message.proposal is not None
    assert message.proposal.cause == OWN
    assert f'"cause":"{OWN}"' in render_observation(_as(env, SRE))


def _as(env: ChaosOpsEnvironment, role: AgentRole) -> ChaosOpsObservation:
    """The observation at the next turn of a role."""
    seen = env.step(ChaosOpsAction(AgentRole.MANAGER, ActionType.NOOP))
    assert seen.turn_role is role
    return seen


def test_a_proposal_of_a_cause_that_nobody_offers_is_refused(world: Scenario) -> None:
    env, seen = started(world, DEV)
    with pytest.raises(ActionTextError, match="'proposal' is an object"):
        parse_action(render_action(proposing("luck")), seen.view)
    assert env.step(proposing("luck")).refused


def test_a_role_that_diagnoses_nothing_may_name_an_authors_cause_too(world: Scenario) -> None:
    env, seen = started(world, AgentRole.OVERSIGHT)
    action = proposing(OWN, AgentRole.OVERSIGHT)
    assert parse_action(render_action(action), seen.view) == action
    assert not env.step(action).refused


def played(world: Scenario, policy: str) -> EpisodeResult:
    seats = seat_policies(dict.fromkeys(TURN_ORDER, policy), world)
    return run_episode(ChaosOpsEnvironment(), world, seats)


@pytest.mark.few(1)
@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_every_policy_plays_an_authors_cause_to_its_end(policy: str, world: Scenario) -> None:
    result = played(world, policy)
    assert result.steps[-1].done
    if policy == "oracle":
        assert result.resolved
        assert result.declared_root_cause == OWN


@pytest.mark.slow
def test_every_policy_plays_on_once_somebody_has_named_it(world: Scenario) -> None:
    """Nobody's handbook has it, whoever names it or asks a teammate to."""
    for policy in POLICY_NAMES:
        seats = seat_policies(dict.fromkeys(TURN_ORDER, policy), world)
        env, seen = started(world, SRE)
        seen = env.step(diagnosis(OWN))
        asked = {"action_type": "diagnose", "target": None, "args": {"cause": OWN}, "cause": OWN}
        args = {"to": "dev", "proposal": asked}
        seen = env.step(ChaosOpsAction(seen.turn_role, ActionType.COMMUNICATE, None, args))
        while not seen.done:
            action = seats[seen.turn_role](seen, seen.turn_role)
            seen = env.step(action)
            assert not seen.refused or policy == "random"


def test_what_measures_situations_knows_authors_causes(world: Scenario) -> None:
    assert truth_of(world).cause == OWN
    names = {shortcut.name for shortcut in shortcuts(world)}
    assert {f"always diagnose {OWN}", f"always diagnose {NOT_CAST}"} <= names
    incident = world.incident
    assert minute_told(world, incident) is None


def test_the_schema_of_actions_has_authors_causes(world: Scenario) -> None:
    _env, seen = started(world, DEV)
    schema = json.dumps(action_schema(seen.view))
    assert schema.count(f'"{OWN}"') >= 3  # to diagnose, to ask for that, and to name in a proposal
