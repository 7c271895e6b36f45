"""A game as a line of glyphs, one for each turn of a person; it tells nothing of the cause."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import ActionType, RoleView


class TurnGlyph(StrEnum):
    """What a turn was used for."""

    WAITED = "·"
    LOOKED = "○"
    ACTED = "●"
    NAMED = "◆"
    WRONG = "✗"


GLYPHS: Final[Mapping[TurnGlyph, str]] = MappingProxyType(
    {
        TurnGlyph.WAITED: "waited",
        TurnGlyph.LOOKED: "looked or talked",
        TurnGlyph.ACTED: "acted",
        TurnGlyph.NAMED: "named a cause",
        TurnGlyph.WRONG: "did harm, or lost the turn",
    }
)
"""What each glyph stands for."""

_LOOKS: Final = frozenset({ActionType.INVESTIGATE, ActionType.COMMUNICATE, ActionType.ASSIGN})


def glyphs_of(steps: Sequence[EpisodeStep], last: RoleView, own: Collection[int]) -> str:
    """Return a glyph for each turn that people took, in order.

    Args:
        steps: The frames of a finished game from the first turn on.
        last: What is seen after the last one.
        own: The numbers of the turns that people took.
    """
    harmful = {(one.role, one.ordered) for one in last.paid or () if one.amount < 0.0}
    return "".join(_glyph(step, harmful) for step in steps if step.turn in own)


def _glyph(step: EpisodeStep, harmful: Collection[tuple[object, int]]) -> TurnGlyph:
    verb = step.action.action_type
    minute = step.observation.view.status.minute
    if step.breakdown.miscommunication_penalty or step.breakdown.false_all_clear_penalty:
        return TurnGlyph.WRONG
    if verb is ActionType.NOOP:
        return TurnGlyph.WAITED
    if verb is ActionType.DIAGNOSE:
        return TurnGlyph.NAMED
    if verb in _LOOKS:
        return TurnGlyph.LOOKED
    return TurnGlyph.WRONG if (step.role, minute) in harmful else TurnGlyph.ACTED
