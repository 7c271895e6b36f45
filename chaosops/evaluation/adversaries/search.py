"""A search for something better than the best line, one turn at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from chaosops.agents.best_line import Line, LineScorer
from chaosops.agents.policies import Policy, oracle_policy
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Difficulty,
)
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.measurement import Figure, FigureRow
from chaosops.evaluation.openings import opening_of, unhealthy
from chaosops.evaluation.shortcuts import Table, in_words, opening_table, single_actions
from chaosops.evaluation.study import RightAnswer, Study, StudyPlan, truth_of
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.schema import Move

MOVES: Final = 20
"""The most moves that are tried in a turn."""

PASSES: Final = 2
"""How many passes are made over the whole line."""


class Found(NamedTuple):
    """The result of a search.

    Attributes:
        start, best: Rewards of the original best line, and of the best one found.
        changes: The changed actions.
    """

    start: float
    best: float
    changes: Line


class Search:
    """Replaces every turn of the best line by each of a few moves, and keeps improvements."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure the most points gained; each truth of an incident is searched on one seed."""
        rows = [row for found in study.of_each(_rows) for level, row in found if level in levels]
        gain = max((row.figure for row in rows), default=None)
        return {"search": Figure(gain, len(rows), tuple(rows))}


def _rows(plan: StudyPlan, source: ScenarioSource) -> list[tuple[Difficulty, FigureRow]]:
    seen: dict[RightAnswer, FigureRow] = {}
    for scenario in plan.scenarios(source):
        truth = truth_of(scenario)
        if truth not in seen:
            found = search(scenario)
            seen[truth] = FigureRow(
                "truth", _in_words(scenario, found), found.best - found.start, 1, "points"
            )
    return [(source.level, row) for row in seen.values()]


def _in_words(scenario: Scenario, found: Found) -> str:
    changes = "".join(
        f"; turn {turn}: {action.role.value} {in_words(action)}"
        for turn, action in sorted(found.changes.items())
    )
    return f"{scenario.label}, {found.start:.1f} to {found.best:.1f}{changes}"


def search(
    scenario: Scenario, *, passes: int = PASSES, moves: int = MOVES, start: Policy | None = None
) -> Found:
    """Look for a better line than the oracle's.

    After each replaced turn the oracle plays on, so that its own action is only delayed.

    Args:
        start: A policy whose line is used instead of the oracle's.
        passes: The number of passes; each starts from the result of the previous one.
        moves: The number of moves to try in a turn.
    """
    tries = candidates(scenario, moves)
    changes: dict[int, ChaosOpsAction] = {}
    policy = start or oracle_policy(scenario)
    score = LineScorer(scenario, policy)
    before_all, turns = score(changes)
    best = before_all
    for _pass in range(passes):
        before = best
        turn = 0
        while turn < turns:
            for action in tries[TURN_ORDER[turn % len(TURN_ORDER)]]:
                earned, length = score({**changes, turn: action})
                if earned > best:
                    best, turns = earned, length
                    changes[turn] = action
            turn += 1
        if best == before:
            break
    return Found(before_all, best, changes)


def candidates(scenario: Scenario, most: int) -> dict[AgentRole, tuple[ChaosOpsAction, ...]]:
    """Return what is worth trying for each role: passing, fixes, and moves at affected services."""
    table = opening_table(scenario)
    sick = set(unhealthy(opening_of(scenario).sre))
    chosen = {}
    for role in TURN_ORDER:
        own: Table = {each: table[each] if each is role else () for each in TURN_ORDER}
        ranked = [
            (rank, action)
            for action in single_actions(own)
            if (rank := _rank(scenario, action, sick)) is not None
        ]
        ranked.sort(key=lambda item: item[0])
        chosen[role] = (
            ChaosOpsAction(role, ActionType.NOOP),
            *(action for _rank, action in ranked[: most - 1]),
        )
    return chosen


def _rank(scenario: Scenario, action: ChaosOpsAction, sick: set[str]) -> int | None:
    """Rank a move for trying, 0 first; None if it can only be wrong."""
    truth, faults = truth_of(scenario), scenario.incident.faults
    verb = ActionType(action.action_type)
    if verb is ActionType.DIAGNOSE:
        return 1 if action.args.get("cause") == str(truth.cause) else None
    if verb is ActionType.FLAG:
        return 1 if action.target == truth.culprit else None
    clearing: list[Move] = [move for fault in faults for move in fault.clears]
    easing: list[Move] = [move for fault in faults for move in fault.mitigates]
    for rank, moves in enumerate((clearing, easing)):
        if any(move.matches(verb, action.target, action.args) for move in moves):
            return rank
    if action.target in (None, truth.place, truth.culprit):
        return 2
    return 3 if action.target in sick else 4
