"""The cells of a table as numbers."""

from __future__ import annotations

from chaosops.env.models.readings import Cell, Table, column


def numbers(table: Table, name: str) -> list[float]:
    """Return a column as numbers, row by row; empty if the table has no such column."""
    return [number(cell) for cell in column(table, name)]


def number(cell: Cell) -> float:
    """Return a cell as a number; 0 if it holds none."""
    return float(cell) if isinstance(cell, (int, float)) else 0.0
