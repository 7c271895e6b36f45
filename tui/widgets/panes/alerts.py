"""The alerts pane: what fires now, and since when."""

from __future__ import annotations

from textual.content import Content

from chaosops.env.models import RoleView, Severity
from chaosops.play.formatting import MUTED, clock, shown
from tui.widgets.basic.lines import Row
from tui.widgets.panes.pane import Pane


class AlertsPane(Pane):
    """Alerts in the order in which they began."""

    NAME = "alerts"
    TITLE = "Alerts"
    NOTHING = "No alerts are firing. Alerts appear here while their condition holds."
    FOLLOWS = False
    TERMS = ("SLO", "root cause", "error budget")
    EXPLAINED = (
        "Firing alerts, the same for all roles. An alert is a symptom: it says where something "
        "shows, not what caused it. A page wakes someone up; a ticket can wait."
    )

    @classmethod
    def count(cls, view: RoleView) -> int | None:
        """Alerts that fire."""
        return len(view.alerts)

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """Since when, how urgent, where, what."""
        rows = []
        now = view.status.minute
        for alert in view.alerts:
            page = alert.severity is Severity.PAGE
            head = f"{clock(view.status, alert.minute)} {max(0, now - alert.minute):>3} min "
            kind = "! page   " if page else "· ticket "
            content = Content.assemble(
                (head, MUTED),
                (kind, "bold" if page else ""),
                (shown(alert.text), "bold" if page else ""),
                (f"  {shown(alert.service, 40)}", MUTED),
            )
            rows.append(Row(content, len(head) + len(kind)))
        return rows
