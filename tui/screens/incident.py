"""The incident screen: the board, the picker and the reward log around one session."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Footer, Static

from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.recording.events import Ui
from chaosops.version import __version__
from tui.app import ChaosOpsApp
from tui.asking import Question
from tui.news import news
from tui.screens.layout import fold_for
from tui.session import Crew, Session, StaleTurn
from tui.widgets.board import Board
from tui.widgets.header import IncidentHeader, Seating
from tui.widgets.picker import Picker
from tui.widgets.reward_log import RewardLog
from tui.words import ROLE_NAMES, shown

_SLOW_AFTER = 8.0


class IncidentScreen(Screen[None]):
    """Plays one episode: waits for people, asks policies, shows what comes of it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left_square_bracket",
            "pane(-1)",
            "Previous pane",
            show=False,
            id="incident.previous_pane",
            tooltip="Show the pane before this one",
        ),
        Binding(
            "right_square_bracket",
            "pane(1)",
            "Next pane",
            key_display="[ ]",
            id="incident.next_pane",
            tooltip="Show the next pane",
        ),
        Binding("h", "hint", "Hint", id="incident.hint", tooltip="Ask for a hint; it costs points"),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            key_display="?",
            id="incident.explain",
            tooltip="Explain what has the focus",
        ),
        Binding(
            "x",
            "pass_for",
            "Pass for them",
            id="incident.pass_for",
            tooltip="Pass for a teammate who does not answer",
        ),
    ]

    def __init__(self, scenario: Scenario, crew: Crew, recordings: Path | None) -> None:
        super().__init__()
        self._scenario, self._crew, self._recordings = scenario, crew, recordings
        self._session: Session | None = None
        self._last_person: AgentRole | None = None
        self._question: Question | None = None
        self._slow: Timer | None = None

    @property
    def session(self) -> Session:
        """The game; there once the screen is mounted."""
        assert self._session is not None
        return self._session

    def compose(self) -> ComposeResult:
        """Header, banner, board and picker, reward log, footer."""
        people = self._crew.people
        yield IncidentHeader(Seating(self._crew.words(), people))
        yield Static(id="banner", markup=False)
        with Horizontal(id="body"):
            yield Board()
            yield Picker()
        yield RewardLog()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin the episode."""
        size = self.app.size
        ui = Ui(
            name="chaosops-tui",
            version=__version__,
            columns=size.width,
            rows=size.height,
            theme=self.app.theme,
        )
        self._session = Session(self._scenario, self._crew, recordings=self._recordings, ui=ui)
        self._show_shared()
        self._next()

    def on_unmount(self) -> None:
        """Close the log."""
        if self._session is not None:
            self._session.close()

    def on_resize(self, event: events.Resize) -> None:
        """Fold the board where there is little room."""
        fold_for(self, event.size)

    def on_key(self, event: events.Key) -> None:
        """Numbers and letters pick, wherever the focus is."""
        key = event.character
        if key and self.query_one(Picker).press(key):
            event.stop()
            event.prevent_default()

    def more_commands(self) -> Iterable[SystemCommand]:
        """What can be picked now, for the palette."""
        picker = self.query_one(Picker)
        for pick in picker.picks:
            if not pick.blocked:
                yield SystemCommand(
                    f"{pick.group.capitalize()}: {pick.label}",
                    f"Begin this action (key {pick.key})",
                    partial(picker.begin, pick.key),
                )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Passing for somebody needs somebody to wait for; a hint needs a person's turn."""
        if action == "pass_for":
            return self._question is not None
        if action == "hint":
            return self._session is not None and self._session.waits_for_person
        return True

    def action_pane(self, by: int) -> None:
        """Show another pane."""
        self.query_one(Board).step(by)

    def action_explain(self) -> None:
        """Explain what has the focus."""
        from tui.screens.help import HelpScreen, explanation_for

        self.session.help_opened()
        self.app.push_screen(HelpScreen(explanation_for(self.focused), self))

    def action_hint(self) -> None:
        """Offer the hints with their prices."""
        from tui.screens.hint import HintScreen

        self.app.push_screen(HintScreen(self.session))

    def action_pass_for(self) -> None:
        """Stop waiting for a policy; its seat passes."""
        if self._question is not None:
            self._question.give_up()

    @on(Picker.Touched)
    def _on_touched(self) -> None:
        self.session.touched()

    @on(Picker.Refused)
    def _on_refused(self) -> None:
        self.session.refused()

    @on(Board.Opened)
    def _on_opened(self) -> None:
        self.session.panes_opened(self.query_one(Board).open_panes())

    @on(Picker.Submitted)
    def _on_submitted(self, message: Picker.Submitted) -> None:
        try:
            self.session.submit(message.turn, message.action)
        except StaleTurn as stale:
            self.notify(str(stale))
            return
        self._show_shared()
        self._next()

    def _next(self) -> None:
        """Wait for a person, ask a policy, or end."""
        session = self.session
        self.refresh_bindings()
        if session.done:
            from tui.screens.end import EndScreen

            self.app.switch_screen(EndScreen(session))
        elif not session.waits_for_person:
            self._play_teammates()
        elif self._last_person in (None, session.role) and (
            self._last_person is not None or len(session.crew.people) == 1
        ):
            self._begin_turn()
        else:
            from tui.screens.handover import HandoverScreen

            self.query_one(Board).clear()
            self.query_one(Picker).close("")
            self.app.push_screen(HandoverScreen(session.role), self._handed_over)

    def _handed_over(self, result: bool | None) -> None:
        if self.is_attached:
            self._begin_turn()

    def _begin_turn(self) -> None:
        session = self.session
        view = session.observation.view
        self._last_person = session.role
        self._show_shared()
        board = self.query_one(Board)
        board.show(view)
        heading, lines = news(session.steps, session.observation)
        self.query_one(Picker).open_turn(session.turn, view, session.offers, lines, heading)
        session.shown()
        session.panes_opened(board.open_panes())
        self.refresh_bindings()

    @work(group="teammates", exclusive=True)
    async def _play_teammates(self) -> None:
        """Ask one policy after another until it is a person's turn, or over."""
        session = self.session
        picker = self.query_one(Picker)
        while not session.done and not session.waits_for_person:
            role, turn = session.role, session.turn
            name = session.crew.policy_name(role)
            picker.close(f"{ROLE_NAMES[role]} ({name}) decides.")
            self._show_shared()
            self._question = Question(session.policy(), session.observation, role)
            self._watch(role)
            answer = await self._question.answer()
            self._question = None
            self._unwatch()
            session.take_answer(turn, answer)
            self._show_shared()
            await self._pause()
        self._next()

    async def _pause(self) -> None:
        """Leave a teammate's turn in view for a moment."""
        import asyncio

        pace = self.app.pace if isinstance(self.app, ChaosOpsApp) else 0.0
        await asyncio.sleep(pace)

    def _watch(self, role: AgentRole) -> None:
        def slow() -> None:
            text = (
                f"{ROLE_NAMES[role]} has not answered for {_SLOW_AFTER:.0f} s. x passes for them."
            )
            self.query_one(Picker).close(text)

        self._slow = self.set_timer(_SLOW_AFTER, slow)
        self.refresh_bindings()

    def _unwatch(self) -> None:
        if self._slow is not None:
            self._slow.stop()
            self._slow = None

    def _show_shared(self) -> None:
        """Show what every role may see: the header, the reward log, and any trouble."""
        session = self.session
        acting = None if session.done else session.role
        self.query_one(IncidentHeader).show(session.observation, session.steps, acting)
        viewer = self._last_person or next(iter(sorted(session.crew.people)), None)
        self.query_one(RewardLog).show(session.steps, viewer)
        banner = self.query_one("#banner", Static)
        banner.update(Content(shown(session.trouble, 400)))
        banner.display = bool(session.trouble)
