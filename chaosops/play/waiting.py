"""What can't wait much longer: overdue updates, open requests, the end of the error budget.

Every role may see it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import RoleView
from chaosops.play.formatting import ROLE_NAMES, shown
from chaosops.play.outlook import budget_left
from chaosops.play.wording import verb_word


def waiting(view: RoleView, steps: Sequence[EpisodeStep]) -> list[str]:
    """Describe what waits, the most urgent first.

    Args:
        steps: The turns so far.
    """
    return [*_update(view), *_requests(view), *_budget(view, steps)]


def _update(view: RoleView) -> Iterator[str]:
    due, minute = view.due, view.status.minute
    if due is None:
        return
    if minute >= due.late:
        since = minute - due.late
        late = f" by {since} min" if since else ""
        yield f"! the Manager's status update is overdue{late}"
    else:
        yield f"✎ the Manager owes a status update, late in {due.late - minute} min"


def _requests(view: RoleView) -> Iterator[str]:
    for request in sorted(view.requests or (), key=lambda each: each.lapses):
        move = f"{verb_word(request.action_type)} {shown(request.target, 40)}"
        left = max(0, request.lapses - view.status.minute)
        yield (
            f"? request {request.number} waits for the Manager: {move} "
            f"({ROLE_NAMES[request.role]}), lapses in {left} min"
        )


def _budget(view: RoleView, steps: Sequence[EpisodeStep]) -> Iterator[str]:
    left = budget_left(steps, view.status)
    if left is not None:
        yield f"! error budget empty {left.words}"
