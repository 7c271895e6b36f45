"""Words the expert's reason for an action, in a sentence, from what its role knows."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.cures import SURE
from chaosops.agents.reasoning import CauseBelief
from chaosops.env.models import ActionType, ChaosOpsAction

_LIKELY: Final = 0.5

_SIMPLE: Final[Mapping[ActionType, str]] = MappingProxyType(
    {
        ActionType.UPDATE: "Users are owed an update, and this is what the figures and actions "
        "show.",
        ActionType.APPROVE: "Nothing that is proven speaks against it.",
        ActionType.REFUSE: "What is proven has another cure.",
        ActionType.GRANT: "It goes beyond the written policy, and nothing that was seen speaks "
        "against it.",
        ActionType.DENY: "It would do harm, or rests on nothing that was seen.",
        ActionType.ASK: "What it rests on has not been seen yet.",
        ActionType.NOOP: "There is nothing that this role should do now.",
    }
)
"""The reasons that are the same for every target."""


def reason_for(action: ChaosOpsAction, top: CauseBelief, worth: float = 1.0) -> str:
    """Return the reason for an action.

    Args:
        top: The likeliest cause.
        worth: For a look, what it tells, relative to the one that tells most.
    """
    verb, target = action.action_type, action.target
    if verb is ActionType.INVESTIGATE:
        return _why_look(str(action.args.get("source")), str(target), top, worth)
    if verb in (ActionType.PAUSE, ActionType.FLAG):
        return f"{target} went beyond its policy, as its audit log shows."
    if verb is ActionType.COMMUNICATE and action.args.get("proposal") is None:
        return "It is conclusive, and nobody has shared it yet."
    simple = _SIMPLE.get(ActionType(verb))
    if simple is not None:
        return simple
    if top.share < SURE:
        return "A teammate is certain of what it fixes; no reading that is known proves it."
    where = f" at {top.named_place}" if top.named_place else ""
    if top.share < _LIKELY:
        likeliest = f"{_name(top)}{where} ({round(top.share * 100)} %)"
        return f"Nothing is proven yet, and {likeliest} is the likeliest cause."
    return f"It looks like {_name(top)}{where} ({round(top.share * 100)} % sure)."


def _why_look(source: str, target: str, top: CauseBelief, worth: float) -> str:
    if worth < 1.0:
        return f"It tells {round(worth * 100)} % as much as the best look."
    if top.share < SURE:
        return f"Nothing is proven yet, and {source} of {target} tells the most."
    return f"It looks like {_name(top)}, and {source} of {target} can confirm it."


def _name(belief: CauseBelief) -> str:
    return belief.cause.value.replace("_", " ")
