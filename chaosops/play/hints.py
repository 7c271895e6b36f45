"""The hints of one game: which were read, and which have not been paid for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from chaosops.agents.runner import EpisodeStep
from chaosops.env.actions import HINT, hints_problem
from chaosops.env.models import ChaosOpsAction
from chaosops.recording.events import Note
from chaosops.rewards.reward_fn import HINT_LEVELS, RewardWeights
from chaosops.scenarios.schema import Hints


class HintAccount:
    """The levels that were read. A level is paid for once, with the next action."""

    def __init__(
        self,
        texts: Hints,
        read: Callable[[int], None],
        notes: Iterable[Note] = (),
        steps: Iterable[EpisodeStep] = (),
    ) -> None:
        """Set up the hints of a game, which may have been started before.

        Args:
            texts: The texts of the hints.
            read: Called with a level before it is shown for the first time.
            notes: What was noted before.
            steps: What was played before.
        """
        self._texts, self._read = texts, read
        self._paid: dict[int, bool] = {}
        for note in notes:
            if note.hint is not None:
                self._paid.setdefault(note.hint, False)
        for step in steps:
            self.pay(step.action)

    def read(self, level: int) -> str:
        """Return the hint of a level (1 to 3). It is paid for once, with the next action."""
        if level not in self._paid:
            self._paid[level] = False
            self._read(level)
        return (self._texts.nudge, self._texts.direction, self._texts.answer)[level - 1]

    @staticmethod
    def costs() -> dict[int, float]:
        """Return the cost of each level, as a reward."""
        return dict(zip(HINT_LEVELS, RewardWeights().hint_penalties, strict=True))

    @property
    def taken(self) -> frozenset[int]:
        """The levels that have been read; reading them again is free."""
        return frozenset(self._paid)

    @property
    def due(self) -> tuple[int, ...]:
        """The levels that have not been paid for, from low to high."""
        return tuple(sorted(level for level, paid in self._paid.items() if not paid))

    def pay(self, action: ChaosOpsAction) -> None:
        """Mark the hints that an action paid for as paid."""
        levels = action.args.get(HINT)
        if levels is not None and not hints_problem(levels):
            self._paid.update(dict.fromkeys(levels, True))

    def charged(self, action: ChaosOpsAction) -> ChaosOpsAction:
        """Return an action that also pays for the hints that are due."""
        return replace(action, args={**action.args, HINT: self.due}) if self.due else action
