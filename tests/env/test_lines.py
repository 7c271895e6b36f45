"""Lines: what is said with an action in the same turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.lines import line_problem
from chaosops.env.models import (
    MAX_LINE,
    SAY,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Proposal,
)
from tests.env.situations import scenario
from tests.env.test_living_episode import DEV, MANAGER, OVERSIGHT, SRE, Game

LOOK = {"action_type": "investigate", "target": "cart", "args": {"source": "logs"}}


def game() -> Game:
    return Game(scenario("checkout-times-out", "row_lock"))


@pytest.mark.parametrize("role", TURN_ORDER)
@pytest.mark.parametrize("to", [None, "all"])
def test_every_role_can_say_something_with_any_action(role: AgentRole, to: str | None) -> None:
    played = game()
    played.take(role, ActionType.NOOP, None, say={"text": "db is slow", "to": to})
    (said,) = played.seen.view.channel
    assert (said.sender, said.to, said.text) == (role, None, "db is slow")
    assert played.seen.message.endswith("passed, and wrote to all")


def test_a_line_to_one_role_is_read_by_nobody_else() -> None:
    played = game()
    played.take(SRE, ActionType.RESTART, "cart", say={"to": "dev", "text": "restarting cart"})
    assert played.seen.message.endswith(", and wrote to Dev")
    views = {role: played.env.view_of(role) for role in TURN_ORDER}
    assert [len(views[role].inbox) for role in (SRE, DEV, MANAGER, OVERSIGHT)] == [1, 1, 0, 0]
    assert views[DEV].channel == ()
    assert [item.args for item in views[DEV].landed] == [{}]


def test_a_look_shares_what_it_finds_in_the_same_turn() -> None:
    played = game()
    played.take(SRE, ActionType.INVESTIGATE, "db", source="runtime", say={"finding": 0})
    (said,) = played.seen.view.channel
    assert said.finding == played.env.view_of(SRE).findings[0]
    played.take(SRE, ActionType.INVESTIGATE, "cart", source="logs", say={"finding": 1})
    last = played.seen.view.channel[-1].finding
    assert last is not None
    assert last.target == "cart"


def test_who_is_asked_for_a_look_is_told_when_it_is_taken() -> None:
    played = game()
    played.take(SRE, ActionType.NOOP, None, say={"to": "dev", "proposal": LOOK})
    (asked,) = played.env.view_of(DEV).inbox
    assert asked.proposal == Proposal(ActionType.INVESTIGATE, "cart", asked.proposal[2])  # type: ignore[index]
    played.take(DEV, ActionType.INVESTIGATE, "cart", source="logs", say={"finding": 0})
    answer = played.env.view_of(SRE).inbox[-1]
    assert answer.reply is not None
    assert played.seen.view.channel[-1].finding is not None


def test_what_is_said_changes_nothing_in_the_world() -> None:
    quiet, loud = game(), game()
    for k in range(24):
        role = quiet.seen.turn_role
        quiet.env.step(ChaosOpsAction(role, ActionType.NOOP))
        args = {SAY: {"text": f"minute {k}"}}
        loud.env.step(ChaosOpsAction(role, ActionType.NOOP, None, args))
        quiet.seen, loud.seen = (each.env._episode.observe(0.0, "") for each in (quiet, loud))  # type: ignore[union-attr]
    assert quiet.env.state == loud.env.state
    assert quiet.env.view_of(SRE).services == loud.env.view_of(SRE).services


BAD: list[tuple[object, str]] = [
    ("hello", "'say' is a mapping"),
    (["hello"], "'say' is a mapping"),
    (True, "'say' is a mapping"),
    ({}, "exactly one of"),
    ({"to": "dev"}, "exactly one of"),
    ({"text": "a", "finding": 0}, "exactly one of"),
    ({"text": ""}, "not empty"),
    ({"text": "  "}, "not empty"),
    ({"text": 7}, "are text"),
    ({"text": "x" * (MAX_LINE + 1)}, "at most 200"),
    ({"text": "two\nlines"}, "without control characters"),
    ({"text": "a\ttab"}, "without control characters"),
    ({"finding": 0}, "no such finding"),
    ({"finding": -1}, "no such finding"),
    ({"finding": True}, "no such finding"),
    ({"finding": "0"}, "no such finding"),
    ({"text": "hi", "to": "sre"}, "'to' of 'say' is one of"),
    ({"text": "hi", "to": "nobody"}, "'to' of 'say' is one of"),
    ({"text": "hi", "to": ["dev"]}, "'to' of 'say' is one of"),
    ({"text": "hi", "mood": "fine"}, "'say' has no 'mood'"),
    ({"proposal": LOOK}, "a proposal goes to one role"),
    ({"to": "all", "proposal": LOOK}, "a proposal goes to one role"),
    ({"to": "sre", "proposal": LOOK}, "'to' of 'say' is one of"),
    ({"to": "manager", "proposal": LOOK}, "manager cannot investigate"),
    ({"to": "dev", "proposal": "look"}, "a proposal is a mapping"),
    ({"to": "dev", "proposal": {**LOOK, "target": "nowhere"}}, "needs a target"),
    ({"to": "dev", "proposal": {**LOOK, "args": {SAY: {"text": "x"}}}}, "no argument 'say'"),
    ({"to": "dev", "proposal": {"action_type": "update"}}, "a proposal is a mapping"),
]


@pytest.mark.few(3)
@pytest.mark.parametrize(("said", "words"), BAD)
def test_a_line_that_is_none_costs_the_turn_and_says_why(said: object, words: str) -> None:
    played = game()
    seen = played.env.step(ChaosOpsAction(SRE, ActionType.RESTART, "cart", {SAY: said}))
    assert seen.refused
    assert words in seen.message
    assert seen.view.in_flight == ()
    assert seen.view.channel == ()


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@given(values | st.dictionaries(st.sampled_from(["to", "text", "finding", "proposal"]), values))
def test_no_line_ever_raises(said: object) -> None:
    action = ChaosOpsAction(SRE, ActionType.NOOP, None, {SAY: said})
    assert isinstance(line_problem(action.args[SAY], SRE, 1), str)


def test_words_are_cleaned_before_anybody_reads_them() -> None:
    played = game()
    played.take(SRE, ActionType.NOOP, None, say={"text": "\x1b[2Jgone \u202eabc"})
    (said,) = played.seen.view.channel
    assert said.text == "\ufffd[2Jgone \ufffdabc"


def test_a_null_line_is_none() -> None:
    played = game()
    played.take(SRE, ActionType.NOOP, None, say=None)
    assert played.seen.view.channel == ()


def test_an_empty_seat_can_be_asked_and_never_answers() -> None:
    played = game()
    played.take(SRE, ActionType.NOOP, None, say={"to": "dev", "proposal": LOOK})
    played.pass_(12)
    assert len(played.env.view_of(SRE).inbox) == 1
