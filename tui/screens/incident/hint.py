"""Offers hints at three levels, with their costs."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from chaosops.play.formatting import MUTED, shown, signed
from chaosops.play.session import Session
from tui.keys.labels import key_of
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.outside import ClosedFromOutside
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.key_guard import is_drawn

_KEYS = {1: "hint.nudge", 2: "hint.way", 3: "hint.answer"}
_NAMES = {1: "A nudge", 2: "The direction", 3: "The answer"}


class HintScreen(ClosedFromOutside, Remeasured, ModalScreen[None]):
    """Choosing a level takes the hint; its cost is part of the next action's reward."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,h,q", "dismiss", "Close", id="hint.close", tooltip="Back to the game"),
        Binding("1", "take(1)", "Nudge", show=False, id="hint.nudge", tooltip="Take level 1"),
        Binding("2", "take(2)", "Direction", show=False, id="hint.way", tooltip="Take level 2"),
        Binding("3", "take(3)", "Answer", show=False, id="hint.answer", tooltip="Take level 3"),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def compose(self) -> ComposeResult:
        """Compose the levels with their costs, and the text of a hint."""
        with Vertical(id="hint-box", classes="box") as box:
            box.border_title = Content("Hint")
            box.border_subtitle = Content(f"{key_of(self, 'hint.close')} closes")
            yield Menu(id="hint-list", markup=False, compact=True)
            yield Static(
                Content.styled("The cost is part of your next action's reward.", MUTED),
                id="hint-text",
            )

    def on_mount(self) -> None:
        """Fill the list; nothing is highlighted, so that an accidental Enter takes nothing."""
        self._fill()
        taken = self._session.hints.taken
        if taken:
            self.action_take(max(taken))
        self.query_one(OptionList).focus()

    def action_take(self, level: int) -> None:
        """Take a hint and show it, unless its cost is not visible."""
        is_taken = level in self._session.hints.taken
        if not is_taken and not is_drawn(self.query_one(OptionList)):
            return
        self._session.timing.touched()
        text = self._session.hints.read(level)
        self._fill()
        self.query_one("#hint-text", Static).update(Content(shown(text, 4_000)))

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_take(int(event.option_id or "1"))

    def _fill(self) -> None:
        taken = self._session.hints.taken
        options = []
        for level, price in self._session.hints.costs().items():
            note = "taken" if level in taken else signed(price)
            label = Content.assemble(
                (f" {key_of(self, _KEYS[level])}  ", "bold"),
                _NAMES[level].ljust(16),
                (note.rjust(6), "bold"),
            )
            options.append(Option(label, id=str(level)))
        listing = self.query_one(OptionList)
        listing.set_options(options)
        listing.highlighted = None
