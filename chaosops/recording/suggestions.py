"""The models of what a copilot offered in a turn, and of what the person took."""

from __future__ import annotations

from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from chaosops.env.models import EMPTY
from chaosops.recording.parts import Arguments, Label, Part, Text

MOST_OTHERS: Final = 2
"""How many candidates a suggestion has besides the first."""


class OtherCandidate(Part):
    """An action that a copilot offered besides its first choice."""

    action_type: Label = Field(description="The verb.")
    target: Label | None = Field(default=None, description="The target.")
    args: Arguments = Field(default=EMPTY, description="The arguments.")
    reason: Text = Field(default="", description="The policy's reason, in its own words.")


class Suggestion(Part):
    """What a copilot proposed, and what of it was done."""

    policy: Label = Field(description="The policy that made the suggestion.")
    action_type: Label = Field(description="The suggested verb.")
    target: Label | None = Field(default=None, description="The suggested target.")
    args: Arguments = Field(default=EMPTY, description="The suggested arguments.")
    reason: Text = Field(default="", description="The policy's reason, in its own words.")
    accepted: bool = Field(description="Whether the player did what was suggested.")
    others: tuple[OtherCandidate, ...] = Field(
        default=(),
        max_length=MOST_OTHERS,
        description="The other candidates, the better first; left out if there was one alone.",
    )
    taken: Annotated[int, Field(ge=1, le=1 + MOST_OTHERS)] | None = Field(
        default=None,
        description="Which of several candidates the player took, from 1 for the suggestion "
        "itself; left out if none, or if there was one alone.",
    )

    @model_validator(mode="after")
    def _is_one_of_them(self) -> Self:
        if self.taken is not None and not self.accepted:
            raise ValueError("a candidate was taken, but the suggestion was not accepted")
        if self.taken is not None and self.taken > len(self.candidates):
            raise ValueError(f"candidate {self.taken} was taken of {len(self.candidates)}")
        return self

    @property
    def candidates(self) -> tuple[OtherCandidate | Suggestion, ...]:
        """All that was offered, the best first."""
        return (self, *self.others)

    @property
    def followed(self) -> int | None:
        """The index of the candidate that was taken; None if none was."""
        if not self.accepted:
            return None
        return 0 if self.taken is None else self.taken - 1
