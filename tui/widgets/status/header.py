"""The header: how bad it is, how long it has been, whose turn it is, and how the score stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import TURN_ORDER, AgentRole, ChaosOpsObservation, Status
from chaosops.play.cells import unplaced
from chaosops.play.formatting import MUTED, ROLE_NAMES, bar, clock, percent, shown, signed
from chaosops.play.seats import Seating
from chaosops.play.waiting import waiting
from chaosops.presenter import status_entry
from tui.widgets.status.in_flight import InFlightLine, InForceLine, waiting_line

__all__ = ["Facts", "IncidentHeader", "Seating", "seats", "story"]

_ONE_LINE = 100

_TREND = 0.001
"""The least change of availability over a round that is told as a trend."""

_IN_FIGURES = ("succeeded", "objective", "held", "hold", "budget")
"""Cells of the status that the header shows as figures; others follow them."""


class Facts(NamedTuple):
    """What the header shows; all but the shot clock is on the frames.

    Attributes:
        left: What is left of the turn's time, in words; empty without a shot clock.
    """

    status: Status
    turn: int
    score: float
    before: float | None
    left: str = ""


class IncidentHeader(Vertical):
    """Two lines where there is room, otherwise three; below them what waits or is in force."""

    TERMS = ("SLO", "error budget", "MTTR")
    EXPLAINED = (
        "First line: the page, the time, the turn, the time left for it if there is a shot clock, "
        "availability and whether it has risen (▲) or fallen (▼) in the last round, the remaining "
        "error budget, and the score. Below: the four seats, with ▸ at the one whose turn it is, "
        "and the actions that haven't landed yet. Below that: what can't wait, such as a status "
        "update, a request, or an error budget that will soon be empty if it goes on like this; "
        "and lasting effects of actions, such as shed load or a paused agent, and how to undo them."
    )

    def __init__(self, seating: Seating) -> None:
        super().__init__(id="header")
        self._seating = seating
        self._facts: Facts | None = None
        self._acting: AgentRole | None = None
        self._waiting: list[str] = []

    def compose(self) -> ComposeResult:
        """The story, the seats and what is in flight."""
        yield Static(id="story", markup=False)
        with Horizontal(id="seats-row"):
            yield Static(id="seats", markup=False)
            yield InFlightLine("in-flight")
        yield Static(id="waiting", markup=False)
        yield InForceLine("in-force")

    def seat(self, seating: Seating) -> None:
        """Take in who plays; it shows with the next view."""
        self._seating = seating

    def show(
        self,
        observation: ChaosOpsObservation,
        steps: Sequence[EpisodeStep],
        acting: AgentRole | None,
    ) -> None:
        """Take in a view.

        Args:
            observation: What is shown now.
            steps: The turns before it.
            acting: Whose turn it is, None where the episode is over.
        """
        earlier = steps[-len(TURN_ORDER) :]
        before = earlier[0].observation.view.status.users_ok if earlier else None
        score = sum(step.reward for step in steps)
        self._facts = Facts(observation.view.status, observation.step + 1, score, before)
        self._acting = acting
        self.query_one(InFlightLine).show(observation.view)
        self.query_one(InForceLine).show(observation.view)
        self._waiting = waiting(observation.view, steps)
        self.query_one("#waiting", Static).display = bool(self._waiting)
        self._fill()

    def tell_time(self, left: str) -> None:
        """Say what is left of the turn's time; empty where nobody's is running."""
        if self._facts is not None and left != self._facts.left:
            self._facts = self._facts._replace(left=left)
            self._fill()

    def on_resize(self, event: Resize) -> None:
        """Choose one line or two."""
        self._fill()

    def _fill(self) -> None:
        width = self.size.width
        if self._facts is not None and width:
            self.query_one("#story", Static).update(story(self._facts, width))
            if self._waiting:
                self.query_one("#waiting", Static).update(waiting_line(self._waiting, width))
            self.query_one("#seats", Static).update(
                seats(self._seating, self._acting, brief=width < _ONE_LINE)
            )


def story(facts: Facts, width: int) -> Content:
    """Page, clock, users, budget and score, in one line where the whole title fits, or in two."""
    status = facts.status
    turn = min(facts.turn, status.turns)
    when = Content.assemble(
        (f"{clock(status, status.minute)} UTC  turn {turn}/{status.turns}", MUTED),
        (f"  {facts.left}" if facts.left else "", "bold $warning"),
    )
    users = _users(facts)
    others = "".join(text for text, _style in unplaced(status_entry(status), (), _IN_FIGURES))
    left = f"{status.budget} %{others}"
    budget = f"budget {bar(status.budget / 100)} {left}"
    score = f"score {signed(facts.score)}"
    for brief in (budget, f"budget {left}"):
        figures = Content.assemble(when, "   ", users, f"   {brief}   ", (score, "bold"))
        if width >= _ONE_LINE and _title(status).cell_length + figures.cell_length + 2 <= width:
            return _spread(_title(status), figures, width)
    first = _spread(_title(status), when, width)
    second = _spread(users, Content.assemble(f"{budget}  ", (score, "bold")), width)
    return Content("\n").join([first, second])


def _title(status: Status) -> Content:
    return Content.styled(shown(status.title, 200), "bold")


def _users(facts: Facts) -> Content:
    status = facts.status
    trend = "= steady"
    if facts.before is None:
        trend = ""
    elif abs(status.users_ok - facts.before) >= _TREND:
        trend = "▲ rising" if status.users_ok > facts.before else "▼ falling"
    style = "$success"
    if status.users_ok < status.slo:
        style = "$warning" if status.users_ok >= status.slo - 0.05 else "$error"
    held = ""
    if status.held:
        held = f" held {min(status.held, status.hold)}/{status.hold} min"
    return Content.assemble(
        "availability ", (f"{percent(status.users_ok)} {trend}".rstrip(), f"bold {style}"), held
    )


def _spread(left: Content, right: Content, width: int) -> Content:
    room = max(0, width - right.cell_length - 2)
    if room < 8:
        return left.truncate(max(1, width), ellipsis=True)
    return left.truncate(room, ellipsis=True, pad=True) + Content("  ") + right


def seats(seating: Seating, acting: AgentRole | None, *, brief: bool) -> Content:
    """The four seats in the order of turns, the acting one marked."""
    parts: list[Content] = []
    for role in TURN_ORDER:
        now = role is acting
        word = shown(seating.words.get(role, ""), 24)
        if brief and role not in seating.people:
            word = ""
        style = ""
        if now:
            style = "bold $accent" if role in seating.people else "bold"
        name = f"{'▸' if now else ' '}{ROLE_NAMES[role]}"
        parts.append(Content.assemble((name, style), (f" {word}" if word else "", MUTED)))
    return Content(" " if brief else "   ").join(parts)
