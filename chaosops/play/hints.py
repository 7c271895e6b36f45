"""The hints of one game: which were read, and which are still to be paid for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from chaosops.agents.runner import EpisodeStep
from chaosops.env.actions import HINT, hints_problem
from chaosops.env.models import ChaosOpsAction
from chaosops.recording.events import Note


class Hints:
    """Levels that were read. A level is paid for once, with the action that follows."""

    def __init__(self, notes: Iterable[Note] = (), steps: Iterable[EpisodeStep] = ()) -> None:
        """The hints of a game that was begun before, as it was noted and played."""
        self._paid: dict[int, bool] = {}
        for note in notes:
            if note.hint is not None:
                self.read(note.hint)
        for step in steps:
            self.pay(step.action)

    @property
    def taken(self) -> frozenset[int]:
        """The levels that have been read; to read them again is free."""
        return frozenset(self._paid)

    @property
    def due(self) -> tuple[int, ...]:
        """Those that are to be paid for, from low to high."""
        return tuple(sorted(level for level, paid in self._paid.items() if not paid))

    def read(self, level: int) -> None:
        """A level was read."""
        self._paid.setdefault(level, False)

    def pay(self, action: ChaosOpsAction) -> None:
        """An action was taken; what it paid for is paid."""
        levels = action.args.get(HINT)
        if levels is not None and not hints_problem(levels):
            self._paid.update(dict.fromkeys(levels, True))

    def charged(self, action: ChaosOpsAction) -> ChaosOpsAction:
        """An action with what is due on it."""
        return replace(action, args={**action.args, HINT: self.due}) if self.due else action
