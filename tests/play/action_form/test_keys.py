"""How many keys a decision takes in the picker."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from chaosops.agents.policies import random_policy
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, RoleView, Source
from chaosops.env.models.sources import SOURCES
from chaosops.env.models.verbs import VERBS
from chaosops.play.action_form.fields import Draft
from chaosops.play.action_form.objects import moves_at
from chaosops.play.action_form.picks import (
    PICK_KEYS,
    Offers,
    Pick,
    Speech,
    asks,
    can_be_proposed,
    picks,
)
from chaosops.play.action_form.state import NEEDS_NO_CONFIRMATION, FormState, Stage
from chaosops.play.action_form.suggestions import offers_of
from chaosops.play.action_form.teammate_moves import SUBJECT
from chaosops.scenarios.scenario import Scenario
from tests.env.situations import lessons, sources

_LOOK, _DECISION = 3, 4
_SHOP = "checkout-times-out"
_ASKING = frozenset({ActionType.ASSIGN, Speech.PROPOSE})
"""What asks a teammate for a move at an object, or for something else in a longer way."""


@cache
def _turns() -> tuple[tuple[RoleView, Offers], ...]:
    """Return what roles see in the turns of games of chance, and what they can ask for."""
    return tuple(_played())


def _played() -> Iterator[tuple[RoleView, Offers]]:
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


def _is_asking(pick: Pick) -> bool:
    return bool(_ASKING & {pick.verb.action_type, pick.speech})


def test_a_look_takes_three_keys_and_no_other_decision_more_than_four() -> None:
    most: dict[ActionType, int] = {}
    for view, offers in _turns():
        for pick in FormState(1, view, offers).picks:
            verb = pick.verb.action_type
            is_written = pick.speech is Speech.MESSAGE
            if not (pick.blocked or is_written or _is_asking(pick)):
                most[verb] = max(most.get(verb, 0), _keys(view, offers, pick))
    assert most[ActionType.INVESTIGATE] == _LOOK
    assert most[ActionType.DIAGNOSE] == _DECISION
    assert max(most.values()) == _DECISION, most


def _asked_for(view: RoleView, offers: Offers, pick: Pick) -> Iterator[tuple[int, ChaosOpsAction]]:
    """Yield everything that can be asked for at an object, each with the keys that it takes."""
    form = FormState(1, view, offers)
    form.begin(pick)
    subjects = form.field
    assert subjects is not None
    for subject in subjects.choices:
        if subject.value is None:
            continue
        form.begin(pick)
        form.answer(subject.value)
        moves = form.field
        assert moves is not None
        assert len({move.key for move in moves.choices}) == len(moves.choices), subject
        for move in moves.choices:
            form.answer(move.value)
            made = form.action
            assert made is not None
            yield len(pick.key + subject.key + move.key) + 1, made
            assert form.back()


def test_an_assignment_or_a_proposal_of_any_move_at_any_object_takes_four_keys() -> None:
    """Nothing that the rules allow is left out, and nothing is listed that they refuse."""
    env, scenario = ChaosOpsEnvironment(), Scenario.load(_SHOP, seed=3)
    env.reset(scenario)
    offers = offers_of(scenario)
    for role in AgentRole:
        view = env.view_of(role)
        for pick in filter(_is_asking, FormState(1, view, offers).picks):
            asked, found = set(), 0
            for keys, made in _asked_for(view, offers, pick):
                assert keys == _DECISION, made
                to = made.target if pick.speech is None else made.args["to"]
                proposal = made.args["proposal"]
                asked.add((to, proposal["action_type"], proposal["target"]))
                found += 1
            assert asked == {
                (other.value, verb.action_type.value, target)
                for other in AgentRole
                for verb in offers[other]
                for target in verb.targets
                if other is not role and can_be_proposed(verb.action_type)
            }
            assert found > len(asked)


def test_what_is_unwell_or_was_looked_at_has_a_key_in_every_turn_and_so_do_moves_there() -> None:
    seen = set()
    for view, offers in _turns():
        hurt = {alert.service for alert in view.alerts} | {one.target for one in view.findings}
        for pick in filter(_is_asking, picks(view)):
            subjects = Draft(pick, view, offers).question
            assert subjects is not None
            keys = {choice.value: choice.key for choice in subjects.choices}
            assert hurt - {*(view.agents or ())} <= keys.keys()
            assert {len(key) for key in keys.values()} == {1}
            for place in sorted(hurt & keys.keys())[:1]:
                moves = Draft(pick, view, offers).answer(SUBJECT, place).question
                assert moves is not None
                assert {len(choice.key) for choice in moves.choices} == {1}
                seen.add((view.role, pick.label))
    assert {label for _, label in seen} == {"assign", "propose"}


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
