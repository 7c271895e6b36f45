"""The end of a shift: stars by seat, the budget left, ratings, the code and the line to paste."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from chaosops.play.formatting import MUTED, ROLE_NAMES, bar
from chaosops.play.shifts.ratings import EXPLAINED
from chaosops.play.shifts.words import ShiftEnd, end_of
from chaosops.play.turn_glyphs import GLYPHS
from tui.game_app import game_app
from tui.screen_requests import OpenDebrief
from tui.screens.dialogs.ask_consent import ask_consent
from tui.screens.dialogs.explained import Explained
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.status.key_hints import KeyHints

if TYPE_CHECKING:
    from chaosops.play.session import Session
    from chaosops.play.shifts.shift import Shift

_BAR = 10


class ShiftEndScreen(Explained, Remeasured, Screen[None]):
    """Tells how a shift went."""

    CSS_PATH = "../../styles/shift.tcss"
    TITLE = "End of the shift"
    EXPLAINED = (
        f"{EXPLAINED} The second number is the mean over your newest shifts in that seat.\n\n"
        "The code gives the same shift to everyone who has the same version: 'chaosops shift "
        "CODE'. {ending.share} copies the line to paste. A turn of yours is a glyph in it: "
        + ", ".join(f"{glyph} {words}" for glyph, words in GLYPHS.items())
        + "."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "share", "Share", id="ending.share", tooltip="Copy the line to paste"),
        Binding("c", "code", "Code", id="ending.code", tooltip="Copy the code of the shift"),
        Binding(
            "d",
            "debrief",
            "Debrief",
            id="ending.debrief",
            tooltip="All of the last incident's debrief",
        ),
        Binding("n,escape", "home", "New game", id="ending.home", tooltip="Back to the list"),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            id="ending.explain",
            tooltip="Explain this screen",
        ),
        Binding("q", "app.leave", "Quit", show=False, id="ending.quit", tooltip="Leave"),
    ]

    def __init__(self, shift: Shift, sessions: tuple[Session, ...] = ()) -> None:
        """Create the screen of a shift that is over.

        Args:
            sessions: Its games that were played since the app began.
        """
        super().__init__()
        self._budget = shift.state.budget
        self._end: ShiftEnd = end_of(shift)
        self._line = " · ".join(self._end.share)
        self._sessions = sessions
        self._asked = False

    def compose(self) -> ComposeResult:
        """Compose the result, the ratings, the code and the line to paste."""
        end = self._end
        yield Static(
            Content.assemble(
                ("The shift is over", "bold $accent"),
                (f"   budget {bar(self._budget / 100, _BAR)} {self._budget} %", "bold"),
            ),
            id="shift-headline",
        )
        with VerticalScroll(id="shift-end"):
            yield Static(Content(f"{end.headline}."), classes="shift-part")
            yield Static(Content("\n\n").join(map(_two_lines, end.incidents)), classes="shift-part")
            if end.ratings:
                yield Static(
                    Content("\n").join(
                        Content.assemble(
                            (f"{ROLE_NAMES[seat.role]:<10}", MUTED),
                            (f"rated {seat.rating:>3} of 100", "bold"),
                            (f"   {seat.mean} over your newest shifts", MUTED),
                        )
                        for seat in end.ratings
                    ),
                    classes="shift-part",
                )
            yield Static(
                Content.assemble(
                    ("Same shift for a colleague   ", MUTED),
                    (f"chaosops shift {end.code}", "bold"),
                ),
                classes="shift-part",
            )
            yield Static(Content.assemble(("To paste   ", MUTED), self._line))
        yield KeyHints()

    def on_mount(self) -> None:
        """Let the keys scroll what doesn't fit."""
        self.query_one("#shift-end").focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable what there is nothing for."""
        if action == "home":
            return game_app(self).router.has_home
        return action != "debrief" or bool(self._sessions)

    def action_share(self) -> None:
        """Copy the line to paste."""
        self.app.copy_to_clipboard(self._line)
        self.app.notify("Copied, if the terminal allows it: the line to paste.")

    def action_code(self) -> None:
        """Copy the code."""
        self.app.copy_to_clipboard(self._end.code)
        self.app.notify("Copied, if the terminal allows it: the code of the shift.")

    def action_debrief(self) -> None:
        """Open the debrief of the last incident."""
        game_app(self).router.open(OpenDebrief(self._sessions[-1], closes=True))

    def action_home(self) -> None:
        """Go back to the list of incidents."""
        router = game_app(self).router
        if not self.asks_before(router.go_home):
            router.go_home()

    def asks_before(self, leave: Callable[[], object]) -> bool:
        """Ask for consent once, after a player's first shift; then leave.

        Returns:
            Whether it asks; if not, the caller has to leave.
        """
        if self._asked:
            return False
        self._asked = ask_consent(game_app(self), self._sessions, leave)
        return self._asked


def _two_lines(incident: str) -> Content:
    """Return an incident's title, and below it how it went."""
    title, _colon, rest = incident.partition(": ")
    return Content.assemble((title, "bold"), "\n  ", rest)
