import json
from contextlib import suppress
from copy import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import MAX_TEXT, ActionType, AgentRole, ChaosOpsAction, RoleView
from chaosops.text import ActionTextError, parse_action, render_action
from chaosops.text.actions import MAX_ANSWER, example
from tests.sampling import sampled
from tests.strategies import HOSTILE
from tests.strategies import actions as odd_actions
from tests.text.samples import actions, drawn, richest, seen
from tests.worlds import all_ids, scenario


@pytest.mark.few(1)
@pytest.mark.parametrize("name", sampled(all_ids()))
def test_every_allowed_action_reads_back_as_it_was_written(name: str) -> None:
    for observation in richest(name):
        view = observation.view
        for action in actions(view):
            text = render_action(action)
            assert text.count("\n") == 0
            assert parse_action(text, view) == action
            assert parse_action(f"I think so.\n```json\n{text}\n```\nDone.", view) == action
            assert parse_action(f"So it is: {text} and nothing else", view) == action


@pytest.mark.parametrize("instance", [1, 99, "payments-3f2a", None])
def test_one_instance_reads_back_as_it_was_written(sre: RoleView, instance: object) -> None:
    action = ChaosOpsAction(AgentRole.SRE, "restart", sre.graph[0].name, {"instance": instance})
    assert parse_action(render_action(action), sre) == action


@pytest.mark.parametrize("instance", [0, 100, True, "", [1], 1.5])
def test_what_is_no_instance_is_said_before_it_costs_a_turn(
    sre: RoleView, instance: object
) -> None:
    action = ChaosOpsAction(AgentRole.SRE, "restart", sre.graph[0].name, {"instance": instance})
    with pytest.raises(ActionTextError, match="'instance' is"):
        parse_action(render_action(action), sre)


def test_a_reply_and_a_named_cause_read_back_as_they_were_written(sre: RoleView) -> None:
    asked = {"action_type": "rollback", "target": "cart", "args": {}, "cause": "bad_release"}
    for args in (
        {"to": "dev", "text": "no", "reply": {"kind": "declines", "proposal": asked}},
        {"to": "dev", "text": "please", "proposal": asked},
    ):
        action = ChaosOpsAction(sre.role, ActionType.COMMUNICATE, None, args)
        assert parse_action(render_action(action), sre) == action


@pytest.mark.few(1)
@pytest.mark.parametrize("name", sampled(all_ids()))
def test_what_a_policy_does_reads_back_as_it_was_written(name: str) -> None:
    for observation in seen(name, "random")[:12]:
        for action in drawn(observation, 5):
            assert parse_action(render_action(action), observation.view) == action


@pytest.mark.few(1)
@pytest.mark.parametrize("name", sampled(all_ids()))
def test_the_example_of_each_verb_is_an_action(name: str) -> None:
    for observation in richest(name):
        for choice in observation.view.allowed:
            action = parse_action(example(choice), observation.view)
            assert action.action_type is choice.action_type


@pytest.fixture(scope="module")
def views(easiest: str) -> dict[AgentRole, RoleView]:
    return {observation.turn_role: observation.view for observation in seen(easiest)[:4]}


@pytest.fixture(scope="module")
def sre(views: dict[AgentRole, RoleView]) -> RoleView:
    return views[AgentRole.SRE]


def complaint(text: str, view: RoleView) -> str:
    with pytest.raises(ActionTextError) as caught:
        parse_action(text, view)
    message = str(caught.value)
    assert "\n" not in message
    assert "Write one JSON object, for example {" in message
    return message


RESTART = '{"action_type":"restart","target":"db"}'


@pytest.mark.parametrize(
    "answer",
    [
        RESTART,
        f"  {RESTART}\n",
        f"```\n{RESTART}\n```",
        f"```json\n{RESTART}\n```",
        f"```JSON {RESTART}```",
        f"Restart it.\n\n```json\n{RESTART}\n```\nThat should help.",
        f"The action is {RESTART}.",
        f"{RESTART}\n{RESTART}",
        '<think>{"action_type":"noop"} would be lazy</think>\n```json\n' + RESTART + "\n```",
        '{"action_type": "restart", "target": "db", "args": null, "role": "sre"}',
        '{\n  "action_type": "restart",\n  "target": "db",\n  "args": {}\n}',
    ],
)
def test_the_one_action_is_found_in_whatever_stands_around_it(answer: str, sre: RoleView) -> None:
    assert parse_action(answer, sre) == ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "no JSON object in the answer"),
        ("restart db", "no JSON object in the answer"),
        ("{'action_type': 'restart'}", "with double quotes"),
        ("[1, 2]", "no JSON object in the answer"),
        ('{"action_type": "restart", "target": "db"', "the JSON breaks at character"),
        ('{"action_type": NaN}', "NaN is no JSON number"),
        ('{"action_type": "noop", "action_type": "restart"}', "a key stands twice"),
        ('{"a":' * 20_000, "the answer is longer than"),
        ('{"a":' * 5_000, "nested too deep"),
        ("{}", "'action_type' is missing"),
        ('{"action": "restart"}', "'action' is no part of an action"),
        ('{"action_type": 3}', "'action_type' is text"),
        ('{"action_type": "reboot", "target": "db"}', "sre cannot 'reboot' now"),
        ('{"action_type": "restrat", "target": "db"}', "did you mean restart?"),
        ('{"action_type": "rollback", "target": "cart"}', "Allowed: investigate, communicate"),
        ('{"action_type": "restart"}', "not no target"),
        ('{"action_type": "restart", "target": "dbb"}', "'target' of restart is one of edge"),
        ('{"action_type": "restart", "target": ["db"]}', "'target' is text, not [\"db\"]"),
        ('{"action_type": "noop", "target": "db"}', "noop takes no target: write null"),
        ('{"action_type": "scale", "target": "db"}', "scale needs the argument 'replicas': one of"),
        (
            '{"action_type": "scale", "target": "db", "args": {"replicas": "4"}}',
            "'replicas' of scale cannot be \"4\": one of 1, 2, 3, 4",
        ),
        (
            '{"action_type": "scale", "target": "db", "args": {"replicas": true}}',
            "'replicas' of scale cannot be true",
        ),
        ('{"action_type": "failover", "target": "db", "args": {"x": 1}}', "it takes none"),
        (
            '{"action_type": "restart", "target": "db", "args": {"x": 1}}',
            "restart has no argument 'x': instance",
        ),
        ('{"action_type": "restart", "target": "db", "args": [1]}', "'args' is an object"),
        ('{"action_type": "restart", "target": "db", "args": {"hint": [4]}}', "each 1, 2 or 3"),
        ('{"action_type": "noop", "role": "dev"}', "leave 'role' out"),
        ('{"action_type": "communicate", "args": {"text": " "}}', "the message is empty"),
        ('{"action_type": "communicate", "args": {"text": 5}}', "'text' is text"),
        ('{"action_type": "communicate", "args": {"text": "x", "to": "boss"}}', 'cannot be "boss"'),
        ('{"action_type": "communicate", "args": {"finding": 99}}', "'finding' is the number"),
        (
            '{"action_type": "communicate", "args": {"proposal": {"action_type": "noop"}}}',
            "a proposal goes to one role",
        ),
        (
            '{"action_type":"communicate","args":{"to":"dev","proposal":{"action_type":"scale"}}}',
            "dev cannot scale, but investigate, rollback",
        ),
        (
            '{"action_type":"communicate","args":{"to":"dev","proposal":"rollback"}}',
            "'proposal' is an object",
        ),
        (RESTART + '{"action_type":"noop"}', "2 different actions"),
    ],
)
def test_what_is_no_action_is_refused_with_the_reason_and_an_example(
    answer: str, why: str, sre: RoleView
) -> None:
    assert why in complaint(answer, sre)


def test_a_message_that_is_too_long_is_refused(sre: RoleView) -> None:
    answer = json.dumps({"action_type": "communicate", "args": {"text": "x" * (MAX_TEXT + 1)}})
    assert f"longer than {MAX_TEXT}" in complaint(answer, sre)


def test_what_is_asked_for_in_a_broken_message_is_not_done(sre: RoleView) -> None:
    answer = (
        '{"action_type":"communicate","args":{"to":"dev",'
        '"proposal":{"action_type":"restart","target":"db"}},}'
    )
    assert "the JSON breaks" in complaint(answer, sre)


def test_an_action_quoted_in_a_message_is_not_done(sre: RoleView) -> None:
    text = f"do this: ```json {RESTART} ```"
    made = ChaosOpsAction(AgentRole.SRE, ActionType.COMMUNICATE, None, {"text": text})
    assert parse_action(f"```json\n{render_action(made)}\n```", sre) == made


@given(text=st.text(max_size=200) | st.sampled_from(HOSTILE))
def test_no_text_raises_anything_else(text: str, sre: RoleView) -> None:
    for answer in (text, f"```json\n{text}\n```", f'{{"action_type": "{text}', text * 50):
        with suppress(ActionTextError):
            assert parse_action(answer, sre).role is AgentRole.SRE


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


@given(
    data=st.fixed_dictionaries(
        {"action_type": st.sampled_from([*ActionType]) | json_values},
        optional={"target": st.sampled_from(["db", "edge"]) | json_values, "args": json_values},
    )
)
def test_no_json_raises_anything_else(data: dict[str, Any], sre: RoleView) -> None:
    with suppress(ActionTextError):
        assert parse_action(json.dumps(data), sre).role is AgentRole.SRE


@pytest.fixture(scope="module")
def opening(easiest: str) -> Stepper:
    return Stepper(ChaosOpsEnvironment(), scenario(easiest))


@given(action=odd_actions(AgentRole.SRE))
def test_what_is_accepted_never_costs_the_turn(action: ChaosOpsAction, opening: Stepper) -> None:
    stepper = copy(opening)
    try:
        parsed = parse_action(render_action(action), stepper.observation.view)
    except ActionTextError:
        return
    assert parsed == action
    assert not stepper.take(parsed).breakdown.miscommunication_penalty


def test_an_answer_that_is_too_long_is_not_searched(sre: RoleView) -> None:
    assert "longer than" in complaint(" " * MAX_ANSWER + RESTART, sre)
