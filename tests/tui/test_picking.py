from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import Stepper
from chaosops.env.actions import ActionBook
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction, RoleView, Source
from tests.tui.games import scenario, session
from tui.picking import Draft, Speech, picks
from tui.widgets.picker_options import summary

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


def test_the_preview_says_when_it_lands_and_who_knows() -> None:
    view = VIEWS[AgentRole.SRE]
    by_verb = {p.verb.action_type: p for p in picks(view) if p.speech in (None, Speech.MESSAGE)}
    restart = Draft(by_verb[ActionType.RESTART], view, OFFERS).answer("target", "db")
    assert restart.preview() == "restart db\nlands in 1 to 2 min; everyone sees it"
    look = Draft(by_verb[ActionType.INVESTIGATE], view, OFFERS).answer("target", "db")
    look = look.answer("source", Source.RUNTIME.value)
    assert look.preview().endswith("only you see what it shows")
    say = Draft(by_verb[ActionType.COMMUNICATE], view, OFFERS)
    assert say.answer("to", "dev").answer("text", "x").preview().endswith("only Dev reads it")


def test_a_folded_picker_says_that_there_is_more_than_fits() -> None:
    entries = picks(VIEWS[AgentRole.SRE])
    for width in range(20, 160):
        lines = summary(entries, width).plain.split("\n")
        whole = all(f"{pick.key} {pick.label}" in " ".join(lines) for pick in entries)
        assert lines[-1].endswith("0 pass")
        assert ("… 0 pass" in lines[-1]) is not whole
        assert max(len(line) for line in lines) <= width
