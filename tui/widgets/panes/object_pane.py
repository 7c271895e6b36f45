"""A pane whose rows are about services or agents, at which something can be done."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Click
from textual.message import Message

from tui.widgets.panes.pane import Pane


class ObjectPane(Pane):
    """Highlights one of its rows while it has the focus, and lets the player choose it.

    A list that follows the game begins at its newest row, any other one at its first.

    Attributes:
        doable: The services and agents at which the player can do something now; empty where no
            game is played, as in a replay. Only their rows can be highlighted.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False, id="object.up", tooltip="Row above"),
        Binding("down", "move(1)", "Down", show=False, id="object.down", tooltip="Row below"),
        Binding(
            "enter",
            "choose",
            "Open",
            id="object.open",
            tooltip="List what you can do at the highlighted service or agent",
        ),
    ]

    class ObjectChosen(Message):
        """The player wants to do something at an object."""

        def __init__(self, subject: str) -> None:
            super().__init__()
            self.subject = subject

    def __init__(self) -> None:
        super().__init__()
        self._at: int | None = None
        self.doable: frozenset[str] = frozenset()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer nothing where nothing can be done."""
        return self.has_subjects if action == "choose" else True

    @property
    def highlighted(self) -> int | None:
        """The place of the highlighted row; None where no row has a subject."""
        places = self._places()
        if not places:
            return None
        if self._at is None:
            first = (place for place in places if self._rows[place].subject == self.first_subject)
            return next(first, places[-1 if self.FOLLOWS else 0])
        return min(places, key=lambda place: abs(place - (self._at or 0)))

    @property
    def first_subject(self) -> str:
        """The service or agent whose row is highlighted first; empty for the first or last row."""
        return ""

    @property
    def subject(self) -> str:
        """The service or agent of the highlighted row; empty where none is highlighted."""
        return "" if self.highlighted is None else self._rows[self.highlighted].subject

    @property
    def has_subjects(self) -> bool:
        """Whether any row can be highlighted."""
        return bool(self._places())

    @property
    def is_selectable(self) -> bool:
        """Whether any row can be highlighted."""
        return self.has_subjects

    def _places(self) -> list[int]:
        return [place for place, row in enumerate(self._rows) if row.subject in self.doable]

    def clear(self) -> None:
        """Hide what was shown; the next role begins where the list begins."""
        self._at = None
        super().clear()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show which row is highlighted while the pane has the focus, and none otherwise."""
        super().watch_has_focus(has_focus)
        self._mark()

    def action_move(self, by: int) -> None:
        """Highlight another row; past the end of a list that follows, follow the game again."""
        at, places = self.highlighted, self._places()
        if at is None:
            self.scroll_relative(y=by, animate=False)
            return
        next_at = places.index(at) + by
        is_past = next_at >= len(places) and self.FOLLOWS
        self._at = None if is_past else places[min(max(0, next_at), len(places) - 1)]
        self._mark()
        self.scroll_to_row(self.highlighted or 0)

    def action_choose(self) -> None:
        """Choose the highlighted row."""
        if self.highlighted is not None:
            self.post_message(self.ObjectChosen(self.subject))

    def on_click(self, event: Click) -> None:
        """Choose the row under the pointer."""
        row = self.row_at(event.y - self.gutter.top)
        if row in self._places():
            self._at = row
            self._mark()
            self.action_choose()

    def _fill(self) -> None:
        super()._fill()
        self._mark()

    def _mark(self) -> None:
        self.highlight(self.highlighted if self.has_focus else None)
