from __future__ import annotations

import pytest

from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction
from chaosops.play.action_form.fields import Pick
from chaosops.play.action_form.state import Choosing, Stage
from chaosops.play.action_form.suggestions import Offer
from chaosops.play.rationale import UNSAID, Thought
from tests.tui.games import session


def turn() -> Choosing:
    play = session(AgentRole.SRE)
    return Choosing(play.turn, play.observation.view, play.offers)


def begun(choosing: Choosing, verb: ActionType) -> Choosing:
    choosing.begin(next(p for p in choosing.picks if p.verb.action_type is verb))
    return choosing


def test_a_pick_is_asked_about_until_it_is_an_action_and_goes_back_the_same_way() -> None:
    choosing = begun(turn(), ActionType.SCALE)
    assert (choosing.stage, choosing.trail) == (Stage.CHOOSE, "scale › on what?")
    assert choosing.action is None
    choosing.answer("db")
    field = choosing.field
    assert field is not None
    choosing.answer(field.choices[0].value)
    assert (choosing.stage, choosing.field) == (Stage.CONFIRM, None)
    assert choosing.action is not None
    assert (choosing.action.action_type, choosing.action.target) == (ActionType.SCALE, "db")
    assert "lands in" in choosing.preview
    stages = []
    while choosing.back():
        stages.append(choosing.stage)
    assert stages == [Stage.CHOOSE, Stage.CHOOSE, Stage.PICK]


def test_a_text_is_written_and_not_chosen() -> None:
    choosing = turn()
    choosing.begin(next(pick for pick in choosing.picks if pick.label == "message"))
    choosing.answer("all")
    assert choosing.stage is Stage.WRITE
    assert choosing.find("1") is None


def test_what_others_want_is_found_by_its_key_while_a_question_is_open_but_not_at_the_end() -> None:
    choosing = turn()
    restart = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db")
    (asked,) = choosing.offer([Offer(restart, "Dev", "it hangs")])
    assert choosing.find("y") is asked
    begun(choosing, ActionType.SCALE)
    assert choosing.find("y") is asked
    begun(choosing, ActionType.NOOP)
    assert choosing.stage is Stage.CONFIRM
    assert choosing.find("y") is None


def test_what_others_want_can_be_changed_by_going_back() -> None:
    choosing = turn()
    restart = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db")
    (asked,) = choosing.offer([Offer(restart, "Dev", "it hangs")])
    choosing.begin(asked)
    assert choosing.action == restart
    assert choosing.back()
    choosing.answer("edge")
    assert choosing.action is not None
    assert choosing.action.target == "edge"


def test_what_cannot_be_built_from_the_questions_is_done_whole_or_left() -> None:
    choosing = turn()
    odd = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db", {"gently": True})
    (asked,) = choosing.offer([Offer(odd, "copilot", "")])
    choosing.begin(asked)
    assert (choosing.stage, choosing.action) == (Stage.CONFIRM, odd)
    assert choosing.trail == asked.label
    assert choosing.back()
    assert choosing.stage is Stage.PICK


@pytest.mark.parametrize("place", [-1, 999])
def test_a_place_that_is_not_in_the_list_is_nothing(place: int) -> None:
    choosing = turn()
    assert choosing.entry(place) is None
    assert choosing.entry(0) is choosing.picks[0]
    assert isinstance(choosing.entry(0), Pick)
    assert choosing.preview_of(999) == ""


def test_a_reason_is_written_at_the_last_look_and_shown_there() -> None:
    choosing = begun(turn(), ActionType.NOOP)
    choosing.explain()
    assert (choosing.stage, choosing.trail, choosing.action) == (Stage.WRITE, "pass › why?", None)
    choosing.answer("db is slow")
    choosing.be_surer()
    assert (choosing.stage, choosing.thought) == (Stage.CONFIRM, Thought("db is slow", 25))
    assert choosing.preview.splitlines()[-2:] == ["why: db is slow", "25 % sure"]
    choosing.explain()
    assert choosing.field is not None
    assert choosing.field.prefill == "db is slow"


def test_going_back_from_a_reason_leaves_it_as_it_was() -> None:
    choosing = begun(turn(), ActionType.NOOP)
    choosing.explain()
    choosing.answer("first")
    choosing.explain()
    assert choosing.back()
    assert (choosing.stage, choosing.thought.why) == (Stage.CONFIRM, "first")


def test_nothing_is_said_of_a_decision_before_its_last_look() -> None:
    choosing = begun(turn(), ActionType.SCALE)
    choosing.explain()
    choosing.be_surer()
    assert (choosing.stage, choosing.thought) == (Stage.CHOOSE, UNSAID)


def test_a_reason_stays_while_answers_change_and_is_forgotten_with_the_pick() -> None:
    choosing = begun(turn(), ActionType.RESTART)
    choosing.answer("db")
    choosing.be_surer()
    assert choosing.back()
    choosing.answer("edge")
    assert choosing.thought.sure == 25
    while choosing.back():
        pass
    assert choosing.thought == UNSAID
    begun(choosing, ActionType.RESTART).answer("db")
    choosing.be_surer()
    assert begun(choosing, ActionType.NOOP).thought == UNSAID


def test_a_reason_can_be_given_for_what_is_done_whole() -> None:
    choosing = turn()
    odd = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db", {"gently": True})
    choosing.begin(choosing.offer([Offer(odd, "copilot", "")])[0])
    choosing.explain()
    assert choosing.action is None
    choosing.answer("it said so")
    assert (choosing.action, choosing.thought.why) == (odd, "it said so")
    choosing.start_over()
    assert choosing.thought == UNSAID
