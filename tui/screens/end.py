"""The end screen: how it went, what it added up to, and what it was."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from chaosops.env.models import Status
from tui.app import ChaosOpsApp
from tui.outcome import Outcome, outcome
from tui.session import Session
from tui.widgets.header import Seating
from tui.words import MUTED, ROLE_NAMES, clock, shown, signed

_BAR = 30


class EndScreen(Screen[None]):
    """Shown when an episode has ended; nothing of it can change any more."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "replay", "Replay", id="end.replay", tooltip="Step through what was played"),
        Binding("n", "home", "New game", id="end.home", tooltip="Choose another incident"),
        Binding("q", "app.leave", "Quit", id="end.quit", tooltip="Leave the game"),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        observation = session.observation
        self._outcome = outcome(
            session.steps,
            resolved=session.resolved,
            diagnoses=observation.view.diagnoses,
        )

    def compose(self) -> ComposeResult:
        """Headline, sums, diagnosis, what it was, where the recording is."""
        status = self._session.observation.view.status
        with VerticalScroll(id="end"):
            yield Static(headline(self._outcome, status), id="end-headline")
            yield Static(waterfall(self._outcome), id="end-sums")
            yield Static(diagnosis_lines(self._outcome, status), id="end-diagnosis")
            yield Static(self._truth(), id="end-truth")
            yield Static(self._where(), id="end-recording")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Let the arrows scroll."""
        self.query_one("#end").focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A new game needs a list to choose from."""
        if action == "home":
            return isinstance(self.app, ChaosOpsApp) and self.app.has_home
        return True

    def action_replay(self) -> None:
        """Step through the episode."""
        from tui.screens.replay import Reel, ReplayScreen

        session = self._session
        reel = Reel(
            session.steps,
            Seating(session.crew.words(), session.crew.people),
            f"{session.scenario.title}, {session.scenario.label}",
        )
        self.app.push_screen(ReplayScreen(reel, closes=True))

    def action_home(self) -> None:
        """Choose another incident."""
        if isinstance(self.app, ChaosOpsApp):
            self.app.go_home()

    def _truth(self) -> Content:
        debrief = self._session.scenario.incident.debrief
        return Content.assemble(
            ("What it was  ", MUTED),
            (shown(debrief.title), "bold"),
            f"\n{shown(debrief.happened, 4_000)}",
            ("\n\nWhat misled  ", MUTED),
            shown(debrief.misleading, 4_000),
            ("\n\nThe lesson  ", MUTED),
            shown(debrief.lesson, 4_000),
            ("\n\nOf the same kind  ", MUTED),
            shown(debrief.same_kind),
        )

    def _where(self) -> Content:
        path = self._session.recording
        text = "Not recorded." if path is None else shown(path)
        parts = [Content.assemble(("Recording  ", MUTED), text)]
        if self._session.trouble:
            parts.append(Content.styled(shown(self._session.trouble, 400), "bold"))
        return Content("\n").join(parts)


def headline(result: Outcome, status: Status) -> Content:
    """Outcome, minutes and score in one line."""
    if not result.finished:
        what = f"Not finished after {result.turns} turns"
    elif result.resolved:
        what = f"✔ Resolved in {result.turns} min"
    else:
        what = f"✖ Not resolved after {result.turns} min"
    style = "bold $success" if result.resolved else "bold $error" if result.finished else "bold"
    return Content.assemble(
        (what, style),
        f"   score {signed(result.score)}",
        (f"   {shown(status.title, 120)}, paged at {clock(status, 0)} UTC", MUTED),
    )


def waterfall(result: Outcome) -> Content:
    """The sum of each component, with a bar on the scale of the largest."""
    largest = max((abs(value) for _, value in result.sums), default=1.0)
    lines = [Content.styled("What it added up to", "bold")]
    for word, value in result.sums:
        mark = "━" * max(1, round(abs(value) / largest * _BAR))
        lines.append(
            Content.assemble(f"{word:<18}", (f"{signed(value):>9}", "bold"), ("  " + mark, MUTED))
        )
    lines.append(Content.assemble(f"{'score':<18}", (f"{signed(result.score):>9}", "bold")))
    lines.append(
        Content.styled(
            f"team {signed(result.team)}   oversight {signed(result.oversight)}",
            MUTED,
        )
    )
    return Content("\n").join(lines)


def diagnosis_lines(result: Outcome, status: Status) -> Content:
    """Who declared which cause, when, and whether it was right."""
    if not result.diagnoses:
        return Content.assemble(("Diagnosis  ", MUTED), "nobody declared a cause")
    lines = []
    for made in result.diagnoses:
        word = "✔ right" if made.right else "✖ wrong"
        lines.append(
            Content.assemble(
                ("Diagnosis  ", MUTED),
                f"{clock(status, made.minute)} {ROLE_NAMES[made.role]}: ",
                (made.cause.value.replace("_", " "), "bold"),
                f"  {word}",
            )
        )
    return Content("\n").join(lines)
