"""The line of actions that have been taken and have not landed yet."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from chaosops.env.models import RoleView
from tui.words import MUTED, in_flight_words

_NOTHING = "nothing in flight"


class InFlightLine(Static):
    """Everyone's actions under way, soonest first, each with its minutes left."""

    def show(self, view: RoleView) -> None:
        """Take in a view."""
        self.update(in_flight_line(view))


def in_flight_line(view: RoleView) -> Content:
    """The line: "in flight: restart db, Dev, 1 min left"."""
    items = sorted(view.in_flight, key=lambda item: (item.lands, item.taken))
    if not items:
        return Content.styled(_NOTHING, MUTED)
    words = " · ".join(in_flight_words(item, view.status.minute) for item in items)
    return Content.assemble(("in flight: ", MUTED), (words, "bold"))
