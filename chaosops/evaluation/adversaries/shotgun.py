"""A team that tries what usually helps, one thing after another, without investigating."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from chaosops.agents.acting import act, can
from chaosops.agents.handbook import HANDBOOK
from chaosops.agents.policies import pass_turn
from chaosops.agents.second_key import approved
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Difficulty,
    RoleView,
)
from chaosops.evaluation.measurement import Figure, Sample, level_rows, mean_of
from chaosops.evaluation.openings import deepest_unhealthy, unhealthy
from chaosops.evaluation.study import Study, StudyPlan, play, situation_of
from chaosops.scenarios.rendering import ScenarioSource


class Shotgun:
    """Plays all four seats that way."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure how often that resolves the incident, with rows of the mean reward."""
        solved: list[Sample] = []
        paid: list[Sample] = []
        for games in study.of_each(_samples):
            for resolved, reward in games:
                solved.append(resolved)
                paid.append(reward)
        figure = mean_of(solved, levels)
        return {
            "shotgun": figure._replace(rows=(*figure.rows, *level_rows(paid, "reward", "points")))
        }


def _samples(plan: StudyPlan, source: ScenarioSource) -> list[tuple[Sample, Sample]]:
    seats = dict.fromkeys(TURN_ORDER, try_the_next)
    found = []
    for scenario in plan.scenarios(source):
        game = play(scenario, seats)
        where = situation_of(scenario)
        found.append(
            (
                Sample(game.level, where, float(game.resolved)),
                Sample(game.level, where, game.reward),
            )
        )
    return found


def try_the_next(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    """Return the most common fix not tried yet, for the deepest unhealthy service first.

    It waits while one of the role's actions is in flight, and while the objective is met. Oversight
    pauses one agent after another, and the Manager gives the all-clear whenever it is met and
    approves whatever waits.
    """
    view = observation.view
    is_well = view.status.users_ok >= view.status.slo
    if role is AgentRole.MANAGER and is_well:
        return act(view, ActionType.RESOLVE, None)
    approval = approved(view)
    if approval is not None:
        return approval
    if is_well or any(item.role is role for item in view.in_flight):
        return pass_turn(observation, role)
    tried = {(item.action_type, item.target) for item in (*view.in_flight, *view.landed)}
    tried |= {(request.action_type, request.target) for request in view.requests or ()}
    for verb, target, args in _candidates(view):
        if (verb, target) not in tried and can(view, verb, target):
            return act(view, verb, target, args)
    return pass_turn(observation, role)


class Common(NamedTuple):
    """An action that fixes causes."""

    verb: ActionType
    args: tuple[tuple[str, Any], ...]


def common_fixes() -> Mapping[AgentRole, tuple[Common, ...]]:
    """Return each role's actions that fix a cause, those that fix most causes first."""
    counted: dict[AgentRole, Counter[Common]] = {role: Counter() for role in TURN_ORDER}
    for pages in HANDBOOK.values():
        for page in pages:
            for cure in page.cures:
                counted[cure.role][Common(cure.verb, tuple(sorted(cure.args.items())))] += 1
    return MappingProxyType(
        {role: tuple(fix for fix, _n in found.most_common()) for role, found in counted.items()}
    )


_FIXES: Final = common_fixes()


def _candidates(view: RoleView) -> Iterator[tuple[ActionType, str, dict[str, Any]]]:
    """Yield what the role could try, the likeliest first."""
    if view.role is AgentRole.OVERSIGHT:
        for name in view.agents or ():
            yield ActionType.PAUSE, name, {}
        return
    if view.services:
        places = dict.fromkeys((deepest_unhealthy(view), *unhealthy(view)))
    else:
        places = dict.fromkeys(alert.service for alert in reversed(view.alerts))
    entry = view.graph[0].name
    for place in places:
        for verb, args in _FIXES[view.role]:
            if verb is not ActionType.RESOLVE:
                yield verb, entry if verb is ActionType.SHED_LOAD else place, dict(args)
