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
        text: What it shows; a neutral caption if there is a reading.
        signs: What an older engine says that it shows; empty now.
        reading: What the instrument showed; None in recordings of older engines.
    """

    minute: int
    role: AgentRole
    source: Source
    target: str
    text: str
    signs: tuple[Sign, ...]
    reading: Reading | None = None


REPLY: Final = "reply"
"""The argument that tells programs which proposal a message answers, and how.

No menu lists it: people and models answer in words.
"""


SAY: Final = "say"
"""The argument of any action in a situation: one line that is said with it.

It has one of `text`, `finding` and `proposal`, as a message has, and may have `to`.
"""

MAX_LINE: Final = 200
"""The most characters of a line in words."""


class ReplyKind(StrEnum):
    """An answer to a proposal.

    `NOT_OVER` declines an all-clear because the last one was wrong and nothing has changed since.
    """

    DOES = "does"
    LOOKS_FIRST = "looks_first"
    DECLINES = "declines"
    NOT_OVER = "not_over"


class Reply(NamedTuple):
    """The answer that a message gives, and to which proposal."""

    kind: ReplyKind
    proposal: Proposal


class Message(NamedTuple):
    """A message in the channel or in one role's inbox.

    `to` is the receiver, None for everyone; everyone can read the channel anyway.
    Shared findings and proposals are attached. `reply` is None if the
    message answers no proposal.
    """

    minute: int
    sender: AgentRole
    to: AgentRole | None
    text: str
    proposal: Proposal | None
    finding: Finding | None
    reply: Reply | None = None
