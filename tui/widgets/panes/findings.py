"""The findings pane: what this role's own investigations showed, and what teammates shared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message

from chaosops.env.models import RoleView, Status
from chaosops.play.cells import CellPlace
from chaosops.play.formatting import MUTED
from chaosops.play.readings import KnownFinding, known_findings
from tui.widgets.basic.lines import Row
from tui.widgets.panes.laid_out import Layout
from tui.widgets.panes.pane import Pane


class FindingsPane(Pane):
    """Findings, oldest first; one of them is highlighted, the newest at first."""

    NAME = "findings"
    TITLE = "Findings"
    IS_TALK = True
    NOTHING = "No findings yet. The results of your investigations appear here, for you only."
    TERMS = ("hypothesis", "root cause")
    EXPLAINED = (
        "What your investigations found, and when. Only you see a finding until you share it; "
        "findings that teammates shared with you are below your own. Select one as in a list, and "
        "Enter or a click opens it: charts, logs, traces and tables as the instrument showed them."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "up",
            "move(-1)",
            "Previous finding",
            show=False,
            id="findings.up",
            tooltip="Previous finding",
        ),
        Binding(
            "down",
            "move(1)",
            "Next finding",
            show=False,
            id="findings.down",
            tooltip="Next finding",
        ),
        Binding(
            "enter",
            "open",
            "Open finding",
            id="findings.open",
            tooltip="Open the finding's instrument",
        ),
    ]

    class Opened(Message):
        """A finding is to be shown with what the instrument showed."""

        def __init__(self, known: tuple[KnownFinding, ...], at: int, status: Status) -> None:
            super().__init__()
            self.known, self.at, self.status = known, at, status

    def __init__(self) -> None:
        super().__init__()
        self._known: tuple[KnownFinding, ...] = ()
        self._at: int | None = None

    @classmethod
    def count(cls, view: RoleView) -> int | None:
        """Findings so far."""
        return len(known_findings(view))

    @property
    def highlighted(self) -> int | None:
        """The place of the highlighted finding; None where there is none."""
        if not self._known:
            return None
        last = len(self._known) - 1
        return last if self._at is None else min(self._at, last)

    @property
    def is_selectable(self) -> bool:
        """Whether there is a finding to open."""
        return bool(self._known)

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """Time, where it was looked, text and signs."""
        rows = [_LAYOUT.row(known.entry(view.status)) for known in known_findings(view)]
        at = self.highlighted
        if at is not None and self.has_focus:
            rows[at] = Row(rows[at].content.stylize("reverse"), rows[at].indent)
        return rows

    def show(self, view: RoleView) -> None:
        """Take in a view, with the findings that can be opened."""
        self._known = known_findings(view)
        super().show(view)

    def clear(self) -> None:
        """Hide what was shown; the next role begins at its newest finding."""
        self._at = None
        super().clear()
        self._known = ()

    def commands(self) -> Iterator[SystemCommand]:
        """The highlighted finding too."""
        yield from super().commands()
        if self._known:
            yield SystemCommand("Open finding", "Show the newest finding", self.action_open)

    def on_focus(self) -> None:
        """Show which finding is highlighted."""
        self._fill()

    def on_blur(self) -> None:
        """Show none."""
        self._fill()

    def action_move(self, by: int) -> None:
        """Highlight another finding; past the newest, follow the game again."""
        at = self.highlighted
        if at is None:
            return
        self._at = None if at + by >= len(self._known) - 1 else max(0, at + by)
        self._fill()
        self.scroll_to_row(self.highlighted or 0)

    def action_open(self) -> None:
        """Open the highlighted finding."""
        if self.highlighted is not None and self._view is not None:
            self.post_message(self.Opened(self._known, self.highlighted, self._view.status))

    def on_click(self, event: Click) -> None:
        """Open the finding under the pointer."""
        row = self.row_at(event.y - self.gutter.top)
        if row is not None and row < len(self._known):
            self._at = row
            self._fill()
            self.action_open()


_LAYOUT: Final = Layout(
    head=(CellPlace("time", after=" ", style=MUTED),),
    body=(
        CellPlace("sender", after="'s ", style="bold"),
        CellPlace("target", style="bold", limit=40),
        CellPlace("source", " ", ": ", style="bold"),
        CellPlace("text"),
        CellPlace("signs", "  [", "]", style=MUTED),
    ),
    without=("number", "who"),
)
