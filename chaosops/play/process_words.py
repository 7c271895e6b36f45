"""Process figures in words, for the debrief."""

from __future__ import annotations

from collections.abc import Iterator

from chaosops.evaluation.process_figures import ProcessFigures


def process_words(figures: ProcessFigures) -> Iterator[str]:
    """Yield a sentence for each figure that there is."""
    if figures.grounded is not None:
        yield (
            "Grounded diagnosis: someone had seen a reading that supports it."
            if figures.grounded
            else "Ungrounded diagnosis: nobody had seen a reading that supports it."
        )
    if figures.coverage is not None:
        yield f"Telling readings taken: {figures.coverage:.0%}."
    redundant = f", {figures.redundant_looks} redundant" if figures.redundant_looks else ""
    yield f"Investigations: {figures.looks}{redundant}."
    if figures.time_to_ease is not None:
        yield f"Time to ease: {figures.time_to_ease} min."
    if figures.time_to_diagnose is not None:
        yield f"Time to the right diagnosis: {figures.time_to_diagnose} min."
