"""The changes pane: deploys, configuration, flags and migrations, with the errors that follow."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from chaosops.env.models import Health, RoleView
from chaosops.play.cells import CellPlace, clock_of, placed
from chaosops.play.formatting import HEALTH_SHAPES, HEALTH_STYLES, MUTED, percent
from chaosops.presenter import Entry, Moment, Weight, entries
from tui.widgets.basic.lines import Row
from tui.widgets.panes.laid_out import Layout
from tui.widgets.panes.object_pane import ObjectPane


class ChangesPane(ObjectPane):
    """The change history, oldest first."""

    NAME = "changes"
    TITLE = "Changes"
    NOTHING = "No changes on record."
    COUNTED = ("changes",)
    TERMS = ("rollback", "red herring", "blast radius")
    EXPLAINED = (
        "Who changed what, and when. The newest change of an unhealthy service shows the "
        "service's state now. A change isn't the cause just because it came first: compare the "
        "times, and investigate it."
    )

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """Time and age, service, kind, version, author, text; then the service as it is now."""
        changes = entries(view, "changes", "changes")
        newest = {change.find("service"): i for i, change in enumerate(changes)}
        services = entries(view, "services", "services")
        unhealthy = {
            item.find("service"): item for item in services if item.weight is Weight.URGENT
        }
        rows = []
        for i, change in enumerate(changes):
            rows.append(_LAYOUT.row(change))
            service = change.find("service")
            if service in unhealthy and newest[service] == i:
                rows.append(_service_row(unhealthy[service]))
        return rows


def _service_row(service: Entry) -> Row:
    health = service.find("health")
    style = HEALTH_STYLES[health] if isinstance(health, Health) else ""
    text = "".join(piece for piece, _style in placed(service, _SERVICE))
    return Row(Content.assemble(" " * 14, (text, style)), 14)


def _time_and_age(time: Moment) -> str:
    return f"{clock_of(time)} {_age(time.ago):>7} "


def _age(minutes: int) -> str:
    if minutes < 60:
        return f"{minutes}m ago"
    hours = minutes // 60
    return f"{hours}h ago" if hours < 48 else f"{hours // 24}d ago"


_LAYOUT: Final = Layout(
    head=(CellPlace("time", style=MUTED, say=_time_and_age),),
    body=(
        CellPlace("service", after=" ", style="bold", limit=24),
        CellPlace("kind", after=" "),
        CellPlace("version", limit=60),
        CellPlace("author", " by ", ": ", style=MUTED, limit=40),
        CellPlace("text"),
    ),
    subject="service",
)

_SERVICE: Final = (
    CellPlace(
        "health", after=" now: ", say=lambda health: f"{HEALTH_SHAPES[health]} {health.value}"
    ),
    CellPlace("errors", after=" errors", say=lambda figure: percent(figure.value)),
    CellPlace("p95", ", p95 ", say=lambda figure: f"{figure.value} ms"),
)
