"""The points of each turn, as lines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import AgentRole
from chaosops.play.costs import paid
from chaosops.play.formatting import ROLE_NAMES, clock, signed, timed
from chaosops.play.plain_dialect import on_one_line
from chaosops.play.wording import describe_in


def score_lines(
    steps: Sequence[EpisodeStep],
    viewer: AgentRole | None,
    last: int,
    late: Collection[int] = (),
) -> list[str]:
    """Return the newest turns with their points, and the total.

    Args:
        viewer: Who reads it, without others' private messages; None for everything.
        last: The number of turns.
        late: Turns that passed because time ran out.
    """
    rows = list(_score_rows(steps, viewer, late))
    if not rows:
        return ["Score: no turns yet."]
    return ["Score:", *(f"- {row}" for row in rows[-last:])]


def _score_rows(
    steps: Sequence[EpisodeStep], viewer: AgentRole | None, late: Collection[int]
) -> Iterator[str]:
    total = 0.0
    for step in steps:
        total += step.reward
        status = step.observation.view.status
        parts = ", ".join(f"{part.brief} ({part.why})" for part in paid(step))
        costs = f" {parts};" if parts else ""
        act = timed(
            describe_in(step.observation.view, step.action, viewer), is_late=step.turn in late
        )
        yield (
            f"turn {step.turn + 1}, {clock(status, status.minute)}, {ROLE_NAMES[step.role]}: "
            f"{on_one_line(act, 4_000)}.{costs} together {signed(step.reward)}, "
            f"total {signed(total)}"
        )
