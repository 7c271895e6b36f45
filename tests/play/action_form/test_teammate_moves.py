"""Whole moves that a teammate is asked for, and the finding that goes with a proposal."""

from __future__ import annotations

import pytest

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction, RoleView
from chaosops.env.models.verbs import VERBS
from chaosops.play.action_form.choices import Choice, Field
from chaosops.play.action_form.picks import Offers, Speech
from chaosops.play.action_form.prefill import keys_for
from chaosops.play.action_form.state import FormState, Stage
from chaosops.play.action_form.suggestions import Offer, offers_of
from chaosops.play.action_form.teammate_moves import TeammateMove
from chaosops.scenarios.scenario import Scenario

SRE, DEV, MANAGER, OVERSIGHT = (
    AgentRole.SRE,
    AgentRole.DEV,
    AgentRole.MANAGER,
    AgentRole.OVERSIGHT,
)
SCENARIO = Scenario.load("checkout-times-out", seed=3)
OFFERS: Offers = offers_of(SCENARIO)


def game(*looks: tuple[str, str]) -> ChaosOpsEnvironment:
    """A game in which the SRE took looks, a source and a service each, one a round."""
    env = ChaosOpsEnvironment()
    seen = env.reset(SCENARIO)
    for source, target in looks:
        seen = env.step(ChaosOpsAction(SRE, ActionType.INVESTIGATE, target, {"source": source}))
        while seen.turn_role is not SRE:
            seen = env.step(ChaosOpsAction(seen.turn_role, ActionType.NOOP))
    return env


def pass_to(env: ChaosOpsEnvironment, role: AgentRole) -> None:
    """Pass until it is a role's turn."""
    while (turn := TURN_ORDER[env.state.step_count % len(TURN_ORDER)]) is not role:
        env.step(ChaosOpsAction(turn, ActionType.NOOP))


def begun(view: RoleView, subject: str | None = None) -> FormState:
    """The form of a proposal, or of an assignment where the role leads, at a subject."""
    form = FormState(1, view, OFFERS)
    pick = next(
        pick
        for pick in form.picks
        if pick.verb.action_type is ActionType.ASSIGN
        or (pick.speech is Speech.PROPOSE and view.role is not MANAGER)
    )
    form.begin(pick)
    if subject is not None:
        form.answer(subject)
    return form


def field_of(form: FormState) -> Field:
    field = form.field
    assert field is not None
    return field


def labelled(form: FormState, label: str) -> Choice:
    return next(choice for choice in field_of(form).choices if choice.label == label)


def proposed(form: FormState, label: str) -> FormState:
    form.answer(labelled(form, label).value)
    assert form.stage is Stage.CONFIRM
    return form


def args_of(form: FormState) -> dict[str, object]:
    made = form.action
    assert made is not None
    return dict(made.args)


def test_what_is_unwell_or_was_looked_at_is_said_beside_its_name_in_the_panes_order() -> None:
    env = game(("runtime", "payments"))
    notes = {choice.value: choice.note for choice in field_of(begun(env.view_of(SRE))).choices}
    assert notes["payments"].endswith("looked at")
    assert notes["edge"] == "▲ degraded, alert"
    assert notes[None] == "asks for each part"
    led = {choice.value: choice.note for choice in field_of(begun(env.view_of(MANAGER))).choices}
    assert (led["edge"], led["payments"]) == ("alert", "")
    assert list(notes)[:3] == ["edge", "catalog", "cache"]


def test_a_look_is_asked_for_first_until_there_is_a_finding_and_then_a_fix() -> None:
    for looks, first in (((), "Dev: investigate changes"), ((("logs", "payments"),), "Dev: roll")):
        form = begun(game(*looks).view_of(SRE), "payments")
        assert field_of(form).choices[0].label.startswith(first)


def test_a_verb_keeps_its_key_and_each_value_of_another_has_one_of_its_own() -> None:
    choices = field_of(begun(game().view_of(DEV), "payments")).choices
    keys = {choice.label: choice.key for choice in choices}
    assert keys["SRE: restart payments"] == VERBS[ActionType.RESTART].key
    assert keys["SRE: drain payments (instance)"] == VERBS[ActionType.DRAIN].key
    scales = {key for label, key in keys.items() if label.startswith("SRE: scale payments to")}
    assert len(scales) == 9
    assert VERBS[ActionType.SCALE].key not in keys.values()


def test_what_an_assignment_approves_in_advance_comes_first_and_says_so() -> None:
    choices = field_of(begun(game().view_of(MANAGER), "db")).choices
    first = [choice.label for choice in choices if choice.note]
    assert first == [choice.label for choice in choices[: len(first)]]
    assert "SRE: failover db" in first
    assert "SRE: restart db" not in first
    assert {choice.note for choice in choices} == {"approved in advance", ""}


def test_an_assignment_of_a_risky_move_is_approved_in_advance() -> None:
    env = game(("runtime", "db"))
    pass_to(env, MANAGER)
    form = proposed(begun(env.view_of(MANAGER), "db"), "SRE: failover db")
    made = form.action
    assert made is not None
    assert (made.target, dict(made.args)) == (
        "sre",
        {"proposal": {"action_type": "failover", "target": "db"}},
    )
    assert not env.step(made).refused
    pass_to(env, SRE)
    env.step(ChaosOpsAction(SRE, ActionType.FAILOVER, "db"))
    assert env.view_of(MANAGER).requests == ()
    assert [item.action_type for item in env.view_of(SRE).in_flight] == [ActionType.FAILOVER]


def test_a_proposal_carries_the_newest_finding_about_its_object_and_says_so() -> None:
    view = game(("runtime", "payments"), ("logs", "payments"), ("logs", "db")).view_of(SRE)
    form = proposed(begun(view, "payments"), "Dev: rollback payments")
    assert args_of(form)["finding"] == 1
    assert form.preview.startswith("propose to Dev: rollback payments, with logs of payments")
    other = proposed(begun(view, "cart"), "Dev: restart cart")
    assert "finding" not in args_of(other)
    assert other.evidence is None


def test_the_finding_is_left_out_and_attached_again_at_the_last_look() -> None:
    view = game(("logs", "payments")).view_of(SRE)
    form = proposed(begun(view, "payments"), "Dev: rollback payments")
    assert form.evidence is True
    form.carry_evidence()
    assert form.evidence is False
    assert "finding" not in args_of(form)
    assert form.preview.startswith("propose to Dev: rollback payments\n")
    form.carry_evidence()
    assert args_of(form)["finding"] == 0


def test_the_receiver_gets_the_finding_with_the_proposal() -> None:
    env = game(("logs", "payments"))
    made = proposed(begun(env.view_of(SRE), "payments"), "Dev: rollback payments").action
    assert made is not None
    assert not env.step(made).refused
    (said,) = env.view_of(DEV).inbox
    assert said.proposal is not None
    assert said.proposal.action_type is ActionType.ROLLBACK
    assert said.finding == env.view_of(SRE).findings[0]


def test_a_request_for_a_look_needs_no_evidence() -> None:
    view = game(("logs", "payments")).view_of(SRE)
    form = proposed(begun(view, "payments"), "Dev: investigate config of payments")
    assert "finding" not in args_of(form)
    assert form.evidence is None


def test_a_proposal_that_begins_with_its_verb_carries_a_finding_too() -> None:
    view = game(("logs", "payments")).view_of(SRE)
    form = FormState(1, view, OFFERS)
    ask = form.find(VERBS[ActionType.ROLLBACK].key)
    assert ask is not None
    assert not isinstance(ask, Choice)
    form.begin(ask)
    form.answer("payments")
    while form.stage is Stage.CHOOSE:
        form.answer(field_of(form).choices[-1].value)
    assert args_of(form)["finding"] == 0


def test_a_whole_move_is_undone_at_once() -> None:
    form = proposed(begun(game().view_of(SRE), "payments"), "Dev: rollback payments")
    assert form.trail == "propose › Dev: rollback payments"
    titles = []
    while form.back():
        titles.append("" if form.field is None else form.field.title)
    assert titles == ["who does what", "at what", ""]


def test_something_else_asks_for_each_part() -> None:
    form = begun(game().view_of(MANAGER))
    form.answer(None)
    assert field_of(form).title == "to whom"
    form.answer("dev")
    assert field_of(form).title == "what should Dev do"


@pytest.mark.parametrize(
    ("action", "keys"),
    [
        (
            ChaosOpsAction(
                SRE,
                ActionType.COMMUNICATE,
                None,
                {"to": "dev", "proposal": {"action_type": "rollback", "target": "payments"}},
            ),
            ("4", "8", "z"),
        ),
        (
            ChaosOpsAction(
                MANAGER,
                ActionType.ASSIGN,
                "sre",
                {"proposal": {"action_type": "drain", "target": "db", "args": {}}},
            ),
            ("7", "4", "d"),
        ),
    ],
)
def test_the_keys_of_a_whole_move_are_those_that_the_coach_names(
    action: ChaosOpsAction, keys: tuple[str, ...]
) -> None:
    assert keys_for(action, game().view_of(action.role), OFFERS) == keys


def test_what_is_offered_keeps_its_own_evidence_and_can_be_changed_by_going_back() -> None:
    view = game(("logs", "payments")).view_of(SRE)
    args = {
        "to": "dev",
        "text": "Please roll back payments.",
        "proposal": {"action_type": "rollback", "target": "payments"},
    }
    form = FormState(1, view, OFFERS)
    wanted = ChaosOpsAction(SRE, ActionType.COMMUNICATE, None, args)
    (pick,) = form.offer([Offer(wanted, "copilot", "")])
    form.begin(pick)
    assert form.action == wanted
    while form.stage is Stage.CONFIRM:
        assert form.back()
    assert field_of(form).title == "who does what"


@pytest.mark.parametrize(
    ("args", "is_it"),
    [
        ({"unit": "instance"}, True),
        ({}, True),
        ({"unit": "zone"}, False),
        ({"unit": "instance", "percent": 10}, False),
    ],
)
def test_a_move_is_the_one_that_a_proposal_means(args: dict[str, object], is_it: bool) -> None:
    move = TeammateMove(SRE, ActionType.DRAIN, "db", (("unit", "instance"),))
    assert move.is_asked_by("sre", {"action_type": "drain", "target": "db", "args": args}) is is_it
    assert not move.is_asked_by("dev", {"action_type": "drain", "target": "db", "args": args})
