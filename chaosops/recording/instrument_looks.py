"""What a person viewed in instruments, as in the human part of a turn."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import Field

from chaosops.recording.parts import FREE_TEXT, Count, Duration, GrownPart, Label, Minute
from chaosops.recording.times import Millis

MAX_LOOKS: Final = 64
"""The most views of instruments in a turn; later ones are left out."""


class InstrumentLook(GrownPart):
    """A part of a finding that a person viewed.

    If the person changed how it was shown, the last state counts.
    """

    LATER: ClassVar[frozenset[str]] = frozenset(
        {
            "finding",
            "window",
            "cursor",
            "chosen",
            "level",
            "instance",
            "template",
            "words",
            "sorted_by",
            "descending",
            "first_row",
            "last_row",
        }
    )

    finding: Count | None = Field(
        default=None,
        description="Index among the role's findings, from 0; left out if a teammate shared it.",
    )
    source: Label = Field(description="The source, such as metrics.")
    target: Label = Field(description="The service or agent.")
    taken_at: Minute = Field(description="When it was investigated, in minutes from the page.")
    part: Label = Field(description="The kind of part that was opened, such as chart.")
    title: Label = Field(description="The part's title.")
    opened_at_ms: Millis = Field(description="When it was opened.")
    in_view_ms: Duration = Field(description="How long it was visible, without pauses.")
    window: Count | None = Field(default=None, description="Minutes shown in the chart.")
    cursor: Minute | None = Field(
        default=None,
        description="The chart minute at the cursor, from the page; left out for the newest.",
    )
    chosen: Label | None = Field(default=None, description="The selected series, request or row.")
    level: Label | None = Field(default=None, description="The lowest log level shown.")
    instance: Label | None = Field(
        default=None, description="The instance that the log was filtered by."
    )
    template: Label | None = Field(
        default=None, description="The template that the log was filtered by."
    )
    words: Label | None = Field(
        default=None,
        description="The player's search in the log.",
        json_schema_extra=dict(FREE_TEXT),
    )
    sorted_by: Label | None = Field(
        default=None, description="The column that the table was sorted by."
    )
    descending: bool | None = Field(default=None, description="Whether the order was descending.")
    first_row: Count | None = Field(default=None, description="The first visible row, from 0.")
    last_row: Count | None = Field(default=None, description="The last visible row.")
