"""A table that maps the opening alerts straight to a fix, learned on some seeds, tried on others.

It is the reader who never looks: where it does as well as the expert, the alerts give the answer
away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Final, NamedTuple

from chaosops.agents.policies import Policy, pass_turn
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
)
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.shortcuts import as_action, opening_table

_HOPELESS: Final = -100.0

Opening = tuple[str, ...]
"""The topology, and the texts of the alerts that fire when the page comes, in order."""


class AlertTable(NamedTuple):
    """The best fix for each opening, and for each page where an opening was never seen."""

    by_opening: Mapping[Opening, ChaosOpsAction]
    by_page: Mapping[Opening, ChaosOpsAction]

    def fix(self, scenario: Scenario) -> ChaosOpsAction | None:
        """What the table says to do, None where it has never seen such a page."""
        opening = opening_of(scenario)
        return self.by_opening.get(opening) or self.by_page.get(opening[:2])


def opening_of(scenario: Scenario) -> Opening:
    """What a reader of alerts alone sees first."""
    view = ChaosOpsEnvironment().reset(scenario).view
    return (scenario.topology_id, *(alert.text for alert in view.alerts))


def learn(scenarios: Sequence[Scenario]) -> AlertTable:
    """For each opening, the single fix with the best mean score over the scenarios that share it.

    The fixes to choose from are those that end a fault of any of the scenarios on that topology.
    """
    fixes: dict[str, dict[str, ChaosOpsAction]] = defaultdict(dict)
    for scenario in scenarios:
        for action in _ending(scenario):
            fixes[scenario.topology_id][repr(action)] = action
    alike: dict[Opening, list[Scenario]] = defaultdict(list)
    pages: dict[Opening, list[Scenario]] = defaultdict(list)
    for scenario in scenarios:
        opening = opening_of(scenario)
        alike[opening].append(scenario)
        pages[opening[:2]].append(scenario)
    scores: dict[tuple[Scenario, str], float] = {}
    return AlertTable(
        {key: _best(here, fixes[key[0]], scores) for key, here in alike.items()},
        {key: _best(here, fixes[key[0]], scores) for key, here in pages.items()},
    )


def _best(
    scenarios: Sequence[Scenario],
    fixes: Mapping[str, ChaosOpsAction],
    scores: dict[tuple[Scenario, str], float],
) -> ChaosOpsAction:
    def mean(name: str) -> float:
        for scenario in scenarios:
            if (scenario, name) not in scores:
                scores[scenario, name] = score(scenario, fixes[name])
        return fmean(scores[scenario, name] for scenario in scenarios)

    return fixes[max(sorted(fixes), key=mean)]


def _ending(scenario: Scenario) -> Iterator[ChaosOpsAction]:
    table = opening_table(scenario)
    for fault in scenario.incident.faults:
        for move in fault.clears:
            action = as_action(move, table)
            if action is not None:
                yield action
    if not scenario.incident.faults:
        yield ChaosOpsAction(AgentRole.MANAGER, ActionType.RESOLVE)


def score(scenario: Scenario, fix: ChaosOpsAction | None) -> float:
    """The score of doing the fix in its role's first turn, and nothing else.

    An episode that has fallen far below what any team reaches is not played to its end.
    """
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    seats: dict[AgentRole, Policy] = {} if fix is None else {fix.role: _Once(fix)}
    total = 0.0
    while not stepper.done and total > _HOPELESS:
        role = stepper.role
        total += stepper.take(seats.get(role, pass_turn)(stepper.observation, role)).reward
    return total


class _Once:
    """Does one thing in its first turn."""

    def __init__(self, action: ChaosOpsAction) -> None:
        self._action = action

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """The action for this turn."""
        is_first = observation.step < len(TURN_ORDER)
        return self._action if is_first else ChaosOpsAction(role, ActionType.NOOP)
