"""Lasting effects of actions: how long each lasts, and what undoes it."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from chaosops.env.models import ActionType, FrozenMap, InFlight, InForce, Proposal
from chaosops.env.models.scope import instance_number
from chaosops.env.models.verbs import VERBS

_INSTANCES: Final = frozenset({ActionType.SCALE, ActionType.DRAIN})

_REPLICAS: Final = tuple(
    int(count)
    for argument in VERBS[ActionType.SCALE].arguments
    if argument.name == "replicas"
    for count in argument.choices
)


def now_in_force(
    before: tuple[InForce, ...], item: InFlight, usual: int = 0, replicas: int = 0
) -> tuple[InForce, ...]:
    """Return what is in force once an action has taken effect, oldest first.

    A later action on the same thing replaces an earlier one. What was done to one instance alone
    is told by readings.

    Args:
        usual: Instances that the target had at the page.
        replicas: Instances that it has now.
    """
    if instance_number(item.args):
        return before
    kept = tuple(other for other in before if not _replaces(item, other))
    if not VERBS[item.action_type].lasting:
        return kept
    if item.action_type is ActionType.SHED_LOAD and item.args["percent"] == 0:
        return kept
    if item.action_type in _INSTANCES and replicas == usual:
        return kept
    undo = _undo(item.action_type, item.target, usual, replicas)
    lasting = InForce(item.role, item.action_type, item.target, item.args, item.lands, undo)
    return (*kept, lasting)


def _replaces(item: InFlight, other: InForce) -> bool:
    if item.target != other.target:
        return False
    verb = item.action_type
    if verb in _INSTANCES:
        return other.action_type in _INSTANCES
    if verb is ActionType.RESUME:
        return other.action_type is ActionType.PAUSE
    if verb is ActionType.RAISE_LIMIT and item.args.get("limit") != other.args.get("limit"):
        return False
    return other.action_type is verb


@lru_cache(maxsize=1024)
def _undo(verb: ActionType, target: str, usual: int, replicas: int) -> Proposal | None:
    """Return the action that undoes it; None if nothing does."""
    if verb is ActionType.SHED_LOAD:
        return Proposal(verb, target, FrozenMap({"percent": 0}))
    if verb is ActionType.PAUSE:
        return Proposal(ActionType.RESUME, target)
    if verb in _INSTANCES:
        count = min((count for count in _REPLICAS if count >= usual), default=_REPLICAS[-1])
        if count != replicas:
            return Proposal(ActionType.SCALE, target, FrozenMap({"replicas": count}))
    return None
