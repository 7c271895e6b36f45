"""The replay screen: the same board and reward log, one recorded turn after another."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import Footer, Input, Static

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import AgentRole
from chaosops.recording.events import Decider, SeatKind
from chaosops.recording.reader import RecordedTurn, Recording
from tui.screens.layout import fold_for
from tui.widgets.board import Board
from tui.widgets.header import IncidentHeader, Seating
from tui.widgets.reward_log import RewardLog
from tui.widgets.turn_detail import TurnDetail, TurnNotes
from tui.words import shown


class Reel(NamedTuple):
    """What a replay shows: frames, who sat where, and what else is known of each turn."""

    steps: tuple[EpisodeStep, ...]
    seating: Seating
    title: str
    notes: tuple[TurnNotes, ...] = ()
    warnings: tuple[str, ...] = ()


def reel_of(recording: Recording) -> Reel:
    """A recording, ready to be shown."""
    header = recording.header
    words: dict[AgentRole, str] = {}
    people: set[AgentRole] = set()
    for role, seat in header.seats.items():
        if seat.kind is SeatKind.SCRIPTED:
            words[role] = seat.policy or "policy"
        else:
            words[role] = seat.kind.value
            people.add(role)
    unfinished = () if recording.footer else ("the game was not finished",)
    return Reel(
        recording.frames,
        Seating(words, frozenset(people)),
        f"{header.scenario} seed {header.seed}",
        tuple(_notes(turn) for turn in recording.turns),
        (*recording.warnings, *unfinished),
    )


def _notes(turn: RecordedTurn) -> TurnNotes:
    human = turn.human
    source = human.source.value
    if human.source is Decider.SCRIPTED and human.policy:
        source = human.policy
    seconds = None if human.latency_ms is None else human.latency_ms / 1000
    return TurnNotes(source, seconds, human.hints)


class ReplayScreen(Screen[None]):
    """Steps through a reel. Each turn shows what its own role saw."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "go(-1)", "Back", priority=True, id="replay.back", tooltip="A turn back"),
        Binding(
            "right", "go(1)", "Forward", priority=True, id="replay.forward", tooltip="A turn on"
        ),
        Binding(
            "home", "first", "First", priority=True, show=False, id="replay.first", tooltip="Turn 1"
        ),
        Binding(
            "end", "last", "Last", priority=True, show=False, id="replay.last", tooltip="Last turn"
        ),
        Binding("g", "jump", "Go to turn", id="replay.jump", tooltip="Go to a turn by its number"),
        Binding(
            "left_square_bracket",
            "pane(-1)",
            "Previous pane",
            show=False,
            id="replay.previous_pane",
            tooltip="Show the pane before this one",
        ),
        Binding(
            "right_square_bracket",
            "pane(1)",
            "Next pane",
            key_display="[ ]",
            id="replay.next_pane",
            tooltip="Show the next pane",
        ),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            key_display="?",
            id="replay.explain",
            tooltip="Explain what has the focus",
        ),
        Binding("escape,q", "close", "Close", id="replay.close", tooltip="Leave the replay"),
    ]

    def __init__(self, reel: Reel, *, closes: bool = False) -> None:
        """A replay of a reel.

        Args:
            closes: Closing goes back to the screen before; else it leaves the app.
        """
        super().__init__()
        self._reel = reel
        self._closes = closes
        self._at = 0

    @property
    def at(self) -> int:
        """The turn that is shown, counted from 0."""
        return self._at

    def compose(self) -> ComposeResult:
        """Header, what is odd about the file, board and turn, reward log, footer."""
        yield IncidentHeader(self._reel.seating)
        yield Static(id="banner", markup=False)
        with Horizontal(id="body"):
            yield Board()
            yield TurnDetail()
        yield RewardLog()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show the first turn."""
        banner = self.query_one("#banner", Static)
        banner.update(Content(shown("; ".join(self._reel.warnings), 400)))
        banner.display = bool(self._reel.warnings)
        self._show()

    def on_resize(self, event: events.Resize) -> None:
        """Fold the board where there is little room."""
        fold_for(self, event.size)

    def action_go(self, by: int) -> None:
        """Go some turns on or back."""
        self.go_to(self._at + by)

    def action_first(self) -> None:
        """Go to the first turn."""
        self.go_to(0)

    def action_last(self) -> None:
        """Go to the last turn."""
        self.go_to(len(self._reel.steps) - 1)

    def action_pane(self, by: int) -> None:
        """Show another pane."""
        self.query_one(Board).step(by)

    def action_jump(self) -> None:
        """Ask for a turn, and go there."""

        def jumped(turn: int | None) -> None:
            if turn is not None:
                self.go_to(turn - 1)

        self.app.push_screen(JumpScreen(len(self._reel.steps)), jumped)

    def action_explain(self) -> None:
        """Explain what has the focus."""
        from tui.screens.help import HelpScreen, explanation_for

        self.app.push_screen(HelpScreen(explanation_for(self.focused), self))

    def action_close(self) -> None:
        """Leave the replay."""
        if self._closes:
            self.dismiss()
        else:
            self.app.exit(0)

    def go_to(self, turn: int) -> None:
        """Show a turn, the nearest there is."""
        self._at = min(max(0, turn), max(0, len(self._reel.steps) - 1))
        self._show()

    def _show(self) -> None:
        steps, at = self._reel.steps, self._at
        detail = self.query_one(TurnDetail)
        detail.border_title = Content(shown(self._reel.title, 60))
        if not steps:
            detail.set_rows(())
            return
        step = steps[at]
        notes = self._reel.notes[at] if at < len(self._reel.notes) else TurnNotes()
        self.query_one(IncidentHeader).show(step.observation, steps[:at], step.role)
        self.query_one(Board).show(step.observation.view)
        self.query_one(RewardLog).show(steps[: at + 1], None)
        detail.show(step, notes, f"turn {at + 1} of {len(steps)}")


class JumpScreen(ModalScreen[int]):
    """Asks for the number of a turn."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", id="jump.close", tooltip="Back to the replay"),
    ]

    def __init__(self, turns: int) -> None:
        super().__init__()
        self._turns = turns

    def compose(self) -> ComposeResult:
        """One box."""
        with Vertical(id="jump-box", classes="box") as box:
            box.border_title = Content("Go to turn")
            box.border_subtitle = Content(f"1 to {self._turns}, Enter goes")
            yield Input(type="integer", max_length=4, compact=True, id="jump-turn")

    @on(Input.Submitted)
    def _on_entered(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip("+-").isdigit():
            self.dismiss(int(event.value))
        else:
            self.dismiss(None)
