"""Writes baselines into a page: by level, by incident, and the public incidents that are alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from chaosops.cli.baseline_files import incident_table, markdown_table
from chaosops.cli.insert import has_room, insert
from chaosops.evaluation.baselines.summary import BaselineSummary
from chaosops.play.formatting import in_words
from chaosops.scenarios.rendering import ScenarioSource

BY_LEVEL: Final = "baseline"
BY_INCIDENT: Final = "baseline-incidents"


def write_baseline(
    path: Path, summary: BaselineSummary, sources: Sequence[ScenarioSource], played: str
) -> None:
    """Insert the table by level, and that by incident if the page has its comments.

    Args:
        played: What was played, in a sentence.

    Raises:
        ChaosOpsError: The file can't be read or written, isn't text, or lacks the comments.
    """
    insert(path, BY_LEVEL, f"{markdown_table(summary.cells())}\n\n{played}")
    if has_room(path, BY_INCIDENT):
        public = "\n".join(public_incidents(sources))
        insert(path, BY_INCIDENT, f"{incident_table(summary.incidents())}\n\n{public}")


def public_incidents(sources: Sequence[ScenarioSource]) -> Iterator[str]:
    """Yield a line for each incident: its possible causes, each with a public incident like it."""
    for source in sources:
        drawing = source.drawing
        truths = [
            f"{in_words(cast.cause)}: {cast.same_kind or drawing.causes[cast.cause].same_kind}"
            for cast in drawing.situation.casts
        ]
        yield f"- `{source.id}`: {'; '.join(truths)}."
