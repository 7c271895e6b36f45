"""A restart or a rollback of one instance in the form."""

from __future__ import annotations

from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, RoleView
from chaosops.env.models.readings import TableKind
from chaosops.play.action_form.instance_choices import (
    can_be_for_one,
    instance_field,
    instance_written,
    written_problem,
)
from chaosops.play.action_form.state import FormState, Stage
from tests.tui.games import scenario, session

OFFERS = session(AgentRole.SRE).offers


def _view(role: AgentRole = AgentRole.SRE, *, looks: bool = False) -> RoleView:
    stepper = Stepper(ChaosOpsEnvironment(), scenario())
    if looks:
        source = {"source": "runtime"}
        stepper.take(ChaosOpsAction(role, ActionType.INVESTIGATE, "payments", source))
    while stepper.role is not role or (looks and not stepper.observation.view.findings):
        stepper.take(pass_turn(stepper.observation, stepper.role))
    return stepper.observation.view


def _restart(target: str = "payments", **args: object) -> ChaosOpsAction:
    return ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, target, args)


def test_services_whose_instances_stand_for_each_other_can_be_restarted_one_by_one() -> None:
    view = _view()
    assert can_be_for_one(_restart(), view)
    assert not can_be_for_one(_restart("db"), view)
    assert not can_be_for_one(_restart(instance=1), view)
    scale = ChaosOpsAction(AgentRole.SRE, ActionType.SCALE, "payments", {"replicas": 3})
    assert not can_be_for_one(scale, view)


def test_instances_are_chosen_by_number_and_by_name_once_a_reading_lists_them() -> None:
    numbers = instance_field("payments", _view())
    assert [(each.value, each.label) for each in numbers.choices] == [
        (1, "1"),
        (2, "2"),
        (3, "3"),
        (None, "all of them"),
    ]
    view = _view(looks=True)
    reading = view.findings[-1].reading
    assert reading is not None
    table = reading.table(TableKind.INSTANCES)
    assert table is not None
    named = instance_field("payments", view)
    assert [each.label for each in named.choices[:-1]] == [
        f"{i} {row[0]}" for i, row in enumerate(table.rows, 1)
    ]


def test_a_role_that_sees_no_numbers_writes_one() -> None:
    field = instance_field("payments", _view(AgentRole.DEV)._replace(services=None))
    assert field.choices == ()
    assert not field.required
    assert instance_written(" 2 ") == 2
    assert instance_written("payments-3f2a") == "payments-3f2a"
    assert instance_written("  ") is None
    assert not written_problem("")
    assert written_problem("0") == "'instance' is a number from 1 on"


def test_the_confirmation_asks_for_the_instance_and_takes_it_back() -> None:
    view = _view()
    form = FormState(0, view, OFFERS)
    form.begin(next(p for p in form.picks if p.verb.action_type is ActionType.RESTART))
    assert not form.can_be_for_one
    form.answer("payments")
    assert form.can_be_for_one
    form.choose_instance()
    assert form.stage is Stage.CHOOSE
    form.answer(2)
    assert form.stage is Stage.CONFIRM
    assert form.action == _restart(instance=2)
    assert form.preview.startswith("restart payments instance 2\nlands in 3 to 4 min; ")
    assert "; costs 8 where it neither clears nor eases anything" in form.preview
    assert not form.can_be_for_one
    assert form.back()
    assert form.action == _restart()
    assert form.preview.startswith("restart payments\nlands in 1 to 2 min; ")
    form.choose_instance()
    form.answer(None)
    assert form.action == _restart()
