"""Effects of actions: what is in flight, what was measured at landings, and what lasts."""

from __future__ import annotations

from typing import NamedTuple

from chaosops.env.models.action_types import ActionType
from chaosops.env.models.actions import Proposal
from chaosops.env.models.frozen_map import FrozenMap
from chaosops.env.models.roles import AgentRole


class InFlight(NamedTuple):
    """An action that is in flight or has landed: it takes effect in the minute `lands`."""

    role: AgentRole
    action_type: ActionType
    target: str
    args: FrozenMap
    taken: int
    lands: int


class Measured(NamedTuple):
    """A signal of a service before an action landed and after."""

    signal: str
    unit: str
    before: float
    after: float


class Landing(NamedTuple):
    """What was measured when an action landed, which doesn't tell whether a cause is fixed."""

    minute: int
    role: AgentRole
    action_type: ActionType
    target: str
    measured: tuple[Measured, ...]


class InForce(NamedTuple):
    """A lasting effect of an action: shed load, a drained instance, a paused agent.

    Attributes:
        role: Who took the action.
        args: The arguments of the action.
        since: The minute in which it took effect.
        undo: The action that undoes it; None if nothing does.
    """

    role: AgentRole
    action_type: ActionType
    target: str
    args: FrozenMap
    since: int
    undo: Proposal | None
