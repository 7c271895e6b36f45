"""Arranges the parts of a reading on as few pages as possible: in panes or in tabs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from chaosops.env.models import Status
from chaosops.env.models.readings import (
    Chart,
    Diff,
    LogView,
    Part,
    Statement,
    Table,
    TraceView,
)
from chaosops.play.formatting import MUTED, shown
from chaosops.play.plain_dialect import PLAIN
from chaosops.play.readings import KnownFinding, Looking
from tui.widgets.instruments.chart import ChartView
from tui.widgets.instruments.diff import SIDE_BY_SIDE_FROM, DiffView
from tui.widgets.instruments.log import LogPart
from tui.widgets.instruments.part_view import PartView, title_of
from tui.widgets.instruments.statement import StatementView
from tui.widgets.instruments.table import WHOLE_ROW, TableView, has_long_cell, table_width
from tui.widgets.instruments.trace import TraceWaterfall
from tui.widgets.panes.tabs import PaneTabs, Tab

TWO_COLUMNS_FROM: Final = 140
"""The width from which two parts are side by side."""
_FRAME: Final = 2
"""The lines of a part's border."""


class Room(NamedTuple):
    """The room that a part needs.

    Attributes:
        least: The least lines for sharing a page with others.
        most: The most lines that it can use.
    """

    least: int
    most: int


def room_for(part: Part, width: int) -> Room:
    """Return the lines that a part needs at a width, including its border."""
    if isinstance(part, Chart):
        rows = min(len(part.series), 4)
        return Room(14 + rows, 999)
    if isinstance(part, LogView):
        return Room(min(20, len(part.entries) + 4) + _FRAME, 999)
    if isinstance(part, TraceView):
        return Room(22, 999)
    if isinstance(part, Table):
        below = 0
        if table_width(part) > width - 4 or has_long_cell(part):
            below = WHOLE_ROW + 1
        return Room(
            min(len(part.rows), 12) + 1 + below + _FRAME, len(part.rows) + 1 + below + _FRAME
        )
    lines = len(part.lines) + (7 if isinstance(part, Diff) else 1)
    return Room(min(lines, 16) + _FRAME, lines + _FRAME)


class PartRow(NamedTuple):
    """Parts side by side, by number, and their height in lines."""

    parts: tuple[int, ...]
    height: int


def pages_for(parts: Sequence[Part], width: int, height: int) -> tuple[tuple[PartRow, ...], ...]:
    """Distribute the parts over pages, in their order; each page fills its height.

    A part that needs more than there is gets its own page.
    """
    across = 2 if width >= TWO_COLUMNS_FROM else 1
    wide = [_is_wide(part, width) for part in parts]
    rows: list[tuple[int, ...]] = []
    at = 0
    while at < len(parts):
        pair = across == 2 and at + 1 < len(parts) and not wide[at] and not wide[at + 1]
        rows.append((at, at + 1) if pair else (at,))
        at += len(rows[-1])
    pages: list[list[tuple[int, ...]]] = []
    used = 0
    for row in rows:
        least = max(room_for(parts[number], width // len(row)).least for number in row)
        if not pages or used + least > height:
            pages.append([])
            used = 0
        pages[-1].append(row)
        used += least
    return tuple(tuple(_spread(page, parts, width, max(1, height))) for page in pages)


def _is_wide(part: Part, width: int) -> bool:
    """Whether a part needs more than half of the width."""
    if isinstance(part, Table):
        return table_width(part) > width // 2 - 4
    return isinstance(part, TraceView) or (isinstance(part, Diff) and width < 2 * SIDE_BY_SIDE_FROM)


def _spread(
    page: Sequence[tuple[int, ...]], parts: Sequence[Part], width: int, height: int
) -> Iterator[PartRow]:
    """Give the rows of a page what they need, and the rest to those that can use it."""
    rooms = []
    for row in page:
        wanted = [room_for(parts[number], width // len(row)) for number in row]
        rooms.append(Room(max(w.least for w in wanted), max(w.most for w in wanted)))
    heights = [min(room.least, height) for room in rooms]
    left = height - sum(heights)
    while left > 0:
        open_rows = [i for i, room in enumerate(rooms) if heights[i] < room.most]
        if not open_rows:
            break
        for i in open_rows[:left]:
            heights[i] += 1
        left -= len(open_rows[:left])
    for row, lines in zip(page, heights, strict=True):
        yield PartRow(row, lines)


class Deck(Vertical):
    """Shows one finding's reading, part by part."""

    class Looked(Message):
        """Posted when other parts are in view, or something else of them."""

    def __init__(self, known: KnownFinding, status: Status) -> None:
        super().__init__()
        self.known, self._status = known, status
        reading = known.finding.reading
        self._parts: tuple[Part, ...] = () if reading is None else reading.parts
        self._views: list[PartView[Part]] = [view_of(part, status) for part in self._parts]
        self._pages: tuple[tuple[PartRow, ...], ...] = ()
        self._at = 0

    def compose(self) -> ComposeResult:
        """Compose the tabs and every part."""
        if len(self._views) > 1:
            yield PaneTabs(classes="deck-tabs")
        with Container(classes="deck-grid"):
            yield from self._views
        if not self._views:
            yield Static(
                Content.assemble(
                    shown(self.known.finding.text),
                    (_signs(self.known), MUTED),
                    ("\n\nThe instrument showed nothing else.", MUTED),
                ),
                classes="deck-nothing",
            )

    def on_mount(self) -> None:
        """Show the first part."""
        for view in self._views:
            view.display = False

    def on_resize(self, event: events.Resize) -> None:
        """Distribute the parts again."""
        tabs = 1 if len(self._views) > 1 else 0
        self._pages = pages_for(self._parts, event.size.width, event.size.height - tabs)
        self._arrange()

    @property
    def count(self) -> int:
        """The number of parts."""
        return len(self._views)

    @property
    def views(self) -> tuple[PartView[Part], ...]:
        """The parts in view."""
        return tuple(view for view in self._views if view.display)

    def looking(self) -> tuple[Looking, ...]:
        """Return what a person views now."""
        return tuple(view.looking() for view in self.views)

    def step(self, by: int) -> None:
        """Go to another page, wrapping around; where all parts are in view, to another part."""
        if len(self._pages) > 1:
            here = next(place for place, page in enumerate(self._pages) if _has(page, self._at))
            self.open(self._pages[(here + by) % len(self._pages)][0].parts[0])
        elif self._views:
            self.open((self._at + by) % len(self._views))

    def open(self, number: int) -> None:
        """Show a part, and focus it."""
        self._at = number
        self._arrange()
        self.focus_part()

    def focus_part(self) -> None:
        """Focus the current part."""
        if self._views:
            inner = next((w for w in self._views[self._at].query("*") if w.focusable), None)
            if inner is not None:
                inner.focus()

    def on_pane_tabs_chosen(self, message: PaneTabs.Chosen) -> None:
        """Show the pane of the chosen tab."""
        message.stop()
        self.open(int(message.name))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Make the focused part the current one."""
        widget: Widget | None = event.widget
        while widget is not None and widget not in self._views:
            parent = widget.parent
            widget = parent if isinstance(parent, Widget) else None
        if isinstance(widget, PartView) and self._views.index(widget) != self._at:
            self._at = self._views.index(widget)
            self._tell_tabs()

    def on_part_view_view_changed(self, message: PartView.ViewChanged) -> None:
        """Pass on the message."""
        message.stop()
        self.post_message(self.Looked())

    def _arrange(self) -> None:
        page = next((page for page in self._pages if _has(page, self._at)), ())
        in_view = {number for row in page for number in row.parts}
        grid = self.query_one(".deck-grid")
        alone = len(in_view) == 1
        grid.set_class(alone, "-alone")
        across = 2 if any(len(row.parts) == 2 for row in page) else 1
        grid.styles.grid_size_columns = across
        if page:
            grid.styles.grid_rows = " ".join(str(row.height) for row in page)
        for number, view in enumerate(self._views):
            view.display = number in in_view
            lone = any(row.parts == (number,) for row in page)
            view.styles.column_span = across if lone else 1
        for strip in self.query(PaneTabs):
            strip.display = len(in_view) < len(self._views)
        self._tell_tabs()
        self.post_message(self.Looked())

    def _tell_tabs(self) -> None:
        for strip in self.query(PaneTabs):
            strip.tabs = tuple(
                Tab(str(number), title_of(part), None) for number, part in enumerate(self._parts)
            )
            strip.current = str(self._at)


def _has(page: Sequence[PartRow], number: int) -> bool:
    return any(number in row.parts for row in page)


def _signs(known: KnownFinding) -> str:
    signs = PLAIN.signs(known.finding.signs)
    return f"  [{signs}]" if signs else ""


def view_of(part: Part, status: Status) -> PartView[Part]:
    """Make the view of a part."""
    made: PartView[Part]
    if isinstance(part, Chart):
        made = ChartView(part, status)  # type: ignore[assignment]
    elif isinstance(part, LogView):
        made = LogPart(part, status)  # type: ignore[assignment]
    elif isinstance(part, TraceView):
        made = TraceWaterfall(part, status)  # type: ignore[assignment]
    elif isinstance(part, Table):
        made = TableView(part, status)  # type: ignore[assignment]
    elif isinstance(part, Diff):
        made = DiffView(part, status)  # type: ignore[assignment]
    else:
        assert isinstance(part, Statement)
        made = StatementView(part, status)  # type: ignore[assignment]
    return made
