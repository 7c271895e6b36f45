"""Readings as text: shortened for prompts and exports, in full for people."""

from __future__ import annotations

from typing import Final

from chaosops.env.models import Status
from chaosops.env.models.readings import Chart, Diff, LogView, Part, Reading, Table, TraceView
from chaosops.text.dialect import Dialect
from chaosops.text.readings.changes import diff_facts, statement_facts
from chaosops.text.readings.charts import chart_facts, series_line
from chaosops.text.readings.facts import PartFacts, fitted
from chaosops.text.readings.logs import (
    LEVELS,
    TemplateCount,
    entry_line,
    level_rank,
    log_facts,
    template_counts,
)
from chaosops.text.readings.shape import Shape, shape_of
from chaosops.text.readings.tables import cell_text, heading, table_facts
from chaosops.text.readings.traces import (
    duration,
    longest_first,
    trace_facts,
    trace_lines,
    trace_status,
)

READING_CHARACTERS: Final = 1_500
"""The most characters of a reading in a prompt or an export."""

__all__ = [
    "LEVELS",
    "READING_CHARACTERS",
    "PartFacts",
    "Shape",
    "TemplateCount",
    "cell_text",
    "duration",
    "entry_line",
    "heading",
    "level_rank",
    "longest_first",
    "part_facts",
    "reading_texts",
    "series_line",
    "shape_of",
    "template_counts",
    "trace_lines",
    "trace_status",
]


def part_facts(part: Part, status: Status, dialect: Dialect) -> PartFacts:
    """Return a part of a reading as facts, all of them."""
    if isinstance(part, Chart):
        return chart_facts(part, status, dialect)
    if isinstance(part, LogView):
        return log_facts(part, status, dialect)
    if isinstance(part, TraceView):
        return trace_facts(part, status, dialect)
    if isinstance(part, Table):
        return table_facts(part, dialect)
    if isinstance(part, Diff):
        return diff_facts(part, status, dialect)
    return statement_facts(part)


def reading_texts(
    reading: Reading, status: Status, dialect: Dialect, *, room: int = READING_CHARACTERS
) -> tuple[str, ...]:
    """Return a reading as a line per part, in a limited number of characters.

    What doesn't fit is counted. Parts get equal shares of the room.
    """
    parts = [part_facts(part, status, dialect) for part in reading.parts]
    return tuple(part.text() for part in fitted(parts, room))
