"""The recordings: replay, resume or delete them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from chaosops.env.models import TURN_ORDER
from chaosops.errors import ChaosOpsError, RecordingError
from chaosops.play.formatting import MUTED, ROLE_NAMES, shown, signed
from chaosops.play.game_requests import old_game
from chaosops.play.progress import begun_at, can_go_on
from chaosops.play.replay_model import replay_of
from chaosops.recording.events import SeatKind
from chaosops.recording.library import RecordedOutcome, RecordingSummary, find
from chaosops.recording.times import local_minute
from chaosops.recording.upkeep import delete
from tui.game_app import game_app
from tui.screen_requests import OpenNotice, OpenReplay, OpenStart
from tui.screens.dialogs.explained import Explained
from tui.screens.dialogs.notice import QuestionScreen
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.status.key_hints import KeyHints

if TYPE_CHECKING:
    from chaosops.recording.reader import Recording

_SHOWN: Final = ("all", "finished", "unfinished")
_WORDS: Final = {
    RecordedOutcome.RESOLVED: "✔ resolved",
    RecordedOutcome.UNRESOLVED: "✖ unresolved",
    RecordedOutcome.ABANDONED: "✖ given up",
    RecordedOutcome.POLICY_ERROR: "✖ error",
    RecordedOutcome.UNFINISHED: "▸ unfinished",
    RecordedOutcome.DAMAGED: "! damaged",
    RecordedOutcome.OTHER_VERSION: "! other version",
}


class RecordingsScreen(Explained, Remeasured, Screen[None]):
    """Lists recordings, the newest first. An unreadable file is listed with the reason."""

    CSS_PATH = "../../styles/recordings.tcss"
    TITLE = "Recordings"
    EXPLAINED = (
        "All recorded games, newest first. {recordings.replay} steps through one; a "
        "game that was left before its end can go on with {recordings.resume}. Nothing leaves "
        "this computer; {recordings.remove} deletes a recording permanently. 'chaosops recordings' "
        "on the command line verifies, rates and exports them."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "replay",
            "Replay",
            priority=True,
            id="recordings.replay",
            tooltip="Step through it",
        ),
        Binding("r", "resume", "Resume", id="recordings.resume", tooltip="Resume the game"),
        Binding(
            "f", "show_others", "Show", id="recordings.filter", tooltip="All, finished, unfinished"
        ),
        Binding("x", "remove", "Remove", id="recordings.remove", tooltip="Delete it permanently"),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            id="recordings.explain",
            tooltip="Explain this screen",
        ),
        Binding("escape,q", "close", "Back", id="recordings.close", tooltip="Back to the list"),
    ]

    def __init__(self, folder: Path, folders: Sequence[Path] = ()) -> None:
        """Create the list of recordings of a folder.

        Args:
            folders: Where scenarios are, besides the built-in set.
        """
        super().__init__()
        self._folder, self._folders = folder, tuple(folders)
        self._entries: tuple[RecordingSummary, ...] = ()
        self._which = 0
        self._busy = False

    def compose(self) -> ComposeResult:
        """Compose the title, the list and the description of the highlighted one."""
        yield Static(id="recordings-title", markup=False)
        yield Menu(id="recordings-list", markup=False, compact=True)
        yield Static(id="recordings-about", markup=False)
        yield KeyHints()

    def on_mount(self) -> None:
        """Show the screen, then read."""
        self.query_one(OptionList).focus()
        self._head("reading…")

    def on_screen_resume(self) -> None:
        """Read the folder again, since there may be another game."""
        self.call_after_refresh(self._read)

    @work(thread=True, group="recordings", exclusive=True)
    def _read(self) -> None:
        try:
            entries = sorted(find([self._folder]), key=begun_at, reverse=True)
            trouble = ""
        except RecordingError as error:
            entries, trouble = [], str(error)
        self.app.call_from_thread(self._take_in, tuple(entries), trouble)

    def _take_in(self, entries: tuple[RecordingSummary, ...], trouble: str) -> None:
        if self.is_up:
            self._entries = entries
            self._fill()
            if trouble:
                self._head(trouble)

    def _listed(self) -> list[RecordingSummary]:
        which = _SHOWN[self._which]
        if which == "all":
            return list(self._entries)
        unfinished = which == "unfinished"
        return [
            entry
            for entry in self._entries
            if (entry.outcome is RecordedOutcome.UNFINISHED) is unfinished
        ]

    def _fill(self) -> None:
        listing = self.query_one(OptionList)
        before = listing.highlighted or 0
        entries = self._listed()
        listing.set_options(Option(line_of(entry)) for entry in entries)
        listing.highlighted = min(before, len(entries) - 1) if entries else None
        self._head(f"{len(entries)} in {self._folder}")
        self._describe()
        self.refresh_bindings()

    def _head(self, words: str) -> None:
        which = _SHOWN[self._which]
        self.query_one("#recordings-title", Static).update(
            Content.assemble(
                ("Recordings", "bold $accent"), (f"  {which}: {shown(words, 400)}", MUTED)
            )
        )

    def _chosen(self) -> RecordingSummary | None:
        at = self.query_one(OptionList).highlighted
        entries = self._listed()
        return entries[at] if at is not None and at < len(entries) else None

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._describe()
        self.refresh_bindings()

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_replay()

    def _describe(self) -> None:
        entry = self._chosen()
        about = self.query_one("#recordings-about", Static)
        if entry is None:
            about.update("" if self._entries else "No recordings yet.")
        else:
            about.update(about_of(entry))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable what can be done with the highlighted one."""
        if action in ("replay", "remove", "resume") and self.is_up:
            entry = self._chosen()
            if action == "resume":
                return entry is not None and can_go_on(entry)
            return None if entry is None else True
        return True

    def action_replay(self) -> None:
        """Replay the highlighted one."""
        entry = self._chosen()
        if entry is not None and not self._busy:
            self._busy = True
            self._open(entry.path)

    @work(thread=True, group="recordings-open")
    def _open(self, path: Path) -> None:
        from chaosops.recording.reader import read_recording

        try:
            recording = read_recording(path)
        except ChaosOpsError as error:
            self.app.call_from_thread(self._failed, "Can't read the recording", str(error))
        else:
            self.app.call_from_thread(self._show, recording)

    def _show(self, recording: Recording) -> None:
        self._busy = False
        game_app(self).router.open(
            OpenReplay(
                replay_of(recording),
                closes=True,
                recordings=self._folder,
                folders=self._folders,
            )
        )

    def _failed(self, heading: str, why: str) -> None:
        self._busy = False
        game_app(self).router.open(OpenNotice(heading, why))

    def action_resume(self) -> None:
        """Resume the highlighted game."""
        entry = self._chosen()
        if entry is None or entry.header is None or not can_go_on(entry):
            return
        from chaosops.recording.resume import reopen

        take_up = partial(reopen, entry.path, self._folders)
        game = old_game(
            entry.header.current_scenario, take_up, self._folder, game_app(self).policies
        )
        failed = partial(OpenNotice, "Can't resume")
        game_app(self).router.open(OpenStart(game, failed))

    def action_show_others(self) -> None:
        """Show all, only finished, or only unfinished ones."""
        self._which = (self._which + 1) % len(_SHOWN)
        self._fill()

    def action_remove(self) -> None:
        """Delete the highlighted one after a confirmation."""
        entry = self._chosen()
        if entry is None:
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._remove(entry.path)

        text = f"{entry.path.name} will be deleted permanently."
        self.app.push_screen(QuestionScreen("Delete this recording?", text), answered)

    def _remove(self, path: Path) -> None:
        try:
            delete(path)
        except RecordingError as error:
            self.notify(str(error), severity="error")
        self._read()

    def action_close(self) -> None:
        """Return to the screen below."""
        self.app.pop_screen()


_DISCARDED: Final = "discarded"


def line_of(entry: RecordingSummary) -> Content:
    """Describe a recording in one line."""
    word = f"{_WORDS[entry.outcome] if entry.opinion.submitted else _DISCARDED:<16}"
    header = entry.header
    if header is None:
        return Content.assemble((word, "bold"), shown(entry.path.name, 80))
    begun = local_minute(header.started_at_ms)
    score = "" if entry.footer is None else signed(entry.footer.cumulative_reward)
    return Content.assemble(
        (f"{begun}  ", MUTED),
        word,
        (f"{score:>7}  ", "bold"),
        f"{entry.turns:>3} min  ",
        shown(header.current_scenario, 60),
        (f"  seed {header.seed}", MUTED),
    )


def about_of(entry: RecordingSummary) -> Content:
    """Describe who played, and the problems of the file."""
    lines: list[Content] = []
    if entry.header is not None:
        seats = entry.header.seats
        words = [
            f"{ROLE_NAMES[role]} {_seat_word(seats[role].kind, seats[role].policy)}"
            for role in TURN_ORDER
            if role in seats
        ]
        lines.append(Content(shown(", ".join(words), 300)))
    if not entry.opinion.submitted:
        ended = _WORDS[entry.outcome]
        lines.append(
            Content(f"Discarded ({ended}): excluded from stats and data sets; the file stays.")
        )
    if entry.problem:
        lines.append(Content.styled(shown(entry.problem, 300), "bold"))
    rated = entry.opinion.quality
    more = f"  rated {rated} of 5" if rated else ""
    lines.append(Content.styled(f"{shown(entry.path, 300)}{more}", MUTED))
    return Content("\n").join(lines)


def _seat_word(kind: SeatKind, policy: str | None) -> str:
    if kind is SeatKind.SCRIPTED:
        return policy or "policy"
    return "you" if policy is None else f"you + {policy}"
