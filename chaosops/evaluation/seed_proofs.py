"""Proves seeds: the expert resolves, and no shortcut that could resolve does as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from chaosops.agents.policies import expert_policy
from chaosops.agents.runner import run_episode
from chaosops.env.engine import ENGINE
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.gates import score_at_most
from chaosops.evaluation.proven_seeds import (
    FIRST_SEED,
    LEVELS,
    ProvenSeeds,
    ProvenSituation,
    proven_situation,
)
from chaosops.evaluation.shortcuts import shortcuts_that_may_resolve
from chaosops.evaluation.study import Each, one_by_one
from chaosops.scenarios.rendering import ScenarioSource

_TRIED: Final = 4
"""How many seeds are tried at most for each one that is wanted."""


class _Prover:
    """Tells of seeds of a situation whether they are proven; small, to be sent elsewhere."""

    def __init__(self, source: ScenarioSource) -> None:
        self._source = source

    def __call__(self, seed: int) -> bool:
        return is_proven(Scenario.of(self._source, seed))


def is_proven(scenario: Scenario) -> bool:
    """Whether the expert resolves a scenario, and no shortcut scores as much."""
    env = ChaosOpsEnvironment()
    expert = expert_policy(scenario.seed)
    best = run_episode(env, scenario, dict.fromkeys(TURN_ORDER, expert))
    bar = best.cumulative_reward
    return best.resolved and all(
        score_at_most(env, scenario, shortcut.seats, bar) < bar
        for shortcut in shortcuts_that_may_resolve(scenario)
    )


def prove_seeds(
    sources: Sequence[ScenarioSource],
    wanted: int,
    *,
    before: ProvenSeeds | None = None,
    each: Each = one_by_one,
) -> Iterator[ProvenSituation]:
    """Find seeds of situations that are proven, the smallest ones first.

    Yields each situation as soon as its seeds are found.

    Fewer are found where too many of the seeds fail.

    Args:
        sources: The situations; those of other levels than `LEVELS` are left out.
        wanted: How many seeds of each.
        before: What was proven before. What is still current is kept.
        each: How the trials are distributed; see `Each`.
    """
    for source in sources:
        if source.level in LEVELS:
            known = _kept(source, before)[:wanted]
            yield proven_situation(source, tuple(_grown(source, known, wanted, each)))


def _grown(
    source: ScenarioSource, known: tuple[int, ...], wanted: int, each: Each
) -> Sequence[int]:
    """Return the proven seeds of a situation, those that are known first."""
    found = list(known)
    tried = known[-1] + 1 if known else FIRST_SEED
    last = FIRST_SEED + _TRIED * wanted
    while len(found) < wanted and tried < last:
        trials = range(tried, min(last, tried + wanted - len(found)))
        passed = zip(trials, each(_Prover(source), trials), strict=True)
        found += [seed for seed, is_good in passed if is_good]
        tried = trials.stop
    return found


def _kept(source: ScenarioSource, before: ProvenSeeds | None) -> tuple[int, ...]:
    """Return the seeds that were proven on this engine and this content."""
    known = None if before is None else before.situations.get(source.id)
    is_current = before is not None and before.engine == ENGINE
    return known.seeds if known is not None and is_current and known.is_of(source) else ()
