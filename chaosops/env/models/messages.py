"""Findings and messages: what an investigation showed, and what roles say to each other."""

from __future__ import annotations

from typing import NamedTuple

from chaosops.env.models.actions import Proposal
from chaosops.env.models.readings import Reading
from chaosops.env.models.roles import AgentRole
from chaosops.env.models.signs import Sign
from chaosops.env.models.sources import Source


class Finding(NamedTuple):
    """What an investigation showed.

    Attributes:
        text: What it says; of an incident of the second edition, a caption that says nothing.
        signs: The runbook's words for it, empty where the text says all there is.
        reading: What the instrument showed, None for incidents of the first edition.
    """

    minute: int
    role: AgentRole
    source: Source
    target: str
    text: str
    signs: tuple[Sign, ...]
    reading: Reading | None = None


class Message(NamedTuple):
    """What somebody said, in the channel or in one role's inbox.

    `to` is whom it is meant for, None for everyone; in the channel all read it nevertheless.
    A finding that is shared, and a proposal, come with the words.
    """

    minute: int
    sender: AgentRole
    to: AgentRole | None
    text: str
    proposal: Proposal | None
    finding: Finding | None
