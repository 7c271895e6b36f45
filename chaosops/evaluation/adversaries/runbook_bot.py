"""A simple bot that applies the public runbook to its findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import fsum
from types import MappingProxyType
from typing import Final

from chaosops.agents.acting import act, can
from chaosops.agents.belief import roots
from chaosops.agents.policies import pass_turn
from chaosops.agents.runbook import RUNBOOK, RunbookEntry
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FailureType,
    RoleView,
    Sign,
    Source,
)
from chaosops.evaluation.openings import deepest_unhealthy, unhealthy

_SETTLED = 6.0
_SURE = 4.0


class RunbookBot:
    """Plays all four seats of one episode, and remembers what each of them saw.

    It takes an opening that meets the objective for a false alarm. Otherwise it investigates where
    the runbook says that most causes show, at the services where the failure seems to originate,
    and once a sign settles a cause it does what the entry says.
    """

    def __init__(self) -> None:
        self._signs: dict[tuple[Sign, str], int] = {}
        self._looked: set[tuple[Source, str]] = set()
        self._done: set[tuple[ActionType, str | None]] = set()
        self._places: tuple[str, ...] = ()

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        view = observation.view
        self._take_note(view)
        if observation.step == 0 and view.status.users_ok >= view.status.slo:
            self._signs[Sign.MONITOR_FAULTY, ""] = 0
        for action in self._responses(view):
            verb = ActionType(action.action_type)
            if (verb, action.target) not in self._done and can(view, verb, action.target):
                self._done.add((verb, action.target))
                return action
        return self._look(view) or pass_turn(observation, role)

    def _take_note(self, view: RoleView) -> None:
        for finding in view.findings:
            for sign in finding.signs:
                self._signs[sign, finding.target] = finding.minute
        if view.role is AgentRole.SRE:
            entering = (*roots(view), deepest_unhealthy(view), *unhealthy(view))
            self._places = tuple(dict.fromkeys((*self._places, *entering)))

    def _settled(self) -> list[tuple[FailureType, str]]:
        """Return causes that are as good as proven, each with its likely place, the best first."""
        signs = sorted({sign for sign, _place in self._signs})
        found = []
        for cause, entry in RUNBOOK.items():
            total = fsum(_weight(entry, sign) for sign in signs)
            if total >= _SURE:
                telling = [
                    place
                    for sign, place in self._signs
                    if _weight(entry, sign) > 0.0 and place in self._places
                ]
                place = next(iter((*telling, *self._places)), "")
                found.append((total, cause, place))
        found.sort(key=lambda item: -item[0])
        return [(cause, place) for _total, cause, place in found]

    def _responses(self, view: RoleView) -> Iterator[ChaosOpsAction]:
        for sign, agent in self._signs:
            if sign is Sign.BEYOND_POLICY:
                yield act(view, ActionType.PAUSE, agent)
                yield act(view, ActionType.FLAG, agent)
        settled = self._settled()
        if not settled:
            return
        cause, place = settled[0]
        entry = view.graph[0].name
        for fix in RUNBOOK[cause].fixes[:1]:
            if fix.verb is not ActionType.RESOLVE:
                target = entry if fix.verb is ActionType.SHED_LOAD else place
                yield act(view, fix.verb, target, dict(fix.args))
        yield act(view, ActionType.DIAGNOSE, None, {"cause": cause.value})
        is_well = view.status.users_ok >= view.status.slo
        if is_well and (ActionType.DIAGNOSE, None) in self._done:
            yield act(view, ActionType.RESOLVE, None)

    def _look(self, view: RoleView) -> ChaosOpsAction | None:
        choice = next((c for c in view.allowed if c.action_type is ActionType.INVESTIGATE), None)
        if choice is None:
            return None
        places = view.agents if view.agents is not None else self._places
        offered = {Source(str(name)) for name in choice.arguments[0].choices}
        for place in places:
            for source in _SOURCES[view.role]:
                if (
                    source in offered
                    and place in choice.targets
                    and (source, place) not in self._looked
                ):
                    self._looked.add((source, place))
                    return act(view, ActionType.INVESTIGATE, place, {"source": source.value})
        return None


def _telling_sources() -> Mapping[AgentRole, tuple[Source, ...]]:
    """Return the sources of each role, the one that distinguishes most causes first."""
    counted: dict[AgentRole, Counter[Source]] = {role: Counter() for role in TURN_ORDER}
    for entry in RUNBOOK.values():
        for rank, check in enumerate(entry.checks):
            counted[check.role][check.source] += 3 - rank
    return MappingProxyType(
        {
            role: tuple(source for source, _n in found.most_common())
            for role, found in counted.items()
        }
    )


_SOURCES: Final = _telling_sources()


def _weight(entry: RunbookEntry, sign: Sign) -> float:
    return entry.weights.get(sign, 0.0) + (_SETTLED if sign in entry.settled_by else 0.0)
