"""An adversary that knows the base rates and never investigates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.env.models import ActionType, ChangeKind, Difficulty
from chaosops.env.models.verbs import FIXES
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.measurement import Figure, FigureRow
from chaosops.evaluation.openings import Opening, opening_of, unhealthy
from chaosops.evaluation.study import RightAnswer, Study, StudyPlan, situation_of, truth_of
from chaosops.scenarios.rendering import ScenarioSource

_NEAR: Final = 20
_ENOUGH: Final = 5
_BAND: Final = (0.15, 0.60)
_NUMBERS: Final = re.compile(r"\S*\d\S*")

_SETTLES: Final = 2
_UNDOES: Final[Mapping[ChangeKind, frozenset[ActionType]]] = MappingProxyType(
    {
        ChangeKind.DEPLOY: frozenset({ActionType.ROLLBACK}),
        ChangeKind.CONFIG: frozenset({ActionType.ROLLBACK}),
        ChangeKind.FLAG: frozenset({ActionType.ROLLBACK, ActionType.DISABLE_FEATURE}),
        ChangeKind.MIGRATION: frozenset({ActionType.ROLLBACK, ActionType.TERMINATE}),
    }
)
"""The verb that undoes a change of each kind; if it ends the fault, the change caused it."""


class PossiblePick(NamedTuple):
    """A choice that was available at an unhealthy service.

    Attributes:
        kind: "verb", "change" or "act".
        name: Which; acts that differ only in their numbers are one.
        right: Whether it ends the fault, or caused it.
    """

    kind: str
    name: str
    right: bool


class BaseRates:
    """Counts, over all truths, how often each verb, kind of change and agent's act is right."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure the share of them that is right in 15 to 60 % of the truths that offer it.

        Rows have the rate of each that at least five truths offer, and how often it is tempting
        and harmful. A false alarm, where nothing is right, is left out.
        """
        offered: dict[tuple[str, str], set[tuple[str, RightAnswer]]] = {}
        right: dict[tuple[str, str], set[tuple[str, RightAnswer]]] = {}
        said: dict[tuple[str, str], set[str]] = {}
        for truths in study.of_each(_offers):
            for truth in truths:
                if truth.level not in levels:
                    continue
                for fact in truth.facts:
                    said.setdefault(fact, set()).add(truth.scenario)
                for offer in truth.offers:
                    place = offer.kind, offer.name
                    offered.setdefault(place, set()).add(truth.key)
                    if offer.right:
                        right.setdefault(place, set()).add(truth.key)
        rows = [
            FigureRow(kind, name, len(right.get((kind, name), ())) / len(keys), len(keys))
            for (kind, name), keys in sorted(offered.items())
            if len(keys) >= _ENOUGH
        ]
        inside = [row for row in rows if _BAND[0] <= row.figure <= _BAND[1]]
        share = len(inside) / len(rows) if rows else None
        incidents = [
            FigureRow(f"incidents with {kind}", name, float(len(ids)), len(ids), "count")
            for (kind, name), ids in sorted(said.items())
        ]
        return {"base rates": Figure(share, len(rows), (*rows, *incidents))}


class _Seen(NamedTuple):
    scenario: str
    level: Difficulty
    key: tuple[str, RightAnswer]
    offers: tuple[PossiblePick, ...]
    facts: frozenset[tuple[str, str]]


def _offers(plan: StudyPlan, source: ScenarioSource) -> list[_Seen]:
    """Return what each truth of an incident offers, from its first seed."""
    seen: dict[tuple[str, RightAnswer], _Seen] = {}
    for scenario in plan.scenarios(source):
        truth = truth_of(scenario)
        key = situation_of(scenario), truth
        if truth.place and key not in seen:
            opening = opening_of(scenario)
            seen[key] = _Seen(
                source.id,
                scenario.difficulty,
                key,
                tuple(_all_offers(scenario, opening)),
                _facts(scenario, opening),
            )
    return list(seen.values())


def _onset(scenario: Scenario) -> int:
    starts = [fault.starts for fault in scenario.incident.faults if fault.starts is not None]
    return min(starts, default=0)


def _facts(scenario: Scenario, opening: Opening) -> frozenset[tuple[str, str]]:
    """Return tempting moves, and kinds of changes shortly before the onset, at any service."""
    tempting = {("a tempting", move.action.value) for move in scenario.incident.tempting}
    onset = _onset(scenario)
    changes = {
        ("a recent", change.kind.value)
        for change in opening.dev.changes or ()
        if _is_near(change.minute, onset)
    }
    return frozenset(tempting | changes)


def _all_offers(scenario: Scenario, opening: Opening) -> Iterator[PossiblePick]:
    sick = set(unhealthy(opening.sre))
    clears = [
        (move.action, move.target)
        for fault in scenario.incident.faults
        if fault.starts is not None
        for move in fault.clears
    ]
    onset = _onset(scenario)
    for view in (opening.sre, opening.dev, opening.manager):
        for choice in view.allowed:
            places = sick & set(choice.targets)
            if places and (
                choice.action_type in FIXES or choice.action_type is ActionType.ESCALATE
            ):
                is_right = any(
                    verb is choice.action_type and target in (None, *places)
                    for verb, target in clears
                )
                yield PossiblePick("verb", choice.action_type.value, is_right)
    for change in opening.dev.changes or ():
        if change.service in sick and _is_near(change.minute, onset):
            undone = {target for verb, target in clears if verb in _UNDOES[change.kind]}
            yield PossiblePick("change", change.kind.value, change.service in undone)
    culprit = truth_of(scenario).culprit
    for event in opening.oversight.audit or ():
        if event.target in sick and _is_near(event.minute, onset):
            yield PossiblePick("act", without_numbers(event.act), event.agent == culprit)


def without_numbers(act: str) -> str:
    """Return an act with its numbers and builds replaced, such as "patch N of N hosts"."""
    return _NUMBERS.sub("N", act)


def _is_near(minute: int, onset: int) -> bool:
    return -_NEAR <= minute - onset <= _SETTLES
