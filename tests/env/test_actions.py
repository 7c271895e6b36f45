"""Who may do what: one list, and the check that reads it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.actions import ActionBook, hints_problem, read_proposal, read_reply
from chaosops.env.models import (
    EMPTY,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    FailureType,
    FrozenMap,
    Proposal,
    Reply,
    ReplyKind,
    Source,
    as_action,
)
from chaosops.env.models.verbs import ANSWERS, FIXES
from tests.strategies import json_values
from tests.worlds import (
    DEPLOY_BOT,
    DEV,
    INNOCENT,
    MANAGER,
    OVERSIGHT,
    SRE,
    all_ids,
    hand_made,
    move,
    play,
    scenario,
    view_of,
)

_EVERYONE = {"communicate", "noop"}
# Section 4 of the rules: what each role may do.
TABLE = {
    SRE: _EVERYONE
    | {"investigate", "restart", "scale", "failover", "drain", "shed_load", "purge"}
    | {"raise_limit", "terminate", "diagnose"},
    OVERSIGHT: _EVERYONE | {"investigate", "pause", "resume", "flag"} | {"grant", "deny", "ask"},
    DEV: _EVERYONE
    | {"investigate", "rollback", "disable_feature", "restart", "terminate", "rotate"}
    | {"diagnose"},
    MANAGER: _EVERYONE
    | {"assign", "escalate", "diagnose", "resolve"}
    | {"approve", "refuse", "update"},
}
LATER = {"resume", "approve", "refuse", "update"}
"""At the page nothing is paused yet, nothing waits for an approval, and no update is due."""

SOURCES = {
    SRE: {"metrics", "logs", "traces", "runtime", "network"},
    OVERSIGHT: {"automation"},
    DEV: {"changes", "config", "logs", "traces"},
}


@pytest.mark.few(3)
@pytest.mark.parametrize("name", all_ids())
@pytest.mark.parametrize("role", TURN_ORDER)
def test_each_role_may_do_what_its_row_of_the_table_says(name: str, role: AgentRole) -> None:
    view = view_of(play(scenario(name), turns=0), role)
    verbs = [choice.action_type.value for choice in view.allowed]
    assert len(set(verbs)) == len(verbs)
    not_yet = LATER if view.agent_requests else LATER | {verb.value for verb in ANSWERS}
    assert set(verbs) == TABLE[role] - not_yet
    assert {choice.group for choice in view.allowed} <= {"look", "talk", "fix", "decide"}
    for choice in view.allowed:
        if choice.action_type is ActionType.INVESTIGATE:
            assert set(choice.arguments[0].choices) == SOURCES[role]
        low, high = choice.minutes
        assert 0 <= low <= high <= 5
        assert (low > 0) is (choice.action_type in FIXES | {ActionType.ESCALATE})


@pytest.mark.few(3)
@pytest.mark.parametrize("name", all_ids())
def test_restarts_scales_rollbacks_and_failovers_take_their_minutes(name: str) -> None:
    limits = {"restart": (1, 2), "scale": (2, 4), "rollback": (3, 5), "failover": (5, 5)}
    for role in (SRE, DEV):
        for choice in view_of(play(scenario(name), turns=0), role).allowed:
            low, high = limits.get(choice.action_type.value, (0, 5))
            assert low <= choice.minutes[0] <= choice.minutes[1] <= high


def test_oversight_is_offered_what_it_has_not_done_yet() -> None:
    def offered(stepper_turns: int) -> dict[str, tuple[str, ...]]:
        moves = {
            1: move("pause", "deploy_bot"),
            5: move("flag", "deploy_bot"),
            9: move("resume", "deploy_bot"),
        }
        played = hand_made(automation=[INNOCENT, DEPLOY_BOT])
        view = view_of(play(played, moves, turns=stepper_turns), OVERSIGHT)
        return {
            choice.action_type.value: choice.targets
            for choice in view.allowed
            if choice.action_type.value in ("pause", "resume", "flag")
        }

    both = ("compactor", "deploy_bot")
    assert offered(0) == {"pause": both, "flag": both}
    assert offered(2) == {"pause": both[:1], "resume": both[1:], "flag": both}
    assert offered(6) == {"pause": both[:1], "resume": both[1:], "flag": both[:1]}
    assert offered(10) == {"pause": both, "flag": both[:1]}


def _book() -> ActionBook:
    return ActionBook(hand_made().topology, ("compactor",))


@st.composite
def _offered(draw: st.DrawFn) -> ChaosOpsAction:
    """An action put together from the list of what is allowed, in every way it can be."""
    role = draw(st.sampled_from(TURN_ORDER))
    choice = draw(st.sampled_from(_book().allowed(role, (), ())))
    args: dict[str, object] = {
        argument.name: draw(st.sampled_from(argument.choices))
        for argument in choice.arguments
        if argument.choices and (argument.required or draw(st.booleans()))
    }
    if choice.action_type is ActionType.COMMUNICATE:
        args["text"] = draw(st.text(min_size=1, max_size=50)) + "!"
    if choice.action_type is ActionType.ASSIGN:
        args["proposal"] = {"action_type": "noop"}
    target = draw(st.sampled_from(choice.targets)) if choice.targets else None
    return ChaosOpsAction(role, choice.action_type, target, args)


@given(_offered())
def test_whatever_is_offered_can_be_done(action: ChaosOpsAction) -> None:
    book = _book()
    assert book.problem(action, book.allowed(action.role, (), ()), 0) == ""


def _problem(verb: str, target: str | None = None, role: AgentRole = SRE, **args: object) -> str:
    book = _book()
    return book.problem(ChaosOpsAction(role, verb, target, args), book.allowed(role, (), ()), 2)


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        (_problem("rollback", "db"), "restart"),
        (_problem("restart"), "db"),
        (_problem("restart", "bank"), "'bank'"),
        (_problem("noop", "db"), "no target"),
        (_problem("scale", "db"), "'replicas'"),
        (_problem("scale", "db", replicas="3"), "1, 2, 3"),
        (_problem("scale", "db", replicas=3, at=2), "'at'"),
        (_problem("investigate", "db", source="changes"), "metrics"),
        (_problem("communicate"), "empty"),
        (_problem("communicate", text="x", to="sre"), "'to'"),
        (_problem("communicate", text="x", finding=2), "2 so far"),
        (_problem("noop", hint=[4]), "hint"),
        (_problem("assign", "sre", MANAGER), "'proposal'"),
        (_problem("assign", "manager", MANAGER, proposal={"action_type": "noop"}), "sre"),
    ],
)
def test_what_cannot_be_done_is_explained_with_what_can(problem: str, says: str) -> None:
    assert says in problem
    assert "\n" not in problem


@pytest.mark.parametrize(
    "replicas", [1.0, True, "1", [1], {"replicas": 1}, 0, -1, 7, 10**400, float("nan"), None]
)
def test_what_only_looks_like_a_choice_is_none(replicas: object) -> None:
    assert _problem("scale", "db", replicas=1) == ""
    assert "'replicas'" in _problem("scale", "db", replicas=replicas)


def _proposed(to: AgentRole, **proposal: object) -> str:
    return _problem("communicate", to=to.value, proposal=proposal)


@pytest.mark.parametrize(
    "problem",
    [
        _proposed(DEV, action_type="rollback", target="db"),
        _proposed(DEV, action_type="diagnose", args={"cause": "cascade"}),
        _proposed(OVERSIGHT, action_type="pause", target="compactor"),
        _proposed(OVERSIGHT, action_type="flag", target="compactor"),
        _proposed(OVERSIGHT, action_type="resume", target="compactor"),
        _proposed(MANAGER, action_type="resolve"),
        _proposed(MANAGER, action_type="escalate", target="bank"),
    ],
)
def test_what_the_receiver_can_do_can_be_proposed(problem: str) -> None:
    assert problem == ""


@pytest.mark.parametrize(
    "problem",
    [
        _proposed(DEV, action_type="scale", target="db", args={"replicas": 3}),
        _proposed(DEV, action_type="rollback", target="compactor"),
        _proposed(DEV, action_type="rollback"),
        _proposed(DEV, action_type="diagnose", target="db", args={"cause": "cascade"}),
        _proposed(DEV, action_type="diagnose", args={"cause": "luck"}),
        _proposed(DEV, action_type="noop", args={"hint": [3]}),
        _proposed(OVERSIGHT, action_type="pause", target="db"),
        _proposed(OVERSIGHT, action_type="pause", target="compactor", args={"for": 3}),
        _proposed(MANAGER, action_type="assign", target="sre"),
    ],
)
def test_what_the_receiver_could_not_do_cannot_be_proposed(problem: str) -> None:
    assert problem != ""


@given(json_values)
def test_anything_is_read_as_a_proposal_or_as_none(value: object) -> None:
    frozen = FrozenMap({"proposal": value})["proposal"]
    made = read_proposal(frozen)
    assert made is None or isinstance(made, Proposal)


def test_a_proposal_is_a_verb_with_what_it_needs() -> None:
    assert read_proposal({"action_type": "noop"}) == Proposal(ActionType.NOOP, None, EMPTY)
    assert read_proposal({"action_type": "sing"}) is None
    assert read_proposal({}) is None


def test_a_proposal_names_a_cause_of_the_taxonomy_or_none() -> None:
    named = read_proposal({"action_type": "noop", "cause": "memory_leak"})
    assert named is not None
    assert named.cause is FailureType.MEMORY_LEAK
    assert read_proposal({"action_type": "noop", "cause": "luck"}) is None


def test_a_reply_says_how_and_to_which_proposal() -> None:
    asked = {"action_type": "restart", "target": "db", "args": {}}
    made = read_reply(FrozenMap({"kind": "declines", "proposal": asked}))
    assert made == Reply(ReplyKind.DECLINES, Proposal(ActionType.RESTART, "db", EMPTY))


@pytest.mark.parametrize(
    "reply",
    [
        "no",
        {},
        {"kind": "declines"},
        {"kind": "sings", "proposal": {"action_type": "noop"}},
        {"kind": ["declines"], "proposal": {"action_type": "noop"}},
        {"kind": "declines", "proposal": {"action_type": "noop"}, "why": "no"},
    ],
)
def test_a_message_with_anything_else_for_a_reply_costs_the_turn(reply: object) -> None:
    assert "reply" in _problem("communicate", text="no", reply=reply)


def test_no_other_verb_takes_a_reply() -> None:
    asked = {"kind": "declines", "proposal": {"action_type": "noop"}}
    assert "no argument 'reply'" in _problem("noop", reply=asked)


@pytest.mark.parametrize("levels", [(), (1,), (3, 1, 2)])
def test_hint_levels_are_one_two_and_three(levels: tuple[int, ...]) -> None:
    assert hints_problem(levels) == ""


@pytest.mark.parametrize("levels", [None, 1, (0,), (4,), (True,), (1.0,), ("1",), (1, 1)])
def test_other_hint_levels_are_none(levels: object) -> None:
    assert hints_problem(levels) != ""


def test_what_is_no_action_becomes_one_that_cannot_be_done() -> None:
    for junk in (None, "noop", 3, object()):
        made = as_action(junk, DEV)
        assert made.role is DEV
        assert "no action" in _book().problem(made, _book().allowed(DEV, (), ()), 0)


def test_nobody_looks_where_their_role_cannot() -> None:
    assert {Source(name) for names in SOURCES.values() for name in names} == set(Source)
