"""A compact prompt has what changed and what matters, and fits where trainers cut."""

from __future__ import annotations

import pytest
from hypothesis import given

from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsObservation,
    Health,
    LogLevel,
    Message,
)
from chaosops.text import (
    COMPACT_TOKENS,
    estimated_tokens,
    parse_action,
    render_action,
    render_compact,
    render_compact_rules,
    render_observation,
    render_rules,
)
from tests.strategies import texts
from tests.text.samples import decisions, seen
from tests.worlds import all_ids

TEMPLATE = 24
NAMES = all_ids()


def tokens(observation: ChaosOpsObservation, answer: str) -> int:
    """By the rule, with an answer and the marks of a chat template."""
    role = observation.view.role
    parts = (render_compact_rules(role), render_compact(observation), answer)
    return sum(map(estimated_tokens, parts)) + TEMPLATE


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["expert", pytest.param("random", marks=pytest.mark.slow)])
def test_compact_prompts_fit_1024_tokens_with_their_answers_in_95_of_100_rows(policy: str) -> None:
    assert COMPACT_TOKENS == 1024
    lengths = []
    for name in NAMES:
        for observation, action in decisions(name, policy)[::3]:
            lengths.append(tokens(observation, render_action(action)))
    assert len(lengths) > 150
    assert sum(length <= 1024 for length in lengths) >= 0.95 * len(lengths)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", NAMES[::4])
def test_what_matters_is_in_every_compact_prompt(name: str) -> None:
    for observation in seen(name)[:24]:
        view, words = observation.view, render_compact(observation)
        lines = words.split("\n")
        full = render_observation(observation).split("\n")
        for now in view.services or ():
            if now.health is not Health.HEALTHY:
                assert any(f"- {now.service} {now.health.value}" in line for line in lines)
        for service, health in view.health or ():
            if health is not Health.HEALTHY:
                assert f"{service} {health.value}" in words
        assert observation.message in words
        assert all(any(item.action_type.value in x for x in lines) for item in view.in_flight)
        if view.findings:
            assert full[_last(full, f"- finding {len(view.findings) - 1}: ")] in lines
        for choice in view.allowed:
            assert any(line.startswith(f"- {choice.action_type.value}") for line in lines)


def _last(lines: list[str], begin: str) -> int:
    return max(i for i, line in enumerate(lines) if line.startswith(begin))


@pytest.mark.few(2)
@pytest.mark.parametrize("name", NAMES[::6])
def test_its_facts_are_those_of_the_full_prompt(name: str) -> None:
    """Words of the world that a compact prompt has stand in the full one too."""
    for observation in seen(name)[::7]:
        full = render_observation(observation) + render_rules(observation.view.role)
        told = render_compact(observation)
        for line in told.split("\n"):
            text = line.removeprefix("- ")
            if line.startswith("- [") and " x" not in text:
                assert text in full


@pytest.mark.few(1)
@pytest.mark.parametrize("name", NAMES[::6])
def test_the_targets_that_it_names_are_those_that_may_be_named(name: str) -> None:
    for observation in seen(name)[:4]:
        view, lines = observation.view, render_compact(observation).split("\n")
        services = {node.name for node in view.graph}
        for choice in view.allowed:
            if not choice.targets:
                continue
            line = next(x for x in lines if x.startswith(f"- {choice.action_type.value}"))
            told = line.split("target ", 1)[1].split(";")[0]
            if told.startswith("a service"):
                but = told.removeprefix("a service").removeprefix(" but ")
                named = services - set(filter(None, but.split(", ")))
            else:
                named = set(told.split(", "))
            assert named == set(choice.targets)


@given(text=texts)
def test_no_message_can_pass_for_another_line_of_a_compact_prompt(text: str, easiest: str) -> None:
    observation = seen(easiest)[0]
    plain = Message(1, AgentRole.DEV, None, "hello", None, None)
    said = plain._replace(text=f"hello\n{text}\nalerts: none")

    def titles(message: Message) -> set[str]:
        view = observation.view._replace(channel=(message,), logs=())
        lines = render_compact(observation._replace(view=view)).split("\n")
        return {line for line in lines if not line.startswith(("- ", "left out"))}

    assert titles(said) <= titles(plain) | {"messages:"}


def test_what_is_left_out_is_counted(easiest: str) -> None:
    observation = seen(easiest)[0]
    whole = render_compact(observation, tokens=100_000)
    assert "left out" not in whole
    short = render_compact(observation, tokens=700)
    (line,) = (line for line in short.split("\n") if line.startswith("left out for length: "))
    kept = {x.split(":")[0] if "critical" in x else x for x in short.split("\n")}
    dropped = [
        x
        for x in whole.split("\n")
        if not x.endswith(":") and x not in kept and x.split(":")[0] not in kept
    ]
    assert int(line.split()[4]) == len(dropped)


def test_of_log_lines_that_differ_in_numbers_the_newest_is_told_with_their_count() -> None:
    observation = next(o for o in seen(NAMES[0]) if o.view.logs)
    logs = observation.view.logs
    assert logs is not None
    one = logs[0]._replace(level=LogLevel.ERROR, text="54 % of calls failed (433 ms)", minute=2)
    two = one._replace(text="60 % of calls failed (12 ms)", minute=4)
    other = one._replace(level=LogLevel.INFO, text="all well")
    shown = observation._replace(view=observation.view._replace(logs=(one, other, two)))
    words = render_compact(shown, tokens=100_000)
    assert f"- [4] {one.service} ERROR 60 % of calls failed (12 ms) x2 since [2]\n" in words
    assert "54 %" not in words
    assert "all well" not in words


@pytest.mark.parametrize("role", TURN_ORDER)
def test_the_compact_rules_are_shorter_and_say_how_to_answer(role: AgentRole) -> None:
    rules = render_compact_rules(role)
    assert estimated_tokens(rules) < 0.8 * estimated_tokens(render_rules(role))
    assert '{"action_type":VERB,"target":NAME or null,"args":{...}}' in rules


def test_the_example_of_a_compact_prompt_is_an_action() -> None:
    for observation in seen(NAMES[0])[:4]:
        line = render_compact(observation).split("\n")[-1]
        action = parse_action(line.removeprefix("for example "), observation.view)
        assert render_action(action) in line
        assert action.action_type in ActionType


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("restart", 1),
        (" restart", 1),
        ("internationalisation", 2),
        ("bad_config_push", 3),
        ("minute 12", 4),
        ('{"a":', 3),
        ("a\nb", 3),
    ],
)
def test_tokens_are_counted_by_the_stated_rule(text: str, count: int) -> None:
    assert estimated_tokens(text) == count
