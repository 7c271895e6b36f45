"""An adversary that knows other seeds of each incident and plays what was right there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from chaosops.agents.policies import Policy, expert_policy, oracle_policy
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Difficulty,
    Source,
)
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.classifiers import Nearest, Tokens
from chaosops.evaluation.measurement import (
    Figure,
    Sample,
    level_rows,
    mean_of,
)
from chaosops.evaluation.openings import deepest_unhealthy, everything_seen, opening_of
from chaosops.evaluation.study import (
    Game,
    Study,
    StudyPlan,
    commonest_share,
    family_of,
    play,
    situation_of,
)
from chaosops.scenarios.rendering import ScenarioSource

LOOK = Source.METRICS


class Memoriser:
    """Investigates once, finds the most similar opening, and plays its best line."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure the resolved share; the base is that of each situation's most common answer.

        Rows have the mean reward of it, of the expert and of the best line on the same seeds.
        """
        learned = study.gather(_known)
        nearest = Nearest(learned)
        played = [
            [(scenario, nearest.find(seen)) for seen, scenario in openings]
            for openings in study.of_each(_played)
        ]
        tries = [one for tries in study.each(_tries, played) for one in tries]
        inside = [
            scenario
            for pairs in played
            for scenario, _neighbour in pairs
            if scenario.difficulty in levels
        ]
        solved = [Sample(t.own.level, t.situation, float(t.own.resolved), t.family) for t in tries]
        figure = mean_of(solved, levels, base=commonest_share(inside))
        rewards = {
            "reward": [Sample(t.own.level, "", t.own.reward) for t in tries],
            "expert's reward": [Sample(t.own.level, "", t.expert) for t in tries],
            "best line's reward": [Sample(t.own.level, "", t.oracle) for t in tries],
        }
        more = [row for name, kept in rewards.items() for row in level_rows(kept, name, "points")]
        return {"memoriser": figure._replace(rows=(*figure.rows, *more))}


class Recall:
    """The seats of the memoriser: one investigation by SRE, then another scenario's best line."""

    def __init__(self, line: Policy) -> None:
        self._line = line

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        if observation.step == 0:
            target = deepest_unhealthy(observation.view)
            return ChaosOpsAction(role, ActionType.INVESTIGATE, target, {"source": LOOK.value})
        return self._line(observation, role)


class _Try(NamedTuple):
    situation: str
    family: str
    own: Game
    expert: float
    oracle: float


def _known(plan: StudyPlan, source: ScenarioSource) -> list[tuple[Tokens, Scenario]]:
    return [(_seen(scenario), scenario) for scenario in plan.known(source)]


def _played(plan: StudyPlan, source: ScenarioSource) -> list[tuple[Tokens, Scenario]]:
    return [(_seen(scenario), scenario) for scenario in plan.scenarios(source)]


def _seen(scenario: Scenario) -> Tokens:
    return everything_seen(opening_of(scenario, look=LOOK))


def _tries(pairs: Sequence[tuple[Scenario, Scenario]]) -> list[_Try]:
    """Play each scenario by the best line of the most similar one."""
    tries = []
    for scenario, neighbour in pairs:
        recall = Recall(oracle_policy(neighbour))
        oracle, expert = oracle_policy(scenario), expert_policy(scenario.seed)
        tries.append(
            _Try(
                situation_of(scenario),
                family_of(scenario),
                play(scenario, dict.fromkeys(TURN_ORDER, recall)),
                play(scenario, dict.fromkeys(TURN_ORDER, expert)).reward,
                play(scenario, dict.fromkeys(TURN_ORDER, oracle)).reward,
            )
        )
    return tries
