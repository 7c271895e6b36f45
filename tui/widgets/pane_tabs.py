"""The strip of tabs above the panes: names with counts, by key and by mouse."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tui.words import MUTED


class Tab(NamedTuple):
    """A pane's name, its title, and the count beside it."""

    name: str
    title: str
    number: int | None

    @property
    def label(self) -> str:
        """What the strip shows."""
        return self.title if self.number is None else f"{self.title} {self.number}"


class PaneTabs(Widget, can_focus=True):
    """Shows `tabs`, marks `current`, and posts `Chosen`."""

    EXPLAINED = "The panes of your role. Left and right choose one; so do [ and ] from anywhere."

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Previous", show=False, id="tabs.left", tooltip="Tab before"),
        Binding("right", "step(1)", "Next", show=False, id="tabs.right", tooltip="Next tab"),
    ]

    tabs: reactive[tuple[Tab, ...]] = reactive(())
    current: reactive[str] = reactive("")

    class Chosen(Message):
        """A tab was chosen."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def render(self) -> Content:
        """The labels, those that do not fit left out from the far end."""
        parts = [self._label(tab) for tab in self._visible()]
        return Content("│").join(parts) if parts else Content("")

    def _label(self, tab: Tab) -> Content:
        style = "bold reverse" if tab.name == self.current else MUTED
        return Content.styled(f" {tab.label} ", style)

    def _visible(self) -> list[Tab]:
        """The tabs from the first one that lets the current one fit."""
        tabs = list(self.tabs)
        names = [tab.name for tab in tabs]
        if self.current in names:
            while names.index(self.current) > 0 and self._end(tabs, self.current) > self.size.width:
                tabs.pop(0)
                names.pop(0)
        return tabs

    @staticmethod
    def _end(tabs: list[Tab], name: str) -> int:
        total = 0
        for tab in tabs:
            total += len(tab.label) + 3
            if tab.name == name:
                break
        return total - 1

    def action_step(self, by: int) -> None:
        """Choose the tab that many places on, around the end."""
        names = [tab.name for tab in self.tabs]
        if names:
            at = names.index(self.current) if self.current in names else 0
            self.post_message(self.Chosen(names[(at + by) % len(names)]))

    def on_click(self, event: Click) -> None:
        """Choose the tab under the pointer."""
        at = 0
        for tab in self._visible():
            width = len(tab.label) + 2
            if at <= event.x < at + width:
                self.post_message(self.Chosen(tab.name))
                return
            at += width + 1
