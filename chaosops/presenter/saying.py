"""What an action can say beside what it does."""

from __future__ import annotations

from typing import NamedTuple

from chaosops.env.models import ActionType, RoleView


class LineOffer(NamedTuple):
    """That actions can carry a line in this game.

    Attributes:
        looked: The number that the result of an investigation would have, to be shared at once;
            None if the role can't investigate.
    """

    looked: int | None


def line_offer(view: RoleView) -> LineOffer:
    """Return what a line could share."""
    looks = any(choice.action_type is ActionType.INVESTIGATE for choice in view.allowed)
    return LineOffer(len(view.findings) if looks else None)
