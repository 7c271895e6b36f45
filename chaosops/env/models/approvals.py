"""The moves that need two keys: who orders one asks the Manager to approve it.

After several wrong fixes changes are frozen, and every fix needs two keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.env.models.action_types import ActionType
from chaosops.env.models.failures import Difficulty
from chaosops.env.models.verbs import FIXES

TWO_KEY_LEVELS: Final = frozenset({Difficulty.MEDIUM, Difficulty.HARD})
"""The levels at which risky moves need an approval."""

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


FREEZES_AFTER: Final = 3
"""Wrong fixes after which changes are frozen."""


def needs_approval(verb: ActionType, args: Mapping[str, object], *, frozen: bool = False) -> bool:
    """Whether the Manager has to approve a move from the level medium on.

    Args:
        frozen: Whether changes are frozen: then any fix needs it, but for an end of shedding.
    """
    if frozen and verb in FIXES:
        return args.get("percent") != 0
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
