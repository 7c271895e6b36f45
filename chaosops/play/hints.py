"""The hints of one game: which were read, and which are still to be paid for."""

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
    """Levels that were read. A level is paid for once, with the action that follows."""

    def __init__(
        self,
        texts: Hints,
        read: Callable[[int], None],
        notes: Iterable[Note] = (),
        steps: Iterable[EpisodeStep] = (),
    ) -> None:
        """The hints of a game, perhaps of one that was begun before.

        Args:
            texts: What there is to read.
            read: Is called with a level when it is read for the first time, before it can be seen.
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
        """The hint of a level (1 to 3). Paid once, with the action that follows."""
        if level not in self._paid:
            self._paid[level] = False
            self._read(level)
        return (self._texts.nudge, self._texts.direction, self._texts.answer)[level - 1]

    @staticmethod
    def costs() -> dict[int, float]:
        """What each level costs, as a reward."""
        return dict(zip(HINT_LEVELS, RewardWeights().hint_penalties, strict=True))

    @property
    def taken(self) -> frozenset[int]:
        """The levels that have been read; to read them again is free."""
        return frozenset(self._paid)

    @property
    def due(self) -> tuple[int, ...]:
        """Those that are to be paid for, from low to high."""
        return tuple(sorted(level for level, paid in self._paid.items() if not paid))

    def pay(self, action: ChaosOpsAction) -> None:
        """An action was taken; what it paid for is paid."""
        levels = action.args.get(HINT)
        if levels is not None and not hints_problem(levels):
            self._paid.update(dict.fromkeys(levels, True))

    def charged(self, action: ChaosOpsAction) -> ChaosOpsAction:
        """An action with what is due on it."""
        return replace(action, args={**action.args, HINT: self.due}) if self.due else action
