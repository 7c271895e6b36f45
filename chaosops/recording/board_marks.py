"""What a person marked on the case board, as in the human part of a turn."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from chaosops.recording.parts import Label, Minute, Part

MAX_MARKS: Final = 200
"""The most changes of the board in a turn; later ones are left out."""

MAX_PINS: Final = 9
"""The most readings that are pinned to a cause."""


class PinnedReading(Part):
    """A finding that speaks for a mark."""

    source: Label = Field(description="The source, such as metrics.")
    target: Label = Field(description="The service or agent.")
    taken_at: Minute = Field(description="When it was investigated, in minutes from the page.")


class BoardMark(Part):
    """What was on the board for a cause at a service after a change in this turn."""

    service: Label = Field(description="The service that the cause may be at.")
    cause: Label = Field(description="The cause, as a diagnosis names it.")
    mark: Literal["+", "-", "?"] | None = Field(
        description="Speaks for it, speaks against it, or open; null if the mark was taken back."
    )
    pins: tuple[PinnedReading, ...] = Field(
        default=(), max_length=MAX_PINS, description="The readings pinned to it."
    )
