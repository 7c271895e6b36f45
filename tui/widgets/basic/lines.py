"""A scrolling list of styled lines that wraps to any width and renders only what is in view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Resize
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual
from textual.widget import Widget

_NARROWEST_TEXT = 16


class Row(NamedTuple):
    """One entry.

    Attributes:
        indent: Where its second and later lines begin when it wraps.
        subject: The service or agent that it is about; empty if there is none.
    """

    content: Content
    indent: int = 0
    subject: str = ""


class Lines(ScrollView, can_focus=True):
    """Rows of `Content`. A view that follows stays at its end until someone scrolls it up.

    The scrollbar's place is reserved: rows are wrapped for a width, and a list that
    got narrower when it appeared would cut off their last words.
    """

    DEFAULT_CSS = """
    Lines {
        scrollbar-gutter: stable;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", "Up", show=False, id="lines.up", tooltip="One line up"),
        Binding("down", "scroll_down", "Down", show=False, id="lines.down", tooltip="A line down"),
        Binding("pageup", "page_up", "Page up", show=False, id="lines.page_up", tooltip="Page up"),
        Binding(
            "pagedown", "page_down", "Page down", show=False, id="lines.page_down", tooltip="Page"
        ),
        Binding("home", "scroll_home", "Top", show=False, id="lines.top", tooltip="First line"),
        Binding("end", "scroll_end", "End", show=False, id="lines.end", tooltip="Last line"),
        Binding(
            "ctrl+y",
            "copy",
            "Copy",
            show=False,
            id="list.copy",
            tooltip="Copy this list; in the reward log, the highlighted turn",
        ),
    ]

    def __init__(self, name: str | None, *, classes: str = "pane") -> None:
        super().__init__(id=name, classes=classes)
        self._rows: tuple[Row, ...] = ()
        self._follows = False
        self._at_end = True
        self._wrapped: list[Content] = []
        self._wrapped_width = 0
        self._wraps: dict[int, tuple[Row, list[Content]]] = {}
        self._strips: dict[tuple[int, int], Strip] = {}
        self._shown_at: int | None = None

    @property
    def plain(self) -> str:
        """All rows as plain text, one per line."""
        return "\n".join(row.content.plain for row in self._rows)

    @property
    def rows_in_view(self) -> tuple[int, int] | None:
        """The first and the last row that is partly in view; None if none is."""
        top = self.scroll_offset.y
        shown = [
            row
            for row, first in enumerate(self._firsts())
            if first < top + self.size.height and first + len(self._lines_of(row)) > top
        ]
        return (shown[0], shown[-1]) if shown else None

    def row_at(self, y: int) -> int | None:
        """Return the row at a line of the widget, without borders."""
        wanted = y + self.scroll_offset.y
        for row, first in enumerate(self._firsts()):
            if first <= wanted < first + len(self._lines_of(row)):
                return row
        return None

    def scroll_to_row(self, row: int) -> None:
        """Scroll a row into view, to the middle if it wasn't."""
        firsts = list(self._firsts())
        if not 0 <= row < len(firsts):
            return
        first, last = firsts[row], firsts[row] + len(self._lines_of(row))
        top, height = self.scroll_offset.y, self.size.height
        if first < top or last > top + height:
            self.scroll_to(y=max(0, first - height // 2), animate=False, force=True)

    def _firsts(self) -> Iterator[int]:
        """Yield the line at which each row begins."""
        at = 0
        for row in range(len(self._rows)):
            yield at
            at += len(self._lines_of(row))

    def _lines_at(self, row: int) -> range:
        """Return the lines of a row."""
        first = next((at for place, at in enumerate(self._firsts()) if place == row), 0)
        return range(first, first + len(self._lines_of(row)))

    def highlight(self, row: int | None) -> None:
        """Show one row on the colour of the accent, or none."""
        if row != self._shown_at:
            self._shown_at = row
            self._strips.clear()
            self.refresh()

    def _lines_of(self, row: int) -> list[Content]:
        found = self._wraps.get(id(self._rows[row]))
        return [] if found is None else found[1]

    def action_copy(self) -> None:
        """Copy what is listed."""
        self.copy(self.plain)

    def copy(self, text: str) -> None:
        """Copy a text to the clipboard, and show a notice."""
        self.app.copy_to_clipboard(text)
        lines = text.count("\n") + 1
        what = "a line" if lines == 1 else f"{lines} lines"
        self.notify(f"Copied {what}, if the terminal allows it.", markup=False)

    def rows_at(self, width: int) -> Sequence[Row]:
        """Return the rows at a width in cells, for panes whose rows depend on it."""
        return self._rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines at a width, whatever the previous width was.

        A layout based on the previous width would depend on the order of events.
        """
        room = max(0, width - self.scrollbar_gutter.width)
        if room == self._wrapped_width:
            return len(self._wrapped)
        return sum(len(wrap_row(row, room)) for row in self.rows_at(room)) if room else 0

    def set_rows(self, rows: Sequence[Row], *, follow: bool = False) -> None:
        """Replace what is shown.

        Args:
            follow: Go to the end, unless someone has scrolled away from it.
        """
        self._follows = follow
        old, new = self._rows, tuple(rows)
        shared = _shared(old, new)
        # Equal rows keep their object, which is the key of their wrapped lines.
        self._rows = (*old[:shared], *new[shared:])
        if shared == len(old) == len(self._rows):
            return
        self._wrap(shared if shared == len(old) else 0)
        self._follow()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Remember whether the end is in view, which a hidden or tiny list can't tell later."""
        super().watch_scroll_y(old_value, new_value)
        self._at_end = new_value >= self.max_scroll_y

    def _follow(self) -> None:
        # A hidden list has no size, and would scroll when it appears, before its layout.
        if self._follows and self._at_end and self.size:
            self.call_after_refresh(self._to_end)

    def _to_end(self) -> None:
        self.scroll_end(animate=False, force=True, x_axis=False)

    def _wrap(self, kept: int = 0) -> None:
        width = self.scrollable_content_region.width
        if width != self._wrapped_width:
            kept, self._wrapped_width = 0, width
            self._wraps = {}
        if not kept:
            self._wrapped = []
            known, self._wraps = self._wraps, {}
        else:
            known = {}
        if width > 0:
            for row in self._rows[kept:]:
                wrap = known.get(id(row)) or (row, wrap_row(row, width))
                self._wraps[id(row)] = wrap
                self._wrapped += wrap[1]
        self._strips.clear()
        self.virtual_size = Size(width, len(self._wrapped))
        self.refresh()

    def action_scroll_end(self) -> None:
        """Go to the end at once, so that the list follows new rows."""
        self._to_end()

    def on_show(self) -> None:
        """Update to what came while it was hidden."""
        self._fit()

    def on_resize(self, event: Resize) -> None:
        """Wrap again if the width changed, and keep the newest line in view."""
        self._fit()

    def _fit(self) -> None:
        if self.scrollable_content_region.width != self._wrapped_width:
            self.width_changed()
            self._wrap()
        self._follow()

    def width_changed(self) -> None:
        """Hook for panes whose rows depend on the width."""

    def notify_style_update(self) -> None:
        """Drop what was rendered in other colours."""
        self._strips.clear()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        """Render a line of the widget."""
        index = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        key = (index, width)
        strip = self._strips.get(key)
        if strip is None:
            style = self.visual_style
            if 0 <= index < len(self._wrapped) and width > 0:
                line = self._wrapped[index]
                if self._shown_at is not None and index in self._lines_at(self._shown_at):
                    line = line.pad_right(max(0, width - line.cell_length))
                    line = line.stylize(chosen_style(self))
                made = Visual.to_strips(self, line, width, 1, style)
                strip = made[0] if made else Strip.blank(width, style.rich_style)
                strip = strip.adjust_cell_length(width, style.rich_style)
            else:
                strip = Strip([Segment(" " * width, style.rich_style)], width)
            if len(self._strips) > 2_000:
                self._strips.clear()
            self._strips[key] = strip
        return strip


def chosen_style(widget: Widget) -> str:
    """Return the style of a highlighted row, in which its own colours stay readable."""
    return "bold reverse" if widget.app.no_color else "bold on $accent 25%"


def _shared(old: tuple[Row, ...], new: tuple[Row, ...]) -> int:
    """Count how many rows at the beginning are the same, styles included."""
    for i, (a, b) in enumerate(zip(old, new, strict=False)):
        if a is not b and (a.indent != b.indent or not a.content.is_same(b.content)):
            return i
    return min(len(old), len(new))


def wrap_row(row: Row, width: int) -> list[Content]:
    """Wrap a row to lines of at most `width` cells."""
    content = row.content
    if content.cell_length <= width and "\n" not in content.plain:
        return [content]
    indent = row.indent if width - row.indent >= _NARROWEST_TEXT else 0
    if not indent:
        return content.wrap(width)
    head, rest = content[:indent], content[indent:]
    lines = rest.wrap(max(1, width - indent))
    blank = Content(" " * indent)
    return [(head if i == 0 else blank) + line for i, line in enumerate(lines)]
