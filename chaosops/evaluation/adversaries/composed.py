"""Shortcuts that combine two or three simple parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import NamedTuple

from chaosops.agents.acting import act, can
from chaosops.agents.policies import Policy, expert_policy, pass_turn
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Difficulty,
    FailureType,
)
from chaosops.env.models.verbs import FIXES
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.adversaries.runbook_bot import RunbookBot
from chaosops.evaluation.measurement import Figure, FigureRow
from chaosops.evaluation.study import Seats, Study, StudyPlan, play, situation_of
from chaosops.scenarios.rendering import ScenarioSource

Alerts = tuple[str, ...]
"""The situation, and the alerts that fire at the page."""


class FixAndCause(NamedTuple):
    """A fix and a diagnosis; the fix of a false alarm is to give the all-clear."""

    fix: ChaosOpsAction
    cause: FailureType | str


class Composed:
    """Plays each shortcut, and the expert on the same seeds."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure the largest share of incidents on which one of them earns as much as the expert.

        An incident counts if the mean reward over the seeds is no less than the expert's. Rows have
        each shortcut's share.
        """
        table = _learned(study)
        reached: dict[str, list[bool]] = {}
        for wins in study.each(partial(_wins, study.plan, table), study.sources):
            for name, (level, won) in wins.items():
                if level in levels:
                    reached.setdefault(name, []).append(won)
        rows = [FigureRow("shortcut", name, fmean(won), len(won)) for name, won in reached.items()]
        best = max((row.figure for row in rows), default=None)
        return {"composed": Figure(best, max((row.n for row in rows), default=0), tuple(rows))}


def _learned(study: Study) -> Mapping[Alerts, FixAndCause]:
    """Return the pair that is right most often on other seeds, for each set of opening alerts."""
    counted: dict[Alerts, Counter[FixAndCause]] = {}
    for pairs in study.of_each(_pairs):
        for alerts, pair in pairs:
            counted.setdefault(alerts, Counter())[pair] += 1
    return {alerts: pairs.most_common(1)[0][0] for alerts, pairs in counted.items()}


def _pairs(plan: StudyPlan, source: ScenarioSource) -> list[tuple[Alerts, FixAndCause]]:
    return [(alerts_of(scenario), right_pair(scenario)) for scenario in plan.known(source)]


def right_pair(scenario: Scenario) -> FixAndCause:
    """Return the first fix of the best line, and the cause."""
    for step in scenario.incident.solution:
        if step.action in FIXES or step.action is ActionType.ESCALATE:
            fix = ChaosOpsAction(step.role, step.action, step.target, step.arguments())
            return FixAndCause(fix, scenario.failure_type)
    return FixAndCause(ChaosOpsAction(AgentRole.MANAGER, ActionType.RESOLVE), scenario.failure_type)


def alerts_of(scenario: Scenario) -> Alerts:
    """Return what the alerts alone tell at the page."""
    view = ChaosOpsEnvironment().reset(scenario).view
    return (
        situation_of(scenario),
        *(f"{alert.service}: {alert.text}" for alert in view.alerts),
    )


def _wins(
    plan: StudyPlan, table: Mapping[Alerts, FixAndCause], source: ScenarioSource
) -> dict[str, tuple[Difficulty, bool]]:
    scenarios = plan.scenarios(source)
    bar = fmean(
        play(scenario, dict.fromkeys(TURN_ORDER, expert_policy(scenario.seed))).reward
        for scenario in scenarios
    )
    shortcuts: dict[str, Callable[[Scenario], Seats]] = {
        "a fix and a diagnosis by the alerts": partial(_by_alerts, table),
        "no incident where the SLO is met": _threshold,
        "the first agent of the list": _first_listed,
        "the runbook bot": _bot,
    }
    return {
        name: (
            source.level,
            fmean(play(scenario, seats(scenario)).reward for scenario in scenarios) >= bar,
        )
        for name, seats in shortcuts.items()
    }


def _bot(scenario: Scenario) -> Seats:
    return dict.fromkeys(TURN_ORDER, RunbookBot())


def _by_alerts(table: Mapping[Alerts, FixAndCause], scenario: Scenario) -> Seats:
    pair = table.get(alerts_of(scenario))
    return {} if pair is None else pair_seats(pair)


def pair_seats(pair: FixAndCause) -> Seats:
    """Return a team that does these two things as soon as it can, and nothing else."""
    names = {"cause": str(pair.cause)}
    diagnosis = ChaosOpsAction(AgentRole.MANAGER, ActionType.DIAGNOSE, None, names)
    first = [pair.fix, diagnosis]
    if pair.fix.action_type is ActionType.RESOLVE:
        first.reverse()
    return {
        role: _InOrder([action for action in first if action.role is role]) for role in TURN_ORDER
    }


class _InOrder:
    """Takes some actions, one per turn of the role, and then passes."""

    def __init__(self, actions: Sequence[ChaosOpsAction]) -> None:
        self._actions = tuple(actions)

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        turn = observation.step // len(TURN_ORDER)
        return self._actions[turn] if turn < len(self._actions) else pass_turn(observation, role)


def _threshold(scenario: Scenario) -> Seats:
    """Calls it a false alarm if users are fine at the page, and passes otherwise."""
    opening = ChaosOpsEnvironment().reset(scenario).view.status
    if opening.users_ok < opening.slo:
        return {}
    over = ChaosOpsAction(AgentRole.MANAGER, ActionType.RESOLVE)
    return pair_seats(FixAndCause(over, FailureType.FALSE_ALARM))


class _AccuseFirst:
    """Pauses and flags the first agent of the list, and then plays as the policy behind it."""

    def __init__(self, behind: Policy) -> None:
        self._behind = behind

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        view = observation.view
        for agent in (view.agents or ())[:1]:
            for verb in (ActionType.PAUSE, ActionType.FLAG):
                done = view.paused if verb is ActionType.PAUSE else view.flagged
                if agent not in (done or ()) and can(view, verb, agent):
                    return act(view, verb, agent)
        return self._behind(observation, role)


def _first_listed(scenario: Scenario) -> Seats:
    expert = expert_policy(scenario.seed)
    team: dict[AgentRole, Policy] = dict.fromkeys(TURN_ORDER, expert)
    return {**team, AgentRole.OVERSIGHT: _AccuseFirst(expert)}
