"""Checks the hints that were noted as read against those that actions paid for."""

from __future__ import annotations

from chaosops.agents.runner import EpisodeStep
from chaosops.env.actions import HINT, hints_problem
from chaosops.recording.events import HumanPart, Note
from chaosops.recording.turn_sources import Decider


class HintLedger:
    """Follows one log. A level is noted when it is read, and a person's next action pays for it.

    Logs from before there were such notes have none, and are not checked.
    """

    def __init__(self) -> None:
        self._noted: set[int] = set()
        self._paid: set[int] = set()

    def note(self, note: Note) -> None:
        """Take in a note between two turns."""
        if note.hint is not None:
            self._noted.add(note.hint)

    def problem(self, frame: EpisodeStep, human: HumanPart) -> str:
        """Explain what is wrong with a turn; empty if nothing is."""
        levels = frame.action.args.get(HINT)
        paid = set() if levels is None or hints_problem(levels) else set(levels)
        self._paid |= paid
        if human.source is Decider.SCRIPTED:
            return ""
        if unpaid := sorted(set(human.hints) - paid):
            return f"{_named(unpaid)} was read, but the action does not pay for it"
        if unpaid := sorted(self._noted - self._paid):
            return f"{_named(unpaid)} is noted as read, but the action does not pay for it"
        if self._noted and (unnoted := sorted(set(human.hints) - self._noted)):
            return f"{_named(unnoted)} was paid for, but no note says that it was read"
        return ""


def _named(levels: list[int]) -> str:
    return f"level {levels[0]}"
