"""The reward log: one line a turn with what it paid, and the running total."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import AgentRole
from tui.widgets.lines import Lines, Row
from tui.words import MUTED, ROLE_NAMES, clock, components, describe, signed

EXPLAINED = (
    "One line a turn: who did what, the components of its reward that are not zero, their sum, "
    "and the running total. Time costs 2 a turn until the incident is resolved; impact costs up "
    "to 10 a turn, by the share of user requests that fail."
)


class RewardLog(Lines):
    """Turns, oldest first, the newest in view."""

    EXPLAINED = EXPLAINED

    def __init__(self) -> None:
        super().__init__("reward-log")
        self.border_title = Content("Reward log")
        self._steps: tuple[EpisodeStep, ...] = ()
        self._viewer: AgentRole | None = None

    def show(self, steps: Sequence[EpisodeStep], viewer: AgentRole | None) -> None:
        """Take in the turns so far.

        Args:
            viewer: Who looks, and does not see what others say in private; None sees all.
        """
        self._steps, self._viewer = tuple(steps), viewer
        self._fill()

    def width_changed(self) -> None:
        """Lay the rows out for the new width."""
        self._fill()

    def _fill(self) -> None:
        total = 0.0
        rows = []
        width = max(1, self.scrollable_content_region.width)
        for step in self._steps:
            total += step.reward
            rows.append(Row(reward_row(step, total, width, self._viewer)))
        if not rows:
            rows = [Row(Content.styled("Each turn's reward appears here.", MUTED))]
        self.border_subtitle = Content(f"total {signed(total)}")
        self.set_rows(rows, follow=True)


def reward_row(
    step: EpisodeStep, total: float, width: int, viewer: AgentRole | None = None
) -> Content:
    """A turn in one line of at most `width` cells; the figures stay, the words give way."""
    status = step.observation.view.status
    head = f"t{step.turn + 1:<3}{clock(status, status.minute)} {ROLE_NAMES[step.role]:<10}"
    sums = f"{signed(step.reward):>8}{signed(total):>9}"
    room = width - len(head) - len(sums)
    if room < 8:
        return Content.assemble((head[:4], MUTED), head[10:], (sums, "bold"))
    parts = "  ".join(f"{word} {signed(value)}" for word, value in components(step.breakdown))
    if len(parts) > room - 24:
        parts = ""
    act = Content(describe(step.action, viewer)).truncate(
        max(1, room - len(parts) - 1), ellipsis=True, pad=True
    )
    return Content.assemble(
        (head[:10], MUTED),
        head[10:],
        act,
        " ",
        (parts, MUTED),
        (sums, "bold"),
    )
