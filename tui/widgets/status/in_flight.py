"""The lines of actions under way, and of what earlier ones have left in force."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from chaosops.env.models import RoleView
from chaosops.play.formatting import MUTED
from chaosops.play.in_force import (
    effect,
    effect_and_undo,
    in_flight,
    in_flight_brief,
    in_flight_count,
    in_force,
)
from tui.keys.labels import key_if_any

_NOTHING = "nothing in flight"
_LABEL = "in flight: "
_LINES = 2
"""Lines that what is in force, or what waits, may take."""


class InFlightLine(Static):
    """Everyone's actions under way, soonest first, each with its minutes left."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name, markup=False)
        self._view: RoleView | None = None

    def show(self, view: RoleView) -> None:
        """Take in a view."""
        self._view = view
        self._fill()

    def on_resize(self) -> None:
        """Say as much as there is room for."""
        self._fill()

    def _fill(self) -> None:
        if self._view is not None:
            self.update(in_flight_line(self._view, self.size.width))


class InForceLine(Static):
    """What is in force, what can be undone first; hidden where nothing is."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name, markup=False)
        self._view: RoleView | None = None

    def show(self, view: RoleView) -> None:
        """Take in a view."""
        self._view = view
        self.display = bool(in_force(view))
        self._fill()

    def on_resize(self) -> None:
        """Say as much as there is room for."""
        self._fill()

    def keys_changed(self) -> None:
        """Name the key as it is now."""
        self._fill()

    def _fill(self) -> None:
        if self._view is not None and in_force(self._view):
            key = key_if_any(self, "incident.news")
            self.update(in_force_line(self._view, self.size.width, key))


def in_force_line(view: RoleView, width: int = 0, key: str = "") -> Content:
    """What is in force and what undoes it, in at most two lines: "in force: ..., undo: ...".

    Where that is too long, what undoes it is left out, and then what comes last.

    Args:
        width: Cells of a line; 0 for as many as it takes.
        key: The key that tells all of it, to be named where something is left out.
    """
    items = in_force(view)
    more = f" · {key}: how to undo it" if key else ""
    full = " · ".join(map(effect_and_undo, items))
    brief = [effect(item) for item in items]
    forms = [full, " · ".join(brief) + more]
    for count in range(len(brief) - 1, 0, -1):
        forms.append(" · ".join(brief[:count]) + f" · {len(brief) - count} more{more}")
    lines = [Content.assemble(("in force: ", MUTED), (form, "bold")) for form in forms]
    fitting = (line for line in lines if not width or len(line.wrap(width)) <= _LINES)
    return next(fitting, lines[-1])


def in_flight_line(view: RoleView, width: int = 0) -> Content:
    """The line: "in flight: restart db, Dev, 1 min left".

    Where that is too long, how wide they are and who ordered them is left out, then those that
    land last: minutes are never cut off.

    Args:
        width: Cells of the line; 0 for as many as it takes.
    """
    items = in_flight(view)
    if not items:
        return Content.styled(_NOTHING, MUTED)
    brief = in_flight_brief(view)
    forms = [(_LABEL, " · ".join(items)), (_LABEL, " · ".join(brief)), ("", " · ".join(brief))]
    forms += [
        ("", " · ".join(brief[:count]) + f" · {len(brief) - count} more")
        for count in range(len(brief) - 1, 0, -1)
    ]
    forms.append(("", in_flight_count(view)))
    lines = [Content.assemble((label, MUTED), (form, "bold")) for label, form in forms]
    return next((line for line in lines if not width or line.cell_length <= width), lines[-1])


def waiting_line(items: Sequence[str], width: int) -> Content:
    """What can't wait, the most urgent first, in at most two lines; what doesn't fit is counted."""
    forms = [" · ".join(items)]
    for count in range(len(items) - 1, 0, -1):
        forms.append(" · ".join(items[:count]) + f" · {len(items) - count} more")
    lines = [Content.styled(form, "bold") for form in forms]
    fitting = (line for line in lines if not width or len(line.wrap(width)) <= _LINES)
    return next(fitting, lines[-1])
