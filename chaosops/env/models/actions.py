"""Actions: what a role does with its turn, and what it asks others to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from chaosops.env.models.action_types import ActionType
from chaosops.env.models.failures import CauseName
from chaosops.env.models.frozen_map import EMPTY, MALFORMED, FrozenMap, pairs_of, plain, type_name
from chaosops.env.models.records import Record
from chaosops.env.models.roles import AgentRole


@dataclass(frozen=True, slots=True)
class ChaosOpsAction(Record):
    """What a role does with its turn.

    Args:
        role: Who acts. The loop sets it to the role whose turn it is.
        action_type: The verb. Any other text is kept as it is, and costs the turn.
        target: A service, an automation agent or a role, depending on the verb; `None` if it
            takes none.
        args: The verb's arguments, JSON values by name. `hint` may be added to any verb: the
            levels (1 to 3) of the hints that were read before it.

    The constructor never raises: what can't be kept is replaced by its type's name in angle
    brackets, and the environment says what is wrong with it.
    """

    role: AgentRole
    action_type: ActionType | str
    target: str | None = None
    args: Mapping[str, Any] = field(default_factory=FrozenMap)

    def __post_init__(self) -> None:
        put = object.__setattr__
        if type(self.action_type) is not ActionType:
            put(self, "action_type", _verb(self.action_type))
        if self.target is not None:
            put(self, "target", plain(self.target)[:200])
        if type(self.args) is not FrozenMap:
            put(self, "args", _arguments(self.args))


def _verb(value: object) -> ActionType | str:
    name = plain(value)
    try:
        return ActionType(name)
    except ValueError:
        return name[:80]


def _arguments(value: object) -> FrozenMap:
    if value is None:
        return EMPTY
    return FrozenMap({MALFORMED: value} if pairs_of(value) is None else value)


def as_action(action: object, role: AgentRole) -> ChaosOpsAction:
    """Return the action with its role set; anything else becomes an action that says what it is."""
    if not isinstance(action, ChaosOpsAction):
        return ChaosOpsAction(role, type_name(action))
    return action if action.role is role else replace(action, role=role)


class Proposal(NamedTuple):
    """An action that the sender of a message asks its receiver to take.

    Attributes:
        cause: The cause that it is meant to fix, if the sender names one.
    """

    action_type: ActionType
    target: str | None
    args: FrozenMap = EMPTY
    cause: CauseName | None = None

    def asks_the_same(self, other: Proposal) -> bool:
        """Whether both ask for the same action, whatever the cause."""
        return self[:3] == other[:3]

    def is_met_by(self, verb: ActionType, target: str | None) -> bool:
        """Whether that is what it asks for, whatever the arguments."""
        return self.action_type is verb and self.target == target
