"""The coach's line above the board, in tutorial incidents."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from chaosops.play.coach import GOALS, Advice
from chaosops.play.formatting import MUTED, shown
from tui.keys.labels import filled

WAITING: Final = "Your teammates take their turns."
"""What the coach says until it is a person's turn again."""


class CoachLine(Vertical):
    """The next step with the keys that do it, and the goals with those that are reached.

    Attributes:
        advice: What is shown; None where nothing is.
    """

    EXPLAINED = (
        "The tutorial's coach. It sees what you see, and says what an experienced responder would "
        "do next. The marks are the usual steps of an incident; ● is done."
    )

    def __init__(self) -> None:
        super().__init__(id="coach")
        self.advice: Advice | None = None
        self.display = False

    def compose(self) -> ComposeResult:
        """The step, then the goals, which a short screen has no room for."""
        yield Static(id="coach-step", markup=False)
        yield Static(id="coach-goals", markup=False)

    def show(self, advice: Advice | None) -> None:
        """Take in an advice; None hides the line."""
        self.advice = advice
        self.display = advice is not None
        if advice is not None:
            said = advice._replace(text=filled(self, advice.text))
            line = self.query_one("#coach-step", Static)
            line.update(step_text(said, self._width))
            self.query_one("#coach-goals", Static).update(goals_text(said))

    @property
    def _width(self) -> int:
        """The width of its lines, also before it is laid out."""
        return max(0, self.screen.size.width - self.styles.gutter.width)

    def on_resize(self) -> None:
        """Lay the step out for the new width."""
        self.keys_changed()

    def wait(self) -> None:
        """Say that others decide: what was advised is of a turn that is over."""
        if self.advice is not None:
            self.show(self.advice._replace(opening="", text=WAITING, action=None, keys=()))

    def keys_changed(self) -> None:
        """Name the keys as they are now."""
        self.show(self.advice)


def step_text(advice: Advice, width: int = 0) -> Content:
    """What to do, and the keys that do it, which stay together in a line.

    Args:
        width: Of the lines; 0 if it isn't known yet.
    """
    said = shown(f"{advice.opening} {advice.text}".strip(), 900)
    text = Content.assemble(("Coach  ", "bold $accent"), said)
    if not advice.keys:
        return text
    keys = Content(" ").join(
        Content.styled(f" {_key_word(key)} ", "bold reverse") for key in advice.keys
    )
    keys = Content.assemble("Press ", keys)
    whole = Content.assemble(text, "  ", keys)
    if not width or keys.plain.strip() in whole.wrap(width)[-1].plain:
        return whole
    return Content.assemble(text, "\n", keys)


def goals_text(advice: Advice) -> Content:
    """The goals in a line, marked where they are reached."""
    return Content("  ").join(
        Content.styled(f"{'●' if done else '○'} {goal}", "bold" if done else MUTED)
        for goal, done in zip(GOALS, advice.reached, strict=True)
    )


def _key_word(key: str) -> str:
    return {"enter": "Enter", "type": "a text"}.get(key, key)
