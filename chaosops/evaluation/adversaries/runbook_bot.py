"""A simple bot that applies the public handbook to its findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.acting import act, can
from chaosops.agents.cures import OUT_OF_BOUNDS
from chaosops.agents.handbook import HANDBOOK, Page, Where
from chaosops.agents.perception import Fact, facts
from chaosops.agents.policies import pass_turn
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FailureType,
    RoleView,
    Source,
)
from chaosops.evaluation.openings import deepest_unhealthy, unhealthy


class RunbookBot:
    """Plays all four seats of one episode, and remembers what each of them saw.

    It takes an opening that meets the objective for a false alarm. Otherwise it investigates where
    the handbook says that most causes show, at the unhealthy services, the deepest first, and once
    a fact settles a cause it does what the first page that says so tells. It weighs nothing.
    """

    def __init__(self) -> None:
        self._facts: dict[Fact, None] = {}
        self._looked: set[tuple[Source, str]] = set()
        self._done: set[tuple[ActionType, str | None]] = set()
        self._places: tuple[str, ...] = ()
        self._calls_it_false = False

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        view = observation.view
        if observation.step == 0:
            self._calls_it_false = view.status.users_ok >= view.status.slo
        for finding in view.findings:
            self._facts.update(dict.fromkeys(facts(finding)))
        if view.role is AgentRole.SRE:
            entering = (deepest_unhealthy(view), *unhealthy(view))
            self._places = tuple(dict.fromkeys((*self._places, *entering)))
        for action in self._responses(view):
            verb = ActionType(action.action_type)
            if (verb, action.target) not in self._done and can(view, verb, action.target):
                self._done.add((verb, action.target))
                return action
        return self._look(view) or pass_turn(observation, role)

    def _settled(self) -> tuple[FailureType, Page, Fact] | None:
        """Return the first page that a fact settles, with the fact; None so far."""
        for fact in self._facts:
            for cause, pages in HANDBOOK.items():
                for page in pages:
                    if fact.sign in page.settled_by:
                        return cause, page, fact
        return None

    def _responses(self, view: RoleView) -> Iterator[ChaosOpsAction]:
        for fact in self._facts:
            if fact.sign in OUT_OF_BOUNDS:
                yield act(view, ActionType.PAUSE, fact.place)
                yield act(view, ActionType.FLAG, fact.place)
        is_well = view.status.users_ok >= view.status.slo
        settled = self._settled()
        if settled is not None:
            cause, page, fact = settled
            for cure in page.cures[:1]:
                place = fact.place if cure.at is Where.PLACE else fact.by
                yield act(view, cure.verb, place, dict(cure.args))
            yield act(view, ActionType.DIAGNOSE, None, {"cause": cause.value})
        elif self._calls_it_false:
            named = {"cause": FailureType.FALSE_ALARM.value}
            yield act(view, ActionType.DIAGNOSE, None, named)
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
    for pages in HANDBOOK.values():
        for page in pages:
            for rank, check in enumerate(page.checks):
                counted[check.role][check.source] += 3 - rank
    return MappingProxyType(
        {
            role: tuple(source for source, _n in found.most_common())
            for role, found in counted.items()
        }
    )


_SOURCES: Final = _telling_sources()
