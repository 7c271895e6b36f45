"""The command palette: type a part of a command, and Enter runs the first match."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.fuzzy import Matcher
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from chaosops.play.formatting import MUTED, shown
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.outside import ClosedFromOutside
from tui.widgets.basic.remeasured import Remeasured


class PaletteScreen(ClosedFromOutside, Remeasured, ModalScreen[SystemCommand]):
    """An input and the matching commands, the best first; the result is the chosen one.

    The list always matches the input: an Enter that was typed ahead runs what it would have
    run a moment later.
    """

    CSS_PATH = "../../styles/screens.tcss"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", id="palette.close", tooltip="Close without a command"),
        Binding("down", "move(1)", "Next", show=False, id="palette.down", tooltip="Next command"),
        Binding(
            "up", "move(-1)", "Previous", show=False, id="palette.up", tooltip="Previous command"
        ),
        Binding(
            "pagedown", "page(1)", "Page down", show=False, id="palette.page_down", tooltip="Down"
        ),
        Binding("pageup", "page(-1)", "Page up", show=False, id="palette.page_up", tooltip="Up"),
    ]

    def __init__(self, commands: Iterable[SystemCommand], title: str = "Commands") -> None:
        """Create a palette of some commands, sorted by name at first."""
        super().__init__()
        self._commands = tuple(sorted(commands, key=lambda command: command.title))
        self._heading = title
        self._listed: tuple[SystemCommand, ...] = ()

    def compose(self) -> ComposeResult:
        """Compose the input and the list."""
        with Vertical(id="palette-box", classes="box") as box:
            box.border_title = Content(self._heading)
            box.border_subtitle = Content("type to search, Enter to run, escape to close")
            yield Input(placeholder="Search for commands", compact=True, id="palette-search")
            yield Menu(id="palette-list", markup=False, compact=True)

    def on_mount(self) -> None:
        """List everything."""
        self._list.can_focus = False
        self._fill("")
        self.query_one(Input).focus()

    @property
    def _list(self) -> OptionList:
        return self.query_one(OptionList)

    @on(Input.Changed)
    def _on_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill(event.value)

    def _fill(self, typed: str) -> None:
        wanted = typed.strip()
        self._listed = self._fitting(wanted) if wanted else self._commands
        self._list.set_options(map(_option, self._listed))
        if self._listed:
            self._list.highlighted = 0
        else:
            nothing = Content.styled(f"No command matches '{shown(wanted, 40)}'.", MUTED)
            self._list.add_option(Option(nothing, disabled=True))

    def _fitting(self, wanted: str) -> tuple[SystemCommand, ...]:
        match = Matcher(wanted).match
        begins = re.compile(rf"\b{re.escape(wanted)}", re.IGNORECASE).search
        scored = [
            (not begins(command.title), -match(command.title), command)
            for command in self._commands
        ]
        fitting = sorted((item for item in scored if item[1] < 0), key=lambda item: item[:2])
        return tuple(command for _, _, command in fitting)

    @on(Input.Submitted)
    def _on_entered(self, event: Input.Submitted) -> None:
        event.stop()
        at = self._list.highlighted
        if at is not None and at < len(self._listed):
            self.dismiss(self._listed[at])

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if event.option_index < len(self._listed):
            self.dismiss(self._listed[event.option_index])

    def action_close(self) -> None:
        """Close without running anything."""
        self.dismiss(None)

    def action_move(self, by: int) -> None:
        """Highlight the next or the previous command."""
        if by > 0:
            self._list.action_cursor_down()
        else:
            self._list.action_cursor_up()

    def action_page(self, by: int) -> None:
        """Highlight the command a page down or up."""
        if self._listed:
            listing: Any = self._list
            listing.action_page_down() if by > 0 else listing.action_page_up()


def _option(command: SystemCommand) -> Option:
    lines = [Content.styled(shown(command.title, 80), "bold")]
    if command.help:
        lines.append(Content.styled(shown(command.help, 120), MUTED))
    return Option(Content("\n").join(lines))
