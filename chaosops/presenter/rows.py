"""Rows of named, typed cells, which texts join to lines and panes lay out in columns."""

from __future__ import annotations

from enum import Enum
from string import Formatter
from typing import NamedTuple, TypeAlias

from chaosops.env.models import (
    ActionType,
    AgentRole,
    FrozenMap,
    Proposal,
    Sign,
    Status,
    UpdateContent,
)
from chaosops.env.models.readings import Reading
from chaosops.env.models.signals import SignalSpec


class Weight(Enum):
    """How urgent a row is. Panes choose a style by it, and compact prompts what to leave out."""

    QUIET = "quiet"
    NORMAL = "normal"
    URGENT = "urgent"


class Moment(NamedTuple):
    """The minute of an event.

    Attributes:
        is_past: It may be days ago, so that its age matters more than the time of day.
    """

    status: Status
    minute: int
    is_past: bool = False

    @property
    def ago(self) -> int:
        """The minutes since then."""
        return self.status.minute - self.minute


class Quote(NamedTuple):
    """The text of a message, as its sender wrote it."""

    text: str


class TakenAction(NamedTuple):
    """An action with its target and arguments."""

    action_type: ActionType
    target: str
    args: FrozenMap


class Undo(NamedTuple):
    """The action that undoes another and the roles that may take it; None if nothing does."""

    proposal: Proposal | None
    roles: tuple[AgentRole, ...]


class Number(NamedTuple):
    """The position of a finding among the role's own, from 0."""

    place: int


class Share(NamedTuple):
    """A share of 0 to 1."""

    of_one: float


class Signs(NamedTuple):
    """The runbook's signs in a finding."""

    signs: tuple[Sign, ...]


class NamedCause(NamedTuple):
    """A cause that a diagnosis names."""

    name: str


class BeforeAfter(NamedTuple):
    """A figure before an action landed and after."""

    before: float
    after: float
    unit: str


class Told(NamedTuple):
    """What a status update says."""

    content: UpdateContent


class SignalValue(NamedTuple):
    """A signal of a service.

    Attributes:
        value: Its value now.
        was: Its value ten minutes ago; None if that is not known.
    """

    spec: SignalSpec
    value: float
    was: float | None = None


class RowCell(NamedTuple):
    """One fact of a row.

    Attributes:
        name: Front ends find the cell by it. One without a place for it shows the cell as a line
            of text has it.
        before, after: The text around the cell in a line.
        brief: The cells that replace it in dialects that repeat nothing; None if it repeats
            nothing.
    """

    name: str
    value: Value
    before: str = " "
    after: str = ""
    brief: tuple[RowCell, ...] | None = None


class Entry(NamedTuple):
    """A row: its cells, in the order of a line of text.

    Attributes:
        reading: What the instrument showed, if the row is or has a finding.
        label: The cells at the start of each line of the reading.
    """

    cells: tuple[RowCell, ...]
    weight: Weight = Weight.NORMAL
    reading: Reading | None = None
    label: tuple[RowCell, ...] = ()

    def find(self, name: str) -> Value | None:
        """Return the value of a cell, None if the row has no such cell."""
        for cell in self.cells:
            if cell.name == name:
                return cell.value
        return None

    def with_cell(self, cell: RowCell) -> Entry:
        """Return the row with another cell at its end."""
        return self._replace(cells=(*self.cells, cell))


class Wording:
    """The wording of a kind of row as a line: "{time} {severity} {service}: {text}"."""

    def __init__(self, line: str) -> None:
        """Parse a line that has the names of its cells in braces.

        Text between two cells belongs to the second, a closing bracket to the first.
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
        """Make a row with a value for each cell."""
        if len(values) != len(self._cells):
            raise TypeError(f"a row of other cells than {', '.join(values)}")
        cells = [
            RowCell(name, values[name], before, after) for name, _, before, after, _ in self._cells
        ]
        return Entry(tuple(cells), weight)

    def reworded(self, entry: Entry) -> Entry:
        """Return a row in this wording, with the cells that it does not name at the end."""
        named = {name for name, *_rest in self._cells}
        values = {cell.name: cell.value for cell in entry.cells if cell.name in named}
        rest = (cell for cell in entry.cells if cell.name not in named)
        return entry._replace(cells=(*self.row(**values).cells, *rest))


class Section(NamedTuple):
    """A heading and the rows under it.

    Attributes:
        name: Front ends find the section by it.
        title: The heading in a text.
        is_beside: In a text, the rows follow the heading on its line.
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
    | NamedCause
    | Moment
    | Quote
    | TakenAction
    | Proposal
    | Undo
    | Number
    | Share
    | Signs
    | BeforeAfter
    | Told
    | SignalValue
    | Entry
)
"""The value of a cell. Members of other enumerations are worded by their own values."""
