"""A table that can be sorted by any column, with the highlighted row in full below it."""

from __future__ import annotations

from typing import ClassVar, Final

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.coordinate import Coordinate
from textual.widgets import DataTable, Static

from chaosops.env.models import Status
from chaosops.env.models.readings import Cell, Column, Table
from chaosops.play.formatting import MUTED, shown
from chaosops.play.readings import Looking, Sorting, sorted_rows
from chaosops.text.readings import cell_text, heading
from tui.widgets.instruments.part_view import PartView

WHOLE_ROW: Final = 5
"""The most lines of the row below the table, its border included."""
WIDEST: Final = 44
"""The most cells of a column; longer text is truncated, and shown in full below the table."""


class Grid(DataTable[Text]):
    """The grid of the table. A cell is text, never markup."""


class TableView(PartView[Table]):
    """Shows rows; a click on a header sorts by it."""

    TITLE = "Table"
    EXPLAINED = (
        "The instrument's rows, with units in the header; - is an empty cell. Left and right "
        "select a column. Sort (or a click on the header) sorts by it, and a second time in the "
        "other direction; Unsorted restores the original order. The highlighted row is shown in "
        "full below, since long cells are cut off."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "s",
            "sort",
            "Sort",
            id="table.sort",
            tooltip="Sort by the column of the cursor; again for the other direction",
        ),
        Binding(
            "o",
            "as_read",
            "Unsorted",
            id="table.as_read",
            tooltip="The instrument's own order",
        ),
        Binding(
            "ctrl+y",
            "copy",
            "Copy table",
            show=False,
            id="table.copy",
            tooltip="Copy the rows as they are sorted",
        ),
    ]

    def __init__(self, part: Table, status: Status) -> None:
        super().__init__(part, status)
        self.sorting: Sorting | None = None

    def compose(self) -> ComposeResult:
        """Compose the grid, and one row in full."""
        yield Grid(classes="part-body", zebra_stripes=False, cursor_type="cell", cell_padding=1)
        yield Static(classes="table-row", markup=False)

    def on_mount(self) -> None:
        """Show the rows as they were read."""
        self._fill()

    def looking(self) -> Looking:
        """Return the sorting and the rows in view."""
        grid = self.query_one(Grid)
        by = self.sorting
        top = int(grid.scroll_offset.y)
        last = min(len(self.part.rows), top + max(0, grid.size.height - 1)) - 1
        row = self._row()
        return Looking(
            "table",
            self.part.title,
            chosen=None if row is None or not row else cell_text(row[0]),
            sorted_by=None if by is None else self.part.columns[by.column].name,
            descending=None if by is None else by.descending,
            rows=(top, last) if last >= top else None,
        )

    def text(self) -> str:
        """Return the sorted rows as text."""
        shown_table = sorted_rows(self.part, self.sorting)
        lines = [" | ".join(heading(column) for column in shown_table.columns)]
        lines += [" | ".join(cell_text(cell) for cell in row) for row in shown_table.rows]
        return "\n".join(shown(line) for line in (self.part.title, *lines))

    def action_sort(self) -> None:
        """Sort by the column of the cursor: the highest first, then the lowest."""
        self.sort_by(self.query_one(Grid).cursor_column)

    def action_as_read(self) -> None:
        """Restore the order of the reading."""
        self.sorting = None
        self._fill()

    def sort_by(self, column: int) -> None:
        """Sort by a column: numbers in descending order, text in ascending order; then reversed."""
        if not 0 <= column < len(self.part.columns):
            return
        now = self.sorting
        if now is not None and now.column == column:
            self.sorting = Sorting(column, not now.descending)
        else:
            self.sorting = Sorting(column, _is_number(self.part, column))
        self._fill()

    @on(DataTable.CellSelected)
    def _on_chosen(self, event: DataTable.CellSelected) -> None:
        event.stop()

    @on(DataTable.HeaderSelected)
    def _on_header(self, event: DataTable.HeaderSelected) -> None:
        event.stop()
        self.sort_by(event.column_index)

    @on(DataTable.CellHighlighted)
    def _on_moved(self, event: DataTable.CellHighlighted) -> None:
        event.stop()
        self._tell_row()
        self.tell()

    def _fill(self) -> None:
        grid = self.query_one(Grid)
        at = grid.cursor_coordinate
        grid.clear(columns=True)
        table = sorted_rows(self.part, self.sorting)
        numbers = [_is_number(table, place) for place in range(len(table.columns))]
        for place, column in enumerate(table.columns):
            grid.add_column(self._heading(place, column, is_number=numbers[place]))
        for row in table.rows:
            padded = (*row, *[None] * len(table.columns))[: len(table.columns)]
            grid.add_row(
                *(_cell(cell, is_number=numbers[place]) for place, cell in enumerate(padded))
            )
        if table.rows and table.columns:
            last = Coordinate(len(table.rows) - 1, len(table.columns) - 1)
            grid.cursor_coordinate = Coordinate(min(at.row, last.row), min(at.column, last.column))
        self._tell_row()
        self.tell()

    def _heading(self, place: int, column: Column, *, is_number: bool) -> Text:
        sign = ""
        if self.sorting is not None and self.sorting.column == place:
            sign = " ▼" if self.sorting.descending else " ▲"
        text = f"{shown(heading(column), WIDEST)}{sign}"
        return Text(text, style="bold" if sign else "", justify="right" if is_number else "left")

    def _row(self) -> tuple[Cell, ...] | None:
        rows = sorted_rows(self.part, self.sorting).rows
        at = self.query_one(Grid).cursor_row
        return rows[at] if 0 <= at < len(rows) else None

    def on_resize(self, event: events.Resize) -> None:
        """Hide the row below the table if every cell is shown in full."""
        is_cut = table_width(self.part) > event.size.width - 2 or has_long_cell(self.part)
        self.query_one(".table-row").display = is_cut or not self.part.rows

    def _tell_row(self) -> None:
        row = self._row()
        told = Content("")
        if row is None:
            told = Content.styled("No rows.", MUTED) if not self.part.rows else told
        else:
            pairs = zip(self.part.columns, row, strict=False)
            for column, cell in pairs:
                gap = "   " if told.cell_length else ""
                value = f"{cell_text(cell)} {column.unit}".rstrip() if cell is not None else "-"
                told = Content.assemble(
                    told, gap, (f"{shown(column.name, 60)} ", MUTED), shown(value, 400)
                )
        self.query_one(".table-row", Static).update(told)


def table_width(table: Table) -> int:
    """Return the width of all columns in cells."""
    widths = [
        max(
            min(WIDEST, cell_len(shown(text)))
            for text in (
                heading(column),
                *(cell_text(row[place]) for row in table.rows if place < len(row)),
            )
        )
        for place, column in enumerate(table.columns)
    ]
    return sum(widths) + 2 * len(widths)


def has_long_cell(table: Table) -> bool:
    """Whether a cell is cut however wide the table is."""
    return any(cell_len(shown(cell_text(cell))) > WIDEST for row in table.rows for cell in row)


def _is_number(table: Table, column: int) -> bool:
    """Whether a column has only numbers, apart from empty cells."""
    cells = [row[column] for row in table.rows if column < len(row) and row[column] is not None]
    return bool(cells) and not any(isinstance(cell, str) for cell in cells)


def _cell(cell: Cell, *, is_number: bool) -> Text:
    text = shown(cell_text(cell), WIDEST)
    return Text(text, justify="right" if is_number else "left", no_wrap=True)
