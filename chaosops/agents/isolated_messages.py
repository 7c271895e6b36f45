"""What an isolated policy and its parent send each other."""

from __future__ import annotations

from typing import IO, Final, NamedTuple

from chaosops.env.models import AgentRole, ChaosOpsObservation

LENGTH: Final = 4
"""Bytes of the length before each message."""

LARGEST_ANSWER: Final = 1 << 20
"""The most bytes of an answer."""


class Begin(NamedTuple):
    """An episode begins: make the policy with this seed."""

    seed: int


class Act(NamedTuple):
    """It is a role's turn."""

    observation: ChaosOpsObservation
    role: AgentRole


def message(body: bytes) -> bytes:
    """Return a message with its length."""
    return len(body).to_bytes(LENGTH, "big") + body


def read_message(stream: IO[bytes], most: int | None = None) -> bytes | None:
    """Read a message; None at the end of the stream.

    Raises:
        ValueError: It is longer than `most`.
    """
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        return None
    length = int.from_bytes(head, "big")
    if most is not None and length > most:
        raise ValueError(f"an answer of {length} bytes")
    body = stream.read(length)
    return body if len(body) == length else None
