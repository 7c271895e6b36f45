"""The scope of a fix: a whole service, or one of its instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from chaosops.env.models.action_types import ActionType
from chaosops.env.models.services import ServiceKind

INSTANCE: Final = "instance"
"""The argument that names one instance: as instruments show it, or by its number, from 1."""

SCOPED: Final = frozenset({ActionType.RESTART, ActionType.ROLLBACK})
"""The verbs that can be for one instance."""

SCOPED_KINDS: Final = frozenset({ServiceKind.EDGE, ServiceKind.APP})
"""The kinds of services whose instances stand for each other."""

DRAINS_FOR: Final = 2
"""Minutes by which a move on one instance lands later: it gets no new requests first."""

LONGEST_NAME: Final = 80
MOST_INSTANCES: Final = 99


def instance_number(args: Mapping[str, Any]) -> int:
    """Return the number of the one instance that a move is for, from 1; 0 for all of them."""
    number = args.get(INSTANCE)
    return number if type(number) is int else 0


def scope_problem(value: object) -> str:
    """Explain what is wrong with the argument `instance`, wherever it is; empty if nothing is."""
    if type(value) is int:
        return "" if 1 <= value <= MOST_INSTANCES else f"'{INSTANCE}' is a number from 1 on"
    if isinstance(value, str) and value.strip() and len(value) <= LONGEST_NAME:
        return ""
    return f"'{INSTANCE}' is the name of an instance as instruments show it, or its number, from 1"
