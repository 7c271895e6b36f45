"""Shows the reading of a finding above the game, if wanted with another one beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from chaosops.env.models import Status
from chaosops.play.formatting import MUTED, ROLE_NAMES, clock, shown
from chaosops.play.instrument_use import Watched
from chaosops.play.readings import KnownFinding
from tui.screens.dialogs.help import HelpScreen, explanation_for
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.instruments.deck import Deck
from tui.widgets.status.key_hints import KeyHints

BESIDE_FROM: Final = 160
"""The width from which two findings are side by side."""


def nobody(watched: Sequence[Watched]) -> None:
    """Ignore what is viewed."""


class InstrumentScreen(Remeasured, Screen[None]):
    """Shows the findings of a role, one at a time or two side by side."""

    CSS_PATH: ClassVar[Any] = ["../../styles/instrument.tcss"]

    EXPLAINED = (
        "What an instrument showed at the time of the investigation; it no longer changes. The "
        "keys move between its parts and between findings, and pin this finding on the left to "
        "compare it with others."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss", "Close", id="instrument.close", tooltip="Back to the game"),
        Binding(
            "semicolon",
            "part(-1)",
            "Previous part",
            show=False,
            id="instrument.previous_part",
            tooltip="Previous part",
        ),
        Binding(
            "comma",
            "part(1)",
            "Part",
            key_display=", ;",
            id="instrument.next_part",
            tooltip="Another part of what the instrument showed",
        ),
        Binding(
            "less_than_sign",
            "finding(-1)",
            "Previous finding",
            show=False,
            id="instrument.previous_finding",
            tooltip="Previous finding",
        ),
        Binding(
            "greater_than_sign",
            "finding(1)",
            "Finding",
            key_display="< >",
            id="instrument.next_finding",
            tooltip="Another finding",
        ),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            key_display="?",
            id="instrument.explain",
            tooltip="Explain the focused pane",
        ),
        Binding(
            "v",
            "beside",
            "Beside",
            id="instrument.beside",
            tooltip="Keep this finding on the left, and show others beside it",
        ),
    ]

    def __init__(
        self,
        known: Sequence[KnownFinding],
        at: int,
        status: Status,
        *,
        watch: Callable[[Sequence[Watched]], None] | None = None,
        helped: Callable[[], None] | None = None,
    ) -> None:
        """Create the screen of a role's findings.

        Args:
            known: Its findings.
            at: Which of them to show first.
            status: The current status, for times of day.
            watch: Called with what is in view whenever that changes, and with nothing at the end.
                None to track nothing.
            helped: Called when an explanation is opened.
        """
        super().__init__()
        self._known, self._at, self._status = tuple(known), at, status
        self._kept: int | None = None
        self._watch, self._helped = watch or nobody, helped

    def compose(self) -> ComposeResult:
        """Compose a header, room for one or two findings, and the keys."""
        yield Static(id="instrument-head", markup=False)
        yield Horizontal(id="instrument-body")
        yield KeyHints()

    async def on_mount(self) -> None:
        """Show the finding."""
        await self._show()

    def on_unmount(self) -> None:
        """Note that nothing is in view any more."""
        self._watch(())

    async def on_resize(self, event: events.Resize) -> None:
        """Close the second finding if there is no room for it."""
        self.set_class(event.size.height < 20, "-low")
        if self._kept is not None and event.size.width < BESIDE_FROM:
            self._kept = None
            await self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable what needs more findings, parts or room."""
        if action == "finding":
            return len(self._known) > 1
        if action == "beside":
            if len(self._known) < 2:
                return False
            return True if self.size.width >= BESIDE_FROM else None
        if action == "part":
            return any(deck.count > 1 for deck in self.query(Deck))
        return True

    def action_part(self, by: int) -> None:
        """Go to another part of the focused finding."""
        self._deck().step(by)

    async def action_finding(self, by: int) -> None:
        """Show another finding, wrapping around."""
        self._at = (self._at + by) % len(self._known)
        if self._at == self._kept:
            self._at = (self._at + by) % len(self._known)
        await self._show()

    async def action_beside(self) -> None:
        """Keep this finding on the left and show another beside it, or show only one again."""
        if self._kept is None:
            self._kept = self._at
            self._at = (self._at - 1) % len(self._known)
        else:
            self._kept = None
        await self._show()

    def action_explain(self) -> None:
        """Explain what has the focus."""
        if self._helped is not None:
            self._helped()
        self.app.push_screen(HelpScreen(explanation_for(self.focused), self))

    def on_deck_looked(self, message: Deck.Looked) -> None:
        """Report what is in view."""
        message.stop()
        self._tell()

    def _deck(self) -> Deck:
        """Return the focused finding, or the right one."""
        decks = list(self.query(Deck))
        focused = self.focused
        around = () if focused is None else focused.ancestors
        return next((deck for deck in decks if deck in around), decks[-1])

    async def _show(self) -> None:
        shown_now = [self._at] if self._kept is None else [self._kept, self._at]
        body = self.query_one("#instrument-body")
        with self.app.batch_update():
            await body.remove_children()
            decks = [Deck(self._known[number], self._status) for number in shown_now]
            decks[-1].set_class(len(decks) > 1, "-right")
            await body.mount_all(decks)
        self.query_one("#instrument-head", Static).update(self._head(shown_now))
        decks[-1].focus_part()
        self.refresh_bindings()
        self._tell()

    def _tell(self) -> None:
        self._watch(
            [
                Watched(deck.known, looking)
                for deck in self.query(Deck)
                for looking in deck.looking()
            ]
        )

    def _head(self, numbers: Sequence[int]) -> Content:
        """Describe each shown finding: what was investigated, when and by whom."""
        parts = [_title(self._known[number], self._status) for number in numbers]
        count = len(self._known)
        end = f"  {self._at + 1} of {count}" if count > 1 else ""
        return Content.assemble(Content("   │   ").join(parts), (end, MUTED))


def _title(known: KnownFinding, status: Status) -> Content:
    found = known.finding
    ago = status.minute - found.minute
    when = "now" if ago <= 0 else f"{ago} min ago"
    whose = "" if known.sender is None else f", shared by {ROLE_NAMES[known.sender]}"
    number = "" if known.number is None else f"finding {known.number}: "
    return Content.assemble(
        (number, MUTED),
        (f"{found.source.value} of {shown(found.target, 40)}", "bold"),
        (f"  {clock(status, found.minute)}, {when}{whose}", MUTED),
    )
