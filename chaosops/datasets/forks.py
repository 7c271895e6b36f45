"""Rates alternative actions in a turn by playing each of them to the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import NamedTuple

from chaosops.agents.policies import heuristic_policy, random_policy
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.agents.seats import seat_policies
from chaosops.datasets.episode import without_hints
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ChaosOpsAction, ChaosOpsObservation
from chaosops.env.world_sim import Scenario
from chaosops.errors import RecordingError


class ForkError(RecordingError):
    """A turn that can't be reproduced in the simulator."""


class RatedAction(NamedTuple):
    """An action, and its return with the expert in every seat for the rest of the episode."""

    action: ChaosOpsAction
    paid: float


class TurnToRate(NamedTuple):
    """A turn whose possible actions are to be rated.

    Attributes:
        before: The actions of the turns before it.
        groups: The actions, in groups.
        seen: The recorded observation of the turn.
    """

    before: tuple[ChaosOpsAction, ...]
    groups: tuple[tuple[ChaosOpsAction, ...], ...]
    seen: ChaosOpsObservation


class TurnRating(NamedTuple):
    """The ratings of a turn, group by group; or why it can't be reproduced."""

    groups: tuple[tuple[RatedAction, ...], ...] = ()
    trouble: str = ""


class EpisodeReplayer:
    """Reproduces the turns of one recorded episode by simulating what came before."""

    def __init__(self, scenario: Scenario) -> None:
        """Use the scenario as it was played."""
        self._scenario = scenario
        self._env = ChaosOpsEnvironment()

    def rate(
        self,
        before: Sequence[ChaosOpsAction],
        options: Sequence[ChaosOpsAction],
        *,
        seen: ChaosOpsObservation | None = None,
    ) -> tuple[RatedAction, ...]:
        """Play each option after the same turns, then the expert in every seat to the end.

        Args:
            before: The actions of the turns before this one.
            options: The actions to try in this turn.
            seen: The recorded observation of this turn, to be compared with the simulated one.

        Raises:
            ForkError: The turn can't be reproduced, or looks different.
        """
        return self._rated(self._at(before, seen), options)

    def rate_turn(self, turn: TurnToRate) -> TurnRating:
        """Rate the actions of a turn; see `rate`."""
        try:
            stepper = self._at(turn.before, turn.seen)
        except ForkError as error:
            return TurnRating(trouble=str(error))
        return TurnRating(tuple(self._rated(stepper, group) for group in turn.groups))

    def options(self, frame: EpisodeStep, count: int) -> tuple[ChaosOpsAction, ...]:
        """Return possible actions of a turn: the one taken, without the hints that were read
        before it, as they cost the same whatever was done then; what the expert and the
        heuristic would do, and some that are drawn from everything that is allowed.

        Args:
            count: How many to draw; fewer are left where the same one is drawn twice.
        """
        seen, role = frame.observation, frame.role
        experts = seat_policies({role: "expert"}, self._scenario)
        found = [without_hints(frame.action), experts[role](seen, role)]
        found += [heuristic_policy(0)(seen, role)]
        found += [random_policy(draw)(seen, role) for draw in range(count)]
        return tuple(dict.fromkeys(replace(action, role=role) for action in found))

    def _at(self, before: Sequence[ChaosOpsAction], seen: ChaosOpsObservation | None) -> Stepper:
        stepper = Stepper(self._env, self._scenario)
        for action in before:
            if stepper.done:
                raise ForkError("the episode is over before this turn")
            stepper.take(action)
        if stepper.done or (seen is not None and stepper.observation != seen):
            raise ForkError("the simulator gives a different observation in this turn")
        return stepper

    def _rated(
        self, stepper: Stepper, options: Sequence[ChaosOpsAction]
    ) -> tuple[RatedAction, ...]:
        return tuple(RatedAction(option, self._play(copy(stepper), option)) for option in options)

    def _play(self, stepper: Stepper, option: ChaosOpsAction) -> float:
        paid = stepper.take(option).reward
        policies = seat_policies(dict.fromkeys(TURN_ORDER, "expert"), self._scenario)
        while not stepper.done:
            role = stepper.role
            paid += stepper.take(policies[role](stepper.observation, role)).reward
        return paid


def pairs(
    forks: Sequence[RatedAction], least: float = 0.0
) -> Iterator[tuple[RatedAction, RatedAction]]:
    """Yield the best fork with each one that pays less, the closest last.

    Args:
        least: The smallest difference; ties are left out.
    """
    ranked = sorted(forks, key=lambda fork: fork.paid)
    for worse in ranked[:-1]:
        margin = ranked[-1].paid - worse.paid
        if margin > 0 and margin >= least:
            yield ranked[-1], worse
