"""Dialects: how times, names, actions and messages are worded for different readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from chaosops.env.models import (
    AgentRole,
    FailureType,
    InFlight,
    InForce,
    Message,
    Proposal,
    Sign,
    Status,
)
from chaosops.text.actions import render_proposal, to_json


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
        """The time of a minute, as at the start of a line."""
        return f"[{minute}]"

    def past(self, status: Status, minute: int) -> str:
        """The time of something that may be days ago."""
        return self.at(status, minute)

    def role(self, role: AgentRole) -> str:
        """The name of a role."""
        return role.value

    def name(self, value: FailureType | Sign) -> str:
        """The name of a cause or of a sign in the runbook."""
        return value.value

    def signs(self, signs: Sequence[Sign]) -> str:
        """The names of several signs."""
        return ", ".join(self.name(sign) for sign in signs)

    def quoted(self, message: Message) -> str:
        """A message's text, quoted so that it cannot imitate another line."""
        return to_json(message.text)

    def proposal(self, proposal: Proposal) -> str:
        """A proposed action."""
        return render_proposal(proposal)

    def act(self, item: InFlight | InForce) -> str:
        """An action that is in flight, has landed, or is in force."""
        args = f" {to_json(item.args)}" if item.args else ""
        return f"{item.action_type.value} {item.target}{args}"


PROGRAM = Dialect()
"""The dialect of prompts."""
