"""Moved to `chaosops.agents.seats`."""

from chaosops.agents.seats import seat_policies

__all__ = ["seat_policies"]
