import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import Stepper
from chaosops.env.actions import ActionBook
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction, RoleView, Source
from chaosops.play.action_form.fields import Draft
from chaosops.play.action_form.picks import Speech, picks
from chaosops.play.action_form.prefill import offered
from chaosops.play.action_form.suggestions import Offer
from chaosops.play.wording import describe, finding_word
from tests.tui.games import game, press, roster, scenario, session, settled, text_of
from tui.widgets.picker.options import pick_options, summary
from tui.widgets.picker.picker import Picker

OFFERS = session(AgentRole.SRE).offers


def view_of(role: AgentRole) -> RoleView:
    """The role's view in its second round, after it looked around where it can."""
    stepper = Stepper(ChaosOpsEnvironment(), scenario())
    while stepper.observation.step <= len(TURN_ORDER) or stepper.role is not role:
        view = stepper.observation.view
        first = view.allowed[0]
        action = pass_turn(stepper.observation, stepper.role)
        if first.action_type is ActionType.INVESTIGATE:
            source = {"source": first.arguments[0].choices[0]}
            action = ChaosOpsAction(stepper.role, ActionType.INVESTIGATE, first.targets[0], source)
        stepper.take(action)
    return stepper.observation.view


BOOK = ActionBook(
    scenario().topology, tuple(agent.name for agent in scenario().incident.automation)
)
VIEWS = {role: view_of(role) for role in TURN_ORDER}


@given(st.data(), st.sampled_from(TURN_ORDER))
@settings(max_examples=200)
def test_every_way_through_the_picker_makes_an_action_the_world_takes(
    data: st.DataObject, role: AgentRole
) -> None:
    view = VIEWS[role]
    pick = data.draw(st.sampled_from([pick for pick in picks(view) if not pick.blocked]))
    draft = Draft(pick, view, OFFERS)
    while (field := draft.question) is not None:
        if field.choices:
            value = data.draw(st.sampled_from(field.choices)).value
        else:
            value = data.draw(st.text(min_size=int(field.required), max_size=9)) or field.prefill
            value = value.strip() or "look"
        draft = draft.answer(field.name, value)
    assert BOOK.problem(draft.action(), view.allowed, len(view.findings)) == ""


def test_keys_are_unique_and_passing_is_always_zero() -> None:
    for view in VIEWS.values():
        keys = [pick.key for pick in picks(view)]
        assert len(set(keys)) == len(keys)
        assert keys[-1] == "0"
        assert "h" not in keys
        assert "x" not in keys


def test_nothing_is_offered_that_the_observation_does_not_allow() -> None:
    for view in VIEWS.values():
        allowed = {choice.action_type for choice in view.allowed}
        assert {pick.verb.action_type for pick in picks(view)} == allowed


def test_sharing_waits_for_a_finding() -> None:
    view = VIEWS[AgentRole.SRE]._replace(findings=())
    share = next(pick for pick in picks(view) if pick.speech is Speech.SHARE)
    assert share.blocked


def test_going_back_takes_one_answer_back_at_a_time() -> None:
    view = VIEWS[AgentRole.SRE]
    restart = next(p for p in picks(view) if p.verb.action_type is ActionType.RESTART)
    draft = Draft(restart, view, OFFERS)
    chosen = draft.answer("target", "db")
    assert chosen.back() == draft
    assert draft.back() is None


def test_the_last_look_says_when_it_lands_who_knows_and_what_a_slip_costs() -> None:
    view = VIEWS[AgentRole.SRE]
    by_verb = {p.verb.action_type: p for p in picks(view) if p.speech in (None, Speech.MESSAGE)}
    restart = Draft(by_verb[ActionType.RESTART], view, OFFERS).answer("target", "db")
    assert restart.preview() == (
        "restart db\nlands in 1 to 2 min; everyone sees it; "
        "costs 25 where it neither clears nor eases anything"
    )
    diagnose = Draft(by_verb[ActionType.DIAGNOSE], view, OFFERS).answer("cause", "memory_leak")
    assert diagnose.preview().endswith(
        "costs 5 as a working theory and 30 if certain, where it is wrong and stands when the "
        "cure is ordered; changing it costs 5"
    )
    look = Draft(by_verb[ActionType.INVESTIGATE], view, OFFERS).answer("target", "db")
    look = look.answer("source", Source.RUNTIME.value)
    assert look.preview().endswith("only you see what it shows")
    say = Draft(by_verb[ActionType.COMMUNICATE], view, OFFERS)
    assert say.answer("to", "dev").answer("text", "x").preview().endswith("only Dev reads it")


@pytest.mark.parametrize(
    ("text", "cause"),
    [("Please. It looks like a memory leak", "memory_leak"), ("Please restart db.", None)],
)
def test_a_cause_that_a_person_names_goes_with_the_proposal(text: str, cause: str | None) -> None:
    propose = next(pick for pick in picks(VIEWS[AgentRole.SRE]) if pick.speech is Speech.PROPOSE)
    draft = Draft(propose, VIEWS[AgentRole.SRE], OFFERS).answer("to", "dev")
    for name, value in (("action_type", "restart"), ("target", "db")):
        draft = draft.answer(f"proposal.{name}", value)
    assert draft.answer("text", text).action().args["proposal"].get("cause") == cause


def test_a_folded_picker_says_that_there_is_more_than_fits() -> None:
    entries = picks(VIEWS[AgentRole.SRE])
    for width in range(20, 160):
        lines = summary(entries, width).plain.split("\n")
        whole = all(f"{pick.key} {pick.label}" in " ".join(lines) for pick in entries)
        assert lines[-1].endswith("0 pass")
        assert ("… 0 pass" in lines[-1]) is not whole
        assert max(len(line) for line in lines) <= width


@pytest.mark.parametrize("text", ["", "hm"])
def test_a_finding_that_is_shared_is_named_wherever_its_share_is_told(text: str) -> None:
    view = VIEWS[AgentRole.SRE]
    share = next(pick for pick in picks(view) if pick.speech is Speech.SHARE)
    draft = Draft(share, view, OFFERS).answer("finding", 0).answer("to", "all")
    named = finding_word(view.findings[0])
    assert draft.summary() == f"share › {named} › all"
    action = draft.answer("text", text).action()
    words = f" with all: {text}" if text else " with all"
    assert draft.answer("text", text).preview().startswith(f"share {named}{words}\n")
    assert describe(action, findings=view.findings) == f"share {named}{words}"
    assert describe(action) == f"share finding 1{words}"


@pytest.mark.parametrize("place", [99, -1, "x", True])
def test_a_share_of_what_is_no_finding_reads_well_all_the_same(place: object) -> None:
    action = ChaosOpsAction(AgentRole.SRE, ActionType.COMMUNICATE, None, {"finding": place})
    said = describe(action, findings=VIEWS[AgentRole.SRE].findings)
    assert said == ("share finding 100 with all" if place == 99 else "share a finding with all")


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_what_a_wrong_fix_costs_is_in_view_when_it_is_about_to_be_done(
    size: tuple[int, int],
) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        restart = next(
            pick for pick in screen.query_one(Picker).flow.picks if pick.label == "restart"
        )
        await press(pilot, restart.key, "1")
        text = text_of(app)
        assert "do it" in text
        preview = screen.query_one("#picker-preview")
        assert preview.region.height == preview.virtual_size.height
        assert "eases anything" in text


def test_the_list_says_that_the_key_of_an_offer_does_it_and_the_entry_looks_at_it() -> None:
    view = VIEWS[AgentRole.SRE]
    action = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db", {})
    offer = Offer(action, "copilot helper", "")
    (option,) = [o for o in pick_options(offered(view, [offer]), "") if not o.disabled]
    assert "see what y does, or change it" in str(option.prompt)


def test_taking_a_shed_back_is_never_said_to_cost_points() -> None:
    view = VIEWS[AgentRole.SRE]
    pick = next(pick for pick in picks(view) if pick.verb.action_type is ActionType.SHED_LOAD)
    for percent, costs in ((0, False), (25, True)):
        draft = Draft(pick, view, OFFERS).answer("target", "edge").answer("percent", percent)
        assert ("neither clears nor eases" in draft.preview()) is costs


def test_a_proposal_reads_as_a_sentence_and_says_who_gets_it_before_it_says_what() -> None:
    view = VIEWS[AgentRole.SRE]
    propose = next(pick for pick in picks(view) if pick.speech is Speech.PROPOSE)
    draft = Draft(propose, view, OFFERS).answer("to", "dev")
    assert draft.preview().splitlines()[0] == "propose to Dev"
    for name, value in (("action_type", "rollback"), ("target", "cart"), ("change", None)):
        draft = draft.answer(f"proposal.{name}", value)
    assert draft.action().args["text"] == "Please roll back cart."


def test_an_order_that_means_an_instance_or_a_zone_always_says_which() -> None:
    view = VIEWS[AgentRole.SRE]
    drain = next(pick for pick in picks(view) if pick.verb.action_type is ActionType.DRAIN)
    draft = Draft(drain, view, OFFERS).answer("target", "db")
    field = draft.question
    assert field is not None
    assert [choice.value for choice in field.choices] == ["instance", "zone"]
