"""A played incident as its post-mortem reads it, from a recording or from a game just played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import AgentRole, ChaosOpsObservation, RoleView, Status
from chaosops.env.world_sim import Scenario
from chaosops.errors import RecordingError
from chaosops.play.follow_ups import FollowUp, follow_ups
from chaosops.play.replay_model import oddities, replay_of
from chaosops.play.session import Session
from chaosops.recording.reader import Recording, read_recording
from chaosops.recording.recorded_scenario import NoScenario, OtherScenario, ScenarioBook
from chaosops.recording.turn_sources import Decider
from chaosops.recording.verify import Failed, Verification
from chaosops.recording.versions import other_engine
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.schema import FaultSpec


class PlayedIncident(NamedTuple):
    """A played incident.

    Attributes:
        last: What was seen after the last turn; None if only the frames are known.
        scenario: The truth; None if it is not known here.
        seats: Who played each role.
        people: The roles that people played.
        late: The turns that passed because time ran out.
        hints: The hints that were read.
        caveats: What a reader has to know about the source, a sentence each.
    """

    steps: tuple[EpisodeStep, ...]
    last: ChaosOpsObservation | None
    scenario: Scenario | None
    label: str
    seats: Mapping[AgentRole, str]
    people: frozenset[AgentRole]
    late: frozenset[int]
    hints: int
    caveats: tuple[str, ...] = ()

    @property
    def views(self) -> list[RoleView]:
        """What was seen, turn by turn, the last minute included if it is known."""
        seen = [step.observation.view for step in self.steps]
        return seen if self.last is None else [*seen, self.last.view]

    @property
    def status(self) -> Status:
        """The newest status."""
        return self.views[-1].status

    @property
    def resolved(self) -> bool:
        """Whether the incident was resolved."""
        return bool(self.steps) and self.steps[-1].breakdown.resolved_bonus > 0

    @property
    def finished(self) -> bool:
        """Whether the episode ran to its end."""
        return bool(self.steps) and self.steps[-1].done

    @property
    def cause(self) -> Cause | None:
        """The cause that the seed drew; None if it isn't known."""
        return None if self.scenario is None else self.scenario.incident.drawn.cause

    @property
    def followed(self) -> tuple[FollowUp, ...]:
        """The causes that followed the first one, and those that could have."""
        return () if self.scenario is None else follow_ups(self.scenario, self.views)

    @property
    def causes(self) -> tuple[tuple[Cause, str], ...]:
        """The causes that began, each with its place, the first one first."""
        if self.scenario is None:
            return ()
        incident = self.scenario.incident
        later = zip(incident.followers, self.followed, strict=True)
        return (
            (incident.drawn.cause, incident.drawn.place),
            *((each.cause, each.place) for each, told in later if told.minute is not None),
        )

    @property
    def faults(self) -> tuple[tuple[FaultSpec, int], ...]:
        """The faults that began, each with its minute; none if the truth isn't known."""
        if self.scenario is None:
            return ()
        begun = {each.id: each.minute for each in self.followed}
        found = []
        for fault in self.scenario.incident.faults:
            starts = begun.get(fault.id, fault.starts)
            if starts is not None:
                found.append((fault, starts))
        return tuple(found)

    @property
    def places(self) -> tuple[str, ...]:
        """The services with a cause; those that a diagnosis named if the truth isn't known."""
        if self.scenario is None:
            named = [made.place for made in self.views[-1].diagnoses]
        else:
            named = [fault.place for fault, _ in self.faults]
        return tuple(dict.fromkeys(filter(None, named)))

    @property
    def onset(self) -> int | None:
        """The minute in which the cause began, from the page; None if it isn't known."""
        return min((starts for _, starts in self.faults), default=None)

    def was_refused(self, number: int) -> bool:
        """Whether the action of a turn was malformed, and cost the turn."""
        if number + 1 < len(self.steps):
            return self.steps[number + 1].observation.refused
        return self.last is not None and self.last.refused


def played_recording(path: Path, folders: Sequence[Path] = ()) -> PlayedIncident:
    """Read a recording of either edition, and simulate it again if this engine wrote it.

    Raises:
        RecordingError: It can't be read, is no recording, or has no turns.
    """
    recording = read_recording(path)
    if not recording.turns:
        raise RecordingError(
            f"{path}: no turn was played in it, so there is nothing to write about; "
            "choose another recording"
        )
    caveats = list(oddities(recording))
    scenario, trouble = _scenario(recording, folders)
    last = None
    if trouble:
        caveats.append(trouble)
    elif not other_engine(recording.header):
        last, trouble = _after(path, folders)
        caveats += [trouble] if trouble else []
    seating = replay_of(recording).seating
    header = recording.header
    humans = [turn.human for turn in recording.turns]
    return PlayedIncident(
        recording.frames,
        last,
        scenario,
        f"{header.current_scenario}, seed {header.seed}",
        seating.words,
        seating.people,
        frozenset(k for k, part in enumerate(humans) if part.source is Decider.TIMEOUT),
        sum(len(part.hints) for part in humans),
        tuple(dict.fromkeys(caveats)),
    )


def played_session(session: Session) -> PlayedIncident:
    """Take a game that was just played."""
    seating = session.roster.seating()
    return PlayedIncident(
        tuple(session.steps),
        session.observation,
        session.scenario,
        f"{session.scenario.id}, seed {session.scenario.seed}",
        seating.words,
        seating.people,
        session.late,
        sum(len(part.hints) for part in session.humans),
    )


def _scenario(recording: Recording, folders: Sequence[Path]) -> tuple[Scenario | None, str]:
    """Return the scenario, or why the truth isn't known."""
    try:
        scenario = ScenarioBook(folders).scenario(recording.header)
    except NoScenario:
        why = "its scenario is not here: name its folder with --scenarios DIR"
    except OtherScenario:
        why = "its scenario has changed since"
    else:
        if not other_engine(recording.header):
            return scenario, ""
        why = "another engine may draw another cause from the seed"
    return None, f"the cause and what judged each order are left out, because {why}"


def _after(path: Path, folders: Sequence[Path]) -> tuple[ChaosOpsObservation | None, str]:
    """Simulate a recording again; return what is seen after its last turn, or why not."""
    check = Verification(path, ScenarioBook(folders))
    try:
        for _turn in check.turns():
            pass
    except Failed as failure:
        return None, f"this recording does not verify ({failure})"
    return check.stepper.observation, ""
