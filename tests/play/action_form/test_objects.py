"""What can be done at an object: the same keys everywhere, and nothing that is not allowed."""

from __future__ import annotations

import pytest

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction, RoleView
from chaosops.env.models.sources import SOURCES
from chaosops.env.models.verbs import AGENT_VERBS, VERBS
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.objects import about, moves_at, moves_meant, objects
from chaosops.play.action_form.state import FormState, Stage
from tests.worlds import some_ids

_NAMES = ("checkout-times-out", "paying-ends-in-an-error")


def _env(name: str = "checkout-times-out") -> ChaosOpsEnvironment:
    env = ChaosOpsEnvironment()
    env.reset(scenario=Scenario.load(name, seed=1))
    return env


def _view(role: AgentRole, name: str = "checkout-times-out") -> RoleView:
    return _env(name).view_of(role)


def test_no_two_moves_have_the_same_key() -> None:
    keys = [spec.key for spec in VERBS.values() if spec.does]
    keys += [spec.key for spec in SOURCES.values()]
    assert all(len(key) == 1 for key in keys)
    assert len(set(keys)) == len(keys)


def test_a_fix_and_a_move_against_an_agent_say_what_they_do() -> None:
    moves = {verb for verb, spec in VERBS.items() if spec.group == "fix"} | AGENT_VERBS
    assert all(VERBS[verb].does for verb in moves)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", some_ids())
@pytest.mark.parametrize("role", TURN_ORDER)
def test_every_move_at_every_object_leads_to_an_action_that_costs_no_turn(
    role: AgentRole, name: str
) -> None:
    view = _view(role, name)
    for target in objects(view):
        for found in moves_at(view, target):
            form = FormState(0, view, {})
            form.begin_at(found)
            while form.stage is not Stage.CONFIRM:
                assert form.field is not None
                form.answer(form.field.choices[0].value if form.field.choices else "text")
            action = form.action
            assert action is not None
            assert (action.role, action.target) == (role, target)
            choice = next(one for one in view.allowed if one.action_type is action.action_type)
            assert target in choice.targets
            needed = {argument.name for argument in choice.arguments if argument.required}
            assert needed <= set(action.args)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", _NAMES)
def test_every_target_of_a_look_or_a_fix_is_an_object(name: str) -> None:
    for role in TURN_ORDER:
        view = _view(role, name)
        wanted = {
            target
            for choice in view.allowed
            if choice.action_type is ActionType.INVESTIGATE or VERBS[choice.action_type].does
            for target in choice.targets
        }
        assert set(objects(view)) == wanted
        assert all(moves_at(view, target) for target in wanted)


def test_a_look_has_all_its_answers_and_comes_first() -> None:
    found = moves_at(_view(AgentRole.SRE), "payments")
    assert [each.key for each in found if each.is_look] == ["m", "l", "t", "u", "n"]
    assert [each.is_look for each in found] == sorted(
        (each.is_look for each in found), reverse=True
    )
    form = FormState(0, _view(AgentRole.SRE), {})
    form.begin_at(found[0])
    assert form.stage is Stage.CONFIRM
    assert form.action is not None
    assert (form.action.target, form.action.args["source"]) == ("payments", "metrics")


def test_a_move_says_how_long_it_takes_what_it_does_and_what_a_mistake_costs() -> None:
    restart = next(m for m in moves_at(_view(AgentRole.SRE), "payments") if m.key == "r")
    assert restart.words == "restart payments"
    assert restart.takes == "1-2 min"
    assert restart.does.startswith(f"{VERBS[ActionType.RESTART].does}; 3 instances, memory ")
    assert "costs 25" in restart.costs
    rotate = next(m for m in moves_at(_view(AgentRole.DEV), "payments") if m.key == "R")
    assert rotate.does.endswith("the Manager has to approve it")


def test_a_move_that_is_in_flight_says_so() -> None:
    env = _env()
    env.step(ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db", {}))
    found = {each.key: each for each in moves_at(env.view_of(AgentRole.SRE), "db")}
    assert "in flight, " in found["r"].does
    assert "in flight" not in found["s"].does


def test_an_object_is_described_by_what_the_role_sees_of_it() -> None:
    said = about(_view(AgentRole.SRE), "payments")
    assert said[:2] == ("payments", "app")
    assert "3 instances serve" in said
    assert [one for one in said if one.endswith("% of its requests fail")]
    assert "called by checkout" in said
    assert "3 instances serve" not in about(_view(AgentRole.MANAGER), "payments")
    assert about(_view(AgentRole.OVERSIGHT), "autoscaler") == ("autoscaler", "acting")


def test_nothing_can_be_done_at_what_the_role_cannot_act_on() -> None:
    assert moves_at(_view(AgentRole.OVERSIGHT), "payments") == ()
    assert moves_at(_view(AgentRole.SRE), "nowhere") == ()


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("drain auth", ["drain auth"]),
        ("rest pay", ["restart payments"]),
        ("kill db", ["terminate db"]),
        ("look metrics db", ["metrics db"]),
        ("look at the metrics of db", ["metrics db"]),
        ("runtime of db", ["runtime db"]),
        ("fly db", []),
    ],
)
def test_whole_commands_are_found_by_the_words_typed(typed: str, words: list[str]) -> None:
    assert [found.words for found in moves_meant(_view(AgentRole.SRE), typed)] == words
