"""A person in one seat who doesn't think, with scripted teammates."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.policies import Policy, pass_turn
from chaosops.agents.seats import seat_policies
from chaosops.agents.teamwork import open_proposal
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Difficulty,
    Source,
)
from chaosops.evaluation.measurement import Figure, Sample, mean_of
from chaosops.evaluation.openings import deepest_unhealthy
from chaosops.evaluation.study import Study, StudyPlan, play, situation_of
from chaosops.scenarios.rendering import ScenarioSource

_LOOKS_AT: Final[Mapping[AgentRole, Source]] = MappingProxyType(
    {AgentRole.SRE: Source.RUNTIME, AgentRole.DEV: Source.CHANGES}
)


class Thoughtless:
    """Plays the SRE seat, and then the Dev seat, by each of three habits."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure how often the team resolves the incident anyway, by seat and habit."""
        found: dict[str, list[Sample]] = {
            gate_name(role, habit): [] for role in _LOOKS_AT for habit in HABITS
        }
        for part in study.of_each(_samples):
            for name, samples in part.items():
                found[name] += samples
        return {name: mean_of(samples, levels) for name, samples in found.items()}


def gate_name(role: AgentRole, habit: str) -> str:
    """Return the name of the gate of a seat and a habit."""
    return f"thoughtless {role.value}: {habit}"


def _samples(plan: StudyPlan, source: ScenarioSource) -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for scenario in plan.scenarios(source):
        team = seat_policies(dict.fromkeys(TURN_ORDER, plan.teammate), scenario)
        for role in _LOOKS_AT:
            for habit, policy in HABITS.items():
                game = play(scenario, {**team, role: policy})
                sample = Sample(game.level, situation_of(scenario), float(game.resolved))
                found.setdefault(gate_name(role, habit), []).append(sample)
    return found


def accept(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    """Accept the newest proposal to the role, whatever it is; otherwise pass."""
    asked = open_proposal(observation.view)
    if asked is None or asked.proposal is None:
        return pass_turn(observation, role)
    proposal = asked.proposal
    return ChaosOpsAction(role, proposal.action_type, proposal.target, proposal.args)


def look_once(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    """Investigate the worst service, share the finding, and then accept everything."""
    view = observation.view
    if not view.findings:
        args = {"source": _LOOKS_AT[role].value}
        return ChaosOpsAction(role, ActionType.INVESTIGATE, deepest_unhealthy(view), args)
    shared = any(message.sender is role and message.finding is not None for message in view.channel)
    if not shared:
        newest = {"to": "all", "finding": len(view.findings) - 1}
        return ChaosOpsAction(role, ActionType.COMMUNICATE, None, newest)
    return accept(observation, role)


HABITS: Final[Mapping[str, Policy]] = MappingProxyType(
    {"passes": pass_turn, "accepts": accept, "looks once": look_once}
)
"""The habits of such a person, by name."""
