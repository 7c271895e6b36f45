"""Notices, and yes-or-no questions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from chaosops.play.formatting import MUTED, shown
from tui.keys.labels import filled, key_of
from tui.widgets.basic.remeasured import Remeasured

_Result = TypeVar("_Result")


class _Box(Remeasured, ModalScreen[_Result]):
    """A box with a heading and a text, over the screen below."""

    CSS_PATH = "../../styles/notice.tcss"
    KEYS: ClassVar[str] = ""

    def __init__(self, heading: str, text: str) -> None:
        super().__init__()
        self.title = heading
        self._heading, self._text = heading, text

    def compose(self) -> ComposeResult:
        """Compose the text and the clickable answers."""
        with Vertical(classes="box") as box:
            box.border_title = Content(shown(self._heading, 60))
            box.border_subtitle = Content(filled(self, self.KEYS))
            yield Static(Content(shown(self._text, 1_000)))
            yield from self.answers()

    def answers(self) -> Iterable[AnswerLine]:
        """Yield the clickable answers; none by default."""
        return ()


class NoticeScreen(_Box[None]):
    """A notice; any of the closing keys or a click closes it."""

    KEYS = "{notice.close} closes"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter,escape,space,q",
            "close",
            "Close",
            id="notice.close",
            tooltip="Back to the screen below",
        ),
    ]

    def action_close(self) -> None:
        """Return to the screen below."""
        self.app.pop_screen()

    def on_click(self) -> None:
        """Close it on a click."""
        self.action_close()


class QuestionScreen(_Box[bool]):
    """A yes-or-no question; anything but a yes is a no."""

    KEYS = "{question.yes} or {question.no}"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", id="question.yes", tooltip="Do it"),
        Binding(
            "n,escape,q,enter", "answer(False)", "No", id="question.no", tooltip="No, leave it"
        ),
    ]

    def answers(self) -> Iterable[AnswerLine]:
        """Yes and no."""
        yield AnswerLine(key_of(self, "question.yes"), "Yes, do it", True)
        yield AnswerLine(key_of(self, "question.no"), "No", False)

    def action_answer(self, yes: bool) -> None:
        """Close with this answer."""
        self.dismiss(yes)


class AnswerLine(Static):
    """A clickable answer."""

    def __init__(self, key: str, words: str, yes: bool) -> None:
        super().__init__(
            Content.assemble((f"{key}  ", "bold $accent"), (words, MUTED if not yes else ""))
        )
        self._yes = yes

    def on_click(self) -> None:
        """Give this answer."""
        screen = self.screen
        if isinstance(screen, QuestionScreen):
            screen.action_answer(self._yes)
