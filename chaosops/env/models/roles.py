"""Roles: the seats on call, and the order of their turns."""

from __future__ import annotations

from enum import StrEnum


class AgentRole(StrEnum):
    """A seat on call."""

    SRE = "sre"
    OVERSIGHT = "oversight"
    DEV = "dev"
    MANAGER = "manager"

    @property
    def label(self) -> str:
        """The seat's name as people write it."""
        return "SRE" if self is AgentRole.SRE else self.value.capitalize()


TURN_ORDER: tuple[AgentRole, ...] = (
    AgentRole.SRE,
    AgentRole.OVERSIGHT,
    AgentRole.DEV,
    AgentRole.MANAGER,
)
"""Oversight speaks before a fast fix can end the episode."""
