"""What an incident of a shift came to, seat by seat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.env.models import TURN_ORDER, AgentRole, RoleView
from chaosops.env.world_sim import Scenario
from chaosops.play.earned_stars import StarredGame, names_of, stars_of
from chaosops.play.turn_glyphs import TurnGlyph, glyphs_of
from chaosops.recording.events import HumanPart
from chaosops.recording.parts import StarName
from chaosops.recording.recorded_scenario import ScenarioBook
from chaosops.recording.resume import Resumed
from chaosops.recording.turn_sources import Decider
from chaosops.recording.verify import Verification

FileName = Annotated[str, StringConstraints(pattern=r"^[^/\\\x00-\x1f]{0,200}$")]
"""The name of a recording in its folder; empty if there is none."""

_GLYPHS = "".join(TurnGlyph)


class ShiftResult(BaseModel):
    """The result of an incident of a shift.

    Attributes:
        recording: The name of its file; empty if it was not recorded.
        minutes: Turns of the four roles.
        budget: What it left of the shift's error budget, in percent.
        stars: The stars of each seat that people played.
        glyphs: See `glyphs_of`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    recording: FileName
    resolved: bool
    minutes: Annotated[int, Field(ge=0, le=10_000)]
    score: Annotated[float, Field(ge=-1e6, le=1e6)]
    budget: Annotated[int, Field(ge=0, le=100)]
    stars: dict[AgentRole, tuple[StarName, ...]]
    glyphs: Annotated[str, StringConstraints(pattern=f"^[{_GLYPHS}]*$", max_length=1_000)]

    @property
    def all_stars(self) -> frozenset[StarName]:
        """The stars that any seat earned."""
        return frozenset(name for names in self.stars.values() for name in names)


def result_of_game(game: StarredGame, recording: Path | None) -> ShiftResult:
    """Return the result of a finished game."""
    last = game.observation.view
    return _result(game.scenario, game.steps, game.humans, last, recording)


def result_of_resumed(resumed: Resumed) -> ShiftResult:
    """Return the result of a game that only lacked its footer."""
    humans = [turn.human for turn in resumed.recording.turns]
    return _result_after(resumed.stepper, humans, resumed.recording.path)


def result_of_recording(path: Path) -> ShiftResult:
    """Return the result of a finished recording, which is simulated again.

    Raises:
        RecordingError: It doesn't verify.
    """
    check = Verification(path, ScenarioBook())
    humans = [human for _frame, human in check.turns()]
    return _result_after(check.stepper, humans, path)


def _result_after(stepper: Stepper, humans: Sequence[HumanPart], path: Path) -> ShiftResult:
    return _result(stepper.scenario, stepper.steps, humans, stepper.observation.view, path)


def _result(
    scenario: Scenario,
    steps: Sequence[EpisodeStep],
    humans: Sequence[HumanPart],
    last: RoleView,
    recording: Path | None,
) -> ShiftResult:
    own = _own_turns(humans)
    return ShiftResult(
        recording="" if recording is None else recording.name,
        resolved=bool(steps) and steps[-1].breakdown.resolved_bonus > 0.0,
        minutes=len(steps),
        score=sum(step.reward for step in steps),
        budget=last.status.budget,
        stars=_stars(scenario, steps, last, own),
        glyphs=glyphs_of(steps, last, own),
    )


def _own_turns(humans: Sequence[HumanPart]) -> frozenset[int]:
    """Return the turns in people's seats, also those that a program took through a pipe."""
    people = (Decider.HUMAN, Decider.COPILOT, Decider.TIMEOUT)
    return frozenset(
        turn
        for turn, part in enumerate(humans)
        if part.source in people or (part.source is Decider.LLM and part.policy is None)
    )


def _stars(
    scenario: Scenario, steps: Sequence[EpisodeStep], last: RoleView, own: frozenset[int]
) -> dict[AgentRole, tuple[StarName, ...]]:
    seats: dict[AgentRole, set[int]] = {}
    for step in steps:
        if step.turn in own:
            seats.setdefault(step.role, set()).add(step.turn)
    return {
        role: names_of(stars_of(scenario, steps, last, seats[role])) or ()
        for role in TURN_ORDER
        if role in seats
    }
