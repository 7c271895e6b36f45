"""Process figures in words, for the debrief."""

from __future__ import annotations

from collections.abc import Iterator

from chaosops.evaluation.process_figures import ProcessFigures


def process_words(figures: ProcessFigures) -> Iterator[str]:
    """Yield a sentence for each figure that there is."""
    if figures.grounded is not None:
        yield (
            "Grounded diagnosis: one of its telling looks had been taken before it."
            if figures.grounded
            else "Ungrounded diagnosis: none of its telling looks had been taken before it."
        )
    if figures.coverage is not None:
        yield f"Telling looks taken by the end: {figures.coverage * 100:.0f} %."
    redundant = f", {figures.redundant_looks} redundant" if figures.redundant_looks else ""
    yield f"Investigations: {figures.looks}{redundant}."
    if figures.time_to_ease is not None:
        yield (
            f"Failures had halved, or the objective was met, {figures.time_to_ease} min after the "
            "page and after something had landed."
        )
    if figures.time_to_diagnose is not None:
        yield f"Time to the right diagnosis: {figures.time_to_diagnose} min."
