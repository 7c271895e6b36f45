"""What a person looked at in instruments, as the human part of a turn has it."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import Field

from chaosops.recording.parts import FREE_TEXT, Count, Duration, GrownPart, Label, Minute
from chaosops.recording.times import Millis

MAX_LOOKS: Final = 64
"""The most looks at instruments that a turn has; who opens more has the last ones left out."""


class InstrumentLook(GrownPart):
    """What a person looked at in what an instrument showed: a part of a finding.

    Where something was changed while it was in view, the last of it counts.
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
        description="The finding's place among the role's own, from 0; left out where a teammate "
        "shared it.",
    )
    source: Label = Field(description="What was looked into, such as metrics.")
    target: Label = Field(description="Of which service or agent.")
    taken_at: Minute = Field(description="When that was, in minutes from the page.")
    part: Label = Field(description="What kind of part of it, such as chart.")
    title: Label = Field(description="What the part is called.")
    opened_at_ms: Millis = Field(description="When it came into view.")
    in_view_ms: Duration = Field(description="How long it was in view, pauses left out.")
    window: Count | None = Field(default=None, description="Minutes of a chart that were shown.")
    cursor: Minute | None = Field(
        default=None,
        description="The minute from the page whose values were read; left out for the newest.",
    )
    chosen: Label | None = Field(
        default=None, description="The series, the request or the row that was highlighted."
    )
    level: Label | None = Field(
        default=None, description="The least grave level of a log that was shown."
    )
    instance: Label | None = Field(default=None, description="The instance whose lines were shown.")
    template: Label | None = Field(default=None, description="The template whose lines were shown.")
    words: Label | None = Field(
        default=None,
        description="What the player searched the log for.",
        json_schema_extra=dict(FREE_TEXT),
    )
    sorted_by: Label | None = Field(
        default=None, description="The column that a table was sorted by."
    )
    descending: bool | None = Field(default=None, description="Whether the highest was first.")
    first_row: Count | None = Field(
        default=None, description="The first row in view, from 0, of those that were shown."
    )
    last_row: Count | None = Field(default=None, description="The last row in view.")
