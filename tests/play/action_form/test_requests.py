"""Moves that need two keys, in the action form."""

from __future__ import annotations

import pytest

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, RoleView
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.fields import Draft
from chaosops.play.action_form.picks import picks

SRE, MANAGER, OVERSIGHT = AgentRole.SRE, AgentRole.MANAGER, AgentRole.OVERSIGHT


def waiting() -> ChaosOpsEnvironment:
    """A game in which a failover waits for the Manager, whose turn it is."""
    env = ChaosOpsEnvironment()
    env.reset(scenario=Scenario.load("checkout-times-out", seed=3))
    env.step(ChaosOpsAction(SRE, ActionType.FAILOVER, "db"))
    env.step(ChaosOpsAction(OVERSIGHT, ActionType.NOOP))
    env.step(ChaosOpsAction(AgentRole.DEV, ActionType.INVESTIGATE, "db", {"source": "logs"}))
    return env


def draft(view: RoleView, verb: ActionType, *answers: tuple[str, object]) -> Draft:
    pick = next(pick for pick in picks(view) if pick.verb.action_type is verb)
    made = Draft(pick, view, {})
    for name, value in answers:
        made = made.answer(name, value)
    return made


@pytest.mark.parametrize("verb", [ActionType.APPROVE, ActionType.REFUSE])
def test_a_request_is_chosen_by_its_move_its_role_and_the_minutes_that_are_left(
    verb: ActionType,
) -> None:
    env = waiting()
    question = draft(env.view_of(MANAGER), verb).question
    assert question is not None
    (choice,) = question.choices
    assert (choice.label, choice.note) == ("1  failover db", "SRE, lapses in 5 min")
    made = draft(env.view_of(MANAGER), verb, ("request", choice.value)).action()
    assert not env.step(made).refused
    assert env.view_of(MANAGER).requests == ()


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("verb", "answers", "asks"),
    [
        (ActionType.FAILOVER, {"target": "db"}, True),
        (ActionType.DRAIN, {"target": "catalog", "unit": "zone"}, True),
        (ActionType.DRAIN, {"target": "catalog", "unit": "instance"}, False),
        (ActionType.RESTART, {"target": "db"}, False),
    ],
)
def test_the_preview_of_a_move_says_whether_the_manager_has_to_approve_it(
    verb: ActionType, answers: dict[str, object], asks: bool
) -> None:
    view = waiting().view_of(SRE)
    said = draft(view, verb, *answers.items()).preview()
    assert ("asks the Manager to approve it; then lands in" in said) is asks


def test_no_move_below_medium_asks_the_manager() -> None:
    env = ChaosOpsEnvironment()
    env.reset(scenario=Scenario.load("paying-ends-in-an-error", seed=3))
    view = env.view_of(SRE)
    said = draft(view, ActionType.FAILOVER, ("target", "db")).preview()
    assert "asks the Manager" not in said


@pytest.mark.parametrize("verb", [ActionType.GRANT, ActionType.DENY, ActionType.ASK])
def test_a_request_of_an_agent_is_chosen_by_its_act_and_takes_one_answer(verb: ActionType) -> None:
    env = ChaosOpsEnvironment()
    seen = env.reset(scenario=Scenario.load("checkout-times-out", seed=3))
    while seen.turn_role is not OVERSIGHT or not seen.view.agent_requests:
        seen = env.step(ChaosOpsAction(seen.turn_role, ActionType.NOOP))
    (request,) = seen.view.agent_requests
    question = draft(seen.view, verb).question
    assert question is not None
    (choice,) = question.choices
    assert choice.label == f"1  {request.command} at {request.target}"
    left = request.lapses - seen.view.status.minute
    assert choice.note == f"{request.agent}, lapses in {left} min"
    made = draft(seen.view, verb, ("request", choice.value))
    assert made.question is None
    assert not env.step(made.action()).refused
