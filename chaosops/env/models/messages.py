"""Findings and messages: what an investigation showed, and what roles say to each other."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

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


REPLY: Final = "reply"
"""The argument of a message that says, for programs, which proposal it answers and how.

It is in no list of what may be done: people and models answer in words.
"""


class ReplyKind(StrEnum):
    """An answer to a proposal.

    `NOT_OVER` declines an all-clear because the last one was wrong and nothing has changed since.
    """

    DOES = "does"
    LOOKS_FIRST = "looks_first"
    DECLINES = "declines"
    NOT_OVER = "not_over"


class Reply(NamedTuple):
    """What a message answers, and to which proposal."""

    kind: ReplyKind
    proposal: Proposal


class Message(NamedTuple):
    """A message in the channel or in one role's inbox.

    `to` is whom it is meant for, None for everyone; in the channel all read it nevertheless.
    A finding that is shared, and a proposal, come with the words. `reply` is None where the
    message answers no proposal.
    """

    minute: int
    sender: AgentRole
    to: AgentRole | None
    text: str
    proposal: Proposal | None
    finding: Finding | None
    reply: Reply | None = None
