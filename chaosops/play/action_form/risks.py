"""What a mistake costs, in words, before an action is confirmed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.env.models import ActionType, Stake
from chaosops.env.models.verbs import VERBS
from chaosops.rewards.components import COMPONENTS
from chaosops.rewards.reward_fn import RewardWeights

_WRONG_DIAGNOSIS: Final = "wrong_diagnosis_penalty"


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


def risk_words(verb: ActionType, *, one: bool = False, stake: object = None) -> str:
    """Word what a mistake costs, as the end of a sentence; empty if nothing.

    Args:
        one: Whether the action is for one instance alone.
        stake: How sure a diagnosis is; None if that isn't chosen yet.
    """
    risk = VERBS[verb].risk
    points = {**_POINTS, **(_OF_ONE if one else {}), **_OF_STAKES.get(stake, {})}
    return f"; {risk.format_map(points)}" if risk else ""
