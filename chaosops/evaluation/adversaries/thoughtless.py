"""A person in one seat who doesn't think, with scripted teammates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.acting import act, can
from chaosops.agents.handbook import HANDBOOK, Where
from chaosops.agents.perception import Fact, facts
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
    RoleView,
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
    """Plays the SRE seat, and then the Dev seat, by each of four habits."""

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


def listen(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    """Never investigate: accept every proposal, and else do what the handbook says to be heard.

    What teammates share costs a listener nothing: the first of their facts that settles a cause is
    taken for the answer, and its first cure is ordered where the fact was seen.
    """
    accepted = accept(observation, role)
    if accepted.action_type is not ActionType.NOOP:
        return accepted
    view = observation.view
    tried = {(item.action_type, item.target) for item in (*view.in_flight, *view.landed)}
    for cure in _called_for(view):
        if (cure.action_type, cure.target) not in tried and can(
            view, ActionType(cure.action_type), cure.target
        ):
            return cure
    return accepted


def _called_for(view: RoleView) -> Iterator[ChaosOpsAction]:
    """Yield the first cure of each cause that a shared fact settles, the oldest fact first."""
    for fact in _heard(view):
        for pages in HANDBOOK.values():
            for page in pages:
                if fact.sign in page.settled_by and page.cures[:1]:
                    cure = page.cures[0]
                    place = fact.place if cure.at is Where.PLACE else fact.by
                    yield act(view, cure.verb, place, dict(cure.args))


def _heard(view: RoleView) -> Iterator[Fact]:
    for message in view.channel:
        if message.finding is not None:
            yield from facts(message.finding)


HABITS: Final[Mapping[str, Policy]] = MappingProxyType(
    {"passes": pass_turn, "accepts": accept, "listens": listen, "looks once": look_once}
)
"""The habits of such a person, by name."""
