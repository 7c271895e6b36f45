"""A recorded game, taken up again at one of its turns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from chaosops.env.models import TURN_ORDER, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from chaosops.errors import RecordingError
from chaosops.recording.events import Note, Player, noted_before
from chaosops.recording.exports.privacy import people_in
from chaosops.recording.origin import ScenarioBook
from chaosops.recording.reader import Recording
from chaosops.recording.verify import verify
from tui.crew import Crew
from tui.setup import crew_of, setup_of


class Fork(NamedTuple):
    """What a session needs to go on from a turn: the actions and the notes before it."""

    origin: Recording
    scenario: Scenario
    crew: Crew
    replayed: tuple[ChaosOpsAction, ...]
    notes: tuple[Note, ...] = ()

    def player(self, now: Player | None) -> Player | None:
        """Who agrees to the use of the fork: who plays `now`, as far as the origin's player did.

        What the origin's player did and said is in the fork too. Where that was somebody else, or
        nobody who agreed, nobody agrees to the whole.
        """
        header = self.origin.header
        parts = ((turn.frame.role, turn.human) for turn in self.origin.turns)
        if now is None or not people_in(header, parts):
            return now
        if header.consent is None or header.pseudonym != now.pseudonym:
            return None
        scopes = tuple(scope for scope in now.consent.scopes if scope in header.consent.scopes)
        return now._replace(consent=now.consent.model_copy(update={"scopes": scopes}))


def fork_of(recording: Recording, turn: int, folders: tuple[Path, ...] = ()) -> Fork:
    """A recorded game up to a turn, with the seats that it had.

    Args:
        turn: The first one to be played, counted from 0.
        folders: Where scenarios are, besides the built-in set.

    Raises:
        RecordingError: The game is not what would be played here: another version of it, or a
            file that was changed.
    """
    book = ScenarioBook(folders)
    verdict = verify(recording.path, book=book)
    if not verdict.ok:
        raise RecordingError(f"{recording.path.name} cannot be played on: {verdict.reason}")
    scenario = book.scenario(recording.header)
    rounds = recording.header.max_turns // len(TURN_ORDER)
    if rounds != scenario.max_steps:
        scenario = replace(scenario, max_steps=max(1, rounds))
    notes = noted_before(recording.notes, turn)
    crew = crew_of(setup_of(recording.header, recording.turns[:turn], notes), scenario)
    actions = tuple(frame.action for frame in recording.frames[:turn])
    return Fork(recording, scenario, crew, actions, notes)
