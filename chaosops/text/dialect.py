"""How the same facts are said to different readers: times, names, acts and what people wrote."""

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
    """A program's: minutes and names as they stand in an action, what people wrote as JSON text.

    Whoever tells people overrides what a person would not say so.

    Attributes:
        compares: Signals are told with what they were before, where they have moved; else all
            their earlier values are told.
        first_finding: The number of the first finding.
        repeats: What comes with a message is told even where the message says the same.
        opens_findings: What an instrument showed is told with its finding; else it has to be asked
            for.
        names_cells: The cells of a table are told with the names of their columns.
        minutes: How many minutes of earlier values are told; None for all.
    """

    compares: ClassVar[bool] = False
    first_finding: ClassVar[int] = 0
    repeats: ClassVar[bool] = True
    opens_findings: ClassVar[bool] = True
    names_cells: ClassVar[bool] = False

    def __init__(self, minutes: int | None = None) -> None:
        self.minutes = minutes

    def at(self, status: Status, minute: int) -> str:
        """When it was, as a line begins with it."""
        return f"[{minute}]"

    def past(self, status: Status, minute: int) -> str:
        """When it was, of what may be days ago."""
        return self.at(status, minute)

    def role(self, role: AgentRole) -> str:
        """A seat's name."""
        return role.value

    def cause(self, cause: FailureType) -> str:
        """What was diagnosed."""
        return cause.value

    def signs(self, signs: Sequence[Sign]) -> str:
        """What a finding shows, in the runbook's words."""
        return ", ".join(sign.value for sign in signs)

    def quoted(self, message: Message) -> str:
        """What somebody wrote; it must not be able to pass for another line."""
        return to_json(message.text)

    def proposal(self, proposal: Proposal) -> str:
        """What is asked for."""
        return render_proposal(proposal)

    def act(self, item: InFlight | InForce) -> str:
        """What is in flight, has landed, or is in force."""
        args = f" {to_json(item.args)}" if item.args else ""
        return f"{item.action_type.value} {item.target}{args}"


PROGRAM = Dialect()
"""What a language model is told in."""
