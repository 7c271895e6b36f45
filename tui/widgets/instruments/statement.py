"""A text written before the incident."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.content import Content

from chaosops.env.models.readings import Statement
from chaosops.play.formatting import shown
from chaosops.play.readings import Looking
from tui.widgets.basic.lines import Lines, Row
from tui.widgets.instruments.part_view import PartView


class StatementLines(Lines):
    """The lines of a statement."""

    def __init__(self, part: Statement) -> None:
        super().__init__(None, classes="part-body")
        self._part = part

    def on_mount(self) -> None:
        """Show them."""
        self.set_rows([Row(Content(shown(line))) for line in self._part.lines])


class StatementView(PartView[Statement]):
    """Shows a text, such as an agent's policy."""

    TITLE = "Statement"
    EXPLAINED = "A text that was written before the incident, such as an agent's standing policy."

    def compose(self) -> ComposeResult:
        """Its lines."""
        yield StatementLines(self.part)

    def looking(self) -> Looking:
        """Return the rows in view."""
        rows = self.query_one(StatementLines).rows_in_view
        return Looking("statement", self.part.title, rows=rows)
