"""The plain dialect: what `chaosops.text` says of a view, worded for people."""

from __future__ import annotations

from typing import ClassVar, Final

from chaosops.env.models import AgentRole, Proposal, Status
from chaosops.play.formatting import ROLE_NAMES, clock, in_words, shown
from chaosops.play.wording import proposal_words, update_words
from chaosops.presenter import TakenAction, Told, Undo
from chaosops.text import Dialect


class PlainDialect(Dialect):
    """Uses times of day, names in words, and no character that a screen reader spells out."""

    compares: ClassVar[bool] = True
    first_finding: ClassVar[int] = 1
    repeats: ClassVar[bool] = False
    opens_findings: ClassVar[bool] = False
    names_cells: ClassVar[bool] = True

    def at(self, status: Status, minute: int) -> str:
        """Format the time of day."""
        return clock(status, minute)

    def past(self, status: Status, minute: int) -> str:
        """Format how long ago it was."""
        return f"{ago(status.minute - minute)},"

    def role(self, role: AgentRole) -> str:
        """Return the name of the seat."""
        return ROLE_NAMES[role]

    def name(self, value: str) -> str:
        """Return the name in words, without underscores."""
        return in_words(value)

    def quoted(self, text: str) -> str:
        """Return the text as it was written, on one line and in quotes."""
        return f'"{on_one_line(text)}"'

    def proposal(self, proposal: Proposal) -> str:
        """Return the proposal as a player would type it."""
        return proposal_words(proposal)

    def act(self, act: TakenAction) -> str:
        """Return the action as a player would type it."""
        return proposal_words(Proposal(*act))

    def told(self, told: Told) -> str:
        """Return what a status update says in words."""
        return update_words(told.content)


class OnScreen(PlainDialect):
    """The dialect of the panes, where place and style do what quotes and titles do in a line."""

    def quoted(self, text: str) -> str:
        """Return the text as it was written, on one line."""
        return shown(text)

    def undo(self, undo: Undo) -> str:
        """Return the action that undoes another, then the roles that may take it."""
        if undo.proposal is None:
            return "stays until the incident is over"
        who = " or ".join(self.role(role) for role in undo.roles)
        return f"undo: {self.proposal(undo.proposal)} ({who})"


PLAIN: Final = PlainDialect()

ON_SCREEN: Final = OnScreen()

_NAMES: Final = {role.value: name for role, name in ROLE_NAMES.items()}


def on_one_line(text: object, limit: int = 2_100) -> str:
    """Clean text and put it on one line, with slashes for its line ends."""
    return shown(text, limit).replace(" ⏎ ", " / ")


def minutes(count: int) -> str:
    """Format a number of minutes."""
    return "1 minute" if count == 1 else f"{count} minutes"


def ago(count: int) -> str:
    """Format how many minutes ago something was, in minutes, hours or days."""
    if count < 60:
        return f"{minutes(count)} ago"
    hours = count // 60
    return f"{hours} h ago" if hours < 48 else f"{hours // 24} days ago"


def sentence(text: str) -> str:
    """Make a sentence: a capital letter, the name of a role at its start, and a full stop."""
    first, space, rest = text.partition(" ")
    line = f"{_NAMES.get(first) or first[:1].upper() + first[1:]}{space}{rest}"
    return line if line.endswith((".", "?", "!")) else f"{line}."
