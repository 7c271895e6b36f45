"""Asks once whether recordings may be used."""

from __future__ import annotations

from typing import ClassVar, Final, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from chaosops.errors import RecordingError
from chaosops.play.formatting import MUTED
from chaosops.recording.consent import INTRODUCTION, WORDS, Agreement, ConsentStore
from chaosops.recording.events import ConsentScope
from tui.keys.labels import key_of
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.remeasured import Remeasured


class _Answer(NamedTuple):
    """An answer with the id of its binding."""

    binding: str
    name: str
    text: str
    scopes: tuple[ConsentScope, ...]


_ANSWERS: Final = (
    _Answer("consent.actions", "Yes. ", WORDS[ConsentScope.ACTIONS], (ConsentScope.ACTIONS,)),
    _Answer(
        "consent.words",
        "Yes, both. ",
        f"That, and {WORDS[ConsentScope.FREE_TEXT][:1].lower()}{WORDS[ConsentScope.FREE_TEXT][1:]}",
        (ConsentScope.ACTIONS, ConsentScope.FREE_TEXT),
    ),
    _Answer("consent.no", "No. ", "The game is the same. The settings can change this later.", ()),
)

_ROOMY_HEIGHT: Final = 24


class ConsentScreen(Remeasured, ModalScreen[Agreement | None]):
    """Saves the answer, and returns the agreement: None if there is none.

    Nothing is highlighted at first, so that an accidental Enter agrees to nothing.
    """

    # Textual's own focus would scroll to the answers.
    AUTO_FOCUS = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("1", "answer(0)", "Actions", id="consent.actions", tooltip="Agree to your actions"),
        Binding(
            "2", "answer(1)", "And words", id="consent.words", tooltip="Agree to your words too"
        ),
        Binding("3", "answer(2)", "No", id="consent.no", tooltip="Don't agree"),
        Binding(
            "escape",
            "close",
            "Close",
            id="consent.close",
            tooltip="The first time, a no; later, all stays as it is",
        ),
    ]

    def __init__(self, store: ConsentStore, *, changes: bool = False) -> None:
        """Create the question.

        Args:
            changes: Whether the player has answered before and reviews the answer.
        """
        super().__init__()
        self._changes = changes
        self.title = "Your data"
        self._store = store

    def compose(self) -> ComposeResult:
        """Compose the text and three answers."""
        with Vertical(id="consent-box", classes="box") as box:
            box.border_title = Content("May your games be used?")
            box.border_subtitle = Content(
                f"{key_of(self, 'consent.actions')}, {key_of(self, 'consent.words')} or "
                f"{key_of(self, 'consent.no')}; asked once"
            )
            yield Static(Content(INTRODUCTION))
            yield Menu(id="consent-list", markup=False)

    def on_mount(self) -> None:
        """Show the answers."""
        listing = self.query_one(OptionList)
        listing.set_options(
            Option(
                Content.assemble(
                    (f"{key_of(self, answer.binding)}  {answer.name}", "bold"), (answer.text, MUTED)
                )
            )
            for answer in _ANSWERS
        )
        listing.highlighted = None
        # People should start to read at the top, however small the screen is.
        listing.focus(scroll_visible=False)

    def on_resize(self, event: events.Resize) -> None:
        """Leave out blank lines where there are few."""
        self.set_class(event.size.height < _ROOMY_HEIGHT, "-short")

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Scroll the answers into view."""
        event.stop()
        self.query_one("#consent-box").scroll_end(animate=False)

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_answer(event.option_index)

    def action_close(self) -> None:
        """Leave without an answer, which counts as a no unless there is an earlier one."""
        if self._changes:
            self.dismiss(None)
        else:
            self.action_answer(len(_ANSWERS) - 1)

    def action_answer(self, which: int) -> None:
        """Save an answer."""
        scopes = _ANSWERS[which].scopes
        agreement: Agreement | None = None
        try:
            if scopes:
                agreement = self._store.give(scopes)
            else:
                self._store.decline()
        except RecordingError as error:
            self.app.notify(f"Your answer was not saved: {error}", severity="warning")
        self.dismiss(agreement)
