"""Saying something with an action: in the form and as a typed line."""

from __future__ import annotations

import pytest

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import SAY, ActionType, AgentRole, ChaosOpsAction, RoleView
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.line_choices import WORDS, line_choices
from chaosops.play.action_form.state import FormState, Stage
from chaosops.play.action_form.suggestions import Offer, offers_of
from chaosops.play.action_form.typed import CommandError, with_line
from chaosops.play.wording import describe
from chaosops.text import parse_action, render_action, render_compact, render_observation

SRE = AgentRole.SRE
SCENARIO = Scenario.load("checkout-times-out", seed=3)
OFFERS = offers_of(SCENARIO)


def looked() -> ChaosOpsEnvironment:
    """A game in which the SRE has a finding, and it is the SRE's turn."""
    env = ChaosOpsEnvironment()
    env.reset(scenario=SCENARIO)
    env.step(ChaosOpsAction(SRE, ActionType.INVESTIGATE, "db", {"source": "runtime"}))
    for _turn in range(3):
        env.step(ChaosOpsAction(SRE, ActionType.NOOP))
    return env


def at_the_confirmation(view: RoleView, verb: ActionType, *answers: object) -> FormState:
    form = FormState(4, view, OFFERS)
    form.begin(next(pick for pick in form.picks if pick.verb.action_type is verb))
    for answer in answers:
        form.answer(answer)
    assert form.stage is Stage.CONFIRM
    return form


def test_two_more_keys_add_a_line_to_an_action() -> None:
    env = looked()
    form = at_the_confirmation(env.view_of(SRE), ActionType.RESTART, "cart")
    assert form.can_say
    form.say()
    assert form.stage is Stage.CHOOSE
    choice = form.find("1")
    assert choice is not None
    assert choice.label == "share runtime of db"
    form.answer(choice.value)
    action = form.action
    assert action is not None
    assert action.args == {SAY: {"finding": 0}}
    assert "With it: restart cart; share runtime of db with all" in form.preview
    assert not env.step(action).refused
    assert form.back()
    assert form.action == ChaosOpsAction(SRE, ActionType.RESTART, "cart")


@pytest.mark.slow
def test_every_line_that_is_offered_can_be_said() -> None:
    for verb, answers in (
        (ActionType.RESTART, ("cart",)),
        (ActionType.INVESTIGATE, ("cart", "logs")),
        (ActionType.NOOP, ()),
    ):
        form = at_the_confirmation(looked().view_of(SRE), verb, *answers)
        made = form.action
        assert made is not None
        form.say()
        assert form.field is not None
        keys = [choice.key for choice in form.field.choices]
        assert len(set(keys)) == len(keys)
        assert all(keys)
        for line, label, _note in line_choices(made, form.view, OFFERS):
            if line != WORDS:
                said = ChaosOpsAction(SRE, made.action_type, made.target, {**made.args, SAY: line})
                assert not looked().step(said).refused, label


def test_words_are_asked_for_and_too_many_are_refused() -> None:
    form = at_the_confirmation(looked().view_of(SRE), ActionType.RESTART, "cart")
    form.say()
    form.answer(WORDS)
    assert form.stage is Stage.WRITE
    assert "at most 200" in form.problem("x" * 201)
    assert form.problem("db waits") == ""
    form.answer("db waits")
    assert form.action is not None
    assert form.action.args[SAY] == {"text": "db waits"}
    form.say()
    form.answer(WORDS)
    form.answer("")
    assert form.action == ChaosOpsAction(SRE, ActionType.RESTART, "cart")


def test_an_offer_with_a_line_can_be_changed_step_by_step() -> None:
    view = looked().view_of(SRE)
    wanted = ChaosOpsAction(SRE, ActionType.RESTART, "cart", {SAY: {"to": "all", "finding": 0}})
    form = FormState(4, view, OFFERS)
    (pick,) = form.offer([Offer(wanted, "copilot expert", "")])
    form.begin(pick)
    assert form.action == wanted
    assert form.back()
    assert form.action == ChaosOpsAction(SRE, ActionType.RESTART, "cart")
    assert form.back()
    assert form.field is not None
    assert form.field.name == "target"


def test_a_message_carries_no_line() -> None:
    form = at_the_confirmation(looked().view_of(SRE), ActionType.COMMUNICATE, "all", "hi")
    assert not form.can_say


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("restart cart; say share 1", {"to": "all", "finding": 0}),
        ("restart cart; say share 1 with dev", {"to": "dev", "finding": 0}),
        ("restart cart ; SAY db is slow", {"to": "all", "text": "db is slow"}),
        ("restart cart; say dev db is slow", {"to": "dev", "text": "db is slow"}),
        ("look logs cart; say share it", {"finding": 1}),
    ],
)
def test_a_line_is_typed_behind_the_action(typed: str, line: dict[str, object]) -> None:
    view = looked().view_of(SRE)
    action, extra = with_line(typed, view, OFFERS)
    assert action.strip() in typed
    assert extra == {SAY: line}


def test_a_look_is_asked_for_behind_the_action() -> None:
    _action, extra = with_line("pass; say ask dev look cart logs", looked().view_of(SRE), OFFERS)
    assert extra[SAY]["to"] == "dev"
    assert extra[SAY]["proposal"]["action_type"] == "investigate"
    assert "text" not in extra[SAY]


@pytest.mark.few(1)
@pytest.mark.parametrize("typed", ["restart cart", "say dev wait; say no more", "restart; cart"])
def test_what_is_no_line_stays_as_it_was_typed(typed: str) -> None:
    assert with_line(typed, looked().view_of(SRE), OFFERS) == (typed, {})


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "typed",
    ["restart cart; say", "pass; say share 9", "pass; say ask dev look", f"pass; say {'x' * 201}"],
)
def test_a_line_that_is_none_is_an_error(typed: str) -> None:
    with pytest.raises(CommandError):
        with_line(typed, looked().view_of(SRE), OFFERS)


def test_what_is_said_is_described_as_far_as_a_reader_may_know_it() -> None:
    said = {"to": "dev", "text": "db waits"}
    action = ChaosOpsAction(SRE, ActionType.RESTART, "cart", {SAY: said})
    assert describe(action) == "restart cart; say to Dev: db waits"
    assert describe(action, AgentRole.MANAGER) == "restart cart; private message to Dev"


def test_a_prompt_says_what_may_be_said_and_reads_it_back() -> None:
    env = looked()
    seen = env._episode.observe(0.0, "")  # type: ignore[union-attr]
    for text in (render_observation(seen), render_compact(seen)):
        assert "args.say" in text
    said = ChaosOpsAction(SRE, ActionType.RESTART, "cart", {SAY: {"text": "db waits"}})
    assert parse_action(render_action(said), seen.view) == said
    messy = render_action(said).replace("db waits", "db\\n\\twaits\\u001b ")
    line = parse_action(messy, seen.view).args[SAY]["text"]
    assert line == "db waits\ufffd"
