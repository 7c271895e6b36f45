"""Between two incidents of a shift: their cost, the lesson, an action item, and the next page."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from chaosops.errors import ChaosOpsError
from chaosops.play.formatting import MUTED, bar
from chaosops.play.shifts.words import Between
from tui.game_app import game_app
from tui.keys.labels import key_of
from tui.screen_requests import OpenDebrief, OpenShift
from tui.screens.dialogs.explained import Explained
from tui.widgets.basic.lines import Row, wrap_row
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.status.key_hints import KeyHints

if TYPE_CHECKING:
    from chaosops.play.session import Session
    from chaosops.play.shifts.shift import Shift

_BAR = 10
_INDENT: Final = 3
"""The cells of an item's key, below which its effect stands."""
_ROOMY: Final = 110
"""The width from which there are two columns."""
_KEYS: Final = ("between.first", "between.second", "between.third")


class ToldPart(Static):
    """A heading with what is told below it, or after it where there is little room."""

    def __init__(self, heading: str, *lines: str) -> None:
        super().__init__(classes="shift-part", markup=False)
        self._heading, self._told = heading, lines

    def tell(self, *, on_lines: bool) -> None:
        """Show it, each thing on a line of its own or all of them in a row."""
        if on_lines:
            self.update(Content.assemble((self._heading, "bold"), "\n", "\n".join(self._told)))
        else:
            self.update(Content.assemble((f"{self._heading}  ", "bold"), " ".join(self._told)))


class ShiftBetweenScreen(Explained, Remeasured, Screen[None]):
    """Tells what the last incident came to, and asks for an action item before the next one."""

    CSS_PATH = "../../styles/shift.tcss"
    EXPLAINED = (
        "A shift has one error budget: what an incident costs is missing in the next one. An "
        "incident that was lost takes at most what it has by itself.\n\n"
        "Choose one of three action items with {between.choose} or its number. It is carried "
        "out before the next incident and holds for that one alone: the fleet or its automation "
        "differs, and the cause is as strong as it would be without it.\n\n"
        "The shift is saved: you can leave now, and continue it later."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "choose",
            "Choose and go on",
            priority=True,
            id="between.choose",
            tooltip="Carry out the highlighted action item, and go on with the next incident",
        ),
        Binding("1", "take(0)", "First", show=False, id="between.first", tooltip="The first item"),
        Binding("2", "take(1)", "Second", show=False, id="between.second", tooltip="The second"),
        Binding("3", "take(2)", "Third", show=False, id="between.third", tooltip="The third item"),
        Binding(
            "d",
            "debrief",
            "Debrief",
            id="between.debrief",
            tooltip="All of the last incident's debrief",
        ),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            id="between.explain",
            tooltip="Explain this screen",
        ),
        Binding("escape", "back", "Back", id="between.back", tooltip="Save, and back to the list"),
        Binding("q", "app.leave", "Quit", show=False, id="between.quit", tooltip="Save and leave"),
    ]

    def __init__(self, shift: Shift, told: Between, sessions: tuple[Session, ...] = ()) -> None:
        """Create the screen.

        Args:
            sessions: The games of the shift that were played since the app began.
        """
        super().__init__()
        self.title = f"Shift: {told.over} of {told.incidents} over"
        self._shift, self._told, self._sessions = shift, told, sessions

    def compose(self) -> ComposeResult:
        """Compose the cost, the lesson, the action items and the next page."""
        told, left = self._told, self._shift.state.budget
        yield Static(
            Content.assemble(
                (f"Incident {told.over} of {told.incidents} is over", "bold $accent"),
                (f"   budget {bar(left / 100, _BAR)} {left} %", "bold"),
            ),
            id="shift-headline",
        )
        coming = told.next_page
        with (
            VerticalScroll(id="shift-between", can_focus=False),
            Container(id="shift-columns"),
        ):
            with Vertical(classes="shift-column"):
                yield ToldPart("What it cost", *(f"{line}." for line in told.cost))
                yield ToldPart("What it was", told.learned.truth)
                yield ToldPart("The lesson", told.learned.lesson)
            with Vertical(classes="shift-column"):
                yield Static(
                    Content.styled("Action item, carried out before the next incident", "bold")
                )
                yield Menu(id="shift-items", markup=False)
                where = f"Next, {coming.number} of {told.incidents}"
                yield ToldPart(where, f"{coming.title}.", coming.page)
        yield KeyHints()

    def on_resize(self, event: events.Resize) -> None:
        """Put what was and what comes side by side if there is room, otherwise below each other."""
        is_roomy = event.size.width >= _ROOMY
        self.set_class(is_roomy, "-roomy")
        for part in self.query(ToldPart):
            part.tell(on_lines=is_roomy)
        self.call_after_refresh(self.keys_changed)

    def _options(self, width: int) -> list[Option]:
        """Return the items: the key and the name, and below them the effect."""
        options = []
        for key, offer in zip(_KEYS, self._told.offers, strict=True):
            name = f"{key_of(self, key)}  {offer.name}"
            effect = Row(Content.assemble("   ", (offer.effect, MUTED)), _INDENT)
            lines = wrap_row(effect, max(1, width))
            head = Content.styled(name, "bold" if offer.helps else MUTED)
            options.append(Option(Content("\n").join([head, *lines])))
        return options

    def keys_changed(self) -> None:
        """Update the keys of the items."""
        items = self.query_one(OptionList)
        at = items.highlighted
        items.set_options(self._options(items.scrollable_content_region.width - 1))
        items.highlighted = at

    def on_mount(self) -> None:
        """Begin at the first item that changes something."""
        items = self.query_one(OptionList)
        items.set_options(self._options(self.app.size.width))
        helps = [offer.helps for offer in self._told.offers]
        items.highlighted = helps.index(True) if True in helps else 0
        items.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable what there is nothing for."""
        if action == "back":
            return game_app(self).router.has_home
        return action != "debrief" or bool(self._sessions)

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_take(event.option_index)

    def action_choose(self) -> None:
        """Take the highlighted item."""
        at = self.query_one(OptionList).highlighted
        if at is not None:
            self.action_take(at)

    def action_take(self, at: int) -> None:
        """Take an item, and go on."""
        shift = self._shift
        if at >= len(self._told.offers) or not shift.state.must_choose:
            return
        try:
            shift.choose(self._told.offers[at].improvement)
        except ChaosOpsError as error:
            self.app.notify(str(error), severity="error", timeout=15)
        title = self._told.next_page.title
        game_app(self).router.replace(OpenShift(lambda: shift, self._sessions, title))

    def action_debrief(self) -> None:
        """Open the debrief of the last incident."""
        game_app(self).router.open(OpenDebrief(self._sessions[-1], closes=True))

    def action_back(self) -> None:
        """Go back to the list of incidents."""
        game_app(self).router.go_home()
