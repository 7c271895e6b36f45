"""The logs pane: the tail of the logs the role reads."""

from __future__ import annotations

from textual.content import Content

from chaosops.env.models import LogLevel, RoleView
from tui.widgets.lines import Row
from tui.widgets.pane import Pane
from tui.words import MUTED, clock, shown

_STYLES = {LogLevel.INFO: MUTED, LogLevel.WARN: "", LogLevel.ERROR: "bold"}


class LogsPane(Pane):
    """One line an entry, the newest at the end."""

    NAME = "logs"
    TITLE = "Logs"
    NOTHING = "Log lines of the services you read appear here."
    EXPLAINED = (
        "The tail of the logs your role reads, newest at the end. A line says what a service "
        "noticed, which need not be what is wrong: callers log the failures of what they call."
    )

    @classmethod
    def sees(cls, view: RoleView) -> bool:
        """Whether the role reads logs."""
        return view.logs is not None

    @classmethod
    def count(cls, view: RoleView) -> int | None:
        """Lines in the tail."""
        return len(view.logs or ())

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """Time, service, level, text."""
        lines = view.logs or ()
        names = max((len(line.service) for line in lines), default=0)
        room = min(names, 16)
        rows = []
        for line in lines:
            name = shown(line.service, room).ljust(room)
            head = f"{clock(view.status, line.minute)} {name} "
            style = _STYLES[line.level]
            content = Content.assemble(
                (head, MUTED),
                (f"{line.level.value:<5} ", style),
                (shown(line.text), style),
            )
            rows.append(Row(content, len(head) + 6))
        return rows
