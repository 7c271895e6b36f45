"""Lists what the role can do at one service or agent, each with what it does and risks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from chaosops.play.action_form.objects import ObjectMove, about, moves_at
from chaosops.play.formatting import MUTED, shown
from chaosops.play.session import Session
from tui.keys.labels import key_of
from tui.widgets.basic.lines import Row, wrap_row
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.outside import ClosedFromOutside
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.key_guard import TOO_SMALL, TOO_SOON, KeyGuard, is_drawn
from tui.widgets.picker.picker import Picker

_LIST: Final = "object-list"
_WIDEST: Final = 140
_FRAME: Final = 6
"""The border, the padding and the scrollbar beside the list."""

_NAME: Final = 16
_TAKES: Final = 9


def open_object_menu(picker: Picker, session: Session, subject: str) -> None:
    """List what the role whose turn it is can do at an object, and begin with what is chosen."""

    def begin(move: ObjectMove | None) -> None:
        if move is not None and picker.is_attached:
            picker.flow.begin_at(move)

    view = session.observation.view
    moves = moves_at(view, subject, session.offers) if session.waits_for_person else ()
    if moves:
        said = " · ".join(about(view, subject))
        picker.app.push_screen(ObjectMenu(said, moves, lambda: session.timing.now), begin)
    elif session.waits_for_person:
        picker.notify(f"Your role can do nothing at {shown(subject, 60)}.", markup=False)
    else:
        picker.notify("It isn't your turn.")


class ObjectMenu(ClosedFromOutside, Remeasured, ModalScreen[ObjectMove | None]):
    """Returns the chosen move; None if there is none.

    A look is taken at once, so none is chosen before the list could be read.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", "Close", id="object.close", tooltip="Back to the game"),
    ]

    def __init__(self, about: str, moves: Sequence[ObjectMove], clock: Callable[[], float]) -> None:
        """Create the list.

        Args:
            about: The object in a line.
            clock: A monotonic clock in seconds.
        """
        super().__init__()
        self._about, self._moves = about, tuple(moves)
        self._guard = KeyGuard(clock)

    def compose(self) -> ComposeResult:
        """Compose the object and the list."""
        with Vertical(id="object-box", classes="box") as box:
            box.border_title = Content("What can be done here")
            box.border_subtitle = Content(f"{key_of(self, 'object.close')} closes")
            yield Static(Content(self._about), id="object-about")
            yield Menu(id=_LIST, markup=False, compact=True)

    def on_mount(self) -> None:
        """Begin with the list; nothing is highlighted, so that an accidental Enter does nothing."""
        self.query_one(OptionList).focus()
        self._guard.show((_LIST,))

    def on_resize(self, event: events.Resize) -> None:
        """Wrap the lines for the width there is."""
        width = min(_WIDEST, event.size.width) - _FRAME
        listing = self.query_one(OptionList)
        before = listing.highlighted
        listing.set_options(_options(self._moves, max(1, width)))
        listing.highlighted = before

    def on_key(self, event: events.Key) -> None:
        """Choose by the key of a move."""
        chosen = next((move for move in self._moves if move.key == event.character), None)
        if chosen is not None:
            event.stop()
            event.prevent_default()
            self._choose(chosen)

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._choose(self._moves[int(event.option_id or "0")])

    def _choose(self, move: ObjectMove) -> None:
        if not is_drawn(self.query_one(OptionList)):
            self.notify(TOO_SMALL)
        elif self._guard.seen(_LIST):
            self.dismiss(move)
        else:
            self.notify(TOO_SOON)

    def action_close(self) -> None:
        """Go back without a choice."""
        self.dismiss(None)


def _options(moves: Sequence[ObjectMove], width: int) -> list[Option]:
    """Return the moves below headings, which say what those below them cost."""
    options: list[Option] = []
    heading = ("", "")
    for i, move in enumerate(moves):
        title = "Ask" if move.asks is not None else "Look" if move.is_look else "Do"
        if heading != (title, move.costs):
            name = title if title != heading[0] else ""
            row = Row(Content.assemble((f"{name:<4}  ", "bold"), (move.costs, MUTED)), 6)
            options.append(Option(_wrapped(row, width), disabled=True))
            heading = (title, move.costs)
        takes = f"{move.takes:<{_TAKES}}" if not move.is_look else ""
        head = Content.assemble((f" {move.key}  ", "bold"), move.label.ljust(_NAME), (takes, MUTED))
        row = Row(head + Content(move.does), head.cell_length)
        options.append(Option(_wrapped(row, width), id=str(i)))
    return options


def _wrapped(row: Row, width: int) -> Content:
    return Content("\n").join(wrap_row(row, width))
