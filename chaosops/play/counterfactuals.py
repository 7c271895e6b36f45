"""Counterfactuals: the expert's line on the same seed, and what each turn cost.

This simulates again and doesn't change the game. It may take seconds: run it in a
thread, with a `tick` that reports progress and decides whether to continue.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Credit,
    RoleView,
)
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.suggestions import same_act
from chaosops.play.advice import is_advice, shows_cause, telling_looks
from chaosops.play.ending import ending_order, is_among
from chaosops.play.policy_answers import reason_of
from chaosops.worker_pool import WorkerPool

Tick = Callable[[float], bool]
"""Called with the progress, 0 to 1; returning False stops the work."""

EXPERT: Final = "expert"

_HARMLESS: Final = frozenset({ActionType.INVESTIGATE, ActionType.COMMUNICATE})


class PolicyGame(NamedTuple):
    """An episode that policies played to its end.

    Attributes:
        paid: What deeds earned or cost.
    """

    steps: tuple[EpisodeStep, ...]
    resolved: bool
    score: float
    paid: tuple[Credit, ...]


class Line(NamedTuple):
    """What a position comes to with experts in every seat: the score, and what deeds paid."""

    score: float
    paid: tuple[Credit, ...]


class Cost(NamedTuple):
    """What a person's turn cost: points that could still be made before it and not after it.

    Attributes:
        lost: The difference in points, 0 or more.
        better: The expert's move.
        why: The expert's reason for it; empty if it gave none, or for a look that shows nothing of
            the cause.
        ended: Whether it ordered or proposed what ended the incident.
        advised: Whether the expert's move is advice: nothing that is known of the game after its
            end speaks against it.
        view: What the role saw, by which requests are named; None if nobody asks.
    """

    turn: int
    role: AgentRole
    taken: ChaosOpsAction
    better: ChaosOpsAction
    why: str
    lost: float
    ended: bool = False
    advised: bool = True
    view: RoleView | None = None


class Gap(NamedTuple):
    """Where the points between the expert's score and that of the game went.

    The expert's score less that of the game is `own` and `others` less `found`.

    Attributes:
        own: What the people's turns cost together.
        others: What all other turns cost: those of teammates, and those that did as the expert.
        found: What the best line that was seen is worth above the expert's, 0 or more.
    """

    own: float
    others: float
    found: float

    @property
    def total(self) -> float:
        """How much higher the expert's score is; below 0 if the game's is."""
        return self.own + self.others - self.found


class Hindsight(NamedTuple):
    """What the debrief shows besides the game itself.

    Attributes:
        costs: The cost of each person's turn that differs from the expert's, highest first.
        gap: Where the points between the expert's score and the game's went.
    """

    expert: PolicyGame
    costs: tuple[Cost, ...]
    gap: Gap

    @property
    def costliest(self) -> Cost | None:
        """The turn that cost most of those for which there is advice; None without any.

        What ended the incident is never among them.
        """
        return next(
            (cost for cost in self.costs if cost.lost and cost.advised and not cost.ended), None
        )


def hindsight(
    scenario: Scenario,
    steps: Sequence[EpisodeStep],
    people: Sequence[int],
    tick: Tick,
    jobs: int = 1,
) -> Hindsight | None:
    """Play the expert's line, and compare each of the person's turns with it.

    A position is worth the best that was seen to follow from it: what experts in every seat make
    of it or of a later position, and what the game itself made. A turn costs the worth of the
    position before it, less that of the position after it, so the costs of all turns add up to
    what the best line is worth above the game.

    Args:
        people: The turns that people took.
        jobs: The number of processes; 1 is best unless many turns of a moving world are compared.

    Returns:
        None if `tick` stopped it.
    """
    if not tick(0.0):
        return None
    actions = tuple(step.action for step in steps)
    player = _LinePlayer(scenario, actions)
    expert = player.play(0)
    lines = {0: Line(expert.score, expert.paid)}
    experts = seat_policies(dict.fromkeys(TURN_ORDER, EXPERT), scenario)
    better = {turn: experts[steps[turn].role](steps[turn].observation, steps[turn].role)
              for turn in people}  # fmt: skip
    compared = [turn for turn in people if not same_act(better[turn], steps[turn].action)]
    positions = dict.fromkeys(place for turn in compared for place in (turn, turn + 1))
    missing = [place for place in positions if place not in lines and place < len(actions)]
    with WorkerPool(jobs) as pool:
        found = pool.spread(player.line, missing, lost=player.line_without)
        for count, (place, line) in enumerate(zip(missing, found, strict=True), 1):
            lines[place] = line
            if not tick(count / (len(missing) + 1)):
                return None
    worth = {place: line.score for place, line in lines.items()}
    worth[len(actions)] = sum(step.reward for step in steps)
    for turn in compared:
        # What a look shows, or a message says, can't be worth less than passing.
        if _is_harmless(steps[turn].action) and better[turn].action_type is ActionType.NOOP:
            worth[turn + 1] = max(worth[turn], worth[turn + 1])
    best, ending, telling = _best_from(worth), ending_order(steps), telling_looks(scenario)
    costs = []
    for turn in compared:
        step = steps[turn]
        move = better[turn]
        why = reason_of(experts[step.role], step.observation, step.role)
        if move.action_type is ActionType.INVESTIGATE and not shows_cause(move, telling):
            why = ""
        lost = best[turn] - best[turn + 1]
        ended = is_among(step, ending)
        minute = step.observation.view.status.minute
        advised = is_advice(move, step.action, scenario, telling, lines[turn].paid, minute)
        seen = step.observation.view
        costs.append(Cost(turn, step.role, step.action, move, why, lost, ended, advised, seen))
    costs.sort(key=lambda cost: (-cost.lost, cost.turn))
    own = sum(cost.lost for cost in costs)
    gap = Gap(own, best[0] - best[len(actions)] - own, best[0] - expert.score)
    tick(1.0)
    return Hindsight(expert, tuple(costs), gap)


def _is_harmless(action: ChaosOpsAction) -> bool:
    """Whether an action only looks, tells, or asks for a look."""
    proposal = action.args.get("proposal")
    if isinstance(proposal, Mapping):
        return str(proposal.get("action_type")) == ActionType.INVESTIGATE
    return action.action_type in _HARMLESS


def _best_from(worth: Mapping[int, float]) -> dict[int, float]:
    """Return for each position the highest worth of it and of those after it."""
    found: dict[int, float] = {}
    best = -math.inf
    for place in sorted(worth, reverse=True):
        best = max(best, worth[place])
        found[place] = best
    return found


class _LinePlayer:
    """Plays the expert's lines from the positions of one episode."""

    def __init__(self, scenario: Scenario, actions: Sequence[ChaosOpsAction]) -> None:
        self._scenario = scenario
        self._actions = tuple(actions)
        self._env = ChaosOpsEnvironment()

    def line(self, turn: int) -> Line:
        """Return what it comes to with experts in every seat from a turn on."""
        game = self.play(turn)
        return Line(game.score, game.paid)

    def line_without(self, turn: int, how: str) -> Line:
        """Return the same if the process that was to play it died."""
        return self.line(turn)

    def play(self, turn: int) -> PolicyGame:
        """Play the turns before one, and then experts in every seat."""
        stepper = Stepper(self._env, self._scenario)
        policies = seat_policies(dict.fromkeys(TURN_ORDER, EXPERT), self._scenario)
        for action in self._actions[:turn]:
            if not stepper.done:
                stepper.take(action)
        while not stepper.done:
            stepper.take(policies[stepper.role](stepper.observation, stepper.role))
        result = stepper.result()
        score = sum(step.reward for step in result.steps)
        paid = stepper.observation.view.paid or ()
        return PolicyGame(result.steps, result.resolved, score, paid)


def played_on(scenario: Scenario, before: Sequence[ChaosOpsAction]) -> PolicyGame:
    """Play these turns, and then experts in every seat."""
    return _LinePlayer(scenario, before).play(len(before))
