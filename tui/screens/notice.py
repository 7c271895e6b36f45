"""A box with something to know, or a question with a yes and a no."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.words import MUTED, shown


class NoticeScreen(ModalScreen[None]):
    """Something to know; any of the closing keys, or a click, leaves it."""

    CSS_PATH = "../styles/notice.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter,escape,space,q", "close", "Close", id="notice.close", tooltip="Back to where"
        ),
    ]

    def __init__(self, heading: str, text: str) -> None:
        super().__init__()
        self.title = heading
        self._heading, self._text = heading, text

    def compose(self) -> ComposeResult:
        """The text."""
        with Vertical(classes="box") as box:
            box.border_title = Content(shown(self._heading, 60))
            box.border_subtitle = Content("enter closes")
            yield Static(Content(shown(self._text, 1_000)))

    def action_close(self) -> None:
        """Back to the screen below."""
        self.app.pop_screen()

    def on_click(self) -> None:
        """A click closes it too."""
        self.action_close()


class QuestionScreen(ModalScreen[bool]):
    """A question that nothing but a yes answers with yes."""

    CSS_PATH = "../styles/notice.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", id="question.yes", tooltip="Do it"),
        Binding(
            "n,escape,q,enter", "answer(False)", "No", id="question.no", tooltip="Leave it as it is"
        ),
    ]

    def __init__(self, heading: str, text: str) -> None:
        super().__init__()
        self.title = heading
        self._heading, self._text = heading, text

    def compose(self) -> ComposeResult:
        """The question, and two answers that can be clicked."""
        with Vertical(classes="box") as box:
            box.border_title = Content(shown(self._heading, 60))
            box.border_subtitle = Content("y or n")
            yield Static(Content(shown(self._text, 1_000)))
            yield Answer("y", "Yes, do it", True)
            yield Answer("n", "No", False)

    def action_answer(self, yes: bool) -> None:
        """Answer."""
        self.dismiss(yes)


class Answer(Static):
    """An answer to click."""

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
