"""Status updates in the action form: the draft, one point changed, or each point asked for."""

from __future__ import annotations

from functools import cache

import pytest

from chaosops.agents.updating import as_drafted
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    ActionType,
    AgentRole,
    CauseFamily,
    ChaosOpsAction,
    RoleView,
    UpdateContent,
)
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.fields import Draft
from chaosops.play.action_form.picks import PICK_KEYS, picks
from chaosops.play.action_form.prefill import draft_of, keys_for, offered
from chaosops.play.action_form.suggestions import proposals_to
from chaosops.play.action_form.typed import CommandError, parse
from chaosops.play.action_form.update_choices import UPDATE, update_choices
from chaosops.text import parse_action, render_action

MANAGER = AgentRole.MANAGER


def due() -> ChaosOpsEnvironment:
    """A game in which an update is due and it is the Manager's turn."""
    return _due().fork()


@cache
def _due() -> ChaosOpsEnvironment:
    env = ChaosOpsEnvironment()
    env.reset(scenario=Scenario.load("checkout-times-out", seed=3))
    for _turn in range(11):
        env.step(ChaosOpsAction(MANAGER, ActionType.NOOP))
    return env


def begun(view: RoleView) -> Draft:
    pick = next(pick for pick in picks(view) if pick.verb.action_type is ActionType.UPDATE)
    return Draft(pick, view, {})


def drafted(view: RoleView) -> UpdateContent:
    assert view.due is not None
    return view.due.draft


def test_the_draft_is_an_offer_that_one_key_sends() -> None:
    env = due()
    view = env.view_of(MANAGER)
    offer = proposals_to(view)[0]
    assert offer.action == as_drafted(view)
    assert offer.who == "The draft"
    (pick,) = offered(view, [offer])
    assert pick.key == "y"
    whole = draft_of(pick, view, {})
    assert whole is not None
    assert whole.action() == offer.action
    assert not env.step(offer.action).refused
    assert proposals_to(env.view_of(MANAGER)) == ()
    assert proposals_to(env.view_of(AgentRole.SRE)) == ()


def test_two_keys_send_it_as_drafted_or_with_any_one_point_changed() -> None:
    view = due().view_of(MANAGER)
    question = begun(view).question
    assert question is not None
    assert question.name == UPDATE
    *contents, last = question.choices
    assert contents[0].value == drafted(view)
    assert last.value is None
    keys = [choice.key for choice in question.choices]
    assert len(set(keys)) == len(keys)
    assert set(keys) <= set(PICK_KEYS)
    for choice in contents:
        made = begun(view).answer(UPDATE, choice.value)
        assert made.question is None
        assert keys_for(made.action(), view, {}) == (made.pick.key, choice.key)
        assert not due().step(made.action()).refused


def test_every_value_of_a_point_can_be_chosen() -> None:
    view = due().view_of(MANAGER)
    draft = drafted(view)
    found = [each.content for each in update_choices(draft, begun(view).pick.verb)]
    for argument in begun(view).pick.verb.arguments:
        if argument.name == "place":
            continue
        chosen = {getattr(content, argument.name) for content in found if content is not None}
        assert {str(value) for value in chosen} == {str(value) for value in argument.choices}


def test_a_place_that_is_being_looked_at_is_not_said_to_be_the_causes() -> None:
    view = due().view_of(MANAGER)
    verb = begun(view).pick.verb
    looking = drafted(view)._replace(cause=CauseFamily.NOT_KNOWN, place="db")
    named = looking._replace(cause=CauseFamily.DATA)
    for content, *_rest in update_choices(looking, verb):
        if content is not None and content.cause is not CauseFamily.NOT_KNOWN:
            assert content.place == ""
    for content, *_rest in update_choices(named, verb):
        if content is not None:
            assert content.place == ("" if content.cause is CauseFamily.NOT_KNOWN else "db")


def test_more_than_one_point_is_asked_for_point_by_point() -> None:
    view = due().view_of(MANAGER)
    draft = begun(view).answer(UPDATE, None)
    asked = []
    while (question := draft.question) is not None:
        asked.append(question.name)
        draft = draft.answer(question.name, question.choices[0].value)
    assert asked == ["journey", "failed", "trend", "cause", "place", "next"]
    action = draft.action()
    assert set(action.args) == set(asked)
    assert not due().step(action).refused


def test_the_preview_says_what_users_read_and_what_a_slip_costs() -> None:
    view = due().view_of(MANAGER)
    said = begun(view).answer(UPDATE, drafted(view)).preview()
    assert "status update: edge: " in said
    assert "users and everyone read it" in said
    assert "costs 10 where any of it is untrue" in said


def test_a_program_writes_an_update_as_it_reads_one() -> None:
    env = due()
    view = env.view_of(MANAGER)
    action = as_drafted(view)
    assert action is not None
    assert parse_action(render_action(action), view) == action


@pytest.mark.parametrize(
    ("line", "point", "value"),
    [
        ("update as drafted", None, None),
        ("status draft", None, None),
        ("update failed 50", "failed", 50),
        ("update failing 50 %", "failed", 50),
        ("status update falling", "trend", "falling"),
        ("update cause network", "cause", "network"),
        ("update database waits", "cause", "database_waits"),
        ("update next watch", "next", "watch"),
    ],
)
def test_a_line_sends_the_draft_or_changes_a_point(
    line: str, point: str | None, value: object
) -> None:
    view = due().view_of(MANAGER)
    draft = drafted(view)
    made = parse(line, view, {})
    assert made.question is None
    said = UpdateContent.of(made.action().args)
    wanted = draft if point is None else draft._replace(**{point: value})  # type: ignore[arg-type]
    assert said._replace(place="") == wanted._replace(place="")


@pytest.mark.parametrize("line", ["update 101", "update sideways", "update 50 falling"])
def test_a_line_with_what_no_update_says_is_an_error_that_names_it(line: str) -> None:
    with pytest.raises(CommandError, match=r"101|sideways|falling"):
        parse(line, due().view_of(MANAGER), {})


def test_the_word_alone_asks_what_to_send() -> None:
    made = parse("update", due().view_of(MANAGER), {})
    assert made.question is not None
    assert made.question.name == UPDATE
