"""Which order ended an incident, as far as the frames show it. Needs no screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import SAY, ActionType, ChaosOpsAction, FrozenMap, InFlight, PaidFor
from chaosops.env.models.verbs import FIXES

_ORDERS: Final = FIXES | {ActionType.PAUSE, ActionType.ESCALATE}
_WRONG: Final = frozenset({PaidFor.WRONG_FIX, PaidFor.CASCADE})


def ending_order(steps: Sequence[EpisodeStep]) -> InFlight | None:
    """Return the order of a resolved game that landed last and was not charged as wrong.

    Args:
        steps: The frames of a game from the first turn on.

    Returns:
        None if the game was not resolved, or no order landed in it.
    """
    if not steps or not steps[-1].breakdown.resolved_bonus:
        return None
    view, last = steps[-1].observation.view, steps[-1].action
    minute = view.status.minute
    due = [item for item in view.in_flight if item.lands <= minute + 1]
    if last.action_type in _ORDERS:
        verb, target = ActionType(last.action_type), last.target or ""
        due.append(InFlight(last.role, verb, target, FrozenMap(last.args), minute, minute + 1))
    wrong = {
        (credit.role, credit.ordered) for credit in view.paid or () if credit.component in _WRONG
    }
    landed = [
        item
        for item in (*view.landed, *due)
        if item.action_type in _ORDERS and item.taken >= 0 and (item.role, item.taken) not in wrong
    ]
    return max(landed, key=lambda item: item.lands, default=None)


def is_among(step: EpisodeStep, order: InFlight | None) -> bool:
    """Whether a turn gave an order, or proposed it before it was given."""
    if order is None or step.observation.view.status.minute > order.taken:
        return False
    return any(
        (verb, target) == (order.action_type, order.target) for verb, target in _orders(step.action)
    )


def _orders(action: ChaosOpsAction) -> list[tuple[object, object]]:
    """Return what an action orders, and what it proposes, as verb and target."""
    found: list[tuple[object, object]] = [(action.action_type, action.target)]
    for args in (action.args, action.args.get(SAY)):
        proposal = args.get("proposal") if isinstance(args, Mapping) else None
        if isinstance(proposal, Mapping):
            found.append((proposal.get("action_type"), proposal.get("target")))
    return found
