"""Tables as text."""

from __future__ import annotations

from chaosops.env.models.readings import Cell, Column, Table
from chaosops.text.dialect import Dialect
from chaosops.text.figures import number
from chaosops.text.readings.facts import PartFacts


def table_facts(table: Table, dialect: Dialect) -> PartFacts:
    """Return a line per row; if the dialect names cells, with the column before each cell."""
    names = [heading(column) for column in table.columns]
    if dialect.names_cells:
        lines = (_named(row, table.columns) for row in table.rows)
        title = table.title
    else:
        lines = (" | ".join(cell_text(cell) for cell in row) for row in table.rows)
        title = f"{table.title} ({' | '.join(names)})"
    return PartFacts(title, tuple(lines), "rows")


def heading(column: Column) -> str:
    """Return a column's name with its unit."""
    return f"{column.name} {column.unit}".rstrip()


def cell_text(cell: Cell) -> str:
    """Format a cell; a dash if there is nothing to show."""
    if cell is None:
        return "-"
    return cell if isinstance(cell, str) else number(cell)


def _named(row: tuple[Cell, ...], columns: tuple[Column, ...]) -> str:
    """ "db-4fad: zone z1, cpu 34 %", without the cells that are empty."""
    told = [
        f"{column.name} {cell_text(cell)} {column.unit}".rstrip()
        for column, cell in zip(columns[1:], row[1:], strict=False)
        if cell is not None
    ]
    first = cell_text(row[0]) if row else ""
    name = (
        first
        if row and isinstance(row[0], str)
        else f"{columns[0].name if columns else ''} {first}"
    )
    return f"{name.strip()}: {', '.join(told)}" if told else name.strip()
