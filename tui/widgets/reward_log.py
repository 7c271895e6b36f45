"""The reward log: one line a turn with what it paid, and the running total."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import AgentRole
from tui.widgets.lines import Lines, Row
from tui.words import MUTED, ROLE_NAMES, clock, components, describe, signed, timed

EXPLAINED = (
    "One line a turn: who did what, the components of its reward that are not zero, their sum, "
    "and the running total. Time costs 2 a turn until the incident is resolved; impact costs up "
    "to 10 a turn, by the share of user requests that fail.\n\n"
    "Up and down highlight a turn, whose breakdown stands beside the log where there is room; "
    "Enter shows it anywhere."
)


class RewardLog(Lines):
    """Turns, oldest first, the newest in view; one of them is highlighted, the newest at first."""

    EXPLAINED = EXPLAINED
    TERMS = ("reward", "MTTR")

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Turn before", show=False, id="reward.up", tooltip="Turn before"),
        Binding(
            "down", "move(1)", "Turn after", show=False, id="reward.down", tooltip="Turn after"
        ),
        Binding(
            "enter",
            "details",
            "Breakdown",
            show=False,
            id="reward.details",
            tooltip="Show what the highlighted turn paid, by component",
        ),
    ]

    class Highlighted(Message):
        """Another turn is highlighted; None where there is no turn yet."""

        def __init__(self, step: EpisodeStep | None, viewer: AgentRole | None) -> None:
            super().__init__()
            self.step = step
            self.viewer = viewer

    def __init__(self) -> None:
        super().__init__("reward-log")
        self.border_title = Content("Reward log")
        self._steps: tuple[EpisodeStep, ...] = ()
        self._viewer: AgentRole | None = None
        self._late: frozenset[int] = frozenset()
        self._at: int | None = None

    @property
    def highlighted(self) -> EpisodeStep | None:
        """The turn whose breakdown is shown: the newest one until another is chosen."""
        if not self._steps:
            return None
        return self._steps[-1 if self._at is None else min(self._at, len(self._steps) - 1)]

    def show(
        self,
        steps: Sequence[EpisodeStep],
        viewer: AgentRole | None,
        late: frozenset[int] = frozenset(),
    ) -> None:
        """Take in the turns so far.

        Args:
            viewer: Who looks, and does not see what others say in private; None sees all.
            late: Turns that passed because nobody took them in time.
        """
        self._steps, self._viewer, self._late = tuple(steps), viewer, late
        self._fill()
        self._tell()

    def width_changed(self) -> None:
        """Lay the rows out for the new width."""
        self._fill()

    def action_move(self, by: int) -> None:
        """Highlight another turn; past the newest one, follow the game again."""
        if not self._steps:
            return
        last = len(self._steps) - 1
        at = (last if self._at is None else self._at) + by
        self.highlight(None if at > last else max(0, at))

    def highlight(self, turn: int | None) -> None:
        """Highlight a turn; None follows the newest."""
        self._at = turn
        self._fill()
        top = len(self._steps) - 1 if turn is None else turn
        self.scroll_to(y=max(0, top - self.size.height // 2), animate=False, force=True)
        self._tell()

    def action_details(self) -> None:
        """Show the breakdown in a box."""
        from tui.screens.help import Explanation, HelpScreen
        from tui.widgets.reward_detail import breakdown_text

        step = self.highlighted
        if step is not None:
            text = breakdown_text(step, self._viewer)
            self.app.push_screen(HelpScreen(Explanation("What the turn paid", text), None))

    def commands(self) -> Iterator[SystemCommand]:
        """The highlighted turn, and the log."""
        yield SystemCommand("Breakdown", "What the highlighted turn paid", self.action_details)
        yield SystemCommand("Copy: the turn", "Copy the highlighted turn", self.action_copy)
        whole = partial(self.copy, self.plain)
        yield SystemCommand("Copy: the reward log", "Copy every turn with what it paid", whole)

    def action_copy(self) -> None:
        """Copy the highlighted turn with its breakdown."""
        from tui.widgets.reward_detail import breakdown_text

        step = self.highlighted
        if step is not None:
            status = step.observation.view.status
            at = clock(status, status.minute)
            title = f"Turn {step.turn + 1}, {at}, {ROLE_NAMES[step.role]}"
            self.copy(f"{title}\n{breakdown_text(step, self._viewer)}")

    def on_click(self, event: Click) -> None:
        """Highlight the turn under the pointer."""
        at = event.y - self.gutter.top + self.scroll_offset.y
        if 0 <= at < len(self._steps):
            self.highlight(at)

    def _tell(self) -> None:
        self.post_message(self.Highlighted(self.highlighted, self._viewer))

    def _fill(self) -> None:
        total = 0.0
        rows = []
        width = max(1, self.scrollable_content_region.width)
        chosen = self.highlighted if self._at is not None else None
        for step in self._steps:
            total += step.reward
            is_late = step.turn in self._late
            content = reward_row(step, total, width, self._viewer, is_late=is_late)
            rows.append(Row(content.stylize("reverse") if step is chosen else content))
        if not rows:
            rows = [Row(Content.styled("Each turn's reward appears here.", MUTED))]
        self.border_subtitle = Content(f"total {signed(total)}")
        self.set_rows(rows, follow=self._at is None)


def reward_row(
    step: EpisodeStep,
    total: float,
    width: int,
    viewer: AgentRole | None = None,
    *,
    is_late: bool = False,
) -> Content:
    """A turn in one line of at most `width` cells; the figures stay, the words give way."""
    status = step.observation.view.status
    head = f"t{step.turn + 1:<3}{clock(status, status.minute)} {ROLE_NAMES[step.role]:<10}"
    sums = f"{signed(step.reward):>8}{signed(total):>9}"
    room = width - len(head) - len(sums)
    if room < 8:
        return Content.assemble((head[:4], MUTED), head[10:], (sums, "bold"))
    parts = "  ".join(f"{word} {signed(value)}" for word, value in components(step.breakdown))
    if len(parts) > room - 22:
        parts = ""
    done = timed(describe(step.action, viewer, step.observation.view.findings), is_late=is_late)
    act = Content(done).truncate(max(1, room - len(parts) - 1), ellipsis=True, pad=True)
    return Content.assemble(
        (head[:10], MUTED),
        head[10:],
        act,
        " ",
        (parts, MUTED),
        (sums, "bold"),
    )
