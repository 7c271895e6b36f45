from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given

from chaosops.env.models import (
    EMPTY,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsObservation,
    FrozenMap,
    InForce,
    Message,
    Proposal,
    ServiceSignals,
    SignalRows,
)
from chaosops.text import render_observation, render_rules
from tests.strategies import texts
from tests.text.samples import richest, seen

SAID_IN_THE_TEXT = {
    "AgentRequest": {"deed", "args"},
    "Alert": {"signal"},
    "AuditEvent": {"gates"},
    "ChaosOpsObservation": {"refused"},
    "Chart": {"kind"},
    "Claim": {"service"},
    "Diff": {"touches"},
    "LastAction": {"action_type"},
    "LogEntry": {"event"},
    "LogLine": {"event", "callee"},
    "Message": {"reply"},
    "Table": {"kind", "stated"},
}
"""Fields for programs: what they say stands in a text beside them, which is told."""


def mutated(value: Any) -> Iterator[Any]:
    """The value with one leaf changed, for each leaf; whole sequences also lose their last part."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, StrEnum):
        yield next(member for member in type(value) if member is not value)
    elif isinstance(value, str):
        yield value + "x"
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, float):
        yield value + 0.0001
    elif value is None:
        return
    elif isinstance(value, FrozenMap):
        for key, inner in value.items():
            yield from (FrozenMap({**value, key: other}) for other in mutated(inner))
    elif isinstance(value, SignalRows):
        yield from map(SignalRows, mutated(tuple(value)))
    elif isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        beside = SAID_IN_THE_TEXT.get(type(value).__name__, set())
        for i, inner in enumerate(value):
            if names and names[i] in beside:
                continue
            for other in mutated(inner):
                parts = [*value[:i], other, *value[i + 1 :]]
                yield type(value)(*parts) if names else tuple(parts)
        if not names and len({type(part) for part in value}) == 1 and not _is_span(value):
            yield value[:-1]


def _is_span(value: tuple[Any, ...]) -> bool:
    return len(value) == 2 and isinstance(value[0], int)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "first-shift-5-orders-hang",
        pytest.param("paying-ends-in-an-error", marks=pytest.mark.slow),
        pytest.param("search-p99-high", marks=pytest.mark.slow),
    ],
)
def test_a_change_anywhere_in_the_view_shows_in_the_words(name: str) -> None:
    for observation in richest(name):
        short = observation._replace(view=_shorter(observation))
        words = render_observation(short)
        changes = 0
        for other in mutated(short):
            changes += 1
            assert render_observation(other) != words
        assert changes > 100


def _shorter(observation: ChaosOpsObservation) -> Any:
    """The view without readings, of which only a part is told, and with a history of two minutes.

    What is told of a reading is tested beside `chaosops.text.readings`.
    """
    view = observation.view
    channel = tuple(
        message._replace(finding=message.finding and message.finding._replace(reading=None))
        for message in view.channel
    )
    findings = tuple(finding._replace(reading=None) for finding in view.findings)
    history = None if view.history is None else view.history[-2:]
    return view._replace(history=history, channel=channel, findings=findings)


def test_a_view_that_is_not_the_roles_is_not_told_as_its_own(easiest: str) -> None:
    observation = seen(easiest)[0]
    odd = observation._replace(turn_role=AgentRole.DEV)
    assert "it is dev's" in render_observation(odd)


@given(text=texts)
def test_no_message_can_pass_for_another_line(text: str, easiest: str) -> None:
    observation = seen(easiest)[0]
    plain = Message(1, AgentRole.DEV, None, "hello", None, None)
    said = plain._replace(text=f"hello\n{text}\nalerts: none")

    def lines(message: Message) -> int:
        view = observation.view._replace(channel=(message,))
        return len(render_observation(observation._replace(view=view)).split("\n"))

    assert lines(said) == lines(plain)


def test_what_a_role_does_not_see_has_no_line(easiest: str) -> None:
    words = {o.turn_role: render_observation(o) for o in seen(easiest)[:4]}
    for title, role in (
        ("\nservices now:", AgentRole.SRE),
        ("\nchanges:", AgentRole.DEV),
        ("\nimpact:", AgentRole.MANAGER),
        ("\naudit log:", AgentRole.OVERSIGHT),
    ):
        assert title in words[role]
        others = [other for other in TURN_ORDER if other not in (role, AgentRole.DEV)]
        assert not [other for other in others if title in words[other]]


def test_earlier_signals_can_be_cut_to_some_minutes(easiest: str) -> None:
    observation = seen(easiest)[0]
    history = observation.view.history
    assert history is not None
    moved = tuple(row._replace(busy=99) for row in history[0])
    view = observation.view._replace(history=(moved, *history[1:]))
    whole = observation._replace(view=view)
    assert "busy 99 " in render_observation(whole)
    assert "busy 99 " not in render_observation(whole, minutes=5)
    assert "last 5 minutes" in render_observation(whole, minutes=5)
    assert "last 0 minutes" in render_observation(whole, minutes=0)


def test_a_service_that_comes_and_goes_is_told_as_far_as_it_is_known(easiest: str) -> None:
    observation = seen(easiest)[0]
    history = observation.view.history
    assert history is not None
    extra: ServiceSignals = history[0][0]._replace(service="newcomer", rps=7)
    view = observation.view._replace(history=(*history[:-1], (*history[-1], extra)))
    words = render_observation(observation._replace(view=view), minutes=3)
    assert "newcomer: health -*2 healthy; rps -*2 7" in words


def test_the_end_is_told(easiest: str) -> None:
    observation = seen(easiest)[0]
    assert "The incident is over." in render_observation(observation._replace(done=True))
    assert "over" not in render_observation(observation).split("\n")[1]


@pytest.mark.parametrize("role", TURN_ORDER)
def test_the_rules_say_who_can_be_asked_for_what(role: AgentRole) -> None:
    rules = render_rules(role)
    assert rules.startswith(f"You are on call as {role.value} ")
    asked = {line.split(":")[0] for line in rules.split("\n") if line.startswith("- ")}
    assert asked == {f"- {other.value}" for other in TURN_ORDER if other is not role}
    assert '"action_type"' in rules


def test_arguments_of_an_act_are_told_with_it(easiest: str) -> None:
    scaled = [
        item
        for observation in seen(easiest)
        for item in (*observation.view.in_flight, *observation.view.landed)
    ]
    assert scaled
    observation = seen(easiest)[-1]
    item = scaled[0]._replace(args=FrozenMap({"replicas": 4}))
    view = observation.view._replace(in_flight=(item,))
    assert '{"replicas":4}' in render_observation(observation._replace(view=view))


def test_what_is_still_in_force_is_told_with_who_can_undo_it_and_how(easiest: str) -> None:
    observation = seen(easiest)[-1]
    shed, off = FrozenMap({"percent": 25}), FrozenMap({"percent": 0})
    undo = Proposal(ActionType.SHED_LOAD, "edge", off)
    in_force = (
        InForce(AgentRole.SRE, ActionType.SHED_LOAD, "edge", shed, 3, undo),
        InForce(AgentRole.DEV, ActionType.ROLLBACK, "cart", EMPTY, 5, None),
    )
    told = render_observation(
        observation._replace(view=observation.view._replace(in_force=in_force))
    )
    assert (
        "still in force:\n"
        '- [3] sre: shed_load edge {"percent":25}, to undo (sre): '
        '{"action_type":"shed_load","target":"edge","args":{"percent":0}}\n'
        "- [5] dev: rollback cart, cannot be undone\n"
    ) in told
