from __future__ import annotations

import pytest

from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction
from chaosops.play.action_form.picks import Pick
from chaosops.play.action_form.state import FormState, Stage
from chaosops.play.action_form.suggestions import Offer
from chaosops.play.rationale import UNSAID, Thought
from tests.tui.games import session


def turn() -> FormState:
    play = session(AgentRole.SRE)
    return FormState(play.turn, play.observation.view, play.offers)


def begun(form: FormState, verb: ActionType) -> FormState:
    form.begin(next(p for p in form.picks if p.verb.action_type is verb))
    return form


def test_a_pick_is_asked_about_until_it_is_an_action_and_goes_back_the_same_way() -> None:
    form = begun(turn(), ActionType.SCALE)
    assert (form.stage, form.trail) == (Stage.CHOOSE, "scale › on what?")
    assert form.action is None
    form.answer("db")
    field = form.field
    assert field is not None
    form.answer(field.choices[0].value)
    assert (form.stage, form.field) == (Stage.CONFIRM, None)
    assert form.action is not None
    assert (form.action.action_type, form.action.target) == (ActionType.SCALE, "db")
    assert "lands in" in form.preview
    stages = []
    while form.back():
        stages.append(form.stage)
    assert stages == [Stage.CHOOSE, Stage.CHOOSE, Stage.PICK]


def test_a_text_is_written_and_not_chosen() -> None:
    form = turn()
    form.begin(next(pick for pick in form.picks if pick.label == "message"))
    form.answer("all")
    assert form.stage is Stage.WRITE
    assert form.find("1") is None


def test_what_others_want_is_found_by_its_key_while_a_question_is_open_but_not_at_the_end() -> None:
    form = turn()
    restart = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db")
    (asked,) = form.offer([Offer(restart, "Dev", "it hangs")])
    assert form.find("y") is asked
    begun(form, ActionType.SCALE)
    assert form.find("y") is asked
    begun(form, ActionType.NOOP)
    assert form.stage is Stage.CONFIRM
    assert form.find("y") is None


def test_what_others_want_can_be_changed_by_going_back() -> None:
    form = turn()
    restart = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db")
    (asked,) = form.offer([Offer(restart, "Dev", "it hangs")])
    form.begin(asked)
    assert form.action == restart
    assert form.back()
    form.answer("edge")
    assert form.action is not None
    assert form.action.target == "edge"


def test_what_cannot_be_built_from_the_questions_is_done_whole_or_left() -> None:
    form = turn()
    odd = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db", {"gently": True})
    (asked,) = form.offer([Offer(odd, "copilot", "")])
    form.begin(asked)
    assert (form.stage, form.action) == (Stage.CONFIRM, odd)
    assert form.trail == asked.label
    assert form.back()
    assert form.stage is Stage.PICK


@pytest.mark.parametrize("place", [-1, 999])
def test_a_place_that_is_not_in_the_list_is_nothing(place: int) -> None:
    form = turn()
    assert form.entry(place) is None
    assert form.entry(0) is form.picks[0]
    assert isinstance(form.entry(0), Pick)
    assert form.preview_of(999) == ""


def test_a_reason_is_written_at_the_last_look_and_shown_there() -> None:
    form = begun(turn(), ActionType.NOOP)
    form.explain()
    assert (form.stage, form.trail, form.action) == (Stage.WRITE, "pass › why?", None)
    form.answer("db is slow")
    form.be_surer()
    assert (form.stage, form.thought) == (Stage.CONFIRM, Thought("db is slow", 25))
    assert form.preview.splitlines()[-2:] == ["why: db is slow", "25 % sure"]
    form.explain()
    assert form.field is not None
    assert form.field.prefill == "db is slow"


def test_going_back_from_a_reason_leaves_it_as_it_was() -> None:
    form = begun(turn(), ActionType.NOOP)
    form.explain()
    form.answer("first")
    form.explain()
    assert form.back()
    assert (form.stage, form.thought.why) == (Stage.CONFIRM, "first")


def test_nothing_is_said_of_a_decision_before_its_last_look() -> None:
    form = begun(turn(), ActionType.SCALE)
    form.explain()
    form.be_surer()
    assert (form.stage, form.thought) == (Stage.CHOOSE, UNSAID)


def test_a_reason_stays_while_answers_change_and_is_forgotten_with_the_pick() -> None:
    form = begun(turn(), ActionType.RESTART)
    form.answer("db")
    form.be_surer()
    assert form.back()
    form.answer("edge")
    assert form.thought.sure == 25
    while form.back():
        pass
    assert form.thought == UNSAID
    begun(form, ActionType.RESTART).answer("db")
    form.be_surer()
    assert begun(form, ActionType.NOOP).thought == UNSAID


def test_a_reason_can_be_given_for_what_is_done_whole() -> None:
    form = turn()
    odd = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db", {"gently": True})
    form.begin(form.offer([Offer(odd, "copilot", "")])[0])
    form.explain()
    assert form.action is None
    form.answer("it said so")
    assert (form.action, form.thought.why) == (odd, "it said so")
    form.start_over()
    assert form.thought == UNSAID
