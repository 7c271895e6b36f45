"""The lines of actions under way, and of what earlier ones have left in force."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from chaosops.env.models import RoleView
from chaosops.play.formatting import MUTED, in_flight_words
from chaosops.play.in_force import in_force_words, undo_words, undoable_first

_NOTHING = "nothing in flight"


class InFlightLine(Static):
    """Everyone's actions under way, soonest first, each with its minutes left."""

    def show(self, view: RoleView) -> None:
        """Take in a view."""
        self.update(in_flight_line(view))


class InForceLine(Static):
    """What is in force, what can be undone first; hidden where nothing is."""

    def show(self, view: RoleView) -> None:
        """Take in a view."""
        self.display = bool(view.in_force)
        self.update(in_force_line(view))


def in_force_line(view: RoleView) -> Content:
    """The line: "in force: 25 % of the load of edge shed (undo: ...)"."""
    words = " · ".join(
        f"{in_force_words(item)}, {undo_words(item)}" for item in undoable_first(view)
    )
    return Content.assemble(("in force: ", MUTED), (words, "bold"))


def in_flight_line(view: RoleView) -> Content:
    """The line: "in flight: restart db, Dev, 1 min left"."""
    items = sorted(view.in_flight, key=lambda item: (item.lands, item.taken))
    if not items:
        return Content.styled(_NOTHING, MUTED)
    words = " · ".join(in_flight_words(item, view.status.minute) for item in items)
    return Content.assemble(("in flight: ", MUTED), (words, "bold"))
