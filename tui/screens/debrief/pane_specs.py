"""The panes of the debrief: their names, titles and tooltips."""

from __future__ import annotations

from typing import Final, NamedTuple


class PaneSpec(NamedTuple):
    """A pane, and what its tooltip says."""

    name: str
    title: str
    tooltip: str


PANES: Final = (
    PaneSpec(
        "sums",
        "Score",
        "The total of each component from zero to the score, the stars, and what deeds cost.",
    ),
    PaneSpec(
        "lesson", "Lesson", "The cause and how it usually goes, what can mislead, and the lesson."
    ),
    PaneSpec(
        "timeline",
        "Timeline",
        (
            "Everything that happened, on one timeline. ▸ marks your turns, including those that "
            "passed because time ran out; ✖ a fault starts, ! an alert, ↓ an action lands, "
            "≈ availability falls below the objective or recovers, · an act of the automation. "
            "Teammates' passes are left out."
        ),
    ),
    PaneSpec(
        "evidence",
        "Evidence",
        (
            "Every fact there was to find: where, who could investigate it, from when, and when "
            "someone did. Facts that point to the cause come first."
        ),
    ),
    PaneSpec(
        "expert",
        "Expert",
        (
            "Your game beside the expert in every seat on the same seed, then what each of your "
            "turns cost: how much less experts in every seat can make after it than before it, and "
            "never less than your game made. The costs of all turns, teammates' too, add up to "
            "what the score is below the expert's."
        ),
    ),
)
LEFT: Final = ("sums", "lesson")
"""The panes at the left of a roomy screen."""
