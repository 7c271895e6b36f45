"""The state of a shift as its file has it: what was played and chosen so far."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.errors import ChaosOpsError
from chaosops.play.setup import SeatChoice, Setup
from chaosops.play.shifts.codes import MARATHON
from chaosops.play.shifts.results import FileName, ShiftResult
from chaosops.scenarios.carryover import Improvement

FORMAT: Final = 1
"""The version of the file's format."""


class ShiftState(BaseModel):
    """A shift so far.

    Attributes:
        incidents: How many it has.
        seats: Who sits where, as in the settings.
        playing: The recording of the incident that was begun; empty if none was.
        choices: What was improved before each incident after the first, as far as it was chosen.
        played: The results of the incidents that are over.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: Literal[1] = FORMAT
    code: Annotated[str, StringConstraints(min_length=1, max_length=80)]
    started_at_ms: Annotated[int, Field(ge=0, le=2**53)]
    incidents: Annotated[int, Field(ge=1, le=MARATHON)]
    seats: dict[AgentRole, str]
    shot_clock: Annotated[int, Field(ge=0, le=86_400)] = 0
    playing: FileName = ""
    choices: tuple[Improvement, ...] = ()
    played: tuple[ShiftResult, ...] = ()

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if set(self.seats) != set(TURN_ORDER):
            raise ValueError(f"seats: name each of {', '.join(role.value for role in TURN_ORDER)}")
        for role, word in self.seats.items():
            try:
                SeatChoice.of(word)
            except ChaosOpsError as error:
                raise ValueError(f"seats.{role.value}: {error}") from None
        if len(self.played) > self.incidents:
            raise ValueError(f"played: the shift has only {self.incidents} incidents")
        left = 100
        for number, result in enumerate(self.played):
            if result.budget > left:
                raise ValueError(f"played.{number}.budget: at most {left} was left before it")
            left = result.budget
        chosen, over = len(self.choices), len(self.played)
        most = min(over, self.incidents - 1)
        # An incident is begun once it was chosen what to improve before it.
        least = over if self.playing and not self.is_over else over - 1
        if not least <= chosen <= most:
            raise ValueError(f"choices: {max(0, least)} to {most} were made so far, not {chosen}")
        if self.playing and self.is_over:
            raise ValueError("playing: the shift is over")
        return self

    @property
    def budget(self) -> int:
        """What is left of the error budget, in percent."""
        return self.played[-1].budget if self.played else 100

    @property
    def is_over(self) -> bool:
        """Whether no incident follows: all were played, or the budget is spent."""
        return len(self.played) >= self.incidents or self.budget <= 0

    @property
    def must_choose(self) -> bool:
        """Whether it has to be chosen what is improved before the next incident."""
        return not self.is_over and len(self.choices) < len(self.played)

    @property
    def setup(self) -> Setup:
        """Who sits where, and the shot clock."""
        seats = {role: SeatChoice.of(self.seats[role]) for role in TURN_ORDER}
        return Setup(seats, self.shot_clock)

    def begun(self, recording: str) -> ShiftState:
        """Return the shift with its next incident begun."""
        return self._with(playing=recording)

    def given_up(self) -> ShiftState:
        """Return the shift without the incident that was begun, which starts over."""
        return self._with(playing="")

    def finished(self, result: ShiftResult) -> ShiftState:
        """Return the shift with an incident that is over."""
        return self._with(playing="", played=(*self.played, result))

    def improved(self, choice: Improvement) -> ShiftState:
        """Return the shift with what is improved before the next incident."""
        return self._with(choices=(*self.choices, choice))

    def _with(self, **changes: object) -> ShiftState:
        """Return a checked copy.

        Raises:
            pydantic.ValidationError: It would not hang together. It is a ValueError.
        """
        kept = {name: getattr(self, name) for name in type(self).model_fields}
        return ShiftState.model_validate({**kept, **changes})
