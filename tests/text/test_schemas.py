from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from chaosops.adapters.seat_game import SeatGame
from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, RoleView
from chaosops.text import ActionTextError, parse_action, render_action
from chaosops.text.schemas import action_schema, action_tools, read_call
from tests.text import schema_values
from tests.text.samples import actions, richest, seen
from tests.text.samples import drawn as drawn_actions
from tests.worlds import all_ids, scenario

SITUATION = "checkout-times-out"


def as_json(action: ChaosOpsAction) -> dict[str, Any]:
    text: dict[str, Any] = json.loads(render_action(action))
    return text


EACH_INCIDENT = pytest.mark.parametrize(
    "name",
    [
        all_ids()[0],
        *(pytest.param(name, marks=pytest.mark.slow) for name in (*all_ids()[8::8], SITUATION)),
    ],
)


@pytest.mark.slow
@EACH_INCIDENT
def test_every_allowed_action_fits_the_schema(name: str) -> None:
    for observation in richest(name):
        view = observation.view
        validator = Draft202012Validator(action_schema(view))
        Draft202012Validator.check_schema(validator.schema)
        done = (*actions(view), *drawn_actions(observation, 20))
        fitting = [action for action in done if not {"hint", "reply"} & set(action.args)]
        assert len(fitting) > 20
        for action in fitting:
            parse_action(render_action(action), view)
            wrong = [error.message for error in validator.iter_errors(as_json(action))]
            assert not wrong, (action, wrong[:1])


@pytest.mark.slow
@pytest.mark.parametrize("strict", [False, True])
@EACH_INCIDENT
def test_whatever_fits_the_schema_is_an_action(name: str, strict: bool) -> None:
    for observation in richest(name):
        view = observation.view
        schema = action_schema(view, strict=strict)
        random = Random(name)
        verbs = set()
        for _draw in range(150):
            value = schema_values.drawn(schema, schema, random)
            Draft202012Validator(schema).validate(value)
            verbs.add(parse_action(json.dumps(value), view).action_type)
        assert verbs == {choice.action_type for choice in view.allowed}


@pytest.mark.parametrize(
    "text",
    [
        '{"action_type":"restart","target":"nowhere","args":{}}',
        '{"action_type":"restart","target":null,"args":{}}',
        '{"action_type":"pause","target":"autoscaler","args":{}}',
        '{"action_type":"scale","target":"db","args":{}}',
        '{"action_type":"scale","target":"db","args":{"replicas":7}}',
        '{"action_type":"scale","target":"db","args":{"replicas":"4"}}',
        '{"action_type":"investigate","target":"db","args":{"source":"changes"}}',
        '{"action_type":"communicate","target":null,"args":{}}',
        '{"action_type":"communicate","target":null,"args":{"text":" "}}',
        '{"action_type":"communicate","target":null,"args":{"finding":99}}',
        (
            '{"action_type":"communicate","target":null,"args":{"to":"dev",'
            '"proposal":{"action_type":"resolve","target":null,"args":{}}}}'
        ),
        (
            '{"action_type":"communicate","target":null,"args":{"text":"do it",'
            '"proposal":{"action_type":"restart","target":"db","args":{}}}}'
        ),
        '{"action_type":"noop","target":null,"args":{},"mood":"bad"}',
    ],
)
def test_what_the_role_may_not_do_fits_neither(text: str) -> None:
    view = next(
        seen for seen in richest("paying-ends-in-an-error") if seen.turn_role is AgentRole.SRE
    ).view
    with pytest.raises(ActionTextError):
        parse_action(text, view)
    for strict in (False, True):
        fits = Draft202012Validator(action_schema(view, strict=strict)).is_valid(json.loads(text))
        assert not fits


def every_object(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [inner for each in schema for inner in every_object(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("type") == "object" else []
    return own + [inner for each in schema.values() for inner in every_object(each)]


def test_in_the_strict_form_every_property_is_required_and_no_other_is_allowed() -> None:
    for observation in richest(SITUATION):
        found = every_object(action_schema(observation.view, strict=True))
        assert len(found) > 4
        for schema in found:
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["paying-ends-in-an-error", SITUATION])
def test_a_tool_call_makes_the_action_that_it_describes(name: str) -> None:
    for observation in richest(name):
        view = observation.view
        tools = action_tools(view)
        names = [tool["function"]["name"] for tool in tools]
        assert names == [choice.action_type.value for choice in view.allowed]
        random = Random(name)
        for tool in tools:
            parameters = tool["function"]["parameters"]
            Draft202012Validator.check_schema(parameters)
            verb = tool["function"]["name"]
            for _draw in range(20):
                call = schema_values.drawn(parameters, parameters, random)
                if verb in ("communicate", "assign"):
                    # A flat list can't say which arguments go together.
                    continue
                action = read_call(verb, json.dumps(call), view)
                assert action.action_type == verb
                assert action.target == call.get("target")
                assert action == read_call(verb, call, view)


def sre() -> RoleView:
    return next(s for s in seen("paying-ends-in-an-error") if s.turn_role is AgentRole.SRE).view


def test_a_message_as_a_tool_call() -> None:
    action = read_call("communicate", '{"to":"dev","text":"look at cart"}', sre())
    assert action.action_type is ActionType.COMMUNICATE
    assert dict(action.args) == {"to": "dev", "text": "look at cart"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("restart", "{"),
        ("restart", "[]"),
        ("restart", "7"),
        ("restart", "[" * 100_000),
        ("restart", '{"target":"nowhere"}'),
        ("restart", '{"target":"db","force":true}'),
        ("resolve", "{}"),
        ("no_such_verb", "{}"),
        ("communicate", '{"text":""}'),
        ("x" * 10_000, "{}"),
    ],
)
def test_a_call_that_makes_no_action_is_refused_in_a_line(name: str, arguments: str) -> None:
    with pytest.raises(ActionTextError) as caught:
        read_call(name, arguments, sre())
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 1_000


@pytest.mark.parametrize(
    ("instance", "fits"), [(1, True), ("db-3f2a", True), (None, True), (0, False), ("", False)]
)
def test_a_restart_may_name_one_instance(instance: object, fits: bool) -> None:
    view = sre()
    target = view.graph[0].name
    value = {"action_type": "restart", "target": target, "args": {"instance": instance}}
    assert Draft202012Validator(action_schema(view)).is_valid(value) is fits
    scale = {"action_type": "scale", "target": target, "args": {"replicas": 2, "instance": 1}}
    assert not Draft202012Validator(action_schema(view)).is_valid(scale)
    strict = Draft202012Validator(action_schema(view, strict=True))
    assert strict.is_valid({**value, "args": {"instance": 2, "say": None}})
    assert not strict.is_valid({**value, "args": {"instance": 0, "say": None}})


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["paying-ends-in-an-error", SITUATION])
def test_the_environment_refuses_nothing_that_fits_but_names_of_agents_and_instances(
    name: str,
) -> None:
    refused = []
    for role in AgentRole:
        random, game = Random(name), SeatGame(scenario(name), role, "noop")
        while not game.done:
            schema = game.schema(strict=True)
            value = schema_values.drawn(schema, schema, random)
            before = len(game.steps)
            game.take(parse_action(json.dumps(value), game.observation.view))
            refused += filter(is_refused, game.steps[before : before + 1])
    # Not every service has as many instances, or any that stand for each other.
    of_one = [step for step in refused if step.action.args.get("instance") is not None]
    assert all("instance" in step.message for step in of_one)
    refused = [step for step in refused if step not in of_one]
    # Only Oversight knows the agents by name.
    assert all("the proposal needs" in step.message for step in refused)
    assert all(step.role is not AgentRole.OVERSIGHT for step in refused)
    carried = [step.action.args for step in refused]
    proposals = [(args.get("proposal") or args["say"]["proposal"]) for args in carried]
    assert {proposal["action_type"] for proposal in proposals} <= {
        "pause", "resume", "flag", "investigate",
    }  # fmt: skip


def is_refused(step: EpisodeStep) -> bool:
    return step.breakdown.miscommunication_penalty < 0
