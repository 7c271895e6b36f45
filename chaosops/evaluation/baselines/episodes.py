"""Plays baselines: each policy in all four seats, on every incident and seed of a set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Final, NamedTuple

from chaosops.agents.isolated import IsolatedSeats
from chaosops.agents.policies import Policy
from chaosops.agents.registry import Policies
from chaosops.agents.runner import EpisodeResult, PolicyError, passed_episode, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole, Difficulty
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.baselines.adversary_teams import ADVERSARY_TEAMS
from chaosops.evaluation.baselines.constant import (
    CONSTANT,
    Answer,
    constant_answers,
    constant_seats,
)
from chaosops.evaluation.process_figures import ProcessFigures, process_of
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.worker_pool import WorkerPool

NOOP: Final = "noop"

ALWAYS: Final = (NOOP, CONSTANT)
"""What is played whatever else is: everyone passes, and a constant answer."""

TEAMS: Final = frozenset({*ALWAYS, *ADVERSARY_TEAMS})
"""What is no policy of one seat, but a team."""


class BaselineEpisode(NamedTuple):
    """One episode of a baseline.

    Attributes:
        mttr: Turns until it was resolved; None if it was not.
        rewards: The reward of each turn.
        error: What a policy raised, or how its process ended; empty if neither happened. Such an
            episode counts as unresolved.
    """

    policy: str
    scenario: str
    topology: str
    level: Difficulty
    seed: int
    cause: str
    resolved: bool
    mttr: int | None
    turns: int
    reward: float
    wrong_fixes: int
    flags: tuple[str, ...]
    diagnosis: str | None
    process: ProcessFigures
    rewards: tuple[float, ...]
    error: str

    def row(self) -> dict[str, object]:
        """Return it as JSON values, with the process figures beside the others."""
        values = self._asdict()
        process: ProcessFigures = values.pop("process")
        rewards, error = values.pop("rewards"), values.pop("error")
        return {
            **values,
            "level": self.level.value,
            "flags": list(self.flags),
            **process._asdict(),
            "error": error or None,
            "rewards": list(rewards),
        }


class BaselineItem(NamedTuple):
    """What is played: an incident, by its number in the set, on a seed, by a policy."""

    source: int
    seed: int
    policy: str


class BaselinePlayer:
    """Plays the items of a set."""

    def __init__(
        self,
        sources: Sequence[ScenarioSource],
        answers: Mapping[str, Answer],
        *,
        isolated: bool = False,
    ) -> None:
        """Choose what is played.

        Args:
            answers: The constant answer of each topology.
            isolated: Whether policies that are not built in play in processes of their own.
        """
        self._sources = tuple(sources)
        self._answers = dict(answers)
        self._registry = Policies()
        self._isolated = IsolatedSeats(self._registry) if isolated else None
        self._env = ChaosOpsEnvironment()

    def __call__(self, item: BaselineItem) -> BaselineEpisode:
        """Play an item; if a policy raises, everyone passes from there on."""
        scenario = self._scenario(item)
        try:
            result = run_episode(self._env, scenario, self._seats(item.policy, scenario))
        except PolicyError as error:
            result = error.play_on()
        return _episode(item.policy, result)

    def passed(self, item: BaselineItem, how: str) -> BaselineEpisode:
        """Return the episode of an item whose process died, as if everyone had passed."""
        return _episode(item.policy, passed_episode(self._scenario(item), how))

    def _scenario(self, item: BaselineItem) -> Scenario:
        return Scenario.of(self._sources[item.source], item.seed)

    def _seats(self, policy: str, scenario: Scenario) -> dict[AgentRole, Policy]:
        if policy == CONSTANT:
            return constant_seats(scenario, self._answers)
        if policy in ADVERSARY_TEAMS:
            return dict(ADVERSARY_TEAMS[policy](scenario))
        names = dict.fromkeys(TURN_ORDER, policy)
        if self._isolated is not None:
            return self._isolated.seat(names, scenario)
        return seat_policies(names, scenario, self._registry)

    def close(self) -> None:
        """End the processes of isolated policies."""
        if self._isolated is not None:
            self._isolated.close()


def baseline_items(
    sources: Sequence[ScenarioSource], seeds: Sequence[int], policies: Sequence[str]
) -> Iterator[BaselineItem]:
    """Yield everything that is played: no-op, the constant answer, and the policies."""
    names = tuple(dict.fromkeys((*ALWAYS, *policies)))
    for number in range(len(sources)):
        for seed in seeds:
            for name in names:
                yield BaselineItem(number, seed, name)


def play_baselines(
    sources: Sequence[ScenarioSource],
    seeds: Sequence[int],
    policies: Sequence[str],
    pool: WorkerPool,
    *,
    isolated: bool = False,
) -> Iterator[BaselineEpisode]:
    """Play every policy on every incident and seed, and yield the episodes in order.

    Args:
        isolated: Whether policies that are not built in play in processes of their own.
    """
    player = BaselinePlayer(sources, constant_answers(sources, seeds), isolated=isolated)
    items = baseline_items(sources, seeds, policies)
    with closing(player):
        yield from pool.spread(player, items, lost=player.passed)


def _episode(policy: str, result: EpisodeResult) -> BaselineEpisode:
    scenario = result.scenario
    cause = result.declared_root_cause
    return BaselineEpisode(
        policy,
        scenario.id,
        scenario.topology_id,
        scenario.difficulty,
        scenario.seed,
        str(scenario.failure_type),
        result.resolved,
        result.mttr_steps if result.resolved else None,
        result.final_step,
        result.cumulative_reward,
        result.wrong_fixes,
        result.oversight_flags,
        None if cause is None else str(cause),
        process_of(result),
        tuple(step.reward for step in result.steps),
        result.error,
    )
