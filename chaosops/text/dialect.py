"""Dialects: how times, names, actions and messages are worded for different readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import ClassVar, assert_never

from chaosops.env.models import AgentRole, Proposal, Sign, Status
from chaosops.presenter import (
    BeforeAfter,
    Entry,
    Moment,
    NamedCause,
    Number,
    Quote,
    RowCell,
    Share,
    SignalValue,
    Signs,
    TakenAction,
    Told,
    Undo,
    Value,
)
from chaosops.text.actions import render_proposal, to_json
from chaosops.text.figures import figure, number, percent
from chaosops.text.signals import figure_words


class Dialect:
    """The dialect for programs: minutes and names as in an action, and messages as JSON text.

    Subclasses override what should be worded differently for people.

    Attributes:
        compares: Whether a signal that has moved comes with its previous value; otherwise, all
            its earlier values are listed.
        first_finding: The number of the first finding.
        repeats: Whether an attachment is described even if its message says the same.
        opens_findings: Whether readings are included with their findings; otherwise, the reader
            has to ask for them.
        names_cells: Whether the cells of a table come with the names of their columns.
        minutes: How many minutes of earlier values are listed; None for all.
    """

    compares: ClassVar[bool] = False
    first_finding: ClassVar[int] = 0
    repeats: ClassVar[bool] = True
    opens_findings: ClassVar[bool] = True
    names_cells: ClassVar[bool] = False

    def __init__(self, minutes: int | None = None) -> None:
        self.minutes = minutes

    def at(self, status: Status, minute: int) -> str:
        """Format the time of a minute, as at the start of a line."""
        return f"[{minute}]"

    def past(self, status: Status, minute: int) -> str:
        """Format the time of something that may be days ago."""
        return self.at(status, minute)

    def role(self, role: AgentRole) -> str:
        """Name a role."""
        return role.value

    def name(self, value: str) -> str:
        """Name a cause or a sign."""
        return str(value)

    def signs(self, signs: Sequence[Sign]) -> str:
        """Name several signs."""
        return ", ".join(self.name(sign) for sign in signs)

    def quoted(self, text: str) -> str:
        """Quote a message's text, so that it can't imitate another line."""
        return to_json(text)

    def proposal(self, proposal: Proposal) -> str:
        """Format a proposed action."""
        return render_proposal(proposal)

    def act(self, act: TakenAction) -> str:
        """Format an action that is in flight, has landed, or is in force."""
        args = f" {to_json(act.args)}" if act.args else ""
        return f"{act.action_type.value} {act.target}{args}"

    def told(self, told: Told) -> str:
        """Format what a status update says, as the arguments of the action that sends it."""
        return to_json(told.content.args())

    def undo(self, undo: Undo) -> str:
        """Format the action that undoes another, and the roles that may take it."""
        if undo.proposal is None:
            return "cannot be undone"
        who = " or ".join(self.role(role) for role in undo.roles)
        return f"to undo ({who}): {self.proposal(undo.proposal)}"

    def line(self, entry: Entry) -> str:
        """Format a row as a line of text."""
        return self.joined(entry.cells)

    def joined(self, cells: Iterable[RowCell]) -> str:
        """Cells as text, with what joins them."""
        parts = []
        for _name, value, before, after, brief in cells:
            if brief is not None and not self.repeats:
                parts.append(self.joined(brief))
                continue
            said = value if type(value) is str else self.say(value)
            if said or not isinstance(value, SignalValue):
                parts.append(f"{before}{said}{after}")
        return "".join(parts)

    def say(self, value: Value) -> str:
        """Format the value of a cell; empty for a signal that is left out."""
        match value:
            case Moment():
                when = self.past if value.is_past else self.at
                return when(value.status, value.minute)
            case AgentRole():
                return self.role(value)
            case SignalValue():
                return figure_words(value, compares=self.compares)
            case NamedCause():
                return self.name(value.name)
            case StrEnum():
                return value.value
            case str():
                return value
            case int() | float():
                return number(value)
            case Quote():
                return self.quoted(value.text)
            case TakenAction():
                return self.act(value)
            case Proposal():
                return self.proposal(value)
            case Undo():
                return self.undo(value)
            case Told():
                return self.told(value)
            case Entry():
                return self.line(value)
            case BeforeAfter():
                return f"{figure(value.after, value.unit)} (was {figure(value.before, value.unit)})"
            case Signs():
                return self.signs(value.signs)
            case Number():
                return str(value.place + self.first_finding)
            case Share():
                return percent(value.of_one)
            case _:
                assert_never(value)


PROGRAM = Dialect()
"""The dialect of prompts."""
