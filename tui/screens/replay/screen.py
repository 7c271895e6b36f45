"""The replay screen: the same board and reward log, one recorded turn after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from chaosops.play.formatting import shown
from chaosops.play.game_requests import forked_game
from chaosops.play.replay_model import Replay, TurnMark, TurnNotes, marked
from chaosops.play.replay_perspective import PERSPECTIVES
from chaosops.recording.reader import Recording
from tui.game_app import game_app
from tui.screen_requests import OpenFindings, OpenNotice, OpenStart
from tui.screens.board_layout import GAME_STYLES, fold_for
from tui.screens.dialogs.help import HelpScreen, explanation_for
from tui.screens.dialogs.jump import JumpScreen
from tui.screens.replay.playback import Playback
from tui.widgets.basic.lines import Row
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.panes.board import Board
from tui.widgets.panes.findings import FindingsPane
from tui.widgets.rewards.log import RewardLog
from tui.widgets.rewards.turn import TurnDetail
from tui.widgets.status.header import IncidentHeader
from tui.widgets.status.key_hints import KeyHints

_NO_TURNS: Final = "This game has no turns to step through."


_STEP: Final = Binding.Group("Step", compact=True)


def _key(
    key: str,
    action: str,
    name: str,
    about: str,
    *,
    show: bool = False,
    early: bool = False,
    group: Binding.Group | None = None,
) -> Binding:
    ident = f"replay.{name.lower().replace(' ', '_')}"
    return Binding(
        key, action, name, show=show, priority=early, id=ident, tooltip=about, group=group
    )


class ReplayScreen(Remeasured, Screen[None]):
    """Steps through a replay. Each turn is shown from the chosen perspective."""

    CSS_PATH: ClassVar[Any] = list(GAME_STYLES)

    BINDINGS: ClassVar[list[BindingType]] = [
        _key("left", "go(-1)", "Back", "Previous turn", show=True, early=True, group=_STEP),
        _key("right", "go(1)", "Forward", "Next turn", show=True, early=True, group=_STEP),
        _key("space", "play", "Play", "Play automatically, or stop", show=True, early=True),
        _key("home", "first", "First", "The first turn", early=True),
        _key("end", "last", "Last", "The last turn", early=True),
        _key("plus,equals_sign", "speed(1)", "Faster", "Play faster"),
        _key("minus", "speed(-1)", "Slower", "Play slower"),
        _key("g", "jump", "Jump", "Jump to a turn by its number", show=True),
        _key("n", "mark(1)", "Next", "Next turn of the selected kind"),
        _key("b", "mark(-1)", "Before", "Previous turn of the selected kind"),
        _key("m", "kind", "Kind", "Choose what Next goes to: your turns, fixes, ..."),
        _key("v", "eyes", "View", "See it as another role, or as all roles", show=True),
        _key("k", "fork", "Fork", "Play on from the current turn", show=True),
        Binding(
            "left_square_bracket",
            "pane(-1)",
            "Previous pane",
            show=False,
            id="replay.previous_pane",
            tooltip="Show the previous pane",
        ),
        Binding(
            "right_square_bracket",
            "pane(1)",
            "Next pane",
            show=False,
            id="replay.next_pane",
            tooltip="Show the next pane",
        ),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            id="replay.explain",
            tooltip="Explain the focused pane",
        ),
        Binding("escape,q", "close", "Close", id="replay.close", tooltip="Leave the replay"),
    ]

    def __init__(
        self,
        replay: Replay,
        *,
        closes: bool = False,
        fork: Callable[[int], None] | None = None,
        recordings: Path | None = None,
        folders: tuple[Path, ...] = (),
    ) -> None:
        """Create the screen of a replay.

        Args:
            closes: Whether closing returns to the screen below; otherwise it ends the app.
            fork: Plays on from a turn, counted from 0, instead of this screen; by default from
                the replay's recording, if it has one.
            recordings: The folder for recordings of forks; by default the user's.
            folders: Where scenarios are, besides the built-in set.
        """
        super().__init__()
        self.title = f"Replay: {shown(replay.title, 80)}"
        self._replay = replay
        self._closes = closes
        self._fork = fork
        self._recordings, self._folders = recordings, folders
        self.playback = Playback(len(replay.steps), self.set_interval, self._show)
        self._perspective = 0
        self._mark = TurnMark.OWN
        self._said = list(replay.warnings)
        self._proof = ""

    def compose(self) -> ComposeResult:
        """Compose the header, the file's oddities, the board, the turn, the log and the keys."""
        yield IncidentHeader(self._replay.seating)
        yield Static(id="banner", markup=False)
        with Horizontal(id="body"):
            yield Board()
            yield TurnDetail()
        yield RewardLog()
        yield KeyHints()

    def on_mount(self) -> None:
        """Show the first turn, and verify the file meanwhile."""
        self._show_banner()
        self._show()
        if self._replay.recording is not None:
            self._verify(self._replay.recording.path)

    def on_unmount(self) -> None:
        """Stop playing."""
        self.playback.cancel()

    def on_resize(self, event: events.Resize) -> None:
        """Fold the board if there is little room."""
        fold_for(self, event.size)
        if self.query(TurnDetail):
            self._show()

    def more_commands(self) -> Iterable[SystemCommand]:
        """Yield the perspectives, the kinds of turns and the panes' actions, for the palette."""
        yield from self.query_one(Board).commands()
        yield from self.query_one(RewardLog).commands()
        for i, perspective in enumerate(PERSPECTIVES):
            yield SystemCommand(
                f"View: {perspective.word}", "Show this view", partial(self._look, i)
            )
        for mark in TurnMark:
            yield SystemCommand(f"Next of: {mark.value}", "Go there", partial(self._seek, mark))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable playing on unless the whole game is known."""
        if action == "fork":
            source = self._fork or self._replay.recording
            return source is not None and bool(self._replay.steps)
        return True

    def action_go(self, by: int) -> None:
        """Go some turns forward or back."""
        self.playback.step(by)

    def action_first(self) -> None:
        """Go to the first turn."""
        self.playback.go_to(0)

    def action_last(self) -> None:
        """Go to the last turn."""
        self.playback.go_to_last()

    def action_play(self) -> None:
        """Play or stop; at the end, start over."""
        self.playback.toggle()

    def action_speed(self, by: int) -> None:
        """Play faster or more slowly."""
        self.playback.change_speed(by)

    def action_kind(self) -> None:
        """Choose the next kind of turn."""
        kinds = list(TurnMark)
        self._mark = kinds[(kinds.index(self._mark) + 1) % len(kinds)]
        self._show()

    def action_mark(self, by: int) -> None:
        """Go to the nearest turn of the chosen kind, forward or back."""
        self.playback.stop()
        turns, at = marked(self._replay, self._mark), self.playback.at
        if by > 0:
            found = next((turn for turn in turns if turn > at), None)
        else:
            found = next((turn for turn in reversed(turns) if turn < at), None)
        if found is None:
            where = "after" if by > 0 else "before"
            self.notify(f"There is none of {self._mark.value} {where} this turn.")
        else:
            self.playback.go_to(found)

    def action_eyes(self) -> None:
        """Show the next perspective: the acting role's, each role's, every role's."""
        self._look((self._perspective + 1) % len(PERSPECTIVES))

    def action_pane(self, by: int) -> None:
        """Show another pane."""
        self.query_one(Board).step(by)

    def action_jump(self) -> None:
        """Ask for a turn, and go there."""

        def jumped(turn: int | None) -> None:
            if turn is not None:
                self.playback.go_to(turn - 1)

        self.playback.stop()
        self.app.push_screen(JumpScreen(len(self._replay.steps)), jumped)

    def action_fork(self) -> None:
        """Play on from the shown turn; the recording stays as it is."""
        self.playback.stop()
        if self._fork is not None:
            self._fork(self.playback.at)
        elif self._replay.recording is not None:
            self._fork_recording(self._replay.recording)

    def _fork_recording(self, recording: Recording) -> None:
        game = forked_game(
            recording, self.playback.at, self._recordings, self._folders, game_app(self).policies
        )
        failed = partial(OpenNotice, "Can't play on from here")
        game_app(self).router.open(OpenStart(game, failed))

    @on(FindingsPane.Opened)
    def _on_finding_opened(self, message: FindingsPane.Opened) -> None:
        message.stop()
        game_app(self).router.open(OpenFindings(message.known, message.at, message.status))

    def action_explain(self) -> None:
        """Explain what has the focus."""
        self.playback.stop()
        self.app.push_screen(HelpScreen(explanation_for(self.focused), self))

    def action_close(self) -> None:
        """Leave the replay."""
        if self._closes:
            self.dismiss()
        else:
            self.app.exit(0)

    def _look(self, perspective: int) -> None:
        self._perspective = perspective
        self._show()

    def _seek(self, mark: TurnMark) -> None:
        self._mark = mark
        self.action_mark(1)

    def _show(self) -> None:
        steps, at = self._replay.steps, self.playback.at
        detail = self.query_one(TurnDetail)
        proof = f" {self._proof}" if self._proof else ""
        detail.border_title = Content(f"{shown(self._replay.title, 60)}{proof}")
        if not steps:
            detail.set_rows([Row(Content(_NO_TURNS))])
            return
        step = steps[at]
        notes = self._replay.notes[at] if at < len(self._replay.notes) else TurnNotes()
        self.query_one(IncidentHeader).show(step.observation, steps[:at], step.role)
        perspective = PERSPECTIVES[self._perspective]
        board, view = self.query_one(Board), perspective.view(steps, at)
        if view is None:
            board.clear()
        else:
            board.show(view)
        late = frozenset(turn for turn, known in enumerate(self._replay.notes) if known.late)
        self.query_one(RewardLog).show(steps[: at + 1], None, late)
        place = f"turn {at + 1} of {len(steps)}"
        if self.playback.playing:
            place = f"▶ x{self.playback.speed:g}  {place}"
        looks = f"view: {perspective.said(steps, at)}   next: {self._mark.value}"
        folded = self.has_class("-folded")
        if folded and self._proof:
            place = f"{self._proof}   {place}"
        detail.show(step, notes, place, looks, folded=folded)

    @work(thread=True, group="verify", exit_on_error=False)
    def _verify(self, path: Path) -> None:
        """Verify the recording, and show what differs."""
        from chaosops.errors import ChaosOpsError
        from chaosops.recording.verify import verify

        try:
            verdict = verify(path, self._folders)
        except ChaosOpsError as error:
            self.app.call_from_thread(self._verified, False, f"not checked: {error}")
        else:
            self.app.call_from_thread(self._verified, verdict.ok, verdict.reason)

    def _verified(self, ok: bool, what: str) -> None:
        if not self.is_up:
            return
        if ok:
            self._proof = "✔ verified"
        else:
            self._said.append(what)
            self._show_banner()
        self._show()

    def _show_banner(self) -> None:
        banner = self.query_one("#banner", Static)
        banner.update(Content(shown("; ".join(self._said), 600)))
        banner.display = bool(self._said)
