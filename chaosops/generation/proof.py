"""Proves a situation: on one seed of each truth, every gate that one situation can be put through.

The other gates are about sets: `chaosops evaluate` measures them on a folder of situations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from statistics import fmean
from typing import Final, NamedTuple

from chaosops.agents.policies import Policy, expert_policy, oracle_policy, pass_turn
from chaosops.agents.runner import EpisodeResult, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.agents.second_key import approved, look_behind
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction, FailureType
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.adversaries.fair import AHEAD, minute_told, mitigations_help
from chaosops.evaluation.adversaries.shotgun import try_the_next
from chaosops.evaluation.adversaries.stands_still import gets_worse
from chaosops.evaluation.adversaries.thoughtless import HABITS
from chaosops.evaluation.gates import score_at_most
from chaosops.evaluation.measurement import MEDIUM_UP
from chaosops.evaluation.shortcuts import as_action, opening_table, shortcuts
from chaosops.generation.dice import SeededDice
from chaosops.generation.truths import (
    ALIKE,
    PEERS,
    CastTruth,
    OpenedTruth,
    most_cures,
    peer_likeness,
)
from chaosops.scenarios.situation import LEAST_CASTS

TEAMMATE: Final = "steady"
SEATS: Final = (AgentRole.SRE, AgentRole.DEV)
MOST_RESOLVED: Final[Mapping[str, float]] = {"passes": 0.10, "accepts": 0.30, "looks once": 0.40}
MOST_BY_SHOTGUN: Final = 0.25
SEEDS: Final = 2
"""On how many seeds of each truth the expert plays."""

SHORTCUTS: Final = 30
_MOST_BESIDE: Final = 10
_LANDED: Final = 20
"""Turns after which an action has been approved and has landed."""

_SHORTCUT_SEEDS: Final = 2


class GateFailure(NamedTuple):
    """A gate that failed.

    Attributes:
        gate: Its name.
        truths: Those without which it would pass.
        words: What was seen.
    """

    gate: str
    truths: tuple[CastTruth, ...]
    words: str


class SituationProof(NamedTuple):
    """The outcome of a proof.

    Attributes:
        margins: A line for each gate that passed, with its figures and its bound.
        failure: The first gate that failed; the gates after it were not tried.
    """

    margins: tuple[str, ...]
    failure: GateFailure | None = None


GateOutcome = str | GateFailure


class Prover:
    """Puts the truths of one situation through the gates, the cheap ones first.

    Args:
        truths: Every truth, opened.
        env: The environment to play in, which keeps the magnitudes that were solved.
        dice: Chooses the shortcuts that are tried.
    """

    def __init__(
        self, truths: Sequence[OpenedTruth], env: ChaosOpsEnvironment, dice: SeededDice
    ) -> None:
        self._truths = tuple(truths)
        self._env = env
        self._dice = dice
        self._level = truths[0].scenario.difficulty
        self._sample = dice.of("thoughtless").some(self._truths, _MOST_BESIDE)
        self._best: dict[CastTruth, EpisodeResult] = {}
        self._expert: dict[CastTruth, EpisodeResult] = {}

    def prove(self) -> SituationProof:
        """Return the margins, up to the first gate that fails."""
        gates: list[Callable[[], GateOutcome]] = [
            self._opens_alike,
            self._expert_resolves,
            *([self._shotgun] if self._level in MEDIUM_UP else []),
            self._best_line_resolves,
            self._par_can_be_had,
            self._stands_still,
            self._is_fair,
            self._easing_helps,
            self._tempting_bites,
        ]
        if self._level in MEDIUM_UP:
            gates.append(self._thoughtless)
        gates.append(self._shortcuts)
        margins: list[str] = []
        for gate in gates:
            outcome = gate()
            if isinstance(outcome, GateFailure):
                return SituationProof(tuple(margins), outcome)
            margins.append(outcome)
        return SituationProof(tuple(margins))

    def _opens_alike(self) -> GateOutcome:
        found = {one.truth: peer_likeness(one, self._truths) for one in self._truths}
        odd = tuple(truth for truth, likeness in found.items() if likeness < ALIKE)
        if odd:
            return GateFailure("opens alike", odd, f"{odd[0]} opens like too few others")
        cures, least = most_cures(self._truths), LEAST_CASTS[self._level]
        if cures < least:
            words = f"only {cures} cures among truths that open alike"
            return GateFailure("opens alike", tuple(found), words)
        return (
            f"opens alike: each opening is {min(found.values()):.0%} or more like those of "
            f"{PEERS} other causes (at least {ALIKE:.0%}), and up to {cures} cures are behind one "
            f"(at least {least})"
        )

    def _expert_resolves(self) -> GateOutcome:
        failed = []
        for one in self._truths:
            results = [
                self._play(scenario, dict.fromkeys(TURN_ORDER, expert_policy(scenario.seed)))
                for scenario in one.scenarios[:SEEDS]
            ]
            self._expert[one.truth] = results[0]
            if not all(result.resolved for result in results):
                failed.append(one.truth)
        if failed:
            return GateFailure("the expert resolves it", tuple(failed), f"not {failed[0]}")
        return (
            f"the expert resolves it: {self._all()}, on {SEEDS} seeds each, in "
            f"{_turns(self._expert)} turns"
        )

    def _best_line_resolves(self) -> GateOutcome:
        for one in self._truths:
            policy = oracle_policy(one.scenario)
            self._best[one.truth] = self._play(one.scenario, dict.fromkeys(TURN_ORDER, policy))
        failed = _where(self._best, lambda result: not result.resolved or result.wrong_fixes > 0)
        if failed:
            return GateFailure("the best line resolves it", failed, f"not {failed[0]}")
        best, expert = _mean(self._best), _mean(self._expert)
        if best < expert:
            behind = _where(
                self._best, lambda result: result.cumulative_reward < _least(self._expert)
            )
            words = f"{best:.1f} points on the mean, the expert {expert:.1f}"
            return GateFailure("the best line scores no less than the expert", behind, words)
        return (
            f"the best line resolves it: {self._all()}, in {_turns(self._best)} turns, with "
            f"{best - expert:.1f} points more than the expert"
        )

    def _par_can_be_had(self) -> GateOutcome:
        def misses(result: EpisodeResult) -> bool:
            paid = [step.breakdown for step in result.steps]
            return not any(one.under_budget_bonus for one in paid) or not any(
                one.early_root_cause_bonus for one in paid
            )

        failed = _where(self._best, misses)
        if failed:
            words = f"not at {failed[0]}"
            return GateFailure("par and the bonus of the diagnosis can be had", failed, words)
        slowest = max(result.final_step for result in self._best.values())
        par = self._truths[0].scenario.par
        return f"par can be had: par {par}, the best line needs {slowest} turns at most"

    def _stands_still(self) -> GateOutcome:
        hurting = [one for one in self._truths if not _is_harmless(one)]
        still = tuple(one.truth for one in hurting if not gets_worse(one.scenario))
        if still:
            return GateFailure("stands still", still, f"{still[0]} doesn't get worse by itself")
        return f"stands still: all {len(hurting)} outages get worse if nobody acts (at least 90%)"

    def _is_fair(self) -> GateOutcome:
        late, margins = [], []
        for one in self._truths:
            incident = one.scenario.incident
            if not isinstance(one.scenario.failure_type, FailureType):
                continue  # no handbook has the causes of authors
            told = minute_told(one.scenario, incident)
            margin = -1 if told is None else incident.drawn.hard_at - told
            margins.append(margin)
            if margin < AHEAD:
                late.append(one.truth)
        if late:
            return GateFailure("fair", tuple(late), f"no reading settles {late[0]} in time")
        return (
            f"fair: a reading settles the cause {min(margins)} minutes or more before the step "
            f"that is hard to reverse (at least {AHEAD})"
        )

    def _easing_helps(self) -> GateOutcome:
        tried, wrong = 0, []
        for one in self._truths:
            helps = list(mitigations_help(one.scenario, one.scenario.incident))
            tried += len(helps)
            if not all(helps):
                wrong.append(one.truth)
        if wrong:
            return GateFailure("easing", tuple(wrong), f"easing {wrong[0]} early is a wrong fix")
        return f"easing: {tried} of {tried} early mitigations help"

    def _tempting_bites(self) -> GateOutcome:
        tried, helped = 0, []
        for one in self._truths:
            wrong = list(self._tempted(one.scenario))
            tried += len(wrong)
            if not all(wrong):
                helped.append(one.truth)
        if helped:
            words = f"one of them helps at {helped[0]}"
            return GateFailure("every tempting fix does harm", tuple(helped), words)
        return f"every tempting fix does harm: {tried} of {tried}"

    def _tempted(self, scenario: Scenario) -> Iterator[bool]:
        """Yield whether each tempting fix is a wrong one, taken alone in its role's first turn."""
        table = opening_table(scenario)
        actions = [as_action(move, table) for move in scenario.incident.tempting]
        seen = self._env.reset(scenario)
        for role in TURN_ORDER:
            for action in actions:
                if action is not None and action.role is role:
                    yield _is_wrong(self._env.fork(), action)
            seen = self._env.step(ChaosOpsAction(seen.turn_role, ActionType.NOOP))

    def _shotgun(self) -> GateOutcome:
        seats = dict.fromkeys(TURN_ORDER, try_the_next)
        solved = tuple(
            one.truth for one in self._truths if self._play(one.scenario, seats).resolved
        )
        share = len(solved) / len(self._truths)
        if share > MOST_BY_SHOTGUN:
            return GateFailure(
                "shotgun",
                _excess(solved, len(self._truths), MOST_BY_SHOTGUN),
                f"it resolves {share:.0%} without a look",
            )
        return f"shotgun: {share:.0%} resolved without a look (at most {MOST_BY_SHOTGUN:.0%})"

    def _thoughtless(self) -> GateOutcome:
        parts = []
        for habit, most in MOST_RESOLVED.items():
            worst = 0.0
            for role in SEATS:
                solved = tuple(self._solved_by(role, habit))
                share = len(solved) / len(self._sample)
                worst = max(worst, share)
                if share > most:
                    words = f"a {role.value} who {habit} resolves {share:.0%} beside {TEAMMATE}"
                    return GateFailure(
                        "thoughtless person", _excess(solved, len(self._sample), most), words
                    )
            parts.append(f"{habit} {worst:.0%} (at most {most:.0%})")
        return f"thoughtless person, resolved beside {TEAMMATE}: {', '.join(parts)}"

    def _solved_by(self, role: AgentRole, habit: str) -> Iterator[CastTruth]:
        for one in self._sample:
            team = seat_policies(dict.fromkeys(TURN_ORDER, TEAMMATE), one.scenario)
            if self._play(one.scenario, {**team, role: HABITS[habit]}).resolved:
                yield one.truth

    def _shortcuts(self) -> GateOutcome:
        tried, closest = 0, float("inf")
        for one in self._dice.some(self._truths, _SHORTCUT_SEEDS):
            bar = self._expert[one.truth].cumulative_reward
            for shortcut in self._dice.some(shortcuts(one.scenario), SHORTCUTS):
                tried += 1
                score = score_at_most(self._env, one.scenario, shortcut.seats, bar)
                if score >= bar:
                    words = f"'{shortcut.name}' scores {score:.1f} at {one.truth}"
                    return GateFailure("no shortcut pays", (one.truth,), words)
                closest = min(closest, bar - score)
        return (
            f"no shortcut pays: {tried} tried on {_SHORTCUT_SEEDS} truths, the best of them "
            f"{closest:.1f} points below the expert"
        )

    def _play(self, scenario: Scenario, seats: Mapping[AgentRole, Policy]) -> EpisodeResult:
        return run_episode(self._env, scenario, seats)

    def _all(self) -> str:
        return f"all {len(self._truths)} truths"


def _is_wrong(env: ChaosOpsEnvironment, action: ChaosOpsAction) -> bool:
    """Whether an action counts as a wrong fix once it has landed, while nobody else acts."""
    seen = env.step(action)
    for _turn in range(_LANDED):
        if not seen.done:
            view = seen.view
            idle = approved(view) or look_behind(view) or pass_turn(seen, seen.turn_role)
            seen = env.step(idle)
    return env.state.wrong_fixes > 0


def _excess(solved: Sequence[CastTruth], total: int, most: float) -> tuple[CastTruth, ...]:
    """Return so many of the solved truths that without them no larger share than `most` is."""
    count = ceil((len(solved) - most * total) / (1 - most) - 1e-9)
    return tuple(solved[:count])


def _is_harmless(one: OpenedTruth) -> bool:
    return one.scenario.incident.drawn.cause.harmless


def _where(
    results: Mapping[CastTruth, EpisodeResult], fails: Callable[[EpisodeResult], bool]
) -> tuple[CastTruth, ...]:
    return tuple(truth for truth, result in results.items() if fails(result))


def _mean(results: Mapping[CastTruth, EpisodeResult]) -> float:
    return fmean(result.cumulative_reward for result in results.values())


def _least(results: Mapping[CastTruth, EpisodeResult]) -> float:
    return min(result.cumulative_reward for result in results.values())


def _turns(results: Mapping[CastTruth, EpisodeResult]) -> str:
    turns = [result.final_step for result in results.values()]
    return f"{min(turns)} to {max(turns)}"
