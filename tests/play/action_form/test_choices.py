"""The choices of a question: a service's key, a rollback's changes, what is left out."""

from __future__ import annotations

from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, RoleView
from chaosops.play.action_form.choices import Field
from chaosops.play.action_form.fields import Draft
from chaosops.play.action_form.picks import PROPOSED, Offers, Speech, picks
from chaosops.play.action_form.prefill import keys_for
from chaosops.play.action_form.suggestions import offers_of
from chaosops.play.action_form.teammate_moves import SUBJECT
from chaosops.play.formatting import clock
from chaosops.play.service_tree import tree
from chaosops.scenarios.scenario import Scenario

_INCIDENT = "orders-fail-at-the-last-step"


def seen(role: AgentRole, looks: int = 0) -> tuple[RoleView, Offers]:
    """What a role sees in its first turn, or after some looks of its own."""
    scenario = Scenario.load(_INCIDENT, seed=5)
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    while stepper.role is not role or len(stepper.observation.view.findings) < looks:
        action = pass_turn(stepper.observation, stepper.role)
        if stepper.role is role:
            look = stepper.observation.view.allowed[0]
            target = look.targets[len(stepper.observation.view.findings)]
            args = {"source": look.arguments[0].choices[0]}
            action = ChaosOpsAction(role, ActionType.INVESTIGATE, target, args)
        stepper.take(action)
    return stepper.observation.view, offers_of(scenario)


def asked(view: RoleView, offers: Offers, verb: ActionType, *answers: tuple[str, object]) -> Field:
    """The question after some answers."""
    pick = next(p for p in picks(view) if p.verb.action_type is verb and p.speech is None)
    draft = Draft(pick, view, offers)
    for name, value in answers:
        draft = draft.answer(name, value)
    assert draft.question is not None
    return draft.question


def test_a_service_has_the_same_key_in_every_picker_that_of_its_place_in_the_pane() -> None:
    keys: dict[str, set[str]] = {}
    orders = set()
    for role in (AgentRole.SRE, AgentRole.DEV):
        view, offers = seen(role)
        order = [branch.name for branch in tree(view.graph)]
        for pick in picks(view):
            if pick.speech is None and set(pick.verb.targets) & set(order):
                field = asked(view, offers, pick.verb.action_type)
                found = [choice.value for choice in field.choices]
                assert found == [name for name in order if name in found]
                orders.add(tuple(found))
                for choice in field.choices:
                    keys.setdefault(choice.value, set()).add(choice.key)
        place = asked(view, offers, ActionType.DIAGNOSE, ("cause", "memory_leak"))
        for choice in place.choices[:-1]:
            keys.setdefault(choice.value, set()).add(choice.key)
        assert place.choices[-1].label == "no place"
        assert keys[order[0]] == {"1"}
    assert len(orders) > 2
    assert {len(found) for found in keys.values()} == {1}, keys


def test_a_rollback_lists_the_changes_of_its_target_alone_the_newest_first() -> None:
    view, offers = seen(AgentRole.DEV)
    assert view.changes is not None
    several = 0
    rollback = next(p for p in picks(view) if p.verb.action_type is ActionType.ROLLBACK)
    for target in rollback.verb.targets:
        draft = Draft(rollback, view, offers).answer("target", target)
        own = [each for each in view.changes if each.service == target]
        own.sort(key=lambda each: -each.minute)
        if not own:
            assert draft.question is None
            assert draft.action().args == {}
            continue
        assert draft.question is not None
        assert draft.question.name == "change"
        named = [choice for choice in draft.question.choices if choice.value is not None]
        assert [choice.value for choice in named] == [each.version for each in own]
        for choice, each in zip(named, own, strict=True):
            assert choice.note.startswith(f"{clock(view.status, each.minute)} {each.kind.value}: ")
            assert each.text[:40] in choice.note
        others = [c.label for c in draft.question.choices if c.value is None]
        assert others == (["its newest change"] if len(own) > 1 else [])
        several += 1
    assert several


def test_the_number_of_instances_that_serve_now_is_marked() -> None:
    view, offers = seen(AgentRole.SRE)
    replicas = {each.service: each.replicas for each in view.services or ()}
    field = asked(view, offers, ActionType.SCALE, ("target", "payments"))
    assert [choice.value for choice in field.choices if choice.note == "now"] == [
        replicas["payments"]
    ]


def test_what_is_left_out_is_no_choice_where_it_means_another_one() -> None:
    view, offers = seen(AgentRole.SRE)
    unit = asked(view, offers, ActionType.DRAIN, ("target", "payments"))
    assert [choice.value for choice in unit.choices] == ["instance", "zone"]
    stake = asked(
        view, offers, ActionType.DIAGNOSE, ("cause", "memory_leak"), ("place", "payments")
    )
    assert [choice.value for choice in stake.choices] == ["working", "certain"]
    drain = ChaosOpsAction(AgentRole.SRE, ActionType.DRAIN, "payments", {})
    (_pick, _target, key) = keys_for(drain, view, offers)
    assert key == unit.choices[0].key


def test_a_finding_is_shared_with_the_number_that_its_viewer_gives_it() -> None:
    view, offers = seen(AgentRole.SRE, looks=3)
    share = next(pick for pick in picks(view) if pick.speech is Speech.SHARE)
    field = Draft(share, view, offers).question
    assert field is not None
    assert [choice.key for choice in field.choices] == ["3", "2", "1"]
    assert [choice.value for choice in field.choices] == [2, 1, 0]


def test_asking_for_a_fix_says_what_it_costs_the_team_where_it_is_wrong() -> None:
    view, offers = seen(AgentRole.DEV)
    propose = next(pick for pick in picks(view) if pick.speech is Speech.PROPOSE)
    draft = Draft(propose, view, offers).answer("to", "sre")
    fix = draft.answer(f"{PROPOSED}action_type", "restart").answer(f"{PROPOSED}target", "payments")
    assert fix.preview().split("\n") == [
        "propose to SRE: restart payments",
        "takes this turn; only SRE reads it",
        "If SRE does it: lands in 1 to 2 min; costs 25 where it neither clears nor eases anything",
    ]
    look = draft.answer(f"{PROPOSED}action_type", "investigate")
    look = look.answer(f"{PROPOSED}target", "payments").answer(f"{PROPOSED}source", "runtime")
    assert "If SRE" not in look.preview()


def test_assigning_asks_at_what_and_where_that_is_left_open_to_whom() -> None:
    view, offers = seen(AgentRole.MANAGER)
    assert asked(view, offers, ActionType.ASSIGN).title == "at what"
    assert asked(view, offers, ActionType.ASSIGN, (SUBJECT, None)).title == "to whom"
