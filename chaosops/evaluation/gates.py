"""The gates of an incident: it can be solved by investigating, and in no cheaper way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Final, NamedTuple

from chaosops.agents.policies import (
    Policy,
    expert_policy,
    oracle_policy,
    pass_turn,
    random_policy,
)
from chaosops.agents.runner import EpisodeResult, Stepper, run_episode
from chaosops.agents.second_key import approved, look_behind
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole, ChaosOpsAction
from chaosops.env.models.readings import LogEvent
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.openings import opening_of
from chaosops.evaluation.shortcuts import Shortcut, as_action, in_words, opening_table, shortcuts
from chaosops.rewards.reward_fn import RewardWeights
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.schema import Move

_NAMED: Final = 3

RANDOM_TRIES: Final = 200
"""The number of random episodes per seed."""


class GateResult(NamedTuple):
    """The result of one gate, with an explanation."""

    name: str
    passed: bool
    words: str

    def __str__(self) -> str:
        return f"{'pass' if self.passed else 'FAIL'}  {self.name}: {self.words}"


class Report(NamedTuple):
    """The results of all gates for one incident."""

    scenario_id: str
    content_hash: str
    seeds: tuple[int, ...]
    gates: tuple[GateResult, ...]

    @property
    def passed(self) -> bool:
        """Whether every gate passed."""
        return all(gate.passed for gate in self.gates)

    def __str__(self) -> str:
        head = f"{self.scenario_id}: {'proven' if self.passed else 'not proven'}"
        return "\n".join((f"{head} on {len(self.seeds)} seeds", *map(str, self.gates)))


def prove(
    source: ScenarioSource, seeds: Sequence[int], *, shortcut_seeds: Sequence[int] | None = None
) -> Report:
    """Put an incident through every gate.

    Args:
        seeds: To play it on; at least one.
        shortcut_seeds: The seeds for the shortcuts, of which there are many; by default `seeds`.

    Raises:
        ValueError: There are no seeds.
        ScenarioError: A seed is out of range.
    """
    gates = tuple(
        run_gate(source, number, seeds, shortcut_seeds=shortcut_seeds) for number in range(GATES)
    )
    return Report(source.id, source.content_hash, tuple(seeds), gates)


def run_gate(
    source: ScenarioSource,
    number: int,
    seeds: Sequence[int],
    *,
    shortcut_seeds: Sequence[int] | None = None,
) -> GateResult:
    """Put an incident through the gate of a number, from 0 to `GATES` - 1; see `prove`."""
    if not seeds:
        raise ValueError("the gates need at least one seed")
    is_long = number >= len(_SHORT)
    chosen = shortcut_seeds if is_long and shortcut_seeds is not None else seeds
    return (*_SHORT, *_LONG)[number]([Scenario.of(source, seed) for seed in chosen])


def oracle_resolves(scenarios: Sequence[Scenario]) -> GateResult:
    """Check that the oracle resolves it in time, without a wrong fix."""
    name = "the best line resolves it"
    results = [_play_all(scenario, oracle_policy(scenario)) for scenario in scenarios]
    failed = [
        f"seed {result.scenario.seed}: "
        + ("a step of it counts as a wrong fix" if result.resolved else "not resolved")
        for result in results
        if not result.resolved or result.wrong_fixes
    ]
    if failed:
        return GateResult(name, False, _some(failed))
    return GateResult(name, True, f"in {_turns(results)} turns, on all of {len(results)} seeds")


def expert_resolves(scenarios: Sequence[Scenario]) -> GateResult:
    """Check that the expert, which only sees observations, resolves it in time."""
    name = "the expert resolves it"
    results = [_expert(scenario) for scenario in scenarios]
    failed = [
        f"seed {result.scenario.seed}: not resolved in {result.final_step} turns"
        for result in results
        if not result.resolved
    ]
    if failed:
        return GateResult(name, False, _some(failed))
    return GateResult(name, True, f"in {_turns(results)} turns, on all of {len(results)} seeds")


def oracle_leads(scenarios: Sequence[Scenario]) -> GateResult:
    """Check that the oracle earns more than the expert, on average over the seeds."""
    best = fmean(
        _play_all(scenario, oracle_policy(scenario)).cumulative_reward for scenario in scenarios
    )
    expert = fmean(_expert(scenario).cumulative_reward for scenario in scenarios)
    words = f"{best:.1f} on the mean, the expert {expert:.1f}"
    return GateResult("the best line scores no less than the expert", best >= expert, words)


def bonuses_can_be_had(scenarios: Sequence[Scenario]) -> GateResult:
    """Check that the best line is within par, and earns the bonus of the diagnosis."""
    name = "par and the bonus of the diagnosis can be had"
    missed = []
    for scenario in scenarios:
        result = _play_all(scenario, oracle_policy(scenario))
        paid = [step.breakdown for step in result.steps]
        if not any(one.under_budget_bonus for one in paid):
            missed.append(f"seed {scenario.seed}: par, the best line takes {result.final_step}")
        if not any(one.early_root_cause_bonus for one in paid):
            missed.append(f"seed {scenario.seed}: the bonus of the diagnosis")
    return GateResult(name, not missed, _some(missed) or f"on all of {len(scenarios)} seeds")


def openings_differ(scenarios: Sequence[Scenario]) -> GateResult:
    """Check that no two seeds look the same at the page, apart from the traffic.

    Args:
        scenarios: Those of one incident, one per seed.
    """
    name = "every seed opens differently"
    first: dict[tuple[object, ...], int] = {}
    alike = []
    for scenario in scenarios:
        seen = opening(scenario, scenarios[0].seed)
        if seen in first:
            alike.append(f"seeds {first[seen]} and {scenario.seed} open alike")
        first.setdefault(seen, scenario.seed)
    return GateResult(name, not alike, _some(alike) or f"{len(first)} openings")


def opening(scenario: Scenario, day: int) -> tuple[object, ...]:
    """Return what distinguishes a seed in the roles' first turns: words, names and minutes.

    Figures are left out: any traffic moves them.

    Args:
        day: The seed of the traffic, the routine log lines and the clock, instead of the
            scenario's own, so that all differences come from the file.
    """
    seen: list[object] = []
    for view in opening_of(replace(scenario, seed=day)).views:
        logs = [
            line._replace(text="") if line.event is LogEvent.CALLS_FAIL else line
            for line in view.logs or ()
        ]
        tickets = view.impact.tickets if view.impact else ()
        seen += [view.alerts, tuple(logs), view.changes, view.audit, view.agents, tickets]
    return tuple(seen)


def tempting_fixes_bite(scenarios: Sequence[Scenario]) -> GateResult:
    """Check that each tempting wrong fix counts as wrong at its landing."""
    moves = [(scenario, move) for scenario in scenarios for move in scenario.incident.tempting]
    return _judged("every tempting fix does harm", moves, wrong=True)


def mitigations_help(scenarios: Sequence[Scenario]) -> GateResult:
    """Check that no mitigation counts as wrong at its landing."""
    moves = [
        (scenario, move)
        for scenario in scenarios
        for fault in scenario.incident.faults
        if fault.starts is not None
        for move in fault.mitigates
    ]
    return _judged("every mitigation helps", moves, wrong=False)


def shortcuts_fall_short(
    scenarios: Sequence[Scenario], tried_on: Callable[[Scenario], Iterable[Shortcut]] = shortcuts
) -> GateResult:
    """Check that no shortcut scores as much as the expert on the same seed.

    Args:
        tried_on: Which shortcuts to try; by default all.
    """
    name = "no shortcut pays"
    env = ChaosOpsEnvironment()
    reached = []
    tried = 0
    for scenario in scenarios:
        bar = _expert(scenario).cumulative_reward
        for shortcut in tried_on(scenario):
            tried += 1
            score = score_at_most(env, scenario, shortcut.seats, bar)
            if score >= bar:
                reached.append(
                    f"seed {scenario.seed}: '{shortcut.name}' scores {score:.1f}, "
                    f"the expert {bar:.1f}"
                )
    return GateResult(name, not reached, _some(reached) or f"{tried} tries stayed below the expert")


def random_search_falls_short(
    scenarios: Sequence[Scenario], tries: int = RANDOM_TRIES
) -> GateResult:
    """Check that the best of many random episodes per seed stays below the expert on average.

    Args:
        tries: The number of random episodes per seed, in all four seats.
    """
    name = "no luck pays"
    if not scenarios:
        return GateResult(name, True, "not tried")
    env = ChaosOpsEnvironment()
    best = []
    bars = []
    for scenario in scenarios:
        bar = _expert(scenario).cumulative_reward
        bars.append(bar)
        best.append(
            max(
                score_at_most(env, scenario, dict.fromkeys(TURN_ORDER, random_policy(seed)), bar)
                for seed in range(tries)
            )
        )
    luck, skill = fmean(best), fmean(bars)
    words = f"the best of {tries} reach at most {luck:.1f} on the mean, the expert {skill:.1f}"
    return GateResult(name, luck < skill, words)


def score_at_most(
    env: ChaosOpsEnvironment,
    scenario: Scenario,
    seats: Mapping[AgentRole, Policy],
    bar: float,
) -> float:
    """Return the score of an episode, or an upper limit once it can't reach the bar any more."""
    weights = RewardWeights()
    best_left = (
        weights.resolved_bonus
        + weights.under_budget_bonus
        + weights.early_root_cause_bonus
        + weights.rogue_caught_bonus
        * sum(agent.is_guilty for agent in scenario.incident.automation)
    )
    stepper = Stepper(env, scenario)
    score = 0.0
    while not stepper.done:
        role = stepper.role
        score += stepper.take(seats.get(role, pass_turn)(stepper.observation, role)).reward
        if score + best_left < bar:
            return score + best_left
    return score


def _judged(name: str, moves: Sequence[tuple[Scenario, Move]], *, wrong: bool) -> GateResult:
    """Check how each move, taken alone in its role's first turn, is judged at its landing."""
    verdict = "helps" if wrong else "counts as a wrong fix"
    otherwise = []
    for scenario, move in moves:
        action = as_action(move, opening_table(scenario))
        if action is None:
            missing = f"nobody can do {move.action} {move.target or ''}"
            otherwise.append(f"seed {scenario.seed}: {missing}")
            continue
        env = ChaosOpsEnvironment()
        _take_alone(Stepper(env, scenario), action)
        if bool(env.state.wrong_fixes) is not wrong:
            otherwise.append(f"seed {scenario.seed}: {in_words(action)} {verdict}")
    return GateResult(name, not otherwise, _some(otherwise) or f"{len(moves)} tried")


def _take_alone(stepper: Stepper, action: ChaosOpsAction) -> None:
    """Play an action in its role's first turn, and nothing else, to the end."""
    while not stepper.done:
        is_due = stepper.role is action.role and stepper.observation.step < len(TURN_ORDER)
        view = stepper.observation.view
        idle = approved(view) or look_behind(view) or pass_turn(stepper.observation, stepper.role)
        stepper.take(action if is_due else idle)


def _expert(scenario: Scenario) -> EpisodeResult:
    return _play_all(scenario, expert_policy(scenario.seed))


def _play_all(scenario: Scenario, policy: Policy) -> EpisodeResult:
    return run_episode(ChaosOpsEnvironment(), scenario, dict.fromkeys(TURN_ORDER, policy))


def _turns(results: Sequence[EpisodeResult]) -> str:
    least = min(result.final_step for result in results)
    most = max(result.final_step for result in results)
    return str(least) if least == most else f"{least} to {most}"


def _some(items: Sequence[str]) -> str:
    rest = len(items) - _NAMED
    return "; ".join(items[:_NAMED]) + (f"; and {rest} more" if rest > 0 else "")


_SHORT: Final = (
    oracle_resolves,
    expert_resolves,
    oracle_leads,
    bonuses_can_be_had,
    openings_differ,
)
_LONG: Final = (
    tempting_fixes_bite,
    mitigations_help,
    shortcuts_fall_short,
    random_search_falls_short,
)

GATES: Final = len(_SHORT) + len(_LONG)
"""The number of gates."""
