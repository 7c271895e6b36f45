"""The layout of the incident screen: its parts and their content, without any logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from chaosops.env.models import AgentRole
from chaosops.play.action_form.state import Stage
from chaosops.play.action_form.suggestions import proposals_to
from chaosops.play.coach import Advice
from chaosops.play.formatting import shown
from chaosops.play.seats import Seating
from chaosops.play.session import Session
from chaosops.play.turn_digest import turn_digest
from tui.screens.board_layout import GAME_STYLES, fold_for
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.panes.board import Board
from tui.widgets.panes.logs import LogsPane
from tui.widgets.picker.picker import Picker
from tui.widgets.rewards.detail import RewardDetail
from tui.widgets.rewards.log import RewardLog
from tui.widgets.status.coach_line import CoachLine
from tui.widgets.status.header import IncidentHeader
from tui.widgets.status.key_hints import KeyHints

_PARTS: Final = (
    "#banner",
    "IncidentHeader",
    "Board",
    "CoachLine",
    "Picker",
    "OfferLines",
    "RewardLog",
)


class IncidentLayout(Remeasured, Screen[None]):
    """Header, banner, coach, board, picker, reward log and keys."""

    CSS_PATH: ClassVar[Any] = list(GAME_STYLES)

    def __init__(self, seating: Seating, clock: Callable[[], float]) -> None:
        """Create an empty board.

        Args:
            seating: Who plays at the start.
            clock: A monotonic clock in seconds, for the picker to tell what can have been seen.
        """
        super().__init__()
        self._seating, self._clock = seating, clock

    def compose(self) -> ComposeResult:
        """Compose the parts from top to bottom."""
        yield IncidentHeader(self._seating)
        yield Static(id="banner", markup=False)
        yield CoachLine()
        with Horizontal(id="body"):
            yield Board(can_choose=True)
            yield Picker(self._clock)
        with Horizontal(id="rewards"):
            yield RewardLog()
            yield RewardDetail()
        yield KeyHints()

    @property
    def has_all_parts(self) -> bool:
        """Whether every part exists; when the app closes, they go before the game stops."""
        return all(self.query_one_optional(part) is not None for part in _PARTS)

    def on_resize(self, event: events.Resize) -> None:
        """Fold the board if there is little room."""
        fold_for(self, event.size)

    @on(RewardLog.Highlighted)
    def _on_turn_highlighted(self, message: RewardLog.Highlighted) -> None:
        self.query_one(RewardDetail).show(message.step, message.viewer)

    @on(Picker.LinesWanted)
    def _on_lines_wanted(self, message: Picker.LinesWanted) -> None:
        self.query_one(LogsPane).find(message.words)

    @on(Picker.PaneWanted)
    def _on_pane_wanted(self, message: Picker.PaneWanted) -> None:
        self.query_one(Board).open(message.name)

    def show_shared(self, session: Session, viewer: AgentRole | None) -> None:
        """Show what every role may see: the header, the reward log, and any trouble.

        Args:
            viewer: Whose private messages the reward log may show; None for none.
        """
        if not self.has_all_parts:
            return
        header = self.query_one(IncidentHeader)
        header.seat(session.roster.seating())
        header.show(session.observation, session.steps, None if session.done else session.role)
        now = session.observation.view
        self.query_one(RewardLog).show(session.steps, viewer, session.late, now)
        banner = self.query_one("#banner", Static)
        banner.update(Content(shown(session.trouble, 400)))
        banner.display = bool(session.trouble)

    def show_turn(self, session: Session) -> None:
        """Show what the person whose turn it is sees, and open the picker."""
        view = session.observation.view
        self.query_one(Board).show(view)
        told = turn_digest(session.steps, session.observation, session.late)
        picker = self.query_one(Picker)
        picker.flow.open_turn(session.turn, view, session.offers, told, session.own_causes)
        picker.flow.offer(proposals_to(view))

    def show_watched(self, session: Session) -> None:
        """Show what a policy sees, if there is nobody to hide it from."""
        self.query_one(Board).show(session.observation.view)

    def show_advice(self, advice: Advice | None) -> None:
        """Show the coach's advice; None hides it."""
        self.query_one(CoachLine).show(advice)

    def action_select(self) -> None:
        """Go to a list in which something can be selected; again for the next one.

        A folded picker that waits for its first choice leaves the list its lines.
        """
        picker = self.query_one(Picker)
        if picker.flow.stage is Stage.PICK:
            picker.remove_class("-open")
        self.query_one(Board).select()

    def hide_view(self) -> None:
        """Hide everything that is private to the role in view."""
        self.query_one(Board).clear()
        self.query_one(Picker).flow.close("")
        self.show_advice(None)
