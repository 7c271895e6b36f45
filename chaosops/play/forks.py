"""Forks: playing on from a turn of a recorded game."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from chaosops.agents.registry import Policies
from chaosops.datasets.privacy import who_agrees
from chaosops.env.models import ChaosOpsAction
from chaosops.env.world_sim import Scenario
from chaosops.errors import RecordingError
from chaosops.play.seats import Roster
from chaosops.play.setup import roster_of, setup_of
from chaosops.recording.events import Note, Player, agreed_header, noted_before
from chaosops.recording.reader import Recording
from chaosops.recording.recorded_scenario import ScenarioBook
from chaosops.recording.verify import verify


class Fork(NamedTuple):
    """What a session needs to continue from a turn: the actions and the notes before it."""

    origin: Recording
    scenario: Scenario
    roster: Roster
    replayed: tuple[ChaosOpsAction, ...]
    notes: tuple[Note, ...] = ()

    def player(self, now: Player | None) -> Player | None:
        """Return who agrees to the use of the fork if `now` plays it; see `who_agrees`."""
        before = self.origin.turns[: len(self.replayed)]
        parts = [(turn.frame.role, turn.human) for turn in before]
        header = agreed_header(self.origin.header, self.origin.notes)
        return who_agrees(header, parts, now)


def fork_of(
    recording: Recording,
    turn: int,
    folders: tuple[Path, ...] = (),
    policies: Policies | None = None,
) -> Fork:
    """Return a recorded game up to a turn, with its seats.

    Args:
        turn: The first one to be played, counted from 0.
        folders: Where scenarios are, besides the built-in set.
        policies: Makes the policies by name; see `roster_of`.

    Raises:
        RecordingError: The game can't be reproduced here: another version of it, or a
            file that was changed.
        ChaosOpsError: A policy that sat there can't be found here.
    """
    book = ScenarioBook(folders)
    verdict = verify(recording.path, book=book)
    if not verdict.ok:
        raise RecordingError(f"{recording.path.name} cannot be played on: {verdict.reason}")
    scenario = book.scenario(recording.header)
    notes = noted_before(recording.notes, turn)
    setup = setup_of(recording.header, recording.turns[:turn], notes)
    roster = roster_of(setup, scenario, policies)
    actions = tuple(frame.action for frame in recording.frames[:turn])
    return Fork(recording, scenario, roster, actions, notes)
