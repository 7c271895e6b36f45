"""What every pane of the board has in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Final

from textual.app import SystemCommand
from textual.content import Content
from textual.geometry import Size

from chaosops.env.models import RoleView
from chaosops.play.formatting import MUTED
from chaosops.presenter import PARTS, entries
from tui.widgets.basic.lines import Lines, Row, wrap_row
from tui.widgets.panes.spread import PaneNeeds

FRAME: Final = Size(5, 2)
"""The border, the padding and the scrollbar of a pane that has a border."""


class Pane(Lines):
    """Shows one part of a `RoleView`.

    Subclasses say which part (`NAME`), which of its sections the tab counts (`COUNTED`), how its
    rows are laid out (`rows`), what the tab is called, whether its rows are columns that don't
    wrap (`IS_TABLE`), whether it stands beside the others where all are shown at once (`IS_TALK`),
    and what a player may ask about it (`EXPLAINED`, and `TERMS` of the glossary). They read the
    presenter's rows alone.
    """

    NAME: ClassVar[str] = ""
    TITLE: ClassVar[str] = ""
    NOTHING: ClassVar[str] = ""
    EXPLAINED: ClassVar[str] = ""
    TERMS: ClassVar[tuple[str, ...]] = ()
    FOLLOWS: ClassVar[bool] = True
    COUNTED: ClassVar[tuple[str, ...]] = ()
    IS_TABLE: ClassVar[bool] = False
    IS_TALK: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__(self.NAME)
        self.border_title = Content(self.TITLE)
        self._view: RoleView | None = None
        self._is_filled = False

    @classmethod
    def sees(cls, view: RoleView) -> bool:
        """Whether the role has this pane."""
        return PARTS[cls.NAME].is_seen(view)

    @classmethod
    def count(cls, view: RoleView) -> int | None:
        """The number on the tab, where one helps."""
        if not cls.COUNTED or not cls.sees(view):
            return None
        return sum(len(entries(view, cls.NAME, section)) for section in cls.COUNTED)

    # A widget has a metaclass of its own, so that only the type checker refuses a pane without it.
    @abstractmethod
    def rows(self, view: RoleView, width: int) -> list[Row]:
        """What to show at a width in cells."""

    def needs(self, most: Size) -> PaneNeeds:
        """What it needs on a board of some size, to show all of its rows."""
        widest = 0
        if self.IS_TABLE:
            rows = self.rows_at(max(1, most.width - FRAME.width))
            widest = max(row.content.cell_length for row in rows) + FRAME.width

        def lines(width: int) -> int:
            found = 0
            room = max(1, width - FRAME.width)
            for row in self.rows_at(room):
                found += len(wrap_row(row, room))
                if found >= most.height:
                    break
            return found + FRAME.height

        return PaneNeeds(self.NAME, widest, lines, is_talk=self.IS_TALK)

    @property
    def is_selectable(self) -> bool:
        """Whether one of its rows can be selected and opened."""
        return False

    def commands(self) -> Iterator[SystemCommand]:
        """What can be done here, for the palette, wherever the focus is."""
        title = f"Copy: {self.TITLE.lower()}"
        yield SystemCommand(title, "Copy the whole list", self.action_copy)

    def show(self, view: RoleView) -> None:
        """Take in a view; a role that does not see this part empties the pane."""
        self._view = view if self.sees(view) else None
        self._is_filled = False

    def reveal(self, visible: bool) -> None:
        """Show or hide the pane. Its rows are only made once it is visible."""
        self.display = visible
        if visible and not self._is_filled:
            self._fill()

    def clear(self) -> None:
        """Hide what was shown."""
        self._view = None
        self.set_rows(())

    def width_changed(self) -> None:
        """Lay the rows out for the new width."""
        self._fill()

    def rows_at(self, width: int) -> list[Row]:
        """What is shown at a width, a word where there is nothing; no row without a view."""
        if self._view is None:
            return []
        return self.rows(self._view, width) or [Row(Content.styled(self.NOTHING, MUTED))]

    def _fill(self) -> None:
        self._is_filled = True
        if self._view is None:
            self.set_rows(())
            return
        width = max(1, self.scrollable_content_region.width)
        self.set_rows(self.rows_at(width), follow=self.FOLLOWS)
