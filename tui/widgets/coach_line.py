"""The coach's line above the board, in tutorial incidents."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from tui.coach import GOALS, Advice
from tui.words import MUTED, shown


class CoachLine(Static):
    """The goals with those that are reached, the next step, and the keys that do it.

    Attributes:
        advice: What is shown; None where nothing is.
    """

    EXPLAINED = (
        "The coach of the tutorial. It sees what you see, and says what an experienced responder "
        "would do next. The marks are the usual steps of an incident: ● is done."
    )

    def __init__(self) -> None:
        super().__init__(id="coach", markup=False)
        self.advice: Advice | None = None
        self.display = False

    def show(self, advice: Advice | None) -> None:
        """Take in an advice; None hides the line."""
        self.advice = advice
        self.display = advice is not None
        if advice is not None:
            self.update(coach_text(advice))


def coach_text(advice: Advice) -> Content:
    """The advice in two or three lines."""
    goals = Content("  ").join(
        Content.styled(f"{'●' if done else '○'} {goal}", "bold" if done else MUTED)
        for goal, done in zip(GOALS, advice.reached, strict=True)
    )
    said = f"{advice.opening} {advice.text}".strip()
    parts = [Content.assemble(("Coach  ", "bold $accent"), goals), Content(shown(said, 900))]
    if advice.keys:
        keys = Content(" ").join(
            Content.styled(f" {_key_word(key)} ", "bold reverse") for key in advice.keys
        )
        parts[-1] = Content.assemble(parts[-1], "  Press ", keys)
    return Content("\n").join(parts)


def _key_word(key: str) -> str:
    return {"enter": "Enter", "type": "a text"}.get(key, key)
