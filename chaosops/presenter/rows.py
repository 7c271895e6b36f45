"""Rows of named cells: what there is to tell, before anybody says it in words or in columns."""

from __future__ import annotations

from enum import Enum
from string import Formatter
from typing import NamedTuple, TypeAlias

from chaosops.env.models import (
    ActionType,
    AgentRole,
    FailureType,
    FrozenMap,
    Proposal,
    Sign,
    Status,
)
from chaosops.env.models.readings import Reading
from chaosops.env.models.signals import SignalSpec


class Weight(Enum):
    """How much a row matters; each front end decides how that looks."""

    QUIET = "quiet"
    NORMAL = "normal"
    URGENT = "urgent"


class Moment(NamedTuple):
    """When something was.

    Attributes:
        is_past: It may be days ago, so that its age says more than the time of day.
    """

    status: Status
    minute: int
    is_past: bool = False

    @property
    def ago(self) -> int:
        """How many minutes ago it was."""
        return self.status.minute - self.minute


class Quote(NamedTuple):
    """What somebody wrote."""

    text: str


class TakenAction(NamedTuple):
    """What was done, to what."""

    action_type: ActionType
    target: str
    args: FrozenMap


class Undo(NamedTuple):
    """The action that takes something back, with who can take it; no action where nothing does."""

    proposal: Proposal | None
    roles: tuple[AgentRole, ...]


class Number(NamedTuple):
    """The place of a finding among the role's own, from 0."""

    place: int


class Share(NamedTuple):
    """A share of 0 to 1."""

    of_one: float


class Signs(NamedTuple):
    """What a finding shows, as the runbook calls it."""

    signs: tuple[Sign, ...]


class BeforeAfter(NamedTuple):
    """A figure before something happened, and after."""

    before: float
    after: float
    unit: str


class SignalValue(NamedTuple):
    """A signal of a service.

    Attributes:
        value: Now.
        was: What it was some minutes ago; None where that is not known.
    """

    spec: SignalSpec
    value: float
    was: float | None = None


class RowCell(NamedTuple):
    """One fact of a row.

    Attributes:
        name: By which front ends that have a place for it find it; the others tell it as a line
            does.
        before, after: What joins it to its neighbors where the row is told as a line.
        brief: What takes its place where nothing is told twice; None for the cell itself.
    """

    name: str
    value: Value
    before: str = " "
    after: str = ""
    brief: tuple[RowCell, ...] | None = None


class Entry(NamedTuple):
    """A row: its cells in the order in which a line tells them.

    Attributes:
        reading: What an instrument showed.
        label: What the lines that tell the reading begin with.
    """

    cells: tuple[RowCell, ...]
    weight: Weight = Weight.NORMAL
    reading: Reading | None = None
    label: tuple[RowCell, ...] = ()

    def find(self, name: str) -> Value | None:
        """The value of a cell; None where the row has no such cell."""
        for cell in self.cells:
            if cell.name == name:
                return cell.value
        return None

    def with_cell(self, cell: RowCell) -> Entry:
        """The row with one more cell at its end."""
        return self._replace(cells=(*self.cells, cell))


class Wording:
    """How rows of one kind read as a line: "{time} {severity} {service}: {text}"."""

    def __init__(self, line: str) -> None:
        """Take in what a line says, with the names of its cells in braces.

        What stands between two cells comes with the second, a closing bracket with the first.
        """
        cells: list[RowCell] = []
        for text, name, *_rest in Formatter().parse(line):
            before = text.removeprefix(")") if name else ""
            if before != text:
                cells[-1] = cells[-1]._replace(after=text.removesuffix(before))
            if name:
                cells.append(RowCell(name, "", before))
        self._cells = tuple(cells)

    def row(self, weight: Weight = Weight.NORMAL, /, **values: Value) -> Entry:
        """A row with a value for each of its cells, and no other."""
        if len(values) != len(self._cells):
            raise TypeError(f"not the cells of this row: {', '.join(values)}")
        cells = [
            RowCell(name, values[name], before, after) for name, _, before, after, _ in self._cells
        ]
        return Entry(tuple(cells), weight)

    def reworded(self, entry: Entry) -> Entry:
        """The same row as this wording says it; cells that it does not name come last."""
        named = {name for name, *_rest in self._cells}
        values = {cell.name: cell.value for cell in entry.cells if cell.name in named}
        rest = (cell for cell in entry.cells if cell.name not in named)
        return entry._replace(cells=(*self.row(**values).cells, *rest))


class Section(NamedTuple):
    """A heading and the rows under it.

    Attributes:
        name: By which front ends find it.
        title: What stands above its rows, or beside them, where they are told as lines.
    """

    name: str
    title: str
    entries: tuple[Entry, ...]
    is_beside: bool = False


Value: TypeAlias = (
    str
    | int
    | float
    | AgentRole
    | FailureType
    | Moment
    | Quote
    | TakenAction
    | Proposal
    | Undo
    | Number
    | Share
    | Signs
    | BeforeAfter
    | SignalValue
    | Entry
)
"""What a cell may hold. Members of other enumerations are their own words."""
