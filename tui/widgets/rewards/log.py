"""The reward log: each turn with its points and reasons, and the running total."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar, Final

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Resize
from textual.message import Message

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import AgentRole, RoleView
from chaosops.play.costs import USUAL, Paid, ordered, paid
from chaosops.play.formatting import MUTED, ROLE_NAMES, clock, signed, timed
from chaosops.play.happenings import Happening, happened
from chaosops.play.wording import describe_in
from chaosops.rewards.components import COMPONENTS
from tui.widgets.basic.lines import Lines, Row, chosen_style, wrap_row

_HEAD: Final = 20
"""Cells before the action."""

_SUMS: Final = 17
"""Cells of a turn's reward and the running total."""

_MOST_OF_ONE: Final = len(" -10.0")

_LOW: Final = 2
"""Lines of a folded log, in which the usual components get no line of their own."""

_LEAST: Final = 8
"""The least cells for the action, if there is room for it at all."""

EXPLAINED = (
    "Turn by turn: who did what, the reward components that aren't zero, their sum, and the "
    "running total. Components that don't occur every turn are listed below the turn with the "
    "reason, and what happened since: ↓ landings with what was measured, ? moves that wait for the "
    "Manager, ✎ status updates, ! the objective and the hold.\n\n"
    "Time costs 2 points a turn until the incident is resolved; impact costs up to 10 a turn, by "
    "the share of user requests that fail.\n\n"
    "{reward.up} and {reward.down} highlight a turn; its breakdown is beside the log if there is "
    "room, and {reward.details} opens it anywhere."
)


class RewardLog(Lines):
    """Lists turns, oldest first; one is highlighted, by default the newest."""

    EXPLAINED = EXPLAINED
    TERMS = ("reward", "MTTR")

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "up", "move(-1)", "Previous turn", show=False, id="reward.up", tooltip="Previous turn"
        ),
        Binding("down", "move(1)", "Next turn", show=False, id="reward.down", tooltip="Next turn"),
        Binding(
            "enter",
            "details",
            "Breakdown",
            show=False,
            id="reward.details",
            tooltip="Show the highlighted turn's points by component",
        ),
    ]

    class Highlighted(Message):
        """Posted when another turn is highlighted; None if there is no turn yet."""

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
        self._now: RoleView | None = None
        self._is_low = False
        self._at: int | None = None
        self._turn_at: tuple[int, ...] = ()

    @property
    def highlighted(self) -> EpisodeStep | None:
        """The turn whose breakdown is shown, by default the newest."""
        if not self._steps:
            return None
        return self._steps[-1 if self._at is None else min(self._at, len(self._steps) - 1)]

    def show(
        self,
        steps: Sequence[EpisodeStep],
        viewer: AgentRole | None,
        late: frozenset[int] = frozenset(),
        now: RoleView | None = None,
    ) -> None:
        """Show the turns so far.

        Args:
            viewer: Who looks, without others' private messages; None for everything.
            late: Turns that passed because time ran out.
            now: What is seen after them; only what every role sees is told of it.
        """
        self._steps, self._viewer, self._late, self._now = tuple(steps), viewer, late, now
        self._fill()
        self._tell()

    def width_changed(self) -> None:
        """Lay out the rows for the new width."""
        self._fill()

    def on_resize(self, event: Resize) -> None:
        """Lay out the rows again if the log was folded or opened."""
        if self._is_low != (event.size.height <= _LOW):
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
        top = self._turn_at.index(turn) if turn in self._turn_at else len(self._turn_at) - 1
        self.scroll_to(y=max(0, top - self.size.height // 2), animate=False, force=True)
        self._tell()

    def action_details(self) -> None:
        """Show the breakdown in a box."""
        from tui.screens.dialogs.help import Explanation, HelpScreen
        from tui.widgets.rewards.detail import breakdown_text

        step = self.highlighted
        if step is not None:
            text = breakdown_text(step, self._viewer)
            self.app.push_screen(HelpScreen(Explanation("Points this turn", text), None))

    def commands(self) -> Iterator[SystemCommand]:
        """Yield the commands for the highlighted turn and the log."""
        yield SystemCommand("Breakdown", "What the highlighted turn paid", self.action_details)
        yield SystemCommand("Copy: the turn", "Copy the highlighted turn", self.action_copy)
        whole = partial(self.copy, self.plain)
        yield SystemCommand("Copy: the reward log", "Copy every turn with its points", whole)

    def action_copy(self) -> None:
        """Copy the highlighted turn with its breakdown."""
        from tui.widgets.rewards.detail import breakdown_text

        step = self.highlighted
        if step is not None:
            status = step.observation.view.status
            at = clock(status, status.minute)
            title = f"Turn {step.turn + 1}, {at}, {ROLE_NAMES[step.role]}"
            self.copy(f"{title}\n{breakdown_text(step, self._viewer)}")

    def on_click(self, event: Click) -> None:
        """Highlight the turn under the pointer."""
        at = event.y - self.gutter.top + self.scroll_offset.y
        if 0 <= at < len(self._turn_at):
            self.highlight(self._turn_at[at])

    def _tell(self) -> None:
        self.post_message(self.Highlighted(self.highlighted, self._viewer))

    def _fill(self) -> None:
        total = 0.0
        rows: list[Row] = []
        turn_at: list[int] = []
        width = max(1, self.scrollable_content_region.width)
        chosen = self.highlighted if self._at is not None else None
        self._is_low = self.size.height <= _LOW
        for turn, step in enumerate(self._steps):
            total += step.reward
            is_late = step.turn in self._late
            last = turn + 1 == len(self._steps)
            after = self._now if last else self._steps[turn + 1].observation.view
            for content in reward_rows(
                step, total, width, self._viewer, after, is_late=is_late, is_low=self._is_low
            ):
                rows.append(Row(content.stylize(chosen_style(self)) if step is chosen else content))
                turn_at.append(turn)
        self._turn_at = tuple(turn_at)
        if not rows:
            rows = [Row(Content.styled("Each turn's reward appears here.", MUTED))]
        self.border_subtitle = Content(f"total {signed(total)}")
        self.set_rows(rows, follow=self._at is None)


def reward_rows(
    step: EpisodeStep,
    total: float,
    width: int,
    viewer: AgentRole | None = None,
    after: RoleView | None = None,
    *,
    is_late: bool = False,
    is_low: bool = False,
) -> list[Content]:
    """Return a turn in lines of at most `width` cells: the action, each component, what happened.

    The usual components are on the first line if they fit, all others below it with
    their reasons.

    Args:
        after: What was seen after the turn; None if it isn't known.
        is_late: Whether the turn passed because time ran out.
        is_low: Whether to leave out the usual components if they don't fit on the first line.
    """
    status = step.observation.view.status
    head = f"t{step.turn + 1:<3}{clock(status, status.minute)} {ROLE_NAMES[step.role]:<10}"
    sums = f"{signed(step.reward):>8}{signed(total):>9}"
    parts = paid(step)
    room = width - _HEAD - _SUMS
    if room < _LEAST:
        first = Content.assemble((head[:4], MUTED), head[10:], (sums, "bold"))
        return [first, *_below(parts, step, after, width, 4)]
    done = timed(describe_in(step.observation.view, step.action, viewer), is_late=is_late)
    usual = "  ".join(_usual_cells(parts))
    fits = len(usual) < room - min(len(done), 2 * _LEAST)
    beside = usual if fits else ""
    act = Content(done).truncate(max(1, room - len(beside) - 1), ellipsis=True, pad=True)
    first = Content.assemble(
        (head[:10], MUTED), head[10:], act, " ", (beside, MUTED), (sums, "bold")
    )
    below = [part for part in parts if part.name not in USUAL or not (fits or is_low)]
    news = [] if is_low or after is None else happened(step.observation.view, after)
    return [
        first,
        *_below(below, step, after, width, _HEAD),
        *(line for each in news for line in _told(each, width)),
    ]


def _usual_cells(parts: Sequence[Paid]) -> Iterator[str]:
    """Yield the usual components, each as wide as at its most, so that they form columns."""
    briefs = {part.name: part.brief for part in parts}
    for component in COMPONENTS:
        if component.is_usual:
            width = len(component.word) + _MOST_OF_ONE
            yield briefs.get(component.name, "").ljust(width)


def _below(
    parts: Sequence[Paid], step: EpisodeStep, after: RoleView | None, width: int, indent: int
) -> Iterator[Content]:
    """Yield components with their reasons and who ordered it, a line each, or more if needed."""
    for part in parts:
        style = MUTED if part.name in USUAL else "bold"
        by = ordered(part.name, step.observation.view, after)
        text = Content.assemble(" " * indent, (part.full, style), (f" ({by})" if by else "", MUTED))
        yield from wrap_row(Row(text, indent), width)


def _told(news: Happening, width: int) -> Iterator[Content]:
    """Yield something that happened, a line or more."""
    indent = _HEAD + 2
    text = Content.assemble(" " * _HEAD, (f"{news.mark} ", "bold"), news.text)
    yield from wrap_row(Row(text, indent), width)
