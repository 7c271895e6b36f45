"""How many keys a decision takes in the picker."""

from __future__ import annotations

from collections.abc import Iterator

from chaosops.agents.policies import random_policy
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, RoleView
from chaosops.env.models.sources import SOURCES
from chaosops.env.models.verbs import VERBS
from chaosops.play.action_form.fields import PICK_KEYS, Pick
from chaosops.play.action_form.state import NEEDS_NO_CONFIRMATION, FormState, Stage
from chaosops.scenarios.scenario import Scenario
from tests.env.situations import lessons, sources

_LOOK, _DECISION = 3, 4
_WRITTEN = frozenset({ActionType.COMMUNICATE, ActionType.ASSIGN})
"""What is told in words, or asked for in words; a proposal of a teammate is accepted by one key."""


def _views() -> Iterator[RoleView]:
    """Yield what roles see in the turns of games of chance."""
    for source in (*sources()[::8], *lessons()[::6]):
        env = ChaosOpsEnvironment()
        seen, policy = env.reset(Scenario.of(source, 5)), random_policy(5)
        while not seen.done:
            yield seen.view
            seen = env.step(policy(seen, seen.turn_role))


def _keys(view: RoleView, pick: Pick) -> int:
    """Return the keys from a pick to the action, each question answered by the key of a choice.

    A status update is the one that was drafted.
    """
    form = FormState(1, view, {})
    form.begin(pick)
    keys = len(pick.key)
    while form.stage is not Stage.CONFIRM:
        field = form.field
        assert field is not None
        assert field.choices, (pick.label, field)
        assert {len(choice.key) for choice in field.choices} == {1}, (pick.label, field.name)
        drafted = pick.verb.action_type is ActionType.UPDATE
        form.answer(field.choices[0 if drafted else -1].value)
        keys += 1
    made = form.action
    assert made is not None
    return keys + (made.action_type not in NEEDS_NO_CONFIRMATION)


def test_a_verb_has_the_same_key_for_every_role_and_in_every_state() -> None:
    keys: dict[tuple[ActionType, object], set[str]] = {}
    verbs: dict[str, set[tuple[ActionType, object]]] = {}
    for view in _views():
        for pick in FormState(1, view, {}).picks:
            named = pick.verb.action_type, pick.speech
            keys.setdefault(named, set()).add(pick.key)
            verbs.setdefault(pick.key, set()).add(named)
    assert all(len(found) == 1 for found in keys.values()), keys
    assert all(len(found) == 1 for found in verbs.values()), verbs
    assert keys[ActionType.NOOP, None] == {"0"}
    assert set(verbs) <= {*PICK_KEYS, "0"}


def test_a_key_means_one_thing_at_an_object() -> None:
    at_objects = [spec.key for spec in VERBS.values() if spec.does]
    looks = [spec.key for spec in SOURCES.values()]
    assert len({*at_objects, *looks}) == len(at_objects) + len(looks)


def test_a_look_takes_three_keys_and_no_other_decision_more_than_four() -> None:
    most: dict[ActionType, int] = {}
    for view in _views():
        for pick in FormState(1, view, {}).picks:
            verb = pick.verb.action_type
            if not pick.blocked and verb not in _WRITTEN:
                most[verb] = max(most.get(verb, 0), _keys(view, pick))
    assert most[ActionType.INVESTIGATE] == _LOOK
    assert most[ActionType.DIAGNOSE] == _DECISION
    assert max(most.values()) == _DECISION, most
