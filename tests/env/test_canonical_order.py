"""The order of a list in a view carries no information: it follows from what the list says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.agents.policies import expert_policy, random_policy
from chaosops.agents.runner import EpisodeResult, run_episode
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ArgumentChoice,
    CauseFamily,
    FailureType,
    NextStep,
    RoleView,
    Severity,
    Trend,
)
from chaosops.env.models.roles import ROLES
from chaosops.env.models.verbs import AGENT_VERBS, services_for
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.incident import Incident
from chaosops.text import parse_action, render_observation
from tests.sampling import sampled
from tests.worlds import (
    DEPLOY_BOT,
    INNOCENT,
    OVERSIGHT,
    ROGUE_PROMOTION,
    all_ids,
    environment,
    hand_made,
    move,
    play,
    scenario,
    view_of,
)

SHUFFLED = ("automation", "changes", "tickets")
"""The lists of an incident whose order means nothing."""


def _is_by(key: Callable[[Any], Any], items: Sequence[Any]) -> bool:
    return all(key(earlier) <= key(later) for earlier, later in pairwise(items))


def _itself(item: Any) -> Any:
    return item


def _out_of_order(view: RoleView, played: Scenario) -> Iterator[str]:
    """The lists of a view that are not in their canonical order."""
    services = list(played.topology.names())
    page, *others = view.alerts
    if (page.minute, page.severity, page.text) != (0, Severity.PAGE, played.page):
        yield "alerts: the page is not the first"
    whole: dict[str, Sequence[Any]] = {
        "alerts": others,
        "changes": view.changes or (),
        "audit": view.audit or (),
        "agents": view.agents or (),
        "paused": view.paused or (),
        "flagged": view.flagged or (),
        "tickets": view.impact.tickets if view.impact else (),
    }
    yield from (name for name, items in whole.items() if not _is_by(_itself, items))
    by_minute: dict[str, Sequence[Any]] = {
        "channel": view.channel,
        "inbox": view.inbox,
        "diagnoses": view.diagnoses,
    }
    by_minute["logs"] = view.logs or ()
    for name, items in {**by_minute, "findings": view.findings}.items():
        if not _is_by(lambda item: item.minute, items):
            yield name
    if not _is_by(lambda item: item.taken, view.in_flight):
        yield "in_flight"
    if not _is_by(lambda item: item.since, view.in_force):
        yield "in_force"
    if not _is_by(lambda item: (item.lands, item.taken), view.landed):
        yield "landed"
    if [node.name for node in view.graph] != services:
        yield "graph"
    for minute in view.history or ():
        if not _is_by(services.index, [signals.service for signals in minute]):
            yield "history"
    if not _is_by(services.index, [name for name, _health in view.health or ()]):
        yield "health"
    if view.impact and not _is_by(TURN_ORDER.index, [item.role for item in view.impact.doing]):
        yield "doing"
    for finding in (*view.findings, *(m.finding for m in view.channel if m.finding)):
        if not _is_by(_itself, finding.signs):
            yield "signs"
    yield from _choices_out_of_order(view, played)


def _choices_out_of_order(view: RoleView, played: Scenario) -> Iterator[str]:
    verbs = [choice.action_type for choice in view.allowed]
    if verbs != [verb for verb in ROLES[view.role].verbs if verb in verbs]:
        yield "allowed"
    seats = [role.value for role in TURN_ORDER if role is not view.role]
    for choice in view.allowed:
        verb, targets = choice.action_type, choice.targets
        is_of_agents = verb in AGENT_VERBS or (view.role is OVERSIGHT and verb == "investigate")
        if is_of_agents:
            expected: Sequence[str] = sorted(targets)
        elif verb == "assign":
            expected = seats
        elif verb == "investigate":
            expected = played.topology.names()
        else:
            expected = services_for(verb, played.topology)
        if list(targets) != list(expected):
            yield f"targets of {verb}"
        for argument in choice.arguments:
            if not _is_canonical(argument, verb, view.role, seats, played):
                yield f"{argument.name} of {verb}"


def _is_canonical(
    argument: ArgumentChoice, verb: ActionType, role: AgentRole, seats: list[str], played: Scenario
) -> bool:
    families = verb is ActionType.UPDATE
    fixed: dict[str, Sequence[str | int]] = {
        "to": ["all", *seats],
        "source": [source.value for source in ROLES[role].sources],
        "cause": [cause.value for cause in (CauseFamily if families else FailureType)],
        "unit": ["instance", "zone"],
        "limit": ["memory", "connections", "cpu", "threads"],
        "place": played.topology.names(),
        "stake": ["working", "certain"],
        "journey": [entry.service for entry in played.topology.entries],
        "trend": [trend.value for trend in Trend],
        "next": [step.value for step in NextStep],
    }
    expected = fixed.get(argument.name, sorted(argument.choices))
    return list(argument.choices) == [one for one in expected if one in argument.choices]


def _frames(played: Scenario, make: Callable[[int], Any], turns: int | None) -> EpisodeResult:
    policies = {role: make(k) for k, role in enumerate(TURN_ORDER)}
    return run_episode(environment(played), played, policies, max_turns=turns)


@pytest.mark.few(1)
@pytest.mark.parametrize("make", [random_policy, expert_policy])
@pytest.mark.parametrize("name", sampled(all_ids()))
def test_every_list_in_every_view_is_in_its_canonical_order(
    name: str, make: Callable[[int], Any]
) -> None:
    for seed in range(4):
        played = scenario(name, seed)
        for frame in _frames(played, make, 24).steps:
            assert list(_out_of_order(frame.observation.view, played)) == [], frame.turn


def _shuffled(incident: Incident, dice: Random) -> Incident:
    def mixed(items: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(dice.sample(list(items), len(items)))

    lists = {name: mixed(getattr(incident, name)) for name in SHUFFLED}
    lists["automation"] = tuple(
        agent.model_copy(update={"events": mixed(agent.events)}) for agent in lists["automation"]
    )
    return incident.model_copy(update=lists)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(all_ids()),
    seed=st.integers(0, 2**32 - 1),
    dice=st.randoms(use_true_random=False),
)
def test_the_order_in_which_an_incident_lists_things_changes_no_frame(
    name: str, seed: int, dice: Random
) -> None:
    played = scenario(name, 0).with_seed(seed)
    mixed = replace(played, incident=_shuffled(played.incident, dice))
    ours, theirs = (_frames(one, random_policy, 20).steps for one in (played, mixed))
    assert ours == theirs


def test_the_lists_of_oversight_do_not_tell_which_agent_is_guilty() -> None:
    for agents in ([INNOCENT, DEPLOY_BOT], [DEPLOY_BOT, INNOCENT]):
        moves = {1: move("pause", "deploy_bot"), 5: move("pause", "compactor")}
        moves |= {9: move("flag", "deploy_bot"), 13: move("flag", "compactor")}
        stepper = play(hand_made(casts=[ROGUE_PROMOTION], automation=agents), moves, turns=14)
        view = view_of(stepper, OVERSIGHT)
        assert view.agents == view.paused == view.flagged == ("compactor", "deploy_bot")
        targets = {choice.action_type.value: choice.targets for choice in view.allowed}
        assert targets["investigate"] == targets["resume"] == view.agents
        assert stepper.result().oversight_flags == ("deploy_bot", "compactor")


def test_what_happens_in_the_same_minute_stands_by_name() -> None:
    same = [{**INNOCENT["events"][0], "act": act} for act in ("restart", "drain")]
    agents = [{**INNOCENT, "name": name, "events": same} for name in ("sweeper", "compactor")]
    tickets = [{"at": 1, "text": text} for text in ("two", "one")]
    stepper = play(hand_made(automation=agents, tickets=tickets), turns=4)
    views = {frame.role: frame.observation.view for frame in stepper.steps}
    audit, impact = views[OVERSIGHT].audit, views[AgentRole.MANAGER].impact
    assert audit is not None
    assert [(event.agent, event.act) for event in audit] == [
        (name, act) for name in ("compactor", "sweeper") for act in ("drain", "restart")
    ]
    assert impact is not None
    assert [ticket.text for ticket in impact.tickets] == ["one", "two"]


@pytest.mark.few(1)
@pytest.mark.parametrize("name", sampled(all_ids()))
def test_the_example_of_a_prompt_is_the_first_verb_with_targets_and_its_first_target(
    name: str,
) -> None:
    played = scenario(name, 1)
    for frame in _frames(played, random_policy, 12).steps:
        view = frame.observation.view
        text = render_observation(frame.observation).splitlines()[-1]
        shown = parse_action(text.removeprefix("for example "), view)
        choice = next(choice for choice in view.allowed if choice.targets)
        assert (shown.action_type, shown.target) == (choice.action_type, choice.targets[0])
        if view.agents is not None:
            assert shown.target == min(view.agents)
