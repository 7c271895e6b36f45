"""The moves that need two keys: who orders one asks the Manager to approve it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.env.models.action_types import ActionType

_TWO_KEYS: Final[Mapping[ActionType, Mapping[str, str | int]]] = MappingProxyType(
    {
        ActionType.FAILOVER: MappingProxyType({}),
        ActionType.PURGE: MappingProxyType({}),
        ActionType.ROTATE: MappingProxyType({}),
        ActionType.DRAIN: MappingProxyType({"unit": "zone"}),
        ActionType.SHED_LOAD: MappingProxyType({"percent": 50}),
    }
)
"""The moves that need the Manager's approval, with their arguments; a number is the least."""


def needs_approval(verb: ActionType, args: Mapping[str, object]) -> bool:
    """Whether the Manager has to approve a move from the level medium on."""
    asked = _TWO_KEYS.get(verb)
    if asked is None:
        return False
    for name, least in asked.items():
        value = args.get(name)
        if isinstance(least, int):
            if not isinstance(value, int) or value < least:
                return False
        elif value != least:
            return False
    return True
