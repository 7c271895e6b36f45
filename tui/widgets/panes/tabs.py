"""The strip of tabs above the panes: names with counts, by key and by mouse."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from chaosops.play.formatting import MUTED


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

    EXPLAINED = (
        "The panes of your role. Left and right choose one; so do Previous pane and "
        "Next pane from anywhere. ‹2 and 3› say how many more there are on that side."
    )

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
        """The labels that fit around the current one, and how many more there are on each side."""
        seen = self._visible()
        parts = [self._label(tab) for tab in seen.tabs]
        before, after = seen.marks
        return Content.assemble((before, MUTED), Content("│").join(parts), (after, MUTED))

    def _label(self, tab: Tab) -> Content:
        style = "bold reverse" if tab.name == self.current else MUTED
        return Content.styled(f" {tab.label} ", style)

    def _visible(self) -> _Visible:
        """The tabs from the first one that lets the current one fit."""
        names = [tab.name for tab in self.tabs]
        at = names.index(self.current) if self.current in names else 0
        for start in range(at):
            seen = _from(self.tabs, start, self.size.width)
            if start + len(seen.tabs) > at:
                return seen
        return _from(self.tabs, at, self.size.width)

    def action_step(self, by: int) -> None:
        """Choose the tab that many places on, around the end."""
        names = [tab.name for tab in self.tabs]
        if names:
            at = names.index(self.current) if self.current in names else 0
            self.post_message(self.Chosen(names[(at + by) % len(names)]))

    def on_click(self, event: Click) -> None:
        """Choose the tab under the pointer; on a count of more, the next one on that side."""
        seen = self._visible()
        first = seen.before
        at = self.gutter.left + len(seen.marks[0])
        if event.x < at and first:
            self.post_message(self.Chosen(self.tabs[first - 1].name))
            return
        for tab in seen.tabs:
            at += len(tab.label) + 3
            if event.x < at - 1:
                self.post_message(self.Chosen(tab.name))
                return
        if seen.after and event.x >= at - 1:
            self.post_message(self.Chosen(self.tabs[first + len(seen.tabs)].name))


class _Visible(NamedTuple):
    """The tabs that are shown, and how many are not, before and after them."""

    before: int
    tabs: tuple[Tab, ...]
    after: int

    @property
    def marks(self) -> tuple[str, str]:
        """What stands for those that are not shown."""
        return f"‹{self.before} " if self.before else "", f" {self.after}›" if self.after else ""


def _from(tabs: tuple[Tab, ...], start: int, width: int) -> _Visible:
    """As many tabs as fit from one on, and at least that one."""
    rest = tabs[start:]
    for count in range(len(rest), 1, -1):
        seen = _Visible(start, rest[:count], len(rest) - count)
        cells = sum(len(tab.label) + 3 for tab in seen.tabs) - 1
        if cells + sum(len(mark) for mark in seen.marks) <= width:
            return seen
    return _Visible(start, rest[:1], max(0, len(rest) - 1))
