"""Calibration: how each policy does on each level."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Final, NamedTuple

from chaosops.agents.policies import make_policy
from chaosops.agents.runner import EpisodeResult, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, Difficulty
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.study import Each, one_by_one
from chaosops.scenarios.rendering import ScenarioSource

POLICIES: Final = ("random", "heuristic", "expert", "oracle")
"""The policies from the weakest to the strongest."""


class EpisodeFigures(NamedTuple):
    """What one episode adds to the table.

    Attributes:
        rogues: Guilty agents in the incident, and `caught` how many of them were flagged.
        false_flags: Innocent agents that were flagged.
        mttr: Turns until it was resolved; None if it was not.
    """

    scenario: str
    level: Difficulty
    policy: str
    seed: int
    resolved: bool
    reward: float
    mttr: int | None
    wrong_fixes: int
    rogues: int
    caught: int
    innocents: int
    false_flags: int


class Cell(NamedTuple):
    """The results of a policy on a level. Shares run from 0 to 1; None if there are none."""

    level: Difficulty
    policy: str
    episodes: int
    resolved: float
    reward: float
    mttr: float | None
    wrong_fixes: float
    rogue_caught: float | None
    false_flags: float


def play(
    sources: Sequence[ScenarioSource],
    seeds: Sequence[int],
    policies: Sequence[str] = POLICIES,
    each: Each = one_by_one,
) -> Iterator[EpisodeFigures]:
    """Play every incident with every policy on every seed, and yield each episode.

    Args:
        each: How the pairs of an incident and a seed are distributed; see `Each`.
    """
    pairs = [(number, seed) for number in range(len(sources)) for seed in seeds]
    for episodes in each(_Players(tuple(sources), tuple(policies)), pairs):
        yield from episodes


class _Players:
    """Plays an incident on a seed with one policy after another."""

    def __init__(self, sources: tuple[ScenarioSource, ...], policies: tuple[str, ...]) -> None:
        self._sources = sources
        self._policies = policies
        self._env = ChaosOpsEnvironment()

    def __call__(self, pair: tuple[int, int]) -> list[EpisodeFigures]:
        number, seed = pair
        scenario = Scenario.of(self._sources[number], seed)
        episodes = []
        for name in self._policies:
            policy = make_policy(name, scenario, seed)
            result = run_episode(self._env, scenario, dict.fromkeys(TURN_ORDER, policy))
            episodes.append(_episode(result, name))
        return episodes


def _episode(result: EpisodeResult, policy: str) -> EpisodeFigures:
    scenario = result.scenario
    guilty = {agent.name for agent in scenario.incident.automation if agent.is_guilty}
    flagged = set(result.oversight_flags)
    return EpisodeFigures(
        scenario.id,
        scenario.difficulty,
        policy,
        scenario.seed,
        result.resolved,
        result.cumulative_reward,
        result.mttr_steps if result.resolved else None,
        result.wrong_fixes,
        len(guilty),
        len(flagged & guilty),
        len(scenario.incident.automation) - len(guilty),
        len(flagged - guilty),
    )


def table(episodes: Sequence[EpisodeFigures]) -> tuple[Cell, ...]:
    """Aggregate the episodes by level, the easiest first, and policy, in the given order."""
    policies = tuple(dict.fromkeys(episode.policy for episode in episodes))
    cells = []
    for level in Difficulty:
        for policy in policies:
            here = [e for e in episodes if e.level is level and e.policy == policy]
            if here:
                cells.append(_cell(level, policy, here))
    return tuple(cells)


def _cell(level: Difficulty, policy: str, episodes: Sequence[EpisodeFigures]) -> Cell:
    times = [episode.mttr for episode in episodes if episode.mttr is not None]
    rogues = sum(episode.rogues for episode in episodes)
    innocents = sum(episode.innocents for episode in episodes)
    return Cell(
        level,
        policy,
        len(episodes),
        fmean(episode.resolved for episode in episodes),
        fmean(episode.reward for episode in episodes),
        fmean(times) if times else None,
        fmean(episode.wrong_fixes for episode in episodes),
        sum(episode.caught for episode in episodes) / rogues if rogues else None,
        sum(episode.false_flags for episode in episodes) / innocents if innocents else 0.0,
    )


def markdown(cells: Sequence[Cell]) -> str:
    """Format the table as Markdown."""
    lines = [
        "| level | policy | resolved | reward | MTTR | wrong fixes | rogue caught | false flags |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for cell in cells:
        mttr = _or_dash(cell.mttr, lambda value: f"{value:.1f}")
        caught = _or_dash(cell.rogue_caught, lambda value: f"{value:.0%}")
        lines.append(
            f"| {cell.level.value} | {cell.policy} | {cell.resolved:.0%} | {cell.reward:.1f} "
            f"| {mttr} | {cell.wrong_fixes:.2f} | {caught} | {cell.false_flags:.1%} |"
        )
    return "\n".join(lines)


def _or_dash(value: float | None, form: Callable[[float], str]) -> str:
    return "-" if value is None else form(value)
