"""The alerts pane: what fires now, and since when."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from chaosops.env.models import Health, RoleView, Severity
from chaosops.play.cells import CellPlace, clock_of
from chaosops.play.formatting import HEALTH_SHAPES, HEALTH_STYLES, MUTED
from chaosops.play.service_tree import health_of
from chaosops.presenter import Moment, Weight, entries
from tui.widgets.basic.lines import Row
from tui.widgets.panes.laid_out import Layout
from tui.widgets.panes.object_pane import ObjectPane


class AlertsPane(ObjectPane):
    """Alerts in the order in which they began."""

    NAME = "alerts"
    TITLE = "Alerts"
    IS_TALK = True
    NOTHING = "No alerts are firing. Alerts appear here while their condition holds."
    FOLLOWS = False
    COUNTED = ("alerts",)
    TERMS = ("SLO", "root cause", "error budget")
    EXPLAINED = (
        "Firing alerts, the same for all roles. An alert is a symptom: it says where something "
        "shows, not what caused it. A page wakes someone up; a ticket can wait. The page stays "
        "until the incident is over, and other alerts while their condition holds; 'healthy now' "
        "says that the service's errors and latency are usual again."
    )

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """Since when, how urgent, where, what."""
        health = health_of(view)
        rows = [_LAYOUT.row(entry) for entry in entries(view, "alerts", "alerts")]
        return [_with_state(row, health.get(row.subject)) for row in rows]


def _with_state(row: Row, health: Health | None) -> Row:
    """Say that the service of an alert is healthy again, though the alert still holds."""
    if health is not Health.HEALTHY:
        return row
    now = f"  {HEALTH_SHAPES[health]} healthy now"
    return row._replace(content=Content.assemble(row.content, (now, HEALTH_STYLES[health])))


def _since(began: Moment) -> str:
    return f"{clock_of(began)} {max(0, began.ago):>3} min "


def _urgency(severity: Severity) -> str:
    mark = "!" if severity is Severity.PAGE else "·"
    return f"{mark} {severity.value:<6} "


_STYLES: Final = {Weight.QUIET: "", Weight.NORMAL: "", Weight.URGENT: "bold"}

_LAYOUT: Final = Layout(
    head=(
        CellPlace("time", style=MUTED, say=_since),
        CellPlace("severity", style=_STYLES, say=_urgency),
    ),
    body=(CellPlace("text", style=_STYLES), CellPlace("service", "  ", style=MUTED, limit=40)),
    subject="service",
)
