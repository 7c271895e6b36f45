"""What an action takes, earns, and costs if it is a mistake, in words. Needs no screen."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.env.models import ActionType, Stake, VerbChoice
from chaosops.env.models.verbs import VERBS
from chaosops.rewards.components import COMPONENTS
from chaosops.rewards.reward_fn import RewardWeights

_WRONG_DIAGNOSIS: Final = "wrong_diagnosis_penalty"


def cost_words(choice: VerbChoice, *, more: int = 0) -> str:
    """Word how many minutes an action takes, and more, as the beginning of a sentence."""
    low, high = (minutes and minutes + more for minutes in choice.minutes)
    if not high:
        return "takes this turn; "
    return f"lands in {low} min; " if low == high else f"lands in {low} to {high} min; "


def _points(weights: RewardWeights) -> Mapping[str, str]:
    """Return what each component can cost, for the text of a risk."""
    points = {
        part.name: f"{-getattr(weights, part.name):.0f}"
        for part in COMPONENTS
        if hasattr(weights, part.name)
    }
    return MappingProxyType(
        {
            **points,
            "untrue_update_penalty": f"{-weights.untrue_update_penalty:.0f}",
            _WRONG_DIAGNOSIS: (
                f"{-weights.working_penalty:.0f} as a working theory and "
                f"{-weights.certain_penalty:.0f} if certain,"
            ),
        }
    )


_POINTS: Final = _points(RewardWeights())
_OF_ONE: Final = {"wrong_fix_penalty": f"{-RewardWeights().wrong_instance_fix_penalty:.0f}"}
_OF_STAKES: Final[Mapping[object, Mapping[str, str]]] = {
    Stake.WORKING: {_WRONG_DIAGNOSIS: f"{-RewardWeights().working_penalty:.0f}"},
    Stake.CERTAIN: {_WRONG_DIAGNOSIS: f"{-RewardWeights().certain_penalty:.0f}"},
}
_EARNS: Final[Mapping[object, str]] = {
    None: (
        f"{RewardWeights().working_bonus:.0f} or, if certain, {RewardWeights().certain_bonus:.0f}"
    ),
    Stake.WORKING: f"{RewardWeights().working_bonus:.0f}",
    Stake.CERTAIN: f"{RewardWeights().certain_bonus:.0f}",
}
"""What a right diagnosis earns, by its stake."""


def risk_words(verb: ActionType, *, one: bool = False, stake: object = None) -> str:
    """Word what a mistake costs, as the end of a sentence; empty if nothing.

    Args:
        one: Whether the action is for one instance alone.
        stake: How sure a diagnosis is; None if that isn't chosen yet.
    """
    risk = VERBS[verb].risk
    points = {**_POINTS, **(_OF_ONE if one else {}), **_OF_STAKES.get(stake, {})}
    earns = ""
    if verb is ActionType.DIAGNOSE:
        earns = f"earns {_EARNS.get(stake, _EARNS[None])} if right before the cure; "
    return f"; {earns}{risk.format_map(points)}" if risk else ""
