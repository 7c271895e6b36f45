"""An expert team with one empty seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from chaosops.agents.policies import pass_turn
from chaosops.agents.seats import seat_policies
from chaosops.env.models import TURN_ORDER, AgentRole, Difficulty
from chaosops.evaluation.measurement import Figure, Sample, level_rows
from chaosops.evaluation.study import Study, StudyPlan, play, situation_of
from chaosops.scenarios.rendering import ScenarioSource


class EmptySeat:
    """Replaces one role of the team by one that passes."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure the cost: for each role, the lowest mean of a level, in points.

        Penalties that only an unattended seat earns are left out. Rows have each level's cost, and
        the share that is resolved anyway.
        """
        found = study.gather(_losses)
        figures = {}
        for role in TURN_ORDER:
            mine = [loss for loss in found if loss.role is role]
            costs = level_rows((loss.cost for loss in mine), unit="points")
            least = min(
                (row.figure for row in costs if Difficulty(row.name) in levels), default=None
            )
            solved = level_rows((loss.resolved for loss in mine), "resolved")
            n = sum(loss.cost.level in levels for loss in mine)
            figures[gate_name(role)] = Figure(least, n, (*costs, *solved))
        return figures


class Loss(NamedTuple):
    """What one episode lost, and whether it was resolved."""

    role: AgentRole
    cost: Sample
    resolved: Sample


def gate_name(role: AgentRole) -> str:
    """Return the name of a seat's gate."""
    return f"empty seat: {role.value}"


def _losses(plan: StudyPlan, source: ScenarioSource) -> list[Loss]:
    losses = []
    for scenario in plan.scenarios(source):
        team = seat_policies(dict.fromkeys(TURN_ORDER, "expert"), scenario)
        where = situation_of(scenario)
        whole = play(scenario, team)
        for role in TURN_ORDER:
            game = play(scenario, {**team, role: pass_turn})
            losses.append(
                Loss(
                    role,
                    Sample(game.level, where, whole.reward - (game.reward - game.duties)),
                    Sample(game.level, where, float(game.resolved)),
                )
            )
    return losses
