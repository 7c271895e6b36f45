"""How many keys a decision takes in the picker."""

from __future__ import annotations

from collections.abc import Iterator

from chaosops.agents.policies import random_policy
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, RoleView, Source
from chaosops.env.models.sources import SOURCES
from chaosops.env.models.verbs import VERBS
from chaosops.play.action_form.objects import moves_at
from chaosops.play.action_form.picks import PICK_KEYS, Offers, Pick, Speech, asks
from chaosops.play.action_form.state import NEEDS_NO_CONFIRMATION, FormState, Stage
from chaosops.play.action_form.suggestions import offers_of
from chaosops.scenarios.scenario import Scenario
from tests.env.situations import lessons, sources

_LOOK, _DECISION = 3, 4
_SHOP = "checkout-times-out"
_LONGER = frozenset({Speech.MESSAGE, Speech.PROPOSE})
"""A message is written. A proposal that asks a teammate for anything takes a question more than
one that begins with what is asked for."""


def _turns() -> Iterator[tuple[RoleView, Offers]]:
    """Yield what roles see in the turns of games of chance, and what they can ask for."""
    for source in (*sources()[::8], *lessons()[::6]):
        env, scenario = ChaosOpsEnvironment(), Scenario.of(source, 5)
        offers, policy = offers_of(scenario), random_policy(5)
        seen = env.reset(scenario)
        while not seen.done:
            yield seen.view, offers
            seen = env.step(policy(seen, seen.turn_role))


def _keys(view: RoleView, offers: Offers, pick: Pick) -> int:
    """Return the keys from a pick to the action, each question answered by the key of a choice.

    A status update is the one that was drafted.
    """
    form = FormState(1, view, offers)
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
    for view, offers in _turns():
        for pick in FormState(1, view, offers).picks:
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
    for view, offers in _turns():
        for pick in FormState(1, view, offers).picks:
            verb = pick.verb.action_type
            if not pick.blocked and verb is not ActionType.ASSIGN and pick.speech not in _LONGER:
                most[verb] = max(most.get(verb, 0), _keys(view, offers, pick))
    assert most[ActionType.INVESTIGATE] == _LOOK
    assert most[ActionType.DIAGNOSE] == _DECISION
    assert max(most.values()) == _DECISION, most


def test_a_teammate_is_asked_for_a_verb_that_only_others_have_in_four_keys() -> None:
    asked = set()
    for view, offers in _turns():
        for pick in asks(view, offers):
            asked.add((view.role, pick.key))
            assert _keys(view, offers, pick) <= _DECISION, pick
    assert (AgentRole.SRE, VERBS[ActionType.ROLLBACK].key) in asked
    assert (AgentRole.DEV, VERBS[ActionType.SCALE].key) in asked
    assert (AgentRole.MANAGER, VERBS[ActionType.PAUSE].key) in asked


def test_at_an_object_a_look_that_only_a_teammate_can_take_is_asked_for_in_four_keys() -> None:
    """Space, Enter, the key of the look, and Enter."""
    scenario = Scenario.load(_SHOP, seed=3)
    view, offers = ChaosOpsEnvironment().reset(scenario).view, offers_of(scenario)
    moves = {move.key: move for move in moves_at(view, "db", offers)}
    changes = moves[SOURCES[Source.CHANGES].key]
    assert changes.asks is AgentRole.DEV
    form = FormState(1, view, offers)
    form.begin_at(changes)
    assert form.stage is Stage.CONFIRM
    assert form.action is not None
    proposal = form.action.args["proposal"]
    assert (proposal["action_type"], proposal["target"]) == ("investigate", "db")
    assert form.action.args["to"] == "dev"
    assert form.action.args["text"] == "Please investigate changes of db."
