"""How people are told what a role sees: the facts of `chaosops.text`, in the game's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

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
from chaosops.play.formatting import ROLE_NAMES, clock, in_words, proposal_words, shown
from chaosops.text import Dialect


class Spoken(Dialect):
    """Times of day, names as people say them, and no sign that a screen reader would spell out."""

    compares: ClassVar[bool] = True
    first_finding: ClassVar[int] = 1
    repeats: ClassVar[bool] = False
    opens_findings: ClassVar[bool] = False
    names_cells: ClassVar[bool] = True

    def at(self, status: Status, minute: int) -> str:
        """The time of day."""
        return clock(status, minute)

    def past(self, status: Status, minute: int) -> str:
        """How long ago."""
        return f"{ago(status.minute - minute)},"

    def role(self, role: AgentRole) -> str:
        """As the seat is called."""
        return ROLE_NAMES[role]

    def cause(self, cause: FailureType) -> str:
        """In words."""
        return in_words(cause.value)

    def signs(self, signs: Sequence[Sign]) -> str:
        """In words."""
        return ", ".join(in_words(sign.value) for sign in signs)

    def quoted(self, message: Message) -> str:
        """As it was written, on one line."""
        return f'"{spoken(message.text)}"'

    def proposal(self, proposal: Proposal) -> str:
        """As it would be typed."""
        return proposal_words(proposal)

    def act(self, item: InFlight | InForce) -> str:
        """As it would be typed."""
        return proposal_words(Proposal(item.action_type, item.target, item.args))


SPOKEN: Final = Spoken()

_NAMES: Final = {role.value: name for role, name in ROLE_NAMES.items()}


def spoken(text: object, limit: int = 2_100) -> str:
    """Text from outside as one line, its line ends as strokes."""
    return shown(text, limit).replace(" ⏎ ", " / ")


def minutes(count: int) -> str:
    """So many minutes."""
    return "1 minute" if count == 1 else f"{count} minutes"


def ago(count: int) -> str:
    """So many minutes ago, in the unit that fits."""
    if count < 60:
        return f"{minutes(count)} ago"
    hours = count // 60
    return f"{hours} h ago" if hours < 48 else f"{hours // 24} days ago"


def sentence(text: str) -> str:
    """With a capital letter, a role called by its name, and a mark at the end."""
    first, space, rest = text.partition(" ")
    line = f"{_NAMES.get(first) or first[:1].upper() + first[1:]}{space}{rest}"
    return line if line.endswith((".", "?", "!")) else f"{line}."
