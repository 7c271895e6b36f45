"""What an incident tells agrees with the fleet it happens in, and with what its agents do."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

import pytest

from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, Source
from chaosops.env.models.topology import Topology
from chaosops.env.world_sim import HISTORY, Scenario
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.schema import Incident
from chaosops.scenarios.yaml_source import read_document
from tests.worlds import built_in

SOURCES = built_in()
PER_INCIDENT = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.id)
WITH_A_ROGUE = [s for s in SOURCES if any(agent.rogue for agent in s.render(0).automation)]
WITH_VARIANTS = [s for s in SOURCES if "variants" in (read_document(s.path).data or {})]
SEEDS_THAT_PICK_EVERY_VARIANT = range(16)
FEW_SEEDS = range(2)
CALLERS_SEE = frozenset({Source.LOGS, Source.TRACES})


def _calls(topology: Topology) -> dict[str, set[str]]:
    return {node.name: {call.to for call in node.calls} for node in topology.services}


def _behind(service: str, calls: Mapping[str, set[str]]) -> set[str]:
    """What the service calls, and what that calls in turn: a trace goes all the way."""
    found, ahead = set[str](), [service]
    while ahead:
        new = calls[ahead.pop()] - found
        found |= new
        ahead += new
    return found


def _named(text: str, services: Mapping[str, set[str]]) -> set[str]:
    """Services that the text names; an instance such as auth-5d1b is not one."""
    return {word for word in re.findall(r"[\w-]+", text.lower()) if word in services}


@PER_INCIDENT
def test_traces_name_only_services_on_the_call_path(source: ScenarioSource) -> None:
    calls = _calls(source.topology)
    for seed in SEEDS_THAT_PICK_EVERY_VARIANT:
        for item in source.render(seed).evidence:
            if item.source is Source.TRACES:
                strangers = _named(item.text, calls) - _behind(item.at, calls) - {item.at}
                assert not strangers, f"{item.at}: {item.text}"


@PER_INCIDENT
def test_who_tells_of_calls_to_a_service_makes_them(source: ScenarioSource) -> None:
    calls = _calls(source.topology)
    for seed in SEEDS_THAT_PICK_EVERY_VARIANT:
        told = source.render(seed)
        texts = [(log.service, log.text) for log in told.logs]
        texts += [(item.at, item.text) for item in told.evidence if item.source in CALLERS_SEE]
        for service, text in texts:
            for called in re.findall(r"\bcalls to ([\w-]+)", text.lower()):
                assert called not in calls or called in calls[service], f"{service}: {text}"


@PER_INCIDENT
def test_a_log_names_only_services_that_call_or_are_called(source: ScenarioSource) -> None:
    calls = _calls(source.topology)
    callers = defaultdict(set)
    for caller, called in calls.items():
        for service in called:
            callers[service].add(caller)
    for seed in SEEDS_THAT_PICK_EVERY_VARIANT:
        for line in source.render(seed).logs:
            near = calls[line.service] | callers[line.service] | {line.service}
            assert not _named(line.text, calls) - near, f"{line.service}: {line.text}"


@pytest.mark.parametrize("source", WITH_VARIANTS, ids=lambda source: source.id)
def test_variants_move_the_place_that_has_to_be_found(source: ScenarioSource) -> None:
    places = {_right_places(source.render(seed)) for seed in SEEDS_THAT_PICK_EVERY_VARIANT}
    assert len(places) > 1, places


def _right_places(incident: Incident) -> frozenset[str | None]:
    """What the right fix is used on; of a false alarm, which has none, where it is raised."""
    if not incident.faults:
        return frozenset(stuck.service for stuck in incident.stuck_alerts)
    coming = [fault for fault in incident.faults if fault.starts is not None]
    return frozenset(move.target for fault in coming for move in fault.clears)


@pytest.mark.parametrize("source", WITH_A_ROGUE, ids=lambda source: source.id)
def test_a_rogue_that_still_runs_lets_no_fix_hold(source: ScenarioSource) -> None:
    played = (Scenario.of(source, seed) for seed in FEW_SEEDS)
    for scenario in (one for one in played if any(a.rogue for a in one.incident.automation)):
        assert _longest_well(scenario, but=ActionType.PAUSE) < scenario.hold


def _longest_well(scenario: Scenario, but: ActionType) -> int:
    """Minutes in a row that users are well when the best line is played but for one verb."""
    steps: dict[AgentRole, list[ChaosOpsAction]] = defaultdict(list)
    for step in scenario.incident.solution:
        if step.action is not but:
            action = ChaosOpsAction(step.role, step.action, step.target, step.arguments())
            steps[step.role].append(action)
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    longest = 0
    while not stepper.done:
        mine = steps[stepper.role]
        stepper.take(mine.pop(0) if mine else ChaosOpsAction(stepper.role, ActionType.NOOP))
        longest = max(longest, stepper.observation.view.status.held)
    return longest


@pytest.mark.parametrize("seed", range(6))
def test_a_certificate_ends_at_its_minute_first_for_new_connections_then_for_open_ones(
    seed: int,
) -> None:
    played = Scenario.load("visitors-turned-away-at-once", seed)
    (fault,) = played.incident.faults
    onset = fault.starts
    assert onset is not None
    refused, closing = (effect for effect in fault.effects if effect.parameter == "errors")
    stepper = Stepper(ChaosOpsEnvironment(), played)
    seen = list(stepper.observation.view.history or ())
    while not stepper.done:
        view = stepper.take(None).observation.view
        seen += [view.services] if view.role is AgentRole.SRE and view.services else []
    errors = {
        number - HISTORY + 1: one.errors
        for number, minute in enumerate(seen[:HISTORY])
        for one in minute
        if one.service == refused.service
    }
    late = max(one.errors for one in seen[-1] if one.service == refused.service)
    assert errors[onset - 1] < 0.01
    assert errors[onset] == pytest.approx(refused.value, abs=0.02)
    assert late == pytest.approx(refused.value + closing.value, abs=0.02)
