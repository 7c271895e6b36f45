"""Checks that an incident leaves time: to be told from its twins, and to be mitigated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from chaosops.agents.handbook import pages_of
from chaosops.agents.perception import facts
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Difficulty,
    FailureType,
    Source,
)
from chaosops.env.models.roles import roles_looking_at, roles_with
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.measurement import Figure, Sample, mean_of
from chaosops.evaluation.study import Study, StudyPlan, family_of, situation_of
from chaosops.scenarios.incident import Incident
from chaosops.scenarios.rendering import ScenarioSource

AHEAD: Final = 8
"""Minutes before the hard step by which a reading has to tell the cause."""

_LANDS: Final = 8
"""Turns after which every action has landed."""


class EnoughTime:
    """Looks at the telling readings from the page on, and mitigates in the first round."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure both shares."""
        told = study.gather(_told)
        eased = study.gather(_eased)
        return {"fair": mean_of(told, levels), "easing": mean_of(eased, levels)}


def _told(plan: StudyPlan, source: ScenarioSource) -> list[Sample]:
    found = []
    for scenario in plan.scenarios(source):
        incident = scenario.incident
        if not isinstance(scenario.failure_type, FailureType):
            continue  # no handbook has the causes of authors
        minute = minute_told(scenario, incident)
        in_time = minute is not None and minute + AHEAD <= incident.drawn.hard_at
        where, family = situation_of(scenario), family_of(scenario)
        found.append(Sample(scenario.difficulty, where, float(in_time), family))
    return found


def _eased(plan: StudyPlan, source: ScenarioSource) -> list[Sample]:
    return [
        Sample(scenario.difficulty, situation_of(scenario), float(helps))
        for scenario in plan.scenarios(source)
        for helps in mitigations_help(scenario, scenario.incident)
    ]


def minute_told(scenario: Scenario, incident: Incident) -> int | None:
    """Return the first minute in which a telling reading settles the cause; None for never.

    Everyone passes until then. A reading is taken by a role that may take it, in its own turn, and
    settles the cause if perception finds a sign in it that the handbook takes for close to proof.
    The acts of a guilty agent are such a reading too. No page is about an author's own cause.
    """
    pages = pages_of(scenario.failure_type)
    settles = frozenset[str]().union(*(page.settled_by for page in pages))
    looks = [(item.source, item.at) for item in incident.evidence]
    looks += [(Source.AUTOMATION, each.name) for each in incident.automation if each.is_guilty]
    env = ChaosOpsEnvironment()
    seen = env.reset(scenario)
    while not seen.done:
        role = seen.turn_role
        for source, at in looks:
            if role in roles_looking_at(source) and settles & _signs(env, role, source, at):
                return seen.view.status.minute
        seen = env.step(ChaosOpsAction(role, ActionType.NOOP))
    return None


def _signs(env: ChaosOpsEnvironment, role: AgentRole, source: Source, at: str) -> frozenset[str]:
    look = ChaosOpsAction(role, ActionType.INVESTIGATE, at, {"source": source.value})
    fork = env.fork()
    if fork.step(look).refused:
        return frozenset()
    return frozenset(fact.sign for fact in facts(fork.view_of(role).findings[-1]))


def mitigations_help(scenario: Scenario, incident: Incident) -> Iterator[bool]:
    """Yield whether each mitigation is no wrong fix if its role takes it in the first round."""
    env = ChaosOpsEnvironment()
    seen = env.reset(scenario)
    for role in TURN_ORDER:
        for fault in incident.faults:
            for move in fault.mitigates if fault.starts is not None else ():
                if role in roles_with(move.action):
                    action = ChaosOpsAction(role, move.action, move.target, move.arguments())
                    yield _is_right(env.fork(), action)
        seen = env.step(ChaosOpsAction(seen.turn_role, ActionType.NOOP))


def _is_right(env: ChaosOpsEnvironment, action: ChaosOpsAction) -> bool:
    seen: ChaosOpsObservation = env.step(action)
    for _turn in range(_LANDS):
        if not seen.done:
            seen = env.step(ChaosOpsAction(seen.turn_role, ActionType.NOOP))
    return env.state.wrong_fixes == 0
