"""A shift in progress: which incident comes next, with what it takes over, and what it came to."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError, RecordingError
from chaosops.evaluation.proven_seeds import ProvenSeeds, shipped_seeds
from chaosops.files import is_file
from chaosops.play.formatting import shown
from chaosops.play.setup import Setup
from chaosops.play.shifts.codes import ShiftPlan, code_of, plan_of
from chaosops.play.shifts.drawing import DrawnIncident, drawn
from chaosops.play.shifts.files import new_path, read_shift, write_shift
from chaosops.play.shifts.results import ShiftResult, result_of_recording, result_of_resumed
from chaosops.play.shifts.state import ShiftState
from chaosops.recording.folders import default_folder
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import Resumed, reopen
from chaosops.recording.times import now_ms
from chaosops.scenarios.carryover import Carryover, Improvement, matters
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.problems import shown_path

if TYPE_CHECKING:
    from chaosops.recording.events import Header

SHARE: Final = 60
"""What an incident adds to a shift's error budget, in percent of what it has by itself."""


@dataclass(slots=True)
class Shift:
    """A shift, saved after each step.

    Attributes:
        path: Its file.
        incidents: What was drawn.
        state: What was played and chosen so far.
    """

    path: Path
    incidents: tuple[DrawnIncident, ...]
    state: ShiftState
    _scenarios: dict[int, Scenario] = field(default_factory=dict, repr=False)

    @classmethod
    def new(
        cls, plan: ShiftPlan, setup: Setup, recordings: Path, proven: ProvenSeeds | None = None
    ) -> Shift:
        """Begin a shift, and save it.

        Args:
            recordings: The folder for its recordings and its file.
            proven: What it is drawn from; by default the shipped ones.

        Raises:
            ChaosOpsError: It can't be drawn, or not be saved.
        """
        seeds = proven or shipped_seeds()
        incidents = drawn(plan, seeds)
        state = ShiftState(
            code=code_of(plan, seeds),
            started_at_ms=now_ms(),
            incidents=plan.incidents,
            seats={role: seat.word for role, seat in setup.seats.items()},
            shot_clock=setup.shot_clock,
        )
        made = cls(new_path(recordings), incidents, state)
        write_shift(made.path, state)
        return made

    @classmethod
    def reopened(cls, path: Path, proven: ProvenSeeds | None = None) -> Shift:
        """Continue a shift from its file.

        Raises:
            ShiftFileError: The file can't be read, or is none.
            ShiftCodeError: It was begun with another version.
        """
        seeds = proven or shipped_seeds()
        state = read_shift(path)
        plan = plan_of(state.code, seeds)
        if plan.incidents != state.incidents:
            raise ChaosOpsError(
                f"{shown_path(path)}: incidents: {state.incidents}, but its code stands for "
                f"{plan.incidents}; correct it, or remove the file to begin another shift"
            )
        return cls(path, drawn(plan, seeds), state)

    @property
    def recordings(self) -> Path:
        """The folder of its recordings."""
        return self.path.parent.parent

    @property
    def number(self) -> int:
        """The number of the next incident, from 0; of all incidents once the shift is over."""
        return len(self.state.played)

    @property
    def worth(self) -> int:
        """Its error budget, in percent of what one incident has by itself."""
        return SHARE * len(self.incidents)

    def plain_scenario(self, number: int) -> Scenario:
        """Return an incident without what it takes over; its file is read once.

        Raises:
            ProvenSeedsError: Its seed was proven on another version of it.
            ChaosOpsError: It can't be loaded.
        """
        if number not in self._scenarios:
            incident = self.incidents[number]
            source = open_scenario(incident.situation.id)
            incident.situation.require(source)
            self._scenarios[number] = Scenario.of(source, incident.seed)
        return self._scenarios[number]

    def scenario(self) -> Scenario:
        """Return the next incident, with what it takes over; see `plain_scenario`."""
        number = self.number
        choice = self.state.choices[number - 1] if number else None
        carried = Carryover(budget=self.state.budget, worth=self.worth, improvement=choice)
        return self.plain_scenario(number).carrying(carried)

    def helps(self) -> Mapping[Improvement, bool]:
        """Return for each improvement whether it changes anything in the next incident."""
        scenario = self.plain_scenario(self.number)
        return {one: matters(one, scenario.topology, scenario.incident) for one in Improvement}

    def choose(self, choice: Improvement) -> None:
        """Choose what is improved before the next incident."""
        self._save(self.state.improved(choice))

    def begin(self, recording: Path | None) -> None:
        """Note that the next incident has begun."""
        if recording is not None:
            self._save(self.state.begun(recording.name))

    def finish(self, result: ShiftResult) -> None:
        """Note what the incident came to."""
        self._save(self.state.finished(result))

    def take_up(self) -> Resumed | None:
        """Return the incident that was begun and not finished; None if there is none.

        One that was finished elsewhere is noted as such, and one whose recording is gone starts
        over.

        Raises:
            RecordingError: It can't be continued; removing the file starts it over.
        """
        name = self.state.playing
        if not name:
            return None
        path = self.recordings / name
        if not is_file(path):
            self._save(self.state.given_up())
            return None
        try:
            recording = read_recording(path)
            self._require(recording.header)
            if recording.footer is not None:
                self.finish(result_of_recording(path))
                return None
            resumed = reopen(path)
        except RecordingError as error:
            raise RecordingError(
                f"{error}; or remove {shown_path(path)} to start this incident over"
            ) from error
        if resumed.stepper.done:
            self.finish(result_of_resumed(resumed))
            return None
        return resumed

    def _require(self, header: Header) -> None:
        """Check that a recording is of the incident that was begun."""
        expected = self.scenario()
        mine = (expected.id, expected.seed, expected.content_hash, expected.carryover)
        there = (
            header.current_scenario,
            header.seed,
            header.scenario_sha256,
            header.carryover,
        )
        if mine != there:
            raise RecordingError(
                f"{shown_path(self.path)}: playing: that recording is not incident "
                f"{self.number + 1} of the shift; name the right one"
            )

    def _save(self, state: ShiftState) -> None:
        self.state = state
        write_shift(self.path, state)


def command_of(shift: Shift, *, plain: bool = False) -> str:
    """Return the command that continues a shift."""
    words = ["chaosops shift", shift.state.code]
    if shift.recordings != default_folder():
        words += ["--recordings", shown(shlex.quote(str(shift.recordings)), 1_000)]
    return " ".join([*words, *(["--plain"] if plain else [])])
